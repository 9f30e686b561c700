//! Light and colour of what is seen, as [`look`](crate::look) says.

use glam::{Quat, Vec2, Vec3};

use super::shadow::Shadow;
use super::surfaces::{Place, Surfaces};
use super::texture;
use crate::camera::Size;
use crate::look::{Light, ShadowMap};
use crate::scene::{Material, Paint, Scene, Texture};

/// Everything about a scene's light that is found once a picture.
pub(super) struct Shader<'a> {
    scene: &'a Scene,
    size: Size,
    eye: Vec3,
    /// Rays are straight in the pixel: that through the picture's corner, and what a pixel to the
    /// right and one down add.
    first_ray: Vec3,
    ray_along_x: Vec3,
    ray_along_y: Vec3,
    key_toward: Vec3,
    fill_toward: Vec3,
    key: Shadow,
    sky: Shadow,
}

/// A place of a triangle that is shaded, and places spread around it over what is seen of the
/// triangle in a pixel.
pub(super) struct Spot<'a, 'b> {
    pub(super) place: &'b Place<'a>,
    /// `None` for clay, and under paint.
    pub(super) material: Option<&'a Material>,
    pub(super) shares: Vec3,
    pub(super) spread: &'b [Vec3],
    pub(super) is_back: bool,
}

impl<'a> Shader<'a> {
    pub(super) fn new(surfaces: &Surfaces<'a>, size: Size) -> Self {
        let scene = surfaces.scene;
        let look = &scene.look;
        let upright = Quat::from_rotation_y(scene.camera.yaw_radians);
        let toward = |light: &Light| (upright * light.toward).try_normalize().unwrap_or(Vec3::Y);
        let sphere = surfaces.sphere();
        let shadow =
            |toward: Vec3, map: ShadowMap| Shadow::new(surfaces, sphere, toward, map, look.bleed);
        let key_toward = toward(&look.key);
        let (key, sky) = rayon::join(
            || shadow(key_toward, look.key_shadow),
            || shadow(Vec3::Y, look.sky_shadow),
        );
        let ray = |x: f32, y: f32| {
            let (width, height) = (size.width as f32, size.height as f32);
            scene.camera.ray(Vec2::new(x * width, y * height), size)
        };
        let first_ray = ray(0.0, 0.0);
        Self {
            scene,
            size,
            first_ray,
            ray_along_x: (ray(1.0, 0.0) - first_ray) / size.width as f32,
            ray_along_y: (ray(0.0, 1.0) - first_ray) / size.height as f32,
            eye: scene.camera.eye(),
            key_toward,
            fill_toward: toward(&look.fill),
            key,
            sky,
        }
    }

    /// What is seen of a surface: linear light after tone mapping.
    pub(super) fn surface(&self, spot: &Spot<'_, '_>) -> Vec3 {
        let look = &self.scene.look;
        let position = spot.place.position(spot.shares);
        let normal = spot.normal();
        let albedo = spot.albedo(look.clay);
        let is_dark = spot.is_back && !spot.material.is_some_and(|m| m.is_two_sided);
        let albedo = if is_dark { look.backface * albedo } else { albedo };
        let n = if spot.is_back { -normal } else { normal };
        let v = (self.eye - position).normalize_or_zero();
        let (key_light, sky_light) = (self.key.light_at(position), self.sky.light_at(position));

        let wrap = |toward: Vec3| ((n.dot(toward) + look.wrap) / (1.0 + look.wrap)).max(0.0);
        let above = 0.5 + 0.5 * n.y;
        let ambient = look.floor.lerp(look.sky, above) * (1.0 - look.occlusion * (1.0 - sky_light));
        let key = look.key.color * (wrap(self.key_toward) * key_light);
        let fill = look.fill.color * wrap(self.fill_toward);
        let h = (self.key_toward + v).normalize_or_zero();
        let gloss =
            look.key.color * (look.specular * key_light * n.dot(h).max(0.0).powf(look.shininess));
        let rim = look.rim * ((1.0 - n.dot(v).max(0.0)).powi(4) * above);
        let c = look.exposure * (albedo * (ambient + key + fill) + gloss + rim);
        c * (Vec3::ONE + c / (look.white * look.white)) / (Vec3::ONE + c)
    }

