//! Springs that relax a skin (temporary root: the lead owns the final one).

pub mod anchored;
mod lanes;
pub mod order;
pub mod rows;
pub mod settings;
pub mod stage;

use glam::Vec3;

/// A point that is held where it is put.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Which point.
    pub point: u32,
    /// Where it is held.
    pub position: Vec3,
}

/// What the iterations of a frame begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Start<'a> {
    /// The first stage's points: every frame by itself.
    #[default]
    FirstStage,
    /// Other points, as a rule the frame before.
    Previous(&'a [Vec3]),
}

/// How a frame went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringStats {
    /// Iterations that were done.
    pub iterations: u32,
    /// The largest step of the last one over the smallest side of the rest bounds.
    pub residual: f32,
}
