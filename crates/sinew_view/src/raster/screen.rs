//! Triangles on their way to pixels: clipped, projected, snapped to a grid of 1/256 pixel as
//! graphics cards do.
//!
//! Snapped corners make edge functions whole numbers, so that two triangles with an edge in common
//! leave no gap and share no sample, whatever their order; and the CPU names the same triangle as a
//! card does.

use glam::{DVec3, Mat4, Vec4};

/// Steps of the grid in a pixel: the 8 bits that Vulkan, Metal and DX12 devices have.
pub(super) const SUBPIXELS: i32 = 256;

/// Corners are clipped this many half pictures from the middle: coordinates then fit the arithmetic
/// below for any picture of less than 16,384 pixels, and hardly any triangle is clipped at all.
const GUARD: f32 = 16.0;

/// From clip space to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewport {
    pub(super) clip_from_model: Mat4,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Viewport {
    fn half_size(&self) -> (f32, f32) {
        (0.5 * self.width as f32, 0.5 * self.height as f32)
    }

    /// `(x·w, y·w, w)` with `x` and `y` in pixels from the top left corner: a corner as it is
    /// before the division, also behind the eye.
    pub(super) fn homogeneous_pixel(&self, clip: Vec4) -> DVec3 {
        let [x, y, _, w] = clip.to_array().map(f64::from);
        DVec3::new(0.5 * (x + w) * f64::from(self.width), 0.5 * (w - y) * f64::from(self.height), w)
    }
}

/// A triangle that samples can be tested against.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScreenTriangle {
    /// In 1/256 pixel from the top left corner; the turn is always the same, clockwise to the eye.
    pub(super) corners: [[i32; 2]; 3],
    /// Depth at the first corner, and its slopes a step of the grid.
    pub(super) depth: [f64; 3],
    /// Where rounding must not take it out of.
    pub(super) depth_range: [f32; 2],
    /// Who it is a piece of.
    pub(super) id: u32,
}

impl ScreenTriangle {
    /// First and last grid line in a direction (0: x, 1: y).
    pub(super) fn span(&self, axis: usize) -> (i32, i32) {
        let [a, b, c] = self.corners.map(|corner| corner[axis]);
        (a.min(b).min(c), a.max(b).max(c))
    }
}

/// Adds what is left of a triangle inside of the view; nothing if a corner is not a number.
pub(super) fn push_triangle(
    out: &mut Vec<ScreenTriangle>,
    viewport: &Viewport,
    corners: [Vec4; 3],
    id: u32,
) {
    if !corners.iter().all(|corner| corner.is_finite()) {
        return;
    }
    let inside_of_all = |distance: fn(&Vec4) -> f32| corners.iter().all(|c| distance(c) >= 0.0);
    let outside_of_one = |distance: fn(&Vec4) -> f32| corners.iter().all(|c| distance(c) < 0.0);
    const VIEW: [fn(&Vec4) -> f32; 6] =
        [|c| c.z, |c| c.w - c.z, |c| c.w + c.x, |c| c.w - c.x, |c| c.w + c.y, |c| c.w - c.y];
    if VIEW.into_iter().any(outside_of_one) {
        return;
    }
    const CUTS: [fn(&Vec4) -> f32; 6] = [
        |c| c.z,
        |c| c.w - c.z,
        |c| GUARD * c.w + c.x,
        |c| GUARD * c.w - c.x,
        |c| GUARD * c.w + c.y,
        |c| GUARD * c.w - c.y,
    ];
    if CUTS.into_iter().all(inside_of_all) {
        push_clipped(out, viewport, corners, id);
        return;
    }
    let mut polygon = corners.to_vec();
    for distance in CUTS {
        polygon = clipped(&polygon, distance);
    }
    for corner in 2..polygon.len() {
        push_clipped(out, viewport, [polygon[0], polygon[corner - 1], polygon[corner]], id);
    }
}

