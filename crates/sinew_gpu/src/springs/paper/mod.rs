//! The published springs on the card: place attachments once a frame, then explicit steps. Formulas and limits:
//! `crates/sinew/src/springs/paper/mod.rs`. A fused gather, for [`anchored`](super::anchored)'s reasons.

use glam::Vec3;
use sinew::springs::tables::PaperTables;

use super::board::{Board, BoardInput};
use super::turns::Turns;
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
        Slot::Read,
        Slot::Write,
        Slot::Write,
        Slot::Write,
        Slot::Write,
    ],
};

const WISH: KernelSource = KernelSource { label: "paper wish", entry: "wish", ..PREPARE };

const BEGIN: KernelSource = KernelSource {
    label: "paper begin",
    entry: "begin",
    slots: &[Slot::Uniform, Slot::Uniform, Slot::Read, Slot::Write, Slot::Write],
    ..PREPARE
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
    /// What `prepare` reads: the palette's two, and what is bound.
    of_pose: [wgpu::Buffer; 3],
    pairs: wgpu::Buffer,
    /// What `prepare` writes: attachments, axes, points' own springs, the first stage.
    of_frame: [wgpu::Buffer; 4],
    prepare: Kernel,
    wish: Kernel,
    begin: Kernel,
    advance: Turns,
}

/// How the board numbers the model's points.
pub(super) fn board_input(tables: &PaperTables) -> BoardInput {
    let point_of_slot = tables.point_of_row.iter().map(|point| point.unwrap_or(0)).collect();
    BoardInput {
        units_a_metre: tables.units_a_metre,
        metres_a_unit: tables.metres_a_unit,
        max_reach: tables.max_reach,
        smallest_side: tables.smallest_side,
        ..BoardInput::new(tables.point_of_row.iter().flatten().count(), point_of_slot)
    }
}

/// As `paper/prepare.wgsl` reads them: row by row, each of all slots.
fn rest_rows(tables: &PaperTables) -> Vec<[f32; 4]> {
    let slots = 0..tables.point_of_row.len();
    let joint = |slot: usize| f32::from_bits(tables.joint_of_row[slot]);
    let places = slots.clone().map(|s| Vec3::from(tables.attachments[s]).extend(joint(s)));
    let arms = slots.clone().map(|s| Vec3::from(tables.scale_vectors[s]).extend(tables.alongs[s]));
    let bones = slots.map(|s| {
        let length = tables.bone_lengths[tables.joint_of_row[s] as usize];
        [length, tables.aim_stiffness[s], 0.0, 0.0]
    });
    let vectors = places.chain(arms).map(|row| row.to_array());
    vectors.chain(tables.points.iter().copied()).chain(bones).collect()
}

/// As `Pair` of `paper/kernel.wgsl`, and one that nobody reads: a mesh without edges has a buffer too.
fn pair_words(tables: &PaperTables) -> Vec<[u32; 5]> {
    let words = |(&row, pair): (&u32, &[f32; 4])| {
        let [torque, edge, angle, length] = pair.map(f32::to_bits);
        [row, torque, edge, angle, length]
    };
    tables.neighbours.iter().zip(&tables.pairs).map(words).chain([[0; 5]]).collect()
}

impl GpuPaper {
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &PaperTables,
        palette: &GpuPalette,
    ) -> Result<Self, GpuError> {
        let model = gpu.uniform("paper model", &model_floats(tables));
        let rests = gpu.storage("paper rest", &rest_rows(tables))?;
        let pairs = gpu.storage("paper pairs", &pair_words(tables))?;
        let block_starts = gpu.storage("paper block starts", &tables.block_starts)?;
        let of_frame = [
            gpu.rows("paper posed attachments", board.num_slots)?,
            gpu.rows("paper axes", board.num_slots)?,
            gpu.rows("paper points", board.num_slots)?,
            gpu.rows("paper first stage", board.num_slots)?,
        ];
        let [posed, axes, points, _] = &of_frame;
        let of_advance = [&model, &block_starts, &pairs, points, posed, axes];
        Ok(Self {
            advance: Turns::new(board, &ADVANCE, &of_advance),
            of_pose: [palette.blend().clone(), palette.bones().clone(), rests],
            model,
            pairs,
            of_frame,
            prepare: gpu.kernel(&PREPARE),
            wish: gpu.kernel(&WISH),
            begin: gpu.kernel(&BEGIN),
        })
    }

    /// Uploads again what a rest that moved, or another setting, has changed. False if it is of another mesh.
    pub(super) fn refit(&mut self, board: &mut Board, tables: &PaperTables) -> bool {
        board.refit(&board_input(tables))
            && board.gpu.refill(&self.model, &[model_floats(tables)])
            && board.gpu.refill(&self.of_pose[2], &rest_rows(tables))
            && board.gpu.refill(&self.pairs, &pair_words(tables))
    }

    /// After the board's buffers have grown.
    pub(super) fn rebind(&mut self, board: &Board) {
        self.advance.rebind(board);
    }

    /// A frame; `base` is the first stage's result by point, and `start` where it begins; `None` is the model's own first stage.
    pub(super) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        board: &Board,
        (start, base): (Option<&wgpu::Buffer>, Option<&wgpu::Buffer>),
        iterations: u32,
    ) {
        let [posed, axes, points, staged] = &self.of_frame;
        let [blend, bones, rests] = &self.of_pose;
        let marks = &board.mark_rows;
        let buffers =
            [&board.frame, &self.model, marks, blend, bones, rests, posed, axes, points, staged];
        let group = self.prepare.bind(&board.gpu, &buffers);
        self.prepare.dispatch(pass, &group, board.num_slots);
        let num_marks = board.marks.rows.len();
        if board.marks.has_edits || board.marks.has_soft {
            self.wish.dispatch(pass, &self.wish.bind(&board.gpu, &buffers), num_marks);
        }
        let (start, base) = (start.unwrap_or(staged), base.unwrap_or(staged));
        board.start(pass, start, base);
        board.hold(pass, base);
        if board.marks.has_soft {
            let [even, odd] = &board.rows;
            let buffers = [&board.frame, &self.model, marks, even, odd];
            self.begin.dispatch(pass, &self.begin.bind(&board.gpu, &buffers), num_marks);
        }
        for iteration in 0..iterations {
            self.advance.encode(pass, iteration);
        }
        board.finish(pass);
        board.publish(pass, [&board.rows[0], &board.rows[1]]);
    }
}
