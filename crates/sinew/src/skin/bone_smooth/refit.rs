//! Bone-smooth skinning on a rest that has moved: shares of bones and turns as bound, places on the bones found again.
//!
//! A carrying bone's place is the point's projection, as binding has it. An attachment stays as far along its bone as it was: binding smooths it over
//! the surface, which lengthening and thickening a limb commute with.

use glam::{DVec3, Vec3};

use super::layout::{BONE_LANES, Layout, REST_LANES};
use crate::attach::{along_bone, place_on_bone};
use crate::skeleton::Skeleton;
use crate::skin::blocks::{LANES, Lanes};
use crate::skin::refit::refit_normals;

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
        let Self { map, rig, lanes, .. } = self;
        let (shares, attachments) = (rig.shares(), rig.attachments().of_point());
        for (index, block) in map.blocks.iter().enumerate() {
            let bones = &map.bones[block.bones.clone()];
            let (rest_lanes, later) = lanes[block.lanes_start..].split_at_mut(REST_LANES);
            let bone_lanes = &mut later[..bones.len() * BONE_LANES];
            for lane in 0..LANES {
                let point = map.point_of_lane[index][lane] as usize;
                let rest = place_or_origin(positions[map.position_of_lane[index][lane] as usize]);
                let mut on_bones = DVec3::ZERO;
                let mut distance = 0.0;
                let mut slot = 0;
                for share in shares.bones(point) {
                    // Both ascend, and the block has every bone of its points.
                    while bones[slot] != share.joint {
                        slot += 1;
                    }
                    let bone = skeleton.bind_bone(share.joint);
                    let along = along_bone(bone, rest);
                    let place = place_on_bone(bone, along);
                    on_bones += share.weight * place;
                    distance += share.weight * place.distance(rest);
                    let lanes = &mut bone_lanes[slot * BONE_LANES..][..BONE_LANES];
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

/// What is not finite attaches somewhere, and stays out of everyone else's way.
pub(super) fn place_or_origin(position: Vec3) -> DVec3 {
    if position.is_finite() { position.as_dvec3() } else { DVec3::ZERO }
}

fn put(lanes: &mut [Lanes], lane: usize, v: DVec3) {
    for (lanes, x) in lanes.iter_mut().zip(v.to_array()) {
        lanes.0[lane] = x as f32;
    }
}
