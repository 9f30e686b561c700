//! The published springs on the card: place attachments once a frame, then explicit steps. Formulas and limits:
//! `crates/sinew/src/springs/paper/mod.rs`. A fused gather, for [`anchored`](super::anchored)'s reasons.

use glam::Vec3;
use sinew::springs::tables::PaperTables;

use super::board::{Board, BoardInput};
use super::{FRAME_WGSL, HANDLE_STIFFNESS};
use crate::kernel::{Kernel, KernelSource, Slot};
use crate::skeleton::{GpuPalette, ROWS};
use crate::{Gpu, GpuError, MATHS};

const MODEL_WGSL: &str = include_str!("model.wgsl");

const PREPARE: KernelSource = KernelSource {
    label: "paper prepare",
    wgsl: &[MATHS, ROWS, FRAME_WGSL, MODEL_WGSL, include_str!("prepare.wgsl")],
    entry: "prepare",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Write,
    ],
};

const EDIT: KernelSource = KernelSource {
    label: "paper edit",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("edits.wgsl")],
    entry: "edit",
    slots: &[Slot::Uniform, Slot::Uniform, Slot::Read, Slot::Write, Slot::Write],
};

const ADVANCE: KernelSource = KernelSource {
    label: "paper advance",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("kernel.wgsl")],
    entry: "advance",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Step,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Write,
    ],
};

/// `Paper` of `paper/model.wgsl`.
fn model_floats(tables: &PaperTables) -> [f32; 8] {
    [
        tables.torque,
        tables.edge,
        tables.compressed,
        tables.step_seconds,
        tables.max_step,
        tables.no_direction,
        1.0 / HANDLE_STIFFNESS,
        0.0,
    ]
}

/// The model's own buffers and kernels.
#[derive(Debug)]
pub(super) struct GpuPaper {
    model: wgpu::Buffer,
    block_starts: wgpu::Buffer,
    pairs: wgpu::Buffer,
    points: wgpu::Buffer,
    posed: wgpu::Buffer,
    bones: wgpu::Buffer,
    attachments: wgpu::Buffer,
    prepare: (Kernel, wgpu::BindGroup),
    advance: (Kernel, [wgpu::BindGroup; 2]),
    edit: Kernel,
}

/// Runs `then` with how the board numbers the model's points.
fn with_board_input<R>(tables: &PaperTables, then: impl FnOnce(&BoardInput<'_>) -> R) -> R {
    let point_of_slot: Vec<u32> =
        tables.point_of_row.iter().map(|point| point.unwrap_or(0)).collect();
    then(&BoardInput {
        num_points: tables.point_of_row.iter().flatten().count(),
        point_of_slot: &point_of_slot,
        share_of_slot: &vec![1.0; point_of_slot.len()],
        units_a_metre: tables.units_a_metre,
        metres_a_unit: tables.metres_a_unit,
        max_reach: tables.max_reach,
        smallest_side: tables.smallest_side,
        check_iterations: 1,
    })
}

pub(super) fn board(gpu: &Gpu, tables: &PaperTables) -> Result<Board, GpuError> {
    with_board_input(tables, |input| Board::new(gpu, input))
}

/// Places on bones, and the bits of their joints.
fn attachment_rows(tables: &PaperTables) -> Vec<[f32; 4]> {
    let attachments = tables.attachments.iter().zip(&tables.joint_of_row);
    attachments
        .map(|(&at, &joint)| Vec3::from(at).extend(f32::from_bits(joint)).to_array())
        .collect()
}

/// The bits of a neighbour's row, stiffness, angle and length at rest.
fn pair_rows(tables: &PaperTables) -> Vec<[f32; 4]> {
    let pairs = tables.neighbours.iter().zip(&tables.pairs);
    pairs
        .map(|(&row, &[stiffness, angle, length])| [f32::from_bits(row), stiffness, angle, length])
        .collect()
}

impl GpuPaper {
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &PaperTables,
        palette: &GpuPalette,
    ) -> Result<Self, GpuError> {
        let model = gpu.uniform("paper model", &model_floats(tables));
        let attachments = gpu.storage("paper attachments", &attachment_rows(tables))?;
        let pairs = gpu.storage("paper pairs", &pair_rows(tables))?;
        let block_starts = gpu.storage("paper block starts", &tables.block_starts)?;
        let points = gpu.storage("paper points", &tables.points)?;
        let posed = gpu.rows("paper posed attachments", board.num_slots)?;
        let bones = gpu.rows("paper bones", board.num_slots)?;
        let prepare = gpu.kernel(&PREPARE);
        let of_prepare =
            [&board.frame, &model, palette.blend(), palette.bones(), &attachments, &posed, &bones];
        let prepare_group = prepare.bind(gpu, &of_prepare);
        let advance = gpu.kernel(&ADVANCE);
        let own = [&model, &block_starts, &pairs, &points, &posed, &bones];
        let advance_groups = bind_advance(&advance, board, own);
        Ok(Self {
            model,
            block_starts,
            pairs,
            points,
            posed,
            bones,
            attachments,
            prepare: (prepare, prepare_group),
            advance: (advance, advance_groups),
            edit: gpu.kernel(&EDIT),
        })
    }

    /// Uploads again what a rest that moved, or another setting, has changed. False if it is of another mesh.
    pub(super) fn refit(&mut self, board: &mut Board, tables: &PaperTables) -> bool {
        with_board_input(tables, |input| board.refit(input))
            && board.gpu.refill(&self.model, &[model_floats(tables)])
            && board.gpu.refill(&self.attachments, &attachment_rows(tables))
            && board.gpu.refill(&self.pairs, &pair_rows(tables))
            && board.gpu.refill(&self.points, &tables.points)
    }

    /// After the board's buffers have grown.
    pub(super) fn rebind(&mut self, board: &Board) {
        let own =
            [&self.model, &self.block_starts, &self.pairs, &self.points, &self.posed, &self.bones];
        self.advance.1 = bind_advance(&self.advance.0, board, own);
    }

    /// A frame; `base` is the first stage's result, and `start` where it begins.
    pub(super) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        board: &Board,
        (start, base): (&wgpu::Buffer, &wgpu::Buffer),
        iterations: u32,
    ) {
        let (prepare, group) = &self.prepare;
        prepare.dispatch(pass, group, board.num_slots);
        if board.marks.has_edits {
            let buffers = [&board.frame, &self.model, &board.mark_rows, &self.posed, &self.bones];
            let group = self.edit.bind(&board.gpu, &buffers);
            self.edit.dispatch(pass, &group, board.marks.rows.len());
        }
        board.start(pass, start, base);
        board.hold(pass, base);
        let (advance, groups) = &self.advance;
        for step in 0..iterations {
            let group = &groups[step as usize % 2];
            advance.dispatch_step(pass, group, board.num_slots, step);
        }
        board.finish(pass);
        board.publish(pass, [&board.rows[0], &board.rows[1]]);
    }
}

/// From even to odd, and back.
fn bind_advance(
    kernel: &Kernel,
    board: &Board,
    [model, block_starts, pairs, points, posed, bones]: [&wgpu::Buffer; 6],
) -> [wgpu::BindGroup; 2] {
    let [even, odd] = &board.rows;
    [[even, odd], [odd, even]].map(|[now, next]| {
        let buffers = [
            &board.frame,
            model,
            &board.steps,
            block_starts,
            pairs,
            points,
            posed,
            bones,
            now,
            next,
            &board.largest,
        ];
        kernel.bind(&board.gpu, &buffers)
    })
}
