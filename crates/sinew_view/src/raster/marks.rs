//! Lines, discs and facets as triangles of the picture, in the order in which they are laid over
//! it.

use glam::{Vec2, Vec3, Vec4};

use super::bins::Bins;
use super::fill::{Pattern, Tile, fill};
use super::screen::{SUBPIXELS, ScreenTriangle, Viewport, clipped, push_triangle};
use crate::scene::{Facet, Line, Marks};

/// From this opacity on a mark hides what is behind it.
const OPAQUE: f32 = 0.999;

/// All marks among the surfaces, or all in front of them.
pub(super) struct MarkLayer<const N: usize> {
    pattern: &'static Pattern<N>,
    marks: Vec<Mark>,
    triangles: Vec<ScreenTriangle>,
    bins: Bins,
}

/// One mark on the screen.
struct Mark {
    /// Linear, shaded.
    color: Vec3,
    opacity: f32,
    corners: Vec<[Vec4; 3]>,
    /// Middle and radius in pixels.
    disc: Option<(Vec2, f32)>,
    /// Mean clip depth, 0 near.
    depth: f32,
}

impl<const N: usize> MarkLayer<N> {
    /// `nearer` is taken off the clip depth of every corner.
    pub(super) fn new(
        marks: &Marks,
        viewport: &Viewport,
        eye: Vec3,
        nearer: f32,
        pattern: &'static Pattern<N>,
    ) -> Self {
        let clip = |position: Vec3| {
            let mut clip = viewport.clip_from_model * position.extend(1.0);
            clip.z -= nearer;
            clip
        };
        let mut all: Vec<Mark> = Vec::new();
        all.extend(
            marks.facets.iter().map(|facet| facet_mark(facet, facet.corners.map(clip), eye)),
        );
        all.extend(
            marks.lines.iter().filter_map(|line| line_mark(line, line.ends.map(clip), viewport)),
        );
        all.extend(marks.discs.iter().filter_map(|disc| {
            let center = clip(disc.center);
            let in_pixels = pixel(center, viewport)?;
            let reach = Vec2::splat(disc.radius_px.max(0.0));
            let corner = |x: f32, y: f32| moved(center, reach * Vec2::new(x, y), viewport);
            let [a, b, c, d] =
                [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            Some(Mark {
                disc: Some((in_pixels, disc.radius_px)),
                ..Mark::new(disc.color, vec![[a, b, c], [a, c, d]], &[center])
            })
        }));
        all.retain(|mark| mark.opacity > 0.0 && mark.depth.is_finite());
        // Stable: marks of one depth stay in the order in which they were given.
        all.sort_by(|a, b| match (a.opacity >= OPAQUE, b.opacity >= OPAQUE) {
            (true, true) => std::cmp::Ordering::Equal,
            (true, false) => std::cmp::Ordering::Less,
            (false, true) => std::cmp::Ordering::Greater,
            (false, false) => b.depth.total_cmp(&a.depth),
        });
        let mut triangles = Vec::new();
        for (index, mark) in all.iter().enumerate() {
            for &corners in &mark.corners {
                push_triangle(&mut triangles, viewport, corners, index as u32);
            }
        }
        let whole = Tile { x: [0, viewport.width as i32], y: [0, viewport.height as i32] };
        let bins = Bins::new(&triangles, whole);
        Self { pattern, marks: all, triangles, bins }
    }

    pub(super) fn touches(&self, column: usize, row: usize) -> bool {
        !self.bins.triangles(column, row).is_empty()
    }

    /// Lays the marks over a tile's samples; colours have been multiplied by their opacity.
    pub(super) fn draw(&self, column: usize, row: usize, depths: &mut [f32], colors: &mut [Vec4]) {
        let tile = self.bins.tile(column, row);
        for &index in self.bins.triangles(column, row) {
            let triangle = &self.triangles[index as usize];
            let mark = &self.marks[triangle.id as usize];
            let is_opaque = mark.opacity >= OPAQUE;
            let over = if is_opaque {
                mark.color.extend(1.0)
            } else {
                (mark.opacity * mark.color).extend(mark.opacity)
            };
            fill(triangle, &tile, self.pattern, |cover| {
                for sample in 0..N {
                    let at = cover.pixel * N + sample;
                    if cover.inside[sample] < 0
                        || cover.depths[sample] >= depths[at]
                        || !mark.is_at(cover.at, sample, self.pattern)
                    {
                        continue;
                    }
                    colors[at] = over + (1.0 - over.w) * colors[at];
                    if is_opaque {
                        depths[at] = cover.depths[sample];
                    }
                }
            });
        }
    }
}

impl Mark {
    fn new(color: [f32; 4], corners: Vec<[Vec4; 3]>, middle_of: &[Vec4]) -> Self {
        let [r, g, b, opacity] = color;
        let depths = middle_of.iter().map(|corner| corner.z / corner.w);
        Self {
            color: Vec3::new(r, g, b),
            opacity: opacity.clamp(0.0, 1.0),
            corners,
            disc: None,
            depth: depths.sum::<f32>() / middle_of.len() as f32,
        }
    }

