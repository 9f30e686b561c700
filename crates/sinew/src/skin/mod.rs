//! Skinning: a palette in, deformed points and normals out. One file a method.
//!
//! ```
//! use sinew::{progress::Silent, skeleton::{Palette, Pose}, skin::{Skin, SkinInput, SkinMethod}};
//! # use sinew::{glam::{DVec3, Vec3}, skeleton::{Joint, JointTransform, Skeleton}, weights::SkinWeights};
//! # let joint = Joint { name: "root".into(), parent: None, rest: JointTransform::IDENTITY, tail_in_joint: DVec3::Y };
//! # let skeleton = Skeleton::new(vec![joint]).unwrap();
//! # let (positions, weights, triangles) = (vec![Vec3::X], SkinWeights::rigid(&[0]), vec![]);
//! let input = SkinInput { positions: &positions, normals: &[], weights: &weights, triangles: &triangles };
//! let skin = Skin::bind(SkinMethod::DualQuat, &input, &Silent)?;
//!
//! let palette = Palette::new(&skeleton, &Pose::rest(&skeleton)); // each frame
//! let mut posed = positions.clone();
//! skin.deform(&palette, &mut posed, &mut []);
//! assert_eq!(posed, positions);
//! # Ok::<(), sinew::skin::BindError>(())
//! ```

mod blocks;
mod center_of_rotation;
mod centers;
mod drive;
mod dual_quat;
mod kernel;
mod linear;
mod reference;
mod rigid;

pub use blocks::{LANES, Lanes, VectorBlock};
pub use centers::{centers_of_rotation, exact_centers_of_rotation};
pub use reference::{reference_deform, reference_normal};

use glam::Vec3;

use crate::progress::Progress;
use crate::skeleton::Palette;
use crate::weights::SkinWeights;
use blocks::{Layout, LayoutInput, PointOrder};
use drive::Threading;

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
    /// A triangle names a position that is not there.
    #[error("triangle {triangle} names position {position}, but there are only {num_positions}")]
    PositionOutOfRange {
        /// Which triangle.
        triangle: usize,
        /// What it names.
        position: u32,
        /// How many there are.
        num_positions: usize,
    },
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// A bound skin: a method's finished precomputation for one mesh, immutable and shareable. Results come in the order of
/// the input.
#[derive(Clone, Debug)]
pub struct Skin {
    bound: Bound,
}

