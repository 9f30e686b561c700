//! What a frame takes and gives.

use glam::Vec3;

use super::{ScaleEdit, Within};
use crate::skeleton::Palette;

/// A point that is held where it is put: a kinematic handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Which point of the mesh.
    pub point: u32,
    /// Where it is held.
    pub position: Vec3,
}

/// What the iterations of a frame begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Start<'a> {
    /// The first stage's points: every frame by itself, so that frames can be rendered in any order.
    #[default]
    FirstStage,
    /// Other points, as a rule the frame before: fewer iterations do, but the result depends on what came before.
    Previous(&'a [Vec3]),
}

/// One frame's wishes.
#[derive(Clone, Copy, Debug)]
pub struct SpringFrame<'a> {
    /// Where the joints are.
    pub palette: &'a Palette,
    /// Where the iterations begin.
    pub start: Start<'a>,
    /// Points that are held.
    pub pins: &'a [Pin],
    /// What may move; `None` is everything.
    pub within: Option<Within<'a>>,
    /// Handles whose scale vectors have another length.
    pub edits: &'a [ScaleEdit],
    /// Anchored: how much bent skin swells, [`SpringStats::swell`] of another frame, so that a part of the points fits the others; `None` finds it, so that
    /// the body keeps its volume.
    pub swell: Option<f32>,
}

impl<'a> SpringFrame<'a> {
    /// A pose, from scratch, with nothing held.
    pub fn new(palette: &'a Palette) -> Self {
        Self { palette, start: Start::FirstStage, pins: &[], within: None, edits: &[], swell: None }
    }
}

/// How a frame went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringStats {
    /// Iterations that were done.
    pub iterations: u32,
    /// The largest step of the last one over the smallest side of the rest bounds.
    pub residual: f32,
    /// Anchored: how far bent skin was moved away from its bones to keep the body's volume, as a factor (`springs::anchored`); 0 for other models.
    pub swell: f32,
}

impl SpringStats {
    /// The most of either: of several meshes in a frame.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        Self {
            iterations: self.iterations.max(other.iterations),
            residual: self.residual.max(other.residual),
            swell: if self.swell.abs() < other.swell.abs() { other.swell } else { self.swell },
        }
    }
}
