//! Delta mush on the card: smooth, and put back what smoothing took off at rest. Formulas and
//! limits: `crates/sinew/src/springs/delta_mush.rs`.

use sinew::springs::tables::DeltaMushTables;

use super::FRAME_WGSL;
use super::board::{Board, BoardInput};
use super::turns::Turns;
use crate::kernel::{Kernel, KernelSource, Slot};
use crate::{Gpu, GpuError, MATHS};

const SMOOTH: KernelSource = KernelSource {
    label: "delta mush smooth",
    wgsl: &[MATHS, FRAME_WGSL, include_str!("smooth.wgsl")],
    entry: "smooth_slots",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Read, Slot::Write],
};

const PUT_BACK: KernelSource = KernelSource {
    label: "delta mush put back",
    wgsl: &[MATHS, FRAME_WGSL, include_str!("put_back.wgsl")],
    entry: "put_back",
    slots: &[
        Slot::Uniform,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
    ],
};

const REPLACE: KernelSource = KernelSource {
    label: "delta mush replace",
    wgsl: &[MATHS, FRAME_WGSL, include_str!("hold.wgsl")],
    entry: "replace",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Write],
};

const RESTORE: KernelSource =
    KernelSource { label: "delta mush restore", entry: "restore", ..REPLACE };

/// The model's own kernels, bound.
#[derive(Debug)]
pub(super) struct GpuDeltaMush {
    pub(super) iterations: u32,
    smooth: Turns,
    put_back: Turns,
    replace: Kernel,
    restore: Kernel,
    rests: Rests,
}

/// What a rest that moves changes.
#[derive(Debug)]
struct Rests {
    links: wgpu::Buffer,
    factors: wgpu::Buffer,
    tangents: wgpu::Buffer,
    deltas: wgpu::Buffer,
}

/// How the board numbers the model's points.
pub(super) fn board_input(tables: &DeltaMushTables) -> BoardInput {
    BoardInput::new(tables.point_of_row.len(), tables.point_of_row.clone())
}

/// Neighbours, and the bits of their weights.
fn link_rows(tables: &DeltaMushTables) -> Vec<[u32; 2]> {
    let links = tables.neighbours.iter().zip(&tables.weights);
    links.map(|(&row, weight)| [row, weight.to_bits()]).collect()
}

/// What smoothing took off, and 1 where that is in the row's own frame.
fn delta_rows(tables: &DeltaMushTables) -> Vec<[f32; 4]> {
    let deltas = tables.deltas.iter().zip(&tables.has_frame);
    deltas.map(|(&[x, y, z], &has_frame)| [x, y, z, f32::from(u8::from(has_frame))]).collect()
}

impl GpuDeltaMush {
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &DeltaMushTables,
    ) -> Result<Self, GpuError> {
        let starts = gpu.storage("delta mush starts", &tables.starts)?;
        let links = gpu.storage("delta mush neighbours", &link_rows(tables))?;
        let factors = gpu.storage("delta mush factors", &tables.factors)?;
        let tangents = gpu.storage("delta mush tangents", &tables.tangents)?;
        let deltas = gpu.storage("delta mush deltas", &delta_rows(tables))?;
        Ok(Self {
            iterations: tables.iterations,
            smooth: Turns::new(board, &SMOOTH, &[&starts, &links, &factors]),
            put_back: Turns::new(board, &PUT_BACK, &[&starts, &links, &tangents, &deltas]),
            replace: gpu.kernel(&REPLACE),
            restore: gpu.kernel(&RESTORE),
            rests: Rests { links, factors, tangents, deltas },
        })
    }

    /// Uploads again what a rest that moved has changed. False if it is of another mesh.
    pub(super) fn refit(&mut self, board: &mut Board, tables: &DeltaMushTables) -> bool {
        let Rests { links, factors, tangents, deltas } = &self.rests;
        tables.iterations == self.iterations
            && board.refit(&board_input(tables))
            && board.gpu.refill(links, &link_rows(tables))
            && board.gpu.refill(factors, &tables.factors)
            && board.gpu.refill(tangents, &tables.tangents)
            && board.gpu.refill(deltas, &delta_rows(tables))
    }

    /// A frame; `base` is the first stage's result, and `start` where it begins.
    pub(super) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        board: &Board,
        (start, base): (&wgpu::Buffer, &wgpu::Buffer),
    ) {
        let hold = |pass: &mut wgpu::ComputePass<'_>, kernel: &Kernel, rows: &wgpu::Buffer| {
            if board.marks.has_held {
                let group = kernel.bind(&board.gpu, &[&board.frame, &board.mark_rows, base, rows]);
                kernel.dispatch(pass, &group, board.marks.rows.len());
            }
        };
        board.start(pass, start, base);
        hold(pass, &self.replace, &board.rows[0]);
        for iteration in 0..self.iterations {
            self.smooth.encode(pass, iteration);
        }
        self.put_back.encode(pass, self.iterations);
        let result = &board.rows[1 - self.iterations as usize % 2];
        hold(pass, &self.restore, result);
        board.finish(pass);
        board.publish(pass, [result, result]);
    }
}
