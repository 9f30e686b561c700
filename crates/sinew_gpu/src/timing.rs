//! How long the card takes, by its own clock, and the CPU by its.

use std::time::Instant;

use crate::buffers::ReadBack;
use crate::{Gpu, GpuError};

/// What a frame took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTimes {
    /// On the CPU: uploading the joints, recording and submitting the work.
    pub dispatch_ms: f64,
    /// On the card, by its own clock; `None` where it shows none.
    pub compute_ms: Option<f64>,
}

/// The CPU's clock. The one place that asks for it: a browser has another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Milliseconds since the start.
    pub(crate) fn ms(self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1e3
    }
}

/// Two stamps: where the first of some passes begins, and where the last of them ends.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    stamps: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    read_back: ReadBack,
}

/// Which pass of a measured stretch a pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lap {
    /// The first of several.
    First,
    /// The last of several.
    Last,
    /// The only one.
    Whole,
}

const BEGIN: u32 = 0;
const END: u32 = 1;
const NUM_BYTES: u64 = 16;

impl Stopwatch {
    /// `None` where the device has no clock to show.
    pub(crate) fn new(gpu: &Gpu) -> Option<Self> {
        gpu.has_timestamps().then(|| Self {
            stamps: gpu.device().create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stopwatch"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some("stopwatch"),
                size: NUM_BYTES,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            read_back: ReadBack::new(gpu, NUM_BYTES),
        })
    }

    /// What to give to a pass.
    pub(crate) fn writes(&self, lap: Lap) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.stamps,
            beginning_of_pass_write_index: (lap != Lap::Last).then_some(BEGIN),
            end_of_pass_write_index: (lap != Lap::First).then_some(END),
        }
    }

    /// After the last pass, in the same encoder.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.stamps, BEGIN..END + 1, &self.resolved, 0);
        self.read_back.copy(encoder, &self.resolved);
    }

    /// Waits for what was submitted; milliseconds between the two stamps.
    pub(crate) fn read_ms(&self, gpu: &Gpu) -> Result<f64, GpuError> {
        let ticks =
            self.read_back.read(gpu, |stamps: &[u64]| stamps[1].saturating_sub(stamps[0]))?;
        Ok(ticks as f64 * f64::from(gpu.queue().get_timestamp_period()) * 1e-6)
    }
}
