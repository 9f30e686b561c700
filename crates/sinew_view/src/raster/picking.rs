//! The picking buffer on the CPU: one sample a pixel, at its middle, under the same rules as a
//! graphics card's.

use glam::UVec2;
use rayon::prelude::*;

use super::bins::{Bins, TILE};
use super::fill::{MIDDLE, Tile, fill};
use super::plane::Plane;
use super::screen::Viewport;
use super::surfaces::Surfaces;
use crate::camera::Size;
use crate::pick::{Pick, PickBuffer, PixelRect};
use crate::scene::Scene;

/// What of the surfaces is under the pixels of a rectangle of a picture of that size. The buffer
/// knows the part of the rectangle that is in the picture.
pub fn pick(scene: &Scene, size: Size, rect: PixelRect) -> PickBuffer {
    let whole = UVec2::new(size.width, size.height);
    let origin = rect.origin.min(whole);
    let rect = PixelRect { origin, size: rect.size.min(whole - origin) };
    let width = rect.size.x as usize;
    let mut picks: Vec<Option<Pick>> = vec![None; width * rect.size.y as usize];
    if picks.is_empty() {
        return PickBuffer::new(rect, picks);
    }
    let viewport = Viewport {
        clip_from_model: scene.camera.clip_from_model(size.aspect()),
        width: size.width,
        height: size.height,
    };
    let surfaces = Surfaces::of(scene);
    let triangles = surfaces.on_screen(&viewport);
    let (first, end) = (rect.origin.as_ivec2(), (rect.origin + rect.size).as_ivec2());
    let bins = Bins::new(&triangles, Tile { x: [first.x, end.x], y: [first.y, end.y] });
    picks.par_chunks_mut(width * TILE as usize).enumerate().for_each(|(row, band)| {
        for column in 0..bins.columns() {
            let tile = bins.tile(column, row);
            let mut nearest = vec![(f32::INFINITY, u32::MAX); tile.num_pixels()];
            for &index in bins.triangles(column, row) {
                let triangle = &triangles[index as usize];
                fill(triangle, &tile, &MIDDLE, |cover| {
                    let found = &mut nearest[cover.pixel];
                    if cover.inside[0] >= 0 && cover.depths[0] < found.0 {
                        *found = (cover.depths[0], triangle.id);
                    }
                });
            }
            for (pixel, (depth, id)) in nearest.into_iter().enumerate() {
                if id == u32::MAX {
                    continue;
                }
                let (x, y) = (pixel % tile.width(), pixel / tile.width());
                let in_picture = [tile.x[0] + x as i32, tile.y[0] + y as i32];
                band[y * width + (tile.x[0] - first.x) as usize + x] =
                    found(&surfaces, &viewport, id, in_picture, depth);
            }
        }
    });
    PickBuffer::new(rect, picks)
}

fn found(
    surfaces: &Surfaces<'_>,
    viewport: &Viewport,
    id: u32,
    pixel: [i32; 2],
    depth: f32,
) -> Option<Pick> {
    let place = surfaces.place(id)?;
    let [x, y] = pixel.map(|at| f64::from(at) + 0.5);
    let barycentrics = Plane::of(viewport, place.positions()).shares(x, y);
    Some(Pick {
        surface: place.surface_index,
        triangle: place.triangle,
        barycentrics,
        position: place.position(barycentrics),
        normal: place.normal(barycentrics),
        depth,
    })
}
