//! Edits of motions: keys, tangents, layers, and motions as wholes.

mod apply;
mod keys;

use serde::{Deserialize, Serialize};
use sinew::motion::{LayerMode, Outside, Span, TangentMode};

pub(super) use apply::broken;

use crate::motion_text::{ChannelRef, ChannelText, HandleText};
use crate::name_ref::{JointRef, MotionRef};

/// Keys of a channel, by their times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeysRef {
    /// What they move.
    pub channel: ChannelRef,
    /// When they are; all of the channel's if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<f64>,
}

/// A change of motions. Where no layer is named, the lowest is meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs, reason = "motion, layer and keys are the same everywhere")]
pub enum MotionEdit {
    /// Makes a motion: an empty one, or a copy.
    AddMotion {
        /// One that no other has.
        name: String,
        /// How long an empty one is.
        #[serde(default = "one_second")]
        seconds: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy_of: Option<MotionRef>,
    },
    /// Gives a motion another name.
    RenameMotion { motion: MotionRef, name: String },
    /// Takes a motion out.
    DeleteMotion { motion: MotionRef },
    /// Says how long a motion is; keys past its end stay.
    SetMotionLength { motion: MotionRef, seconds: f64 },
    /// Says how many frames a second a motion is counted in; left out, its keys say so. Keys stay
    /// where they are.
    SetMotionRate {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frames_per_second: Option<f64>,
    },
    /// Sets keys, in place of those at their times: what pasting does, too.
    SetKeys {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        channels: Vec<ChannelText>,
    },
    /// Moves keys in time.
    MoveKeys {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        keys: Vec<KeysRef>,
        /// By how many seconds.
        by_seconds: f64,
    },
    /// Moves keys away from a time, or towards it.
    ScaleKeys {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        keys: Vec<KeysRef>,
        /// What stays.
        about_seconds: f64,
        /// Above zero.
        factor: f64,
    },
    /// Takes keys out.
    DeleteKeys {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        keys: Vec<KeysRef>,
    },
    /// Says how curves go on from keys, and who decides about their slopes.
    ShapeKeys {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        keys: Vec<KeysRef>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        span: Option<Span>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tangents: Option<TangentMode>,
    },
    /// Gives keys handles; where a key's tangents are not broken, one side leads the other.
    SetHandles {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        keys: KeysRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        incoming: Option<HandleText>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outgoing: Option<HandleText>,
    },
    /// Says what channels do before their first key and after their last.
    SetOutside {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        channels: Vec<ChannelRef>,
        before: Outside,
        after: Outside,
    },
    /// Makes swing and twist of joints' rotations, so that turns can be keyed.
    SplitRotation {
        motion: MotionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        joints: Vec<JointRef>,
    },
    /// Puts a layer on top.
    AddLayer {
        motion: MotionRef,
        /// One that no other of the motion has.
        name: String,
        #[serde(default)]
        mode: LayerMode,
    },
    /// Takes a layer out; the last one stays.
    DeleteLayer { motion: MotionRef, layer: String },
    /// Changes what is named of a layer.
    SetLayer {
        motion: MotionRef,
        layer: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<LayerMode>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weight: Option<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        muted: Option<bool>,
        /// The joints that it moves; all if empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mask: Option<Vec<JointRef>>,
        /// From the bottom, 0 first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<usize>,
    },
    /// Straight keys at even times.
    ResampleMotion { motion: MotionRef, per_second: f64 },
    /// Takes out keys as long as no point of the skin, by linear blending, moves further.
    ReduceMotion { motion: MotionRef, metres: f64 },
    /// Time runs otherwise: pairs of a new time and the old one that comes there.
    WarpMotion { motion: MotionRef, times: Vec<[f64; 2]> },
    /// Keeps a part, which then begins at zero.
    TrimMotion { motion: MotionRef, from: f64, to: f64 },
    /// The last seconds go over into the start.
    LoopMotion { motion: MotionRef, seconds: f64 },
}

fn one_second() -> f64 {
    1.0
}

impl MotionEdit {
    pub(super) const TAGS: &[&str] = &[
        "add-motion",
        "rename-motion",
        "delete-motion",
        "set-motion-length",
        "set-motion-rate",
        "set-keys",
        "move-keys",
        "scale-keys",
        "delete-keys",
        "shape-keys",
        "set-handles",
        "set-outside",
        "split-rotation",
        "add-layer",
        "delete-layer",
        "set-layer",
        "resample-motion",
        "reduce-motion",
        "warp-motion",
        "trim-motion",
        "loop-motion",
    ];

    pub(super) fn label(&self) -> String {
        let keys = |words: &str, keys: &[KeysRef]| match keys {
            [one] if one.seconds.len() == 1 => format!("{words} a key"),
            _ => format!("{words} keys"),
        };
        match self {
            Self::AddMotion { name, .. } => format!("Add motion {name}"),
            Self::RenameMotion { name, .. } => format!("Rename motion to {name}"),
            Self::DeleteMotion { motion } => format!("Delete motion {}", motion.0),
            Self::SetMotionLength { motion, .. } => format!("Length of {}", motion.0),
            Self::SetMotionRate { motion, .. } => format!("Frames a second of {}", motion.0),
            Self::SetKeys { channels, .. } => {
                match channels.iter().map(|channel| channel.keys.len()).sum() {
                    1 => "Set a key".into(),
                    n => format!("Set {n} keys"),
                }
            }
            Self::MoveKeys { keys: chosen, .. } => keys("Move", chosen),
            Self::ScaleKeys { keys: chosen, .. } => keys("Scale", chosen),
            Self::DeleteKeys { keys: chosen, .. } => keys("Delete", chosen),
            Self::ShapeKeys { keys: chosen, .. } => keys("Shape", chosen),
            Self::SetHandles { .. } => "Set handles".into(),
            Self::SetOutside { .. } => "Set what is outside keys".into(),
            Self::SplitRotation { .. } => "Split into swing and twist".into(),
            Self::AddLayer { name, .. } => format!("Add layer {name}"),
            Self::DeleteLayer { layer, .. } => format!("Delete layer {layer}"),
            Self::SetLayer { layer, .. } => format!("Change layer {layer}"),
            Self::ResampleMotion { motion, .. } => format!("Resample {}", motion.0),
            Self::ReduceMotion { motion, .. } => format!("Reduce {}", motion.0),
            Self::WarpMotion { motion, .. } => format!("Warp {}", motion.0),
            Self::TrimMotion { motion, .. } => format!("Trim {}", motion.0),
            Self::LoopMotion { motion, .. } => format!("Loop {}", motion.0),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let of_refs = |keys: &[KeysRef]| -> usize {
            keys.iter().map(|keys| size_of_val(keys) + size_of_val(&*keys.seconds)).sum()
        };
        match self {
            Self::SetKeys { channels, .. } => (channels.iter())
                .map(|channel| size_of_val(channel) + size_of_val(&*channel.keys))
                .sum(),
            Self::MoveKeys { keys, .. }
            | Self::ScaleKeys { keys, .. }
            | Self::DeleteKeys { keys, .. }
            | Self::ShapeKeys { keys, .. } => of_refs(keys),
            _ => 0,
        }
    }
}
