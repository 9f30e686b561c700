//! What a whole frame shares, ready for the shaders: camera, lights, shadow maps' places,
//! background.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use sinew::mesh::Aabb;
use sinew_view::camera::{Camera, Size};
use sinew_view::look::Look;
use sinew_view::scene::{Ground, MARK_NEARER, Scene};

use super::resources::{buffer_type, entry, texture_type};
use crate::Gpu;

/// The twin of `Frame` in frame.wgsl, which says what each fourth component is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct FrameUniform {
    clip_from_model: Mat4,
    key_from_model: Mat4,
    sky_from_model: Mat4,
    eye: Vec4,
    ray_middle: Vec4,
    ray_right: Vec4,
    ray_up: Vec4,
    key_toward: Vec4,
    key_color: Vec4,
    fill_toward: Vec4,
    fill_color: Vec4,
    sky: Vec4,
    floor: Vec4,
    rim: Vec4,
    clay: Vec4,
    background_top: Vec4,
    background_bottom: Vec4,
    ground: Vec4,
}

/// What of a scene is not its surfaces' or its marks'.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub camera: Camera,
    pub look: Look,
    pub ground: Option<Ground>,
    pub front_opacity: f32,
}

impl Setting {
    pub(crate) fn of(scene: &Scene) -> Self {
        Self {
            camera: scene.camera,
            look: scene.look,
            ground: scene.ground,
            front_opacity: scene.overlay.front_opacity.clamp(0.0, 1.0),
        }
    }

    /// What brings marks among the surfaces nearer, in clip space.
    pub(crate) fn mark_nearer_in_clip(&self) -> f32 {
        let (near, far) = self.camera.depth_range;
        near * far / (far - near) * MARK_NEARER / (1.0 - MARK_NEARER)
    }
}

/// The sphere that the shadow maps look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    center: Vec3,
    radius: f32,
    bounds: Aabb,
}

impl Sphere {
    /// Around a box; of radius 1 around nothing.
    pub(crate) fn around(bounds: &Aabb) -> Self {
        let radius = 0.5 * bounds.diagonal();
        match radius.is_finite() && radius > 0.0 {
            true => Self { center: bounds.center(), radius, bounds: *bounds },
            false => Self { center: Vec3::ZERO, radius: 1.0, bounds: Aabb::EMPTY },
        }
    }

    /// The part of a map that the box covers: least and largest x and y in −1..1. `None` if there
    /// is nothing in it.
    pub(crate) fn extent_in_map(&self, map_from_model: &Mat4) -> Option<[Vec2; 2]> {
        if self.bounds.is_empty() {
            return None;
        }
        let ends = [self.bounds.min, self.bounds.max];
        let corner = |index: usize| {
            let pick = |axis: usize| ends[(index >> axis) & 1][axis];
            map_from_model.transform_point3(Vec3::new(pick(0), pick(1), pick(2))).truncate()
        };
        let (first, rest) = (corner(0), (1..8).map(corner));
        Some(rest.fold([first, first], |[least, most], at| [least.min(at), most.max(at)]))
    }

    /// Into the map of a light from that side: the sphere fills x and y in −1..1, and z grows from
    /// 0 away from the light.
    pub(crate) fn map_from_model(&self, toward: Vec3) -> Mat4 {
        let toward = toward.normalize_or(Vec3::Y);
        let map_from_model = Mat4::from_quat(Quat::from_rotation_arc(toward, Vec3::Z));
        let fit = Mat4::from_scale_rotation_translation(
            Vec3::new(1.0, 1.0, -0.5) / self.radius,
            Quat::IDENTITY,
            Vec3::new(0.0, 0.0, 0.5),
        );
        fit * map_from_model * Mat4::from_translation(-self.center)
    }
}

