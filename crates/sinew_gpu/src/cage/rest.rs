//! `M = M0 + Φ (C − C0)` on the card, written into the rows that a skin reads.

use sinew::frame::{CAGE_LANES, CageTables};
use sinew::glam::Vec3;
use sinew::mesh::{Mesh, SurfaceNormals};

use crate::kernel::{Bound, KernelSource, Slot};
use crate::mesh::GpuNormals;
use crate::{Gpu, GpuError, MATHS};

const REST: KernelSource = KernelSource {
    label: "cage: rest",
    wgsl: &[MATHS, include_str!("rest.wgsl")],
    entry: "cage_rest",
    slots: &[
        Slot::Uniform,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Write,
    ],
};

const TURN: KernelSource = KernelSource {
    label: "cage: turn normals",
    wgsl: &[MATHS, include_str!("turn.wgsl")],
    entry: "turn_normals",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Read, Slot::Write],
};

/// How far handles have moved, as every kernel of a cage reads it.
#[derive(Debug)]
pub(crate) struct CageMoves {
    buffer: wgpu::Buffer,
    uploaded: Vec<(u32, Vec3)>,
}

impl CageMoves {
    /// None has moved.
    pub(crate) fn new(gpu: &Gpu, num_handles: usize) -> Result<Self, GpuError> {
        Ok(Self { buffer: gpu.rows("moves of handles", num_handles + 1)?, uploaded: Vec::new() })
    }

    /// Uploads other moves; false if they are those that are there.
    pub(crate) fn follow(&mut self, gpu: &Gpu, moves: Vec<(u32, Vec3)>) -> bool {
        if self.uploaded == moves {
            return false;
        }
        let row = |&(handle, by): &(u32, Vec3)| {
            let [x, y, z] = by.to_array().map(f32::to_bits);
            [x, y, z, handle]
        };
        let count = [moves.len() as u32, 0, 0, 0];
        let rows: Vec<[u32; 4]> = std::iter::once(count).chain(moves.iter().map(row)).collect();
        gpu.write(&self.buffer, &rows);
        self.uploaded = moves;
        true
    }

    pub(crate) fn moves(&self) -> &[(u32, Vec3)] {
        &self.uploaded
    }
}

/// Rows of rest data on the card.
#[derive(Clone, Copy)]
pub(crate) struct RestRows<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// Rows a point: position (or offset and centre), then what else there is.
    pub(crate) stride: usize,
    pub(crate) has_centers: bool,
}

/// The rest of some points in a cage.
#[derive(Debug)]
pub(crate) struct CageRest {
    /// The rows while the cage is as it was bound.
    base: wgpu::Buffer,
    /// The points themselves, if something reads them.
    points: wgpu::Buffer,
    /// A binding has a limit, and coordinates of many points and handles are longer.
    runs: Vec<Bound>,
}

impl CageRest {
    /// Writes into `rows` what `base` becomes with the moves.
    pub(crate) fn new(
        gpu: &Gpu,
        moves: &CageMoves,
        tables: &CageTables<'_>,
        (rows, base): (RestRows<'_>, &[[f32; 4]]),
        keeps_points: bool,
    ) -> Result<Self, GpuError> {
        let CageTables { num_points, num_handles, .. } = *tables;
        let base = gpu.storage("rest of a cage as bound", base)?;
        let points = gpu.rows("points at rest", if keeps_points { num_points } else { 0 })?;
        // Where nobody knows better, centres go with their points.
        let of_centers = match (rows.has_centers, tables.centers.is_empty()) {
            (false, _) => &[],
            (true, true) => tables.points,
            (true, false) => tables.centers,
        };
        let limits = gpu.device().limits();
        let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let bytes_a_block = (num_handles * size_of::<[f32; CAGE_LANES]>()).max(1);
        let blocks_a_run = (limit as usize / bytes_a_block).max(1);
        let num_blocks = num_points.div_ceil(CAGE_LANES);
        let mut runs = Vec::new();
        for first in (0..num_blocks).step_by(blocks_a_run) {
            let last = num_blocks.min(first + blocks_a_run);
            let of_run = first * num_handles..last * num_handles;
            let first_point = first * CAGE_LANES;
            let count = num_points.min(last * CAGE_LANES) - first_point;
            let flags = [rows.has_centers, keeps_points].map(u32::from);
            let params = [
                [count as u32, first_point as u32, num_handles as u32, rows.stride as u32],
                [flags[0], flags[1], 0, 0],
            ];
            let params = gpu.uniform("parameters of a cage", &params);
            let coordinates = gpu.storage("coordinates", &tables.points[of_run.clone()])?;
            let centers = of_centers.get(of_run).unwrap_or_default();
            let centers = gpu.storage("coordinates of centres", centers)?;
            let buffers =
                [&params, &moves.buffer, &coordinates, &centers, &base, rows.buffer, &points];
            runs.push(Bound::new(gpu, &REST, &buffers, count));
        }
        Ok(Self { base, points, runs })
    }

    /// Takes other rows of the cage as bound: other shapes. False if they do not fit.
    pub(crate) fn refill(&self, gpu: &Gpu, base: &[[f32; 4]]) -> bool {
        gpu.refill(&self.base, base)
    }

    pub(crate) fn points(&self) -> &wgpu::Buffer {
        &self.points
    }

    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        for run in &self.runs {
            run.encode(pass);
        }
    }
}

/// The file's normals at the rest of a cage.
#[derive(Debug)]
pub(crate) struct TurningNormals {
    after: GpuNormals,
    turn: Bound,
}

impl TurningNormals {
    /// Into row `row` of every `stride`.
    pub(crate) fn new(
        gpu: &Gpu,
        mesh: &Mesh,
        (surface, before): &(SurfaceNormals, Vec<Vec3>),
        points: &wgpu::Buffer,
        (out, stride, row): (&wgpu::Buffer, usize, usize),
    ) -> Result<Self, GpuError> {
        let after = GpuNormals::new(gpu, surface, points)?;
        let num_vertices = mesh.num_vertices();
        let params = [num_vertices as u32, stride as u32, row as u32, 0];
        let params = gpu.uniform("parameters of turning normals", &params);
        let rows = |normals: &[Vec3]| -> Vec<[f32; 4]> {
            normals.iter().map(|normal| normal.extend(0.0).to_array()).collect()
        };
        let point_of_vertex = gpu.storage("points of vertices", mesh.point_of_vertex())?;
        let before = gpu.storage("normals as in the file", &rows(before))?;
        let of_file = gpu.storage("normals of the file", &rows(mesh.vertex_normals()))?;
        let buffers = [&params, &point_of_vertex, &before, after.normals(), &of_file, out];
        let turn = Bound::new(gpu, &TURN, &buffers, num_vertices);
        Ok(Self { after, turn })
    }

    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.after.encode(pass);
        self.turn.encode(pass);
    }
}
