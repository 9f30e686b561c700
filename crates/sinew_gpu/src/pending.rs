//! Copies on their way from the card, which nobody need wait for.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use bytemuck::AnyBitPattern;

use crate::buffers::{ReadBack, lost};
use crate::{Gpu, GpuError};

/// Copies that were submitted, and are to be mapped when they have arrived.
#[derive(Debug)]
pub(crate) struct Pending {
    gpu: Gpu,
    copies: Vec<ReadBack>,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
    num_missing: usize,
}

impl Pending {
    /// Of copies whose commands were submitted; each must be nobody else's until [`Self::finish`].
    pub(crate) fn start(gpu: &Gpu, copies: Vec<ReadBack>) -> Result<Self, GpuError> {
        let (sender, mapped) = channel();
        // What a lost device has made is invalid, and to map it would be taken for a fault of ours.
        let errors = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
        let mut num_missing = 0;
        gpu.counters().reads_back(copies.iter().map(ReadBack::num_bytes).sum());
        for slice in copies.iter().filter_map(ReadBack::slice) {
            let sender = sender.clone();
            num_missing += 1;
            slice.map_async(wgpu::MapMode::Read, move |mapped| {
                // Whoever asked may have gone.
                let _ = sender.send(mapped);
            });
        }
        if let Some(error) = pollster::block_on(errors.pop()) {
            return Err(lost(error));
        }
        Ok(Self { gpu: gpu.clone(), copies, mapped, num_missing })
    }

    /// True if all are here. Does not wait.
    pub(crate) fn poll(&mut self) -> Result<bool, GpuError> {
        if self.num_missing > 0 {
            self.gpu.device().poll(wgpu::PollType::Poll).map_err(lost)?;
        }
        while self.num_missing > 0 {
            match self.mapped.try_recv() {
                Ok(mapped) => mapped.map_err(lost)?,
                Err(TryRecvError::Empty) => return Ok(false),
                Err(error) => return Err(lost(error)),
            }
            self.num_missing -= 1;
        }
        Ok(true)
    }

    /// Waits until all are here.
    pub(crate) fn wait(&mut self) -> Result<(), GpuError> {
        if self.num_missing > 0 {
            self.gpu.wait()?;
        }
        while self.num_missing > 0 {
            self.mapped.recv().map_err(lost)?.map_err(lost)?;
            self.num_missing -= 1;
        }
        Ok(())
    }

    /// Hands over what a copy holds; all must be here.
    pub(crate) fn take<T: AnyBitPattern, R>(
        &self,
        copy: usize,
        take: impl FnOnce(&[T]) -> R,
    ) -> Result<R, GpuError> {
        let copy = &self.copies[copy];
        let Some(slice) = copy.slice() else { return Ok(take(&[])) };
        let view = slice.get_mapped_range().map_err(lost)?;
        Ok(take(bytemuck::cast_slice(&view[..copy.num_bytes() as usize])))
    }

    /// Gives the copies back, to be filled again; all must have been here.
    pub(crate) fn finish(self) -> Vec<ReadBack> {
        for copy in self.copies.iter().filter(|copy| copy.slice().is_some()) {
            copy.staging().unmap();
        }
        self.copies
    }
}
