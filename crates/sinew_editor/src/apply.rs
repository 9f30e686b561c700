//! The one way to change a document.

use std::sync::Arc;

use sinew::skeleton::{JointPose, Pose};

use crate::document::{Document, StoredPose, fault_of_joint_pose};
use crate::edit::{Edit, EditError};
use crate::joint_ref::JointRef;
use crate::{mirror, names};

impl Document {
    /// Does an edit, or says why it cannot be done and leaves the document as it was.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), EditError> {
        match edit {
            Edit::PoseJoints { joints } => {
                let mut pose = Pose::clone(&self.pose);
                for (joint, joint_pose) in joints {
                    pose.joints[self.resolve(joint)? as usize] = *joint_pose;
                }
                self.take_pose(pose)
            }
            Edit::RotateJoint { joint, axis, degrees } => {
                self.change_joint(joint, |pose, joint| axis.turn(pose, joint, *degrees))
            }
            Edit::StretchJoint { joint, factor } => self.change_joint(joint, |pose, _| JointPose {
                stretch: pose.stretch * factor,
                ..pose
            }),
            Edit::ResetPose { joints } if joints.is_empty() => {
                self.take_pose(Pose::rest(&self.character.skeleton))
            }
            Edit::ResetPose { joints } => {
                let mut pose = Pose::clone(&self.pose);
                for joint in joints {
                    pose.joints[self.resolve(joint)? as usize] = JointPose::REST;
                }
                self.take_pose(pose)
            }
            Edit::MirrorPose {} => {
                let pose = mirror::mirrored(&self.character.skeleton, &self.pose)?;
                self.take_pose(pose)
            }
            Edit::PoseFromClip { clip, seconds } => {
                let clips = &self.character.clips;
                let found = self.character.clip(clip).ok_or_else(|| {
                    let names = clips.iter().map(|clip| clip.name.as_str());
                    EditError::Unknown(names::unknown("clip", clip, names))
                })?;
                if !seconds.is_finite() {
                    return Err(EditError::value("seconds", "must be a finite number"));
                }
                self.take_pose(found.pose_at(&self.character.skeleton, *seconds))
            }
            Edit::SetMethod { method } => {
                let mut deformation = (*self.deformation).clone();
                deformation.method = *method;
                self.deformation = Arc::new(deformation);
                Ok(())
            }
            Edit::SetSprings { springs } => {
                let mut deformation = (*self.deformation).clone();
                deformation.springs.clone_from(springs);
                if let Some(fault) = deformation.fault(&self.character) {
                    return Err(EditError::value("springs", fault));
                }
                self.deformation = Arc::new(deformation);
                Ok(())
            }
            Edit::StorePose { name } => {
                if name.is_empty() {
                    return Err(EditError::value("name", "a stored pose needs one"));
                }
                let pose = Pose::clone(&self.pose);
                let stored = Arc::make_mut(&mut self.stored_poses);
                match stored.iter_mut().find(|known| known.name == *name) {
                    Some(known) => known.pose = pose,
                    None => stored.push(StoredPose { name: name.clone(), pose }),
                }
                Ok(())
            }
            Edit::RecallPose { name } => {
                let place = self.stored(name)?;
                self.take_pose(self.stored_poses[place].pose.clone())
            }
            Edit::RenamePose { from, to } => {
                let place = self.stored(from)?;
                if to.is_empty() {
                    return Err(EditError::value("to", "a stored pose needs a name"));
                }
                if from != to && self.stored_poses.iter().any(|known| known.name == *to) {
                    let fault = format!("there is a stored pose '{to}' already; choose another");
                    return Err(EditError::value("to", fault));
                }
                Arc::make_mut(&mut self.stored_poses)[place].name.clone_from(to);
                Ok(())
            }
            Edit::DeletePose { name } => {
                let place = self.stored(name)?;
                Arc::make_mut(&mut self.stored_poses).remove(place);
                Ok(())
            }
        }
    }

    fn resolve(&self, joint: &JointRef) -> Result<u32, EditError> {
        joint.resolve(&self.character.skeleton).map_err(EditError::Unknown)
    }

    fn stored(&self, name: &str) -> Result<usize, EditError> {
        self.stored_poses.iter().position(|known| known.name == name).ok_or_else(|| {
            let names = self.stored_poses.iter().map(|known| known.name.as_str());
            EditError::Unknown(names::unknown("stored pose", name, names))
        })
    }

    fn change_joint(
        &mut self,
        joint: &JointRef,
        change: impl FnOnce(JointPose, &sinew::skeleton::Joint) -> JointPose,
    ) -> Result<(), EditError> {
        let index = self.resolve(joint)? as usize;
        let mut pose = Pose::clone(&self.pose);
        pose.joints[index] = change(pose.joints[index], &self.character.skeleton.joints()[index]);
        self.take_pose(pose)
    }

    /// The only place where the pose changes: what is not a pose does not get in.
    fn take_pose(&mut self, pose: Pose) -> Result<(), EditError> {
        let joints = self.character.skeleton.joints();
        for (joint, joint_pose) in joints.iter().zip(&pose.joints) {
            if let Some(fault) = fault_of_joint_pose(joint_pose, joint.bone_axis()) {
                return Err(EditError::value(format!("joint '{}'", joint.name), fault));
            }
        }
        // The same pose keeps the same place in memory: history and viewport see that nothing happened.
        if *self.pose != pose {
            self.pose = Arc::new(pose);
        }
        Ok(())
    }
}
