//! A kernel that goes from the even positions to the odd ones and back, once an iteration: how
//! every model is iterated.

use super::board::Board;
use crate::kernel::{Kernel, KernelSource, Slot};

/// Such a kernel, bound both ways.
///
/// Its bindings are the frame, what is the model's own, the positions now and next; and if it has a
/// [`Slot::Step`], the steps there and the list of largest steps last.
#[derive(Debug)]
pub(super) struct Turns {
    kernel: Kernel,
    own: Vec<wgpu::Buffer>,
    groups: [wgpu::BindGroup; 2],
    num_slots: usize,
}

impl Turns {
    pub(super) fn new(board: &Board, source: &KernelSource, own: &[&wgpu::Buffer]) -> Self {
        let kernel = board.gpu.kernel(source);
        // Handles: the memory is one.
        let own: Vec<wgpu::Buffer> = own.iter().map(|&buffer| buffer.clone()).collect();
        let groups = bind(&kernel, board, &own);
        Self { kernel, own, groups, num_slots: board.num_slots }
    }

    /// After the board's buffers have grown.
    pub(super) fn rebind(&mut self, board: &Board) {
        self.groups = bind(&self.kernel, board, &self.own);
    }

    /// Runs an iteration; even ones read the even positions.
    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, iteration: u32) {
        let group = &self.groups[iteration as usize % 2];
        if self.kernel.slots().contains(&Slot::Step) {
            self.kernel.dispatch_step(pass, group, self.num_slots, iteration);
        } else {
            self.kernel.dispatch(pass, group, self.num_slots);
        }
    }
}

/// From even to odd, and back.
fn bind(kernel: &Kernel, board: &Board, own: &[wgpu::Buffer]) -> [wgpu::BindGroup; 2] {
    let [even, odd] = &board.rows;
    [[even, odd], [odd, even]].map(|[now, next]| {
        let mut buffers: Vec<&wgpu::Buffer> =
            std::iter::once(&board.frame).chain(own).chain([now, next]).collect();
        if let Some(at) = kernel.slots().iter().position(|&slot| slot == Slot::Step) {
            buffers.insert(at, &board.steps);
            buffers.push(&board.largest);
        }
        kernel.bind(&board.gpu, &buffers)
    })
}
