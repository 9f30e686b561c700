//! Which samples of which pixels a triangle covers, by edge functions in whole numbers.
//!
//! For the edge from `a` to `b` of a triangle that turns clockwise to the eye,
//! `E(p) = (b − a) × (p − a)` is positive inside. A sample on an edge belongs to the triangle for
//! which the edge is a top or a left one: `E − 1 ≥ 0` on the other edges.

use std::ops::{Add, BitOr, Mul};

use super::screen::{SUBPIXELS, ScreenTriangle};

/// Triangles no larger than this many grid steps (64 pixels) are tested with 32-bit numbers:
/// products stay below 2²⁹.
const SMALL: i32 = 64 * SUBPIXELS;

/// Where a pixel is looked at, in grid steps from its top left corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern<const N: usize> {
    pub(super) x: [i32; N],
    pub(super) y: [i32; N],
}

/// The middle of the pixel.
pub(super) const MIDDLE: Pattern<1> = Pattern { x: [SUBPIXELS / 2], y: [SUBPIXELS / 2] };

/// Sixteen places with no two in a row or column of the pixel (each sixteenth has one), so that an
/// edge of any slope, the nearly upright one too, has sixteen steps. Rows follow the bit-reversed
/// column (Hammersley's set).
pub(super) const SIXTEEN: Pattern<16> = {
    let (mut x, mut y) = ([0; 16], [0; 16]);
    let step = SUBPIXELS / 16;
    let mut place = 0;
    while place < 16 {
        x[place] = place as i32 * step + step / 2;
        y[place] = ((place as u32).reverse_bits() >> 28) as i32 * step + step / 2;
        place += 1;
    }
    Pattern { x, y }
};

/// Four places, one in each quarter of the pixel's width and height: an edge has four steps.
pub(super) const FOUR: Pattern<4> = {
    let step = SUBPIXELS / 8;
    Pattern { x: [step, 3 * step, 5 * step, 7 * step], y: [3 * step, 7 * step, step, 5 * step] }
};

/// A rectangle of pixels; the ends are not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) x: [i32; 2],
    pub(super) y: [i32; 2],
}

impl Tile {
    pub(super) fn width(&self) -> usize {
        (self.x[1] - self.x[0]).max(0) as usize
    }

    pub(super) fn num_pixels(&self) -> usize {
        self.width() * (self.y[1] - self.y[0]).max(0) as usize
    }
}

/// What a triangle covers of a pixel.
pub(super) struct Cover<const N: usize> {
    /// Place of the pixel in its tile, row by row.
    pub(super) pixel: usize,
    /// Column and row in the picture.
    pub(super) at: [i32; 2],
    /// Negative for samples that are not covered.
    pub(super) inside: [i32; N],
    /// Depth at the samples; also, with no meaning, where it does not cover them.
    pub(super) depths: [f32; N],
}

/// Whole numbers for edge functions.
trait Whole: Copy + Add<Output = Self> + Mul<Output = Self> + BitOr<Output = Self> + Ord {
    fn of(value: i32) -> Self;
    /// Negative if it is.
    fn sign(self) -> i32;
}

impl Whole for i32 {
    #[inline(always)]
    fn of(value: i32) -> Self {
        value
    }
    #[inline(always)]
    fn sign(self) -> i32 {
        self
    }
}

impl Whole for i64 {
    #[inline(always)]
    fn of(value: i32) -> Self {
        Self::from(value)
    }
    #[inline(always)]
    fn sign(self) -> i32 {
        (self >> 63) as i32
    }
}

/// Visits the pixels of a tile of which a triangle may cover a sample, row by row.
#[inline(always)]
pub(super) fn fill<const N: usize>(
    triangle: &ScreenTriangle,
    tile: &Tile,
    pattern: &Pattern<N>,
    visit: impl FnMut(&Cover<N>),
) {
    let (spans_x, spans_y) = (triangle.span(0), triangle.span(1));
    if (spans_x.1 - spans_x.0).max(spans_y.1 - spans_y.0) <= SMALL {
        fill_by::<i32, N>(triangle, tile, pattern, visit);
    } else {
        fill_by::<i64, N>(triangle, tile, pattern, visit);
    }
}

