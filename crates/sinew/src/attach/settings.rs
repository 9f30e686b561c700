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
    /// Rounds of Laplacian smoothing of the attachment points, each followed by re-projection onto the bones.
    pub smoothings: u32,
    /// A bone behind the surface is not chosen while one in sight is there (poster).
    pub visibility: bool,
    /// Rounds of mesh contraction before projecting (poster): the shrunk mesh lies near the right bones where limbs touch.
    pub contractions: u32,
    /// Joints whose bones nothing attaches to: helpers, twist joints, props.
    pub excluded_joints: Vec<u32>,
}

impl Default for AttachSettings {
    fn default() -> Self {
        Self {
            candidates: Candidates::Weighted,
            smoothings: 6,
            visibility: false,
            contractions: 0,
            excluded_joints: Vec::new(),
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
    /// Only the bones that meet at the joint with the largest weight (the paper's): its own, and its parent's.
    Dominant,
}
