//! What can be set about springs: the model and how long it runs. How stiff each force is:
//! [`Coefficients`].

use std::ops::RangeInclusive;

use super::Coefficients;
use crate::attach::AttachSettings;
use crate::skin::SkinMethod;

/// Every way to relax a skin. Each surface matches it exhaustively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum SpringModel {
    /// The published forces and explicit step (Toothman and Neff 2019), for study and comparison.
    Paper,
    /// The minimum of a convex energy: rotated edges, anchors, guards. One answer, whatever the
    /// start.
    Anchored,
    /// Smooth, and put back what smoothing took off at rest (Mancewicz et al. 2014): the peer
    /// people know.
    DeltaMush,
}

impl SpringModel {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Anchored, Self::DeltaMush];

    /// The name at the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Anchored => "anchored",
            Self::DeltaMush => "delta-mush",
        }
    }

    /// For people: *springs* are the anchored ones; the paper's are there for study.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Paper => "paper's springs",
            Self::Anchored => "springs",
            Self::DeltaMush => "delta mush",
        }
    }

    /// It pulls with forces, which can be stiffer or softer, and gives the skin inertia in motion.
    /// A filter has none.
    pub const fn has_forces(self) -> bool {
        match self {
            Self::Paper | Self::Anchored => true,
            Self::DeltaMush => false,
        }
    }

    /// The skinning that the model was made to follow.
    pub const fn first_stage(self) -> SkinMethod {
        match self {
            Self::Paper => SkinMethod::Rigid,
            Self::Anchored => SkinMethod::BoneSmooth,
            Self::DeltaMush => SkinMethod::Linear,
        }
    }
}

/// How springs are bound.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SpringSettings {
    /// Which springs.
    pub model: SpringModel,
    /// The skin that they start from. The anchored model ends at the same shape whatever it starts
    /// from.
    pub first_stage: SkinMethod,
    /// Iterations a frame, at the most.
    pub iterations: u32,
    /// `dt` of the paper's explicit step, seconds: a longer one closes large gaps in fewer
    /// iterations, and swings before it settles. Paper only.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_published_step"))]
    pub step_seconds: f32,
    /// Ends a frame's iterations once no point moves further than this over the smallest side of
    /// the rest bounds. `0` runs all of them, which is what makes a frame's cost the same in every
    /// pose.
    pub threshold: f32,
    /// Where points hold on to bones.
    pub attach: AttachSettings,
    /// How stiff each force is.
    pub coefficients: Coefficients,
    /// What a stretched bone does to its limb: 1 thins it so that it keeps its volume, 0 keeps its
    /// section. Anchored only.
    pub keep_volume: f32,
    /// Frames from scratch begin with the same springs between a tenth of the points, where a mesh
    /// is fine enough for it: after as many iterations the shape is three to four times as near to
    /// where it comes to rest. Anchored with its own first stage only.
    pub coarse_start: bool,
    /// How strongly the shells of a layered character (clothes, armour, pouches, hair) hold
    /// together, 0 to 1; at 0 each is by itself, and none is rigid. Anchored only.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_whole"))]
    pub shells: f32,
}

/// Files of before there were shells stay as they were.
#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_whole(share: &f32) -> bool {
    *share == 1.0
}

/// Files of before there was a choice stay as they were.
#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_published_step(seconds: &f32) -> bool {
    *seconds == SpringSettings::PAPER_STEP_SECONDS
}

impl SpringSettings {
    /// The published time step: "we find it most appropriate to keep the timestep fixed at 1/30
    /// seconds".
    pub const PAPER_STEP_SECONDS: f32 = 1.0 / 30.0;

    /// More are a typing error: every model has long come to rest.
    pub const ITERATIONS: RangeInclusive<u32> = 0..=100_000;

    /// A longer step of the paper's throws points about; it is above zero.
    pub const MAX_STEP_SECONDS: f32 = 1.0;

    /// From the limb's section to its volume.
    pub const KEPT_VOLUMES: RangeInclusive<f32> = 0.0..=1.0;

    /// True if the first stage is the model's own, which goes by attachments and needs no weights:
    /// bone-smooth before `anchored`, rigid (by the attached bone) before `paper`.
    pub const fn has_own_first_stage(&self) -> bool {
        matches!(
            (self.model, self.first_stage),
            (SpringModel::Anchored, SkinMethod::BoneSmooth)
                | (SpringModel::Paper, SkinMethod::Rigid)
        )
    }

    /// The published or measured defaults of a model.
    pub fn new(model: SpringModel) -> Self {
        Self {
            model,
            first_stage: model.first_stage(),
            iterations: match model {
                SpringModel::Paper | SpringModel::Anchored => 50,
                SpringModel::DeltaMush => 10,
            },
            step_seconds: Self::PAPER_STEP_SECONDS,
            threshold: match model {
                SpringModel::Paper => 1e-4,
                SpringModel::Anchored | SpringModel::DeltaMush => 0.0,
            },
            attach: AttachSettings::default(),
            coefficients: Coefficients::default(),
            keep_volume: 1.0,
            coarse_start: true,
            shells: 1.0,
        }
    }
}

impl Default for SpringSettings {
    fn default() -> Self {
        Self::new(SpringModel::Anchored)
    }
}
