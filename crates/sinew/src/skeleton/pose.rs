//! A pose: for each joint how far it has left its rest.

use glam::{DAffine3, DQuat, DVec3};

use super::{Joint, JointTransform, Skeleton, nearest_turn, swing_twist};

/// How far one joint has left its rest; the identity is the rest pose.
///
/// The rotation is `swing · twist`, in the joint's own rest frame: the twist turns about the bone first, any
/// number of turns; the swing then moves the bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPose {
    /// Unit quaternion whose axis is at a right angle to the bone.
    pub swing: DQuat,
    /// About the bone, unwrapped: 4π is two full turns.
    pub twist_radians: f64,
    /// Added to the rest translation, in the parent's frame.
    pub translation: DVec3,
    /// Multiplied with the rest scale.
    pub scale: DVec3,
}

impl JointPose {
    /// At rest.
    pub const REST: Self = Self {
        swing: DQuat::IDENTITY,
        twist_radians: 0.0,
        translation: DVec3::ZERO,
        scale: DVec3::ONE,
    };

    /// Swing and twist as one rotation.
    pub fn rotation(&self, bone_axis: DVec3) -> DQuat {
        self.swing * DQuat::from_axis_angle(bone_axis, self.twist_radians)
    }

    /// The pose with this rotation, its twist the nearest to the one before.
    #[must_use]
    pub fn with_rotation(self, rotation: DQuat, bone_axis: DVec3) -> Self {
        let (swing, twist) = swing_twist(rotation, bone_axis);
        Self { swing, twist_radians: nearest_turn(twist, self.twist_radians), ..self }
    }

    /// Turns the joint further about an axis (a unit vector) of its own, posed, frame. About its bone, turns add up.
    #[must_use]
    pub fn rotated(self, axis: DVec3, radians: f64, bone_axis: DVec3) -> Self {
        let along = axis.dot(bone_axis);
        // An axis from a file is parallel to the bone up to f32 rounding.
        if along.abs() > 1.0 - 1e-10 {
            return Self { twist_radians: self.twist_radians + along.signum() * radians, ..self };
        }
        let turned = self.rotation(bone_axis) * DQuat::from_axis_angle(axis, radians);
        self.with_rotation(turned, bone_axis)
    }

    /// `parent_from_joint` in this pose.
    pub fn parent_from_joint(&self, joint: &Joint) -> DAffine3 {
        let rest = &joint.rest;
        JointTransform {
            translation: rest.translation + self.translation,
            rotation: rest.rotation * self.rotation(joint.bone_axis()),
            scale: rest.scale * self.scale,
        }
        .parent_from_joint()
    }

    /// The pose that brings a joint to `local`, as files give it: absolute in its parent. The twist is the
    /// one nearest to `near_twist_radians`. An axis whose scale is zero at rest stays at zero: a pose multiplies.
    pub fn from_local(joint: &Joint, local: &JointTransform, near_twist_radians: f64) -> Self {
        let rest = &joint.rest;
        let ratio = |posed: f64, rest: f64| if rest == 0.0 { 1.0 } else { posed / rest };
        let scale = DVec3::new(
            ratio(local.scale.x, rest.scale.x),
            ratio(local.scale.y, rest.scale.y),
            ratio(local.scale.z, rest.scale.z),
        );
        Self {
            twist_radians: near_twist_radians,
            translation: local.translation - rest.translation,
            scale,
            ..Self::REST
        }
        .with_rotation(rest.rotation.inverse() * local.rotation, joint.bone_axis())
    }
}

/// One [`JointPose`] a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// In the skeleton's order.
    pub joints: Vec<JointPose>,
}

impl Pose {
    /// All joints at rest.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self { joints: vec![JointPose::REST; skeleton.len()] }
    }

    /// Where the joints are in model space: forward kinematics, root to leaf.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn model_from_joint(&self, skeleton: &Skeleton, out: &mut Vec<DAffine3>) {
        assert_eq!(self.joints.len(), skeleton.len(), "a pose of this skeleton");
        out.clear();
        for (joint, pose) in skeleton.joints().iter().zip(&self.joints) {
            let parent_from_joint = pose.parent_from_joint(joint);
            out.push(match joint.parent {
                Some(parent) => out[parent as usize] * parent_from_joint,
                None => parent_from_joint,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    const TOLERANCE: f64 = 1e-12;

    fn joint() -> Joint {
        Joint {
            name: "elbow".into(),
            parent: None,
            rest: JointTransform {
                translation: DVec3::new(0.1, 0.2, 0.3),
                rotation: DQuat::from_rotation_z(0.7),
                scale: DVec3::new(1.0, 2.0, 1.0),
            },
            tail_in_joint: DVec3::Y * 0.3,
        }
    }

    #[test]
    fn two_turns_of_twist_are_kept_as_two_turns() {
        let pose =
            JointPose::REST.rotated(DVec3::Y, TAU, DVec3::Y).rotated(DVec3::Y, TAU, DVec3::Y);
        assert_eq!(pose.twist_radians, 2.0 * TAU);
    }

    #[test]
    fn a_swing_after_turns_of_twist_keeps_the_turns() {
        let pose =
            JointPose::REST.rotated(DVec3::Y, TAU, DVec3::Y).rotated(DVec3::X, 0.5, DVec3::Y);
        assert!((pose.twist_radians - TAU).abs() < TOLERANCE);
    }

    #[test]
    fn a_local_transform_from_a_file_comes_back() {
        let joint = joint();
        let local = JointTransform {
            translation: DVec3::new(1.0, 0.0, -1.0),
            rotation: DQuat::from_rotation_x(0.4) * DQuat::from_rotation_y(2.0),
            scale: DVec3::new(1.5, 2.0, 0.5),
        };
        let pose = JointPose::from_local(&joint, &local, 0.0);
        assert!(pose.parent_from_joint(&joint).abs_diff_eq(local.parent_from_joint(), TOLERANCE));
    }

    #[test]
    fn at_rest_the_joints_are_where_they_rest() {
        let mut child = joint();
        child.parent = Some(0);
        let skeleton = Skeleton::new(vec![joint(), child]).unwrap();
        let mut posed = Vec::new();
        Pose::rest(&skeleton).model_from_joint(&skeleton, &mut posed);
        for (posed, rest) in posed.iter().zip(skeleton.rest_model_from_joint()) {
            assert!(posed.abs_diff_eq(*rest, TOLERANCE));
        }
    }
}
