//! What a frame takes and gives.

use glam::Vec3;

use super::{ScaleEdit, Within};
use crate::skeleton::Palette;

/// A kinematic point: the user says where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Pin {
    /// Which point of the mesh.
    pub point: u32,
    /// Where it is held, model space.
    pub position: Vec3,
    /// How firmly it is held.
    #[cfg_attr(feature = "serde", serde(default))]
    pub hold: Hold,
}

impl Pin {
    /// A point that is held exactly.
    pub const fn at(point: u32, position: Vec3) -> Self {
        Self { point, position, hold: Hold::Exact }
    }

    /// True if the solver may not move it at all.
    pub fn is_exact(&self) -> bool {
        self.hold == Hold::Exact
    }
}

/// Soft pins of points that may move: outside of a region they have nothing to say.
pub(crate) fn soft_pins<'a>(
    pins: &'a [Pin],
    within: Option<Within<'a>>,
) -> impl Iterator<Item = &'a Pin> {
    let is_free = move |pin: &&Pin| within.is_none_or(|w| w.region.is_free(pin.point));
    pins.iter().filter(|pin| !pin.is_exact()).filter(is_free)
}

/// How a pin holds its point.
///
/// Soft ones are the paper's: "configure the solver to more strongly maintain their scale vector
/// lengths and/or directions". The wished scale vector runs from the posed attachment to the pin's
/// position; the point starts there, all forces act on it, and it drives its neighbours. The
/// stiffness is over the model's own (1); 0 leaves that part to the model, and what is stiffer than
/// a step can resolve is held as stiffly as it can. Anchored: the first stage's place is the pin's,
/// and with a length held the point is as stiff along its arm as a handle. Delta mush smooths the
/// pin with the rest and does not put it back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Hold {
    /// At its position, whatever pulls.
    #[default]
    Exact,
    /// By its scale vector.
    Soft {
        /// Stiffness of the length.
        length: f32,
        /// Stiffness of the direction, which takes the place of the bone torque `F_b`.
        direction: f32,
    },
}

/// What the iterations of a frame begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Start<'a> {
    /// The first stage's points: every frame by itself, so that frames can be rendered in any
    /// order.
    #[default]
    FirstStage,
    /// Other points, as a rule the frame before: fewer iterations do, but the result depends on
    /// what came before.
    Previous(&'a [Vec3]),
}

/// One frame's wishes.
#[derive(Clone, Copy, Debug)]
pub struct SpringFrame<'a> {
    /// Where the joints are.
    pub palette: &'a Palette,
    /// Where the iterations begin.
    pub start: Start<'a>,
    /// Kinematic points.
    pub pins: &'a [Pin],
    /// What may move; `None` is everything.
    pub within: Option<Within<'a>>,
    /// Handles whose scale vectors have another length, and perhaps another direction.
    pub edits: &'a [ScaleEdit],
    /// Anchored: how much bent skin swells, [`SpringStats::swell`] of another frame, so that a part
    /// of the points fits the others; `None` finds it, so that the body keeps its volume.
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
    /// Anchored: how far bent skin was moved away from its bones to keep the body's volume, as a
    /// factor (`springs::anchored`); 0 for other models.
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
