//! The anchored model on the card: prepare once a frame, then Chebyshev's iterations. Formulas: `sinew::springs::anchored`.
//!
//! **A fused gather, not an edge pass.** An invocation has a slot and sums over its half-edges, which lie as the CPU has
//! them: slices of eight slots, so that eight invocations load a line. An edge pass would compute each edge once instead of
//! twice, but has to write 12 bytes an edge and end, and gather them again, besides another dispatch an iteration; the gather reads
//! positions that are in the cache anyway, since the order keeps neighbours near. Iterations are bound by memory, and the gather moves
//! 24 bytes a half-edge where the pass would move more. (Reckoned, not measured on a real card.) It is deterministic too: no
//! atomics but the largest step's.

use sinew::springs::tables::{AnchoredTables, chebyshev_factors};

use super::board::{Board, BoardInput};
use super::{FRAME_WGSL, HANDLE_STIFFNESS};
use crate::kernel::{Kernel, KernelSource, Slot};
use crate::skeleton::GpuPalette;
use crate::skin::BoneSmoothProgram;
use crate::{Gpu, GpuError, MATHS};

const MODEL_WGSL: &str = include_str!("anchored/model.wgsl");

const PREPARE_HALF_EDGES: KernelSource = KernelSource {
    label: "anchored prepare half-edges",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("anchored/prepare.wgsl")],
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
    ],
    ..PREPARE_HALF_EDGES
};

const ITERATE: KernelSource = KernelSource {
    label: "anchored iterate",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("anchored/iterate.wgsl")],
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

const RAISE: KernelSource = KernelSource {
    label: "anchored raise",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("anchored/edits.wgsl")],
    entry: "raise",
    slots: &[Slot::Uniform, Slot::Uniform, Slot::Read, Slot::Write, Slot::Write],
};

const STIFFEN: KernelSource = KernelSource {
    label: "anchored stiffen",
    entry: "stiffen",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Write,
        Slot::Write,
    ],
    ..RAISE
};

/// `Anchored` of `anchored/model.wgsl`.
fn model_floats(tables: &AnchoredTables) -> [f32; 16] {
    let (gains, forces) = (&tables.gains, &tables.forces);
    [
        forces.torque,
        forces.tension,
        forces.orientation,
        forces.bone,
        forces.along_arm,
        forces.length,
        gains.tension_limit,
        gains.tension_twist,
        gains.orientation_limit,
        gains.target_share,
        gains.twist_softness,
        tables.least_square,
        gains.step,
        HANDLE_STIFFNESS,
        0.0,
        0.0,
    ]
}

/// The model's own buffers and kernels.
#[derive(Debug)]
pub(super) struct GpuAnchored {
    rho: f64,
    model: wgpu::Buffer,
    row_starts: wgpu::Buffer,
    links: wgpu::Buffer,
    anchors: wgpu::Buffer,
    stage: Stage,
    /// Bone-smooth skinning into the stage.
    first_stage: (Kernel, wgpu::BindGroup, usize),
    edges: wgpu::Buffer,
    points: wgpu::Buffer,
    prepare: [(Kernel, wgpu::BindGroup); 2],
    iterate: (Kernel, [wgpu::BindGroup; 2]),
    raise: Kernel,
    stiffen: Kernel,
}

/// What the first stage gives, by slot: `sinew::springs::stage::Stage`.
#[derive(Debug)]
struct Stage {
    target: wgpu::Buffer,
    rotation: wgpu::Buffer,
    direction: wgpu::Buffer,
    attachment: wgpu::Buffer,
}

impl Stage {
    fn new(gpu: &Gpu, num_slots: usize) -> Result<Self, GpuError> {
        Ok(Self {
            target: gpu.rows("stage targets", num_slots)?,
            rotation: gpu.rows("stage rotations", num_slots)?,
            direction: gpu.rows("stage directions", num_slots)?,
            attachment: gpu.rows("stage attachments", num_slots)?,
        })
    }
}

/// How the board numbers the model's points.
pub(super) fn board(gpu: &Gpu, tables: &AnchoredTables) -> Result<Board, GpuError> {
    let shares: Vec<f32> = tables
        .anchors
        .iter()
        .map(|anchor| if anchor.is_loose { 0.0 } else { tables.gains.step / anchor.diagonal })
        .collect();
    Board::new(
        gpu,
        &BoardInput {
            num_points: tables.num_points,
            point_of_slot: &tables.point_of_slot,
            share_of_slot: &shares,
            units_a_metre: 1.0,
            metres_a_unit: 1.0,
            max_reach: f32::MAX,
            smallest_side: tables.smallest_side,
            check_iterations: tables.check_iterations,
        },
    )
}

