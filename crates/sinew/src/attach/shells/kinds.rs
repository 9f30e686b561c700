//! Which shells keep their shapes, and which of those ride on what is below them.

use std::collections::BTreeMap;

use glam::DVec3;

use super::{Bridge, ShellInput, ShellKind};
use crate::mesh::Components;
use crate::weights::Influence;

/// Weights that differ by no more than this from the shell's mean are the same everywhere.
const SAME_WEIGHT: f64 = 0.02;

/// From this weight on a joint has the shell by itself.
const ALONE: f64 = 0.98;

/// A shell of several joints is rigid only if its radius is below this over the diagonal. Larger
/// ones stay soft: the plates of a robot, all rigid, were worse than
/// linear.
const MOST_RADIUS_OVER_DIAGONAL: f64 = 0.06;

/// A shell rides only if its radius is below this over the diagonal: buttons and buckles. Pouches
/// twice as large tilt with the belt below them.
const RIDER_RADIUS_OVER_DIAGONAL: f64 = 0.03;

/// What a shell rides on is at least this many times as large.
const HOST_OVER_RIDER: f64 = 2.5;

/// How much of a shell's points, by their confidence, must be tied to one that it rides on.
const LEAST_TIED: f64 = 0.15;

/// The mean weights of each shell that has the same everywhere, or was decided to be rigid; empty
/// for the others.
pub(super) fn constant_rows(
    input: &ShellInput<'_>,
    components: &Components,
    has_triangles: &[bool],
) -> Vec<Vec<Influence>> {
    let of_shell = |shell: usize| {
        let points = components.points(shell as u32);
        let choice = points.first().and_then(|&p| input.pieces.rigid.get(p as usize)).copied();
        let choice = choice.flatten();
        if choice == Some(false) || !has_triangles[shell] {
            return Vec::new();
        }
        let mean = mean_row(input, points);
        let is_same = |&point: &u32| {
            let row = input.weights.row(point as usize);
            let weight = |joint: u32| {
                let own = row.iter().find(|influence| influence.joint == joint);
                own.map_or(0.0, |influence| f64::from(influence.weight))
            };
            mean.iter().all(|&(joint, mean)| (weight(joint) - mean).abs() <= SAME_WEIGHT)
        };
        if choice != Some(true) && !points.iter().all(is_same) {
            return Vec::new();
        }
        match mean.iter().find(|(_, weight)| *weight >= ALONE) {
            Some(&(joint, _)) => vec![Influence { joint, weight: 1.0 }],
            None => {
                let row = mean.iter();
                row.map(|&(joint, weight)| Influence { joint, weight: weight as f32 }).collect()
            }
        }
    };
    (0..components.len()).map(of_shell).collect()
}

fn mean_row(input: &ShellInput<'_>, points: &[u32]) -> Vec<(u32, f64)> {
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for &point in points {
        for influence in input.weights.row(point as usize) {
            *sums.entry(influence.joint).or_default() += f64::from(influence.weight);
        }
    }
    let total: f64 = sums.values().sum();
    sums.into_iter().filter(|_| total > 0.0).map(|(joint, sum)| (joint, sum / total)).collect()
}

/// How each shell moves.
pub(super) fn find(
    input: &ShellInput<'_>,
    components: &Components,
    (rows, bridges): (&[Vec<Influence>], &[Bridge]),
    diagonal: f64,
) -> Vec<ShellKind> {
    let radii: Vec<f64> = (0..components.len() as u32)
        .map(|shell| radius(input.points, components.points(shell)))
        .collect();
    let is_small = |shell: usize| radii[shell] < MOST_RADIUS_OVER_DIAGONAL * diagonal;
    let may_ride = |shell: usize| radii[shell] < RIDER_RADIUS_OVER_DIAGONAL * diagonal;
    let is_chosen = |shell: usize| {
        let first = components.points(shell as u32).first().map(|&point| point as usize);
        first.and_then(|first| input.pieces.rigid.get(first)).copied().flatten() == Some(true)
    };
    let is_held = |shell: usize| {
        let first = components.points(shell as u32).first().map(|&point| point as usize);
        first.and_then(|first| input.pieces.held.get(first)).copied().unwrap_or(false)
    };
    let mut kinds: Vec<ShellKind> = (0..components.len())
        .map(|shell| match rows[shell].len() {
            0 => ShellKind::Soft,
            1 => ShellKind::Rigid,
            _ if is_small(shell) || is_chosen(shell) => ShellKind::Rigid,
            _ => ShellKind::Soft,
        })
        .collect();
    // How much each rigid shell is tied to each that is large enough to ride on.
    let mut tied: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    let shell_of = |point: u32| components.of_point()[point as usize];
    for bridge in bridges {
        let (own, host) = (shell_of(bridge.point), shell_of(bridge.corners[0]));
        let is_rigid = kinds[own as usize] == ShellKind::Rigid && may_ride(own as usize);
        if is_rigid && radii[host as usize] >= HOST_OVER_RIDER * radii[own as usize] {
            *tied.entry((own, host)).or_default() += bridge.confidence;
        }
    }
    for ((own, _), confidence) in tied {
        let num_points = components.points(own).len() as f64;
        if confidence >= LEAST_TIED * num_points && !is_held(own as usize) {
            kinds[own as usize] = ShellKind::Rider;
        }
    }
    kinds
}

/// The largest distance from the middle of a box around the points.
fn radius(points: &[DVec3], of: &[u32]) -> f64 {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let places = || of.iter().map(|&point| points[point as usize]).filter(|p| p.is_finite());
    let (low, high) = places().fold(start, |(low, high), p| (low.min(p), high.max(p)));
    let middle = 0.5 * (low + high);
    places().map(|p| p.distance(middle)).fold(0.0, f64::max)
}
