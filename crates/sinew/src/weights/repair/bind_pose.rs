//! A skeleton that rests elsewhere than the skin was bound rests where it was bound.

use glam::DAffine3;

use crate::character::Character;
use crate::skeleton::{Joint, JointTransform, Skeleton};

/// Of a matrix's entries and of the character's size: a transform that scale, turn and move do not
/// make again is sheared, and cannot be a rest.
const WHOLE: f64 = 1e-4;

/// The skeleton at rest in the bind pose, and how many joints rest elsewhere for it. `None` where
/// that is not safe: a joint was bound sheared, or drivers count from the rest that there is.
/// Clips say where joints are, and not how far from rest: they play as before.
pub(super) fn at_bind(character: &Character) -> Option<(Skeleton, usize)> {
    let skeleton = &character.skeleton;
    if skeleton.is_empty() || !character.drivers.list.is_empty() {
        return None;
    }
    let size = f64::from(character.bounds().diagonal());
    let model_from_joint: Vec<DAffine3> =
        skeleton.joint_from_model().iter().map(DAffine3::inverse).collect();
    let mut joints: Vec<Joint> = skeleton.joints().to_vec();
    let mut num_moved = 0;
    for (index, joint) in joints.iter_mut().enumerate() {
        let above = joint.parent.map_or(DAffine3::IDENTITY, |p| model_from_joint[p as usize]);
        let parent_from_joint = above.inverse() * model_from_joint[index];
        if !parent_from_joint.is_finite() {
            return None;
        }
        if is_near(&joint.rest.parent_from_joint(), &parent_from_joint, size) {
            continue;
        }
        let (scale, rotation, translation) = parent_from_joint.to_scale_rotation_translation();
        let rest = JointTransform { translation, rotation, scale };
        if !is_near(&rest.parent_from_joint(), &parent_from_joint, size) {
            return None;
        }
        joint.rest = rest;
        num_moved += 1;
    }
    if num_moved == 0 {
        return None;
    }
    let moved = Skeleton::with_inverse_bind(joints, skeleton.joint_from_model().to_vec());
    Some((moved.ok()?, num_moved))
}

fn is_near(a: &DAffine3, b: &DAffine3, size: f64) -> bool {
    let linear = (a.matrix3 - b.matrix3).to_cols_array();
    let scale = b.matrix3.to_cols_array().into_iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    linear.into_iter().all(|entry| entry.abs() <= WHOLE * scale)
        && a.translation.distance(b.translation) <= WHOLE * size.max(f64::MIN_POSITIVE)
}
