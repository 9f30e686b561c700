//! Motion: clips of joint curves, and their evaluation at a time.

mod clip;

pub use clip::{Channel, Clip, Interpolation, Track};
