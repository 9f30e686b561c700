//! The hand: drag a point of the posed skin, and its weights follow.

use std::sync::Arc;

use glam::{DVec3, Vec2};
use sinew::frame::{Controls, Frame};
use sinew::skeleton::{Palette, Pose};
use sinew::weights::SkinWeights;
use sinew::weights::drag::{
    Drag, DragInput, DragMotion, DragSettings, HeldPose, Hull, soft_selection, why_not,
};
use sinew_view::scene::Marks;

use super::super::region::point_at;
use super::super::select::chosen_marks;
use super::super::{Act, Context, Event, Hit, Key, Tool};
use super::{Neighbours, WhyShown, length, marks, set_rows};
use crate::edit::WeightEdit;
use crate::selection::Selection;

/// A goal this near is reached: a tenth of a millimetre.
const REACHED: f64 = 1e-4;

/// Drag points of the skin.
#[derive(Debug, Default)]
pub struct WeightDragTool {
    held: Option<Held>,
    /// The point under the pointer, and where it can come to.
    over: Option<(usize, u32, Hull)>,
    why: Option<WhyShown>,
    neighbours: Neighbours,
    /// A press that waits for what is under it.
    pressed: Option<Vec2>,
    /// The same of a pointer that rests.
    rests: Option<Vec2>,
}

/// Points in the hand.
#[derive(Debug)]
struct Held {
    part: usize,
    /// The one that was taken hold of.
    point: u32,
    at: usize,
    from: Vec2,
    frame: Arc<Frame>,
    weights: SkinWeights,
    settings: DragSettings,
    poses: Vec<HeldPose>,
    drag: Drag,
    starts: Vec<DVec3>,
    shares: Vec<f64>,
    goal: DVec3,
    has_moved: bool,
}

fn settings(context: &Context<'_>) -> DragSettings {
    let tools = context.weights;
    let chosen = context.selection.active.filter(|_| tools.takes_chosen);
    DragSettings {
        rule: tools.rule,
        rules: tools.rules(),
        further: chosen.into_iter().collect(),
        ..DragSettings::default()
    }
}

/// Stored poses in which points are to stay.
fn held_poses(context: &Context<'_>) -> Vec<HeldPose> {
    let document = context.document;
    let character = document.character();
    let rest = Pose::rest(&character.skeleton);
    let of_name = |(name, worth): (&String, &f64)| {
        let stored = document.stored_poses().iter().find(|stored| stored.name == *name);
        let pose = match stored {
            Some(stored) => stored.pose.clone(),
            None if name.is_empty() => rest.clone(),
            None => return None,
        };
        let mut controls = Controls { pose, ..document.controls() };
        if let Ok(plan) = sinew::driver::DriverPlan::new(character) {
            plan.run(&character.skeleton, &mut controls);
        }
        let palette = Palette::new(&character.skeleton, &controls.pose);
        let model_from_rest = palette.model_from_rest().to_vec();
        Some(HeldPose { model_from_rest, weight: *worth })
    };
    context.weights.held.iter().filter_map(of_name).collect()
}

impl WeightDragTool {
    fn begin(&mut self, from: Vec2, part: usize, point: u32, context: &Context<'_>) -> Option<()> {
        let frame = Arc::new(context.frame?.clone());
        let character = context.document.character();
        let weights = character.parts.get(part)?.weights.clone()?;
        let rest = frame.parts().get(part)?.rest();
        let adjacency = self.neighbours.of(&character.parts[part].mesh);
        let chosen = context.selection.points.get(&part).filter(|chosen| chosen.contains(&point));
        let taken: Vec<u32> = match chosen {
            Some(chosen) => chosen.iter().copied().collect(),
            None => vec![point],
        };
        let soft = soft_selection(rest, &adjacency, &taken, context.weights.soft_radius);
        let points: Vec<u32> = soft.iter().map(|&(point, _)| point).collect();
        let (settings, poses) = (settings(context), held_poses(context));
        let input = DragInput {
            rest,
            weights: &weights,
            model_from_rest: frame.palette().model_from_rest(),
            held: &poses,
        };
        let drag = Drag::begin(&input, &points, Some(&adjacency), &settings);
        let starts = drag.starts();
        let at = points.iter().position(|&other| other == point)?;
        self.held = Some(Held {
            part,
            point,
            at,
            from,
            goal: starts[at],
            shares: soft.iter().map(|&(_, share)| share).collect(),
            starts,
            weights,
            settings,
            poses,
            drag,
            frame,
            has_moved: false,
        });
        Some(())
    }

    fn take(&mut self, at: Vec2, part: usize, point: u32, context: &Context<'_>) -> Vec<Act> {
        if self.begin(at, part, point, context).is_none() {
            return Vec::new();
        }
        self.why = None;
        let number = self.held.as_ref().map_or(1, |held| held.starts.len());
        let label = match number {
            1 => format!("Drag point {point}"),
            n => format!("Drag {n} points"),
        };
        vec![Act::Stroke(label)]
    }

    fn look_at(&mut self, at: Vec2, context: &Context<'_>) {
        let found = point_at(at, context);
        // Until it is known what is under the pointer, nothing is.
        self.rests = found.is_none().then_some(at);
        let Some(Some((part, point))) = found else {
            self.over = None;
            return;
        };
        let (Some(frame), Some(weights)) =
            (context.frame, context.document.character().parts[part].weights.as_ref())
        else {
            return;
        };
        let input = DragInput {
            rest: frame.parts()[part].rest(),
            weights,
            model_from_rest: frame.palette().model_from_rest(),
            held: &[],
        };
        self.over = Some((part, point, input.hull(point, &settings(context).further)));
    }
}

