//! Pictures and picking buffers with no graphics card.
//!
//! Tiles of 32 × 32 pixels are drawn by as many threads as there are, each from the list of
//! triangles in it; the bits are the same with any number of threads. Visibility is found at
//! sixteen samples a pixel and light once for each triangle in it, at the middle of what it covers
//! of the pixel. A quick picture, for what moves, has four.

mod bins;
mod fill;
mod marks;
mod opacity;
mod picking;
mod plane;
mod screen;
mod shade;
mod shadow;
mod surfaces;
#[cfg(test)]
mod tests;
mod texture;

pub use picking::pick;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::camera::{Camera, Size};
use crate::color::{bytes_from_linear, linear_from_srgb};
use crate::picture::Picture;
use crate::scene::{LEAST_OPACITY, MARK_NEARER, Scene, Wireframe};
use bins::{Bins, TILE};
use fill::{FOUR, Pattern, SIXTEEN, Tile, fill};
use marks::MarkLayer;
use opacity::Opacity;
use plane::Plane;
use screen::{SUBPIXELS, ScreenTriangle, Viewport};
use shade::{Shader, Spot};
use surfaces::Surfaces;

/// After so many triangles of a tile it is looked up how far its samples reach.
const FILLS_PER_LOOK: usize = 16;

/// No triangle.
const NOTHING: u32 = u32::MAX;

/// Draws a scene.
pub fn draw(scene: &Scene, size: Size) -> Picture {
    draw_sampled(scene, size, &SIXTEEN)
}

/// The same with a quarter of the samples: edges have four steps. For what is gone in a moment.
pub fn draw_quick(scene: &Scene, size: Size) -> Picture {
    draw_sampled(scene, size, &FOUR)
}

fn draw_sampled<const N: usize>(
    scene: &Scene,
    size: Size,
    pattern: &'static Pattern<N>,
) -> Picture {
    let mut picture = Picture::filled(size, [0, 0, 0, 255]);
    if picture.pixels().is_empty() {
        return picture;
    }
    let viewport = Viewport {
        clip_from_model: scene.camera.clip_from_model(size.aspect()),
        width: size.width,
        height: size.height,
    };
    let surfaces = Surfaces::of(scene);
    let shader = Shader::new(&surfaces, size);
    let triangles = surfaces.on_screen(&viewport);
    let whole = Tile { x: [0, size.width as i32], y: [0, size.height as i32] };
    let layer = |marks, nearer| MarkLayer::new(marks, &viewport, shader.eye(), nearer, pattern);
    let drawing = Drawing {
        pattern,
        bins: Bins::new(&triangles, whole),
        among: layer(&scene.overlay.among, nearer_in_clip(&scene.camera)),
        in_front: layer(&scene.overlay.in_front, 0.0),
        front_opacity: scene.overlay.front_opacity.clamp(0.0, 1.0),
        triangles,
        surfaces,
        shader,
        viewport,
    };
    let width = size.width as usize;
    picture.pixels_mut().par_chunks_mut(width * TILE as usize).enumerate().for_each_init(
        Samples::default,
        |samples, (row, band)| {
            for column in 0..drawing.bins.columns() {
                drawing.draw_tile(column, row, samples, band);
            }
        },
    );
    picture
}

/// What brings marks nearer, in clip space.
fn nearer_in_clip(camera: &Camera) -> f32 {
    let (near, far) = camera.depth_range;
    near * far / (far - near) * MARK_NEARER / (1.0 - MARK_NEARER)
}

/// A picture in the making.
struct Drawing<'a, const N: usize> {
    pattern: &'static Pattern<N>,
    viewport: Viewport,
    surfaces: Surfaces<'a>,
    shader: Shader<'a>,
    triangles: Vec<ScreenTriangle>,
    bins: Bins,
    among: MarkLayer<N>,
    in_front: MarkLayer<N>,
    front_opacity: f32,
}

/// A tile's samples, pixel by pixel; memory that is used again for the next tile.
#[derive(Default)]
struct Samples {
    depths: Vec<f32>,
    ids: Vec<u32>,
    /// The nearest veil, whatever is before it; empty where the tile has none.
    veil_depths: Vec<f32>,
    veil_ids: Vec<u32>,
    /// Multiplied by their opacity.
    colors: Vec<Vec4>,
    front_depths: Vec<f32>,
    front_colors: Vec<Vec4>,
}

