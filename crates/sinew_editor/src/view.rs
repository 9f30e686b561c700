//! Between the picture and the model: where a point is seen, and what lies under a pixel.

use glam::{Vec2, Vec3};
use sinew_view::camera::{Camera, Size};

/// Tools are made for pictures of this height; in others they are as much larger or smaller, within
/// limits that leave them of use.
const TOOL_HEIGHT_PX: f32 = 700.0;
const TOOL_SCALES: [f32; 2] = [0.62, 2.2];

/// A line that is seen shorter than this share of its length goes no faster under the pointer.
const MOST_FORESHORTENED: f32 = 0.1;
/// Pulled towards its vanishing point, a place goes no farther than this many times as far away.
const MOST_FARTHER: f32 = 10.0;

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

    /// What a tool's lengths in pixels are multiplied with: its handles are as easy to see and to
    /// take hold of on a fine screen and in one of four small views as in a window of middle size.
    pub fn gizmo_scale(&self) -> f32 {
        (self.size.height as f32 / TOOL_HEIGHT_PX).clamp(TOOL_SCALES[0], TOOL_SCALES[1])
    }

    /// How far a place must go along a line for its picture to follow the pointer by so many
    /// pixels, as near as it comes; counted in lengths of `along`.
    ///
    /// In the picture `place + s·along` has gone `s·k / (w₀ + s·w₁)` from where it was, `w` being
    /// depths: solved for `s`.
    pub fn slide(&self, place: Vec3, along: Vec3, moved_px: Vec2) -> f32 {
        let clip_from_model = self.camera.clip_from_model(self.size.aspect());
        let (at, ahead) =
            (clip_from_model * place.extend(1.0), clip_from_model * along.extend(0.0));
        let half = 0.5 * Vec2::new(self.size.width as f32, -(self.size.height as f32));
        let k = half * (ahead.truncate().truncate() - at.truncate().truncate() * (ahead.w / at.w));
        let least = MOST_FORESHORTENED * self.pixels_per_metre(place) * along.length() * at.w;
        let length = k.length().max(least);
        if at.w <= 0.0 || length <= 0.0 {
            return 0.0;
        }
        let went = moved_px.dot(k.normalize_or_zero());
        went * at.w / (length - went * ahead.w).max(length / MOST_FARTHER)
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
    place.distance(a + share_along_segment(place, [a, b]) * (b - a))
}

/// Where on that line a place is nearest: from 0 at its start to 1 at its end.
pub(crate) fn share_along_segment(place: Vec2, [a, b]: [Vec2; 2]) -> f32 {
    let along = b - a;
    ((place - a).dot(along) / along.length_squared().max(f32::EPSILON)).clamp(0.0, 1.0)
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

    #[test]
    fn what_slides_along_a_line_stays_under_the_pointer() {
        let bounds = Aabb::around([Vec3::splat(-1.0), Vec3::splat(1.0)]);
        let size = Size { width: 640, height: 480 };
        let view = View { camera: Camera::around(&bounds, 0.6, 0.3, size.aspect()), size };
        let place = Vec3::new(0.3, -0.4, 0.5);
        for along in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.2, -0.1, 0.3)] {
            for wanted in [-0.9, -0.2, 0.0, 0.01, 0.7, 1.4] {
                let seen = [place, place + wanted * along].map(|p| view.project(p).unwrap());
                let found = view.slide(place, along, seen[1] - seen[0]);
                assert!((found - wanted).abs() < 1e-3, "{found} {wanted}");
            }
        }
        let ahead = view.direction(view.project(place).unwrap());
        for along in [ahead, -ahead, Vec3::ZERO] {
            for moved_px in [Vec2::new(1e4, 300.0), Vec2::new(-1e4, -300.0)] {
                let slid = view.slide(place, along, moved_px);
                // A metre is some 200 pixels here, and an axis towards the eye is held to a
                // shortest length in the picture.
                assert!(slid.is_finite() && slid.abs() < 1e4, "{slid}");
            }
        }
        // Past the vanishing point, and towards the eye without end: it stays before the camera.
        for moved_px in [-1e5, -1e3, 1e3, 1e5] {
            let slid = view.slide(place, Vec3::Z, moved_px * Vec2::new(1.0, 0.3));
            assert!(view.project(place + slid * Vec3::Z).is_some(), "{slid}");
        }
    }

    #[test]
    fn tools_grow_with_the_picture_within_limits() {
        let bounds = Aabb::around([Vec3::ZERO, Vec3::ONE]);
        let scale = |height| {
            let size = Size { width: 900, height };
            View { camera: Camera::around(&bounds, 0.0, 0.0, 1.0), size }.gizmo_scale()
        };
        let found = [0, 300, 700, 1400, 4000].map(scale);
        assert_eq!(found, [0.62, 0.62, 1.0, 2.0, 2.2]);
    }
}
