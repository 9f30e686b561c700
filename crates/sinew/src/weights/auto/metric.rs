//! Weights by a distance to every bone alone: through a solid of cells, along the surface, within
//! envelopes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::bones::Bones;
use super::distance;
use super::pieces::Pieces;
use super::solid::Solid;
use super::{AutoError, Row, check};
use crate::mesh::Adjacency;
use crate::progress::Progress;

/// Dionne and de Lasa's α: how smoothly weights fall off.
const VOXEL_SMOOTHNESS: f64 = 0.5;
/// What no way leads to is so much further than it looks.
const APART: f64 = 3.0;
/// An envelope's radius over the length of its bone, and over the diagonal at least.
const ENVELOPE_OVER_BONE: f64 = 0.6;
const ENVELOPE_OVER_DIAGONAL: f64 = 0.03;

/// *Geodesic Voxel Binding* (Dionne and de Lasa 2013): `1/((1 − α) d + α d²)²` of the way through
/// the solid, in diagonals.
pub(super) fn voxel(
    pieces: &Pieces,
    bones: &Bones,
    progress: &dyn Progress,
) -> Result<Vec<Row>, AutoError> {
    let solid = Solid::of(pieces);
    let diagonal = pieces.diagonal.max(f64::MIN_POSITIVE);
    let ways: Vec<Vec<f32>> = bones
        .segments
        .par_iter()
        .map(|segments| {
            check(progress)?;
            Ok(solid.ways_from(segments))
        })
        .collect::<Result<_, AutoError>>()?;
    let row = |&point: &glam::DVec3| -> Row {
        let of = |entry: usize| {
            let straight = bones.closest(entry, point).distance(point);
            let way = solid.way_to(&ways[entry], point);
            let way = if way.is_finite() { way.max(straight) } else { APART * straight };
            let far = (way / diagonal).max(1e-4);
            let value = (1.0 - VOXEL_SMOOTHNESS) * far + VOXEL_SMOOTHNESS * far * far;
            (bones.joints[entry], 1.0 / (value * value))
        };
        (0..bones.joints.len()).map(of).collect()
    };
    Ok(pieces.points.par_iter().map(row).collect())
}

/// Along the surface: each point is at its nearest bone's distance from it, and as much further
/// from another as the way along edges to that one's points is long; `1/d⁴` of that.
pub(super) fn geodesic(
    pieces: &Pieces,
    bones: &Bones,
    progress: &dyn Progress,
) -> Result<Vec<Row>, AutoError> {
    let nearest = distance::straight(pieces, bones);
    let adjacency = Adjacency::of_triangles(pieces.points.len(), &pieces.triangles);
    let ways: Vec<Vec<f32>> = bones
        .joints
        .par_iter()
        .map(|&joint| {
            check(progress)?;
            let own = |point: &u32| nearest[*point as usize].0 == joint;
            let seeds = (0..pieces.points.len() as u32).filter(own);
            Ok(along_edges(pieces, &adjacency, seeds))
        })
        .collect::<Result<_, AutoError>>()?;
    let least = 1e-3 * pieces.diagonal.max(f64::MIN_POSITIVE);
    let row = |point: usize| -> Row {
        let (_, own) = nearest[point];
        let of = |entry: usize| {
            let way = f64::from(ways[entry][point]);
            // A piece of its own: as the crow flies.
            let place = pieces.points[point];
            let straight = bones.closest(entry, place).distance(place);
            let far = if way.is_finite() { own + way } else { APART * straight };
            (bones.joints[entry], (least / far.max(least)).powi(4))
        };
        (0..bones.joints.len()).map(of).collect()
    };
    Ok((0..pieces.points.len()).into_par_iter().map(row).collect())
}

fn along_edges(
    pieces: &Pieces,
    adjacency: &Adjacency,
    seeds: impl Iterator<Item = u32>,
) -> Vec<f32> {
    let mut ways = vec![f32::INFINITY; pieces.points.len()];
    let mut open = BinaryHeap::new();
    for seed in seeds {
        ways[seed as usize] = 0.0;
        open.push(Reverse((0u32, seed)));
    }
    while let Some(Reverse((bits, point))) = open.pop() {
        let way = f32::from_bits(bits);
        if way > ways[point as usize] {
            continue;
        }
        for &next in adjacency.ring(point as usize) {
            let [a, b] = [point, next].map(|point| pieces.points[point as usize]);
            let length = way + a.distance(b) as f32;
            if length < ways[next as usize] {
                ways[next as usize] = length;
                // Bits of positive floats are in their order.
                open.push(Reverse((length.to_bits(), next)));
            }
        }
    }
    ways
}

/// Within capsules around bones, falling off to their rims; where there is none, the nearest bone.
pub(super) fn envelope(pieces: &Pieces, bones: &Bones) -> Vec<Row> {
    let radius: Vec<f64> = (bones.segments.iter())
        .map(|segments| {
            let longest = segments.iter().map(|[from, to]| from.distance(*to)).fold(0.0, f64::max);
            (ENVELOPE_OVER_BONE * longest).max(ENVELOPE_OVER_DIAGONAL * pieces.diagonal)
        })
        .collect();
    let row = |&point: &glam::DVec3| -> Row {
        let distance = |entry: usize| bones.closest(entry, point).distance(point);
        let of = |entry: usize| {
            let share = 1.0 - distance(entry) / radius[entry].max(f64::MIN_POSITIVE);
            (bones.joints[entry], share.max(0.0).powi(2))
        };
        let row: Row = (0..bones.joints.len()).map(of).filter(|entry| entry.1 > 0.0).collect();
        if !row.is_empty() {
            return row;
        }
        let nearest = (0..bones.joints.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        nearest.map(|entry| (bones.joints[entry], 1.0)).into_iter().collect()
    };
    pieces.points.par_iter().map(row).collect()
}
