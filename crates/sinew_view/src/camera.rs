//! Where a picture is taken from.

use glam::camera::rh::proj::directx::perspective;
use glam::{Mat4, Quat, Vec2, Vec3};
use sinew::Character;
use sinew::facing::facing;
use sinew::mesh::Aabb;

/// Sharper than a lens for portraits, flatter than a phone's: a figure two metres tall keeps its
/// proportions.
const DEFAULT_FIELD_OF_VIEW_RADIANS: f32 = 28.0 * std::f32::consts::PI / 180.0;

/// Air around what is shown, over its size in the picture.
const MARGIN: f32 = 1.08;

/// Looks at a target from a distance; up is +Y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it turns around, in model space.
    pub target: Vec3,
    /// About +Y; 0 looks along −Z, at a character's face.
    pub yaw_radians: f32,
    /// Above the horizon.
    pub pitch_radians: f32,
    /// From the target.
    pub distance: f32,
    /// Of the picture's height.
    pub field_of_view_radians: f32,
    /// Nearest and farthest depth that is drawn.
    pub depth_range: (f32, f32),
}

/// The yaw that looks at a character's face, whichever way it is turned: every view is counted from
/// there.
pub fn front_yaw_radians(character: &Character) -> f32 {
    let forward = facing(character).forward;
    forward.x.atan2(forward.z)
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

impl Size {
    /// Width over height.
    pub fn aspect(self) -> f32 {
        self.width.max(1) as f32 / self.height.max(1) as f32
    }
}

impl Camera {
    /// Sees all of `bounds` from that side, in a picture of that aspect.
    pub fn around(bounds: &Aabb, yaw_radians: f32, pitch_radians: f32, aspect: f32) -> Self {
        let (center, radius) = match bounds.diagonal() {
            diagonal if diagonal > 0.0 && diagonal.is_finite() => (bounds.center(), 0.5 * diagonal),
            _ => (Vec3::ZERO, 1.0),
        };
        let mut camera = Self {
            target: center,
            yaw_radians,
            pitch_radians,
            distance: radius,
            field_of_view_radians: DEFAULT_FIELD_OF_VIEW_RADIANS,
            depth_range: (0.01 * radius, 100.0 * radius),
        };
        // The box seen from here, not the sphere around it: a standing figure fills the height.
        let into_view = camera.view_from_model_rotation();
        let slope = (0.5 * camera.field_of_view_radians).tan();
        let half = 0.5 * bounds.size();
        let distance_of_corner = |corner: u32| {
            let sign = |bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
            let corner = into_view * (half * Vec3::new(sign(1), sign(2), sign(4)));
            let across = (corner.x.abs() / aspect).max(corner.y.abs());
            corner.z + MARGIN * across / slope
        };
        let distance = (0..8).map(distance_of_corner).fold(0.0_f32, f32::max);
        camera.distance =
            if distance > 0.0 && distance.is_finite() { distance } else { 4.0 * radius };
        camera.depth_range = (0.02 * camera.distance, camera.distance + 20.0 * radius);
        camera
    }

    /// Sees all of `points` from that side, as large as fits, in the middle of a picture of that
    /// aspect.
    ///
    /// Exact and closed: in the camera's axes a point `q` is right of the left edge if
    /// `−q.x + s·q.z ≤ −e.x + s·e.z`, with `s` the slope of the edge and `e` the eye; the largest
    /// of each side, of opposite edges together, place the eye.
    pub fn fitting(
        points: impl IntoIterator<Item = Vec3>,
        yaw_radians: f32,
        pitch_radians: f32,
        aspect: f32,
    ) -> Self {
        let points: Vec<Vec3> = points.into_iter().filter(|p| p.is_finite()).collect();
        let bounds = Aabb::around(points.iter().copied());
        let mut camera = Self::around(&bounds, yaw_radians, pitch_radians, aspect);
        let into_view = camera.view_from_model_rotation();
        let slope_y = (0.5 * camera.field_of_view_radians).tan() / MARGIN;
        let slope_x = slope_y * aspect;
        let (mut low, mut high) = (Vec2::NEG_INFINITY, Vec2::NEG_INFINITY);
        for &point in &points {
            let q = into_view * (point - camera.target);
            let ahead = q.z * Vec2::new(slope_x, slope_y);
            low = low.max(ahead - q.truncate());
            high = high.max(ahead + q.truncate());
        }
        let reach = 0.5 * (low + high) / Vec2::new(slope_x, slope_y);
        let distance = reach.x.max(reach.y);
        let aside = 0.5 * (high - low);
        // A point, or points in a line towards the eye, fit at any distance.
        if distance > 0.0 && distance.is_finite() && aside.is_finite() && bounds.diagonal() > 0.0 {
            let radius = 0.5 * bounds.diagonal();
            camera.target += into_view.inverse() * aside.extend(0.0);
            camera.distance = distance.max(radius * 1e-3);
            camera.depth_range = (0.02 * camera.distance, camera.distance + 20.0 * radius);
        }
        camera
    }

    /// Sees all of `points` from every side at that pitch: a turntable changes the yaw and nothing
    /// else.
    pub fn turning(
        points: impl IntoIterator<Item = Vec3>,
        yaw_radians: f32,
        pitch_radians: f32,
        aspect: f32,
    ) -> Self {
        const SIDES: u32 = 24;
        let points: Vec<Vec3> = points.into_iter().filter(|p| p.is_finite()).collect();
        let axis = Aabb::around(points.iter().copied()).center();
        let from_side = |side: u32| {
            let turn = Quat::from_rotation_y(side as f32 * std::f32::consts::TAU / SIDES as f32);
            points.iter().map(move |&point| axis + turn * (point - axis))
        };
        let all = (0..SIDES).flat_map(from_side);
        let mut camera = Self::fitting(all, yaw_radians, pitch_radians, aspect);
        // What it turns around must lie on the axis: slide it there along the line of sight.
        let ahead = camera.view_from_model_rotation().inverse() * -Vec3::Z;
        let level = Vec2::new(ahead.x, ahead.z);
        let aside = Vec2::new(camera.target.x - axis.x, camera.target.z - axis.z);
        let slide = -aside.dot(level) / level.length_squared();
        if slide.is_finite() && camera.distance + slide > 0.0 {
            camera.target += slide * ahead;
            camera.distance += slide;
        }
        camera.target = Vec3::new(axis.x, camera.target.y, axis.z);
        camera
    }

    /// Where it stands, in model space.
    pub fn eye(&self) -> Vec3 {
        self.target + self.view_from_model_rotation().inverse() * (self.distance * Vec3::Z)
    }

    /// The rotation into view space: +X right, +Y up, −Z ahead.
    pub fn view_from_model_rotation(&self) -> Quat {
        Quat::from_rotation_x(self.pitch_radians) * Quat::from_rotation_y(-self.yaw_radians)
    }

    /// Into view space.
    pub fn view_from_model(&self) -> Mat4 {
        Mat4::from_translation(-self.distance * Vec3::Z)
            * Mat4::from_quat(self.view_from_model_rotation())
            * Mat4::from_translation(-self.target)
    }

    /// Into clip space; depth runs from 0 at the near plane to 1 at the far one.
    pub fn clip_from_model(&self, aspect: f32) -> Mat4 {
        let (near, far) = self.depth_range;
        perspective(self.field_of_view_radians, aspect, near, far) * self.view_from_model()
    }

    /// The direction, not of unit length, in which a place of the picture lies; `pixel` counts from
    /// the top left corner, so that the first pixel's middle is (.5, .5).
    pub fn ray(&self, pixel: Vec2, size: Size) -> Vec3 {
        let slope = (0.5 * self.field_of_view_radians).tan();
        let x = 2.0 * pixel.x / size.width.max(1) as f32 - 1.0;
        let y = 1.0 - 2.0 * pixel.y / size.height.max(1) as f32;
        let in_view = Vec3::new(x * slope * size.aspect(), y * slope, -1.0);
        self.view_from_model_rotation().inverse() * in_view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURE: [Vec3; 2] = [Vec3::new(-0.9, 0.0, -0.2), Vec3::new(0.9, 1.8, 0.3)];

    #[test]
    fn every_corner_of_the_bounds_is_in_the_picture_from_any_side() {
        let bounds = Aabb::around(FIGURE);
        for aspect in [0.4, 1.0, 2.5] {
            for step in 0..24 {
                let yaw = step as f32 * 0.3;
                let camera = Camera::around(&bounds, yaw, 0.4 - 0.1 * (step % 9) as f32, aspect);
                let clip_from_model = camera.clip_from_model(aspect);
                let mut most = 0.0_f32;
                for corner in 0..8 {
                    let pick = |bit: usize, axis: usize| FIGURE[(corner >> bit) & 1][axis];
                    let corner = Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2));
                    let seen = clip_from_model.project_point3(corner);
                    assert!((0.0..1.0).contains(&seen.z), "depth {}", seen.z);
                    most = most.max(seen.x.abs()).max(seen.y.abs());
                }
                assert!((0.85..=1.0).contains(&most), "reaches to {most} of the half picture");
            }
        }
    }

    #[test]
    fn a_ray_goes_through_what_is_projected_to_its_pixel() {
        let size = Size { width: 300, height: 200 };
        let camera = Camera::around(&Aabb::around(FIGURE), 0.7, 0.3, size.aspect());
        let point = Vec3::new(0.3, 1.2, 0.1);
        let seen = camera.clip_from_model(size.aspect()).project_point3(point);
        let pixel = Vec2::new(0.5 * (seen.x + 1.0) * 300.0, 0.5 * (1.0 - seen.y) * 200.0);
        let ray = camera.ray(pixel, size).normalize();
        assert!((point - camera.eye()).normalize().distance(ray) < 1e-5);
    }

    #[test]
    fn points_that_are_fitted_touch_the_margin_on_opposite_sides() {
        let points: Vec<Vec3> = (0..50)
            .map(|i| {
                let t = i as f32;
                Vec3::new(3.0 + (1.3 * t).sin(), 0.8 * (0.7 * t).cos(), (2.1 * t).sin())
            })
            .collect();
        for (yaw, pitch, aspect) in [(0.5, 0.15, 1.0), (-2.0, 0.6, 2.0), (1.0, -0.3, 0.5)] {
            let camera = Camera::fitting(points.iter().copied(), yaw, pitch, aspect);
            let seen = points.iter().map(|&p| camera.clip_from_model(aspect).project_point3(p));
            let seen = Aabb::around(seen);
            let margin = 1.0 / MARGIN;
            let touches = |axis: usize| {
                (seen.min[axis] + margin).abs() < 1e-3 && (seen.max[axis] - margin).abs() < 1e-3
            };
            assert!(touches(0) || touches(1), "{seen:?}");
            assert!(seen.min.x > -1.0 && seen.max.x < 1.0 && seen.min.y > -1.0 && seen.max.y < 1.0);
            assert!(seen.min.z > 0.0 && seen.max.z < 1.0);
        }
    }

    #[test]
    fn a_turntable_sees_everything_at_every_yaw() {
        let points = [FIGURE[0], FIGURE[1], Vec3::new(0.8, 1.7, -0.2), Vec3::new(2.0, 0.3, 0.1)];
        let mut camera = Camera::turning(points, 0.5, 0.35, 0.8);
        let mut most = 0.0_f32;
        for step in 0..100 {
            camera.yaw_radians = 0.1 * step as f32;
            for point in points {
                let seen = camera.clip_from_model(0.8).project_point3(point);
                most = most.max(seen.x.abs()).max(seen.y.abs());
            }
        }
        assert!((0.85..=1.0).contains(&most), "reaches to {most} of the half picture");
    }

    #[test]
    fn an_empty_character_has_a_camera_too() {
        let camera = Camera::around(&Aabb::around([]), 0.0, 0.0, 1.0);
        assert!(camera.clip_from_model(1.0).is_finite());
        assert_eq!(Camera::fitting([], 0.0, 0.0, 1.0), camera);
        assert!(Camera::fitting([Vec3::ONE], 0.0, 0.0, 1.0).clip_from_model(1.0).is_finite());
    }
}
