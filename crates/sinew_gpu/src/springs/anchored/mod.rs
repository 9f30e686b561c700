//! The anchored model on the card: the coarse level's start, prepare once a frame, then Chebyshev's
//! iterations. Formulas: `sinew::springs::anchored`.
//!
//! **A fused gather, not an edge pass.** An invocation has a slot and sums over its half-edges,
//! which lie as the CPU has them: slices of eight slots, so that eight invocations load a line. An
//! edge pass computes each edge once instead of twice, but writes its force and gathers it again,
//! after a second dispatch an iteration: reckoned at three edges a point and with positions in the
//! cache, 264 bytes a point where the gather moves 144. Cards are bound by memory, so the gather is
//! what runs. It was not measured on a real card. On lavapipe, which is bound by arithmetic, the
//! edge pass took less: 610–670 against 720–740 ms of CPU time for fifty iterations of 16,314
//! points, in three runs each. Both are deterministic: there are no atomics but the largest step's.

mod coarse;
mod layers;
mod level;
mod riders;
mod volume;

use sinew::springs::anchored::GAINS;
use sinew::springs::tables::{AnchoredTables, ContactRow, LevelTables, chebyshev_factors};

use self::coarse::GpuCoarse;
use self::layers::GpuLayers;
use self::level::{Level, Stage};
use self::riders::GpuRiders;
use self::volume::GpuVolume;
use super::board::{Board, BoardInput};
use super::{FRAME_WGSL, GpuSpringFrame, HANDLE_STIFFNESS};
use crate::kernel::{Bound, Kernel, KernelSource, Slot};
use crate::skeleton::{GpuPalette, ROWS};
use crate::skin::BoneSmoothProgram;
use crate::{Gpu, GpuError, MATHS};

const MODEL_WGSL: &str = include_str!("model.wgsl");

const RAISE: KernelSource = KernelSource {
    label: "anchored raise",
    wgsl: &[MATHS, FRAME_WGSL, MODEL_WGSL, include_str!("edits.wgsl")],
    entry: "raise",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Read,
        Slot::Write,
        Slot::Write,
        Slot::Write,
        Slot::Read,
    ],
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

const CONTACT: KernelSource = KernelSource {
    label: "anchored contact",
    wgsl: &[MATHS, ROWS, FRAME_WGSL, MODEL_WGSL, include_str!("contact.wgsl")],
    entry: "find_planes",
    slots: &[Slot::Uniform, Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Write],
};

/// As `anchored/contact.wgsl` reads them.
fn contact_rows(contact: &Option<ContactRow>) -> [[u32; 4]; 2] {
    contact.map_or([[0; 4]; 2], |contact| {
        let [x, y, z] = contact.place.map(f32::to_bits);
        let joints = [contact.parent, contact.child];
        [[x, y, z, contact.least.to_bits()], [joints[0], joints[1], contact.sign.to_bits(), 0]]
    })
}

/// `Anchored` of `anchored/model.wgsl`.
fn model_floats(tables: &AnchoredTables) -> [f32; 28] {
    let (gains, forces) = (&GAINS, &tables.forces);
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
        tables.coarse.as_ref().map_or(0.0, |coarse| coarse.twist_softness),
        gains.tension_onset,
        gains.tension_curve[0],
        gains.tension_curve[1],
        gains.orientation_softness,
        gains.length_softness,
        forces.contact,
        tables.contact_fade_cosines[0],
        tables.contact_fade_cosines[1],
        tables.contact_flat_share,
        tables.no_contact,
        0.0,
        0.0,
        0.0,
    ]
}

/// The model's own buffers and kernels.
#[derive(Debug)]
pub(super) struct GpuAnchored {
    model: wgpu::Buffer,
    level: Level,
    coarse: Option<GpuCoarse>,
    bones: BoneSmoothProgram,
    /// Bone-smooth skinning into the stage.
    first_stage: Bound,
    contacts: wgpu::Buffer,
    /// Contact planes into the stage.
    contact: Bound,
    volume: GpuVolume,
    layers: Option<GpuLayers>,
    riders: Option<GpuRiders>,
    raise: Kernel,
    stiffen: Kernel,
}

/// How the board numbers the model's points.
pub(super) fn board_input(tables: &AnchoredTables) -> BoardInput {
    board_input_of_level(tables, &tables.level)
}

fn board_input_of_level(tables: &AnchoredTables, level: &LevelTables) -> BoardInput {
    let shares = level
        .anchors
        .iter()
        .map(|anchor| if anchor.is_loose { 0.0 } else { GAINS.step / anchor.diagonal });
    BoardInput {
        share_of_slot: shares.collect(),
        smallest_side: level.smallest_side,
        check_iterations: tables.check_iterations,
        ..BoardInput::new(level.num_points, level.point_of_slot.clone())
    }
}

fn all_contact_rows(tables: &AnchoredTables) -> Vec<[u32; 4]> {
    tables.contacts.iter().flat_map(contact_rows).collect()
}

