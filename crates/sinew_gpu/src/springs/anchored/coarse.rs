//! Where frames from scratch begin: the coarse level relaxed, and its way spread over the fine one.
//! Twin of `sinew::springs::anchored`'s `coarse.rs`.
//!
//! The coarse level is a [`Level`] on a [`Board`] of its own, so that the same kernels run it.

use sinew::springs::tables::{AnchoredTables, CoarseTables, chebyshev_factors};

use super::super::board::Board;
use super::super::{FRAME_WGSL, GpuSpringFrame};
use super::MODEL_WGSL;
use super::level::Level;
use crate::kernel::{Bound, KernelSource, Slot};
use crate::{Gpu, GpuError, MATHS};

const GATHER: KernelSource = KernelSource {
    label: "anchored coarse gather",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("coarse.wgsl")],
    entry: "gather",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Write],
};

const FIND_WAYS: KernelSource = KernelSource {
    label: "anchored coarse ways",
    entry: "find_ways",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
    ],
    ..GATHER
};

const SPREAD: KernelSource = KernelSource {
    label: "anchored coarse spread",
    entry: "spread",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Write, Slot::Write],
    ..GATHER
};

/// The coarse level's buffers and kernels.
#[derive(Debug)]
pub(super) struct GpuCoarse {
    board: Board,
    level: Level,
    iterations: u32,
    /// One for each of the stage's buffers.
    gather: [Bound; 5],
    find_ways: Bound,
    spread: Bound,
    weights: wgpu::Buffer,
}

/// Its frames are all alike, so that it is told once.
fn begin(board: &mut Board, coarse: &CoarseTables) -> Result<bool, GpuError> {
    let omegas = |count| chebyshev_factors(coarse.level.rho, count);
    let frame = GpuSpringFrame::default();
    board.begin(&frame, (true, true), (coarse.iterations, 0.0), omegas)
}

impl GpuCoarse {
    pub(super) fn new(
        gpu: &Gpu,
        (fine_board, fine): (&Board, &Level),
        model: &wgpu::Buffer,
        (tables, coarse): (&AnchoredTables, &CoarseTables),
    ) -> Result<Self, GpuError> {
        let iterations = coarse.iterations;
        let mut board = Board::new(gpu, &super::board_input_of_level(tables, &coarse.level))?;
        begin(&mut board, coarse)?;
        let level = Level::new(gpu, &board, model, &coarse.level)?;

        let seeds = gpu.storage("anchored seeds", &coarse.seeds)?;
        let (from, to) = (fine.stage.buffers(), level.stage.buffers());
        let gather = std::array::from_fn(|i| {
            Bound::new(gpu, &GATHER, &[&board.frame, &seeds, from[i], to[i]], board.num_slots)
        });

        let slots = gpu.storage("anchored blend slots", &coarse.blend_slots)?;
        let weights = gpu.storage("anchored blend weights", &coarse.blend_weights)?;
        let ways = gpu.rows("anchored coarse ways", board.num_slots)?;
        let relaxed = &board.rows[iterations as usize % 2];
        let (starts, links, rests) = (&level.row_starts, &level.links, &level.rests);
        let target = &level.stage.target;
        let of_ways = [&board.frame, model, starts, links, rests, relaxed, target, &ways];
        let [even, odd] = &fine_board.rows;
        let of_spread = [&fine_board.frame, &slots, &weights, &ways, even, odd];
        Ok(Self {
            gather,
            find_ways: Bound::new(gpu, &FIND_WAYS, &of_ways, board.num_slots),
            spread: Bound::new(gpu, &SPREAD, &of_spread, fine_board.num_slots),
            board,
            level,
            iterations,
            weights,
        })
    }

    /// Uploads again what a rest that moved, or another setting, has changed. False if it is of
    /// another mesh.
    pub(super) fn refit(&mut self, (tables, coarse): (&AnchoredTables, &CoarseTables)) -> bool {
        let board = &mut self.board;
        coarse.iterations == self.iterations
            && board.refit(&super::board_input_of_level(tables, &coarse.level))
            && self.level.refit(&board.gpu, &coarse.level)
            && board.gpu.refill(&self.weights, &coarse.blend_weights)
            // As many steps as before have room.
            && begin(board, coarse).is_ok_and(|is_grown| !is_grown)
    }

    /// Follows the fine stage, before its edits are made.
    pub(super) fn relax(&self, pass: &mut wgpu::ComputePass<'_>) {
        for gather in &self.gather {
            gather.encode(pass);
        }
        self.level.prepare(pass);
        let target = &self.level.stage.target;
        self.board.start(pass, target, target);
        self.level.iterate(pass, self.iterations);
        self.find_ways.encode(pass);
    }

    /// Moves the fine start; after the fine board's own, and before anything is held.
    pub(super) fn spread(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.spread.encode(pass);
    }
}