impl Skin {
    /// Binds `input` for `method`.
    pub fn bind(
        method: SkinMethod,
        input: &SkinInput<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, BindError> {
        Ok(Self { bound: Bound::new(method, input, PointOrder::User, progress)? })
    }

    /// The method it was bound for.
    pub fn method(&self) -> SkinMethod {
        self.bound.method
    }

    /// Number of bound positions.
    pub fn num_points(&self) -> usize {
        self.bound.layout.num_points
    }

    /// True if normals were bound.
    pub fn has_normals(&self) -> bool {
        !self.bound.layout.normals.is_empty()
    }

    /// Deforms positions and, where `out_normals` is not empty, normals. Large meshes use rayon's threads; the bits
    /// are the same with any number of them. Allocates nothing, unless a point has more than sixteen influences.
    ///
    /// # Panics
    /// If `out_positions` has not one entry a bound position, `out_normals` is neither empty nor as long (or no normals
    /// were bound), or the palette has fewer joints than the weights name.
    pub fn deform(&self, palette: &Palette, out_positions: &mut [Vec3], out_normals: &mut [Vec3]) {
        self.check(palette, out_positions.len(), out_normals.len());
        let threading = Threading::for_points(self.num_points());
        drive::deform(&self.bound, palette, threading, (out_positions, out_normals));
    }

    /// [`Self::deform`] on the calling thread alone.
    ///
    /// # Panics
    /// As [`Self::deform`].
    pub fn deform_on_one_thread(
        &self,
        palette: &Palette,
        out_positions: &mut [Vec3],
        out_normals: &mut [Vec3],
    ) {
        self.check(palette, out_positions.len(), out_normals.len());
        drive::deform(&self.bound, palette, Threading::One, (out_positions, out_normals));
    }

    fn check(&self, palette: &Palette, num_positions: usize, num_normals: usize) {
        assert_eq!(num_positions, self.num_points(), "one output a bound position");
        self.bound.check(palette, num_normals, self.num_points());
    }
}

/// A skin bound in bucketed order: results stay in blocks of sixteen, points of one joint set together. The fastest form,
/// for a pipeline that renumbers its points once.
#[derive(Clone, Debug)]
pub struct BucketedSkin {
    bound: Bound,
}

impl BucketedSkin {
    /// Binds `input` for `method`.
    pub fn bind(
        method: SkinMethod,
        input: &SkinInput<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, BindError> {
        Ok(Self { bound: Bound::new(method, input, PointOrder::Bucketed, progress)? })
    }

    /// The method it was bound for.
    pub fn method(&self) -> SkinMethod {
        self.bound.method
    }

    /// Number of blocks that a frame writes.
    pub fn num_blocks(&self) -> usize {
        self.bound.layout.num_blocks()
    }

    /// The input's point in each lane of each block. Padding lanes repeat a point of their block.
    pub fn point_of_lane(&self) -> &[[u32; LANES]] {
        &self.bound.layout.mesh_point_of_lane
    }

    /// Deforms positions and, where `out_normals` is not empty, normals.
    ///
    /// # Panics
    /// If `out_positions` has not one entry a block, `out_normals` is neither empty nor as long (or no normals were
    /// bound), or the palette has fewer joints than the weights name.
    pub fn deform(
        &self,
        palette: &Palette,
        out_positions: &mut [VectorBlock],
        out_normals: &mut [VectorBlock],
    ) {
        self.check(palette, out_positions.len(), out_normals.len());
        let threading = Threading::for_points(self.bound.layout.num_points);
        drive::deform(&self.bound, palette, threading, (out_positions, out_normals));
    }

    /// [`Self::deform`] on the calling thread alone.
    ///
    /// # Panics
    /// As [`Self::deform`].
    pub fn deform_on_one_thread(
        &self,
        palette: &Palette,
        out_positions: &mut [VectorBlock],
        out_normals: &mut [VectorBlock],
    ) {
        self.check(palette, out_positions.len(), out_normals.len());
        drive::deform(&self.bound, palette, Threading::One, (out_positions, out_normals));
    }

    fn check(&self, palette: &Palette, num_positions: usize, num_normals: usize) {
        assert_eq!(num_positions, self.num_blocks(), "one output a block");
        self.bound.check(palette, num_normals, self.num_blocks());
    }
}

/// What both orders share.
#[derive(Clone, Debug)]
struct Bound {
    method: SkinMethod,
    layout: Layout,
    num_joints: usize,
    level: fearless_simd::Level,
}

impl Bound {
    fn new(
        method: SkinMethod,
        input: &SkinInput<'_>,
        order: PointOrder,
        progress: &dyn Progress,
    ) -> Result<Self, BindError> {
        input.validate()?;
        let dominant;
        let weights = match method {
            SkinMethod::Rigid => {
                dominant = rigid::dominant(input.weights);
                &dominant
            }
            SkinMethod::Linear | SkinMethod::DualQuat | SkinMethod::CenterOfRotation => {
                input.weights
            }
        };
        let (num_rest, rest) = match method {
            SkinMethod::Rigid | SkinMethod::Linear | SkinMethod::DualQuat => {
                (3, input.positions.iter().flat_map(Vec3::to_array).collect::<Vec<f32>>())
            }
            SkinMethod::CenterOfRotation => {
                let centers = centers_of_rotation(input, progress)?;
                let offset_and_center = |(&p, c): (&Vec3, Option<glam::DVec3>)| {
                    let center = c.unwrap_or(p.as_dvec3());
                    let offset = (p.as_dvec3() - center).as_vec3();
                    let center = center.as_vec3();
                    [offset.x, offset.y, offset.z, center.x, center.y, center.z]
                };
                (6, input.positions.iter().zip(centers).flat_map(offset_and_center).collect())
            }
        };
        let layout = Layout::new(&LayoutInput {
            order,
            num_rest,
            rest: &rest,
            normals: input.normals,
            rows: &|point| weights.row(point),
            num_points: input.positions.len(),
        });
        Ok(Self {
            method,
            layout,
            num_joints: input.weights.num_joints_used(),
            level: fearless_simd::Level::new(),
        })
    }

    fn check(&self, palette: &Palette, num_normals: usize, num_outputs: usize) {
        assert!(
            palette.len() >= self.num_joints,
            "the palette has every joint that the weights name"
        );
        assert!(
            num_normals == 0 || (num_normals == num_outputs && !self.layout.normals.is_empty()),
            "normals are bound, and there is one output each"
        );
    }
}

impl SkinInput<'_> {
    fn validate(&self) -> Result<(), BindError> {
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
