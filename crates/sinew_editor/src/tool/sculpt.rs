//! The chisel: drag points of the posed skin, and a corrective of the chosen joint follows.
//!
//! What is dragged is a shape that comes with this pose of the joint: the one that is at work here
//! already, or a new one. In the picture of linear blending the points stay under the pointer;
//! other methods bend the same shape in their own way.

use glam::{DVec3, Vec2, Vec3};
use sinew::driver::ShapeIndex;
use sinew::frame::Controls;
use sinew::rigging::corrective_here;
use sinew::weights::drag::soft_selection;
use sinew_view::scene::Marks;

use super::region::point_at;
use super::select::chosen_marks;
use super::weights::{Neighbours, length, ring};
use super::{Act, Context, Event, Hit, Key, Tool};
use crate::edit::{Edit, RiggingEdit};
use crate::name_ref::{JointRef, MeshRef, ShapeRef};
use crate::selection::Selection;

/// A joint that is nearer to its rest than this has no pose for a corrective to come with.
const AT_REST_RADIANS: f64 = 0.01;

/// How the sculpting tool works: the panel sets it, and nobody's work is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SculptWork {
    /// Points within this distance of a dragged one follow in part, metres.
    pub radius: f64,
}

impl Default for SculptWork {
    fn default() -> Self {
        Self { radius: 0.06 }
    }
}

