//! Blend shapes: named displacements of the rest points (course notes, eq. 11).
//!
//! Only the data lives here so far: welding must know it, and files carry it.

use glam::Vec3;

/// A named target: how far each welded point moves at weight one.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendShape {
    /// As the file has it.
    pub name: String,
    /// One displacement a welded point, model space.
    pub deltas: Vec<Vec3>,
}
