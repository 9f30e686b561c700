//! Edits of the pose, and of the poses that are stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::skeleton::{JointPose, Pose};

use super::EditError;
use crate::document::{Document, StoredPose};
use crate::name_ref::{JointRef, MotionRef};
use crate::{mirror, names};
use sinew::skeleton::Axis;

/// A quaternion this near to unit length is one: f64 products drift by 1e-16 each.
const UNIT_TOLERANCE: f64 = 1e-6;

/// How far to a stored pose and past it one may go.
const BLENDS: std::ops::RangeInclusive<f64> = -1.0..=2.0;

/// A change of how a character stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PoseEdit {
    /// Puts joints into poses; the others stay.
    PoseJoints {
        /// How far each has left its rest.
        joints: BTreeMap<JointRef, JointPose>,
    },
    /// Turns a joint further about an axis of its own frame. About its bone, turns add up.
    RotateJoint {
        /// The joint that is posed.
        joint: JointRef,
        /// What it turns about.
        axis: Axis,
        /// Any number of turns.
        degrees: f64,
    },
    /// Stretches a joint's bone further.
    StretchJoint {
        /// The joint that is posed.
        joint: JointRef,
        /// New length over the present one.
        factor: f64,
    },
    /// Brings joints back to rest.
    ResetPose {
        /// Which; all if none is named.
        #[serde(default)]
        joints: Vec<JointRef>,
    },
    /// Left becomes right and right left, by the joints' names.
    MirrorPose {},
    /// Takes the pose of a clip at a time.
    PoseFromClip {
        /// Its name.
        clip: String,
        /// Held before the first key and after the last.
        seconds: f64,
    },
    /// Keeps the pose under a name, in place of one of that name.
    StorePose {
        /// The pose's name, which is not empty.
        name: String,
    },
    /// Takes a stored pose.
    RecallPose {
        /// Its name.
        name: String,
    },
    /// Goes a part of the way to a stored pose, joint by joint.
    BlendPose {
        /// Its name.
        name: String,
        /// How far: 0 stays, 1 is there, more goes past it.
        amount: f64,
        /// Which joints; all if none is named.
        #[serde(default)]
        joints: Vec<JointRef>,
    },
    /// The other side does what these joints do, as a mirror shows it; they stay.
    MirrorJoints {
        /// Which; those without another side stay.
        joints: Vec<JointRef>,
    },
    /// Gives a stored pose another name.
    RenamePose {
        /// Its name.
        from: String,
        /// One that no other has.
        to: String,
    },
    /// Forgets a stored pose.
    DeletePose {
        /// Its name.
        name: String,
    },
}

impl PoseEdit {
    pub(super) const TAGS: &[&str] = &[
        "pose-joints",
        "rotate-joint",
        "stretch-joint",
        "reset-pose",
        "mirror-pose",
        "pose-from-clip",
        "store-pose",
        "recall-pose",
        "blend-pose",
        "mirror-joints",
        "rename-pose",
        "delete-pose",
    ];

    /// True if what it does depends on the pose that there is: one that is only shown must be taken
    /// first.
    pub(crate) fn starts_from_pose(&self) -> bool {
        match self {
            Self::PoseJoints { .. }
            | Self::RotateJoint { .. }
            | Self::StretchJoint { .. }
            | Self::MirrorPose {}
            | Self::BlendPose { .. }
            | Self::MirrorJoints { .. }
            | Self::StorePose { .. } => true,
            Self::ResetPose { joints } => !joints.is_empty(),
            Self::PoseFromClip { .. }
            | Self::RecallPose { .. }
            | Self::RenamePose { .. }
            | Self::DeletePose { .. } => false,
        }
    }

