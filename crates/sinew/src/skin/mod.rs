//! Skinning: a palette in, deformed points and normals out. One file a method.
//!
//! ```
//! use sinew::{progress::Silent, skeleton::{Palette, Pose}, skin::{Skin, SkinInput, SkinMethod}};
//! # use sinew::{glam::{DVec3, Vec3}, skeleton::{Joint, JointTransform, Skeleton}, weights::SkinWeights};
//! # let joint = Joint { name: "root".into(), parent: None, rest: JointTransform::IDENTITY, tail_in_joint: DVec3::Y };
//! # let skeleton = Skeleton::new(vec![joint]).unwrap();
//! # let (positions, weights, triangles) = (vec![Vec3::X], SkinWeights::rigid(&[0]), vec![]);
//! let input = SkinInput {
//!     positions: &positions, normals: &[], weights: &weights, triangles: &triangles, skeleton: &skeleton,
//! };
//! let skin = Skin::bind(SkinMethod::DualQuat, &input, &Silent)?;
//!
//! let palette = Palette::new(&skeleton, &Pose::rest(&skeleton)); // each frame
//! let mut posed = positions.clone();
//! skin.deform(&palette, &mut posed, &mut []);
//! assert_eq!(posed, positions);
//! # Ok::<(), sinew::skin::BindError>(())
//! ```

mod blocks;
pub(crate) mod bone_smooth;
mod center_of_rotation;
mod centers;
mod drive;
mod dual_quat;
mod input;
mod kernel;
mod linear;
mod reference;
mod refit;
mod rigid;
mod rows;
mod tables;
mod tasks;

pub use blocks::{LANES, Lanes, VectorBlock};
pub use bone_smooth::{
    BoneSmoothBlock, BoneSmoothConstants, BoneSmoothRig, BoneSmoothTables, BoneStep,
};
pub use centers::{centers_of_displacements, centers_of_rotation, exact_centers_of_rotation};
pub use input::{BindError, SkinInput};
pub use reference::ReferenceSkin;
pub use refit::SkinRest;
pub use tables::{BlendTables, SkinTables};

use std::sync::Arc;

use glam::Vec3;

use crate::attach::{AttachSettings, ShareError};
use crate::progress::Progress;
use crate::skeleton::Palette;
use blocks::{Layout, LayoutInput, PointOrder};
use bone_smooth::{BlockOut, Order, ShellChoice, UserOut};
use tasks::Threading;

/// Every method there is. Each surface (CPU, GPU, command, studio, Python) matches it exhaustively,
/// so that a new one does not compile until all of them have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum SkinMethod {
    /// Each point follows the joint with the largest weight.
    Rigid,
    /// Linear blend of the joints' matrices.
    Linear,
    /// Dual quaternion blend.
    DualQuat,
    /// Blended rotation about a precomputed centre.
    CenterOfRotation,
    /// Shares of the joints' swing and twist along the bones, at the rest's distance from them.
    BoneSmooth,
}

impl SkinMethod {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 5] =
        [Self::Rigid, Self::Linear, Self::DualQuat, Self::CenterOfRotation, Self::BoneSmooth];

    /// The name at the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Linear => "linear",
            Self::DualQuat => "dual-quat",
            Self::CenterOfRotation => "center-of-rotation",
            Self::BoneSmooth => "bone-smooth",
        }
    }

    /// True if it takes shares of [`Palette::turns`], not transforms alone.
    pub(crate) const fn needs_turns(self) -> bool {
        match self {
            Self::Rigid | Self::Linear | Self::DualQuat | Self::CenterOfRotation => false,
            Self::BoneSmooth => true,
        }
    }
}

