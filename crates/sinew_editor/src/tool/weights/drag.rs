//! The hand: drag a point of the posed skin, and its weights follow.

use glam::{DVec3, Vec2};
use sinew::weights::drag::{Drag, DragInput, Hull};
use sinew_view::scene::Marks;

use super::super::region::point_at;
use super::super::select::chosen_marks;
use super::super::{Act, Context, Event, Hit, Key, Tool};
use super::hand::{AXES, ring};
use super::held::{Held, Taken, chosen_center, held_poses, settings};
use super::{DragGesture, Neighbours, WhyShown, length, marks, set_rows};
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
    /// The axis whose ring is under the pointer; `None` in it is the line of sight.
    over_ring: Option<Option<DVec3>>,
    why: Option<WhyShown>,
    neighbours: Neighbours,
    /// A press that waits for what is under it.
    pressed: Option<Vec2>,
    /// The same of a pointer that rests.
    rests: Option<Vec2>,
}

/// The first of the chosen points, which speaks for all.
fn first_chosen(context: &Context<'_>) -> Option<(usize, u32)> {
    let (&part, points) = context.selection.points.iter().next()?;
    Some((part, *points.first()?))
}

/// The axis of the ring under a pixel, where chosen points are turned.
fn ring_at(at: Vec2, context: &Context<'_>) -> Option<Option<DVec3>> {
    if context.weights.gesture != DragGesture::Turn {
        return None;
    }
    let center = chosen_center(context)?;
    let axes = AXES.iter().map(|&(_, axis, _)| Some(axis)).chain([None]);
    let distance =
        |axis: &Option<DVec3>| ring(center, *axis, context).distance_px(at, &context.view);
    axes.filter_map(|axis| Some((distance(&axis)?, axis)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, axis)| axis)
}

impl WeightDragTool {
    fn take(&mut self, at: Vec2, taken: &Taken, context: &Context<'_>) -> Vec<Act> {
        let Some(held) = Held::new(taken, at, &mut self.neighbours, context) else {
            return Vec::new();
        };
        self.why = None;
        let what = match taken.gesture {
            DragGesture::Move => "Drag",
            DragGesture::Turn => "Turn",
            DragGesture::Scale => "Scale",
            DragGesture::Pull => "Pull",
        };
        let label = match held.num_points() {
            1 => format!("{what} point {}", taken.point),
            n => format!("{what} {n} points"),
        };
        self.held = Some(held);
        vec![Act::Stroke(label)]
    }

    /// Takes hold of the chosen points with no button held; with an axis, a number is waited for.
    fn grab(&mut self, at: Vec2, axis: Option<DVec3>, context: &Context<'_>) -> Vec<Act> {
        let gesture = context.weights.gesture;
        let Some((part, point)) = first_chosen(context) else { return Vec::new() };
        if gesture == DragGesture::Pull {
            return Vec::new();
        }
        let acts = self.take(at, &Taken { part, point, gesture, axis }, context);
        if let Some(held) = &mut self.held {
            held.hand.is_modal = true;
            if axis.is_some() {
                held.hand.wait_for_number();
            }
        }
        acts
    }

    /// What the hand does now.
    fn drag(&mut self, context: &Context<'_>) -> Vec<Act> {
        let Some(held) = &mut self.held else { return Vec::new() };
        let (edits, why) = held.drag(context);
        self.why = Some(why);
        vec![Act::Replace(edits)]
    }

    fn key(&mut self, key: Key, context: &Context<'_>) -> Vec<Act> {
        let axis = match key {
            Key::Char(letter) => AXES.iter().find(|(own, ..)| *own == letter),
            Key::Enter | Key::Escape | Key::Backspace => None,
        };
        if let Some(&(_, axis, _)) = axis {
            let Some(held) = &mut self.held else {
                return self.grab(Vec2::ZERO, Some(axis), context);
            };
            held.hand.hold_to(Some(axis), context);
            return self.drag(context);
        }
        match key {
            Key::Escape => {
                self.why = None;
                self.held.take().map(|_| Act::Cancel).into_iter().collect()
            }
            Key::Enter => self.held.take().map(|_| Act::Commit).into_iter().collect(),
            Key::Char(_) | Key::Backspace => {
                match self.held.as_mut().is_some_and(|held| held.hand.types(key)) {
                    true => self.drag(context),
                    false => Vec::new(),
                }
            }
        }
    }

    fn look_at(&mut self, at: Vec2, context: &Context<'_>) {
        self.over_ring = ring_at(at, context);
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

impl Tool for WeightDragTool {
    fn name(&self) -> &'static str {
        "Drag"
    }

    fn hint(&self) -> String {
        if let Some(held) = self.held.as_ref().filter(|held| held.hand.is_modal) {
            return format!(
                "{}  X, Y, Z hold to an axis, digits type. Enter or a click to keep it, Esc to take it back",
                held.hand.words()
            );
        }
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
        self.over.is_some() || self.over_ring.is_some()
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
            Event::Pressed { .. } if self.held.is_some() => {
                self.held = None;
                vec![Act::Commit]
            }
            Event::Pressed { at, modifiers } => {
                let gesture = context.weights.gesture;
                if let (Some(axis), Some((part, point))) =
                    (ring_at(at, context), first_chosen(context))
                {
                    return self.take(at, &Taken { part, point, gesture, axis }, context);
                }
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
                self.take(at, &Taken { part, point, gesture, axis: None }, context)
            }
            Event::Grabbed { .. } if self.held.is_some() => Vec::new(),
            Event::Grabbed { at } => self.grab(at, None, context),
            Event::Moved { at, .. } => {
                let Some(held) = &mut self.held else {
                    self.look_at(at, context);
                    return Vec::new();
                };
                match held.hand.move_to(at) {
                    true => self.drag(context),
                    false => Vec::new(),
                }
            }
            Event::Released { .. } => {
                self.pressed = None;
                let Some(held) = self.held.take_if(|held| !held.hand.is_modal) else {
                    return Vec::new();
                };
                if held.has_moved {
                    return vec![Act::Commit];
                }
                if self.over_ring.is_some() {
                    return vec![Act::Cancel];
                }
                // A click chooses the point.
                let mut selection = Selection::of_points([(held.part(), held.point)]);
                selection.joints.clone_from(&context.selection.joints);
                selection.active = context.selection.active;
                vec![Act::Cancel, Act::Select(selection)]
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
                let gesture = context.weights.gesture;
                match self.over {
                    Some((part, point, _)) => {
                        self.take(at, &Taken { part, point, gesture, axis: None }, context)
                    }
                    None => Vec::new(),
                }
            }
            Event::Key(key) => self.key(key, context),
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
        let tools = context.weights;
        if tools.gesture == DragGesture::Pull
            && let Some((part, point, _)) = &self.over
            && let Some(posed) = context.frame.and_then(|frame| frame.parts().get(*part))
            && let Some(&place) = posed.points().get(*point as usize)
        {
            let to_eye = context.view.camera.eye() - place;
            drawn.append(marks::ring(place, to_eye, tools.radius as f32, context));
        }
        if tools.gesture == DragGesture::Turn
            && let Some(center) = chosen_center(context)
        {
            drawn.append(marks::rings(center, self.over_ring, context));
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
