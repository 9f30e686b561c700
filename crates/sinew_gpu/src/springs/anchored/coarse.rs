//! Where frames from scratch begin: the coarse level relaxed, and its way spread over the fine one. Twin of
//! `sinew::springs::anchored`'s `coarse.rs`.
//!
//! The coarse level is a [`Level`] on a [`Board`] of its own, so that the same kernels run it.

use sinew::springs::tables::{AnchoredTables, CoarseTables, chebyshev_factors};

use super::super::board::Board;
use super::super::{FRAME_WGSL, GpuSpringFrame};
use super::MODEL_WGSL;
use super::level::Level;
use crate::kernel::{Kernel, KernelSource, Slot};
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
    gather: (Kernel, [wgpu::BindGroup; 5]),
    find_ways: (Kernel, wgpu::BindGroup),
    spread: (Kernel, wgpu::BindGroup),
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
        let mut board =
            super::with_board_input(tables, &coarse.level, |input| Board::new(gpu, input))?;
        begin(&mut board, coarse)?;
        let level = Level::new(gpu, &board, model, &coarse.level)?;

        let seeds = gpu.storage("anchored seeds", &coarse.seeds)?;
        let gather = gpu.kernel(&GATHER);
        let (from, to) = (fine.stage.buffers(), level.stage.buffers());
        let groups =
            std::array::from_fn(|i| gather.bind(gpu, &[&board.frame, &seeds, from[i], to[i]]));

        let slots = gpu.storage("anchored blend slots", &coarse.blend_slots)?;
        let weights = gpu.storage("anchored blend weights", &coarse.blend_weights)?;
        let ways = gpu.rows("anchored coarse ways", board.num_slots)?;
        let relaxed = &board.rows[iterations as usize % 2];
        let (starts, links, rests) = (&level.row_starts, &level.links, &level.rests);
        let find_ways = gpu.kernel(&FIND_WAYS);
        let target = &level.stage.target;
        let buffers = [&board.frame, model, starts, links, rests, relaxed, target, &ways];
        let ways_group = find_ways.bind(gpu, &buffers);
        let [even, odd] = &fine_board.rows;
        let spread = gpu.kernel(&SPREAD);
        let buffers = [&fine_board.frame, &slots, &weights, &ways, even, odd];
        let group = spread.bind(gpu, &buffers);
        Ok(Self {
            board,
            level,
            iterations,
            gather: (gather, groups),
            find_ways: (find_ways, ways_group),
            spread: (spread, group),
            weights,
        })
    }

    /// Uploads again what a rest that moved, or another setting, has changed. False if it is of another mesh.
    pub(super) fn refit(&mut self, (tables, coarse): (&AnchoredTables, &CoarseTables)) -> bool {
        let board = &mut self.board;
        coarse.iterations == self.iterations
            && super::with_board_input(tables, &coarse.level, |input| board.refit(input))
            && self.level.refit(&board.gpu, &coarse.level)
            && board.gpu.refill(&self.weights, &coarse.blend_weights)
            // As many steps as before have room.
            && begin(board, coarse).is_ok_and(|is_grown| !is_grown)
    }

    /// Follows the fine stage, before its edits are made.
    pub(super) fn relax(&self, pass: &mut wgpu::ComputePass<'_>) {
        let (gather, groups) = &self.gather;
        for group in groups {
            gather.dispatch(pass, group, self.board.num_slots);
        }
        self.level.prepare(pass, &self.board);
        let target = &self.level.stage.target;
        self.board.start(pass, target, target);
        self.level.iterate(pass, &self.board, self.iterations);
        let (find_ways, group) = &self.find_ways;
        find_ways.dispatch(pass, group, self.board.num_slots);
    }

    /// Moves the fine start; after the fine board's own, and before anything is held.
    pub(super) fn spread(&self, pass: &mut wgpu::ComputePass<'_>, fine_board: &Board) {
        let (spread, group) = &self.spread;
        spread.dispatch(pass, group, fine_board.num_slots);
    }
}
