//! Shells that keep their shapes, on the card: one invocation each, once all others are in place.
//! Twin of `sinew::springs`' `riders.rs`.

use sinew::springs::tables::{AnchoredTables, RiderTables, SampleRow, TURN_STEPS};

use super::super::GpuSpringFrame;
use super::super::board::Board;
use crate::kernel::{Bound, KernelSource, Slot};
use crate::{Gpu, GpuError, MATHS};

const PLACE: KernelSource = KernelSource {
    label: "anchored riders",
    wgsl: &[MATHS, include_str!("riders.wgsl")],
    entry: "place",
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

/// The shells' buffers and their kernel.
#[derive(Debug)]
pub(super) struct GpuRiders {
    gpu: Gpu,
    riders: wgpu::Buffer,
    samples: wgpu::Buffer,
    points: wgpu::Buffer,
    /// By entry of `points`: 1 where a frame holds it.
    holds: wgpu::Buffer,
    point_of_entry: Vec<u32>,
    is_holding: bool,
    /// What goes with itself, then what lies on others: the second reads where the first are.
    place: [Option<Bound>; 2],
}

/// As `riders.wgsl` reads them.
#[derive(Default)]
struct Rows {
    riders: Vec<[u32; 4]>,
    samples: Vec<[u32; 4]>,
    points: Vec<[u32; 4]>,
}

impl Rows {
    fn of(riders: &[RiderTables]) -> Self {
        let mut rows = Self::default();
        let bits = |v: [f32; 3]| v.map(f32::to_bits);
        for rider in riders {
            let (points, samples) = (rows.points.len(), rows.samples.len() / SAMPLE_ROWS);
            for &(point, arm) in &rider.points {
                let [x, y, z] = bits(arm);
                rows.points.push([point, x, y, z]);
            }
            for SampleRow { corners: [a, b, c], shares, weight, arm } in &rider.samples {
                let ([u, v, w], [x, y, z]) = (bits(*shares), bits(*arm));
                rows.samples.push([*a, *b, *c, weight.to_bits()]);
                rows.samples.push([u, v, w, 0]);
                rows.samples.push([x, y, z, 0]);
            }
            let num_samples = rows.samples.len() / SAMPLE_ROWS;
            rows.riders.push([points, rows.points.len(), samples, num_samples].map(|n| n as u32));
            rows.riders.push([rider.slot, rider.prior.to_bits(), 0, 0]);
        }
        rows
    }
}

/// True for what a frame holds.
pub(super) fn is_held(frame: &GpuSpringFrame<'_>, point: u32) -> bool {
    frame.within.is_some_and(|within| !within.region.is_free(point))
        || frame.pins.iter().any(|pin| pin.point == point)
}

/// Rows of a sample.
const SAMPLE_ROWS: usize = 3;

impl GpuRiders {
    /// `None` where there is none.
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &AnchoredTables,
        rotations: &wgpu::Buffer,
    ) -> Result<Option<Self>, GpuError> {
        if tables.riders.is_empty() {
            return Ok(None);
        }
        let rows = Rows::of(&tables.riders);
        let all = &tables.riders;
        let num_first = all.partition_point(|rider| !rider.lies_on_others);
        let riders = gpu.storage("riders", &rows.riders)?;
        let samples = gpu.storage("samples of riders", &rows.samples)?;
        let points = gpu.storage("points of riders", &rows.points)?;
        let holds = gpu.storage("held points of riders", &vec![0u32; rows.points.len()])?;
        let place = [0..num_first, num_first..all.len()].map(|run| {
            let params = [run.start as u32, run.end as u32, TURN_STEPS as u32, 0];
            let params = gpu.uniform("riders", &params);
            let positions = &board.positions;
            let buffers = [&params, rotations, &riders, &samples, &points, &holds, positions];
            (!run.is_empty()).then(|| Bound::new(gpu, &PLACE, &buffers, run.len()))
        });
        Ok(Some(Self {
            place,
            gpu: gpu.clone(),
            point_of_entry: rows.points.iter().map(|row| row[0]).collect(),
            riders,
            samples,
            points,
            holds,
            is_holding: false,
        }))
    }

    /// Uploads again what a rest that moved has changed. False if they are others.
    pub(super) fn refit(&self, tables: &AnchoredTables) -> bool {
        let rows = Rows::of(&tables.riders);
        self.gpu.refill(&self.riders, &rows.riders)
            && self.gpu.refill(&self.samples, &rows.samples)
            && self.gpu.refill(&self.points, &rows.points)
    }

    /// Takes a frame's wishes: what is held is not moved.
    pub(super) fn set_frame(&mut self, frame: &GpuSpringFrame<'_>) {
        let is_holding = !frame.pins.is_empty() || frame.within.is_some();
        if !is_holding && !self.is_holding {
            return;
        }
        self.is_holding = is_holding;
        let points = self.point_of_entry.iter();
        let holds: Vec<u32> = points.map(|&point| u32::from(is_held(frame, point))).collect();
        self.gpu.write(&self.holds, &holds);
    }

    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        for place in self.place.iter().flatten() {
            place.encode(pass);
        }
    }
}
