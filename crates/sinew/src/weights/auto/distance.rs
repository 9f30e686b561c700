//! How far points are from bones.

use rayon::prelude::*;

use super::bones::Bones;
use super::pieces::Pieces;
use super::solid::Solid;
use super::{AutoError, Row, check};
use crate::mesh::SegmentTree;
use crate::progress::Progress;

/// Bones that sight is looked for from a point.
const NUM_NEAREST: usize = 6;
/// A way around a corner counts as so much longer.
const AROUND: f64 = 1.5;
/// What no way leads to is so much further than it looks.
const APART: f64 = 3.0;

/// The nearest joint of each point, and how far it is.
pub(super) type Nearest = Vec<(u32, f64)>;

/// As the crow flies.
pub(super) fn straight(pieces: &Pieces, bones: &Bones) -> Nearest {
    let nearest = |&point: &glam::DVec3| {
        let of = |entry: usize| (bones.joints[entry], bones.closest(entry, point).distance(point));
        let all = (0..bones.joints.len()).map(of);
        all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    };
    pieces.points.par_iter().map(nearest).collect()
}

/// `1/d⁴`.
pub(super) fn inverse(pieces: &Pieces, bones: &Bones) -> Vec<Row> {
    let least = 1e-4 * pieces.diagonal.max(f64::MIN_POSITIVE);
    let row = |&point: &glam::DVec3| {
        let of = |entry: usize| {
            let distance = bones.closest(entry, point).distance(point).max(least);
            (bones.joints[entry], (least / distance).powi(4))
        };
        (0..bones.joints.len()).map(of).collect()
    };
    pieces.points.par_iter().map(row).collect()
}

/// Straight where nothing is between, else through the solid.
pub(super) fn through_the_body(
    pieces: &Pieces,
    bones: &Bones,
    progress: &dyn Progress,
) -> Result<Nearest, AutoError> {
    progress.report("finding ways through the body", 0.0);
    let corners = |t: &[u32; 3]| t.map(|corner| pieces.points[corner as usize]);
    let tree = SegmentTree::new(pieces.triangles.iter().map(corners));
    let solid = Solid::of(pieces);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let num = bones.joints.len();
    let ways: Vec<Vec<f32>> = bones
        .segments
        .par_iter()
        .map(|segments| {
            check(progress)?;
            let ways = solid.ways_from(segments);
            let before = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            progress.report("finding ways through the body", (before + 1) as f32 / num as f32);
            Ok(ways)
        })
        .collect::<Result<_, AutoError>>()?;
    check(progress)?;
    let nearest = |&point: &glam::DVec3| {
        let mut near: Vec<(usize, f64, glam::DVec3)> = (0..num)
            .map(|entry| {
                let place = bones.closest(entry, point);
                (entry, place.distance(point), place)
            })
            .collect();
        near.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut best: (u32, f64) = (bones.joints[near[0].0], f64::INFINITY);
        for (rank, &(entry, straight, place)) in near.iter().enumerate() {
            // No way is shorter than the straight one.
            if straight >= best.1 {
                break;
            }
            // The triangles at the point itself are not between.
            let from = point.lerp(place, 1e-3);
            let is_seen = rank < NUM_NEAREST && !tree.is_crossed(from, place);
            let distance = if is_seen {
                straight
            } else {
                let way = solid.way_to(&ways[entry], point);
                if way.is_finite() { straight.max(AROUND * way) } else { APART * straight }
            };
            if distance < best.1 {
                best = (bones.joints[entry], distance);
            }
        }
        best
    };
    Ok(pieces.points.par_iter().map(nearest).collect())
}
