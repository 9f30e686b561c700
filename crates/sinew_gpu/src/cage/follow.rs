//! `C' = P M̃'` on the card: the samples that stand for all points are moved with the cage, skinned
//! by the kernels that skin everything else, and the handles are fitted to them.
//!
//! All f32, where the processor's is f64: off by about the condition of the fit times 1e-7. For
//! what draws a cage; a drag of it is solved in f64 (`sinew::cage::Coupling`).

use sinew::cage::{Coupling, SampleShift};
use sinew::frame::{CAGE_LANES, CageTables};
use sinew::glam::{DVec3, Vec3};
use sinew::skin::{BlendTables, SkinMethod};

use super::rest::{CageMoves, CageRest, RestRows};
use crate::kernel::{Bound, KernelSource, Slot};
use crate::skeleton::GpuPalette;
use crate::skin::blend::{self, rest_rows};
use crate::{Gpu, GpuError, MATHS};

const FOLLOW: KernelSource = KernelSource {
    label: "cage: follow",
    wgsl: &[MATHS, include_str!("follow.wgsl")],
    entry: "follow",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Read, Slot::Write],
};

/// The posed cage of a character.
#[derive(Debug)]
pub(crate) struct CageFollow {
    rest: CageRest,
    skin: Bound,
    fit: Bound,
    posed_cage: wgpu::Buffer,
    num_handles: usize,
    tables: BlendTables,
    shifts: Vec<SampleShift>,
}

impl CageFollow {
    pub(crate) fn new(
        gpu: &Gpu,
        coupling: &Coupling,
        moves: &CageMoves,
        palette: &GpuPalette,
    ) -> Result<Self, GpuError> {
        let of_samples = coupling.tables();
        let (method, has_centers) = match of_samples.method {
            SkinMethod::DualQuat => (&blend::DUAL_QUAT, false),
            SkinMethod::CenterOfRotation => (&blend::CENTER_OF_ROTATION, true),
            SkinMethod::Rigid | SkinMethod::Linear | SkinMethod::BoneSmooth => {
                (&blend::LINEAR, false)
            }
        };
        let num_samples = of_samples.is_at_rest.len();
        let num_handles = coupling.num_handles();
        let mut tables = BlendTables {
            positions: vec![Vec3::ZERO; num_samples],
            centers: vec![Vec3::ZERO; if has_centers { num_samples } else { 0 }],
            normals: Vec::new(),
            row_starts: of_samples.row_starts,
            influences: of_samples.influences,
        };
        place(&mut tables, &coupling.sample_places(&[]));
        let posed = gpu.rows("posed samples", num_samples)?;
        let no_normals = gpu.rows("no normals", 0)?;
        let (skin, rest) = blend::bind_to(gpu, method, &tables, palette, [&posed, &no_normals])?;
        let points = blocks(&of_samples.rows, num_handles);
        let centers = match has_centers {
            true => blocks(&of_samples.center_rows, num_handles),
            false => Vec::new(),
        };
        let stride = 1 + usize::from(has_centers);
        let coordinates =
            CageTables { num_points: num_samples, num_handles, points: &points, centers: &centers };
        let rows = RestRows { buffer: &rest, stride, has_centers };
        let own = CageRest::new(gpu, moves, &coordinates, (rows, &rest_rows(&tables)), false)?;
        let params = [num_handles as u32, num_samples as u32, stride as u32, 0];
        let params = gpu.uniform("parameters of a cage that follows", &params);
        let fit = gpu.storage("fit of a cage", &of_samples.fit)?;
        let at_rest: Vec<u32> = of_samples.is_at_rest.iter().map(|&is| u32::from(is)).collect();
        let at_rest = gpu.storage("samples at rest", &at_rest)?;
        let posed_cage = gpu.rows("posed cage", num_handles)?;
        let buffers = [&params, &fit, &posed, &rest, &at_rest, &posed_cage];
        let fit = Bound::new(gpu, &FOLLOW, &buffers, num_handles);
        let shifts = Vec::new();
        Ok(Self { rest: own, skin, fit, posed_cage, num_handles, tables, shifts })
    }

    /// Takes what shapes and offsets do to the samples; false if that is what they did before.
    pub(crate) fn shift(&mut self, gpu: &Gpu, coupling: &Coupling, shifts: &[SampleShift]) -> bool {
        if self.shifts == shifts {
            return false;
        }
        self.shifts.clear();
        self.shifts.extend_from_slice(shifts);
        place(&mut self.tables, &coupling.sample_places(shifts));
        self.rest.refill(gpu, &rest_rows(&self.tables));
        true
    }

    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.rest.encode(pass);
        self.skin.encode(pass);
        self.fit.encode(pass);
    }

    /// Rows of four floats, a handle each.
    pub(crate) fn posed_cage(&self) -> &wgpu::Buffer {
        &self.posed_cage
    }

    pub(crate) fn num_handles(&self) -> usize {
        self.num_handles
    }
}

/// Positions, as offsets from centres where there are any.
fn place(tables: &mut BlendTables, places: &[[DVec3; 2]]) {
    for (index, &[place, center]) in places.iter().enumerate() {
        tables.positions[index] = match tables.centers.get_mut(index) {
            None => place.as_vec3(),
            Some(own) => {
                *own = center.as_vec3();
                (place - center).as_vec3()
            }
        };
    }
}

/// Rows as [`CageTables`] have them.
fn blocks(rows: &[f32], num_handles: usize) -> Vec<[f32; CAGE_LANES]> {
    let num_rows = rows.len() / num_handles.max(1);
    let mut blocks = vec![[0.0; CAGE_LANES]; num_rows.div_ceil(CAGE_LANES) * num_handles];
    for (row, values) in rows.chunks_exact(num_handles.max(1)).enumerate() {
        for (handle, &value) in values.iter().enumerate() {
            blocks[row / CAGE_LANES * num_handles + handle][row % CAGE_LANES] = value;
        }
    }
    blocks
}
