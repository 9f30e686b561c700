//! The rings of the rotation gizmo: where they are, which one is under the pointer, and by how much
//! a drag turns.

use std::f32::consts::TAU;

use glam::{Mat2, Vec2, Vec3};
use sinew::skeleton::nearest_turn;
use sinew_view::scene::{Line, Marks};

use crate::view::{View, distance_to_segment};

/// The gizmo is as large on the screen whatever the camera does. Times [`View::gizmo_scale`], as
/// all lengths in pixels here.
const RADIUS_PX: f32 = 78.0;
/// A click this near to a ring means it.
const REACH_PX: f32 = 9.0;
const NUM_SEGMENTS: usize = 64;
/// How far behind the joint, over the radius, a ring can still be taken hold of: one that faces the
/// viewer is tilted a little by perspective, and all of it is in sight.
const BEHIND: f32 = 0.35;
/// A ring that is seen flatter than this (cosine of its axis to the view) is pulled along its edge;
/// others are turned around their middle.
const MIN_FACING: f32 = 0.3;
/// A pointer nearer to the middle than this is in no direction from it.
const MIN_ARM_PX: f32 = 3.0;

/// A circle about an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) center: Vec3,
    /// Its axis, of unit length.
    pub(super) axis: Vec3,
    pub(super) radius: f32,
}

/// A drag that began on a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    kind: TurningKind,
    from: Vec2,
    /// Unwrapped: a ring can be turned round and round. Where the pointer is and how often it went
    /// round say it, not the way that it took: back where it began it is zero.
    pub(super) radians: f64,
}

#[derive(Clone, Copy, Debug)]
enum TurningKind {
    /// Angles about a pixel, in the ring's plane: what was taken hold of stays under the pointer,
    /// however flat the ring is seen.
    Around { center: Vec2, plane_from_px: Mat2, sign: f32 },
    /// So many radians a pixel along a direction.
    Along { per_px: Vec2 },
}

impl Ring {
    pub(super) fn new(center: Vec3, axis: Vec3, view: &View) -> Self {
        let radius_px = RADIUS_PX * view.gizmo_scale();
        let radius = radius_px / view.pixels_per_metre(center).max(f32::EPSILON);
        Self { center, axis: axis.normalize_or(Vec3::Y), radius }
    }

    pub(super) fn point(&self, radians: f32) -> Vec3 {
        let (u, v) = self.axis.any_orthonormal_pair();
        self.center + self.radius * (radians.cos() * u + radians.sin() * v)
    }

    fn points(&self) -> impl Iterator<Item = Vec3> + use<> {
        let ring = *self;
        (0..=NUM_SEGMENTS).map(move |step| ring.point(TAU * step as f32 / NUM_SEGMENTS as f32))
    }

    /// How far a pixel is from the ring's nearer part; what is well behind the joint cannot be
    /// taken hold of.
    pub(super) fn distance_px(&self, at: Vec2, view: &View) -> Option<f32> {
        let to_eye = view.camera.eye() - self.center;
        let points: Vec<Vec3> = self.points().collect();
        let is_near =
            |p: Vec3| (p - self.center).dot(to_eye) >= -BEHIND * self.radius * to_eye.length();
        points
            .windows(2)
            .filter(|pair| is_near(pair[0]) && is_near(pair[1]))
            .filter_map(|pair| Some([view.project(pair[0])?, view.project(pair[1])?]))
            .map(|seen| distance_to_segment(at, seen))
            .min_by(f32::total_cmp)
            .filter(|&distance| distance <= REACH_PX * view.gizmo_scale())
    }

    pub(super) fn begin(&self, at: Vec2, view: &View) -> Option<Turning> {
        let center = view.project(self.center)?;
        let to_eye = (view.camera.eye() - self.center).normalize_or(Vec3::Z);
        let facing = self.axis.dot(to_eye);
        let kind = if facing.abs() >= MIN_FACING {
            let across = self.axis.any_orthonormal_vector();
            let px_per_radius = |direction: Vec3| {
                let ends =
                    [-1.0, 1.0].map(|s| view.project(self.center + s * self.radius * direction));
                Some(0.5 * (ends[1]? - ends[0]?))
            };
            let [u, v] = [px_per_radius(across)?, px_per_radius(self.axis.cross(across))?];
            let plane_from_px = Mat2::from_cols(u, v).inverse();
            TurningKind::Around { center, plane_from_px, sign: 1.0 }
        } else {
            // Seen from its side, its near and its far half lie over each other: the near one is
            // meant.
            let nearest = self.radius * to_eye.reject_from(self.axis).normalize_or(Vec3::Z);
            let tangent = 0.1 * self.axis.cross(nearest);
            let ends = [self.center + nearest - tangent, self.center + nearest + tangent];
            let direction = (view.project(ends[1])? - view.project(ends[0])?).normalize_or(Vec2::X);
            TurningKind::Along { per_px: direction / (RADIUS_PX * view.gizmo_scale()) }
        };
        Some(Turning { kind, from: at, radians: 0.0 })
    }

    pub(super) fn marks(&self, color: [f32; 4], width_px: f32) -> Marks {
        let points: Vec<Vec3> = self.points().collect();
        let mut marks = Marks::default();
        let lines = points.windows(2);
        marks.lines.extend(lines.map(|pair| Line { ends: [pair[0], pair[1]], color, width_px }));
        marks
    }
}

impl Turning {
    pub(super) fn move_to(&mut self, at: Vec2) {
        let radians = match self.kind {
            TurningKind::Around { center, .. } if self.from.distance(center) < MIN_ARM_PX => {
                // No direction yet to count from.
                self.from = at;
                return;
            }
            TurningKind::Around { center, plane_from_px, sign } => {
                let [from, to] = [self.from, at].map(|px| plane_from_px * (px - center));
                nearest_turn(f64::from(sign * from.angle_to(to)), self.radians)
            }
            TurningKind::Along { per_px } => f64::from((at - self.from).dot(per_px)),
        };
        if radians.is_finite() {
            self.radians = radians;
        }
    }

    /// A drag about the line of sight, now about an axis that faces the eye or turns its back on
    /// it.
    pub(super) fn face(&mut self, faces_eye: bool) {
        if let TurningKind::Around { sign, .. } = &mut self.kind {
            let wanted = if faces_eye { 1.0 } else { -1.0 };
            self.radians *= f64::from(wanted * *sign);
            *sign = wanted;
        }
    }
}
