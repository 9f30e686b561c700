//! What can be set about springs (temporary: the lead owns the final one).

/// Scales of the forces; 1 is the model's own. Delta mush has none of them.
///
/// The paper's four forces are what the anchored model's terms grew from, so that one set of controls serves both.
#[derive(Clone, Debug, PartialEq)]
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
            across_bones: 1.0,
            of_point: Vec::new(),
            of_pair: Vec::new(),
        }
    }
}
