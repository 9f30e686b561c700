//! A document's own part as text: all of it but the character.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::skeleton::{JointPose, Pose};

use crate::deformation::Deformation;
use crate::document::{Document, StoredPose};
use crate::edit::EditError;
use crate::joint_ref::JointRef;

/// Joints that are not at rest.
type PoseRecord = BTreeMap<JointRef, JointPose>;

/// Everything that edits change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    deformation: Deformation,
    #[serde(default)]
    pose: PoseRecord,
    #[serde(default)]
    stored_poses: Vec<StoredPoseRecord>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPoseRecord {
    name: String,
    joints: PoseRecord,
}

impl State {
    /// Of a document.
    pub fn of(document: &Document) -> Self {
        let record = |pose: &Pose| -> PoseRecord {
            let moved =
                pose.joints.iter().enumerate().filter(|(_, pose)| **pose != JointPose::REST);
            moved.map(|(joint, pose)| (document.joint_ref(joint as u32), *pose)).collect()
        };
        let stored = document.stored_poses().iter();
        Self {
            deformation: (**document.deformation()).clone(),
            pose: record(document.pose()),
            stored_poses: stored
                .map(|s| StoredPoseRecord { name: s.name.clone(), joints: record(&s.pose) })
                .collect(),
        }
    }

    /// Brings a document of the same character into this state; on an error it stays as it was.
    pub fn restore(&self, document: &mut Document) -> Result<(), EditError> {
        let skeleton = &document.character.skeleton;
        let pose_of = |record: &PoseRecord| -> Result<Pose, EditError> {
            let mut pose = Pose::rest(skeleton);
            for (joint, joint_pose) in record {
                let joint = joint.resolve(skeleton).map_err(EditError::Unknown)?;
                pose.joints[joint as usize] = *joint_pose;
            }
            Ok(pose)
        };
        let stored = self.stored_poses.iter();
        let stored: Result<Vec<StoredPose>, EditError> = stored
            .map(|s| Ok(StoredPose { name: s.name.clone(), pose: pose_of(&s.joints)? }))
            .collect();
        let restored = Document {
            deformation: Arc::new(self.deformation.clone()),
            pose: Arc::new(pose_of(&self.pose)?),
            stored_poses: Arc::new(stored?),
            ..document.clone()
        };
        match restored.broken_invariant() {
            Some(fault) => Err(EditError::value("state", fault)),
            None => {
                *document = restored;
                Ok(())
            }
        }
    }
}
