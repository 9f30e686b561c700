//! Chains of bones: joints one after the other, weights that blend from each to the next, clips
//! that curl.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use super::surface::WeightRow;
use crate::motion::{Channel, Clip, Curve, Track};
use crate::skeleton::{Joint, JointTransform, Skeleton};

/// Weights below this are left out: they move nothing by more than f32 rounding.
const LEAST_WEIGHT: f64 = 1e-6;

/// A joint whose bone has this length along its own +Y.
pub(super) fn joint(
    name: impl Into<String>,
    parent: Option<u32>,
    rest: (DVec3, DQuat),
    bone_length: f64,
) -> Joint {
    let (translation, rotation) = rest;
    Joint {
        name: name.into(),
        parent,
        rest: JointTransform { translation, rotation, scale: DVec3::ONE },
        tail_in_joint: DVec3::Y * bone_length,
    }
}

/// Bones of equal length straight up from the origin, named `bone_0`, `bone_1` …
pub(super) fn straight_chain(num_bones: usize, length: f64) -> Vec<Joint> {
    let bone_length = length / num_bones as f64;
    (0..num_bones as u32)
        .map(|index| {
            let start = if index == 0 { DVec3::ZERO } else { DVec3::Y * bone_length };
            joint(
                format!("bone_{index}"),
                index.checked_sub(1),
                (start, DQuat::IDENTITY),
                bone_length,
            )
        })
        .collect()
}

/// `0` below `-width/2`, `1` above `width/2`, and `3t² − 2t³` between: slopes meet at both ends.
pub(super) fn smooth_step(from_middle: f64, width: f64) -> f64 {
    let t = (from_middle / width + 0.5).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Weights at `along` on a chain of bones of one length. Each joint blends over `width`, but over
/// no more than a bone, so that at most two joints move a point.
pub(super) fn chain_weights(
    along: f64,
    bone_length: f64,
    num_bones: usize,
    width: f64,
) -> WeightRow {
    let width = width.min(bone_length);
    // The joint whose blend `along` may lie in: the nearest one.
    let nearest = (along / bone_length).round().max(0.0) as usize;
    if nearest == 0 {
        return vec![(0, 1.0)];
    }
    if nearest >= num_bones {
        return vec![(num_bones as u32 - 1, 1.0)];
    }
    let upper = smooth_step(along - nearest as f64 * bone_length, width);
    cleaned(vec![(nearest as u32 - 1, 1.0 - upper), (nearest as u32, upper)])
}

/// Without what is too small to move anything, summing to one.
pub(super) fn cleaned(mut row: WeightRow) -> WeightRow {
    row.retain(|&(_, weight)| weight > LEAST_WEIGHT);
    let sum: f64 = row.iter().map(|&(_, weight)| weight).sum();
    for (_, weight) in &mut row {
        *weight /= sum;
    }
    row
}

/// A clip in which some joints turn from rest, by what `turn` says of a joint at a phase from 0
/// to 1. Keys are evenly spaced, the first and the last at phase 0 and 1.
pub(super) fn turning_clip(
    name: &str,
    skeleton: &Skeleton,
    (duration_seconds, num_spans): (f64, usize),
    joints: impl IntoIterator<Item = u32>,
    turn: impl Fn(u32, f64) -> DQuat,
) -> Clip {
    let phases: Vec<f64> = (0..=num_spans).map(|key| key as f64 / num_spans as f64).collect();
    let tracks = joints
        .into_iter()
        .map(|joint| {
            let rest = skeleton.joints()[joint as usize].rest.rotation;
            let times_seconds = phases.iter().map(|phase| phase * duration_seconds).collect();
            let values = phases.iter().map(|&phase| rest * turn(joint, phase)).collect();
            Track { joint, channel: Channel::Rotation(Curve::linear(times_seconds, values)) }
        })
        .collect();
    Clip::new(name, tracks)
}

/// From 0 up to 1 and back, at rest at both ends.
pub(super) fn there_and_back(phase: f64) -> f64 {
    0.5 - 0.5 * (TAU * phase).cos()
}