    /// The background at a pixel, in the sRGB of the picture.
    pub(super) fn background_srgb(&self, x: usize, y: usize) -> Vec3 {
        let look = &self.scene.look;
        let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let height = 1.0 - pixel.y / self.size.height as f32;
        let srgb = look.background_bottom.lerp(look.background_top, height);
        srgb * self.ground_light(pixel)
    }

    /// What the shadow on the ground leaves of the background.
    fn ground_light(&self, pixel: Vec2) -> f32 {
        let Some(ground) = self.scene.ground else { return 1.0 };
        let ray = self.first_ray + pixel.x * self.ray_along_x + pixel.y * self.ray_along_y;
        let steps = (ground.y - self.eye.y) / ray.y;
        if !(ray.y < 0.0 && steps > 0.0 && steps.is_finite()) {
            return 1.0;
        }
        let at = self.eye + steps * ray;
        let from_middle = Vec2::new(at.x, at.z).distance_squared(ground.center);
        let fade = (1.0 - from_middle / (ground.radius * ground.radius)).max(0.0).powi(2);
        if fade == 0.0 {
            return 1.0;
        }
        let light = 0.5 * (self.sky.light_at(at) + self.key.light_at(at));
        1.0 - self.scene.look.ground_shadow * fade * (1.0 - light)
    }

    pub(super) fn eye(&self) -> Vec3 {
        self.eye
    }
}

impl Spot<'_, '_> {
    /// What a surface's paint is, linear; of a texture the mean over what is spread.
    fn albedo(&self, clay: Vec3) -> Vec3 {
        match &self.place.surface.paint {
            Paint::Flat(color) => *color,
            Paint::Heat { values, ramp } => {
                let value_of = |point: u32| values.get(point as usize).copied().unwrap_or(0.0);
                ramp.at(Vec3::from_array(self.place.points.map(value_of)).dot(self.shares))
            }
            Paint::Colors(colors) => {
                let of = |point: u32| colors.get(point as usize).copied().unwrap_or(Vec3::ZERO);
                let [a, b, c] = self.place.points.map(of);
                a * self.shares.x + b * self.shares.y + c * self.shares.z
            }
            Paint::Material => {
                let Some(material) = self.material else { return clay };
                let Some(image) = &material.texture else { return material.base_color };
                material.base_color * self.mean(image, texture::color)
            }
        }
    }

    /// How much of what is behind it it hides.
    pub(super) fn opacity(&self) -> f32 {
        let Some(material) = self.material else { return 1.0 };
        let Some(image) = &material.texture else { return material.opacity };
        material.opacity * self.mean(image, |image, uv| Vec3::splat(texture::opacity(image, uv))).x
    }

    /// The surface's own, or what a normal map makes of it; of unit length.
    ///
    /// The map's x runs as the first texture coordinate does, its y against the second: gradients
    /// of both over the triangle, square to the interpolated normal (C. Schüler, Normal mapping
    /// without precomputed tangents, 2006), so that no tangents are carried.
    fn normal(&self) -> Vec3 {
        let n = self.place.normal(self.shares);
        let Some((image, scale)) = self.material.and_then(|m| m.normal_map.as_ref()) else {
            return n;
        };
        let ([a, b, c], [ta, tb, tc]) = (self.place.positions(), self.place.uvs());
        let (first, second) = (n.cross(b - a), (c - a).cross(n));
        let (du, dv) = (Vec2::new(tb.x - ta.x, tc.x - ta.x), Vec2::new(tb.y - ta.y, tc.y - ta.y));
        let tangent = second * du.x + first * du.y;
        let bitangent = -(second * dv.x + first * dv.y);
        let longest = tangent.length_squared().max(bitangent.length_squared()).sqrt();
        if !(longest > 0.0 && longest.is_finite()) {
            return n;
        }
        let m = self.mean(image, texture::direction) * Vec3::new(*scale, *scale, 1.0);
        (m.x / longest * tangent + m.y / longest * bitangent + m.z * n).try_normalize().unwrap_or(n)
    }

    fn mean(&self, image: &Texture, look_up: impl Fn(&Texture, Vec2) -> Vec3) -> Vec3 {
        let [a, b, c] = self.place.uvs();
        let at = |s: &Vec3| look_up(image, s.x * a + s.y * b + s.z * c);
        self.spread.iter().map(at).sum::<Vec3>() / self.spread.len().max(1) as f32
    }
}
