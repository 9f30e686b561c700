//! Bone-smooth skinning on a rest that has moved: places on the bones found again, and shares that follow the limb's proportions.
//!
//! A carrying bone's place is the point's projection, as binding has it. An attachment stays as far along its bone as it was: binding smooths it over
//! the surface, which lengthening and thickening a limb commute with. Shares blend over a length in proportion to the distance `d` to the bone. Where that has
//! grown by another factor than the bone, they change as if the reach had been
//!
//! ```text
//! κ = (d'/d) / (ℓ'/ℓ)      c' = c + ln κ · c₁ + (ln κ)² · c₂      d and ln(ℓ'/ℓ) the means over the point's bones
//! ```
//!
//! with the slopes that binding found ([`Slope`](crate::attach::Slope)). A bone that a point had no share of it does not get.

use glam::{DVec3, Vec3};

use super::layout::{BONE_LANES, LaneMap, Layout, REST_LANES};
use crate::attach::{Slope, along_bone, place_on_bone};
use crate::skeleton::Skeleton;
use crate::skin::blocks::{LANES, Lanes};
use crate::skin::refit::refit_normals;

/// Beyond it, either way, a series to the second order says nothing: a limb half as thick again, or two thirds as long.
const MOST_LOG_REACH: f64 = 0.5;

/// How far a point is from what holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointFit {
    /// To its attachment.
    pub attachment_distance: f64,
    /// To the blend of its places on bones.
    pub arm_length: f64,
}

impl Layout {
    /// Follows positions in the order that was bound, and a skeleton's bones; tells what it finds of each of the rig's points, of some more than once.
    pub(crate) fn refit(
        &mut self,
        positions: &[Vec3],
        skeleton: &Skeleton,
        mut found: impl FnMut(usize, PointFit),
    ) {
        let Self { map, rig, lanes, log_stretches, .. } = self;
        for (joint, log_stretch) in log_stretches.iter_mut().enumerate() {
            let [head, tail] = skeleton.bind_bone(joint as u32);
            *log_stretch = log_of_ratio(head.distance(tail), rig.bone_lengths()[joint]);
        }
        let (shares, attachments) = (rig.shares(), rig.attachments().of_point());
        for (index, block) in map.blocks.iter().enumerate() {
            let bones = &map.bones[block.bones.clone()];
            let (rest_lanes, later) = lanes[block.lanes_start..].split_at_mut(REST_LANES);
            let (bone_lanes, turn_lanes) = later.split_at_mut(bones.len() * BONE_LANES);
            let mut log_reaches = Lanes([0.0; LANES]);
            for lane in 0..LANES {
                let point = map.point_of_lane[index][lane] as usize;
                let rest = place_or_origin(positions[map.position_of_lane[index][lane] as usize]);
                let row = shares.bones(point).iter().zip(shares.bone_slopes(point));
                let (mut distance, mut log_stretch) = (0.0, 0.0);
                for (share, _) in row.clone() {
                    let bone = skeleton.bind_bone(share.joint);
                    let place = place_on_bone(bone, along_bone(bone, rest));
                    distance += share.weight * place.distance(rest);
                    log_stretch += share.weight * log_stretches[share.joint as usize];
                }
                let log_reach = log_of_ratio(distance, rig.mean_distance(point)) - log_stretch;
                let log_reach = log_reach.clamp(-MOST_LOG_REACH, MOST_LOG_REACH);
                log_reaches.0[lane] = log_reach as f32;
                let weight = |weight: f64, slope: &Slope| follow(weight, slope, log_reach).max(0.0);
                // What binding has given a sum of one, but for rounding, stays as it is.
                let sum = match log_reach == 0.0 {
                    true => 1.0,
                    false => row.clone().map(|(share, slope)| weight(share.weight, slope)).sum(),
                };
                let mut on_bones = DVec3::ZERO;
                let mut distance = 0.0;
                let mut slot = 0;
                for (share, slope) in row {
                    // Both ascend, and the block has every bone of its points.
                    while bones[slot] != share.joint {
                        slot += 1;
                    }
                    let bone = skeleton.bind_bone(share.joint);
                    let along = along_bone(bone, rest);
                    let place = place_on_bone(bone, along);
                    let weight = weight(share.weight, slope) / sum;
                    on_bones += weight * place;
                    distance += weight * place.distance(rest);
                    let lanes = &mut bone_lanes[slot * BONE_LANES..][..BONE_LANES];
                    lanes[0].0[lane] = weight as f32;
                    put(&mut lanes[2..5], lane, place);
                    lanes[5].0[lane] = along as f32;
                }
                let held = &attachments[point];
                let place = place_on_bone(skeleton.bind_bone(held.joint), held.along);
                let arm = rest - on_bones;
                put(&mut rest_lanes[..3], lane, rest);
                put(&mut rest_lanes[3..6], lane, arm);
                rest_lanes[6].0[lane] = distance as f32;
                put(&mut rest_lanes[7..10], lane, place);
                let attachment_distance = rest.distance(place);
                found(point, PointFit { attachment_distance, arm_length: arm.length() });
            }
            refit_turns(map, block.turns.clone(), &log_reaches, turn_lanes);
        }
    }

    /// Takes other normals, one a bound position; none leaves those that are there.
    pub(in crate::skin) fn refit_normals(&mut self, normals: &[Vec3]) {
        if normals.is_empty() {
            return;
        }
        for (block, positions) in self.normals.iter_mut().zip(&self.map.position_of_lane) {
            refit_normals(block, |lane| normals[positions[lane] as usize]);
        }
    }
}

/// The shares of swing and twist of a block.
fn refit_turns(
    map: &LaneMap,
    turns: std::ops::Range<usize>,
    log_reaches: &Lanes,
    lanes: &mut [Lanes],
) {
    for (reach, lanes) in map.turn_reaches[turns].iter().zip(lanes.chunks_exact_mut(2)) {
        for (of, out) in lanes.iter_mut().enumerate() {
            let (first, half_second) = (&reach.first[of].0, &reach.half_second[of].0);
            for lane in 0..LANES {
                let log_reach = log_reaches.0[lane];
                let by = log_reach * (first[lane] + log_reach * half_second[lane]);
                out.0[lane] = (reach.bound[of].0[lane] + by).clamp(0.0, 1.0);
            }
        }
    }
}

fn follow(share: f64, [first, half_second]: &Slope, log_reach: f64) -> f64 {
    share + log_reach * (first + log_reach * half_second)
}

/// `ln(now/before)` to a hundredth of itself for ratios up to 1.4, and exactly 0 where they are the same; 0 where there was nothing.
fn log_of_ratio(now: f64, before: f64) -> f64 {
    if before > 0.0 && now.is_finite() { 2.0 * (now - before) / (now + before) } else { 0.0 }
}

/// What is not finite attaches somewhere, and stays out of everyone else's way.
pub(super) fn place_or_origin(position: Vec3) -> DVec3 {
    if position.is_finite() { position.as_dvec3() } else { DVec3::ZERO }
}

fn put(lanes: &mut [Lanes], lane: usize, v: DVec3) {
    for (lanes, x) in lanes.iter_mut().zip(v.to_array()) {
        lanes.0[lane] = x as f32;
    }
}
