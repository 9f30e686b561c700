//! What all models share on the card: two buffers of positions that iterations go back and forth
//! between, marks of single points, the steps' own numbers, and the way out.
//!
//! A frame ends at the threshold without anyone reading back: an iteration that is looked at leaves
//! its largest step in a list (`atomicMax` of a float's bits, which are in the order of the numbers
//! where none is negative), and those after it look there before they begin. `finish.wgsl` then
//! says how many ran, and with that which buffer has the result.

use sinew::springs::SpringStats;

use super::frame::{FrameUniform, MARK_WORDS, MarkRow, Marks, StepUniform, steps};
use super::{FRAME_WGSL, GpuSpringFrame};
use crate::kernel::{Kernel, KernelSource, STEP_STRIDE, Slot};
use crate::{Gpu, GpuError, MATHS};

const START: KernelSource = KernelSource {
    label: "springs start",
    wgsl: &[MATHS, FRAME_WGSL, include_str!("start.wgsl")],
    entry: "start",
    slots: &[
        Slot::Uniform,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Write,
        Slot::Write,
    ],
};

const HOLD: KernelSource = KernelSource {
    label: "springs hold",
    wgsl: &[MATHS, FRAME_WGSL, include_str!("hold.wgsl")],
    entry: "hold",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Write, Slot::Write],
};

const FINISH: KernelSource = KernelSource {
    label: "springs finish",
    wgsl: &[MATHS, FRAME_WGSL, include_str!("finish.wgsl")],
    entry: "finish",
    slots: &[Slot::Uniform, Slot::Read, Slot::Write],
};

const PUBLISH: KernelSource = KernelSource {
    label: "springs publish",
    wgsl: &[MATHS, FRAME_WGSL, include_str!("publish.wgsl")],
    entry: "publish",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Read, Slot::Write],
};

/// How a model numbers and measures its points.
pub(super) struct BoardInput {
    pub num_points: usize,
    /// Padding comes last.
    pub point_of_slot: Vec<u32>,
    /// Share of its force that a slot steps by; 0 for what stays at home.
    pub share_of_slot: Vec<f32>,
    pub units_a_metre: f32,
    pub metres_a_unit: f32,
    pub max_reach: f32,
    /// In units.
    pub smallest_side: f32,
    pub check_iterations: u32,
}

impl BoardInput {
    /// In metres, with all of every slot's force, looked at after each iteration, and no threshold.
    pub(super) fn new(num_points: usize, point_of_slot: Vec<u32>) -> Self {
        Self {
            num_points,
            share_of_slot: vec![1.0; point_of_slot.len()],
            point_of_slot,
            units_a_metre: 1.0,
            metres_a_unit: 1.0,
            max_reach: f32::MAX,
            smallest_side: 0.0,
            check_iterations: 1,
        }
    }
}

/// Shared buffers and kernels of a rig.
#[derive(Debug)]
pub(super) struct Board {
    pub gpu: Gpu,
    pub num_slots: usize,
    pub frame: wgpu::Buffer,
    /// Even and odd iterations' positions.
    pub rows: [wgpu::Buffer; 2],
    pub marks: Marks,
    pub mark_rows: wgpu::Buffer,
    pub largest: wgpu::Buffer,
    pub steps: wgpu::Buffer,
    /// By point.
    pub positions: wgpu::Buffer,
    order: wgpu::Buffer,
    shares: wgpu::Buffer,
    pub stats: wgpu::Buffer,
    uniform: FrameUniform,
    /// What `steps` holds: their number, and whether there is a threshold.
    steps_hold: Option<(u32, bool)>,
    start: Kernel,
    hold: Kernel,
    finish: Kernel,
    publish: Kernel,
}

impl Board {
    pub(super) fn new(gpu: &Gpu, input: &BoardInput) -> Result<Self, GpuError> {
        let num_slots = input.point_of_slot.len();
        let mut slot_of_point = vec![0; input.num_points];
        for (slot, &point) in (0..).zip(&input.point_of_slot[..input.num_points]) {
            slot_of_point[point as usize] = slot;
        }
        let uniform = FrameUniform {
            num_slots: num_slots as u32,
            num_points: input.num_points as u32,
            check_iterations: input.check_iterations,
            units_a_metre: input.units_a_metre,
            metres_a_unit: input.metres_a_unit,
            max_reach: input.max_reach,
            smallest_side: input.smallest_side,
            ..FrameUniform::default()
        };
        Ok(Self {
            num_slots,
            frame: gpu.uniform("springs frame", &uniform.words()),
            rows: [
                gpu.rows("springs even positions", num_slots)?,
                gpu.rows("springs odd positions", num_slots)?,
            ],
            marks: Marks::new(slot_of_point),
            mark_rows: gpu.rows("springs marks", MARK_WORDS / 4)?,
            largest: gpu.rows("springs largest steps", 1)?,
            steps: step_buffer(gpu, 1)?,
            positions: gpu.rows("springs positions", input.num_points)?,
            order: gpu.storage("springs order", &input.point_of_slot)?,
            shares: gpu.storage("springs shares", &input.share_of_slot)?,
            stats: gpu.rows("springs stats", 1)?,
            uniform,
            steps_hold: None,
            start: gpu.kernel(&START),
            hold: gpu.kernel(&HOLD),
            finish: gpu.kernel(&FINISH),
            publish: gpu.kernel(&PUBLISH),
            gpu: gpu.clone(),
        })
    }

