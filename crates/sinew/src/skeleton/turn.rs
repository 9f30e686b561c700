//! How a joint has turned from its parent, in the space of the rest points: what methods take a
//! share of.
//!
//! With `R_j` the rotation of `model_from_rest[j]`, `R_j = R_parent · D_j`, and
//! `D_j = swing · twist` about the bone's axis where the skin was bound. Products of shares of the
//! `D` along a chain lead from the root's rotation to the leaf's.

use glam::{DQuat, DVec3};

use super::{Skeleton, nearest_turn, swing_twist};

/// A joint's own rotation as a swing and an unwrapped twist, each an axis and an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTurn {
    /// Unit vector at a right angle to the bone; any unit vector where the angle is 0.
    pub swing_axis: DVec3,
    /// In [0, π].
    pub swing_radians: f64,
    /// The bone's direction where the skin was bound.
    pub twist_axis: DVec3,
    /// Any number of turns.
    pub twist_radians: f64,
    /// The twists from the root to here, added up.
    pub twist_from_root_radians: f64,
    /// The product of the turns from the root to here. Unlike a quaternion taken from a matrix, its
    /// sign follows the turns: a point with a little less of the last one has nearly the same
    /// quaternion.
    pub rotation_from_root: DQuat,
}

impl JointTurn {
    /// A share of the swing after a share of the twist.
    pub fn share(&self, of_swing: f64, of_twist: f64) -> DQuat {
        DQuat::from_axis_angle(self.swing_axis, of_swing * self.swing_radians)
            * DQuat::from_axis_angle(self.twist_axis, of_twist * self.twist_radians)
    }

    /// The turns of all joints; `near_twists` say which turn of several a twist is in.
    pub(super) fn of_palette(
        skeleton: &Skeleton,
        model_rotations: &[DQuat],
        near_twists: impl Iterator<Item = f64>,
        out: &mut Vec<Self>,
    ) {
        out.clear();
        for ((index, joint), near_twist) in skeleton.joints().iter().enumerate().zip(near_twists) {
            let own = model_rotations[index];
            let from_parent = match joint.parent {
                Some(parent) => model_rotations[parent as usize].conjugate() * own,
                None => own,
            };
            let twist_axis = skeleton.bind_axis(index as u32);
            let (swing, twist) = swing_twist(from_parent, twist_axis);
            let swing = if swing.w < 0.0 { -swing } else { swing };
            let sine = swing.xyz().length();
            let twist_radians = nearest_turn(twist, near_twist);
            let mut turn = Self {
                swing_axis: swing
                    .xyz()
                    .try_normalize()
                    .unwrap_or(twist_axis.any_orthonormal_vector()),
                swing_radians: 2.0 * sine.atan2(swing.w),
                twist_axis,
                twist_radians,
                twist_from_root_radians: twist_radians,
                rotation_from_root: DQuat::IDENTITY,
            };
            turn.rotation_from_root = turn.share(1.0, 1.0);
            if let Some(parent) = joint.parent {
                let parent: &Self = &out[parent as usize];
                turn.twist_from_root_radians += parent.twist_from_root_radians;
                turn.rotation_from_root =
                    (parent.rotation_from_root * turn.rotation_from_root).normalize();
            }
            out.push(turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skeleton::{Palette, Pose};

    #[test]
    fn turns_along_a_chain_lead_to_the_leafs_rotation_and_keep_every_twist() {
        let skeleton = build(&SampleOptions::new(SampleKind::Box)).unwrap().skeleton;
        let mut pose = Pose::rest(&skeleton);
        for (index, joint) in pose.joints.iter_mut().enumerate() {
            *joint = joint.rotated(DVec3::X, 0.4 + 0.3 * index as f64, DVec3::Y);
            joint.twist_radians += 9.0 * index as f64;
        }
        let palette = Palette::new(&skeleton, &pose);
        let product =
            palette.turns().iter().fold(DQuat::IDENTITY, |q, turn| q * turn.share(1.0, 1.0));
        let leaf = DQuat::from_mat3(&palette.model_from_rest()[3].matrix3);
        assert!(product.dot(leaf).abs() > 1.0 - 1e-12, "{product} {leaf}");
        for (turn, joint) in palette.turns().iter().zip(&pose.joints) {
            assert!((turn.twist_radians - joint.twist_radians).abs() < 1e-9);
        }
    }
}
