//! Between the picture and the model: where a point is seen, and what lies under a pixel.

use glam::{Vec2, Vec3};
use sinew_view::camera::{Camera, Size};

/// A camera and the picture that it fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where it is seen from.
    pub camera: Camera,
    /// In pixels.
    pub size: Size,
}

impl View {
    /// The pixel of a point, counted from the top left corner; `None` behind the camera.
    pub fn project(&self, point: Vec3) -> Option<Vec2> {
        let clip = self.camera.clip_from_model(self.size.aspect()) * point.extend(1.0);
        if clip.w <= 0.0 {
            return None;
        }
        let seen = Vec2::new(clip.x, clip.y) / clip.w;
        let size = Vec2::new(self.size.width as f32, self.size.height as f32);
        Some(Vec2::new(0.5 + 0.5 * seen.x, 0.5 - 0.5 * seen.y) * size)
    }

    /// The way that the camera looks through a pixel, of unit length.
    pub fn direction(&self, pixel: Vec2) -> Vec3 {
        self.camera.ray(pixel, self.size).normalize_or(Vec3::NEG_Z)
    }

    /// How large a metre at a place is in the picture.
    pub fn pixels_per_metre(&self, at: Vec3) -> f32 {
        let depth = -self.camera.view_from_model().transform_point3(at).z;
        let slope = (0.5 * self.camera.field_of_view_radians).tan();
        0.5 * self.size.height as f32 / (slope * depth.max(self.camera.depth_range.0))
    }

    /// The point under a pixel on the plane through `at` that faces the camera.
    pub fn on_facing_plane(&self, pixel: Vec2, at: Vec3) -> Vec3 {
        let ahead = self.camera.view_from_model_rotation().inverse() * Vec3::NEG_Z;
        let (eye, direction) = (self.camera.eye(), self.direction(pixel));
        eye + direction * ((at - eye).dot(ahead) / direction.dot(ahead).max(f32::EPSILON))
    }
}

/// The distance of a place to a line between two others, all in pixels.
pub(crate) fn distance_to_segment(place: Vec2, [a, b]: [Vec2; 2]) -> f32 {
    let along = b - a;
    let share = ((place - a).dot(along) / along.length_squared().max(f32::EPSILON)).clamp(0.0, 1.0);
    place.distance(a + share * along)
}

#[cfg(test)]
mod tests {
    use sinew::mesh::Aabb;

    use super::*;

    #[test]
    fn what_is_seen_at_a_pixel_lies_under_it() {
        let bounds = Aabb::around([Vec3::splat(-1.0), Vec3::splat(1.0)]);
        let size = Size { width: 640, height: 480 };
        let view = View { camera: Camera::around(&bounds, 0.6, 0.3, size.aspect()), size };
        for point in [Vec3::ZERO, Vec3::new(0.3, -0.4, 0.5), Vec3::new(-0.9, 0.8, -0.2)] {
            let pixel = view.project(point).unwrap();
            assert!(view.on_facing_plane(pixel, point).distance(point) < 1e-4);
            let aside = view.camera.view_from_model_rotation().inverse() * Vec3::X;
            let moved = view.project(point + 0.001 * aside).unwrap();
            let expected = 0.001 * view.pixels_per_metre(point);
            assert!((moved.distance(pixel) - expected).abs() < 0.02 * expected);
        }
    }
}
