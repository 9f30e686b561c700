//! A pose: for each joint how far it has left its rest.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::posing::Hinges;

use super::{Axis, Joint, JointTransform, Skeleton, nearest_turn, swing_twist};

/// How far one joint has left its rest; the identity is the rest pose.
///
/// The rotation is `swing · twist`, in the joint's own rest frame: the twist turns about the bone
/// first, any number of turns; the swing then moves the bone.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct JointPose {
    /// Unit quaternion whose axis is at a right angle to the bone.
    pub swing: DQuat,
    /// About the bone, unwrapped: 4π is two full turns.
    pub twist_radians: f64,
    /// Added to the rest translation, in the parent's frame.
    pub translation: DVec3,
    /// Multiplied with the rest scale.
    pub scale: DVec3,
    /// Length of the bone over its length at rest. The skin on the bone is stretched along it, and
    /// what hangs on the joint moves along, but keeps its size: unlike a scale, a stretch is not
    /// inherited.
    pub stretch: f64,
}

impl Default for JointPose {
    fn default() -> Self {
        Self::REST
    }
}

impl JointPose {
    /// The joint as it is at rest.
    pub const REST: Self = Self {
        swing: DQuat::IDENTITY,
        twist_radians: 0.0,
        translation: DVec3::ZERO,
        scale: DVec3::ONE,
        stretch: 1.0,
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

    /// Turns the joint further about an axis (a unit vector) of its own, posed, frame. About its
    /// bone, turns add up.
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

    /// A part of the way to another pose: 0 is this one, 1 the other. Twists go the way that they
    /// are unwrapped, all turns of it.
    #[must_use]
    pub fn blended(&self, other: &Self, amount: f64) -> Self {
        let between = |a: f64, b: f64| a + (b - a) * amount;
        // Both swings' axes are across the bone, and so is every one between them.
        Self {
            swing: self.swing.slerp(other.swing, amount).normalize(),
            twist_radians: between(self.twist_radians, other.twist_radians),
            translation: self.translation.lerp(other.translation, amount),
            scale: self.scale.lerp(other.scale, amount),
            stretch: between(self.stretch, other.stretch),
        }
    }

    /// `parent_from_joint` in this pose, on a parent that is not stretched.
    pub(crate) fn parent_from_joint(&self, joint: &Joint, axis: DVec3) -> DAffine3 {
        let rest = &joint.rest;
        JointTransform {
            translation: rest.translation + self.translation,
            rotation: rest.rotation * self.rotation(axis),
            scale: rest.scale * self.scale,
        }
        .parent_from_joint()
    }

    /// What the joint's stretch does to its own frame: lengths along the bone
    /// ([`Skeleton::pose_axis`]) are multiplied, all else stays.
    pub fn stretch_along(&self, axis: DVec3) -> DMat3 {
        let longer = (self.stretch - 1.0) * axis;
        DMat3::IDENTITY + DMat3::from_cols(longer * axis.x, longer * axis.y, longer * axis.z)
    }

    /// The pose that brings a joint to `local`, as files give it: absolute in its parent. The twist
    /// is the one nearest to `near_twist_radians`. An axis whose scale is zero at rest stays at
    /// zero: a pose multiplies.
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

/// A joint was named that the skeleton has not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no joint is named '{name}'; the joints are: {}", known.join(", "))]
pub struct NoSuchJoint {
    /// What was asked for.
    pub name: String,
    /// What there is, in the skeleton's order.
    pub known: Vec<String>,
}

/// One [`JointPose`] a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// In the skeleton's order.
    pub joints: Vec<JointPose>,
}

impl Pose {
    /// All joints at rest.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self { joints: vec![JointPose::REST; skeleton.len()] }
    }

