//! Cages: a coarse mesh around a character, whose points are handles.
//!
//! Every point has coordinates in the cage, `x = Σ φ_k c_k`, and follows its handles
//! ([`coordinates`]). Coupled with a skeleton (Corda et al. 2020, "Real-time deformation with
//! coupled cages and skeletons") a cage is there twice: at rest, where it moves the points and
//! joints that the skeleton then poses, and in the pose, where it follows the skin and may be
//! taken hold of ([`Coupling`]).

mod caged_points;
pub mod coordinates;
mod coupling;
mod error;
mod generate;
mod handles;
mod intersect;
mod lattice;
mod max_volume;
mod report;
mod shape;
#[cfg(test)]
mod tests;

pub use caged_points::CagedPoints;
pub use coordinates::{
    CoordinateKind, CoordinateRows, Coordinates, GreenCage, LARGE_COORDINATE, PRECISION_LIMIT,
};
pub use coupling::{
    CoupledPart, Coupling, CouplingScratch, CouplingTables, LARGE_GAIN, Reverse, ReverseError,
    Reversed, SampleShift,
};
pub use error::CageError;
pub use generate::CageSettings;
pub use handles::MirroredHandles;
pub use max_volume::Selection;
pub use report::{CageFault, CageReport};
pub use shape::{Cage, CageFace, MAX_HANDLES};
