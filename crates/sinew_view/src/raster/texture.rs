//! Looking up textures: straight between the four nearest pixels' middles; they repeat.

use glam::{Vec2, Vec3, Vec4};

use crate::color::linear_from_bytes;
use crate::scene::Texture;

/// A linear colour; white where there is none.
pub(super) fn color(texture: &Texture, uv: Vec2) -> Vec3 {
    let linear = |[r, g, b, _]: [u8; 4]| linear_from_bytes([r, g, b]).extend(1.0);
    look_up(texture, uv, linear).truncate()
}

/// From 0 to 1.
pub(super) fn opacity(texture: &Texture, uv: Vec2) -> f32 {
    look_up(texture, uv, |[.., a]| Vec4::splat(f32::from(a) / 255.0)).w
}

/// A normal map's direction, not of unit length.
pub(super) fn direction(texture: &Texture, uv: Vec2) -> Vec3 {
    let straight = |rgba: [u8; 4]| Vec4::from_array(rgba.map(|c| f32::from(c) / 127.5 - 1.0));
    let found = look_up(texture, uv, straight);
    // What stands for white above says nothing here.
    if found == Vec4::ONE { Vec3::Z } else { found.truncate() }
}

fn look_up(texture: &Texture, uv: Vec2, value: impl Fn([u8; 4]) -> Vec4) -> Vec4 {
    let (width, height) = (texture.width as usize, texture.height as usize);
    if width == 0 || height == 0 || texture.rgba.len() < width * height || !uv.is_finite() {
        return Vec4::ONE;
    }
    let x = (uv.x - uv.x.floor()) * width as f32 - 0.5;
    let y = (uv.y - uv.y.floor()) * height as f32 - 0.5;
    let (left, top) = (x.floor(), y.floor());
    let wrapped = |at: f32, count: usize| (at as i64).rem_euclid(count as i64) as usize;
    let texel =
        |x: f32, y: f32| value(texture.rgba[wrapped(y, height) * width + wrapped(x, width)]);
    let row = |y: f32| texel(left, y).lerp(texel(left + 1.0, y), x - left);
    row(top).lerp(row(top + 1.0), y - top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texture_repeats_and_is_exact_at_its_pixels_middles() {
        let texture = Texture { width: 2, height: 1, rgba: vec![[255, 0, 0, 255], [0, 0, 255, 0]] };
        for turn in [-3.0, 0.0, 5.0] {
            let red = color(&texture, Vec2::new(0.25 + turn, 0.5 + turn));
            let blue = color(&texture, Vec2::new(0.75 + turn, 0.5));
            assert!(red.distance(Vec3::X) < 1e-5, "{red}");
            assert!(blue.distance(Vec3::Z) < 1e-5, "{blue}");
        }
        let between = color(&texture, Vec2::new(0.5, 0.5));
        assert!(between.distance(Vec3::new(0.5, 0.0, 0.5)) < 1e-5);
        let across_the_seam = color(&texture, Vec2::new(1.0, 0.5));
        assert!(across_the_seam.distance(Vec3::new(0.5, 0.0, 0.5)) < 1e-5);
        assert_eq!(color(&texture, Vec2::NAN), Vec3::ONE);
        assert!((opacity(&texture, Vec2::new(0.5, 0.5)) - 0.5).abs() < 1e-5);
        assert_eq!(direction(&texture, Vec2::NAN), Vec3::Z);
    }
}
