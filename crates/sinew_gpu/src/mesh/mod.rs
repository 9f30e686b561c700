//! Surfaces on the card.

mod normals;

pub use normals::GpuNormals;
