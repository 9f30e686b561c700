//! The methods that blend joints' transforms by weights: one shader each, over the same buffers.

use sinew::skin::BlendTables;

use crate::kernel::{Bound, KernelSource, Slot};
use crate::skeleton::{GpuPalette, ROWS};
use crate::{Gpu, GpuError, MATHS};

const SLOTS: &[Slot] =
    &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Read, Slot::Write, Slot::Write];

const BLEND: &str = include_str!("blend.wgsl");
const STRETCH: &str = include_str!("stretch.wgsl");

pub(crate) const LINEAR: KernelSource = KernelSource {
    label: "skin: linear",
    wgsl: &[MATHS, ROWS, BLEND, include_str!("linear.wgsl")],
    entry: "linear",
    slots: SLOTS,
};

pub(crate) const DUAL_QUAT: KernelSource = KernelSource {
    label: "skin: dual quaternion",
    wgsl: &[MATHS, ROWS, BLEND, STRETCH, include_str!("dual_quat.wgsl")],
    entry: "dual_quat",
    slots: SLOTS,
};

pub(crate) const CENTER_OF_ROTATION: KernelSource = KernelSource {
    label: "skin: centre of rotation",
    wgsl: &[MATHS, ROWS, BLEND, STRETCH, include_str!("center_of_rotation.wgsl")],
    entry: "center_of_rotation",
    slots: SLOTS,
};

/// `BlendParams` of blend.wgsl.
#[derive(Clone, Copy, Debug)]
struct Params {
    num_points: u32,
    rest_stride: u32,
    has_normals: u32,
}

/// What a rest that moves changes: position (or offset and centre) and normal, point by point.
pub(crate) fn rest_rows(tables: &BlendTables) -> Vec<[f32; 4]> {
    let mut rest: Vec<[f32; 4]> = Vec::new();
    for point in 0..tables.positions.len() {
        let center = tables.centers.get(point);
        let normal = tables.normals.get(point);
        let vectors = [Some(&tables.positions[point]), center, normal];
        rest.extend(vectors.into_iter().flatten().map(|v| v.extend(0.0).to_array()));
    }
    rest
}

/// How many of [`rest_rows`] a point has.
pub(crate) fn rest_stride(tables: &BlendTables) -> usize {
    1 + usize::from(!tables.centers.is_empty()) + usize::from(!tables.normals.is_empty())
}

/// Uploads what was bound, and binds a method to it, which writes positions and normals; the buffer
/// of [`rest_rows`] beside it.
pub(crate) fn bind_to(
    gpu: &Gpu,
    method: &KernelSource,
    tables: &BlendTables,
    palette: &GpuPalette,
    [positions, normals]: [&wgpu::Buffer; 2],
) -> Result<(Bound, wgpu::Buffer), GpuError> {
    let num_points = tables.positions.len();
    let has_normals = !tables.normals.is_empty();
    let rest = rest_rows(tables);
    let params = Params {
        num_points: num_points as u32,
        rest_stride: rest_stride(tables) as u32,
        has_normals: u32::from(has_normals),
    };
    let influences: Vec<[u32; 2]> =
        tables.influences.iter().map(|i| [i.joint, i.weight.to_bits()]).collect();

    let params = gpu.uniform(
        "skin parameters",
        &[params.num_points, params.rest_stride, params.has_normals, 0],
    );
    let row_starts = gpu.storage("starts of influences", &tables.row_starts)?;
    let influences = gpu.storage("influences", &influences)?;
    let rest = gpu.storage("rest positions", &rest)?;
    let buffers = [&params, &row_starts, &influences, &rest, palette.blend(), positions, normals];
    Ok((Bound::new(gpu, method, &buffers, num_points), rest))
}
