//! What is edited: a character, how its skin is made, and how it stands.
//!
//! Heavy fields are behind `Arc`, so that a copy of a document costs a few pointers: undo keeps copies, and a worker takes one
//! with it. [`Document::apply`](crate::Document::apply) is the only way to change one. Camera, selection and tool are not here:
//! they are nobody's work.

use std::sync::Arc;

use sinew::Character;
use sinew::skeleton::{JointPose, Pose};

use crate::deformation::Deformation;
use crate::joint_ref::JointRef;
use crate::source::{Source, SourceError};

/// A quaternion this near to unit length is one: f64 products drift by 1e-16 each.
const UNIT_TOLERANCE: f64 = 1e-6;

/// A pose that was kept under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPose {
    /// Unique in the document, never empty.
    pub name: String,
    /// Of the document's skeleton.
    pub pose: Pose,
}

/// A character with everything that the user decided about it.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) source: Arc<Source>,
    pub(crate) character: Arc<Character>,
    pub(crate) deformation: Arc<Deformation>,
    pub(crate) pose: Arc<Pose>,
    pub(crate) stored_poses: Arc<Vec<StoredPose>>,
}

impl PartialEq for Document {
    /// What two copies share is the same without a look at it: this is asked at the end of every drag.
    fn eq(&self, other: &Self) -> bool {
        fn is_same<T: PartialEq>(a: &Arc<T>, b: &Arc<T>) -> bool {
            Arc::ptr_eq(a, b) || a == b
        }
        is_same(&self.pose, &other.pose)
            && is_same(&self.deformation, &other.deformation)
            && is_same(&self.stored_poses, &other.stored_poses)
            && is_same(&self.source, &other.source)
            && is_same(&self.character, &other.character)
    }
}

impl Document {
    /// A character as its source has it: at rest, with the default deformation.
    pub fn open(source: Source, folder: Option<&std::path::Path>) -> Result<Self, SourceError> {
        let character = source.load(folder)?.character;
        let pose = Pose::rest(&character.skeleton);
        Ok(Self {
            source: Arc::new(source),
            character: Arc::new(character),
            deformation: Arc::default(),
            pose: Arc::new(pose),
            stored_poses: Arc::default(),
        })
    }

    /// Where the character came from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// How its skin is made.
    pub fn deformation(&self) -> &Arc<Deformation> {
        &self.deformation
    }

    /// How it stands.
    pub fn pose(&self) -> &Arc<Pose> {
        &self.pose
    }

    /// Poses to come back to, in the order in which they were stored.
    pub fn stored_poses(&self) -> &[StoredPose] {
        &self.stored_poses
    }

    /// How edits and files name a joint.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn joint_ref(&self, joint: u32) -> JointRef {
        JointRef::of(&self.character.skeleton, joint)
    }

    /// What must hold after every edit; says what does not.
    pub fn broken_invariant(&self) -> Option<String> {
        let skeleton = &self.character.skeleton;
        let stored = self.stored_poses.iter().map(|stored| (stored.name.as_str(), &stored.pose));
        for (name, pose) in std::iter::once(("the pose", &*self.pose)).chain(stored) {
            if pose.joints.len() != skeleton.len() {
                let (found, expected) = (pose.joints.len(), skeleton.len());
                return Some(format!("{name}: {found} joint poses for {expected} joints"));
            }
            for (joint, of_joint) in skeleton.joints().iter().zip(&pose.joints) {
                if let Some(fault) = fault_of_joint_pose(of_joint, joint.bone_axis()) {
                    return Some(format!("{name}, joint '{}': {fault}", joint.name));
                }
            }
        }
        for (index, stored) in self.stored_poses.iter().enumerate() {
            if stored.name.is_empty() {
                return Some("a stored pose without a name".into());
            }
            if self.stored_poses[..index].iter().any(|other| other.name == stored.name) {
                return Some(format!("two stored poses are called '{}'", stored.name));
            }
        }
        self.deformation.fault(&self.character)
    }

    /// Bytes that this copy holds and `other` does not.
    pub(crate) fn bytes_not_shared_with(&self, other: &Self) -> usize {
        let pose_bytes = |pose: &Pose| pose.joints.len() * size_of::<JointPose>();
        let mut bytes = size_of::<Self>();
        if !Arc::ptr_eq(&self.pose, &other.pose) {
            bytes += pose_bytes(&self.pose);
        }
        if !Arc::ptr_eq(&self.stored_poses, &other.stored_poses) {
            let of_one = |stored: &StoredPose| stored.name.len() + pose_bytes(&stored.pose);
            bytes += self.stored_poses.iter().map(of_one).sum::<usize>();
        }
        if !Arc::ptr_eq(&self.deformation, &other.deformation) {
            bytes += self.deformation.bytes();
        }
        bytes
    }
}

/// What is wrong with the pose of a joint whose bone lies along `bone_axis`.
pub(crate) fn fault_of_joint_pose(pose: &JointPose, bone_axis: glam::DVec3) -> Option<String> {
    let JointPose { swing, twist_radians, translation, scale, stretch } = pose;
    let is_finite = swing.is_finite()
        && twist_radians.is_finite()
        && translation.is_finite()
        && scale.is_finite()
        && stretch.is_finite();
    if !is_finite {
        return Some("a number that is not finite".into());
    }
    if (swing.length() - 1.0).abs() > UNIT_TOLERANCE {
        return Some(format!("a swing of length {}; it must be a unit quaternion", swing.length()));
    }
    if swing.xyz().dot(bone_axis).abs() > UNIT_TOLERANCE {
        return Some("a swing that turns about the bone; put that part into the twist".into());
    }
    (*stretch <= 0.0).then(|| format!("a stretch of {stretch}; it must be above zero"))
}
