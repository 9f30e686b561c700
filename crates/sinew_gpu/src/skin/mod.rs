//! Skins on the card: what the CPU has bound, deformed by the card from a palette there.
//!
//! ```no_run
//! # use sinew::{glam::Vec3, progress::Silent, skeleton::{Palette, Pose, Skeleton}, skin::{Skin, SkinInput, SkinMethod}};
//! # fn show(skeleton: &Skeleton, input: &SkinInput<'_>, pose: &Pose) -> Result<(), Box<dyn std::error::Error>> {
//! use sinew_gpu::{Gpu, GpuPalette, GpuSkin};
//!
//! let gpu = Gpu::headless()?;
//! let palette = GpuPalette::new(&gpu, skeleton.len())?;
//! let skin = GpuSkin::new(&gpu, &Skin::bind(SkinMethod::DualQuat, input, &Silent)?, &palette)?;
//!
//! palette.upload(&Palette::new(skeleton, pose)); // each frame
//! skin.deform();
//! let posed: Vec<Vec3> = skin.read_positions()?; // or leave them there: `skin.positions()`
//! # Ok(())
//! # }
//! ```

pub(crate) mod blend;
mod bone_smooth;

pub(crate) use bone_smooth::BoneSmoothProgram;

use sinew::glam::Vec3;
use sinew::skin::{BlendTables, Skin, SkinMethod, SkinTables};

use crate::cage::RestRows;
use crate::kernel::Bound;
use crate::skeleton::GpuPalette;
use crate::{Gpu, GpuError};

/// A bound skin on the card.
#[derive(Debug)]
pub struct GpuSkin {
    gpu: Gpu,
    method: SkinMethod,
    num_points: usize,
    has_normals: bool,
    positions: wgpu::Buffer,
    normals: wgpu::Buffer,
    bound: Bound,
    rests: Rests,
}

/// What would be uploaded to [`GpuSkin::rest`].
pub(crate) fn rows_of(skin: &Skin) -> Vec<[f32; 4]> {
    match skin.tables() {
        SkinTables::Linear(tables)
        | SkinTables::DualQuat(tables)
        | SkinTables::CenterOfRotation(tables) => blend::rest_rows(&tables),
        SkinTables::BoneSmooth(_) => Vec::new(),
    }
}

/// What a rest that moves changes.
#[derive(Debug)]
enum Rests {
    Blend { rows: wgpu::Buffer, stride: usize, has_centers: bool },
    BoneSmooth(BoneSmoothProgram),
}

/// Where results go.
struct Outputs {
    positions: wgpu::Buffer,
    normals: wgpu::Buffer,
}

impl GpuSkin {
    /// Uploads what `skin` has bound. Whatever fills `palette` later moves it.
    ///
    /// # Panics
    /// If the palette has fewer joints than the skin names.
    pub fn new(gpu: &Gpu, skin: &Skin, palette: &GpuPalette) -> Result<Self, GpuError> {
        assert!(
            palette.num_joints() >= skin.num_joints(),
            "the palette has every joint of the skeleton"
        );
        let num_points = skin.num_points();
        let num_normals = if skin.has_normals() { num_points } else { 0 };
        let outputs = Outputs {
            positions: gpu.rows("skinned positions", num_points)?,
            normals: gpu.rows("skinned normals", num_normals)?,
        };
        let blend = |method, tables: &BlendTables| {
            let out = [&outputs.positions, &outputs.normals];
            let (bound, rows) = blend::bind_to(gpu, method, tables, palette, out)?;
            let (stride, has_centers) = (blend::rest_stride(tables), !tables.centers.is_empty());
            Ok::<_, GpuError>((bound, Rests::Blend { rows, stride, has_centers }))
        };
        let (bound, rests) = match skin.tables() {
            SkinTables::Linear(tables) => blend(&blend::LINEAR, &tables)?,
            SkinTables::DualQuat(tables) => blend(&blend::DUAL_QUAT, &tables)?,
            SkinTables::CenterOfRotation(tables) => blend(&blend::CENTER_OF_ROTATION, &tables)?,
            SkinTables::BoneSmooth(tables) => {
                let program = BoneSmoothProgram::new(gpu, &tables)?;
                (program.bind_skin(gpu, palette, &outputs), Rests::BoneSmooth(program))
            }
        };
        let Outputs { positions, normals } = outputs;
        Ok(Self {
            gpu: gpu.clone(),
            method: skin.method(),
            num_points,
            has_normals: skin.has_normals(),
            positions,
            normals,
            bound,
            rests,
        })
    }

    /// Uploads again what [`Skin::refit`] has changed, into the buffers that are there. False if
    /// `skin` is not the one that was uploaded, refitted: it is to be uploaded anew then.
    pub fn refit(&self, skin: &Skin) -> bool {
        self.is_of(skin)
            && match (&self.rests, skin.tables()) {
                (
                    Rests::Blend { rows, .. },
                    SkinTables::Linear(tables)
                    | SkinTables::DualQuat(tables)
                    | SkinTables::CenterOfRotation(tables),
                ) => self.gpu.refill(rows, &blend::rest_rows(&tables)),
                (Rests::BoneSmooth(program), SkinTables::BoneSmooth(tables)) => {
                    program.refit(&self.gpu, &tables)
                }
                (Rests::Blend { .. } | Rests::BoneSmooth(_), _) => false,
            }
    }

    /// True if it is the skin that was uploaded, perhaps refitted.
    pub(crate) fn is_of(&self, skin: &Skin) -> bool {
        skin.method() == self.method
            && skin.num_points() == self.num_points
            && skin.has_normals() == self.has_normals
    }

    /// Where its rest is; `None` where that is more than positions, centres and normals.
    pub(crate) fn rest(&self) -> Option<RestRows<'_>> {
        match &self.rests {
            Rests::Blend { rows, stride, has_centers } => {
                Some(RestRows { buffer: rows, stride: *stride, has_centers: *has_centers })
            }
            Rests::BoneSmooth(_) => None,
        }
    }

    /// The method it was bound for.
    pub fn method(&self) -> SkinMethod {
        self.method
    }

    /// Number of bound positions.
    pub fn num_points(&self) -> usize {
        self.num_points
    }

    /// True if normals were bound.
    pub fn has_normals(&self) -> bool {
        self.has_normals
    }

    /// Deforms by what the palette holds, as part of a caller's pass.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.bound.encode(pass);
    }

    /// Deforms by what the palette holds, in a submission of its own. Returns at once; the card
    /// works on.
    pub fn deform(&self) {
        let mut encoder = self.gpu.encoder("skin");
        self.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        self.gpu.queue().submit([encoder.finish()]);
    }

    /// The deformed positions on the card, in the order of the skin's input: rows of four floats,
    /// the last 1.
    pub fn positions(&self) -> &wgpu::Buffer {
        &self.positions
    }

    /// The deformed normals on the card: rows of four floats, the last 0. One row of zeros if none
    /// were bound.
    pub fn normals(&self) -> &wgpu::Buffer {
        &self.normals
    }

    /// Waits for the card, and copies the positions.
    pub fn read_positions(&self) -> Result<Vec<Vec3>, GpuError> {
        self.gpu.read_vectors(&self.positions, self.num_points)
    }

    /// Waits for the card, and copies the normals; none if none were bound.
    pub fn read_normals(&self) -> Result<Vec<Vec3>, GpuError> {
        let count = if self.has_normals { self.num_points } else { 0 };
        self.gpu.read_vectors(&self.normals, count)
    }
}
