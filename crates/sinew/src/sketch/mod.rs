//! Sketching: strokes of a pen that pose a skeleton and shape a surface (spring paper, sections 4.1
//! and 5).
//!
//! [`stroke`] makes a curve of what a pen did, for both.

pub mod stroke;