/// Group 0 of every pass that needs a frame: itself, and both shadow maps.
pub(crate) fn layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let map = texture_type(wgpu::TextureSampleType::Float { filterable: false });
    gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("frame"),
        entries: &[
            entry(
                0,
                wgpu::ShaderStages::VERTEX_FRAGMENT | wgpu::ShaderStages::COMPUTE,
                buffer_type(wgpu::BufferBindingType::Uniform),
            ),
            entry(1, wgpu::ShaderStages::FRAGMENT, map),
            entry(2, wgpu::ShaderStages::FRAGMENT, map),
        ],
    })
}

/// From the lights' upright view space into the model's: they walk with the camera, the horizon
/// stays level.
pub(crate) fn model_from_upright(camera: &Camera) -> Quat {
    Quat::from_rotation_y(camera.yaw_radians)
}

impl FrameUniform {
    /// Of a picture of that size.
    pub(crate) fn of(setting: &Setting, sphere: &Sphere, size: Size) -> Self {
        let Setting { camera, look, ground, front_opacity } = setting;
        let model_from_view = camera.view_from_model_rotation().inverse();
        let slope = (0.5 * camera.field_of_view_radians).tan();
        let upright = model_from_upright(camera);
        let key_toward = upright * look.key.toward.normalize_or(Vec3::Y);
        let fill_toward = upright * look.fill.toward.normalize_or(Vec3::Y);
        let darkness = if ground.is_some() { look.ground_shadow } else { 0.0 };
        Self {
            clip_from_model: camera.clip_from_model(size.aspect()),
            key_from_model: sphere.map_from_model(key_toward),
            sky_from_model: sphere.map_from_model(Vec3::Y),
            eye: camera.eye().extend(size.width as f32),
            ray_middle: (model_from_view * Vec3::NEG_Z).extend(size.height as f32),
            ray_right: (model_from_view * (slope * size.aspect() * Vec3::X))
                .extend(look.key_shadow.reach.recip()),
            ray_up: (model_from_view * (slope * Vec3::Y)).extend(look.sky_shadow.reach.recip()),
            key_toward: key_toward.extend(look.wrap),
            key_color: look.key.color.extend(look.specular),
            fill_toward: fill_toward.extend(look.shininess),
            fill_color: look.fill.color.extend(look.occlusion),
            sky: look.sky.extend(look.bleed),
            floor: look.floor.extend(look.backface),
            rim: look.rim.extend(look.exposure),
            clay: look.clay.extend(look.white),
            background_top: look.background_top.extend(darkness),
            background_bottom: look.background_bottom.extend(*front_opacity),
            ground: ground.map_or(Vec4::ZERO, |g| Vec4::new(g.y, g.center.x, g.center.y, g.radius)),
        }
    }

    /// Into the key light's map and into the map from above.
    pub(crate) fn maps_from_model(&self) -> [Mat4; 2] {
        [self.key_from_model, self.sky_from_model]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_to_the_light_has_depth_zero_and_the_sphere_fills_the_map() {
        let bounds = Aabb { min: Vec3::new(-1.0, 0.0, 2.0), max: Vec3::new(3.0, 5.0, 4.0) };
        let sphere = Sphere::around(&bounds);
        let toward = Vec3::new(0.3, 0.9, -0.4).normalize();
        let map = sphere.map_from_model(toward);
        let nearest = map.transform_point3(sphere.center + sphere.radius * toward);
        let farthest = map.transform_point3(sphere.center - sphere.radius * toward);
        assert!(nearest.abs_diff_eq(Vec3::ZERO, 1e-5), "{nearest}");
        assert!(farthest.abs_diff_eq(Vec3::Z, 1e-5), "{farthest}");
        // The box is inside of the sphere, so that it is inside of the map.
        let [least, most] = sphere.extent_in_map(&map).unwrap();
        assert!(least.min_element() >= -1.0 && most.max_element() <= 1.0, "{least} {most}");
        assert!(most.x - least.x > 0.5 && most.y - least.y > 0.5, "{least} {most}");
        let aside = toward.any_orthonormal_vector();
        let edge = map.transform_point3(sphere.center + sphere.radius * aside);
        assert!((edge.truncate().length() - 1.0).abs() < 1e-5, "{edge}");
    }
}