    /// Turns a joint further about an axis of its own, already turned, frame. Turns about its bone
    /// ([`Axis::Twist`]) add up past half a turn.
    ///
    /// # Errors
    /// If no joint has that name. Of several, the first one turns.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn rotate(
        &mut self,
        skeleton: &Skeleton,
        joint: &str,
        axis: Axis,
        degrees: f64,
    ) -> Result<&mut Self, NoSuchJoint> {
        let index = skeleton.find(joint).ok_or_else(|| NoSuchJoint {
            name: joint.to_owned(),
            known: skeleton.joints().iter().map(|known| known.name.clone()).collect(),
        })? as usize;
        let posed = &mut self.joints[index];
        let of_joint = &skeleton.joints()[index];
        let own = axis.in_joint(of_joint, posed, || {
            Hinges::of_skeleton(skeleton).joint(index as u32).copied().unwrap_or_default()
        });
        *posed = posed.rotated(own, degrees.to_radians(), of_joint.bone_axis());
        Ok(self)
    }

    /// Where the joints are in model space: forward kinematics, root to leaf. A stretched bone
    /// moves its joint's children along it; the joint's own frame is not stretched.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn model_from_joint(&self, skeleton: &Skeleton, out: &mut Vec<DAffine3>) {
        assert_eq!(self.joints.len(), skeleton.len(), "a pose of this skeleton");
        out.clear();
        for (index, joint) in (0u32..).zip(skeleton.joints()) {
            let parent = joint.parent.map(|parent| out[parent as usize]);
            out.push(self.model_from_one(skeleton, index, parent.as_ref()));
        }
    }

    /// Where one joint is in model space, given where its parent is.
    pub(crate) fn model_from_one(
        &self,
        skeleton: &Skeleton,
        index: u32,
        model_from_parent: Option<&DAffine3>,
    ) -> DAffine3 {
        let joint = &skeleton.joints()[index as usize];
        let pose = &self.joints[index as usize];
        let mut parent_from_joint = pose.parent_from_joint(joint, skeleton.pose_axis(index));
        let (Some(of), Some(model_from_parent)) = (joint.parent, model_from_parent) else {
            return parent_from_joint;
        };
        let of_parent = &self.joints[of as usize];
        if of_parent.stretch != 1.0 {
            parent_from_joint.translation =
                of_parent.stretch_along(skeleton.pose_axis(of)) * parent_from_joint.translation;
        }
        *model_from_parent * parent_from_joint
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
        assert!(
            pose.parent_from_joint(&joint, joint.bone_axis())
                .abs_diff_eq(local.parent_from_joint(), TOLERANCE)
        );
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

    /// A root along +Y with one child at its tail and one beside its bone.
    fn forked() -> Skeleton {
        let at = |name: &str, parent, translation| Joint {
            name: name.into(),
            parent,
            rest: JointTransform { translation, ..JointTransform::IDENTITY },
            tail_in_joint: DVec3::Y * 2.0,
        };
        Skeleton::new(vec![
            at("root", None, DVec3::ZERO),
            at("tip", Some(0), DVec3::Y * 2.0),
            at("side", Some(0), DVec3::new(0.5, 1.0, 0.0)),
        ])
        .unwrap()
    }

    #[test]
    fn a_rotation_by_name_turns_that_joint_and_no_other() {
        let skeleton = forked();
        let mut pose = Pose::rest(&skeleton);
        pose.rotate(&skeleton, "tip", Axis::X, 90.0).unwrap();
        let turned = pose.joints[1].rotation(skeleton.pose_axis(1));
        assert!(turned.abs_diff_eq(DQuat::from_rotation_x(TAU / 4.0), TOLERANCE));
        assert_eq!((pose.joints[0], pose.joints[2]), (JointPose::REST, JointPose::REST));
    }

    #[test]
    fn a_rotation_of_a_joint_that_is_not_there_names_those_that_are() {
        let skeleton = forked();
        let mut pose = Pose::rest(&skeleton);
        let error = pose.rotate(&skeleton, "tpi", Axis::X, 90.0).unwrap_err();
        assert_eq!(error.to_string(), "no joint is named 'tpi'; the joints are: root, tip, side");
        assert_eq!(pose, Pose::rest(&skeleton));
    }

    #[test]
    fn a_stretched_bone_moves_its_children_along_it_and_leaves_their_size() {
        let skeleton = forked();
        let mut pose = Pose::rest(&skeleton);
        pose.joints[0] = pose.joints[0].rotated(DVec3::Z, 0.5, DVec3::Y);
        pose.joints[0].stretch = 1.5;
        let mut posed = Vec::new();
        pose.model_from_joint(&skeleton, &mut posed);
        let turned = DQuat::from_rotation_z(0.5);
        assert!(posed[1].translation.abs_diff_eq(turned * (DVec3::Y * 3.0), TOLERANCE));
        assert!(posed[2].translation.abs_diff_eq(turned * DVec3::new(0.5, 1.5, 0.0), TOLERANCE));
        for placed in &posed {
            assert!(placed.matrix3.abs_diff_eq(DMat3::from_quat(turned), TOLERANCE));
        }
    }
}
