//! The gizmo of the chosen handles: arrows, rings or both ends of a scale, at their middle.

use glam::{DVec3, Vec2, Vec3};
use sinew_view::scene::{Disc, Line, Marks};

use super::super::Context;
use super::super::gizmo::Ring;
use super::drag::{Kind, Start, Way, turn_axis};
use super::work::CageGesture;
use crate::view::distance_to_segment;

/// Times [`crate::View::gizmo_scale`], as all lengths in pixels here.
const ARROW_PX: f32 = 72.0;
const NORMAL_PX: f32 = 52.0;
const ARROW_WIDTH_PX: f32 = 2.5;
const HELD_WIDTH_PX: f32 = 4.5;
const TIP_PX: f32 = 6.0;
const MIDDLE_PX: f32 = 6.5;
/// A click this near to a part of it means that.
const REACH_PX: f32 = 9.0;

const FREE_COLOR: [f32; 4] = [0.95, 0.95, 0.95, 1.0];
const NORMAL_COLOR: [f32; 4] = [1.0, 0.75, 0.1, 1.0];
const AXES: [(DVec3, [f32; 4]); 3] = [
    (DVec3::X, [0.93, 0.27, 0.3, 1.0]),
    (DVec3::Y, [0.42, 0.8, 0.25, 1.0]),
    (DVec3::Z, [0.25, 0.5, 0.98, 1.0]),
];

impl From<CageGesture> for Kind {
    fn from(gesture: CageGesture) -> Self {
        match gesture {
            CageGesture::Move => Self::Move,
            CageGesture::Turn => Self::Turn,
            CageGesture::Scale => Self::Scale,
        }
    }
}

/// Where it stands, and what it looks like.
pub(super) struct Gizmo {
    pub(super) kind: Kind,
    pub(super) center: Vec3,
    normal: Vec3,
}

impl Gizmo {
    pub(super) fn new(start: &Start, kind: Kind) -> Self {
        Self { kind, center: start.center.as_vec3(), normal: start.normal().as_vec3() }
    }

    /// The ways that it offers, with their colours; in the order in which a click is tried.
    fn ways(&self) -> Vec<(Way, [f32; 4])> {
        let axes = AXES.map(|(axis, color)| (Way::Along(axis), color));
        let mut ways = vec![(Way::Free, FREE_COLOR)];
        ways.extend(axes);
        if self.kind == Kind::Move {
            ways.push((Way::Normal, NORMAL_COLOR));
        }
        ways
    }

    pub(super) fn ring(&self, way: Way, context: &Context<'_>) -> Ring {
        Ring::new(self.center, turn_axis(way, self.center, context), &context.view)
    }

    pub(super) fn tip(&self, way: Way, context: &Context<'_>) -> Option<Vec3> {
        let (axis, length_px) = match way {
            Way::Free => return None,
            Way::Along(axis) => (axis.as_vec3(), ARROW_PX),
            Way::Normal => (self.normal, NORMAL_PX),
        };
        let length_px = length_px * context.view.gizmo_scale();
        let length = length_px / context.view.pixels_per_metre(self.center).max(f32::EPSILON);
        Some(self.center + length * axis)
    }

    /// What of it is under a pixel.
    pub(super) fn way_at(&self, at: Vec2, context: &Context<'_>) -> Option<Way> {
        let reach_px = REACH_PX * context.view.gizmo_scale();
        let middle = context.view.project(self.center)?;
        let distance = |way: Way| match self.kind {
            Kind::Turn => self.ring(way, context).distance_px(at, &context.view),
            Kind::Move | Kind::Scale => {
                let distance = match self.tip(way, context) {
                    None => middle.distance(at),
                    Some(tip) => distance_to_segment(at, [middle, context.view.project(tip)?]),
                };
                (distance <= reach_px).then_some(distance)
            }
        };
        if self.kind != Kind::Turn && middle.distance(at) <= reach_px {
            return Some(Way::Free);
        }
        self.ways()
            .into_iter()
            .filter_map(|(way, _)| Some((way, distance(way)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(way, _)| way)
    }

    /// All of it, or only what is held.
    pub(super) fn marks(
        &self,
        (held, hovered): (Option<Way>, Option<Way>),
        context: &Context<'_>,
    ) -> Marks {
        let (mut marks, scale) = (Marks::default(), context.view.gizmo_scale());
        for (way, color) in self.ways() {
            if held.is_some_and(|held| held != way) {
                continue;
            }
            let is_strong = held == Some(way) || hovered == Some(way);
            let width_px = scale * if is_strong { HELD_WIDTH_PX } else { ARROW_WIDTH_PX };
            let grown = if is_strong { 1.4 * scale } else { scale };
            if self.kind == Kind::Turn {
                marks.append(self.ring(way, context).marks(color, width_px));
                continue;
            }
            match self.tip(way, context) {
                None => {
                    let radius_px = grown * MIDDLE_PX;
                    marks.discs.push(Disc { center: self.center, color, radius_px });
                }
                Some(tip) => {
                    marks.lines.push(Line { ends: [self.center, tip], color, width_px });
                    let radius_px = grown * if self.kind == Kind::Scale { 1.3 } else { 1.0 };
                    let radius_px = radius_px * TIP_PX;
                    marks.discs.push(Disc { center: tip, color, radius_px });
                }
            }
        }
        marks
    }
}