#[inline(always)]
fn fill_by<W: Whole, const N: usize>(
    triangle: &ScreenTriangle,
    tile: &Tile,
    pattern: &Pattern<N>,
    mut visit: impl FnMut(&Cover<N>),
) {
    let zero = W::of(0);
    let mut slopes = [[zero; 2]; 3];
    let mut at_sample = [[zero; N]; 3];
    let mut most = [zero; 3];
    for edge in 0..3 {
        let ([ax, ay], [bx, by]) = (triangle.corners[edge], triangle.corners[(edge + 1) % 3]);
        let (along_x, along_y) = (bx - ax, by - ay);
        let is_top_left = along_y < 0 || (along_y == 0 && along_x > 0);
        slopes[edge] = [W::of(-along_y), W::of(along_x)];
        let bias = W::of(if is_top_left { 0 } else { -1 });
        let mut largest = None;
        for ((value, &x), &y) in at_sample[edge].iter_mut().zip(&pattern.x).zip(&pattern.y) {
            *value = slopes[edge][0] * W::of(x) + slopes[edge][1] * W::of(y) + bias;
            largest = largest.max(Some(*value));
        }
        most[edge] = largest.unwrap_or(zero);
    }
    let [depth, depth_along_x, depth_along_y] = triangle.depth;
    let mut depth_at_sample = [0.0_f32; N];
    for ((value, &x), &y) in depth_at_sample.iter_mut().zip(&pattern.x).zip(&pattern.y) {
        *value = (depth_along_x * f64::from(x) + depth_along_y * f64::from(y)) as f32;
    }
    let [nearest, farthest] = triangle.depth_range;

    let (spans_x, spans_y) = (triangle.span(0), triangle.span(1));
    let first = |span: (i32, i32), start: i32| span.0.div_euclid(SUBPIXELS).max(start);
    let end = |span: (i32, i32), end: i32| (span.1.div_euclid(SUBPIXELS) + 1).min(end);
    for y in first(spans_y, tile.y[0])..end(spans_y, tile.y[1]) {
        for x in first(spans_x, tile.x[0])..end(spans_x, tile.x[1]) {
            let (left, top) = (x * SUBPIXELS, y * SUBPIXELS);
            let mut at_pixel = [zero; 3];
            let mut may_cover = true;
            for edge in 0..3 {
                let [ax, ay] = triangle.corners[edge];
                at_pixel[edge] =
                    slopes[edge][0] * W::of(left - ax) + slopes[edge][1] * W::of(top - ay);
                may_cover &= at_pixel[edge] + most[edge] >= zero;
            }
            if !may_cover {
                continue;
            }
            let [ax, ay] = triangle.corners[0];
            let depth = (depth
                + depth_along_x * f64::from(left - ax)
                + depth_along_y * f64::from(top - ay)) as f32;
            let pixel = (y - tile.y[0]) as usize * tile.width() + (x - tile.x[0]) as usize;
            let mut cover = Cover { pixel, at: [x, y], inside: [0; N], depths: [0.0; N] };
            for sample in 0..N {
                let signs = (at_pixel[0] + at_sample[0][sample])
                    | (at_pixel[1] + at_sample[1][sample])
                    | (at_pixel[2] + at_sample[2][sample]);
                cover.inside[sample] = signs.sign();
                cover.depths[sample] = (depth + depth_at_sample[sample]).max(nearest).min(farthest);
            }
            visit(&cover);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec4};

    use super::super::screen::{Viewport, push_triangle};
    use super::*;

    const SIDE: u32 = 48;

    /// Covered samples of a fan of triangles around a point, over the whole picture and past it.
    fn counts(center: [f32; 2], rays: usize, reach: f32) -> Vec<u32> {
        let viewport = Viewport { clip_from_model: Mat4::IDENTITY, width: SIDE, height: SIDE };
        let on_circle = |ray: usize| {
            let (sin, cos) = (ray as f32 * std::f32::consts::TAU / rays as f32).sin_cos();
            Vec4::new(center[0] + reach * cos, center[1] + reach * sin, 0.5, 1.0)
        };
        let mut triangles = Vec::new();
        for ray in 0..rays {
            let next = on_circle((ray + 1) % rays);
            let corners = [Vec4::new(center[0], center[1], 0.5, 1.0), on_circle(ray), next];
            push_triangle(&mut triangles, &viewport, corners, ray as u32);
        }
        let tile = Tile { x: [0, SIDE as i32], y: [0, SIDE as i32] };
        let mut counts = vec![0; tile.num_pixels() * 16];
        for triangle in &triangles {
            fill(triangle, &tile, &SIXTEEN, |cover| {
                for (sample, inside) in cover.inside.iter().enumerate() {
                    counts[cover.pixel * 16 + sample] += u32::from(*inside >= 0);
                }
            });
        }
        counts
    }

    #[test]
    fn a_closed_fan_covers_every_sample_once() {
        for (index, reach) in [3.0, 4.5, 40.0].into_iter().enumerate() {
            let center = [0.03 * index as f32 - 0.1, 0.17];
            assert!(counts(center, 5 + 32 * index, reach).iter().all(|&count| count == 1));
        }
    }

    #[test]
    fn a_small_fan_covers_no_sample_twice_and_its_own_area() {
        let counts = counts([0.125, -0.25], 24, 0.5);
        assert!(counts.iter().all(|&count| count <= 1));
        let polygon = 12.0 * (std::f32::consts::TAU / 24.0).sin() * 0.25;
        let expected = polygon * 0.25 * (SIDE * SIDE * 16) as f32;
        let found: u32 = counts.iter().sum();
        assert!((found as f32 - expected).abs() < 0.01 * expected, "{found} of {expected}");
    }

    #[test]
    fn every_sixteenth_of_a_pixel_has_a_sample() {
        for places in [SIXTEEN.x, SIXTEEN.y] {
            let mut places = places;
            places.sort_unstable();
            assert_eq!(places, std::array::from_fn(|place| 16 * place as i32 + 8));
        }
    }
}
