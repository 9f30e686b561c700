//! Why a cage, or its coordinates, cannot be had.

use super::CageReport;

/// Why a cage, or its coordinates, cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CageError {
    /// Too few points to enclose anything, or too many to hold.
    #[error(
        "a cage has 4 to {most} points and 4 faces or more; this one has {found} points and {faces} faces"
    )]
    Size {
        /// Its points.
        found: usize,
        /// Its faces.
        faces: usize,
        /// The most that there may be.
        most: usize,
    },
    /// A number that is not one.
    #[error("point {point} of the cage is not finite; repair it in the file")]
    NotFinite {
        /// Which point.
        point: usize,
    },
    /// A face names a point that is not there.
    #[error("face {face} of the cage uses point {point}, but there are only {num_points}")]
    PointOutOfRange {
        /// Which face.
        face: usize,
        /// The point that it names.
        point: u32,
        /// How many there are.
        num_points: usize,
    },
    /// Neither a triangle nor a quad.
    #[error("face {face} of the cage has {found} corners; split it into triangles and quads")]
    Corners {
        /// Which face.
        face: usize,
        /// Its corners.
        found: usize,
    },
    /// Something of another cage, or of another character.
    #[error("{found} {what}, where {expected} are expected")]
    Count {
        /// What there are too many or too few of.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// It is not closed, not two-manifold or not wound one way.
    #[error("the cage cannot be used: {0}")]
    Faults(CageReport),
    /// Its coordinates do not give the points back.
    #[error(
        "the cage's coordinates miss point {point} by {error:.1e} of the cage's diagonal, where {limit:.0e} is allowed; check that faces are neither missing, flipped nor doubled"
    )]
    NotPrecise {
        /// The worst point.
        point: usize,
        /// By how much, over the diagonal.
        error: f64,
        /// What is allowed.
        limit: f64,
    },
    /// A coordinate that is not a number.
    #[error("point {point} has coordinates in this cage that are not numbers; check the cage")]
    NoCoordinates {
        /// Which point.
        point: usize,
    },
    /// The grid has no node inside.
    #[error(
        "no node of a grid of {cells} cells is inside the cage; use more cells, or mean value coordinates"
    )]
    NothingInside {
        /// Along the longest side.
        cells: u32,
    },
    /// A joint that cannot be placed.
    #[error("joint '{name}' has no place in the cage; use a cage that has a volume")]
    NoJoint {
        /// The joint, by number.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// Nothing to enclose.
    #[error("there is nothing to put a cage around; the character has no points")]
    NoPoints,
    /// A cage could not be made as asked.
    #[error("no cage of {faces} faces could be made: {why}")]
    CannotGenerate {
        /// What was asked for.
        faces: usize,
        /// What stood in the way, and what to do.
        why: String,
    },
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}