    /// True if it is about the pose, not about those that are stored.
    pub(crate) fn is_of_pose(&self) -> bool {
        !matches!(self, Self::StorePose { .. } | Self::RenamePose { .. } | Self::DeletePose { .. })
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::PoseJoints { joints } => match joints.len() {
                1 => format!("Pose {}", joints.keys().next().map_or("", |joint| &joint.0)),
                n => format!("Pose {n} joints"),
            },
            Self::RotateJoint { joint, .. } => format!("Rotate {}", joint.0),
            Self::StretchJoint { joint, .. } => format!("Stretch {}", joint.0),
            Self::ResetPose { joints } if joints.is_empty() => "Reset pose".into(),
            Self::ResetPose { joints } if joints.len() == 1 => format!("Reset {}", joints[0].0),
            Self::ResetPose { joints } => format!("Reset {} joints", joints.len()),
            Self::MirrorPose {} => "Mirror pose".into(),
            Self::PoseFromClip { clip, .. } => format!("Pose from {clip}"),
            Self::StorePose { name } => format!("Store pose {name}"),
            Self::RecallPose { name } => format!("Recall pose {name}"),
            Self::BlendPose { name, amount, .. } => {
                format!("{:.0} % of pose {name}", 100.0 * amount)
            }
            Self::MirrorJoints { joints } if joints.len() == 1 => {
                format!("Mirror {}", joints[0].0)
            }
            Self::MirrorJoints { joints } => format!("Mirror {} joints", joints.len()),
            Self::RenamePose { to, .. } => format!("Rename pose to {to}"),
            Self::DeletePose { name } => format!("Delete pose {name}"),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::PoseJoints { joints } => {
                joints.keys().map(|joint| joint.0.len() + size_of::<(JointRef, JointPose)>()).sum()
            }
            _ => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        match self {
            Self::PoseJoints { joints } => {
                let mut pose = Pose::clone(&document.pose);
                for (joint, joint_pose) in joints {
                    pose.joints[resolve(document, joint)?] = *joint_pose;
                }
                take_pose(document, pose)
            }
            Self::RotateJoint { joint, axis, degrees } => {
                let character = Arc::clone(&document.character);
                change_joint(document, joint, |pose, joint| {
                    axis.turn(pose, &character, joint, *degrees)
                })
            }
            Self::StretchJoint { joint, factor } => change_joint(document, joint, |pose, _| {
                JointPose { stretch: pose.stretch * factor, ..pose }
            }),
            Self::ResetPose { joints } if joints.is_empty() => {
                let rest = Pose::rest(&document.character.skeleton);
                take_pose(document, rest)
            }
            Self::ResetPose { joints } => {
                let mut pose = Pose::clone(&document.pose);
                for joint in joints {
                    pose.joints[resolve(document, joint)?] = JointPose::REST;
                }
                take_pose(document, pose)
            }
            Self::MirrorPose {} => {
                let pose = mirror::mirrored(&document.character.skeleton, &document.pose)?;
                take_pose(document, pose)
            }
            Self::PoseFromClip { clip, seconds } => {
                if !seconds.is_finite() {
                    return Err(EditError::value("seconds", "must be a finite number"));
                }
                let pose = pose_of_motion(document, clip, *seconds)?;
                take_pose(document, pose)
            }
            Self::StorePose { name } => store(document, name),
            Self::RecallPose { name } => {
                let pose = document.stored_poses[stored(document, name)?].pose.clone();
                take_pose(document, pose)
            }
            Self::BlendPose { name, amount, joints } => {
                if !BLENDS.contains(amount) {
                    let (least, most) = (BLENDS.start(), BLENDS.end());
                    let fault = format!("{amount}; give a number from {least} to {most}");
                    return Err(EditError::value("amount", fault));
                }
                let other = document.stored_poses[stored(document, name)?].pose.clone();
                let mut pose = Pose::clone(&document.pose);
                for joint in resolved(document, joints)? {
                    let there = &other.joints[joint];
                    pose.joints[joint] = match *amount {
                        // To the last bit: a blend rounds.
                        1.0 => *there,
                        amount => pose.joints[joint].blended(there, amount),
                    };
                }
                take_pose(document, pose)
            }
            Self::MirrorJoints { joints } => {
                let skeleton = &document.character.skeleton;
                let image = mirror::mirrored(skeleton, &document.pose)?;
                let mut pose = Pose::clone(&document.pose);
                for joint in joints.iter().map(|joint| resolve(document, joint)) {
                    let joint = joint?;
                    let other = mirror::partner(skeleton, joint);
                    if other != joint {
                        pose.joints[other] = image.joints[other];
                    }
                }
                take_pose(document, pose)
            }
            Self::RenamePose { from, to } => rename(document, from, to),
            Self::DeletePose { name } => {
                let place = stored(document, name)?;
                Arc::make_mut(&mut document.stored_poses).remove(place);
                Ok(())
            }
        }
    }
}

