//! What is bound, as plain arrays: what another device uploads to run the same frames.

use super::DeltaMush;

/// Delta mush of a mesh, by row and by neighbour.
#[derive(Clone, Debug, PartialEq)]
pub struct DeltaMushTables {
    /// The point of each row.
    pub point_of_row: Vec<u32>,
    /// Where each row's neighbours begin, and where the last one's end.
    pub starts: Vec<u32>,
    /// Their rows.
    pub neighbours: Vec<u32>,
    /// What each counts in smoothing.
    pub weights: Vec<f32>,
    /// Their cosines with the two tangents of the rest shape.
    pub tangents: Vec<[f32; 2]>,
    /// Rows: `f / Σ w`.
    pub factors: Vec<f32>,
    /// Rows: what smoothing took off.
    pub deltas: Vec<[f32; 3]>,
    /// Rows: true if that is in the row's own frame, false if in model space.
    pub has_frame: Vec<bool>,
    /// How often it smooths.
    pub iterations: u32,
}

impl DeltaMush {
    /// What is bound, as plain arrays.
    pub(crate) fn tables(&self) -> DeltaMushTables {
        let weights = match self.weights.is_empty() {
            true => vec![1.0; self.neighbours.len()],
            false => self.weights.clone(),
        };
        DeltaMushTables {
            point_of_row: self.point_of_row.clone(),
            starts: self.starts.clone(),
            neighbours: self.neighbours.clone(),
            weights,
            tangents: self.tangents.iter().map(|t| [t.u, t.v]).collect(),
            factors: self.factors.clone(),
            deltas: self.deltas.iter().map(|delta| delta.in_frame.to_array()).collect(),
            has_frame: self.deltas.iter().map(|delta| delta.has_frame).collect(),
            iterations: self.settings.iterations,
        }
    }
}