/// Sculpt a corrective by dragging points of the skin.
#[derive(Debug, Default)]
pub struct SculptTool {
    held: Option<Held>,
    /// The point under the pointer: its mesh, its number, where it is and which way it looks.
    over: Option<Over>,
    neighbours: Neighbours,
    /// A press that waits for what is under it.
    pressed: Option<Vec2>,
    /// The same of a pointer that rests.
    rests: Option<Vec2>,
    /// Why the last press took nothing.
    refusal: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
struct Over {
    part: usize,
    point: u32,
    place: Vec3,
    normal: Vec3,
}

/// Points in the hand.
#[derive(Debug)]
struct Held {
    over: Over,
    from: Vec2,
    shape: Goal,
    /// Points with how much of the motion they follow.
    soft: Vec<(u32, f64)>,
    by: DVec3,
    has_moved: bool,
}

/// What is sculpted.
#[derive(Clone, Debug)]
enum Goal {
    /// A shape that comes with this pose.
    Known(ShapeIndex),
    /// One that is still to be made for it.
    New { joint: JointRef, name: String },
}

/// What a drag here would change, or why there is nothing.
fn goal(part: usize, context: &Context<'_>) -> Result<Goal, &'static str> {
    let active = context.selection.active.filter(|&joint| joint < joints(context));
    let Some(joint) = active else {
        return Err(
            "Choose the joint whose pose the corrective is to come with, then drag the skin",
        );
    };
    let character = context.document.character();
    let controls = Controls { pose: context.pose.as_ref().clone(), ..context.document.controls() };
    if let Some(shape) = corrective_here(character, &controls, part, &[joint]) {
        return Ok(Goal::Known(shape));
    }
    let pose = &context.pose.joints[joint as usize];
    let turned = pose.swing.to_scaled_axis().length().hypot(pose.twist_radians);
    if turned < AT_REST_RADIANS {
        return Err("This joint is at rest; a corrective comes with a pose, so turn it first");
    }
    let joint = context.document.joint_ref(joint);
    let name = free_name(&format!("{} corrective", joint.0), part, context);
    Ok(Goal::New { joint, name })
}

fn joints(context: &Context<'_>) -> u32 {
    context.document.character().skeleton.len() as u32
}

/// A name that no shape of the mesh has.
fn free_name(wanted: &str, part: usize, context: &Context<'_>) -> String {
    let shapes = &context.document.character().parts[part].shapes;
    let taken = |name: &str| shapes.iter().any(|shape| shape.name == name);
    let numbered = (2..).map(|number| format!("{wanted} {number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}

impl SculptTool {
    fn begin(&mut self, at: Vec2, over: Over, context: &Context<'_>) -> Vec<Act> {
        let shape = match goal(over.part, context) {
            Ok(shape) => shape,
            Err(refusal) => {
                self.refusal = Some(refusal);
                return Vec::new();
            }
        };
        self.refusal = None;
        let Some(frame) = context.frame else { return Vec::new() };
        let mesh = &context.document.character().parts[over.part].mesh;
        let chosen = context.selection.points.get(&over.part);
        let taken: Vec<u32> = match chosen.filter(|chosen| chosen.contains(&over.point)) {
            Some(chosen) => chosen.iter().copied().collect(),
            None => vec![over.point],
        };
        let adjacency = self.neighbours.of(mesh);
        let posed = frame.parts()[over.part].points();
        let soft = soft_selection(posed, &adjacency, &taken, context.sculpt.radius);
        let label = match &shape {
            Goal::Known(shape) => format!("Sculpt {}", shape_name(*shape, context)),
            Goal::New { name, .. } => format!("Sculpt {name}"),
        };
        let (from, by) = (at, DVec3::ZERO);
        self.held = Some(Held { over, from, shape, soft, by, has_moved: false });
        vec![Act::Begin(label)]
    }

    fn look_at(&mut self, at: Vec2, context: &Context<'_>) {
        let found = point_at(at, context);
        // Until it is known what is under the pointer, nothing is.
        self.rests = found.is_none().then_some(at);
        self.over = found.flatten().and_then(|(part, point)| {
            let of_part = context.frame?.parts().get(part)?;
            let place = *of_part.points().get(point as usize)?;
            let mesh = &context.document.character().parts.get(part)?.mesh;
            let adjacency = self.neighbours.of(mesh);
            // Facing the eye is near enough where a ring is drawn around it.
            let ring = adjacency.ring(point as usize);
            let mut normal = Vec3::ZERO;
            for pair in ring.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|i| of_part.points()[i as usize] - place);
                let of_pair = a.cross(b);
                normal += if of_pair.dot(normal) < 0.0 { -of_pair } else { of_pair };
            }
            Some(Over { part, point, place, normal })
        });
    }
}

fn shape_name(shape: ShapeIndex, context: &Context<'_>) -> String {
    let part = &context.document.character().parts[shape.part as usize];
    part.shapes.get(shape.shape as usize).map_or_else(String::new, |shape| shape.name.clone())
}

impl Held {
    fn drag_to(&mut self, at: Vec2, context: &Context<'_>) -> Act {
        let place = |pixel: Vec2| context.view.on_facing_plane(pixel, self.over.place).as_dvec3();
        self.by = place(at) - place(self.from);
        self.has_moved = true;
        let moved = (self.soft.iter())
            .map(|&(point, share)| {
                let by = (self.by * share).as_vec3();
                (point, by.x, by.y, by.z)
            })
            .collect();
        // The shape was found before the drag began; the document may have no such name then.
        let before = context.document;
        let mesh = MeshRef::of(before.character(), self.over.part);
        let edit: Edit = match &self.shape {
            Goal::Known(shape) => {
                let shape = ShapeRef(shape_name(*shape, context));
                RiggingEdit::SculptShape { mesh, shape, moved }.into()
            }
            Goal::New { joint, name } => RiggingEdit::AddCorrective {
                mesh,
                name: name.clone(),
                joints: vec![joint.clone()],
                moved: Some(moved),
            }
            .into(),
        };
        Act::Replace(vec![edit])
    }
}

impl Tool for SculptTool {
    fn name(&self) -> &'static str {
        "Sculpt"
    }

    fn hint(&self) -> String {
        match (&self.held, self.refusal) {
            (Some(held), _) => format!("Moved by {}", length(held.by.length())),
            (None, Some(refusal)) => refusal.into(),
            (None, None) => "Drag the posed skin: a corrective of the chosen joint comes with \
                             this pose. Esc takes a drag back"
                .into(),
        }
    }

    fn is_hovered(&self) -> bool {
        self.over.is_some()
    }

    fn has_pointer(&self) -> bool {
        self.held.is_some() || self.pressed.is_some()
    }

    fn is_waiting(&self) -> bool {
        self.pressed.is_some() || self.rests.is_some()
    }

    fn under(&self, _: Vec2, _: &Context<'_>) -> Option<Hit> {
        self.over.map(|over| Hit::Point { part: over.part, point: over.point })
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                if context.frame.is_none() || point_at(at, context).is_none() {
                    self.pressed = Some(at);
                    return Vec::new();
                }
                self.look_at(at, context);
                match self.over {
                    Some(Over { part, point, .. }) if modifiers.shift => {
                        let mut selection = context.selection.clone();
                        selection.toggle_point(part, point);
                        vec![Act::Select(selection)]
                    }
                    Some(over) => self.begin(at, over, context),
                    None => vec![Act::Select(without_points(context))],
                }
            }
            Event::Moved { at, .. } => match &mut self.held {
                Some(held) => vec![held.drag_to(at, context)],
                None => {
                    self.look_at(at, context);
                    Vec::new()
                }
            },
            Event::Released { .. } => {
                self.pressed = None;
                match self.held.take() {
                    Some(held) if held.has_moved => vec![Act::Commit],
                    Some(_) => vec![Act::Cancel],
                    None => Vec::new(),
                }
            }
            Event::Key(Key::Escape) => self.held.take().map(|_| Act::Cancel).into_iter().collect(),
            Event::Found => {
                let Some(at) = self.pressed.or(self.rests) else { return Vec::new() };
                if context.frame.is_none() || point_at(at, context).is_none() {
                    return Vec::new();
                }
                self.look_at(at, context);
                match (self.pressed.take(), self.over) {
                    (Some(at), Some(over)) => self.begin(at, over, context),
                    _ => Vec::new(),
                }
            }
            Event::Key(_) | Event::Grabbed { .. } => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut drawn = chosen_marks(context);
        let held = self
            .held
            .as_ref()
            .map(|held| Over { place: held.over.place + held.by.as_vec3(), ..held.over });
        if let Some(over) = held.or(self.over) {
            drawn.append(ring(over.place, over.normal, context.sculpt.radius as f32, context));
        }
        drawn
    }
}

/// The choice without points: the joint that is sculpted for stays chosen.
fn without_points(context: &Context<'_>) -> Selection {
    Selection { points: Default::default(), ..context.selection.clone() }
}
