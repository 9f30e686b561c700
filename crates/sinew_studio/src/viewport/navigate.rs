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

/// A character is met from between its front and its side, and from a little above.
const MET_YAW: f32 = 0.5;
const MET_PITCH: f32 = 0.15;
/// A view whose shape has changed by less is the same.
const SAME_ASPECT: f32 = 0.01;

/// Where the user looks from.
#[derive(Clone, Debug)]
pub(crate) struct Navigator {
    camera: Camera,
    /// The yaw that looks at the character's face.
    front_yaw: f32,
    /// What was brought into view, and for which shape of view; nothing once the user has moved.
    framed: Option<(Vec<Vec3>, f32)>,
    pub(crate) is_orthographic: bool,
    /// Half the diagonal of the character: how far the camera may go.
    radius: f32,
}

impl Navigator {
    pub(crate) fn around(bounds: &Aabb, front_yaw: f32, aspect: f32) -> Self {
        let mut navigator = Self {
            camera: Camera::around(bounds, front_yaw + MET_YAW, MET_PITCH, aspect),
            front_yaw,
            framed: None,
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
        self.framed = None;
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
        self.framed = None;
        self.dolly(-DOLLY_A_NOTCH * points);
        self.clamp();
    }

    fn dolly(&mut self, log_times: f32) {
        self.camera.distance *= log_times.clamp(-2.0, 2.0).exp();
    }

    /// From a side of the character, counted from its front; the target stays.
    pub(crate) fn look(&mut self, yaw_radians: f32, pitch_radians: f32) {
        self.camera.yaw_radians = self.front_yaw + yaw_radians;
        self.camera.pitch_radians = pitch_radians;
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
        self.camera = Camera::fitting(points.iter().copied(), yaw_radians, pitch_radians, aspect);
        self.framed = Some((points, aspect));
        self.clamp();
    }

    /// Keeps whole what was brought into view when the view gets another shape: one of four is not
    /// as wide as one alone.
    pub(crate) fn fit_into(&mut self, aspect: f32) {
        let is_same = |known: f32| (known - aspect).abs() <= SAME_ASPECT * aspect;
        if self.framed.as_ref().is_some_and(|(_, known)| !is_same(*known))
            && let Some((points, _)) = self.framed.take()
        {
            self.frame(points, aspect);
        }
    }

    /// A new character, seen from its front.
    pub(crate) fn meet(&mut self, bounds: &Aabb, front_yaw: f32, aspect: f32) {
        self.know(bounds);
        self.front_yaw = front_yaw;
        self.framed = None;
        self.camera = Camera::around(bounds, front_yaw + MET_YAW, MET_PITCH, aspect);
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
        let bounds = Aabb::around([Vec3::ZERO, Vec3::new(1.0, 2.0, 0.5)]);
        Navigator::around(&bounds, 0.0, SIZE.aspect())
    }

    #[test]
    fn what_was_framed_stays_whole_in_a_narrower_view_until_the_user_moves() {
        let mut navigator = navigator();
        let points = [Vec3::ZERO, Vec3::new(1.0, 2.0, 0.5), Vec3::new(-1.0, 1.0, 0.0)];
        navigator.frame(points, SIZE.aspect());
        let is_whole = |navigator: &Navigator, aspect: f32| {
            let clip = navigator.camera().clip_from_model(aspect);
            points.iter().all(|&p| clip.project_point3(p).truncate().abs().max_element() < 1.0)
        };
        assert!(is_whole(&navigator, SIZE.aspect()) && !is_whole(&navigator, 0.3));
        navigator.fit_into(0.3);
        assert!(is_whole(&navigator, 0.3));
        navigator.wheel(10.0);
        let moved = navigator.camera();
        navigator.fit_into(1.3);
        assert_eq!(navigator.camera(), moved);
    }

    #[test]
    fn sides_are_counted_from_the_characters_front() {
        let mut navigator = navigator();
        navigator.meet(&Aabb::around([Vec3::ZERO, Vec3::ONE]), 1.0, 1.0);
        navigator.look(0.0, 0.0);
        assert!((navigator.camera().yaw_radians - 1.0).abs() < 1e-6);
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
