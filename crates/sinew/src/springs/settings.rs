//! What can be set about springs: the model, how long it runs, and how stiff each force is.

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
    /// The minimum of a convex energy: rotated edges, anchors, guards. One answer, whatever the start.
    Anchored,
    /// Smooth, and put back what smoothing took off at rest (Mancewicz et al. 2014): the peer people know.
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

    /// It pulls with forces, which can be stiffer or softer, and gives the skin inertia in motion. A filter has none.
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
    /// The skin that they start from. The anchored model ends at the same shape whatever it starts from.
    pub first_stage: SkinMethod,
    /// Iterations a frame, at the most.
    pub iterations: u32,
    /// Ends a frame's iterations once no point moves further than this over the smallest side of the rest bounds.
    /// `0` runs all of them, which is what makes a frame's cost the same in every pose.
    pub threshold: f32,
    /// Where points hold on to bones.
    pub attach: AttachSettings,
    /// How stiff each force is.
    pub coefficients: Coefficients,
    /// What a stretched bone does to its limb: 1 thins it so that it keeps its volume, 0 keeps its section. Anchored only.
    pub keep_volume: f32,
    /// Frames from scratch begin with the same springs between a tenth of the points, where a mesh is fine enough for it: after as many
    /// iterations the shape is three to four times as near to where it comes to rest. Anchored with its own first stage only.
    pub coarse_start: bool,
}

impl SpringSettings {
    /// The published or measured defaults of a model.
    pub fn new(model: SpringModel) -> Self {
        Self {
            model,
            first_stage: model.first_stage(),
            iterations: match model {
                SpringModel::Paper | SpringModel::Anchored => 50,
                SpringModel::DeltaMush => 10,
            },
            threshold: match model {
                SpringModel::Paper => 1e-4,
                SpringModel::Anchored | SpringModel::DeltaMush => 0.0,
            },
            attach: AttachSettings::default(),
            coefficients: Coefficients::default(),
            keep_volume: 1.0,
            coarse_start: true,
        }
    }
}

impl Default for SpringSettings {
    fn default() -> Self {
        Self::new(SpringModel::Anchored)
    }
}

/// Scales of the forces; 1 is the model's own. Delta mush has none of them.
///
/// The paper's four forces are what the anchored model's terms grew from, so that one set of controls serves both.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Coefficients {
    /// `F_a`, attachment torque. Anchored: edges follow the rotation around them.
    pub torque: f32,
    /// `F_b`, bone torque. Anchored: points stay where the first stage put them.
    pub bone: f32,
    /// `F_s`, surface edges. Anchored: edges are not stretched past their limit.
    pub edge: f32,
    /// `F_l`, length. Anchored: points keep their distance to the bone.
    pub length: f32,
    /// Further scale of an edge's forces while it is shorter than at rest. Anchored: of the guard against folding.
    pub compressed: f32,
    /// Anchored: of the volume that bends have lost, the share that is given back.
    pub volume: f32,
    /// Further scale of the forces between points on different bones.
    pub across_bones: f32,
    /// Painted stiffness, one a point, or empty for 1 everywhere; a pair takes the mean of its two.
    pub of_point: Vec<f32>,
    /// Further scales of single pairs of neighbours, in any order; pairs that are no edge are an error.
    pub of_pair: Vec<([u32; 2], f32)>,
}

impl Default for Coefficients {
    fn default() -> Self {
        Self {
            torque: 1.0,
            bone: 1.0,
            edge: 1.0,
            length: 1.0,
            compressed: 1.0,
            volume: 1.0,
            across_bones: 1.0,
            of_point: Vec::new(),
            of_pair: Vec::new(),
        }
    }
}
