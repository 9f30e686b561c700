//! Variance shadow maps; the formulas are in [`look`](crate::look).

use glam::{Mat4, Quat, Vec3, Vec4};
use rayon::prelude::*;

use super::bins::Bins;
use super::fill::{MIDDLE, Tile, fill};
use super::screen::{ScreenTriangle, Viewport};
use super::surfaces::Surfaces;
use crate::look::ShadowMap;

/// Larger maps gain nothing and take memory: the wish of a scene is cut to this.
const MAX_RESOLUTION: u32 = 4096;

/// Where the blur's bell is cut off, in standard deviations.
const BLUR_REACH: f32 = 2.5;

/// Depth varies by this much (squared) at the least within a texel: of the sphere's diameter.
const LEAST_VARIANCE: f32 = 1e-5;

/// The blurred map of one light.
pub(super) struct Shadow {
    light_from_model: Mat4,
    resolution: usize,
    bleed: f32,
    /// `(a, a·m₁, a·m₂, 0)`, row by row; empty for a scene that casts none.
    texels: Vec<[f32; 4]>,
}

impl Shadow {
    /// The map of surfaces inside of a sphere, towards a light (a unit vector in model space).
    pub(super) fn new(
        surfaces: &Surfaces<'_>,
        sphere: (Vec3, f32),
        toward: Vec3,
        map: ShadowMap,
        bleed: f32,
    ) -> Self {
        let (center, radius) = sphere;
        let resolution = map.resolution.clamp(1, MAX_RESOLUTION);
        let turn = Quat::from_rotation_arc(toward, Vec3::Z);
        let scale = Mat4::from_scale(Vec3::new(1.0, 1.0, -0.5) / radius);
        let light_from_model = Mat4::from_translation(0.5 * Vec3::Z)
            * scale
            * Mat4::from_quat(turn)
            * Mat4::from_translation(-center);
        let is_usable = radius > 0.0 && light_from_model.is_finite();
        let resolution_across = resolution as usize;
        let mut shadow =
            Self { light_from_model, resolution: resolution_across, bleed, texels: Vec::new() };
        if is_usable {
            let depths = shadow.draw(surfaces, resolution);
            shadow.texels = blurred(&depths, resolution_across, map.blur_texels);
        }
        shadow
    }

    /// Depth along the light, row by row; infinite where nothing is.
    fn draw(&self, surfaces: &Surfaces<'_>, resolution: u32) -> Vec<f32> {
        let viewport = Viewport {
            clip_from_model: self.light_from_model,
            width: resolution,
            height: resolution,
        };
        let triangles: Vec<ScreenTriangle> = surfaces.on_screen(&viewport);
        let side = resolution as i32;
        let bins = Bins::new(&triangles, Tile { x: [0, side], y: [0, side] });
        let mut depths = vec![f32::INFINITY; self.resolution * self.resolution];
        let rows_of_tile = super::bins::TILE as usize * self.resolution;
        depths.par_chunks_mut(rows_of_tile).enumerate().for_each(|(row, band)| {
            for column in 0..bins.columns() {
                let tile = bins.tile(column, row);
                for &index in bins.triangles(column, row) {
                    fill(&triangles[index as usize], &tile, &MIDDLE, |cover| {
                        let [x, y] = cover.at;
                        let texel =
                            &mut band[(y - tile.y[0]) as usize * self.resolution + x as usize];
                        if cover.inside[0] >= 0 {
                            *texel = texel.min(cover.depths[0]);
                        }
                    });
                }
            }
        });
        depths
    }