/// The part of a convex polygon where the distance is not negative (I. Sutherland and G. Hodgman,
/// 1974).
pub(super) fn clipped(polygon: &[Vec4], distance: fn(&Vec4) -> f32) -> Vec<Vec4> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (index, &to) in polygon.iter().enumerate() {
        let from = polygon[(index + polygon.len() - 1) % polygon.len()];
        let (at_from, at_to) = (distance(&from), distance(&to));
        if (at_from < 0.0) != (at_to < 0.0) {
            kept.push(from.lerp(to, at_from / (at_from - at_to)));
        }
        if at_to >= 0.0 {
            kept.push(to);
        }
    }
    kept
}

fn push_clipped(out: &mut Vec<ScreenTriangle>, viewport: &Viewport, corners: [Vec4; 3], id: u32) {
    if corners.iter().any(|corner| corner.w <= 0.0) {
        return;
    }
    let (half_width, half_height) = viewport.half_size();
    let snap = |c: Vec4| {
        let x = c.x / c.w * half_width + half_width;
        let y = half_height - c.y / c.w * half_height;
        [x, y].map(|at| (at * SUBPIXELS as f32).round_ties_even() as i32)
    };
    let mut at = corners.map(snap);
    let mut depths = corners.map(|c| f64::from(c.z / c.w));
    let mut area = turn(at);
    if area == 0 {
        return;
    }
    if area < 0 {
        at.swap(1, 2);
        depths.swap(1, 2);
        area = -area;
    }
    let offset = |corner: usize, axis: usize| f64::from(at[corner][axis] - at[0][axis]);
    let (rise_1, rise_2) = (depths[1] - depths[0], depths[2] - depths[0]);
    let along_x = (rise_1 * offset(2, 1) - rise_2 * offset(1, 1)) / area as f64;
    let along_y = (rise_2 * offset(1, 0) - rise_1 * offset(2, 0)) / area as f64;
    let [a, b, c] = depths.map(|depth| depth as f32);
    out.push(ScreenTriangle {
        corners: at,
        depth: [depths[0], along_x, along_y],
        depth_range: [a.min(b).min(c), a.max(b).max(c)],
        id,
    });
}

/// Twice the area; positive if clockwise to the eye, as y runs down.
fn turn([a, b, c]: [[i32; 2]; 3]) -> i64 {
    let [ax, ay, bx, by, cx, cy] = [a[0], a[1], b[0], b[1], c[0], c[1]].map(i64::from);
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use glam::camera::rh::proj::directx::perspective;

    use super::*;

    fn viewport() -> Viewport {
        Viewport { clip_from_model: perspective(1.0, 1.0, 0.1, 10.0), width: 100, height: 100 }
    }

    fn pieces(corners: [Vec3; 3]) -> Vec<ScreenTriangle> {
        let viewport = viewport();
        let mut out = Vec::new();
        let clip = corners.map(|p| viewport.clip_from_model * p.extend(1.0));
        push_triangle(&mut out, &viewport, clip, 0);
        out
    }

    #[test]
    fn what_reaches_behind_the_eye_is_cut_and_stays_in_the_depth_range() {
        let corners =
            [Vec3::new(-1.0, -0.5, -5.0), Vec3::new(1.0, -0.5, -5.0), Vec3::new(0.0, -0.5, 5.0)];
        let found = pieces(corners);
        assert!(!found.is_empty());
        for piece in found {
            assert!((0.0..=1.0).contains(&piece.depth_range[0]));
            assert!((0.0..=1.0).contains(&piece.depth_range[1]));
        }
    }

    #[test]
    fn what_is_outside_or_no_number_is_nothing() {
        let behind =
            [Vec3::new(-1.0, 0.0, 5.0), Vec3::new(1.0, 0.0, 5.0), Vec3::new(0.0, 1.0, 5.0)];
        assert!(pieces(behind).is_empty());
        let no_number = [Vec3::new(f32::NAN, 0.0, -1.0), Vec3::X, Vec3::Y];
        assert!(pieces(no_number).is_empty());
        let infinite = [Vec3::new(0.0, f32::INFINITY, -1.0), Vec3::X, Vec3::Y];
        assert!(pieces(infinite).is_empty());
    }
}
