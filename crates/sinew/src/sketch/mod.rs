//! Sketching: strokes of a pen that pose the skeleton and shape the surface (Toothman and Neff
//! 2019, sections 4.1, 5 and 6).
//!
//! [`surface`] has strokes on the skin and what they do to it.

pub mod surface;
