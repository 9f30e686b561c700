//! Edits of skin weights: set, dragged, painted, cleaned up, mirrored, bound.
//!
//! Tools of the studio send [`WeightEdit::SetWeights`] with what they found, so that undo, journal
//! and replay never compute it again; scripts name what is to be done.

mod apply;
mod bind;
mod rows;
mod transfer;

use serde::{Deserialize, Serialize};
use sinew::glam::DVec3;
use sinew::skeleton::Side;
use sinew::weights::auto::AutoMethod;
use sinew::weights::drag::DragRule;
use sinew::weights::mirror::MirrorBy;
use sinew::weights::paint::{Brush, Falloff};
use sinew::weights::repair::Mend;

use super::EditError;
use crate::document::Document;
use crate::name_ref::{JointRef, MeshRef};

pub use rows::RowText;
pub(super) use rows::broken;
pub use transfer::Taking;

/// What every edit of weights keeps to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Keeping {
    /// The most influences of a point.
    pub influences: usize,
    /// Joints whose weights stay as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locked: Vec<JointRef>,
    /// The layer that takes the change; the base if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
}

impl Default for Keeping {
    fn default() -> Self {
        Self { influences: 4, locked: Vec::new(), layer: None }
    }
}

/// A stored pose in which dragged points are to stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// The name of a stored pose; empty for the rest.
    pub pose: String,
    /// What it is worth against the pose that is shown.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

fn half() -> f64 {
    0.5
}

fn once() -> usize {
    1
}

fn left() -> Side {
    Side::Left
}

fn tiny() -> f64 {
    0.002
}

fn twentieth() -> f64 {
    0.05
}

fn sixty() -> f64 {
    60.0
}

fn method() -> String {
    AutoMethod::default().name().to_owned()
}

/// How points are dragged; one of the three.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Moves the points by so much.
    By(DVec3),
    /// Times as far from their middle.
    Scale(f64),
    /// About an axis through their middle.
    Turn {
        /// Of any length but none.
        axis: DVec3,
        /// The angle, in degrees.
        degrees: f64,
    },
}

