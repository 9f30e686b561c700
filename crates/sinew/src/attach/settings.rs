//! How points choose the place on a bone that they hold on to.

/// How attachments are found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct AttachSettings {
    /// Which bones a point may choose from.
    pub candidates: Candidates,
    /// Rounds of Laplacian smoothing of the attachment points, each followed by re-projection onto
    /// the bones.
    pub smoothings: u32,
    /// A bone behind the surface is not chosen while one in sight is there (poster).
    pub visibility: bool,
    /// Rounds of mesh contraction before projecting (poster): the shrunk mesh lies near the right
    /// bones where limbs touch.
    pub contractions: u32,
    /// Joints whose bones nothing attaches to: helpers, twist joints, props.
    pub excluded_joints: Vec<u32>,
    /// How far along the bones a joint's bend reaches, over the model's own (poster: influence
    /// size): below 1 bends are tighter, and skin far from joints stays with its bone; above 1 they
    /// are rounder, and stretch less. Kept within [`Self::INFLUENCES`].
    pub influence: f32,
    /// Further scales of single joints' influence.
    pub influence_of_joint: Vec<(u32, f32)>,
}

impl AttachSettings {
    /// A smaller influence is no wider than an edge; a larger one reaches past every bone.
    pub const INFLUENCES: std::ops::RangeInclusive<f32> = 0.1..=4.0;

    /// More rounds draw every attachment to one place.
    pub const SMOOTHINGS: std::ops::RangeInclusive<u32> = 0..=1000;

    /// More rounds leave nothing of the mesh to shrink.
    pub const CONTRACTIONS: std::ops::RangeInclusive<u32> = 0..=1000;
}

impl Default for AttachSettings {
    fn default() -> Self {
        Self {
            candidates: Candidates::Weighted,
            smoothings: 6,
            visibility: false,
            contractions: 0,
            excluded_joints: Vec::new(),
            influence: 1.0,
            influence_of_joint: Vec::new(),
        }
    }
}

/// Which bones a point may choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Candidates {
    /// Every bone (direct projection).
    All,
    /// The bones of joints that have weight on the point; every bone where there are no weights.
    Weighted,
    /// Only the bones at the joint with the largest weight (the paper's): its own, its parent's and
    /// its children's.
    Dominant,
}