    fn is_at<const N: usize>(&self, pixel: [i32; 2], sample: usize, pattern: &Pattern<N>) -> bool {
        let Some((center, radius)) = self.disc else { return true };
        let step = 1.0 / SUBPIXELS as f32;
        let x = pixel[0] as f32 + step * pattern.x[sample] as f32;
        let y = pixel[1] as f32 + step * pattern.y[sample] as f32;
        center.distance_squared(Vec2::new(x, y)) <= radius * radius
    }
}

fn facet_mark(facet: &Facet, corners: [Vec4; 3], eye: Vec3) -> Mark {
    let [a, b, c] = facet.corners;
    let n = (b - a).cross(c - a).normalize_or_zero();
    let v = (eye - (a + b + c) / 3.0).normalize_or_zero();
    let mut mark = Mark::new(facet.color, vec![corners], &corners);
    mark.color *= 0.5 + 0.5 * n.dot(v).abs();
    mark
}

/// A quad of the line's width around what of it is in front of the eye.
fn line_mark(line: &Line, ends: [Vec4; 2], viewport: &Viewport) -> Option<Mark> {
    if !ends.iter().all(|end| end.is_finite()) {
        return None;
    }
    // A polygon of two corners: each cut is found twice.
    let mut kept = clipped(&ends, |c| c.z);
    kept = clipped(&kept, |c| c.w - c.z);
    let (&from, &to) = (
        kept.first()?,
        kept.iter()
            .max_by(|a, b| a.distance_squared(kept[0]).total_cmp(&b.distance_squared(kept[0])))?,
    );
    let along = (pixel(to, viewport)? - pixel(from, viewport)?).normalize_or_zero();
    let aside = 0.5 * line.width_px.max(0.0) * along.perp();
    let [a, b] = [from, to].map(|end| moved(end, aside, viewport));
    let [d, c] = [from, to].map(|end| moved(end, -aside, viewport));
    Some(Mark::new(line.color, vec![[a, b, c], [a, c, d]], &[from, to]))
}

/// Where a corner is in the picture; `None` behind the eye.
fn pixel(clip: Vec4, viewport: &Viewport) -> Option<Vec2> {
    let place = viewport.homogeneous_pixel(clip);
    let at = (place.truncate() / place.z).as_vec2();
    (clip.w > 0.0 && at.is_finite()).then_some(at)
}

/// The corner, some pixels aside at the same depth.
fn moved(clip: Vec4, by_px: Vec2, viewport: &Viewport) -> Vec4 {
    let x = 2.0 * by_px.x / viewport.width as f32 * clip.w;
    let y = -2.0 * by_px.y / viewport.height as f32 * clip.w;
    clip + Vec4::new(x, y, 0.0, 0.0)
}
