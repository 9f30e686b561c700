//! Skinning: a palette in, deformed points and normals out. One file a method.

mod reference;

pub use reference::reference_deform;

use glam::Vec3;

use crate::progress::Progress;
use crate::skeleton::Palette;
use crate::weights::SkinWeights;

/// Every method there is. Each surface (CPU, GPU, command, studio, Python) matches it exhaustively, so that a
/// new one does not compile until all of them have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkinMethod {
    /// Each point follows the joint with the largest weight.
    Rigid,
    /// Linear blend of the joints' matrices.
    Linear,
    /// Dual quaternion blend.
    DualQuat,
    /// Blended rotation about a precomputed centre.
    CenterOfRotation,
}

impl SkinMethod {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Rigid, Self::Linear, Self::DualQuat, Self::CenterOfRotation];

    /// The name at the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Linear => "linear",
            Self::DualQuat => "dual-quat",
            Self::CenterOfRotation => "center-of-rotation",
        }
    }
}

/// What a skin is bound to: points or render vertices at rest, with their weights.
#[derive(Clone, Copy, Debug)]
pub struct SkinInput<'a> {
    /// Model space.
    pub positions: &'a [Vec3],
    /// Empty, or one a position.
    pub normals: &'a [Vec3],
    /// One row a position.
    pub weights: &'a SkinWeights,
    /// The surface between the positions; only centres of rotation look at it.
    pub triangles: &'a [[u32; 3]],
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
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// A bound skin: a method's finished precomputation for one mesh, immutable and shareable.
#[derive(Clone, Debug)]
pub struct Skin {
    method: SkinMethod,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    weights: SkinWeights,
    centers: Vec<glam::DVec3>,
}

impl Skin {
    /// Binds `input` for `method`.
    pub fn bind(
        method: SkinMethod,
        input: &SkinInput<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, BindError> {
        let _ = progress;
        Ok(Self {
            method,
            positions: input.positions.to_vec(),
            normals: input.normals.to_vec(),
            weights: input.weights.clone(),
            centers: vec![],
        })
    }

    /// The method it was bound for.
    pub fn method(&self) -> SkinMethod {
        self.method
    }

    /// Deforms positions, and normals if they were bound and `out_normals` is not empty. In the order of the
    /// input.
    ///
    /// # Panics
    /// If `out_positions` has not one entry a bound position, `out_normals` is neither empty nor as long, or the palette
    /// has fewer joints than the weights name.
    pub fn deform(&self, palette: &Palette, out_positions: &mut [Vec3], out_normals: &mut [Vec3]) {
        let _ = (&self.centers, &self.normals, out_normals);
        for (i, out) in out_positions.iter_mut().enumerate() {
            *out = reference_deform(
                self.method,
                palette,
                self.weights.row(i),
                self.positions[i].as_dvec3(),
                None,
            )
            .as_vec3();
        }
    }
}
