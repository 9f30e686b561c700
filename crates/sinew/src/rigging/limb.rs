//! The limb of a joint: from its head to where the next one begins, and who shares its skin.

use glam::DVec3;

use super::RiggingError;
use crate::Character;
use crate::skeleton::Skeleton;

/// A child this far off the limb's line, over its length, is no part of it.
const OFF_LIMB: f64 = 0.25;
/// The cosine between the limb and the way to the joint that ends it.
const ALONG_LIMB: f64 = 0.8;

/// A joint's limb at rest.
pub(super) struct Limb {
    pub(super) joint: u32,
    /// The joint at its end, if there is one.
    pub(super) next: Option<u32>,
    /// Where it ends, in the joint's own frame.
    pub(super) end_in_joint: DVec3,
    /// Head and end where the skin was bound.
    pub(super) line: [DVec3; 2],
}

pub(super) fn check_joint(character: &Character, joint: u32) -> Result<(), RiggingError> {
    let num_joints = character.skeleton.len();
    match (joint as usize) < num_joints {
        true => Ok(()),
        false => Err(RiggingError::NoJoint { joint, num_joints }),
    }
}

impl Limb {
    pub(super) fn of(skeleton: &Skeleton, joint: u32) -> Self {
        let of = &skeleton.joints()[joint as usize];
        let axis = of.bone_axis();
        let is_along = |child: &u32| {
            let to = skeleton.joints()[*child as usize].rest.translation;
            to.dot(axis) > ALONG_LIMB * to.length() && to.length() > 0.0
        };
        // A limb goes on where most hangs on it; helpers carry nothing.
        let size = |child: u32| (num_below(skeleton, child), child);
        let carrying = |child: &u32| skeleton.children(*child).next().is_some();
        let mut children: Vec<u32> = skeleton.children(joint).filter(is_along).collect();
        if children.iter().any(carrying) {
            children.retain(carrying);
        }
        let furthest = |child: &u32| skeleton.joints()[*child as usize].rest.translation.length();
        let next = children.into_iter().max_by(|a, b| {
            let by_size = size(*a).0.cmp(&size(*b).0);
            by_size.then(furthest(a).total_cmp(&furthest(b))).then(b.cmp(a))
        });
        let end_in_joint =
            next.map_or(of.tail_in_joint, |next| skeleton.joints()[next as usize].rest.translation);
        let model_from_joint = skeleton.joint_from_model()[joint as usize].inverse();
        let line = [DVec3::ZERO, end_in_joint].map(|p| model_from_joint.transform_point3(p));
        Self { joint, next, end_in_joint, line }
    }

    /// How far along the limb a place is: 0 at the head, 1 at the end, and no further.
    pub(super) fn share_at(&self, place: DVec3) -> f64 {
        let [head, end] = self.line;
        let along = end - head;
        let share = (place - head).dot(along) / along.length_squared();
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The joint, and helpers on its limb that carry nothing: who moves the limb's skin.
    pub(super) fn movers(&self, skeleton: &Skeleton) -> Vec<u32> {
        let length = self.end_in_joint.length();
        let axis = self.end_in_joint.normalize_or_zero();
        let is_helper = |child: &u32| {
            let to = skeleton.joints()[*child as usize].rest.translation;
            let along = to.dot(axis);
            let off = (to - along * axis).length();
            Some(*child) != self.next
                && skeleton.children(*child).next().is_none()
                && off <= OFF_LIMB * length
                && (-1e-6 * length..=length * (1.0 + 1e-6)).contains(&along)
        };
        let mut movers = vec![self.joint];
        movers.extend(skeleton.children(self.joint).filter(is_helper));
        movers
    }
}

fn num_below(skeleton: &Skeleton, joint: u32) -> usize {
    let mut is_below = vec![false; skeleton.len()];
    is_below[joint as usize] = true;
    for (index, of) in skeleton.joints().iter().enumerate() {
        if let Some(parent) = of.parent {
            is_below[index] |= is_below[parent as usize];
        }
    }
    is_below.into_iter().filter(|below| *below).count()
}