/// A bound skin: a method's finished precomputation for one mesh, immutable and shareable. Results
/// come in the order of the input.
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
        self.bound.num_points
    }

    /// True if normals were bound.
    pub fn has_normals(&self) -> bool {
        self.bound.has_normals
    }

    /// Deforms positions and, where `out_normals` is not empty, normals. Large meshes use rayon's
    /// threads; the bits are the same with any number of them. Allocates nothing, unless a point
    /// has more than sixteen influences.
    ///
    /// # Panics
    /// If `out_positions` has not one entry a bound position, `out_normals` is neither empty nor as
    /// long (or no normals were bound), or the palette has fewer joints than the weights name.
    pub fn deform(&self, palette: &Palette, out_positions: &mut [Vec3], out_normals: &mut [Vec3]) {
        self.run(palette, Threading::Pool, out_positions, out_normals);
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
        self.run(palette, Threading::One, out_positions, out_normals);
    }

    fn run(
        &self,
        palette: &Palette,
        threading: Threading,
        positions: &mut [Vec3],
        normals: &mut [Vec3],
    ) {
        assert_eq!(positions.len(), self.num_points(), "one output a bound position");
        self.bound.check(palette, normals.len(), self.num_points());
        match &self.bound.form {
            Form::Blended(blended) => {
                drive::deform(blended, palette, threading, (positions, normals));
            }
            Form::BoneSmooth(layout) if normals.is_empty() => {
                layout.run_with(threading, palette, UserOut::<false> { positions, normals });
            }
            Form::BoneSmooth(layout) => {
                layout.run_with(threading, palette, UserOut::<true> { positions, normals });
            }
        }
    }
}

/// A skin bound in bucketed order: results stay in blocks of sixteen, points of one joint set
/// together. The fastest form, for a pipeline that renumbers its points once.
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
        match &self.bound.form {
            Form::Blended(blended) => blended.layout.num_blocks(),
            Form::BoneSmooth(layout) => layout.num_blocks(),
        }
    }

    /// The input's point in each lane of each block. Padding lanes repeat a point of their block.
    pub fn point_of_lane(&self) -> &[[u32; LANES]] {
        match &self.bound.form {
            Form::Blended(blended) => &blended.layout.map.mesh_point_of_lane,
            Form::BoneSmooth(layout) => layout.mesh_output_of_lane(),
        }
    }

    /// Deforms positions and, where `out_normals` is not empty, normals.
    ///
    /// # Panics
    /// If `out_positions` has not one entry a block, `out_normals` is neither empty nor as long (or
    /// no normals were bound), or the palette has fewer joints than the weights name.
    pub fn deform(
        &self,
        palette: &Palette,
        out_positions: &mut [VectorBlock],
        out_normals: &mut [VectorBlock],
    ) {
        self.run(palette, Threading::Pool, out_positions, out_normals);
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
        self.run(palette, Threading::One, out_positions, out_normals);
    }

    fn run(
        &self,
        palette: &Palette,
        threading: Threading,
        positions: &mut [VectorBlock],
        normals: &mut [VectorBlock],
    ) {
        assert_eq!(positions.len(), self.num_blocks(), "one output a block");
        self.bound.check(palette, normals.len(), self.num_blocks());
        match &self.bound.form {
            Form::Blended(blended) => {
                drive::deform(blended, palette, threading, (positions, normals));
            }
            Form::BoneSmooth(layout) if normals.is_empty() => {
                layout.run_with(threading, palette, BlockOut::<false> { positions, normals });
            }
            Form::BoneSmooth(layout) => {
                layout.run_with(threading, palette, BlockOut::<true> { positions, normals });
            }
        }
    }
}

/// What both orders share.
#[derive(Clone, Debug)]
struct Bound {
    method: SkinMethod,
    num_points: usize,
    has_normals: bool,
    num_joints: usize,
    form: Form,
}

/// The two families of methods.
#[derive(Clone, Debug)]
enum Form {
    /// Transforms blended by weights.
    Blended(Box<Blended>),
    /// Shares along the bones.
    BoneSmooth(Box<bone_smooth::Layout>),
}

/// A method that blends the joints' transforms.
#[derive(Clone, Debug)]
struct Blended {
    method: BlendMethod,
    layout: Layout,
    /// As bound, in the order of the input; empty for methods without centres.
    centers: Arc<[Vec3]>,
    level: fearless_simd::Level,
}

/// Which transforms are blended, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlendMethod {
    /// Matrices; with one weight a point, rigid skinning too.
    Linear,
    DualQuat,
    CenterOfRotation,
}

