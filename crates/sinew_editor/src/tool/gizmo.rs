//! The rings of the rotation gizmo: where they are, which one is under the pointer, and by how much a drag turns.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};
use sinew_view::scene::{Line, Marks};

use crate::view::{View, distance_to_segment};

/// The gizmo is as large on the screen whatever the camera does.
const RADIUS_PX: f32 = 78.0;
/// A click this near to a ring means it.
const REACH_PX: f32 = 9.0;
const NUM_SEGMENTS: usize = 64;
/// How far behind the joint, over the radius, a ring can still be taken hold of: one that faces the viewer is tilted a little by
/// perspective, and all of it is in sight.
const BEHIND: f32 = 0.35;
/// A ring that is seen flatter than this (cosine of its axis to the view) is pulled along its edge; others are turned around their
/// middle.
const MIN_FACING: f32 = 0.3;

/// A circle about an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) center: Vec3,
    /// Unit.
    pub(super) axis: Vec3,
    pub(super) radius: f32,
}

/// A drag that began on a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    kind: TurningKind,
    last: Vec2,
    /// Unwrapped: a ring can be turned round and round.
    pub(super) radians: f64,
}

#[derive(Clone, Copy, Debug)]
enum TurningKind {
    /// Angles about a pixel, counted clockwise or not.
    Around { center: Vec2, sign: f32 },
    /// So many radians a pixel along a direction.
    Along { per_px: Vec2 },
}

impl Ring {
    pub(super) fn new(center: Vec3, axis: Vec3, view: &View) -> Self {
        let radius = RADIUS_PX / view.pixels_per_metre(center).max(f32::EPSILON);
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

    /// How far a pixel is from the ring's nearer part; what is well behind the joint cannot be taken hold of.
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
            .filter(|&distance| distance <= REACH_PX)
    }

    pub(super) fn begin(&self, at: Vec2, view: &View) -> Option<Turning> {
        let center = view.project(self.center)?;
        let to_eye = (view.camera.eye() - self.center).normalize_or(Vec3::Z);
        let facing = self.axis.dot(to_eye);
        let kind = if facing.abs() >= MIN_FACING {
            // Pixels count downwards: seen from the axis' tip, a positive turn goes counter-clockwise on the screen.
            TurningKind::Around { center, sign: -facing.signum() }
        } else {
            let nearest = self.points().min_by(|a, b| {
                let distance = |p: &Vec3| view.project(*p).map_or(f32::MAX, |p| p.distance(at));
                distance(a).total_cmp(&distance(b))
            })?;
            let tangent = self.axis.cross(nearest - self.center).normalize_or(Vec3::X);
            let ahead = view.project(nearest + 0.1 * self.radius * tangent)?;
            let direction = (ahead - view.project(nearest)?).normalize_or(Vec2::X);
            TurningKind::Along { per_px: direction / RADIUS_PX }
        };
        Some(Turning { kind, last: at, radians: 0.0 })
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
        let turned = match self.kind {
            TurningKind::Around { center, sign } => {
                sign * (self.last - center).angle_to(at - center)
            }
            TurningKind::Along { per_px } => (at - self.last).dot(per_px),
        };
        if turned.is_finite() {
            self.radians += f64::from(turned);
        }
        self.last = at;
    }
}