impl GpuAnchored {
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &AnchoredTables,
        palette: &GpuPalette,
    ) -> Result<Self, GpuError> {
        let model = gpu.uniform("anchored model", &model_floats(tables));
        let row_starts = gpu.storage("anchored row starts", &tables.row_starts)?;
        let links: Vec<[u32; 2]> = tables
            .neighbours
            .iter()
            .zip(&tables.stiffness)
            .map(|(&slot, stiffness)| [slot, stiffness.to_bits()])
            .collect();
        let links = gpu.storage("anchored half-edges", &links)?;
        let rests = gpu.storage("anchored rest edges", &tables.rest_edges)?;
        let anchors: Vec<[f32; 4]> = tables
            .anchors
            .iter()
            .map(|a| [a.stiffness, a.least_length, a.diagonal, a.handle_diagonal])
            .collect();
        let anchors = gpu.storage("anchored anchors", &anchors)?;
        let stage = Stage::new(gpu, board.num_slots)?;
        let first_stage = BoneSmoothProgram::new(gpu, &tables.first_stage)?.bind_stage(
            gpu,
            palette,
            [&stage.target, &stage.rotation, &stage.direction, &stage.attachment],
        );
        let edges = gpu.rows("anchored edges", tables.neighbours.len())?;
        let points = gpu.rows("anchored points", board.num_slots * 4)?;
        let of_half_edges = [
            &board.frame,
            &model,
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
            &model,
            &points,
            &stage.target,
            &anchors,
            &stage.direction,
            &stage.attachment,
        ];
        let prepare_half_edges = gpu.kernel(&PREPARE_HALF_EDGES);
        let prepare_points = gpu.kernel(&PREPARE_POINTS);
        let half_edges_group = prepare_half_edges.bind(gpu, &of_half_edges);
        let points_group = prepare_points.bind(gpu, &of_points);
        let iterate = gpu.kernel(&ITERATE);
        let iterate_groups =
            bind_iterate(&iterate, board, [&model, &row_starts, &links, &edges, &points]);
        Ok(Self {
            rho: tables.rho,
            model,
            row_starts,
            links,
            anchors,
            stage,
            first_stage,
            edges,
            points,
            prepare: [(prepare_half_edges, half_edges_group), (prepare_points, points_group)],
            iterate: (iterate, iterate_groups),
            raise: gpu.kernel(&RAISE),
            stiffen: gpu.kernel(&STIFFEN),
        })
    }

    pub(super) fn omegas(&self, iterations: u32) -> Vec<f32> {
        chebyshev_factors(self.rho, iterations)
    }

    /// After the board's buffers have grown.
    pub(super) fn rebind(&mut self, board: &Board) {
        let own = [&self.model, &self.row_starts, &self.links, &self.edges, &self.points];
        self.iterate.1 = bind_iterate(&self.iterate.0, board, own);
    }

    /// A frame. `start` and `base` are the model's own first stage if `None`.
    pub(super) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        board: &Board,
        (start, base): (Option<&wgpu::Buffer>, Option<&wgpu::Buffer>),
        iterations: u32,
    ) {
        let Stage { target, attachment, .. } = &self.stage;
        let [even, odd] = &board.rows;
        let (first_stage, group, num_lanes) = &self.first_stage;
        first_stage.dispatch(pass, group, *num_lanes);
        if board.marks.has_edits {
            let own = [&board.frame, &self.model, &board.mark_rows, target, attachment];
            self.raise.dispatch(pass, &self.raise.bind(&board.gpu, &own), board.marks.rows.len());
        }
        for (prepare, group) in &self.prepare {
            prepare.dispatch(pass, group, board.num_slots);
        }
        board.start(pass, start.unwrap_or(target), target);
        if board.marks.has_edits {
            let (anchors, points) = (&self.anchors, &self.points);
            let own = [&board.frame, &self.model, &board.mark_rows, anchors, points, even, odd];
            let group = self.stiffen.bind(&board.gpu, &own);
            self.stiffen.dispatch(pass, &group, board.marks.rows.len());
        }
        board.hold(pass, base.unwrap_or(target));
        let (iterate, groups) = &self.iterate;
        for step in 0..iterations {
            let group = &groups[step as usize % 2];
            iterate.dispatch_step(pass, group, board.num_slots, step);
        }
        board.finish(pass);
        board.publish(pass, [even, odd]);
    }
}

/// From even to odd, and back.
fn bind_iterate(
    kernel: &Kernel,
    board: &Board,
    [model, row_starts, links, edges, points]: [&wgpu::Buffer; 5],
) -> [wgpu::BindGroup; 2] {
    let [even, odd] = &board.rows;
    [[even, odd], [odd, even]].map(|[now, next]| {
        let buffers = [
            &board.frame,
            model,
            &board.steps,
            row_starts,
            links,
            edges,
            points,
            now,
            next,
            &board.largest,
        ];
        kernel.bind(&board.gpu, &buffers)
    })
}
