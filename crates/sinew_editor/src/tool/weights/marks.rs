//! What the weight tools draw: hulls, goals, dashed lines, the brush's ring.

use glam::{DVec3, Vec3};
use sinew::weights::drag::Hull;
use sinew_view::scene::{Disc, Facet, Line, Marks};

use super::super::Context;
use super::hand::{AXES, ring as turning_ring};

const HULL_COLOR: [f32; 4] = [0.25, 0.75, 1.0, 1.0];
const FACE_COLOR: [f32; 4] = [0.25, 0.75, 1.0, 0.28];
const GOAL_COLOR: [f32; 4] = [1.0, 0.45, 0.2, 1.0];
const REACHED_COLOR: [f32; 4] = [1.0, 0.95, 0.35, 1.0];
const SIGHT_COLOR: [f32; 4] = [0.95, 0.95, 0.95, 1.0];
const BRUSH_COLOR: [f32; 4] = [1.0, 0.9, 0.5, 1.0];
/// Times [`crate::View::gizmo_scale`], as all lengths in pixels here.
const LINE_PX: f32 = 2.5;
const CORNER_PX: f32 = 4.0;
const POINT_PX: f32 = 6.0;
const DASH_PX: f32 = 7.0;
/// Sides of the brush's ring.
const NUM_SIDES: usize = 48;
/// Dashes of one line are no more, however far the goal.
const MOST_DASHES: usize = 60;

/// Where a point can come to.
pub(super) fn hull(hull: &Hull, context: &Context<'_>) -> Marks {
    let mut marks = Marks::default();
    let scale = context.view.gizmo_scale();
    let width_px = LINE_PX * scale;
    for ends in hull.edges() {
        let ends = ends.map(|end| end.as_vec3());
        marks.lines.push(Line { ends, color: HULL_COLOR, width_px });
    }
    for corners in hull.triangles() {
        let corners = corners.map(|corner| corner.as_vec3());
        marks.facets.push(Facet { corners, color: FACE_COLOR });
    }
    for corner in hull.corners() {
        let center = corner.as_vec3();
        marks.discs.push(Disc { center, color: HULL_COLOR, radius_px: CORNER_PX * scale });
    }
    marks
}

/// The goal, the point that is reached, and dashes between.
pub(super) fn goal(goal: DVec3, reached: DVec3, context: &Context<'_>) -> Marks {
    let mut marks = Marks::default();
    let scale = context.view.gizmo_scale();
    let (from, to) = (reached.as_vec3(), goal.as_vec3());
    let ends_px = [from, to].map(|place| context.view.project(place));
    let length_px = match ends_px {
        [Some(a), Some(b)] => a.distance(b),
        _ => 0.0,
    };
    let num_dashes = ((length_px / (2.0 * DASH_PX * scale)) as usize).clamp(1, MOST_DASHES);
    let at = |share: f32| from.lerp(to, share);
    for dash in 0..num_dashes {
        let start = dash as f32 / num_dashes as f32;
        let ends = [at(start), at(start + 0.5 / num_dashes as f32)];
        marks.lines.push(Line { ends, color: GOAL_COLOR, width_px: LINE_PX * scale });
    }
    let radius_px = POINT_PX * scale;
    marks.discs.push(Disc { center: to, color: GOAL_COLOR, radius_px });
    marks.discs.push(Disc { center: from, color: REACHED_COLOR, radius_px });
    marks
}

/// The brush on the skin.
pub(in crate::tool) fn ring(
    center: Vec3,
    normal: Vec3,
    radius: f32,
    context: &Context<'_>,
) -> Marks {
    let mut marks = Marks::default();
    let normal = normal.try_normalize().unwrap_or(Vec3::Y);
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    let at = |side: usize| {
        let angle = std::f32::consts::TAU * side as f32 / NUM_SIDES as f32;
        center + radius * (angle.cos() * x + angle.sin() * y)
    };
    let width_px = LINE_PX * context.view.gizmo_scale();
    for side in 0..NUM_SIDES {
        let ends = [at(side), at(side + 1)];
        marks.lines.push(Line { ends, color: BRUSH_COLOR, width_px });
    }
    marks
}

/// What chosen points are turned by: a ring an axis, and one about the line of sight.
pub(super) fn rings(center: DVec3, hovered: Option<Option<DVec3>>, context: &Context<'_>) -> Marks {
    let mut marks = Marks::default();
    let axes = AXES.iter().map(|&(_, axis, color)| (Some(axis), color));
    for (axis, color) in axes.chain([(None, SIGHT_COLOR)]) {
        let width_px = if hovered == Some(axis) { 1.8 * LINE_PX } else { LINE_PX };
        let width_px = width_px * context.view.gizmo_scale();
        marks.append(turning_ring(center, axis, context).marks(color, width_px));
    }
    marks
}
