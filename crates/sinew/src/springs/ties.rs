//! From shells to springs: what ties them, what is held, and where guards are left out.

use super::anchored::Tie;
use crate::attach::shells::{ShellKind, Shells, smooth_step};
use crate::skin::BoneSmoothRig;

/// The stiffness of a bridge over its confidence. At 8 tied gaps are a quarter narrower, but skin
/// between bones of very different turns pops.
const STIFFNESS: f64 = 3.0;

/// A tie that is softer than this is left out.
const LEAST_STIFFNESS: f64 = 0.03;

/// The share of its bone from which on a point of a layered character has a length guard, and how
/// much more there must be for all of it: skin that is carried by another bone slides past the
/// attachment, and the guard would push it.
const GUARDED_FROM: f64 = 0.6;
const GUARDED_RANGE: f64 = 0.4;

/// The springs between shells, ascending, each pair once. What is held on both sides has none, and
/// what rides pulls at nothing.
pub(super) fn springs(shells: Option<&Shells>, held: &[bool]) -> Vec<Tie> {
    let Some(shells) = shells else { return Vec::new() };
    let is_held = |point: u32| held.get(point as usize).copied().unwrap_or(false);
    let mut ties = Vec::new();
    for bridge in shells.bridges() {
        if shells.kind_of(bridge.point) == ShellKind::Rider {
            continue;
        }
        for (corner, share) in bridge.corners.into_iter().zip(bridge.shares) {
            let stiffness = STIFFNESS * share * bridge.confidence;
            let points = [bridge.point.min(corner), bridge.point.max(corner)];
            let is_loose = is_held(bridge.point) && is_held(corner);
            if stiffness > LEAST_STIFFNESS && !is_loose {
                ties.push(Tie { points, stiffness });
            }
        }
    }
    ties.sort_unstable_by(|a, b| a.points.cmp(&b.points).then(b.stiffness.total_cmp(&a.stiffness)));
    // Two points that are tied to each other have the stiffer of both.
    ties.dedup_by_key(|tie| tie.points);
    ties
}

/// What stays at its target: meshes that do not relax, and shells that keep their shapes. Empty for
/// nothing.
pub(super) fn held(shells: Option<&Shells>, held: &[bool], num_points: usize) -> Vec<bool> {
    let Some(shells) = shells else { return held.to_vec() };
    let is_held = |point: usize| held.get(point).copied().unwrap_or(false);
    (0..num_points).map(|point| is_held(point) || shells.is_rigid(point)).collect()
}

/// What is left of guards; empty for all of them.
pub(super) fn guard_scale(bones: &BoneSmoothRig) -> Vec<f64> {
    if bones.shells().is_none() {
        return Vec::new();
    }
    let of_point = |(point, held): (usize, &crate::attach::Attachment)| {
        let row = bones.shares().bones(point).iter();
        let own = row.filter(|bone| bone.joint == held.joint).map(|bone| bone.weight).sum::<f64>();
        smooth_step((own - GUARDED_FROM) / GUARDED_RANGE)
    };
    bones.attachments().of_point().iter().enumerate().map(of_point).collect()
}
