//! The upright plane across which a cloud of points is its own mirror image.

use glam::Vec3;

/// Points whose image is looked for.
const NUM_ASKED: usize = 160;
/// Points that it is looked for among.
const NUM_KNOWN: usize = 6_000;
/// Half a turn in steps of ten degrees, and then of one.
const COARSE_STEPS: usize = 18;
/// A plane is the body's own if images miss by so much less than across the next best, which lies
/// at least so many coarse steps away.
const CLEARLY_BETTER: f32 = 0.75;
const STEPS_APART: usize = 3;
/// And by no more than this over the size.
const MOST_MISSED: f32 = 0.02;

/// An image that misses by less than this over the size is the same.
const SAME: f32 = 0.002;

/// True if points are their own image across the upright plane square to `across`.
pub(super) fn is_mirrored(points: &[Vec3], middle: Vec3, across: Vec3) -> bool {
    let Some((asked, known, size)) = looked_at(points, middle) else { return false };
    missed(&asked, &known, middle, across) < SAME * size
}

/// Points whose image is looked for, those that it is looked for among, and how far they reach.
fn looked_at(points: &[Vec3], middle: Vec3) -> Option<(Vec<Vec3>, Vec<Vec3>, f32)> {
    if points.len() < 16 {
        return None;
    }
    let some = |num: usize| points.iter().step_by(points.len().div_ceil(num)).copied().collect();
    let size = points.iter().map(|p| p.distance(middle)).fold(0.0_f32, f32::max);
    Some((some(NUM_ASKED), some(NUM_KNOWN), size))
}

/// Square to the plane, through `middle`; `None` where no plane, or more than one, fits.
pub(super) fn lateral(points: &[Vec3], middle: Vec3) -> Option<Vec3> {
    let (asked, known, size) = looked_at(points, middle)?;
    let missed = |degrees: f32| missed(&asked, &known, middle, across(degrees)) / size;
    let step = 180.0 / COARSE_STEPS as f32;
    let coarse: Vec<f32> = (0..COARSE_STEPS).map(|index| missed(index as f32 * step)).collect();
    let best = (0..COARSE_STEPS).min_by(|&a, &b| coarse[a].total_cmp(&coarse[b]))?;
    let far = |&index: &usize| {
        let apart = index.abs_diff(best);
        apart.min(COARSE_STEPS - apart) >= STEPS_APART
    };
    let next = (0..COARSE_STEPS).filter(far).map(|index| coarse[index]).fold(f32::MAX, f32::min);
    let fine = (-9..=9).map(|offset| best as f32 * step + offset as f32);
    let (degrees, least) = fine
        .map(|degrees| (degrees, missed(degrees)))
        .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.abs().total_cmp(&b.0.abs())))?;
    (least < MOST_MISSED && least < CLEARLY_BETTER * next).then(|| across(degrees))
}

fn across(degrees: f32) -> Vec3 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Vec3::new(cos, 0.0, sin)
}

/// How far, in the mean, images lie from the nearest point.
fn missed(asked: &[Vec3], known: &[Vec3], middle: Vec3, lateral: Vec3) -> f32 {
    let nearest = |&point: &Vec3| {
        let image = point - 2.0 * (point - middle).dot(lateral) * lateral;
        let nearest = known.iter().map(|k| k.distance_squared(image)).fold(f32::MAX, f32::min);
        nearest.sqrt()
    };
    asked.iter().map(nearest).sum::<f32>() / asked.len() as f32
}