impl Samples {
    /// Takes what is nearest of a triangle that is not there wholly.
    fn cut<const N: usize>(
        &mut self,
        (triangle, tile, pattern): (&ScreenTriangle, &Tile, &Pattern<N>),
        opacity: &Opacity<'_>,
        (solid_from, is_veil): (f32, bool),
    ) {
        if is_veil && self.veil_ids.is_empty() {
            refill(&mut self.veil_depths, self.depths.len(), f32::INFINITY);
            refill(&mut self.veil_ids, self.depths.len(), NOTHING);
        }
        fill(triangle, tile, pattern, |cover| {
            let opacities = opacity.at(cover, pattern);
            for sample in (0..N).filter(|&sample| cover.inside[sample] >= 0) {
                let at = cover.pixel * N + sample;
                let (depths, ids) = if opacities[sample] >= solid_from {
                    (&mut self.depths, &mut self.ids)
                } else if is_veil && opacities[sample] >= LEAST_OPACITY {
                    (&mut self.veil_depths, &mut self.veil_ids)
                } else {
                    continue;
                };
                if cover.depths[sample] < depths[at] {
                    (depths[at], ids[at]) = (cover.depths[sample], triangle.id);
                }
            }
        });
    }
}

impl<const N: usize> Drawing<'_, N> {
    fn draw_tile(&self, column: usize, row: usize, samples: &mut Samples, band: &mut [[u8; 4]]) {
        let tile = self.bins.tile(column, row);
        self.find_visible(column, row, &tile, samples);
        let has_front = self.front_opacity > 0.0 && self.in_front.touches(column, row);
        let has_marks = has_front || self.among.touches(column, row);
        samples.colors.clear();
        let width = self.viewport.width as usize;
        for pixel in 0..tile.num_pixels() {
            let x = tile.x[0] as usize + pixel % tile.width();
            let y = tile.y[0] as usize + pixel / tile.width();
            let ids = &samples.ids[pixel * N..][..N];
            let veils = samples.veil_ids.get(pixel * N..(pixel + 1) * N);
            let veils = veils.filter(|ids| ids.iter().any(|&id| id != NOTHING));
            if !has_marks && veils.is_none() && ids.iter().all(|&id| id == NOTHING) {
                let srgb = self.shader.background_srgb(x, y).to_array();
                let [r, g, b] = srgb.map(|channel| (255.0 * channel + 0.5) as u8);
                band[(y - tile.y[0] as usize) * width + x] = [r, g, b, 255];
                continue;
            }
            let mut colors = [Vec3::ZERO; N];
            self.shade_pixel(x, y, ids, &mut colors);
            if let Some(veils) = veils {
                self.veil_pixel((x, y), veils, &mut colors);
            }
            if has_marks {
                samples.colors.extend(colors.map(|color| color.extend(1.0)));
            } else {
                let [r, g, b] = bytes_from_linear(mean(&colors));
                band[(y - tile.y[0] as usize) * width + x] = [r, g, b, 255];
            }
        }
        if !has_marks {
            return;
        }
        self.among.draw(column, row, &mut samples.depths, &mut samples.colors);
        if has_front {
            refill(&mut samples.front_depths, samples.depths.len(), f32::INFINITY);
            refill(&mut samples.front_colors, samples.depths.len(), Vec4::ZERO);
            let (depths, colors) = (&mut samples.front_depths, &mut samples.front_colors);
            self.in_front.draw(column, row, depths, colors);
            for (color, front) in samples.colors.iter_mut().zip(&samples.front_colors) {
                *color =
                    self.front_opacity * *front + (1.0 - self.front_opacity * front.w) * *color;
            }
        }
        for (pixel, colors) in samples.colors.chunks_exact(N).enumerate() {
            let (x, y) = (tile.x[0] as usize + pixel % tile.width(), pixel / tile.width());
            let sum: Vec4 = colors.iter().sum();
            let [r, g, b] = bytes_from_linear(sum.truncate() / N as f32);
            band[y * width + x] = [r, g, b, 255];
        }
    }

    /// The nearest triangle at every sample; the first of equals.
    fn find_visible(&self, column: usize, row: usize, tile: &Tile, samples: &mut Samples) {
        let count = tile.num_pixels() * N;
        refill(&mut samples.depths, count, f32::INFINITY);
        refill(&mut samples.ids, count, NOTHING);
        samples.veil_depths.clear();
        samples.veil_ids.clear();
        // Where all samples are covered, what lies wholly behind them is passed over: a hundred
        // thousand large triangles on top of each other take no longer than what is seen of them.
        let mut farthest = f32::INFINITY;
        let mut num_filled = 0_usize;
        for &index in self.bins.triangles(column, row) {
            let triangle = &self.triangles[index as usize];
            if triangle.depth_range[0] >= farthest {
                continue;
            }
            num_filled += 1;
            if num_filled.is_multiple_of(FILLS_PER_LOOK) {
                farthest = samples.depths.iter().fold(f32::NEG_INFINITY, |most, &d| most.max(d));
            }
            if let Some((place, material)) = self.surfaces.cut(triangle.id) {
                let opacity = Opacity::of(&self.viewport, &place, material);
                let solid_from = material.solid_from().unwrap_or(0.0);
                samples.cut(
                    (triangle, tile, self.pattern),
                    &opacity,
                    (solid_from, material.is_veil()),
                );
                continue;
            }
            let (depths, _) = samples.depths.as_chunks_mut::<N>();
            let (ids, _) = samples.ids.as_chunks_mut::<N>();
            fill(triangle, tile, self.pattern, |cover| {
                let (depths, ids) = (&mut depths[cover.pixel], &mut ids[cover.pixel]);
                for sample in 0..N {
                    let is_nearest =
                        (cover.inside[sample] >= 0) & (cover.depths[sample] < depths[sample]);
                    depths[sample] = if is_nearest { cover.depths[sample] } else { depths[sample] };
                    ids[sample] = if is_nearest { triangle.id } else { ids[sample] };
                }
            });
        }
        // A veil behind something solid is not seen; one before it hides marks as that would.
        for (sample, veil) in samples.veil_ids.iter_mut().enumerate() {
            if samples.veil_depths[sample] >= samples.depths[sample] {
                *veil = NOTHING;
            } else {
                samples.depths[sample] = samples.veil_depths[sample];
            }
        }
    }

    /// Lays veils over a pixel's samples.
    fn veil_pixel(&self, (x, y): (usize, usize), veils: &[u32], colors: &mut [Vec3; N]) {
        for first in 0..N {
            let id = veils[first];
            if id == NOTHING || veils[..first].contains(&id) {
                continue;
            }
            let Some(place) = self.surfaces.place(id) else { continue };
            let covered: Vec<usize> = (first..N).filter(|&sample| veils[sample] == id).collect();
            let (color, opacity) = self.shade_piece(&place, x, y, &covered);
            for sample in covered {
                colors[sample] = colors[sample].lerp(color, opacity);
            }
        }
    }

    /// Colours of a pixel's samples, linear, after tone mapping.
    fn shade_pixel(&self, x: usize, y: usize, ids: &[u32], colors: &mut [Vec3; N]) {
        let mut is_done = [false; N];
        for first in 0..N {
            if is_done[first] {
                continue;
            }
            let id = ids[first];
            let color = match self.surfaces.place(id) {
                Some(place) if id != NOTHING => {
                    let mut covered = [0; N];
                    let mut count = 0;
                    for sample in (first..N).filter(|&sample| ids[sample] == id) {
                        covered[count] = sample;
                        count += 1;
                    }
                    self.shade_piece(&place, x, y, &covered[..count]).0
                }
                _ => {
                    let srgb = self.shader.background_srgb(x, y).to_array();
                    Vec3::from_array(srgb.map(linear_from_srgb))
                }
            };
            for sample in first..N {
                if ids[sample] == id {
                    colors[sample] = color;
                    is_done[sample] = true;
                }
            }
        }
    }

    /// The colour of what a triangle covers of a pixel, and its opacity.
    fn shade_piece(
        &self,
        place: &surfaces::Place<'_>,
        x: usize,
        y: usize,
        covered: &[usize],
    ) -> (Vec3, f32) {
        let plane = Plane::of(&self.viewport, place.positions());
        let step = 1.0 / f64::from(SUBPIXELS);
        let at = |sample: usize| {
            let at_x = x as f64 + step * f64::from(self.pattern.x[sample]);
            (at_x, y as f64 + step * f64::from(self.pattern.y[sample]))
        };
        let mut middle = (0.0, 0.0);
        for &sample in covered {
            let (x, y) = at(sample);
            middle = (middle.0 + x, middle.1 + y);
        }
        let count = covered.len() as f64;
        let (x, y) = (middle.0 / count, middle.1 / count);
        let shares = plane.shares(x, y);
        let material = self.surfaces.material(place);
        let mut spread = [shares; N];
        // Looked at only where there is a texture.
        let has_image = material.is_some_and(|m| m.texture.is_some() || m.normal_map.is_some());
        let num_spread = if has_image { covered.len() } else { 1 };
        for (shares, &sample) in spread[..num_spread].iter_mut().zip(covered).filter(|_| has_image)
        {
            let (x, y) = at(sample);
            *shares = plane.shares(x, y);
        }
        let spread = &spread[..num_spread];
        let spot = Spot { place, material, shares, spread, is_back: plane.is_back };
        let color = self.shader.surface(&spot);
        let color = match place.surface.wireframe {
            Some(wire) => over(color, wire, plane.edge_distance_px(x, y)),
            None => color,
        };
        (color, if material.is_some_and(|m| m.is_veil()) { spot.opacity() } else { 1.0 })
    }
}

/// A wire over what is at a distance from it.
fn over(color: Vec3, wire: Wireframe, distance_px: f32) -> Vec3 {
    let cover = (0.5 * wire.width_px + 0.5 - distance_px).clamp(0.0, 1.0);
    let share = cover * wire.opacity.clamp(0.0, 1.0);
    // A distance that is no number has a cover that is none.
    if share > 0.0 { color.lerp(wire.color, share) } else { color }
}

fn mean<const N: usize>(colors: &[Vec3; N]) -> Vec3 {
    colors.iter().sum::<Vec3>() / N as f32
}

fn refill<T: Copy>(values: &mut Vec<T>, count: usize, value: T) {
    values.clear();
    values.resize(count, value);
}
