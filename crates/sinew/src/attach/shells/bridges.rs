//! Bridges between shells: who is beside whom, and meant to stay there.

use rayon::prelude::*;

use super::overlap::overlap;
use super::{Bridge, ShellInput, smooth_step};
use crate::mesh::{Components, ShellTree};

/// How far another shell may be away, over the diagonal. Half of it ties less than there is, half
/// as much again ties no better.
const REACH_OVER_DIAGONAL: f64 = 0.02;

/// Weights that overlap by less tie nothing, and from this plus the next on all that they can.
const LEAST_OVERLAP: f64 = 0.4;
const OVERLAP_RANGE: f64 = 0.5;

/// A weaker tie is none.
const LEAST_CONFIDENCE: f64 = 0.01;

/// Shells that a point is tied to at the most.
const MOST_SHELLS: usize = 2;

/// By their points.
pub(super) fn find(input: &ShellInput<'_>, components: &Components, diagonal: f64) -> Vec<Bridge> {
    let reach = REACH_OVER_DIAGONAL * diagonal;
    if reach <= 0.0 || input.strength <= 0.0 {
        return Vec::new();
    }
    let tree = ShellTree::new(input.points, input.triangles, components.of_point());
    let of_point = |point: u32| {
        let own = components.of_point()[point as usize];
        let place = input.points[point as usize];
        let hits = tree.closest_of_others::<MOST_SHELLS>(place, own, reach);
        hits.into_iter().flatten().filter_map(move |hit| {
            let corners = input.triangles[hit.triangle as usize];
            let overlap = overlap(input, point, corners, hit.shares);
            let near = 1.0 - (hit.distance / reach).powi(2);
            let alike = smooth_step((overlap - LEAST_OVERLAP) / OVERLAP_RANGE);
            let confidence = input.strength * alike * near;
            let shares = hit.shares;
            let bridge = Bridge { point, corners, shares, confidence };
            (confidence >= LEAST_CONFIDENCE).then_some(bridge)
        })
    };
    (0..input.points.len() as u32)
        .into_par_iter()
        .with_min_len(256)
        .flat_map_iter(of_point)
        .collect()
}