/// A change of weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WeightEdit {
    /// Gives points rows; all of them, where the mesh has none yet.
    SetWeights {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// The layer that takes them; the base if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<String>,
        /// The rows are the layer's own, and not what is to be seen of it with all others.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        own: bool,
        /// The joints that rows name by their place in this list.
        joints: Vec<JointRef>,
        /// A point and its row: `[point, [[joint, weight], …]]`.
        rows: Vec<RowText>,
    },
    /// Brings points of the posed skin somewhere else by their weights.
    DragPoints {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// The points, by number.
        points: Vec<u32>,
        /// How the points move.
        motion: Motion,
        /// Points within this distance along the surface follow in part.
        #[serde(default)]
        radius: f64,
        /// Poses in which they are to stay.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hold: Vec<Held>,
        /// Joints that they may also get.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        further: Vec<JointRef>,
        /// Which weights, where several reach the goal.
        #[serde(default)]
        rule: DragRule,
        /// What it is worth that neighbours change alike.
        #[serde(default = "one")]
        smoothness: f64,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Paints on the posed skin.
    PaintWeights {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// For which joint; smooth and sharpen are about all.
        joint: JointRef,
        /// What the brush does.
        #[serde(default)]
        brush: Brush,
        /// Where the brush was, in model space.
        dabs: Vec<DVec3>,
        /// How far it reaches.
        radius: f64,
        /// Of a dab, from nothing to one.
        #[serde(default = "half")]
        strength: f64,
        /// How it weakens.
        #[serde(default)]
        falloff: Falloff,
        /// What replace gives, and the most that add and subtract change.
        #[serde(default = "one")]
        value: f64,
        /// Through the skin, not along it.
        #[serde(default)]
        through: bool,
        /// On the other side too, for the joint's partner.
        #[serde(default)]
        symmetric: bool,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Makes rows more like their neighbours'.
    SmoothWeights {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// Which points; all if none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        points: Vec<u32>,
        /// How many times.
        #[serde(default = "once")]
        times: usize,
        /// How far, each time.
        #[serde(default = "half")]
        share: f64,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Takes away small influences and those beyond the budget.
    PruneWeights {
        /// Of which meshes; of all if none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        meshes: Vec<MeshRef>,
        /// Which points of the one mesh that is named; all if none is.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        points: Vec<u32>,
        /// What is smaller goes.
        #[serde(default = "tiny")]
        least: f64,
        /// Joints that go, whatever they weigh; a point's only one stays.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<JointRef>,
        /// Budget and locks.
        #[serde(default)]
        keep: Keeping,
    },
    /// Gives points the weights of what is around them.
    FillWeights {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// Which points.
        points: Vec<u32>,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Does to points at once what a brush does.
    FloodWeights {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// Which points; all if none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        points: Vec<u32>,
        /// For which joint; smooth and sharpen are about all.
        joint: JointRef,
        /// What the brush does.
        #[serde(default)]
        brush: Brush,
        /// What replace gives, and the most that add and subtract change.
        #[serde(default = "one")]
        value: f64,
        /// How far, from nothing to one.
        #[serde(default = "one")]
        share: f64,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Gives points one row: the mean of theirs.
    AverageWeights {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// Which points.
        points: Vec<u32>,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Gives one side the weights of the other.
    MirrorWeights {
        /// The side that gives.
        #[serde(default = "left")]
        from: Side,
        /// How partners are found.
        #[serde(default)]
        by: MirrorBy,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Gives a mesh the weights of what lies nearest of other meshes; what has no match is filled
    /// from around.
    TransferWeights {
        /// The meshes that give; all others if none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        from: Vec<MeshRef>,
        /// The one that takes.
        to: MeshRef,
        /// Which of its points; all if none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        points: Vec<u32>,
        /// Joints that take part; all if none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        joints: Vec<JointRef>,
        /// From 0 (as it is) to 1 (as the others have it).
        #[serde(default = "one")]
        mix: f64,
        /// Over the mesh's diagonal: what lies further off is no match.
        #[serde(default = "twentieth")]
        distance: f64,
        /// Between normals: what is turned further is no match.
        #[serde(default = "sixty")]
        degrees: f64,
        /// Budget and locks.
        #[serde(default)]
        keep: Keeping,
    },
    /// Finds the weights of all meshes anew.
    BindWeights {
        /// How: auto, heat, distance …
        #[serde(default = "method")]
        method: String,
        /// Joints that get weights whatever their names say.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        deform: Vec<JointRef>,
        /// Joints that get none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<JointRef>,
        /// The most influences of a point.
        #[serde(default)]
        keep: Keeping,
    },
    /// Mends what a check finds.
    RepairWeights {
        /// What; everything if nothing is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mends: Vec<Mend>,
        /// How many influences a point may have, and which joints' weights stay as they are.
        #[serde(default)]
        keep: Keeping,
    },
    /// Brings back the weights of the file.
    ResetWeights {
        /// Of which meshes; of all if none is named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        meshes: Vec<MeshRef>,
    },
}

impl WeightEdit {
    pub(super) const TAGS: &[&str] = &[
        "set-weights",
        "drag-points",
        "paint-weights",
        "smooth-weights",
        "prune-weights",
        "fill-weights",
        "flood-weights",
        "average-weights",
        "mirror-weights",
        "transfer-weights",
        "bind-weights",
        "repair-weights",
        "reset-weights",
    ];

    /// True if it is about the pose that is shown.
    pub(crate) fn starts_from_pose(&self) -> bool {
        matches!(self, Self::DragPoints { .. } | Self::PaintWeights { .. })
    }

    pub(super) fn label(&self) -> String {
        let points = |number: usize| match number {
            1 => "1 point".to_owned(),
            n => format!("{n} points"),
        };
        match self {
            Self::SetWeights { rows, .. } => format!("Weights of {}", points(rows.len())),
            Self::DragPoints { points: list, .. } => format!("Drag {}", points(list.len())),
            Self::PaintWeights { joint, brush, .. } if brush.is_of_joint() => {
                format!("Paint {}: {}", joint.0, brush.name())
            }
            Self::PaintWeights { brush, .. } => format!("Paint: {}", brush.name()),
            Self::SmoothWeights { .. } => "Smooth weights".into(),
            Self::PruneWeights { without, points: list, .. } if !without.is_empty() => {
                let joints: Vec<&str> = without.iter().map(|joint| joint.0.as_str()).collect();
                format!("Without {}: {}", joints.join(", "), points(list.len()))
            }
            Self::PruneWeights { .. } => "Prune weights".into(),
            Self::FillWeights { points: list, .. } => format!("Fill {}", points(list.len())),
            Self::FloodWeights { joint, brush, .. } => {
                format!("Flood {}: {}", joint.0, brush.name())
            }
            Self::AverageWeights { points: list, .. } => format!("Average {}", points(list.len())),
            Self::MirrorWeights { .. } => "Mirror weights".into(),
            Self::TransferWeights { to, .. } => format!("Transfer weights to {}", to.0),
            Self::BindWeights { .. } => "Bind".into(),
            Self::RepairWeights { .. } => "Repair weights".into(),
            Self::ResetWeights { .. } => "Reset weights".into(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::SetWeights { rows, .. } => {
                rows.iter().map(|row| size_of::<RowText>() + size_of_val(&row.1[..])).sum()
            }
            Self::PaintWeights { dabs, .. } => size_of_val(&dabs[..]),
            Self::DragPoints { points, .. }
            | Self::SmoothWeights { points, .. }
            | Self::FillWeights { points, .. }
            | Self::FloodWeights { points, .. }
            | Self::TransferWeights { points, .. }
            | Self::PruneWeights { points, .. }
            | Self::AverageWeights { points, .. } => size_of_val(&points[..]),
            Self::MirrorWeights { .. }
            | Self::BindWeights { .. }
            | Self::RepairWeights { .. }
            | Self::ResetWeights { .. } => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        apply::apply(self, document)
    }
}
