//! Motion: clips of curves of joints and shapes, and their evaluation at a time.

mod clip;
mod curve;

pub use clip::{Channel, Clip, ShapeTrack, Track};
pub use curve::{Curve, CurveValue, Interpolation, Tangents};