    /// Takes what a rest that moved, or another setting, has changed; [`Self::begin`] then tells
    /// the card. False if it is of other points.
    pub(super) fn refit(&mut self, input: &BoardInput) -> bool {
        self.uniform = FrameUniform {
            units_a_metre: input.units_a_metre,
            metres_a_unit: input.metres_a_unit,
            max_reach: input.max_reach,
            smallest_side: input.smallest_side,
            ..self.uniform
        };
        self.steps_hold = None;
        let is_same = input.point_of_slot.len() == self.num_slots
            && input.num_points as u32 == self.uniform.num_points
            && input.check_iterations == self.uniform.check_iterations;
        is_same && self.gpu.refill(&self.shares, &input.share_of_slot)
    }

    /// Takes a frame's wishes. True if buffers were made anew, so that what binds `largest` or
    /// `steps` must do so again.
    pub(super) fn begin(
        &mut self,
        frame: &GpuSpringFrame<'_>,
        (start_by_slot, base_by_slot): (bool, bool),
        (iterations, threshold): (u32, f32),
        omegas: impl Fn(u32) -> Vec<f32>,
    ) -> Result<bool, GpuError> {
        self.marks.set(frame);
        let words: Vec<[u32; MARK_WORDS]> = self.marks.rows.iter().map(MarkRow::words).collect();
        if size_of_val(&words[..]) as u64 > self.mark_rows.size() {
            let room = words.len().next_power_of_two() * size_of_val(&words[0]);
            self.mark_rows = self.gpu.storage_of_size("springs marks", room as u64)?;
        }
        self.gpu.write(&self.mark_rows, &words);
        let shortest_step = threshold.max(0.0) * self.uniform.smallest_side;
        let is_grown = self.set_steps(iterations, shortest_step > 0.0, omegas)?;
        self.uniform = FrameUniform {
            num_marks: self.marks.rows.len() as u32,
            iterations,
            start_by_slot: u32::from(start_by_slot),
            base_by_slot: u32::from(base_by_slot),
            shortest_step,
            swell: frame.swell,
            ..self.uniform
        };
        self.gpu.write(&self.frame, &self.uniform.words());
        Ok(is_grown)
    }

    fn set_steps(
        &mut self,
        iterations: u32,
        has_threshold: bool,
        omegas: impl Fn(u32) -> Vec<f32>,
    ) -> Result<bool, GpuError> {
        if self.steps_hold == Some((iterations, has_threshold)) {
            return Ok(false);
        }
        let is_grown = u64::from(iterations) * STEP_STRIDE > self.steps.size();
        if is_grown {
            self.steps = step_buffer(&self.gpu, iterations.into())?;
            let num_bytes = u64::from(iterations) * 4;
            self.largest = self.gpu.storage_of_size("springs largest steps", num_bytes)?;
        }
        let rows = steps(&omegas(iterations), self.uniform.check_iterations, has_threshold);
        let words: Vec<_> = rows.iter().map(StepUniform::words).collect();
        self.gpu.write(&self.steps, &words);
        self.steps_hold = Some((iterations, has_threshold));
        Ok(is_grown)
    }

    /// Fills both buffers of positions, and forgets the last frame's steps.
    pub(super) fn start(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        source: &wgpu::Buffer,
        home: &wgpu::Buffer,
    ) {
        let [even, odd] = &self.rows;
        let buffers =
            [&self.frame, source, &self.order, &self.shares, home, even, odd, &self.largest];
        self.start.dispatch(pass, &self.start.bind(&self.gpu, &buffers), self.num_slots);
    }

    /// Puts what is held where it is held; after [`Self::start`].
    pub(super) fn hold(&self, pass: &mut wgpu::ComputePass<'_>, base: &wgpu::Buffer) {
        if self.marks.has_held {
            let [even, odd] = &self.rows;
            let buffers = [&self.frame, &self.mark_rows, base, even, odd];
            let num_marks = self.marks.rows.len();
            self.hold.dispatch(pass, &self.hold.bind(&self.gpu, &buffers), num_marks);
        }
    }

    /// Finds out how the frame went; after the iterations.
    pub(super) fn finish(&self, pass: &mut wgpu::ComputePass<'_>) {
        let buffers = [&self.frame, &self.largest, &self.stats];
        self.finish.dispatch(pass, &self.finish.bind(&self.gpu, &buffers), 1);
    }

    /// Puts positions in the order of points, of what `rows` hold after an even and an odd number
    /// of iterations; after [`Self::finish`].
    pub(super) fn publish(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        [even, odd]: [&wgpu::Buffer; 2],
    ) {
        let buffers = [&self.frame, &self.stats, &self.order, even, odd, &self.positions];
        self.publish.dispatch(pass, &self.publish.bind(&self.gpu, &buffers), self.num_slots);
    }

    /// Waits, and tells how the last frame went.
    pub(super) fn read_stats(&self) -> Result<SpringStats, GpuError> {
        Ok(stats_of(&self.gpu.read(&self.stats, STATS_WORDS)?))
    }
}

/// Of [`Board::stats`].
pub(crate) const STATS_WORDS: usize = 3;

/// From the card's words.
pub(crate) fn stats_of(words: &[u32]) -> SpringStats {
    let float = |word: usize| f32::from_bits(words[word]);
    SpringStats { iterations: words[0], residual: float(1), swell: float(2) }
}

fn step_buffer(gpu: &Gpu, num_steps: u64) -> Result<wgpu::Buffer, GpuError> {
    let size = num_steps * STEP_STRIDE;
    let limit = gpu.device().limits().max_buffer_size;
    if size > limit {
        let what = format!("{num_steps} spring iterations");
        return Err(GpuError::TooLarge { what, adapter: gpu.name(), needed: size, limit });
    }
    Ok(gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("springs steps"),
        size,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    }))
}
