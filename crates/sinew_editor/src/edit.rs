//! Edits: everything that can be done to a document, as plain data.
//!
//! The same values are what tools make, what the journal keeps, what `sinew edit` reads as a script, and what the tests replay. In
//! JSON: `{"edit": "rotate-joint", "joint": "elbow", "axis": "x", "degrees": 90}`. `docs/edits.md` lists them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sinew::skeleton::JointPose;
use sinew::skin::SkinMethod;
use sinew::springs::SpringSettings;

use crate::axis::Axis;
use crate::deformation::springs_over_defaults;
use crate::joint_ref::JointRef;

/// One change of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edit {
    /// Puts joints into poses; the others stay.
    PoseJoints {
        /// How far each has left its rest.
        joints: BTreeMap<JointRef, JointPose>,
    },
    /// Turns a joint further about an axis of its own frame. About its bone, turns add up.
    RotateJoint {
        /// Which.
        joint: JointRef,
        /// What it turns about.
        axis: Axis,
        /// Any number of turns.
        degrees: f64,
    },
    /// Stretches a joint's bone further.
    StretchJoint {
        /// Which.
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
    /// Chooses what moves the skin.
    SetMethod {
        /// Which.
        method: SkinMethod,
    },
    /// Sets springs, or removes them.
    SetSprings {
        /// Over the defaults of their model.
        #[serde(default, deserialize_with = "springs_over_defaults")]
        springs: Option<SpringSettings>,
    },
    /// Keeps the pose under a name, in place of one of that name.
    StorePose {
        /// Not empty.
        name: String,
    },
    /// Takes a stored pose.
    RecallPose {
        /// Its name.
        name: String,
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

impl Edit {
    /// What the history calls it.
    pub fn label(&self) -> String {
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
            Self::SetMethod { method } => format!("Skin with {}", method.name()),
            Self::SetSprings { springs: Some(springs) } => {
                format!("Springs: {}", springs.model.name())
            }
            Self::SetSprings { springs: None } => "Springs off".into(),
            Self::StorePose { name } => format!("Store pose {name}"),
            Self::RecallPose { name } => format!("Recall pose {name}"),
            Self::RenamePose { to, .. } => format!("Rename pose to {to}"),
            Self::DeletePose { name } => format!("Delete pose {name}"),
        }
    }
}

/// Why an edit could not be done. The document is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A name that nothing has, with those that are nearest.
    #[error("{0}")]
    Unknown(String),
    /// A value that cannot be.
    #[error("{what}: {fault}")]
    Value {
        /// Of what.
        what: String,
        /// What is wrong with it, and what would be right.
        fault: String,
    },
}

impl EditError {
    pub(crate) fn value(what: impl Into<String>, fault: impl Into<String>) -> Self {
        Self::Value { what: what.into(), fault: fault.into() }
    }
}
