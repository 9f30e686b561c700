//! The gizmo of a plane that is placed by hand: its middle moves it, two rings turn it.

use glam::{DVec3, Vec2, Vec3};
use sinew_view::scene::{Disc, Line, Marks};

use super::super::gizmo::{Ring, Turning};
use super::super::{Act, Context};
use super::screen::own_plane;
use super::{Facing, OwnPlane};

/// A click this near to the middle takes it. Times [`crate::View::gizmo_scale`], as all lengths in
/// pixels here.
const REACH_PX: f32 = 10.0;
const MIDDLE_PX: f32 = 6.5;
const EDGE_PX: f32 = 1.6;
const RING_PX: f32 = 2.0;
const HELD_PX: f32 = 3.6;
/// Half of the square's side, over the rings' radius.
const HALF_SIDE: f32 = 0.62;

const EDGE_COLOR: [f32; 4] = [0.03, 0.22, 0.9, 0.7];
const MIDDLE_COLOR: [f32; 4] = [1.0, 1.0, 1.0, 1.0];
const HELD_COLOR: [f32; 4] = [1.0, 0.62, 0.08, 1.0];
/// About the axis that goes across, and about the one that goes up.
const RING_COLORS: [[f32; 4]; 2] = [[0.93, 0.27, 0.3, 0.9], [0.42, 0.8, 0.25, 0.9]];

/// What of it is taken hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grip {
    Middle,
    /// The ring about one of its own axes.
    Ring(usize),
}

/// The plane in the hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dragged {
    grip: Grip,
    start: OwnPlane,
    from: Vec2,
    /// About which axis, and how far.
    turning: Option<(DVec3, Turning)>,
}

/// Across and up on the plane.
fn axes(plane: &OwnPlane) -> [DVec3; 2] {
    let across = DVec3::Y.cross(plane.normal).try_normalize().unwrap_or(DVec3::X);
    [across, plane.normal.cross(across)]
}

fn ring(plane: &OwnPlane, axis: usize, context: &Context<'_>) -> Ring {
    Ring::new(plane.through.as_vec3(), axes(plane)[axis].as_vec3(), &context.view)
}

/// The plane, if it has a gizmo now.
fn shown(context: &Context<'_>) -> Option<OwnPlane> {
    (context.sketch.facing == Facing::Own).then(|| own_plane(context))
}

/// What of the gizmo is under a pixel.
pub(super) fn grip_at(at: Vec2, context: &Context<'_>) -> Option<Grip> {
    let plane = shown(context)?;
    let middle = context.view.project(plane.through.as_vec3())?;
    if middle.distance(at) <= REACH_PX * context.view.gizmo_scale() {
        return Some(Grip::Middle);
    }
    (0..2)
        .filter_map(|axis| {
            Some((axis, ring(&plane, axis, context).distance_px(at, &context.view)?))
        })
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(axis, _)| Grip::Ring(axis))
}

impl Dragged {
    pub(super) fn begin(at: Vec2, context: &Context<'_>) -> Option<Self> {
        let (grip, start) = (grip_at(at, context)?, shown(context)?);
        let turning = match grip {
            Grip::Middle => None,
            Grip::Ring(axis) => {
                let turning = ring(&start, axis, context).begin(at, &context.view)?;
                Some((axes(&start)[axis], turning))
            }
        };
        Some(Self { grip, start, from: at, turning })
    }

    pub(super) fn drag(&mut self, at: Vec2, context: &Context<'_>) -> Act {
        let mut plane = self.start;
        match &mut self.turning {
            None => {
                let deep = plane.through.as_vec3();
                let on = |pixel: Vec2| context.view.on_facing_plane(pixel, deep).as_dvec3();
                plane.through += on(at) - on(self.from);
            }
            Some((axis, turning)) => {
                turning.move_to(at);
                let turn = glam::DQuat::from_axis_angle(*axis, turning.radians);
                plane.normal = (turn * plane.normal).normalize_or(self.start.normal);
            }
        }
        Act::PlacePlane(if plane.through.is_finite() { plane } else { self.start })
    }

    /// As it was.
    pub(super) fn given_up(&self) -> Act {
        Act::PlacePlane(self.start)
    }
}

pub(super) fn marks(held: Option<&Dragged>, pointer: Option<Vec2>, context: &Context<'_>) -> Marks {
    let mut marks = Marks::default();
    let Some(plane) = shown(context) else { return marks };
    let scale = context.view.gizmo_scale();
    let hovered = pointer.and_then(|at| grip_at(at, context));
    let strong = held.map(|held| held.grip).or(hovered);
    let center = plane.through.as_vec3();
    let half = HALF_SIDE * ring(&plane, 0, context).radius;
    let [across, up] = axes(&plane).map(|axis| half * axis.as_vec3());
    let corners: [Vec3; 5] = [
        center - across - up,
        center + across - up,
        center + across + up,
        center - across + up,
        center - across - up,
    ];
    let edge = |pair: &[Vec3]| Line {
        ends: [pair[0], pair[1]],
        color: EDGE_COLOR,
        width_px: EDGE_PX * scale,
    };
    marks.lines.extend(corners.windows(2).map(edge));
    for (axis, color) in RING_COLORS.into_iter().enumerate() {
        let width_px = if strong == Some(Grip::Ring(axis)) { HELD_PX } else { RING_PX };
        marks.append(ring(&plane, axis, context).marks(color, width_px * scale));
    }
    let is_strong = strong == Some(Grip::Middle);
    let disc = |color, radius_px: f32| Disc { center, color, radius_px: radius_px * scale };
    marks.discs.push(disc(EDGE_COLOR, MIDDLE_PX + 1.5));
    marks.discs.push(disc(if is_strong { HELD_COLOR } else { MIDDLE_COLOR }, MIDDLE_PX));
    marks
}
