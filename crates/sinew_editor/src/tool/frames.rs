//! Where joints stand while a tool turns and moves them, whatever their parents' rotation, scale
//! and stretch.
//!
//! A joint's rotation acts in its parent's frame `M` (linear, model from parent). A turn about `n`
//! in the model is one about `M⁻¹n` there, the other way round if `M` mirrors. Exact where `M`
//! keeps angles; [`Frames::turned_as_seen`] is exact for any.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::skeleton::{JointPose, Pose, Skeleton, nearest_turn};

use super::Context;

/// A bone that is seen shorter than this share of its length points at the eye.
const LEAST_SEEN: f64 = 1e-6;

/// A pose and where its joints are.
pub(super) struct Frames<'a> {
    skeleton: &'a Skeleton,
    pose: &'a Pose,
    model_from_joint: Vec<DAffine3>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, pose: &'a Pose) -> Self {
        let mut model_from_joint = Vec::with_capacity(skeleton.len());
        pose.model_from_joint(skeleton, &mut model_from_joint);
        Self { skeleton, pose, model_from_joint }
    }

    /// As the document stands, or as it stood.
    pub(super) fn of(context: &Context<'a>, pose: &'a Arc<Pose>) -> Self {
        Self::new(&context.document.character().skeleton, pose)
    }

    pub(super) fn place(&self, joint: u32) -> DVec3 {
        self.model_from_joint[joint as usize].translation
    }

    /// A joint's turn in the model; a scale has no say in it.
    pub(super) fn rotation(&self, joint: u32) -> DQuat {
        let linear = self.model_from_joint[joint as usize].matrix3;
        let x = linear.x_axis.normalize_or(DVec3::X);
        let y = (linear.y_axis - x * x.dot(linear.y_axis)).normalize_or(x.any_orthonormal_vector());
        DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
    }

    /// What a joint's rotation acts in.
    fn model_from_parent(&self, joint: u32) -> DMat3 {
        let parent = self.skeleton.joints()[joint as usize].parent;
        parent.map_or(DMat3::IDENTITY, |parent| self.model_from_joint[parent as usize].matrix3)
    }

    /// A joint's pose, moved in the model. One on a parent that is scaled to nothing stays where it
    /// is.
    pub(super) fn moved(&self, joint: u32, offset: DVec3) -> JointPose {
        let mut model_from_translation = self.model_from_parent(joint);
        if let Some(parent) = self.skeleton.joints()[joint as usize].parent {
            let parent = parent as usize;
            let stretch =
                self.pose.joints[parent].stretch_along(self.skeleton.pose_axis(parent as u32));
            model_from_translation *= stretch;
        }
        let mut pose = self.pose.joints[joint as usize];
        if let Some(translation_from_model) = model_from_translation.try_inverse() {
            pose.translation += translation_from_model * offset;
        }
        pose
    }

    /// An axis of a joint's own frame in the model: a positive turn about it goes counter-clockwise
    /// for who looks against it.
    pub(super) fn own_axis(&self, joint: u32, own: DVec3) -> DVec3 {
        let of_joint = &self.skeleton.joints()[joint as usize];
        let bone_axis = of_joint.bone_axis();
        let rotation =
            of_joint.rest.rotation * self.pose.joints[joint as usize].rotation(bone_axis);
        let model_from_parent = self.model_from_parent(joint);
        let in_model = model_from_parent * (rotation * own);
        in_model.normalize_or(DVec3::Y) * handedness(model_from_parent)
    }

    /// The axis of a joint's hinge in the model: it is its parent's, whatever the joint does.
    pub(super) fn hinge_axis(&self, joint: u32, hinge: DVec3) -> DVec3 {
        let rest = self.skeleton.joints()[joint as usize].rest.rotation;
        let model_from_parent = self.model_from_parent(joint);
        let in_model = model_from_parent * (rest * hinge);
        in_model.normalize_or(DVec3::Y) * handedness(model_from_parent)
    }

    /// A joint's pose after a turn about an axis of the model, its parents staying.
    pub(super) fn turned(&self, joint: u32, turn: DQuat) -> JointPose {
        let (axis, radians) = turn.to_axis_angle();
        let model_from_parent = self.model_from_parent(joint);
        let in_parent = model_from_parent.try_inverse().and_then(|m| (m * axis).try_normalize());
        let Some(in_parent) = in_parent else { return self.pose.joints[joint as usize] };
        self.turned_in_parent(joint, in_parent, handedness(model_from_parent) * radians)
    }

    /// A joint's pose after its bone has turned in the picture: about the line of sight, which
    /// points at the eye. Under a parent that is scaled unevenly equal turns of the joint are not
    /// equal turns in the picture; its part across the sight is turned in the model, and the joint
    /// as that part then asks.
    pub(super) fn turned_as_seen(&self, joint: u32, sight: DVec3, radians: f64) -> JointPose {
        let model_from_parent = self.model_from_parent(joint);
        let Some(parent_from_model) = model_from_parent.try_inverse() else {
            return self.pose.joints[joint as usize];
        };
        let Some(axis) = (parent_from_model * sight).try_normalize() else {
            return self.pose.joints[joint as usize];
        };
        let of_joint = &self.skeleton.joints()[joint as usize];
        let pose = &self.pose.joints[joint as usize];
        let rotation = of_joint.rest.rotation * pose.rotation(of_joint.bone_axis());
        let bone = rotation * (of_joint.rest.scale * pose.scale * of_joint.tail_in_joint);
        let across = bone.reject_from_normalized(axis);
        let about_axis = handedness(model_from_parent) * radians;
        if across.length() <= LEAST_SEEN * bone.length() {
            return self.turned_in_parent(joint, axis, about_axis);
        }
        let seen = (model_from_parent * across).reject_from_normalized(sight);
        let wanted = parent_from_model * (DQuat::from_axis_angle(sight, radians) * seen);
        let wanted = wanted.reject_from_normalized(axis);
        let angle = axis.dot(across.cross(wanted)).atan2(across.dot(wanted));
        self.turned_in_parent(joint, axis, nearest_turn(angle, about_axis))
    }

    fn turned_in_parent(&self, joint: u32, axis: DVec3, radians: f64) -> JointPose {
        let of_joint = &self.skeleton.joints()[joint as usize];
        let (pose, bone_axis) = (self.pose.joints[joint as usize], of_joint.bone_axis());
        let rest = of_joint.rest.rotation;
        let turn = DQuat::from_axis_angle(axis, radians);
        let turned = rest.inverse() * turn * rest * pose.rotation(bone_axis);
        pose.with_rotation(turned.normalize(), bone_axis)
    }
}

/// −1 if it mirrors.
fn handedness(linear: DMat3) -> f64 {
    if linear.determinant() < 0.0 { -1.0 } else { 1.0 }
}
