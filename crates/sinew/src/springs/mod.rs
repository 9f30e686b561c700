//! Springs: a skin relaxed after its first stage (Toothman and Neff 2019, and past it).
//!
//! ```
//! use sinew::glam::Vec3;
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew::skeleton::{Palette, Pose};
//! use sinew::springs::{SpringFrame, SpringInput, SpringRig, SpringSettings};
//!
//! let character = build(&SampleOptions::new(SampleKind::Cylinder))?;
//! let rig = SpringRig::bind(&SpringInput::of(&character, 0), &SpringSettings::default(), &Silent)?;
//!
//! let mut pose = Pose::rest(&character.skeleton);
//! pose.joints[1].twist_radians = 720f64.to_radians();
//! let palette = Palette::new(&character.skeleton, &pose);
//! let mut scratch = rig.scratch();
//! let mut posed = vec![Vec3::ZERO; rig.num_points()];
//! let stats = rig.deform(&SpringFrame::new(&palette), &mut scratch, &mut posed);
//! assert_eq!(stats.iterations, 50);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The models and their formulas: [`anchored`], and `docs/methods/springs-model.md`.

pub mod anchored;
mod coefficients;
mod contact;
mod delta_mush;
mod dynamics;
mod frame;
mod freedom;
mod lanes;
mod layers;
pub mod order;
mod paper;
mod presets;
mod refit;
mod region;
mod riders;
mod rig;
pub mod rows;
mod settings;
mod simulate;
pub mod stage;
pub mod tables;
#[cfg(test)]
mod test_rig;
mod ties;

pub use crate::attach::shells::{self, Bridge, Pieces, ShellKind, Shells};
pub(crate) use coefficients::check_pairs;
pub use coefficients::{CoefficientError, Coefficients, PairScale};
pub use dynamics::DynamicsSettings;
pub use frame::{Hold, Pin, SpringFrame, SpringStats, Start};
pub use presets::SpringPreset;
pub use region::{HANDLE_EDGE_SHARE, Region, ScaleEdit, Within};
pub use rig::{SpringBindError, SpringInput, SpringRig, SpringScratch};
pub use settings::{SpringModel, SpringSettings};
pub use simulate::{DynamicsError, SpringDynamics, SpringMotion};
