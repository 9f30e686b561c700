//! What is where on a triangle that a camera sees: shares of its corners at a place of the picture, right in perspective.
//!
//! With the corners' homogeneous pixels `P = (x·w, y·w, w)` as columns of a matrix, the shares at `(x, y)` are `P⁻¹ (x, y, 1)`,
//! scaled to the sum 1 (M. Olano and T. Greer, Triangle scan conversion using 2D homogeneous coordinates, 1997). Corners
//! behind the eye do no harm, so that a clipped triangle needs nothing of its own.

use glam::{DVec3, Vec3, Vec4};

use super::screen::Viewport;

/// A triangle in the plane of the picture.
pub(super) struct Plane {
    /// For each corner the line through the other two: its share is in proportion to `line · (x, y, 1)`.
    lines: [DVec3; 3],
    /// True if it is seen from behind.
    pub(super) is_back: bool,
}

impl Plane {
    pub(super) fn of(viewport: &Viewport, positions: [Vec3; 3]) -> Self {
        let clip = |p: Vec3| -> Vec4 { viewport.clip_from_model * p.extend(1.0) };
        let [a, b, c] = positions.map(|p| viewport.homogeneous_pixel(clip(p)));
        let lines = [b.cross(c), c.cross(a), a.cross(b)];
        Self { lines, is_back: lines[0].dot(a) > 0.0 }
    }

    /// Shares of the corners; none is negative, they add up to one.
    pub(super) fn shares(&self, x: f64, y: f64) -> Vec3 {
        let at = DVec3::new(x, y, 1.0);
        let values = DVec3::from_array(self.lines.map(|line| line.dot(at)));
        let shares = values / (values.x + values.y + values.z);
        // A sample may lie beside its triangle by the rounding of the corners to the grid.
        let shares = shares.max(DVec3::ZERO);
        let sum = shares.x + shares.y + shares.z;
        if sum > 0.0 && sum.is_finite() { (shares / sum).as_vec3() } else { Vec3::splat(1.0 / 3.0) }
    }

    /// Pixels to the nearest of the three edges.
    pub(super) fn edge_distance_px(&self, x: f64, y: f64) -> f32 {
        let at = DVec3::new(x, y, 1.0);
        let distance = |line: DVec3| line.dot(at).abs() / line.truncate().length();
        let [a, b, c] = self.lines.map(distance);
        a.min(b).min(c) as f32
    }
}
