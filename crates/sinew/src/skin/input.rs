//! What a skin is bound to, and why it may not be.

use glam::Vec3;

use crate::attach::ShareError;
use crate::skeleton::Skeleton;
use crate::weights::SkinWeights;

/// What a skin is bound to: points or render vertices at rest, with their weights.
#[derive(Clone, Copy, Debug)]
pub struct SkinInput<'a> {
    /// Model space.
    pub positions: &'a [Vec3],
    /// Empty, or one a position.
    pub normals: &'a [Vec3],
    /// One row a position.
    pub weights: &'a SkinWeights,
    /// The surface between the positions; centres of rotation and bone-smooth look at it.
    pub triangles: &'a [[u32; 3]],
    /// The joints that the weights name; bone-smooth looks at its bones.
    pub skeleton: &'a Skeleton,
}

/// Why a skin could not be bound.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BindError {
    /// Arrays of different lengths.
    #[error("{found} {what} for {expected} positions; there must be one each")]
    Length {
        /// `normals` or `weight rows`.
        what: &'static str,
        /// Number of positions.
        expected: usize,
        /// Number found.
        found: usize,
    },
    /// A triangle names a position that is not there.
    #[error("triangle {triangle} names position {position}, but there are only {num_positions}")]
    PositionOutOfRange {
        /// Which triangle.
        triangle: usize,
        /// The position that it names.
        position: u32,
        /// How many there are.
        num_positions: usize,
    },
    /// The weights name a joint that is not there.
    #[error("the weights name joint {joint}, but there are only {num_joints} joints")]
    JointOutOfRange {
        /// The largest joint named.
        joint: usize,
        /// How many there are.
        num_joints: usize,
    },
    /// Bone-smooth skinning could not spread the joints' shares over the surface.
    #[error(transparent)]
    Shares(ShareError),
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<ShareError> for BindError {
    fn from(error: ShareError) -> Self {
        match error {
            ShareError::Cancelled => Self::Cancelled,
            ShareError::Factor => Self::Shares(error),
        }
    }
}

impl SkinInput<'_> {
    pub(super) fn validate(&self) -> Result<(), BindError> {
        let expected = self.positions.len();
        let check = |what, found, optional: bool| {
            if found == expected || (optional && found == 0) {
                Ok(())
            } else {
                Err(BindError::Length { what, expected, found })
            }
        };
        check("normals", self.normals.len(), true)?;
        check("weight rows", self.weights.num_points(), false)?;
        if self.weights.num_joints_used() > self.skeleton.len() {
            return Err(BindError::JointOutOfRange {
                joint: self.weights.num_joints_used() - 1,
                num_joints: self.skeleton.len(),
            });
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&position) = corners.iter().find(|&&p| p as usize >= expected) {
                return Err(BindError::PositionOutOfRange {
                    triangle,
                    position,
                    num_positions: expected,
                });
            }
        }
        Ok(())
    }
}
