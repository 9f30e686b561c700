//! Buffers on the card: made from plain data, filled again each frame, read back when someone asks.
//!
//! Arrays of points are *rows*: four floats each, of which the last is free for the shader's use.
//! Tightly packed triples would save a quarter of the memory and cost three loads for one.

use bytemuck::{AnyBitPattern, NoUninit};
use sinew::glam::Vec3;

use crate::pending::Pending;
use crate::{Gpu, GpuError};

/// No binding is smaller than this: an empty array has a row of zeros, which nothing reads.
const LEAST_BYTES: u64 = 16;

/// Everything that a storage buffer is used for here: bound, filled, copied for reading back, and
/// drawn.
const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_DST)
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::VERTEX);

impl Gpu {
    /// A storage buffer that holds `data`. `what` is its name in errors and debuggers.
    pub(crate) fn storage<T: NoUninit>(
        &self,
        what: &str,
        data: &[T],
    ) -> Result<wgpu::Buffer, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let buffer = self.storage_of_size(what, bytes.len() as u64)?;
        self.write(&buffer, data);
        Ok(buffer)
    }

    /// A storage buffer of `num_bytes` zeros.
    pub(crate) fn storage_of_size(
        &self,
        what: &str,
        num_bytes: u64,
    ) -> Result<wgpu::Buffer, GpuError> {
        let limits = self.device().limits();
        let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        if num_bytes > limit {
            return Err(GpuError::TooLarge {
                what: what.to_owned(),
                adapter: self.name(),
                needed: num_bytes,
                limit,
            });
        }
        Ok(self.buffer(what, num_bytes, STORAGE))
    }

    /// A storage buffer of `num_rows` rows of four floats, zeros at first.
    pub(crate) fn rows(&self, what: &str, num_rows: usize) -> Result<wgpu::Buffer, GpuError> {
        self.storage_of_size(what, num_rows as u64 * 16)
    }

    /// A uniform buffer that holds `value`, whose size must be a multiple of sixteen bytes.
    pub(crate) fn uniform<T: NoUninit>(&self, what: &str, value: &T) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let buffer = self.buffer(what, size_of::<T>() as u64, usage);
        self.write(&buffer, std::slice::from_ref(value));
        buffer
    }

    /// Fills a buffer from its start, before whatever is submitted next.
    pub(crate) fn write<T: NoUninit>(&self, buffer: &wgpu::Buffer, data: &[T]) {
        self.counters().uploads(size_of_val(data) as u64);
        self.queue().write_buffer(buffer, 0, bytemuck::cast_slice(data));
    }

    /// As [`Self::write`] of data that may have grown: false, and nothing done, if the buffer is
    /// too small.
    pub(crate) fn refill<T: NoUninit>(&self, buffer: &wgpu::Buffer, data: &[T]) -> bool {
        let fits = size_of_val(data) as u64 <= buffer.size();
        if fits {
            self.write(buffer, data);
        }
        fits
    }

    /// Waits for all that was submitted, and copies the first `count` entries of a buffer.
    pub(crate) fn read<T: AnyBitPattern>(
        &self,
        buffer: &wgpu::Buffer,
        count: usize,
    ) -> Result<Vec<T>, GpuError> {
        let num_bytes = (count * size_of::<T>()) as u64;
        let read_back = ReadBack::new(self, num_bytes);
        let mut encoder = self.encoder("read back");
        read_back.copy(&mut encoder, buffer);
        self.queue().submit([encoder.finish()]);
        read_back.read(self, |values: &[T]| values.to_vec())
    }

    /// Waits for all that was submitted, and copies the first `count` rows of a buffer as vectors.
    pub(crate) fn read_vectors(
        &self,
        buffer: &wgpu::Buffer,
        count: usize,
    ) -> Result<Vec<Vec3>, GpuError> {
        let rows: Vec<[f32; 4]> = self.read(buffer, count)?;
        Ok(rows.iter().map(|&[x, y, z, _]| Vec3::new(x, y, z)).collect())
    }

    /// An encoder for a frame.
    pub(crate) fn encoder(&self, label: &str) -> wgpu::CommandEncoder {
        self.device().create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(label) })
    }

    /// Waits until the card has done all that was submitted.
    pub(crate) fn wait(&self) -> Result<(), GpuError> {
        self.device().poll(wgpu::PollType::wait_indefinitely()).map_err(lost)?;
        Ok(())
    }

    fn buffer(&self, what: &str, num_bytes: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: num_bytes.next_multiple_of(4).max(LEAST_BYTES),
            usage,
            mapped_at_creation: false,
        })
    }
}

/// Memory that the card copies into and the CPU reads: made once, used each frame.
#[derive(Clone, Debug)]
pub(crate) struct ReadBack {
    staging: wgpu::Buffer,
    num_bytes: u64,
}

impl ReadBack {
    pub(crate) fn new(gpu: &Gpu, num_bytes: u64) -> Self {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Self { staging: gpu.buffer("read back", num_bytes, usage), num_bytes }
    }

    /// Of rows of four floats.
    pub(crate) fn of_rows(gpu: &Gpu, num_rows: usize) -> Self {
        Self::new(gpu, num_rows as u64 * 16)
    }

    /// What a texture is copied into.
    pub(crate) fn staging(&self) -> &wgpu::Buffer {
        &self.staging
    }

    /// Copies the start of `buffer` when the encoder's commands run.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder, buffer: &wgpu::Buffer) {
        let num_bytes = self.num_bytes.next_multiple_of(4);
        if num_bytes > 0 {
            encoder.copy_buffer_to_buffer(buffer, 0, &self.staging, 0, num_bytes);
        }
    }

    /// What is to be mapped; `None` where nothing is.
    pub(crate) fn slice(&self) -> Option<wgpu::BufferSlice<'_>> {
        (self.num_bytes > 0).then(|| self.staging.slice(..self.num_bytes.next_multiple_of(4)))
    }

    pub(crate) fn num_bytes(&self) -> u64 {
        self.num_bytes
    }

    /// Waits for the copy, which must have been submitted, and hands over what it holds.
    pub(crate) fn read<T: AnyBitPattern, R>(
        &self,
        gpu: &Gpu,
        take: impl FnOnce(&[T]) -> R,
    ) -> Result<R, GpuError> {
        let mut pending = Pending::start(gpu, vec![self.clone()])?;
        pending.wait()?;
        let taken = pending.take(0, take)?;
        pending.finish();
        Ok(taken)
    }
}

pub(crate) fn lost(error: impl std::fmt::Display) -> GpuError {
    GpuError::Lost { reason: error.to_string() }
}