impl Held {
    fn input(&self) -> DragInput<'_> {
        DragInput {
            rest: self.frame.parts()[self.part].rest(),
            weights: &self.weights,
            model_from_rest: self.frame.palette().model_from_rest(),
            held: &self.poses,
        }
    }

    fn drag_to(&mut self, at: Vec2, context: &Context<'_>) -> (Act, WhyShown) {
        let start = self.starts[self.at];
        let place = |pixel: Vec2| context.view.on_facing_plane(pixel, start.as_vec3()).as_dvec3();
        let by = place(at) - place(self.from);
        let motion = DragMotion::Translate(by);
        let goals: Vec<DVec3> = (self.starts.iter().zip(&self.shares))
            .map(|(&start, &share)| motion.goal(start, share))
            .collect();
        self.goal = goals[self.at];
        self.drag.solve(&goals);
        self.has_moved = true;
        let rows = self.drag.rows(&self.weights);
        let own = rows.iter().find(|(point, _)| *point == self.point);
        let num_influences =
            own.map_or(self.weights.row(self.point as usize).len(), |(_, row)| row.len());
        let why = why_not(&self.input(), self.point, self.goal, &self.settings);
        let why =
            WhyShown { part: self.part, point: self.point, goal: self.goal, num_influences, why };
        let edits = match rows.is_empty() {
            true => Vec::new(),
            false => vec![set_rows(context, self.part, &rows).into()],
        };
        (Act::Replace(edits), why)
    }
}

impl Tool for WeightDragTool {
    fn name(&self) -> &'static str {
        "Drag"
    }

    fn hint(&self) -> String {
        let Some(why) = &self.why else {
            let Some((_, _, hull)) = &self.over else {
                return "Drag a point of the posed skin: its weights follow, as far as they reach"
                    .into();
            };
            return format!("This point can move within a {}", hull.kind());
        };
        let kind = why.why.hull.kind();
        if why.why.distance <= REACHED {
            return format!("Reached, within a {kind}, with {} influences", why.num_influences);
        }
        let off = length(why.why.distance);
        match why.why.further.first() {
            Some(further) => format!(
                "{off} outside of its {kind}; a further joint would leave {} (Weights panel)",
                length(further.distance)
            ),
            None => format!(
                "{off} outside of its {kind}; no joint would bring it nearer: a corrective shape would"
            ),
        }
    }

    fn why_not(&self) -> Option<&WhyShown> {
        self.why.as_ref()
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
        self.over.as_ref().map(|(part, point, _)| Hit::Point { part: *part, point: *point })
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        match *event {
            Event::Pressed { at, modifiers } => {
                if context.frame.is_none() || point_at(at, context).is_none() {
                    self.pressed = Some(at);
                    return Vec::new();
                }
                self.look_at(at, context);
                let Some((part, point, _)) = self.over else {
                    self.why = None;
                    return vec![Act::Select(Selection::default())];
                };
                if modifiers.shift {
                    let mut selection = context.selection.clone();
                    selection.toggle_point(part, point);
                    return vec![Act::Select(selection)];
                }
                self.take(at, part, point, context)
            }
            Event::Moved { at, .. } => {
                let Some(held) = &mut self.held else {
                    self.look_at(at, context);
                    return Vec::new();
                };
                let (act, why) = held.drag_to(at, context);
                self.why = Some(why);
                vec![act]
            }
            Event::Released { .. } => {
                self.pressed = None;
                let Some(held) = self.held.take() else { return Vec::new() };
                if held.has_moved {
                    return vec![Act::Commit];
                }
                // A click chooses the point.
                let mut selection = Selection::of_points([(held.part, held.point)]);
                selection.joints.clone_from(&context.selection.joints);
                selection.active = context.selection.active;
                vec![Act::Cancel, Act::Select(selection)]
            }
            Event::Key(Key::Escape) => {
                self.why = None;
                self.held.take().map(|_| Act::Cancel).into_iter().collect()
            }
            Event::Found => {
                let Some(at) = self.pressed else {
                    if let Some(at) = self.rests {
                        self.look_at(at, context);
                    }
                    return Vec::new();
                };
                if context.frame.is_none() || point_at(at, context).is_none() {
                    return Vec::new();
                }
                self.pressed = None;
                self.look_at(at, context);
                match self.over {
                    Some((part, point, _)) => self.take(at, part, point, context),
                    None => Vec::new(),
                }
            }
            Event::Key(_) | Event::Grabbed { .. } => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        let mut drawn = chosen_marks(context);
        if let Some(why) = &self.why {
            drawn.append(marks::hull(&why.why.hull, context));
            drawn.append(marks::goal(why.goal, why.why.reached, context));
        } else if let Some((_, _, hull)) = &self.over {
            drawn.append(marks::hull(hull, context));
        }
        drawn
    }
}

/// The edit that brings the point of a readout to its goal with a further joint.
pub(crate) fn with_further(
    why: &WhyShown,
    joint: u32,
    context: &Context<'_>,
) -> Option<WeightEdit> {
    let frame = context.frame?;
    let weights = context.document.character().parts.get(why.part)?.weights.as_ref()?;
    let input = DragInput {
        rest: frame.parts().get(why.part)?.rest(),
        weights,
        model_from_rest: frame.palette().model_from_rest(),
        held: &held_poses(context),
    };
    let mut settings = settings(context);
    settings.further.push(joint);
    let mut drag = Drag::begin(&input, &[why.point], None, &settings);
    drag.solve(&[why.goal]);
    let rows = drag.rows(weights);
    (!rows.is_empty()).then(|| set_rows(context, why.part, &rows))
}
