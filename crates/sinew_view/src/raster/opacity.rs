//! What of a triangle is there: masks, and veils that are seen through.

use glam::Vec2;

use super::fill::{Cover, Pattern};
use super::plane::Plane;
use super::screen::{SUBPIXELS, Viewport};
use super::surfaces::Place;
use super::texture;
use crate::scene::Material;

/// A triangle whose material has an opacity.
pub(super) struct Opacity<'a> {
    plane: Plane,
    uvs: [Vec2; 3],
    material: &'a Material,
}

impl<'a> Opacity<'a> {
    pub(super) fn of(viewport: &Viewport, place: &Place<'a>, material: &'a Material) -> Self {
        Self { plane: Plane::of(viewport, place.positions()), uvs: place.uvs(), material }
    }

    /// At the samples of a pixel.
    pub(super) fn at<const N: usize>(&self, cover: &Cover<N>, pattern: &Pattern<N>) -> [f32; N] {
        let Some(image) = &self.material.texture else { return [self.material.opacity; N] };
        let step = 1.0 / f64::from(SUBPIXELS);
        std::array::from_fn(|sample| {
            if cover.inside[sample] < 0 {
                return 0.0;
            }
            let x = f64::from(cover.at[0]) + step * f64::from(pattern.x[sample]);
            let y = f64::from(cover.at[1]) + step * f64::from(pattern.y[sample]);
            let shares = self.plane.shares(x, y);
            let [a, b, c] = self.uvs;
            let uv = shares.x * a + shares.y * b + shares.z * c;
            self.material.opacity * texture::opacity(image, uv)
        })
    }
}