/// The first motion of that name, or `#` and its number: files may have two of one name.
fn pose_of_motion(document: &Document, name: &str, seconds: f64) -> Result<Pose, EditError> {
    let (character, motions) = (&document.character, &document.motions);
    let names = || (0..motions.len()).map(|at| motions.name(character, at));
    let numbered = || MotionRef::from(name).resolve(document).ok();
    let at = names().position(|known| known == name).or_else(numbered);
    let at = at.ok_or_else(|| EditError::Unknown(names::unknown("clip", name, names())))?;
    Ok(motions.motion(character, at).pose_at(&character.skeleton, seconds))
}

fn store(document: &mut Document, name: &str) -> Result<(), EditError> {
    if name.is_empty() {
        return Err(EditError::value("name", "a stored pose needs one"));
    }
    let pose = Pose::clone(&document.pose);
    let stored = Arc::make_mut(&mut document.stored_poses);
    match stored.iter_mut().find(|known| known.name == *name) {
        Some(known) => known.pose = pose,
        None => stored.push(StoredPose { name: name.to_owned(), pose }),
    }
    Ok(())
}

fn rename(document: &mut Document, from: &str, to: &str) -> Result<(), EditError> {
    let place = stored(document, from)?;
    if to.is_empty() {
        return Err(EditError::value("to", "a stored pose needs a name"));
    }
    if from != to && document.stored_poses.iter().any(|known| known.name == *to) {
        let fault = format!("there is a stored pose '{to}' already; choose another");
        return Err(EditError::value("to", fault));
    }
    to.clone_into(&mut Arc::make_mut(&mut document.stored_poses)[place].name);
    Ok(())
}

fn resolve(document: &Document, joint: &JointRef) -> Result<usize, EditError> {
    let found = joint.resolve(&document.character.skeleton).map_err(EditError::Unknown)?;
    Ok(found as usize)
}

/// All joints if none is named.
fn resolved(document: &Document, joints: &[JointRef]) -> Result<Vec<usize>, EditError> {
    match joints {
        [] => Ok((0..document.character.skeleton.len()).collect()),
        named => named.iter().map(|joint| resolve(document, joint)).collect(),
    }
}

fn stored(document: &Document, name: &str) -> Result<usize, EditError> {
    let all = &document.stored_poses;
    all.iter().position(|known| known.name == name).ok_or_else(|| {
        let names = all.iter().map(|known| known.name.as_str());
        EditError::Unknown(names::unknown("stored pose", name, names))
    })
}

fn change_joint(
    document: &mut Document,
    joint: &JointRef,
    change: impl FnOnce(JointPose, u32) -> JointPose,
) -> Result<(), EditError> {
    let index = resolve(document, joint)?;
    let mut pose = Pose::clone(&document.pose);
    pose.joints[index] = change(pose.joints[index], index as u32);
    take_pose(document, pose)
}

/// The only place where the pose changes: what is not a pose does not get in.
pub(super) fn take_pose(
    document: &mut Document,
    pose: impl Into<Arc<Pose>>,
) -> Result<(), EditError> {
    let pose = pose.into();
    check_pose(document, &pose)?;
    // The same pose keeps the same place in memory: history and viewport see that nothing happened.
    if document.pose != pose {
        document.pose = pose;
    }
    Ok(())
}

/// Says what of a pose is none.
pub(super) fn check_pose(document: &Document, pose: &Pose) -> Result<(), EditError> {
    let joints = document.character.skeleton.joints();
    for (joint, joint_pose) in joints.iter().zip(&pose.joints) {
        if let Some(fault) = fault_of_joint_pose(joint_pose, joint.bone_axis()) {
            return Err(EditError::value(format!("joint '{}'", joint.name), fault));
        }
    }
    Ok(())
}

/// What is wrong with the poses of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    let skeleton = &document.character.skeleton;
    let stored = document.stored_poses.iter().map(|stored| (stored.name.as_str(), &stored.pose));
    for (name, pose) in std::iter::once(("the pose", &*document.pose)).chain(stored) {
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
    for (index, stored) in document.stored_poses.iter().enumerate() {
        if stored.name.is_empty() {
            return Some("a stored pose without a name".into());
        }
        if document.stored_poses[..index].iter().any(|other| other.name == stored.name) {
            return Some(format!("two stored poses are called '{}'", stored.name));
        }
    }
    None
}

/// What is wrong with the pose of a joint whose bone lies along `bone_axis`.
fn fault_of_joint_pose(pose: &JointPose, bone_axis: glam::DVec3) -> Option<String> {
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
