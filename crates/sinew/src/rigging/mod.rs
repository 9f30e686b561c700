//! What one click adds to a character: twist joints along a limb, a half-way helper at a joint, a
//! corrective for a pose, in-betweens and combinations of shapes, each with its driver.
//!
//! Everything is added *after* what is there: no joint and no shape gets another number, so that
//! poses, clips and weights of the character before still fit.

mod corrective;
mod half_way;
mod limb;
mod shapes;
#[cfg(test)]
mod tests;
mod twist;

pub use corrective::{Corrective, add_corrective, corrective_here, moved_by_springs, sculpt_shape};
pub use half_way::add_half_way;
pub use shapes::{Combine, NewShape, add_combination, add_in_between, add_shape};
pub use twist::{MAX_TWIST_JOINTS, add_twist_joints};

use crate::driver::DriverError;
use crate::skeleton::SkeletonError;

/// Why nothing could be added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RiggingError {
    /// A joint that is not there.
    #[error("there is no joint {joint}; there are {num_joints}")]
    NoJoint {
        /// Its number.
        joint: u32,
        /// How many there are.
        num_joints: usize,
    },
    /// A mesh that is not there.
    #[error("there is no mesh {part}; there are {num_parts}")]
    NoPart {
        /// Its number.
        part: usize,
        /// How many there are.
        num_parts: usize,
    },
    /// A point that is not there.
    #[error("mesh '{mesh}' has {num_points} points; there is no point {point}")]
    NoPoint {
        /// The mesh's name.
        mesh: String,
        /// Its number.
        point: u32,
        /// How many there are.
        num_points: usize,
    },
    /// A joint that cannot have what was asked.
    #[error("joint '{joint}': {fault}")]
    Joint {
        /// Its name.
        joint: String,
        /// Why not, and what to do.
        fault: &'static str,
    },
    /// A shape that cannot be.
    #[error("shape '{shape}': {fault}")]
    Shape {
        /// Its name.
        shape: String,
        /// Why not, and what to do.
        fault: String,
    },
    /// The driver of it cannot be.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The joint of it cannot be.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}
