//! From the card to the CPU: a frame as [`sinew::frame::Plan::run`] makes it, for files and
//! figures.

use std::sync::{Arc, Mutex, PoisonError};

use sinew::frame::Frame;
use sinew::glam::Vec3;

use super::GpuCharacter;
use crate::buffers::ReadBack;
use crate::pending::Pending;
use crate::springs::{STATS_WORDS, stats_of};
use crate::timing::Clock;
use crate::{Gpu, GpuError};

/// What is read of a mesh: buffers, and how many rows of them.
pub(super) struct Reading<'a> {
    pub(super) positions: (&'a wgpu::Buffer, usize),
    pub(super) normals: (&'a wgpu::Buffer, usize),
    pub(super) stats: Option<&'a wgpu::Buffer>,
    /// Of render vertices; 0 for none.
    pub(super) num_normals: usize,
    pub(super) wedge_of_vertex: Option<Arc<[u32]>>,
}

/// Copies of a mesh, in this order.
const COPIES_A_PART: usize = 3;
const POSITIONS: usize = 0;
const NORMALS: usize = 1;
const STATS: usize = 2;

/// Memory of reads that are done, for the next ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool(Arc<Mutex<Vec<Vec<ReadBack>>>>);

impl Pool {
    /// Memory of these sizes, three a mesh.
    fn take(&self, gpu: &Gpu, num_bytes: &[u64]) -> Vec<ReadBack> {
        // What is in it is whole: a panic elsewhere does not matter.
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let serves = |copies: &Vec<ReadBack>| {
            copies.iter().map(ReadBack::num_bytes).eq(num_bytes.iter().copied())
        };
        match free.iter().position(serves) {
            Some(place) => free.swap_remove(place),
            None => num_bytes.iter().map(|&bytes| ReadBack::new(gpu, bytes)).collect(),
        }
    }

    fn give_back(&self, copies: Vec<ReadBack>) {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // More are never under way at once in a studio; sizes that are no longer asked for go.
        free.truncate(2);
        free.insert(0, copies);
    }
}

/// A mesh, after the buffers.
#[derive(Debug)]
struct PartShape {
    num_points: usize,
    num_normals: usize,
    wedge_of_vertex: Option<Arc<[u32]>>,
    has_springs: bool,
}

/// Copies under way, and what to make of them.
#[derive(Debug)]
struct Copies {
    pending: Pending,
    parts: Vec<PartShape>,
    pool: Pool,
}

/// A frame on its way from the card. Frames that are submitted after it do not change it.
#[derive(Debug)]
pub struct PendingRead {
    /// All but points and normals.
    frame: Frame,
    copies: Copies,
}

impl PendingRead {
    /// True if the frame is here. Does not wait. (In a browser the page's own loop brings it.)
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn poll(&mut self) -> Result<bool, GpuError> {
        self.copies.pending.poll()
    }

    /// The frame; waits for it where it is not here yet.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn wait(self) -> Result<Frame, GpuError> {
        let Self { mut frame, copies } = self;
        copies.fill(&mut frame)?;
        Ok(frame)
    }
}

impl GpuCharacter {
    /// Asks for the frame that was submitted last, and does not wait for it.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn request_read(&self) -> Result<PendingRead, GpuError> {
        let mut frame = self.prepared.frame();
        self.prepared.fill_rests(&mut frame);
        Ok(PendingRead { frame, copies: self.copy()? })
    }

    /// Waits for the frame that was submitted last, and copies it; milliseconds that it took.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn read(&self, frame: &mut Frame) -> Result<f64, GpuError> {
        let clock = Clock::start();
        self.prepared.begin(frame);
        self.prepared.fill_rests(frame);
        self.copy()?.fill(frame)?;
        Ok(clock.ms())
    }

    fn copy(&self) -> Result<Copies, GpuError> {
        let readings: Vec<Reading<'_>> = self.parts.iter().map(super::Part::reading).collect();
        let sources: Vec<(&wgpu::Buffer, u64)> = readings
            .iter()
            .flat_map(|reading| {
                let (positions, num_points) = reading.positions;
                let (normals, num_rows) = reading.normals;
                // Without springs nothing is copied, from whatever.
                let stats = reading.stats.map_or((positions, 0), |stats| (stats, STATS_WORDS));
                [
                    (positions, 16 * num_points as u64),
                    (normals, 16 * num_rows as u64),
                    (stats.0, 4 * stats.1 as u64),
                ]
            })
            .collect();
        let num_bytes: Vec<u64> = sources.iter().map(|(_, num_bytes)| *num_bytes).collect();
        let copies = self.pool.take(&self.gpu, &num_bytes);
        let mut encoder = self.gpu.encoder("read back");
        for (copy, (buffer, _)) in copies.iter().zip(sources) {
            copy.copy(&mut encoder, buffer);
        }
        self.gpu.queue().submit([encoder.finish()]);
        let part = |reading: Reading<'_>| PartShape {
            num_points: reading.positions.1,
            num_normals: reading.num_normals,
            wedge_of_vertex: reading.wedge_of_vertex,
            has_springs: reading.stats.is_some(),
        };
        Ok(Copies {
            pending: Pending::start(&self.gpu, copies)?,
            parts: readings.into_iter().map(part).collect(),
            pool: self.pool.clone(),
        })
    }
}

impl Copies {
    fn fill(self, frame: &mut Frame) -> Result<(), GpuError> {
        let Self { mut pending, parts, pool } = self;
        pending.wait()?;
        for (index, part) in parts.iter().enumerate() {
            let copy = |what: usize| COPIES_A_PART * index + what;
            let springs =
                part.has_springs.then(|| pending.take(copy(STATS), stats_of)).transpose()?;
            let mut filled = Ok(());
            let sizes = [part.num_points, part.num_normals];
            frame.fill_part(index, sizes, springs, |points, normals| {
                filled = pending.take(copy(POSITIONS), |rows: &[[f32; 4]]| {
                    for (out, row) in points.iter_mut().zip(rows) {
                        *out = vector(row);
                    }
                });
                let of_normals = pending.take(copy(NORMALS), |rows: &[[f32; 4]]| {
                    for (vertex, out) in normals.iter_mut().enumerate() {
                        let wedges = part.wedge_of_vertex.as_ref();
                        *out = vector(&rows[wedges.map_or(vertex, |w| w[vertex] as usize)]);
                    }
                });
                filled = std::mem::replace(&mut filled, Ok(())).and(of_normals);
            });
            filled?;
        }
        pool.give_back(pending.finish());
        Ok(())
    }
}

fn vector(&[x, y, z, _]: &[f32; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}
