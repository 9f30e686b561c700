//! The brush: paint the weights of the chosen joint on the posed skin.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use sinew::mesh::Adjacency;
use sinew::weights::SkinWeights;
use sinew::weights::mirror::{JointPairs, MirrorPlane, point_partners};
use sinew::weights::paint::{Paint, Stroke, dab_on_surface, dab_through, paint};
use sinew_view::pick::PickBuffer;
use sinew_view::scene::Marks;

use super::super::select::clicked;
use super::super::{Act, Context, Event, Hit, Key, Tool};
use super::{Neighbours, PaintTarget, marks, painted_values, set_rows, values};

/// Of the brush's radius on the screen: how far apart dabs are.
const DAB_SHARE: f32 = 0.25;
/// A fast hand still gets its line, in no more dabs than this a move.
const MOST_DABS: usize = 64;

/// Paint weights with a brush.
#[derive(Debug, Default)]
pub struct WeightPaintTool {
    stroke: Option<Held>,
    /// Where the brush is.
    over: Option<Over>,
    neighbours: Neighbours,
    /// A press that waits for what is under it.
    pressed: Option<Vec2>,
    /// The same of a pointer that rests.
    rests: Option<Vec2>,
    /// For the hint, which sees no document.
    words: String,
}

#[derive(Clone, Copy, Debug)]
struct Over {
    part: usize,
    /// The nearest corner of the triangle.
    point: u32,
    place: Vec3,
    normal: Vec3,
}

/// A stroke under way: painted from what was there when it began.
#[derive(Debug)]
struct Held {
    part: usize,
    joint: u32,
    weights: SkinWeights,
    /// What is painted, if that is not weights.
    values: Option<Vec<f32>>,
    posed: Vec<Vec3>,
    adjacency: Arc<Adjacency>,
    /// What is under each pixel, as it was when the stroke began.
    seen: Arc<PickBuffer>,
    /// The other side: its joint, and the partner of each point.
    mirror: Option<(u32, Vec<Option<u32>>)>,
    stroke: Stroke,
    last: Vec2,
}

/// What a pixel shows; `posed` are the points of a mesh as they stand.
fn over<'p>(
    at: Vec2,
    seen: &PickBuffer,
    posed: impl Fn(usize) -> Option<&'p [Vec3]>,
    context: &Context<'_>,
) -> Option<Over> {
    if at.cmplt(Vec2::ZERO).any() {
        return None;
    }
    let pick = seen.at(at.as_uvec2())?;
    let part = pick.surface as usize;
    let mesh = &context.document.character().parts.get(part)?.mesh;
    let corners = *mesh.point_triangles().get(pick.triangle as usize)?;
    let posed = posed(part)?;
    let distance = |point: u32| posed[point as usize].distance_squared(pick.position);
    let point = corners.into_iter().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
    let [a, b, c] = corners.map(|corner| posed[corner as usize]);
    Some(Over { part, point, place: pick.position, normal: (b - a).cross(c - a) })
}

/// Of the frame on the screen.
fn shown<'c>(context: &Context<'c>) -> impl Fn(usize) -> Option<&'c [Vec3]> {
    let frame = context.frame;
    move |part| Some(frame?.parts().get(part)?.points())
}

impl WeightPaintTool {
    fn begin(&mut self, at: Vec2, context: &Context<'_>) -> Option<Over> {
        let seen = context.picker?.seen(&context.view)?;
        let over = over(at, &seen, shown(context), context)?;
        let character = context.document.character();
        let part = character.parts.get(over.part)?;
        let weights = part.weights.clone()?;
        let values = painted_values(context.document, context.weights, over.part);
        let is_of_weights = context.weights.target == PaintTarget::Weights;
        if values.is_none() && !is_of_weights {
            return None;
        }
        let needs_joint = is_of_weights && context.weights.brush.is_of_joint();
        let joint = match context.selection.active {
            Some(joint) => joint,
            None if needs_joint => return None,
            None => 0,
        };
        let mirror = context.weights.is_symmetric.then(|| {
            let pairs = JointPairs::of(&character.skeleton)?;
            let plane = MirrorPlane::of(&character.skeleton, &pairs);
            Some((pairs.partner(joint), point_partners(&part.mesh, &plane)))
        });
        self.stroke = Some(Held {
            part: over.part,
            joint,
            weights,
            values,
            posed: context.frame?.parts().get(over.part)?.points().to_vec(),
            adjacency: self.neighbours.of(&part.mesh),
            seen,
            mirror: mirror.flatten(),
            stroke: Stroke::default(),
            last: at,
        });
        Some(over)
    }
}

impl WeightPaintTool {
    /// Sees what the pointer rests on.
    fn look_at(&mut self, at: Vec2, context: &Context<'_>) {
        let seen = context.picker.map(|picker| picker.seen(&context.view));
        self.rests = matches!(seen, Some(None)).then_some(at);
        let seen = seen.flatten();
        self.over = seen.and_then(|seen| over(at, &seen, shown(context), context));
        self.words = words(self.over, context);
    }

    /// Begins a stroke where there is skin.
    fn press(&mut self, at: Vec2, context: &Context<'_>) -> Vec<Act> {
        let settings = context.weights;
        let Some(over) = self.begin(at, context) else { return Vec::new() };
        self.over = Some(over);
        let Some(held) = &mut self.stroke else { return Vec::new() };
        held.dab(&over, context);
        let joint = context.document.joint_ref(held.joint).0;
        let label = match (settings.target, settings.brush) {
            (PaintTarget::Weights, brush) if brush.is_of_joint() => {
                format!("Paint {joint}: {}", brush.name())
            }
            (PaintTarget::Weights, brush) => format!("Paint: {}", brush.name()),
            (target, brush) => format!("Paint {}: {}", target.name(), brush.name()),
        };
        vec![Act::Stroke(label), held.edit(context)]
    }
}

