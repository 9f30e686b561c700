//! Bone-smooth skinning on the card: as a skin, and as the springs' first stage.

use sinew::skin::{BoneSmoothTables, BoneStep};

use super::Outputs;
use crate::kernel::{Bound, KernelSource, Slot};
use crate::skeleton::{GpuPalette, ROWS};
use crate::{Gpu, GpuError, MATHS};

/// `MAX_FORKS` of bone_smooth.wgsl.
const MAX_FORKS: usize = 6;
const _: () = assert!(BoneSmoothTables::MAX_FORKS <= MAX_FORKS, "the shader keeps all forks apart");

/// Steps that are no joint, as in bone_smooth.wgsl.
const FORK: u32 = 0xffff_fff0;
const BRANCH: u32 = 0xffff_fff1;
const JOIN: u32 = 0xffff_fff2;
const MERGE: u32 = 0xffff_fff3;
/// No joint, and no output.
const NOTHING: u32 = BoneSmoothTables::PADDING;

/// Words of a block in the program.
const BLOCK_WORDS: usize = 6;

const WGSL: &[&str] = &[MATHS, ROWS, include_str!("bone_smooth.wgsl")];

const SKIN: KernelSource = KernelSource {
    label: "skin: bone-smooth",
    wgsl: WGSL,
    entry: "bone_smooth",
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

const STAGE: KernelSource = KernelSource {
    label: "springs: first stage",
    wgsl: WGSL,
    entry: "bone_smooth_stage",
    slots: &[
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

/// `BoneSmoothParams` of bone_smooth.wgsl: words and floats as bits.
type Params = [u32; 12];

/// What was bound, on the card.
#[derive(Debug)]
pub(crate) struct BoneSmoothProgram {
    params: wgpu::Buffer,
    program: wgpu::Buffer,
    lanes: wgpu::Buffer,
    num_lanes: usize,
}

impl BoneSmoothProgram {
    pub(crate) fn new(gpu: &Gpu, tables: &BoneSmoothTables) -> Result<Self, GpuError> {
        let steps_start = tables.blocks.len() * BLOCK_WORDS;
        let bones_start = steps_start + tables.steps.len();
        let outputs_start = outputs_start(tables);
        let mut program: Vec<u32> = Vec::with_capacity(outputs_start + tables.output_of_lane.len());
        for block in &tables.blocks {
            let words: [usize; 5] = [
                steps_start + block.steps.start,
                steps_start + block.steps.end,
                bones_start + block.bones.start,
                bones_start + block.bones.end,
                block.lanes_start,
            ];
            program.push(block.base.unwrap_or(NOTHING));
            program.extend(words.map(|word| word as u32));
        }
        program.extend(tables.steps.iter().map(|step| match *step {
            BoneStep::Turn(joint) => joint,
            BoneStep::Fork => FORK,
            BoneStep::Branch => BRANCH,
            BoneStep::Join => JOIN,
            BoneStep::Merge => MERGE,
        }));
        program.extend(&tables.bones);
        program.extend(&tables.output_of_lane);

        Ok(Self {
            params: gpu.uniform("bone-smooth parameters", &params(tables, outputs_start)),
            program: gpu.storage("bone-smooth program", &program)?,
            lanes: gpu.storage("bone-smooth rest data", &lanes(tables))?,
            num_lanes: tables.output_of_lane.len(),
        })
    }

    /// Uploads again what a rest that moved has changed; the program stays. False if it is of other
    /// points.
    pub(crate) fn refit(&self, gpu: &Gpu, tables: &BoneSmoothTables) -> bool {
        let outputs_start = outputs_start(tables);
        let is_same = tables.output_of_lane.len() == self.num_lanes
            && 4 * (outputs_start + self.num_lanes) as u64 <= self.program.size();
        is_same
            && gpu.refill(&self.params, &[params(tables, outputs_start)])
            && gpu.refill(&self.lanes, &lanes(tables))
    }

    /// As a skin.
    pub(super) fn bind_skin(&self, gpu: &Gpu, palette: &GpuPalette, outputs: &Outputs) -> Bound {
        self.bind(gpu, &SKIN, palette, &[&outputs.positions, &outputs.normals])
    }

    /// As the springs' first stage, into rows by slot: position and twist, rotation, direction,
    /// attachment and thinning.
    pub(crate) fn bind_stage(
        &self,
        gpu: &Gpu,
        palette: &GpuPalette,
        [target, rotation, direction, attachment]: [&wgpu::Buffer; 4],
    ) -> Bound {
        self.bind(gpu, &STAGE, palette, &[target, rotation, direction, attachment])
    }

    fn bind(
        &self,
        gpu: &Gpu,
        source: &KernelSource,
        palette: &GpuPalette,
        outputs: &[&wgpu::Buffer],
    ) -> Bound {
        let inputs = [&self.params, &self.program, &self.lanes, palette.blend(), palette.bones()];
        let buffers: Vec<&wgpu::Buffer> = inputs.iter().chain(outputs).copied().collect();
        Bound::new(gpu, source, &buffers, self.num_lanes)
    }
}

/// Where in the program the outputs of lanes begin.
fn outputs_start(tables: &BoneSmoothTables) -> usize {
    tables.blocks.len() * BLOCK_WORDS + tables.steps.len() + tables.bones.len()
}

fn params(tables: &BoneSmoothTables, outputs_start: usize) -> Params {
    let constants = &tables.constants;
    let bits = |value: f64| (value as f32).to_bits();
    [
        tables.output_of_lane.len() as u32,
        outputs_start as u32,
        tables.lanes.len() as u32,
        u32::from(!tables.normals.is_empty()),
        constants.length_steps,
        bits(tables.keep_volume),
        bits(constants.min_bend_cosine),
        bits(constants.bend_softness),
        bits(constants.deep_widening),
        bits(constants.most_lengthening),
        bits(constants.lengthening_onset),
        bits(constants.give_softness),
    ]
}

/// Rest data, then normals.
fn lanes(tables: &BoneSmoothTables) -> Vec<f32> {
    [&tables.lanes[..], &tables.normals].concat()
}