    /// How much of the light reaches a place, 0..1.
    pub(super) fn light_at(&self, position: Vec3) -> f32 {
        if self.texels.is_empty() {
            return 1.0;
        }
        let at = self.light_from_model.transform_point3(position);
        let half = 0.5 * self.resolution as f32;
        let (x, y) = (at.x * half + half - 0.5, half - at.y * half - 0.5);
        let last = self.resolution as f32;
        if !(x > -1.0 && y > -1.0 && x < last && y < last) {
            return 1.0;
        }
        let (left, top) = (x.floor(), y.floor());
        let (right_share, low_share) = (x - left, y - top);
        let row =
            |y: i32| self.texel(left as i32, y).lerp(self.texel(left as i32 + 1, y), right_share);
        let [cover, z, z_squared, _] =
            row(top as i32).lerp(row(top as i32 + 1), low_share).to_array();
        if cover < 1e-4 {
            return 1.0;
        }
        let (mean, mean_squared) = (z / cover, z_squared / cover);
        let behind = at.z - mean;
        if behind <= 0.0 {
            return 1.0;
        }
        let variance = (mean_squared - mean * mean).max(LEAST_VARIANCE);
        let chance = variance / (variance + behind * behind);
        let lit = ((chance - self.bleed) / (1.0 - self.bleed)).max(0.0);
        1.0 - cover.min(1.0) * (1.0 - lit)
    }

    fn texel(&self, x: i32, y: i32) -> Vec4 {
        let inside = 0..self.resolution as i32;
        if inside.contains(&x) && inside.contains(&y) {
            Vec4::from_array(self.texels[y as usize * self.resolution + x as usize])
        } else {
            Vec4::ZERO
        }
    }
}

/// Moments of the depths, blurred by a Gaussian, row by row and then column by column.
fn blurred(depths: &[f32], side: usize, sigma: f32) -> Vec<[f32; 4]> {
    let bell = bell(sigma, side);
    let reach = bell.len() / 2;
    // Nothing is blurred where nothing is: only the rows that have something, and those near to them.
    let is_empty = |row: usize| depths[row * side..][..side].iter().all(|z| !z.is_finite());
    let Some(first) = (0..side).find(|&row| !is_empty(row)) else {
        return vec![[0.0; 4]; side * side];
    };
    let last = (0..side).rev().find(|&row| !is_empty(row)).unwrap_or(first);

    let across: Vec<[Vec<f32>; 3]> = (first..=last)
        .into_par_iter()
        .map(|row| {
            let mut padded = [(); 3].map(|()| vec![0.0_f32; side + 2 * reach]);
            for (x, &z) in depths[row * side..][..side].iter().enumerate() {
                if z.is_finite() {
                    padded[0][x + reach] = 1.0;
                    padded[1][x + reach] = z;
                    padded[2][x + reach] = z * z;
                }
            }
            padded.map(|values| {
                let mut sum = vec![0.0_f32; side];
                for (tap, &share) in bell.iter().enumerate() {
                    add_scaled(&mut sum, &values[tap..][..side], share);
                }
                sum
            })
        })
        .collect();
    let mut texels = vec![[0.0_f32; 4]; side * side];
    texels.par_chunks_mut(side).enumerate().for_each(|(row, out)| {
        let mut sums = [(); 3].map(|()| vec![0.0_f32; side]);
        for (tap, &share) in bell.iter().enumerate() {
            let Some(from) = (row + tap).checked_sub(reach) else { continue };
            if let Some(rows) = from.checked_sub(first).and_then(|from| across.get(from)) {
                for (sum, values) in sums.iter_mut().zip(rows) {
                    add_scaled(sum, values, share);
                }
            }
        }
        for (x, texel) in out.iter_mut().enumerate() {
            *texel = [sums[0][x], sums[1][x], sums[2][x], 0.0];
        }
    });
    texels
}

fn add_scaled(sum: &mut [f32], values: &[f32], share: f32) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += share * value;
    }
}

/// Shares of a Gaussian blur; they add up to one.
fn bell(sigma: f32, side: usize) -> Vec<f32> {
    let sigma = if sigma > 0.05 { sigma.min(0.25 * side as f32) } else { 0.05 };
    let reach = (BLUR_REACH * sigma).ceil() as i32;
    let at = |tap: i32| (-0.5 * (tap as f32 / sigma).powi(2)).exp();
    let total: f32 = (-reach..=reach).map(at).sum();
    (-reach..=reach).map(|tap| at(tap) / total).collect()
}
