//! Temporary: the lead owns this file's final form. It is here so that the modules below compile and are tested.
#![allow(dead_code, reason = "the lead's SpringRig is what calls these")]

mod coefficients;
mod delta_mush;
mod dynamics;
mod paper;
mod settings;
#[cfg(test)]
mod test_rig;

pub use coefficients::CoefficientError;
pub use settings::{Coefficients, SpringModel, SpringSettings};

use glam::Vec3;

/// A kinematic point: held exactly where it is said to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Which point.
    pub point: u32,
    /// Model space.
    pub position: Vec3,
}

/// What a frame took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringStats {
    /// Iterations run.
    pub iterations: u32,
    /// The last iteration's largest step, over the smallest side of the rest bounds.
    pub residual: f32,
}
