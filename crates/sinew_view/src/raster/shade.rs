//! Light and colour of what is seen, as [`look`](crate::look) says.

use glam::{Quat, Vec2, Vec3};

use super::shadow::Shadow;
use super::surfaces::{Place, Surfaces};
use crate::camera::Size;
use crate::color::linear_from_bytes;
use crate::look::{Light, ShadowMap};
use crate::scene::{Paint, Scene, Texture};

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
    /// For each surface with materials, one a triangle; `u32::MAX` for clay.
    materials: Vec<Vec<u32>>,
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
        let material_of_triangle = |surface: &crate::scene::Surface| {
            let shape = &surface.shape;
            if shape.materials.is_empty() {
                return Vec::new();
            }
            let mut of_triangle = vec![u32::MAX; shape.triangles.len()];
            for (index, (range, _)) in shape.materials.iter().enumerate() {
                let end = (range.end as usize).min(of_triangle.len());
                of_triangle[(range.start as usize).min(end)..end].fill(index as u32);
            }
            of_triangle
        };
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
            materials: scene.surfaces.iter().map(material_of_triangle).collect(),
        }
    }

    /// What a surface's paint is at a place of a triangle, linear; of a texture the mean over
    /// places spread around it.
    pub(super) fn albedo(
        &self,
        place: &Place<'_>,
        shares: Vec3,
        spread: impl ExactSizeIterator<Item = Vec3>,
    ) -> Vec3 {
        let surface = place.surface;
        match &surface.paint {
            Paint::Flat(color) => *color,
            Paint::Heat { values, ramp } => {
                let value_of = |point: u32| values.get(point as usize).copied().unwrap_or(0.0);
                ramp.at(Vec3::from_array(place.points.map(value_of)).dot(shares))
            }
            Paint::Material => {
                let of_triangle = &self.materials[place.surface_index as usize];
                let material = of_triangle
                    .get(place.triangle as usize)
                    .and_then(|&index| surface.shape.materials.get(index as usize));
                let Some((_, material)) = material else { return self.scene.look.clay };
                let Some(texture) = &material.texture else { return material.base_color };
                let uv_of =
                    |v: u32| surface.shape.uvs.get(v as usize).copied().unwrap_or(Vec2::ZERO);
                let [a, b, c] = place.vertices.map(uv_of);
                let at = |s: Vec3| sample(texture, s.x * a + s.y * b + s.z * c);
                let count = spread.len().max(1) as f32;
                material.base_color * spread.map(at).sum::<Vec3>() / count
            }
        }
    }

    /// What is seen of a place of a surface: linear light after tone mapping.
    pub(super) fn surface(
        &self,
        place: &Place<'_>,
        shares: Vec3,
        is_back: bool,
        albedo: Vec3,
    ) -> Vec3 {
        let look = &self.scene.look;
        let position = place.position(shares);
        let normal = place.normal(shares);
        let (n, albedo) =
            if is_back { (-normal, look.backface * albedo) } else { (normal, albedo) };
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

/// A texture's linear colour, straight between its four nearest pixels' middles; it repeats.
fn sample(texture: &Texture, uv: Vec2) -> Vec3 {
    let (width, height) = (texture.width as usize, texture.height as usize);
    if width == 0 || height == 0 || texture.rgba.len() < width * height || !uv.is_finite() {
        return Vec3::ONE;
    }
    let x = (uv.x - uv.x.floor()) * width as f32 - 0.5;
    let y = (uv.y - uv.y.floor()) * height as f32 - 0.5;
    let (left, top) = (x.floor(), y.floor());
    let wrapped = |at: f32, count: usize| (at as i64).rem_euclid(count as i64) as usize;
    let texel = |x: f32, y: f32| {
        let [r, g, b, _] = texture.rgba[wrapped(y, height) * width + wrapped(x, width)];
        linear_from_bytes([r, g, b])
    };
    let row = |y: f32| texel(left, y).lerp(texel(left + 1.0, y), x - left);
    row(top).lerp(row(top + 1.0), y - top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texture_repeats_and_is_exact_at_its_pixels_middles() {
        let texture =
            Texture { width: 2, height: 1, rgba: vec![[255, 0, 0, 255], [0, 0, 255, 255]] };
        for turn in [-3.0, 0.0, 5.0] {
            let red = sample(&texture, Vec2::new(0.25 + turn, 0.5 + turn));
            let blue = sample(&texture, Vec2::new(0.75 + turn, 0.5));
            assert!(red.distance(Vec3::X) < 1e-5, "{red}");
            assert!(blue.distance(Vec3::Z) < 1e-5, "{blue}");
        }
        let between = sample(&texture, Vec2::new(0.5, 0.5));
        assert!(between.distance(Vec3::new(0.5, 0.0, 0.5)) < 1e-5);
        let across_the_seam = sample(&texture, Vec2::new(1.0, 0.5));
        assert!(across_the_seam.distance(Vec3::new(0.5, 0.0, 0.5)) < 1e-5);
        assert_eq!(sample(&texture, Vec2::NAN), Vec3::ONE);
    }
}
