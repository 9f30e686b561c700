//! Delta mush on a rest that has moved, or with other iterations: bound again.

use glam::Vec3;

use super::{DeltaMush, DeltaMushInput};

impl DeltaMush {
    /// Follows points at another rest.
    pub(crate) fn refit(&mut self, positions: &[Vec3]) {
        let Some(source) = self.source.clone() else { return };
        let (triangles, adjacency) = &*source;
        let order = &self.point_of_row;
        let input = DeltaMushInput { positions, triangles, adjacency, order };
        *self = Self { source: Some(source.clone()), ..Self::bind(&input, &self.settings) };
    }
}
