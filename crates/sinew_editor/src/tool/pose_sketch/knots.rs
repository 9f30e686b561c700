//! Knots of a stroke in hand: dragged, put in and taken out; and the arms of the one that was taken
//! last, which say which way the stroke goes through it.

use glam::Vec2;
use sinew::sketch::pose::PoseStroke;
use sinew::sketch::stroke::Arm;

use super::super::{Act, Context};
use super::screen::{in_hand, pixel, under};
use crate::edit::{Edit, StrokeEdit, StrokeText};

/// A click this near to a knot takes it. Times [`crate::View::gizmo_scale`].
const REACH_PX: f32 = 10.0;

/// A knot in the hand.
#[derive(Clone, Debug)]
pub(super) struct Held {
    number: usize,
    stroke: PoseStroke,
    grip: Grip,
    is_new: bool,
}

/// What of a stroke is taken hold of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grip {
    Knot(usize),
    Arm(usize, Arm),
}

impl Grip {
    fn knot(self) -> usize {
        match self {
            Self::Knot(knot) | Self::Arm(knot, _) => knot,
        }
    }
}

/// What a press on a stroke did.
pub(super) enum Pressed {
    Nothing,
    Held(Held),
    /// An edit at once, and what it is called.
    Done(Edit, &'static str),
}

impl Held {
    pub(super) fn label(&self) -> &'static str {
        match self.grip {
            Grip::Arm(..) => "Turn a knot",
            Grip::Knot(_) if self.is_new => "Add a knot",
            Grip::Knot(_) => "Move a knot",
        }
    }

    /// Which knot it is, or whose arm.
    pub(super) fn knot(&self) -> usize {
        self.grip.knot()
    }

    pub(super) fn drag(&self, at: Vec2, context: &Context<'_>) -> Option<Act> {
        let place = under(&self.stroke.plane, at, context)?;
        let target = match self.grip {
            Grip::Knot(knot) => self.stroke.target.with_knot_at(knot, place),
            Grip::Arm(knot, arm) => self.stroke.target.with_arm(knot, arm, place),
        };
        let target = target.ok()?;
        let stroke = PoseStroke { target, ..self.stroke.clone() };
        Some(Act::Replace(vec![redraw(self.number, &stroke, context)]))
    }
}

fn redraw(number: usize, stroke: &PoseStroke, context: &Context<'_>) -> Edit {
    StrokeEdit::RedrawPose { number, stroke: StrokeText::of(context.document, stroke) }.into()
}

/// The knot under a pixel. The first one stays at the limb's root: a stroke that begins there is
/// drawn, not dragged.
pub(super) fn knot_at((number, at): (usize, Vec2), context: &Context<'_>) -> Option<usize> {
    let stroke = in_hand(context).get(number)?;
    let reach_px = REACH_PX * context.view.gizmo_scale();
    let seen = (stroke.target.knots().iter().enumerate().skip(1))
        .filter_map(|(knot, of)| Some((knot, context.view.project(of.at.as_vec3())?.distance(at))));
    let near = seen.filter(|&(_, distance)| distance <= reach_px);
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(knot, _)| knot)
}

/// Where the arms of a knot end that are long enough to be seen.
pub(super) fn arm_ends(
    stroke: &PoseStroke,
    knot: usize,
) -> impl Iterator<Item = (Arm, glam::DVec3)> + use<> {
    let knots = stroke.target.knots();
    let of = knots.get(knot).copied();
    let (has_in, has_out) = (knot > 0, knot + 1 < knots.len());
    let arms = of.map(|of| [(Arm::In, of.arm_in, has_in), (Arm::Out, of.arm_out, has_out)]);
    let at = of.map(|of| of.at).unwrap_or_default();
    let is_seen =
        |(_, way, is_there): &(Arm, glam::DVec3, bool)| *is_there && way.length_squared() > 0.0;
    arms.into_iter().flatten().filter(is_seen).map(move |(arm, way, _)| (arm, at + way))
}

/// The knot under a pixel, or an arm of the knot in focus.
pub(super) fn grip_at(
    (number, at): (usize, Vec2),
    focus: Option<usize>,
    context: &Context<'_>,
) -> Option<Grip> {
    if let Some(knot) = knot_at((number, at), context) {
        return Some(Grip::Knot(knot));
    }
    let (stroke, knot) = (in_hand(context).get(number)?, focus?);
    let reach_px = REACH_PX * context.view.gizmo_scale();
    arm_ends(stroke, knot)
        .filter_map(|(arm, end)| Some((arm, context.view.project(end.as_vec3())?.distance(at))))
        .filter(|&(_, distance)| distance <= reach_px)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(arm, _)| Grip::Arm(knot, arm))
}

/// How far along a stroke a pixel is, if it is on it and not at its start.
fn t_at((number, at): (usize, Vec2), reach_px: f32, context: &Context<'_>) -> Option<f64> {
    let stroke = in_hand(context).get(number)?;
    let closest = stroke.target.closest(under(&stroke.plane, at, context)?);
    let reach = f64::from(reach_px) * pixel(&stroke.plane, context);
    let from_start = closest.t * stroke.target.length();
    (closest.distance <= reach && from_start > 2.0 * reach).then_some(closest.t)
}

/// True if a stroke that begins there draws one in hand again.
pub(super) fn is_on_stroke(of: (usize, Vec2), reach_px: f32, context: &Context<'_>) -> bool {
    t_at(of, reach_px, context).is_some()
}

/// Takes a knot, or an arm of the one in focus; with Control takes a knot out, or puts one in.
pub(super) fn press(
    (number, at): (usize, Vec2),
    (control, focus): (bool, Option<usize>),
    context: &Context<'_>,
) -> Pressed {
    let Some(stroke) = in_hand(context).get(number).cloned() else { return Pressed::Nothing };
    if !control {
        return match grip_at((number, at), focus, context) {
            Some(grip) => Pressed::Held(Held { number, stroke, grip, is_new: false }),
            None => Pressed::Nothing,
        };
    }
    if let Some(knot) = knot_at((number, at), context) {
        return match stroke.target.with_knot_deleted(knot) {
            Ok(target) => {
                let stroke = PoseStroke { target, ..stroke };
                Pressed::Done(redraw(number, &stroke, context), "Take a knot out")
            }
            Err(_) => Pressed::Nothing,
        };
    }
    let reach_px = REACH_PX * context.view.gizmo_scale();
    match t_at((number, at), reach_px, context) {
        Some(t) => {
            let (target, knot) = stroke.target.with_knot_inserted(t);
            let stroke = PoseStroke { target, ..stroke };
            let grip = Grip::Knot(knot);
            Pressed::Held(Held { number, stroke, grip, is_new: true })
        }
        None => Pressed::Nothing,
    }
}
