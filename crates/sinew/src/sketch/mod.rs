//! Sketching: strokes of a pen that pose a skeleton and shape a surface (spring paper, sections 4.1
//! and 5).
//!
//! [`stroke`] makes a curve of what a pen did, for both. [`chain`] finds which joints a stroke
//! means; [`pose`] brings them to lie along another. [`surface`] has strokes on the skin and what
//! they do to it.

pub mod chain;
pub mod pose;
pub mod stroke;
pub mod surface;
