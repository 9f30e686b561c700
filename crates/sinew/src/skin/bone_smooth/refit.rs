//! Bone-smooth skinning on a rest that has moved: places on the bones found again, and shares that
//! follow the limb's proportions.
//!
//! A carrying bone's place is the point's projection, as binding has it. An attachment stays as far
//! along its bone as it was: binding smooths it over the surface, which lengthening and thickening
//! a limb commute with. Shares blend over a length in proportion to the distance `d` to the bone.
//! Where that has grown by another factor than the bone, they change as if the reach had been
//!
//! ```text
//! κ = (d'/d) / (ℓ'/ℓ)      c' = c + ln κ · c₁ + (ln κ)² · c₂      d and ln(ℓ'/ℓ) the means over the point's bones
//! ```
//!
//! with the slopes that binding found ([`Slope`](crate::attach::Slope)). A bone that a point had no
//! share of it does not get.

use glam::{DVec3, Vec3};

use super::layout::{LaneMap, Layout, RestBone, bone_lane, rest_lane};
use crate::attach::{Slope, along_bone, place_on_bone};
use crate::skeleton::Skeleton;
use crate::skin::blocks::{LANES, Lanes};
use crate::skin::refit::refit_normals;

/// Beyond it, either way, a series to the second order says nothing: a limb half as thick again, or
/// two thirds as long.
const MOST_LOG_REACH: f64 = 0.5;

/// How far a point is from what holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointFit {
    /// To its attachment.
    pub attachment_distance: f64,
    /// To the blend of its places on bones.
    pub arm_length: f64,
}

/// A point's place on a bone.
#[derive(Clone, Copy, Debug, Default)]
struct OnBone {
    along: f64,
    place: DVec3,
    distance: f64,
}

impl OnBone {
    #[inline]
    fn of(bone: &RestBone, rest: DVec3) -> Self {
        let along = along_bone(bone.ends, rest);
        let place = place_on_bone(bone.ends, along);
        Self { along, place, distance: place.distance(rest) }
    }
}

/// Of a point's bones, those whose places are kept between looking and writing; who has more looks
/// twice.
const KEPT_PLACES: usize = 12;

impl Layout {
    /// Follows positions in the order that was bound, and a skeleton's bones; tells what it finds
    /// of each of the rig's points that has moved, of some more than once. True if bones have
    /// moved, and with them all points.
    pub(crate) fn refit(
        &mut self,
        positions: &[Vec3],
        skeleton: &Skeleton,
        mut found: impl FnMut(usize, PointFit),
    ) -> bool {
        let has_moved_bones = self.refit_bones(skeleton);
        let Self { map, rig, lanes, bones: skeleton_bones, .. } = self;
        let (shares, attachments) = (rig.shares(), rig.attachments().of_point());
        for (index, block) in map.blocks.iter().enumerate() {
            let bones = &map.bones[block.bones.clone()];
            let (rest_lanes, later) = lanes[block.lanes_start..].split_at_mut(rest_lane::COUNT);
            let lane_positions = &map.position_of_lane[index];
            let is_there = |(lane, &at): (usize, &u32)| {
                let [x, y, z] = [0, 1, 2].map(|axis| rest_lanes[axis].0[lane]);
                positions[at as usize] == Vec3::new(x, y, z)
            };
            // Most of a face's shapes leave most of a body where it is.
            if !has_moved_bones && lane_positions.iter().enumerate().all(is_there) {
                continue;
            }
            let (bone_lanes, turn_lanes) = later.split_at_mut(bones.len() * bone_lane::COUNT);
            let mut log_reaches = Lanes([0.0; LANES]);
            for (lane, &position) in lane_positions.iter().enumerate() {
                let point = map.point_of_lane[index][lane] as usize;
                let rest = place_or_origin(positions[position as usize]);
                let (row, slopes) = (shares.bones(point), shares.bone_slopes(point));
                let mut kept = [OnBone::default(); KEPT_PLACES];
                let (mut distance, mut log_stretch) = (0.0, 0.0);
                for (at, share) in row.iter().enumerate() {
                    let bone = &skeleton_bones[share.joint as usize];
                    let on_bone = OnBone::of(bone, rest);
                    distance += share.weight * on_bone.distance;
                    log_stretch += share.weight * bone.log_stretch;
                    if let Some(kept) = kept.get_mut(at) {
                        *kept = on_bone;
                    }
                }
                let log_reach = log_of_ratio(distance, rig.mean_distances()[point]) - log_stretch;
                let log_reach = log_reach.clamp(-MOST_LOG_REACH, MOST_LOG_REACH);
                log_reaches.0[lane] = log_reach as f32;
                let weight = |at: usize| follow(row[at].weight, &slopes[at], log_reach).max(0.0);
                // What binding has given a sum of one, but for rounding, stays as it is.
                let sum = match log_reach == 0.0 {
                    true => 1.0,
                    false => (0..row.len()).map(weight).sum(),
                };
                let mut on_bones = DVec3::ZERO;
                let mut distance = 0.0;
                let mut slot = 0;
                for (at, share) in row.iter().enumerate() {
                    // Both ascend, and the block has every bone of its points.
                    while bones[slot] != share.joint {
                        slot += 1;
                    }
                    let again = || OnBone::of(&skeleton_bones[share.joint as usize], rest);
                    let on_bone = kept.get(at).copied().unwrap_or_else(again);
                    let weight = weight(at) / sum;
                    on_bones += weight * on_bone.place;
                    distance += weight * on_bone.distance;
                    let lanes = &mut bone_lanes[slot * bone_lane::COUNT..][..bone_lane::COUNT];
                    lanes[bone_lane::WEIGHT].0[lane] = weight as f32;
                    put(&mut lanes[bone_lane::PLACE], lane, on_bone.place);
                    lanes[bone_lane::ALONG].0[lane] = on_bone.along as f32;
                }
                let held = &attachments[point];
                let place = place_on_bone(skeleton_bones[held.joint as usize].ends, held.along);
                let arm = rest - on_bones;
                put(&mut rest_lanes[rest_lane::POSITION], lane, rest);
                put(&mut rest_lanes[rest_lane::FROM_BONES], lane, arm);
                rest_lanes[rest_lane::DISTANCE].0[lane] = distance as f32;
                put(&mut rest_lanes[rest_lane::ATTACHMENT], lane, place);
                let attachment_distance = rest.distance(place);
                found(point, PointFit { attachment_distance, arm_length: arm.length() });
            }
            refit_turns(map, block.turns.clone(), &log_reaches, turn_lanes);
        }
        has_moved_bones
    }

    /// Takes the bones of a skeleton; true if they are others.
    fn refit_bones(&mut self, skeleton: &Skeleton) -> bool {
        let mut has_moved = false;
        for (joint, (bone, bound)) in self.bones.iter_mut().zip(self.rig.bones()).enumerate() {
            let ends = skeleton.bind_bone(joint as u32);
            has_moved |= ends != bone.ends;
            let length = |[head, tail]: [DVec3; 2]| head.distance(tail);
            *bone = RestBone { ends, log_stretch: log_of_ratio(length(ends), length(*bound)) };
        }
        has_moved
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

/// `ln(now/before)` to a hundredth of itself for ratios up to 1.4, and exactly 0 where they are the
/// same; 0 where there was nothing.
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
