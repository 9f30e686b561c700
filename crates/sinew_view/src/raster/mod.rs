//! Pictures and picking buffers with no graphics card.
//!
//! Tiles of 32 × 32 pixels are drawn by as many threads as there are, each from the list of
//! triangles in it; the bits are the same with any number of threads. Visibility is found at
//! sixteen samples a pixel and light once for each triangle in it, at the middle of what it covers
//! of the pixel.

mod bins;
mod fill;
mod marks;
mod picking;
mod plane;
mod screen;
mod shade;
mod shadow;
mod surfaces;
#[cfg(test)]
mod tests;

pub use picking::pick;

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::camera::{Camera, Size};
use crate::color::{bytes_from_linear, linear_from_srgb};
use crate::picture::Picture;
use crate::scene::{MARK_NEARER, Scene, Wireframe};
use bins::{Bins, TILE};
use fill::{SIXTEEN, Tile, fill};
use marks::MarkLayer;
use plane::Plane;
use screen::{SUBPIXELS, ScreenTriangle, Viewport};
use shade::Shader;
use surfaces::Surfaces;

/// Samples a pixel.
const SAMPLES: usize = SIXTEEN.x.len();

/// No triangle.
const NOTHING: u32 = u32::MAX;

/// Draws a scene.
pub fn draw(scene: &Scene, size: Size) -> Picture {
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
    let layer = |marks, nearer| MarkLayer::new(marks, &viewport, shader.eye(), nearer);
    let drawing = Drawing {
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
struct Drawing<'a> {
    viewport: Viewport,
    surfaces: Surfaces<'a>,
    shader: Shader<'a>,
    triangles: Vec<ScreenTriangle>,
    bins: Bins,
    among: MarkLayer,
    in_front: MarkLayer,
    front_opacity: f32,
}

/// A tile's samples, pixel by pixel; memory that is used again for the next tile.
#[derive(Default)]
struct Samples {
    depths: Vec<f32>,
    ids: Vec<u32>,
    /// Multiplied by their opacity.
    colors: Vec<Vec4>,
    front_depths: Vec<f32>,
    front_colors: Vec<Vec4>,
}

impl Drawing<'_> {
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
            let ids = &samples.ids[pixel * SAMPLES..][..SAMPLES];
            if !has_marks && ids.iter().all(|&id| id == NOTHING) {
                let srgb = self.shader.background_srgb(x, y).to_array();
                let [r, g, b] = srgb.map(|channel| (255.0 * channel + 0.5) as u8);
                band[(y - tile.y[0] as usize) * width + x] = [r, g, b, 255];
                continue;
            }
            let mut colors = [Vec3::ZERO; SAMPLES];
            self.shade_pixel(x, y, ids, &mut colors);
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
        for (pixel, colors) in samples.colors.chunks_exact(SAMPLES).enumerate() {
            let (x, y) = (tile.x[0] as usize + pixel % tile.width(), pixel / tile.width());
            let sum: Vec4 = colors.iter().sum();
            let [r, g, b] = bytes_from_linear(sum.truncate() / SAMPLES as f32);
            band[y * width + x] = [r, g, b, 255];
        }
    }

    /// The nearest triangle at every sample; the first of equals.
    fn find_visible(&self, column: usize, row: usize, tile: &Tile, samples: &mut Samples) {
        refill(&mut samples.depths, tile.num_pixels() * SAMPLES, f32::INFINITY);
        refill(&mut samples.ids, tile.num_pixels() * SAMPLES, NOTHING);
        let (depths, _) = samples.depths.as_chunks_mut::<SAMPLES>();
        let (ids, _) = samples.ids.as_chunks_mut::<SAMPLES>();
        for &index in self.bins.triangles(column, row) {
            let triangle = &self.triangles[index as usize];
            fill(triangle, tile, &SIXTEEN, |cover| {
                let (depths, ids) = (&mut depths[cover.pixel], &mut ids[cover.pixel]);
                for sample in 0..SAMPLES {
                    let is_nearest =
                        (cover.inside[sample] >= 0) & (cover.depths[sample] < depths[sample]);
                    depths[sample] = if is_nearest { cover.depths[sample] } else { depths[sample] };
                    ids[sample] = if is_nearest { triangle.id } else { ids[sample] };
                }
            });
        }
    }

    /// Colours of a pixel's samples, linear, after tone mapping.
    fn shade_pixel(&self, x: usize, y: usize, ids: &[u32], colors: &mut [Vec3; SAMPLES]) {
        let mut is_done = [false; SAMPLES];
        for first in 0..SAMPLES {
            if is_done[first] {
                continue;
            }
            let id = ids[first];
            let color = match self.surfaces.place(id) {
                Some(place) if id != NOTHING => {
                    let mut covered = [0; SAMPLES];
                    let mut count = 0;
                    for sample in (first..SAMPLES).filter(|&sample| ids[sample] == id) {
                        covered[count] = sample;
                        count += 1;
                    }
                    self.shade_piece(&place, x, y, &covered[..count])
                }
                _ => {
                    let srgb = self.shader.background_srgb(x, y).to_array();
                    Vec3::from_array(srgb.map(linear_from_srgb))
                }
            };
            for sample in first..SAMPLES {
                if ids[sample] == id {
                    colors[sample] = color;
                    is_done[sample] = true;
                }
            }
        }
    }

    /// The colour of what a triangle covers of a pixel.
    fn shade_piece(
        &self,
        place: &surfaces::Place<'_>,
        x: usize,
        y: usize,
        covered: &[usize],
    ) -> Vec3 {
        let plane = Plane::of(&self.viewport, place.positions());
        let step = 1.0 / f64::from(SUBPIXELS);
        let at = |sample: usize| {
            let at_x = x as f64 + step * f64::from(SIXTEEN.x[sample]);
            (at_x, y as f64 + step * f64::from(SIXTEEN.y[sample]))
        };
        let mut middle = (0.0, 0.0);
        for &sample in covered {
            let (x, y) = at(sample);
            middle = (middle.0 + x, middle.1 + y);
        }
        let count = covered.len() as f64;
        let (x, y) = (middle.0 / count, middle.1 / count);
        let shares = plane.shares(x, y);
        // Found only where there is a texture to look up.
        let spread = covered.iter().map(|&sample| {
            let (x, y) = at(sample);
            plane.shares(x, y)
        });
        let albedo = self.shader.albedo(place, shares, spread);
        let color = self.shader.surface(place, shares, plane.is_back, albedo);
        match place.surface.wireframe {
            Some(wire) => over(color, wire, plane.edge_distance_px(x, y)),
            None => color,
        }
    }
}

/// A wire over what is at a distance from it.
fn over(color: Vec3, wire: Wireframe, distance_px: f32) -> Vec3 {
    let cover = (0.5 * wire.width_px + 0.5 - distance_px).clamp(0.0, 1.0);
    let share = cover * wire.opacity.clamp(0.0, 1.0);
    // A distance that is no number has a cover that is none.
    if share > 0.0 { color.lerp(wire.color, share) } else { color }
}

fn mean(colors: &[Vec3; SAMPLES]) -> Vec3 {
    colors.iter().sum::<Vec3>() / SAMPLES as f32
}

fn refill<T: Copy>(values: &mut Vec<T>, count: usize, value: T) {
    values.clear();
    values.resize(count, value);
}