impl Bound {
    fn new(
        method: SkinMethod,
        input: &SkinInput<'_>,
        order: PointOrder,
        progress: &dyn Progress,
    ) -> Result<Self, BindError> {
        input.validate()?;
        let form = match method {
            SkinMethod::Rigid => {
                let weights = rigid::dominant(input.weights);
                let input = SkinInput { weights: &weights, ..*input };
                Form::Blended(Box::new(Blended::new(BlendMethod::Linear, &input, order, progress)?))
            }
            SkinMethod::Linear => {
                Form::Blended(Box::new(Blended::new(BlendMethod::Linear, input, order, progress)?))
            }
            SkinMethod::DualQuat => Form::Blended(Box::new(Blended::new(
                BlendMethod::DualQuat,
                input,
                order,
                progress,
            )?)),
            SkinMethod::CenterOfRotation => {
                let method = BlendMethod::CenterOfRotation;
                Form::Blended(Box::new(Blended::new(method, input, order, progress)?))
            }
            SkinMethod::BoneSmooth => {
                Form::BoneSmooth(Box::new(bind_bone_smooth(input, order, progress)?))
            }
        };
        Ok(Self {
            method,
            num_points: input.positions.len(),
            has_normals: !input.normals.is_empty(),
            num_joints: input.skeleton.len(),
            form,
        })
    }

    fn check(&self, palette: &Palette, num_normals: usize, num_outputs: usize) {
        assert!(palette.len() >= self.num_joints, "the palette has every joint of the skeleton");
        let has_turns = palette.turns().len() >= self.num_joints;
        assert!(has_turns || !self.method.needs_turns(), "the palette has the joints' turns");
        assert!(
            num_normals == 0 || (num_normals == num_outputs && self.has_normals),
            "normals are bound, and there is one output each"
        );
    }
}

/// Shares are found on the welded surface, whatever seams the input has.
fn bind_bone_smooth(
    input: &SkinInput<'_>,
    order: PointOrder,
    progress: &dyn Progress,
) -> Result<bone_smooth::Layout, BindError> {
    let (rig, point_of_position) = bone_smooth_rig(input, progress)?;
    let order = match order {
        PointOrder::User => Order::Positions(&point_of_position),
        PointOrder::Bucketed => Order::Blocks(&point_of_position),
    };
    Ok(bone_smooth::Layout::new(Arc::new(rig), order, input.normals, bone_smooth::KEEP_VOLUME))
}

/// The rig of the welded surface, and its point of each position.
fn bone_smooth_rig(
    input: &SkinInput<'_>,
    progress: &dyn Progress,
) -> Result<(BoneSmoothRig, Vec<u32>), ShareError> {
    let (first_of_point, point_of_position) = bone_smooth::welded(input.positions);
    let points: Vec<Vec3> = first_of_point.iter().map(|&p| input.positions[p as usize]).collect();
    let triangles: Vec<[u32; 3]> =
        input.triangles.iter().map(|t| t.map(|p| point_of_position[p as usize])).collect();
    let weights = input.weights.select_rows(&first_of_point);
    let settings = (&AttachSettings::default(), ShellChoice::default(), progress);
    let rig = BoneSmoothRig::bind(&points, &triangles, Some(&weights), input.skeleton, settings)?;
    Ok((rig, point_of_position))
}

impl Blended {
    fn new(
        method: BlendMethod,
        input: &SkinInput<'_>,
        order: PointOrder,
        progress: &dyn Progress,
    ) -> Result<Self, BindError> {
        let centers: Arc<[Vec3]> = match method {
            BlendMethod::Linear | BlendMethod::DualQuat => Arc::default(),
            BlendMethod::CenterOfRotation => {
                let centers = centers_of_rotation(input, progress)?;
                let center = |(&p, c): (&Vec3, &Option<glam::DVec3>)| c.map_or(p, |c| c.as_vec3());
                input.positions.iter().zip(&centers).map(center).collect()
            }
        };
        let (num_rest, rest) = match method {
            BlendMethod::Linear | BlendMethod::DualQuat => {
                (3, input.positions.iter().flat_map(Vec3::to_array).collect::<Vec<f32>>())
            }
            BlendMethod::CenterOfRotation => {
                // From the rounded centre, as refitting sees it: in the rest pose the two then sum
                // up to the position.
                let offset_and_center = |(&p, &center): (&Vec3, &Vec3)| {
                    let offset = p - center;
                    [offset.x, offset.y, offset.z, center.x, center.y, center.z]
                };
                (6, input.positions.iter().zip(&*centers).flat_map(offset_and_center).collect())
            }
        };
        let layout = Layout::new(&LayoutInput {
            order,
            num_rest,
            rest: &rest,
            normals: input.normals,
            rows: &|point| input.weights.row(point),
            num_points: input.positions.len(),
        });
        Ok(Self { method, layout, centers, level: fearless_simd::Level::new() })
    }
}