impl GpuAnchored {
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &AnchoredTables,
        palette: &GpuPalette,
    ) -> Result<Self, GpuError> {
        let model = gpu.uniform("anchored model", &model_floats(tables));
        let level = Level::new(gpu, board, &model, &tables.level)?;
        let coarse = match &tables.coarse {
            Some(coarse) => Some(GpuCoarse::new(gpu, (board, &level), &model, (tables, coarse))?),
            None => None,
        };
        let bones = BoneSmoothProgram::new(gpu, &tables.first_stage)?;
        let first_stage = bones.bind_stage(gpu, palette, level.stage.of_first_stage());
        let contacts = gpu.storage("anchored contacts", &all_contact_rows(tables))?;
        let of_contact = [
            &board.frame,
            &model,
            palette.blend(),
            palette.bones(),
            &contacts,
            &level.stage.contact,
        ];
        Ok(Self {
            volume: GpuVolume::new(gpu, board, tables, (&level.stage.direction, palette))?,
            layers: GpuLayers::new(gpu, board, tables)?,
            riders: GpuRiders::new(gpu, board, tables, &level.stage.rotation)?,
            contact: Bound::new(gpu, &CONTACT, &of_contact, board.num_slots),
            model,
            level,
            coarse,
            bones,
            first_stage,
            contacts,
            raise: gpu.kernel(&RAISE),
            stiffen: gpu.kernel(&STIFFEN),
        })
    }

    pub(super) fn omegas(&self, iterations: u32) -> Vec<f32> {
        chebyshev_factors(self.level.rho, iterations)
    }

    /// Uploads again what a rest that moved, or another setting, has changed. False if it is of
    /// another mesh, or there is more.
    pub(super) fn refit(&mut self, board: &mut Board, tables: &AnchoredTables) -> bool {
        let coarse = match (&mut self.coarse, &tables.coarse) {
            (Some(on_card), Some(coarse)) => on_card.refit((tables, coarse)),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        coarse
            && board.refit(&board_input(tables))
            && board.gpu.refill(&self.model, &[model_floats(tables)])
            && self.level.refit(&board.gpu, &tables.level)
            && self.bones.refit(&board.gpu, &tables.first_stage)
            && board.gpu.refill(&self.contacts, &all_contact_rows(tables))
            && self.volume.refit(&board.gpu, tables)
            && match &self.layers {
                Some(layers) => layers.refit(tables),
                None => tables.layers.links.is_empty(),
            }
            && match &self.riders {
                Some(riders) => riders.refit(tables),
                None => tables.riders.is_empty(),
            }
    }

    /// After the board's buffers have grown.
    pub(super) fn rebind(&mut self, board: &Board) {
        self.level.rebind(board);
    }

    /// A frame. `start` and `base` are the model's own first stage if `None`.
    pub(super) fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        board: &Board,
        (start, base): (Option<&wgpu::Buffer>, Option<&wgpu::Buffer>),
        iterations: u32,
    ) {
        let Stage { target, rotation, direction, attachment, .. } = &self.level.stage;
        let [even, odd] = &board.rows;
        self.first_stage.encode(pass);
        self.contact.encode(pass);
        // The coarse level knows of no edits: it takes the stage before they are made.
        let coarse = self.coarse.as_ref().filter(|_| start.is_none() && iterations > 0);
        if let Some(coarse) = coarse {
            coarse.relax(pass);
        }
        let has_handles = board.marks.has_edits || board.marks.has_soft;
        if has_handles {
            let own = [
                &board.frame,
                &self.model,
                &board.mark_rows,
                target,
                attachment,
                direction,
                rotation,
            ];
            self.raise.dispatch(pass, &self.raise.bind(&board.gpu, &own), board.marks.rows.len());
        }
        self.level.prepare(pass);
        board.start(pass, start.unwrap_or(target), target);
        if let Some(coarse) = coarse {
            coarse.spread(pass);
        }
        if has_handles {
            let (anchors, points) = (&self.level.anchors, &self.level.points);
            let own = [&board.frame, &self.model, &board.mark_rows, anchors, points, even, odd];
            let group = self.stiffen.bind(&board.gpu, &own);
            self.stiffen.dispatch(pass, &group, board.marks.rows.len());
        }
        board.hold(pass, base.unwrap_or(target));
        self.level.iterate(pass, iterations);
        board.finish(pass);
        self.volume.encode(pass);
        board.publish(pass, [even, odd]);
        if let Some(layers) = &self.layers {
            layers.encode(pass);
        }
        if let Some(riders) = &self.riders {
            riders.encode(pass);
        }
    }

    /// Takes a frame's wishes, beside the board.
    pub(super) fn set_frame(&mut self, frame: &GpuSpringFrame<'_>) {
        if let Some(layers) = &mut self.layers {
            layers.set_frame(frame);
        }
        if let Some(riders) = &mut self.riders {
            riders.set_frame(frame);
        }
    }
}
