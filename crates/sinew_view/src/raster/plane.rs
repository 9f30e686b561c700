//! What is where on a triangle that a camera sees: shares of its corners at a place of the picture,
//! right in perspective.
//!
//! With the corners' homogeneous pixels `P = (x·w, y·w, w)` as columns of a matrix, the shares at
//! `(x, y)` are `P⁻¹ (x, y, 1)`, scaled to the sum 1 (M. Olano and T. Greer, Triangle scan
//! conversion using 2D homogeneous coordinates, 1997). Corners behind the eye do no harm, so that a
//! clipped triangle needs nothing of its own.

use glam::{DVec3, Vec3, Vec4};

use super::screen::Viewport;

/// A triangle in the plane of the picture.
pub(super) struct Plane {
    /// For each corner the line through the other two: its share is in proportion to
    /// `line · (x, y, 1)`.
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

#[cfg(test)]
mod tests {
    use glam::camera::rh::proj::directx::perspective;

    use super::*;

    fn viewport() -> Viewport {
        Viewport { clip_from_model: perspective(1.0, 1.0, 0.1, 10.0), width: 100, height: 100 }
    }

    #[test]
    fn counter_clockwise_is_the_front() {
        let [a, b, c] =
            [Vec3::new(-0.1, 0.0, -1.0), Vec3::new(0.1, 0.0, -1.0), Vec3::new(0.0, 0.1, -1.0)];
        assert!(!Plane::of(&viewport(), [a, b, c]).is_back);
        assert!(Plane::of(&viewport(), [b, a, c]).is_back);
    }

    #[test]
    fn shares_are_those_of_the_place_in_space_even_with_a_corner_behind_the_eye() {
        let viewport = viewport();
        let corners =
            [Vec3::new(-1.0, -0.5, -5.0), Vec3::new(1.0, -0.5, -4.0), Vec3::new(0.0, -0.5, 3.0)];
        let shares = Vec3::new(0.5, 0.3, 0.2);
        let place = shares.x * corners[0] + shares.y * corners[1] + shares.z * corners[2];
        let seen = viewport.homogeneous_pixel(viewport.clip_from_model * place.extend(1.0));
        let found = Plane::of(&viewport, corners).shares(seen.x / seen.z, seen.y / seen.z);
        assert!(found.distance(shares) < 1e-5, "{found}");
    }

    #[test]
    fn distances_to_edges_are_in_pixels() {
        // An identity projection: the picture's half is one.
        let viewport = Viewport { clip_from_model: glam::Mat4::IDENTITY, width: 200, height: 100 };
        let plane =
            Plane::of(&viewport, [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.0, 0.8, 0.0)]);
        // The middle of the picture is the right angle's corner; 3 px to the right and 5 px up from
        // it.
        assert!((plane.edge_distance_px(103.0, 45.0) - 3.0).abs() < 1e-4);
    }
}
