//! The camera as the user moves it.

use std::f32::consts::{FRAC_PI_2, PI};

use sinew::glam::{Vec2, Vec3};
use sinew::mesh::Aabb;
use sinew_view::camera::{Camera, Size};

use crate::keymap::CameraDrag;

const RADIANS_A_PIXEL: f32 = 0.007;
/// How much nearer or farther a pixel of a drag, and a notch of the wheel, goes.
const DOLLY_A_PIXEL: f32 = 0.006;
const DOLLY_A_NOTCH: f32 = 0.0025;
/// Straight up and down would leave no way up.
const MOST_PITCH: f32 = FRAC_PI_2 - 0.001;
/// Orthographic is a lens this long: lines that are parallel meet at half a degree, which nobody
/// sees, and everything that knows perspective (pictures, picking, gizmos) needs no second case.
const ORTHOGRAPHIC_FIELD_OF_VIEW: f32 = 0.6 * PI / 180.0;

/// Where the user looks from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Navigator {
    camera: Camera,
    pub(crate) is_orthographic: bool,
    /// Half the diagonal of the character: how far the camera may go.
    radius: f32,
}

impl Navigator {
    pub(crate) fn around(bounds: &Aabb, aspect: f32) -> Self {
        let mut navigator = Self {
            camera: Camera::around(bounds, 0.5, 0.15, aspect),
            is_orthographic: false,
            radius: 1.0,
        };
        navigator.know(bounds);
        navigator.clamp();
        navigator
    }

    /// Another character: how far is far.
    fn know(&mut self, bounds: &Aabb) {
        let diagonal = bounds.diagonal();
        self.radius = if diagonal > 0.0 && diagonal.is_finite() { 0.5 * diagonal } else { 1.0 };
    }

    /// What pictures are taken with.
    pub(crate) fn camera(&self) -> Camera {
        if !self.is_orthographic {
            return self.camera;
        }
        let slope = |fov: f32| (0.5 * fov).tan();
        let times = slope(self.camera.field_of_view_radians) / slope(ORTHOGRAPHIC_FIELD_OF_VIEW);
        let distance = self.camera.distance * times;
        let reach = self.camera.distance + 20.0 * self.radius;
        Camera {
            distance,
            field_of_view_radians: ORTHOGRAPHIC_FIELD_OF_VIEW,
            depth_range: ((distance - reach).max(0.02 * distance), distance + reach),
            ..self.camera
        }
    }

    pub(crate) fn drag(&mut self, how: CameraDrag, delta_px: Vec2, size: Size) {
        match how {
            CameraDrag::Orbit => {
                self.camera.yaw_radians -= RADIANS_A_PIXEL * delta_px.x;
                self.camera.pitch_radians += RADIANS_A_PIXEL * delta_px.y;
            }
            CameraDrag::Pan => {
                let slope = (0.5 * self.camera.field_of_view_radians).tan();
                let metres_a_pixel = 2.0 * slope * self.camera.distance / size.height.max(1) as f32;
                let in_view = metres_a_pixel * Vec3::new(-delta_px.x, delta_px.y, 0.0);
                self.camera.target += self.camera.view_from_model_rotation().inverse() * in_view;
            }
            CameraDrag::Dolly => self.dolly(DOLLY_A_PIXEL * (delta_px.y - delta_px.x)),
        }
        self.clamp();
    }

    /// A turn of the wheel, in points.
    pub(crate) fn wheel(&mut self, points: f32) {
        self.dolly(-DOLLY_A_NOTCH * points);
        self.clamp();
    }

    fn dolly(&mut self, log_times: f32) {
        self.camera.distance *= log_times.clamp(-2.0, 2.0).exp();
    }

    /// From a side, the target staying.
    pub(crate) fn look(&mut self, yaw_radians: f32, pitch_radians: f32) {
        (self.camera.yaw_radians, self.camera.pitch_radians) = (yaw_radians, pitch_radians);
        self.clamp();
    }

    /// Brings points into view.
    pub(crate) fn frame(&mut self, points: impl IntoIterator<Item = Vec3>, aspect: f32) {
        let Camera { yaw_radians, pitch_radians, .. } = self.camera;
        let points: Vec<Vec3> = points.into_iter().collect();
        let bounds = Aabb::around(points.iter().copied());
        if bounds.is_empty() {
            return;
        }
        self.camera = Camera::fitting(points, yaw_radians, pitch_radians, aspect);
        self.clamp();
    }

    /// A new character, seen as the last one was.
    pub(crate) fn meet(&mut self, bounds: &Aabb, aspect: f32) {
        self.know(bounds);
        self.camera =
            Camera::around(bounds, self.camera.yaw_radians, self.camera.pitch_radians, aspect);
        self.clamp();
    }

    fn clamp(&mut self) {
        let camera = &mut self.camera;
        camera.pitch_radians = camera.pitch_radians.clamp(-MOST_PITCH, MOST_PITCH);
        camera.yaw_radians = camera.yaw_radians.rem_euclid(2.0 * PI);
        camera.distance = camera.distance.clamp(0.02 * self.radius, 60.0 * self.radius);
        camera.target =
            camera.target.clamp(Vec3::splat(-1e3 * self.radius), Vec3::splat(1e3 * self.radius));
        let near = (0.02 * camera.distance).max(1e-3 * self.radius);
        camera.depth_range = (near, camera.distance + 20.0 * self.radius);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 800, height: 600 };

    fn navigator() -> Navigator {
        Navigator::around(&Aabb::around([Vec3::ZERO, Vec3::new(1.0, 2.0, 0.5)]), SIZE.aspect())
    }

    #[test]
    fn orthographic_keeps_the_target_and_its_size_and_lines_parallel() {
        let mut navigator = navigator();
        let perspective = navigator.camera();
        navigator.is_orthographic = true;
        let camera = navigator.camera();
        let seen = |camera: &Camera, point: Vec3| {
            camera.clip_from_model(SIZE.aspect()).project_point3(point).truncate()
        };
        let aside = camera.target + 0.3 * (camera.view_from_model_rotation().inverse() * Vec3::X);
        assert!(seen(&camera, aside).distance(seen(&perspective, aside)) < 1e-3);
        let ahead = camera.view_from_model_rotation().inverse() * Vec3::NEG_Z;
        let drift = seen(&camera, aside + 0.5 * ahead).distance(seen(&camera, aside));
        assert!(drift < 0.01, "a line of sight ends within {drift} of the half picture");
    }

    #[test]
    fn whatever_the_mouse_does_the_camera_can_be_used() {
        let mut navigator = navigator();
        for step in 0..2000 {
            let how = [CameraDrag::Orbit, CameraDrag::Pan, CameraDrag::Dolly][step % 3];
            navigator.drag(how, Vec2::new(1e4, -3e3) * (step % 7) as f32, SIZE);
            navigator.wheel(if step % 2 == 0 { 1e6 } else { -1e3 });
            navigator.is_orthographic = step % 5 == 0;
            let clip = navigator.camera().clip_from_model(SIZE.aspect());
            assert!(clip.is_finite(), "{:?}", navigator.camera());
        }
    }
}