impl Held {
    fn dab(&mut self, over: &Over, context: &Context<'_>) {
        let settings = context.weights;
        let (radius, falloff) = (settings.radius, settings.falloff);
        let under = if settings.goes_through {
            dab_through(&self.posed, over.place, radius, falloff)
        } else {
            let start = over.point;
            dab_on_surface(&self.posed, &self.adjacency, start, over.place, radius, falloff)
        };
        self.stroke.add(&under, settings.strength * f64::from(context.pressure.unwrap_or(1.0)));
    }

    /// Dabs along the way from where the pointer was.
    fn drag_to(&mut self, at: Vec2, context: &Context<'_>) -> Option<Over> {
        let radius_px = context.weights.radius as f32
            * self.posed.first().map_or(1.0, |&place| context.view.pixels_per_metre(place));
        let apart_px = (DAB_SHARE * radius_px).max(1.0);
        let way = at - self.last;
        let num_dabs = ((way.length() / apart_px) as usize).min(MOST_DABS);
        let mut newest = None;
        for dab in 1..=num_dabs {
            let place = self.last + way * (dab as f32 / num_dabs as f32);
            let posed = |part: usize| (part == self.part).then_some(self.posed.as_slice());
            if let Some(over) = over(place, &self.seen, posed, context) {
                self.dab(&over, context);
                newest = Some(over);
            }
        }
        if num_dabs > 0 {
            self.last = at;
        }
        newest
    }

    fn edit(&self, context: &Context<'_>) -> Act {
        let settings = context.weights;
        let amounts = self.stroke.amounts();
        if let Some(before) = &self.values {
            let found = values::edit(context, self.part, before, &self.adjacency, &amounts);
            return Act::Replace(found.into_iter().collect());
        }
        let paints = |joint: u32| Paint {
            brush: settings.brush,
            mesh: &context.document.character().parts[self.part].mesh,
            joint,
            value: settings.value,
            rules: settings.rules(),
        };
        let mut rows = paint(&self.weights, &self.adjacency, &amounts, &paints(self.joint));
        if let Some((joint, partners)) = &self.mirror {
            let there: Vec<(u32, f64)> = (amounts.iter())
                .filter_map(|&(point, amount)| Some((partners[point as usize]?, amount)))
                .collect();
            let after = self.weights.with_rows(&rows);
            let more = paint(&after, &self.adjacency, &there, &paints(*joint));
            // A point on both sides has the second row, which was made from the first.
            rows.retain(|(point, _)| more.iter().all(|(other, _)| other != point));
            rows.extend(more);
        }
        if rows.is_empty() {
            return Act::Replace(Vec::new());
        }
        Act::Replace(vec![set_rows(context, self.part, &rows).into()])
    }
}

impl Tool for WeightPaintTool {
    fn name(&self) -> &'static str {
        "Paint"
    }

    fn hint(&self) -> String {
        if self.words.is_empty() {
            return "Choose a joint in the list or Ctrl-click one, then paint its weights on the skin".into();
        }
        self.words.clone()
    }

    fn has_pointer(&self) -> bool {
        self.stroke.is_some() || self.pressed.is_some()
    }

    fn is_waiting(&self) -> bool {
        self.pressed.is_some() || self.rests.is_some()
    }

    fn under(&self, _: Vec2, _: &Context<'_>) -> Option<Hit> {
        None
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                if modifiers.control {
                    return vec![Act::Select(clicked(at, modifiers.shift, context))];
                }
                let is_found = context.picker.is_none_or(|p| p.seen(&context.view).is_some());
                if !is_found {
                    self.pressed = Some(at);
                    return Vec::new();
                }
                let acts = self.press(at, context);
                if acts.is_empty() {
                    return vec![Act::Select(clicked(at, modifiers.shift, context))];
                }
                acts
            }
            Event::Moved { at, .. } => {
                if let Some(held) = &mut self.stroke {
                    let newest = held.drag_to(at, context);
                    self.over = newest.or(self.over);
                    return newest.map(|_| held.edit(context)).into_iter().collect();
                }
                self.look_at(at, context);
                Vec::new()
            }
            Event::Released { .. } => {
                self.pressed = None;
                self.stroke.take().map(|_| Act::Commit).into_iter().collect()
            }
            Event::Found => match self.pressed.take() {
                Some(at) => {
                    let acts = self.press(at, context);
                    if acts.is_empty() && context.frame.is_none() {
                        self.pressed = Some(at);
                    }
                    acts
                }
                None => {
                    if let Some(at) = self.rests {
                        self.look_at(at, context);
                    }
                    Vec::new()
                }
            },
            Event::Key(Key::Escape) => {
                self.stroke.take().map(|_| Act::Cancel).into_iter().collect()
            }
            Event::Key(_) | Event::Grabbed { .. } => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let Some(over) = &self.over else { return Marks::default() };
        marks::ring(over.place, over.normal, context.weights.radius as f32, context)
    }
}

/// What the point under the brush has, and of how many influences.
fn words(over: Option<Over>, context: &Context<'_>) -> String {
    let character = context.document.character();
    let Some(over) = over else { return String::new() };
    let Some(weights) = &character.parts[over.part].weights else {
        return "This mesh has no weights: Weights, Bind".into();
    };
    let Some(joint) = context.selection.active else { return String::new() };
    let row = weights.row(over.point as usize);
    let own = row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight);
    let name = context.document.joint_ref(joint).0;
    let budget = context.weights.influences;
    format!(
        "{name} {own:.3} here · {} of {budget} influences · Ctrl-click takes a joint",
        row.len()
    )
}
