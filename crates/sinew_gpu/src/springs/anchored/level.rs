//! Points and the springs between them, fine or coarse: what is bound, the first stage's part, a
//! frame's preparation and its iterations.

use sinew::springs::tables::{AnchorRow, LevelTables};

use super::super::FRAME_WGSL;
use super::super::board::Board;
use super::super::turns::Turns;
use super::MODEL_WGSL;
use crate::kernel::{Bound, KernelSource, Slot};
use crate::{Gpu, GpuError, MATHS};

const PREPARE_HALF_EDGES: KernelSource = KernelSource {
    label: "anchored prepare half-edges",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("prepare.wgsl")],
    entry: "prepare_half_edges",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Write,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
    ],
};

const PREPARE_POINTS: KernelSource = KernelSource {
    label: "anchored prepare points",
    entry: "prepare_points",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Write,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
    ],
    ..PREPARE_HALF_EDGES
};

const ITERATE: KernelSource = KernelSource {
    label: "anchored iterate",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("iterate.wgsl")],
    entry: "iterate",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Step,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Write,
    ],
};

/// What the first stage gives, by slot: `sinew::springs::stage::Stage`.
#[derive(Debug)]
pub(super) struct Stage {
    pub target: wgpu::Buffer,
    pub rotation: wgpu::Buffer,
    pub direction: wgpu::Buffer,
    pub attachment: wgpu::Buffer,
    pub contact: wgpu::Buffer,
}

impl Stage {
    fn new(gpu: &Gpu, num_slots: usize) -> Result<Self, GpuError> {
        Ok(Self {
            target: gpu.rows("stage targets", num_slots)?,
            rotation: gpu.rows("stage rotations", num_slots)?,
            direction: gpu.rows("stage directions", num_slots)?,
            attachment: gpu.rows("stage attachments", num_slots)?,
            contact: gpu.rows("stage contacts", num_slots)?,
        })
    }

    pub(super) fn of_first_stage(&self) -> [&wgpu::Buffer; 4] {
        [&self.target, &self.rotation, &self.direction, &self.attachment]
    }

    pub(super) fn buffers(&self) -> [&wgpu::Buffer; 5] {
        [&self.target, &self.rotation, &self.direction, &self.attachment, &self.contact]
    }
}

/// One level's buffers and kernels; its positions are a [`Board`]'s.
#[derive(Debug)]
pub(super) struct Level {
    pub rho: f64,
    pub stage: Stage,
    pub anchors: wgpu::Buffer,
    pub points: wgpu::Buffer,
    pub row_starts: wgpu::Buffer,
    pub links: wgpu::Buffer,
    pub rests: wgpu::Buffer,
    prepare: [Bound; 2],
    iterate: Turns,
}

impl Level {
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        model: &wgpu::Buffer,
        tables: &LevelTables,
    ) -> Result<Self, GpuError> {
        let row_starts = gpu.storage("anchored row starts", &tables.row_starts)?;
        let links = gpu.storage("anchored half-edges", &link_rows(tables))?;
        let rests = gpu.storage("anchored rest edges", &tables.rest_edges)?;
        let anchors = gpu.storage("anchored anchors", &anchor_rows(tables))?;
        let stage = Stage::new(gpu, board.num_slots)?;
        let edges = gpu.rows("anchored edges", tables.neighbours.len())?;
        let points = gpu.rows("anchored points", board.num_slots * 5)?;
        let of_half_edges = [
            &board.frame,
            model,
            &points,
            &stage.target,
            &stage.rotation,
            &row_starts,
            &links,
            &rests,
            &edges,
        ];
        let of_points = [
            &board.frame,
            model,
            &points,
            &stage.target,
            &anchors,
            &stage.direction,
            &stage.attachment,
            &stage.contact,
        ];
        let of_iterate = [model, &row_starts, &links, &edges, &points];
        Ok(Self {
            prepare: [
                Bound::new(gpu, &PREPARE_HALF_EDGES, &of_half_edges, board.num_slots),
                Bound::new(gpu, &PREPARE_POINTS, &of_points, board.num_slots),
            ],
            iterate: Turns::new(board, &ITERATE, &of_iterate),
            rho: tables.rho,
            stage,
            anchors,
            points,
            row_starts,
            links,
            rests,
        })
    }

    /// Uploads again what a rest that moved, or another setting, has changed. False if it is of
    /// another mesh.
    pub(super) fn refit(&mut self, gpu: &Gpu, tables: &LevelTables) -> bool {
        self.rho = tables.rho;
        gpu.refill(&self.links, &link_rows(tables))
            && gpu.refill(&self.rests, &tables.rest_edges)
            && gpu.refill(&self.anchors, &anchor_rows(tables))
    }

    /// After the board's buffers have grown.
    pub(super) fn rebind(&mut self, board: &Board) {
        self.iterate.rebind(board);
    }

    /// From the stage to what stays the same during the iterations.
    pub(super) fn prepare(&self, pass: &mut wgpu::ComputePass<'_>) {
        for prepare in &self.prepare {
            prepare.encode(pass);
        }
    }

    pub(super) fn iterate(&self, pass: &mut wgpu::ComputePass<'_>, iterations: u32) {
        for iteration in 0..iterations {
            self.iterate.encode(pass, iteration);
        }
    }
}

/// Neighbours, and the bits of their stiffness.
fn link_rows(tables: &LevelTables) -> Vec<[u32; 2]> {
    let links = tables.neighbours.iter().zip(&tables.stiffness);
    links.map(|(&slot, stiffness)| [slot, stiffness.to_bits()]).collect()
}

fn anchor_rows(tables: &LevelTables) -> Vec<[f32; 4]> {
    let row = |a: &AnchorRow| [a.stiffness, a.least_length, a.guard, a.handle_diagonal];
    tables.anchors.iter().map(row).collect()
}
