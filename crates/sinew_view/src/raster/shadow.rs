//! Variance shadow maps; the formulas are in [`look`](crate::look).

use std::ops::Range;

use glam::{Mat4, Quat, Vec3, Vec4};
use rayon::prelude::*;

use super::bins::Bins;
use super::fill::{Cover, MIDDLE, Tile, fill};
use super::opacity::Opacity;
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
    reach: f32,
    texels: Texels,
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
        let mut shadow = Self {
            light_from_model,
            resolution: resolution_across,
            bleed,
            reach: map.reach,
            texels: Texels::default(),
        };
        if is_usable {
            let depths = shadow.draw(surfaces, resolution);
            shadow.texels = Texels::blurred(&depths, resolution_across, map.blur_texels);
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
                    let triangle = &triangles[index as usize];
                    // What is not there casts no shadow.
                    let cut = surfaces.cut(triangle.id).map(|(place, material)| {
                        let from = material.shadow_from().unwrap_or(0.0);
                        (Opacity::of(&viewport, &place, material), from)
                    });
                    let is_there = |cover: &Cover<1>| match &cut {
                        None => true,
                        Some((opacity, from)) => opacity.at(cover, &MIDDLE)[0] >= *from,
                    };
                    fill(triangle, &tile, &MIDDLE, |cover| {
                        let [x, y] = cover.at;
                        let texel =
                            &mut band[(y - tile.y[0]) as usize * self.resolution + x as usize];
                        if cover.inside[0] >= 0 && is_there(cover) {
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
        if self.texels.rows.is_empty() {
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
        let row = |y: i32| {
            self.texels.at(left as i32, y).lerp(self.texels.at(left as i32 + 1, y), right_share)
        };
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
        let fade = (-behind / self.reach).exp();
        1.0 - cover.min(1.0) * (1.0 - lit) * fade
    }
}

/// A rectangle of texels, the only ones that are not zero.
#[derive(Default)]
struct Texels {
    /// First column and row.
    origin: [usize; 2],
    /// Columns.
    width: usize,
    /// `(a, a·m₁, a·m₂, 0)`, row by row; empty where nothing casts a shadow.
    rows: Vec<[f32; 4]>,
}

impl Texels {
    /// Zero outside.
    #[inline(always)]
    fn at(&self, x: i32, y: i32) -> Vec4 {
        let (x, y) = (x - self.origin[0] as i32, y - self.origin[1] as i32);
        if x < 0 || y < 0 || x >= self.width as i32 {
            return Vec4::ZERO;
        }
        let texel = self.rows.get(y as usize * self.width + x as usize);
        texel.map_or(Vec4::ZERO, |&texel| Vec4::from_array(texel))
    }

    /// Moments of depths, blurred by a Gaussian, row by row and then column by column.
    fn blurred(depths: &[f32], side: usize, sigma: f32) -> Self {
        let bell = bell(sigma, side);
        let reach = bell.len() / 2;
        let Some([columns, rows]) = occupied(depths, side) else { return Self::default() };
        let grown =
            |range: &Range<usize>| range.start.saturating_sub(reach)..(range.end + reach).min(side);
        let (wide, high) = (grown(&columns), grown(&rows));
        let width = wide.len();

        let across: Vec<[Vec<f32>; 3]> = rows
            .clone()
            .into_par_iter()
            .map(|row| {
                let mut padded = [(); 3].map(|()| vec![0.0_f32; width + 2 * reach]);
                let depths = &depths[row * side..][columns.clone()];
                let start = columns.start - wide.start + reach;
                for (x, &z) in depths.iter().enumerate().filter(|(_, z)| z.is_finite()) {
                    padded[0][start + x] = 1.0;
                    padded[1][start + x] = z;
                    padded[2][start + x] = z * z;
                }
                padded.map(|values| {
                    let mut sum = vec![0.0_f32; width];
                    let taps = bell.iter().enumerate();
                    let rows: Vec<_> = taps.map(|(tap, &share)| (share, &values[tap..])).collect();
                    weighted_sum(&mut sum, &rows);
                    sum
                })
            })
            .collect();
        let mut texels = vec![[0.0_f32; 4]; width * high.len()];
        texels.par_chunks_mut(width).zip(high.clone()).for_each(|(out, row)| {
            let mut sums = [(); 3].map(|()| vec![0.0_f32; width]);
            for (channel, sum) in sums.iter_mut().enumerate() {
                let row_of = |(tap, &share): (usize, &f32)| {
                    let from = (row + tap).checked_sub(reach + rows.start)?;
                    Some((share, across.get(from)?[channel].as_slice()))
                };
                let rows: Vec<_> = bell.iter().enumerate().filter_map(row_of).collect();
                weighted_sum(sum, &rows);
            }
            for (x, texel) in out.iter_mut().enumerate() {
                *texel = [sums[0][x], sums[1][x], sums[2][x], 0.0];
            }
        });
        Self { origin: [wide.start, high.start], width, rows: texels }
    }
}

/// Columns and rows of the smallest rectangle around all that is finite.
fn occupied(depths: &[f32], side: usize) -> Option<[Range<usize>; 2]> {
    let mut found: Option<[Range<usize>; 2]> = None;
    for (y, row) in depths.chunks_exact(side).enumerate() {
        let Some(first) = row.iter().position(|z| z.is_finite()) else { continue };
        let end = row.iter().rposition(|z| z.is_finite()).unwrap_or(first) + 1;
        let [columns, rows] = found.unwrap_or([first..end, y..y]);
        found = Some([columns.start.min(first)..columns.end.max(end), rows.start..y + 1]);
    }
    found
}

/// The sum of rows by their shares. Sums of sixteen columns stay in registers over all rows.
fn weighted_sum(out: &mut [f32], rows: &[(f32, &[f32])]) {
    let (blocks, rest) = out.as_chunks_mut::<16>();
    let num_blocks = blocks.len();
    for (block, out) in blocks.iter_mut().enumerate() {
        let mut sums = [0.0_f32; 16];
        for &(share, values) in rows {
            for (sum, value) in sums.iter_mut().zip(&values[16 * block..][..16]) {
                *sum += share * value;
            }
        }
        *out = sums;
    }
    for (column, out) in rest.iter_mut().enumerate() {
        *out = rows.iter().map(|(share, values)| share * values[16 * num_blocks + column]).sum();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blur_keeps_what_there_is_and_only_near_where_it_was() {
        let side = 64;
        let mut depths = vec![f32::INFINITY; side * side];
        for y in 20..30 {
            depths[y * side + 33] = 0.25;
        }
        let texels = Texels::blurred(&depths, side, 2.0);
        let sum = texels.rows.iter().fold(Vec4::ZERO, |sum, &t| sum + Vec4::from_array(t));
        assert!(sum.distance(10.0 * Vec4::new(1.0, 0.25, 0.0625, 0.0)) < 1e-4, "{sum}");
        assert_eq!(texels.at(33, 10), Vec4::ZERO);
        assert!(texels.at(33, 25).x > 0.15);
        // As far to the left as to the right.
        assert!((texels.at(31, 25).x - texels.at(35, 25).x).abs() < 1e-6);
    }

    #[test]
    fn nothing_casts_no_shadow() {
        assert!(Texels::blurred(&[f32::INFINITY; 16], 4, 1.0).rows.is_empty());
    }
}
