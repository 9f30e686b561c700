//! Knots of a stroke in hand: dragged, put in and taken out.

use glam::Vec2;
use sinew::sketch::pose::PoseStroke;

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
    knot: usize,
    is_new: bool,
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
        if self.is_new { "Add a knot" } else { "Move a knot" }
    }

    pub(super) fn drag(&self, at: Vec2, context: &Context<'_>) -> Option<Act> {
        let place = under(&self.stroke.plane, at, context)?;
        let target = self.stroke.target.with_knot_at(self.knot, place).ok()?;
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

/// Takes a knot; with Control takes one out, or puts one in.
pub(super) fn press((number, at): (usize, Vec2), control: bool, context: &Context<'_>) -> Pressed {
    let Some(stroke) = in_hand(context).get(number).cloned() else { return Pressed::Nothing };
    let knot = knot_at((number, at), context);
    if !control {
        return match knot {
            Some(knot) => Pressed::Held(Held { number, stroke, knot, is_new: false }),
            None => Pressed::Nothing,
        };
    }
    if let Some(knot) = knot {
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
            Pressed::Held(Held { number, stroke, knot, is_new: true })
        }
        None => Pressed::Nothing,
    }
}
