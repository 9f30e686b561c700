//! A compute shader with its bindings, and how many workgroups it takes.
//!
//! All bindings are in group 0, in the order of [`KernelSource::slots`]. Kernels are built once a
//! device, whoever asks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::Gpu;

/// Invocations in a workgroup: every compute shader of the crate says `@workgroup_size(64)`.
pub(crate) const WORKGROUP: u64 = 64;

/// Workgroups that WebGPU promises along one dimension.
const MAX_WORKGROUPS: u64 = 65_535;

/// Bytes from one [`Slot::Step`] to the next, as WebGPU wants it.
pub(crate) const STEP_STRIDE: u64 = 256;

/// Bytes of a [`Slot::Step`] that a shader sees.
const STEP_BYTES: u64 = 16;

/// What a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// `var<uniform>`.
    Uniform,
    /// `var<uniform>`, one of many in a buffer: which one is said at each dispatch.
    Step,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    Write,
}

/// A kernel's text: a constant beside the code that runs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelSource {
    /// Its own name among all kernels of the crate; shows in debuggers and errors.
    pub label: &'static str,
    /// WGSL texts, put one after the other: what is shared first.
    pub wgsl: &'static [&'static str],
    /// The function to run.
    pub entry: &'static str,
    /// Bindings 0, 1, 2 … of group 0.
    pub slots: &'static [Slot],
}

/// A compiled kernel. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    label: &'static str,
    slots: &'static [Slot],
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// The kernels that a device has already.
#[derive(Debug, Default)]
pub(crate) struct Kernels(Mutex<HashMap<&'static str, Kernel>>);

impl Gpu {
    /// The kernel of a source, compiled if this is the first time.
    pub(crate) fn kernel(&self, source: &KernelSource) -> Kernel {
        // A panic while compiling leaves the map whole: what is in it is finished.
        let mut kernels = self.kernels().0.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.entry(source.label).or_insert_with(|| Kernel::new(self, source)).clone()
    }
}

impl Kernel {
    fn new(gpu: &Gpu, source: &KernelSource) -> Self {
        let device = gpu.device();
        let label = Some(source.label);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(source.wgsl.concat().into()),
        });
        let entries: Vec<wgpu::BindGroupLayoutEntry> = (0u32..)
            .zip(source.slots)
            .map(|(binding, slot)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match slot {
                        Slot::Uniform | Slot::Step => wgpu::BufferBindingType::Uniform,
                        Slot::Read => wgpu::BufferBindingType::Storage { read_only: true },
                        Slot::Write => wgpu::BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: *slot == Slot::Step,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label,
            entries: &entries,
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(source.entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { label: source.label, slots: source.slots, pipeline, layout }
    }

    /// The kind of each binding.
    pub(crate) fn slots(&self) -> &'static [Slot] {
        self.slots
    }

    /// Binds one buffer a slot, in order.
    pub(crate) fn bind(&self, gpu: &Gpu, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0u32..)
            .zip(buffers.iter().zip(self.slots))
            .map(|(binding, (buffer, slot))| wgpu::BindGroupEntry {
                binding,
                resource: match slot {
                    Slot::Step => wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset: 0,
                        size: wgpu::BufferSize::new(STEP_BYTES),
                    }),
                    Slot::Uniform | Slot::Read | Slot::Write => buffer.as_entire_binding(),
                },
            })
            .collect();
        gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.label),
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// Runs at least `invocations` invocations; the shader's `invocation_index` numbers them, and
    /// it returns early where that is past its data.
    pub(crate) fn dispatch(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bindings: &wgpu::BindGroup,
        invocations: usize,
    ) {
        self.dispatch_at(pass, bindings, invocations, &[]);
    }

    /// [`Self::dispatch`] of a kernel with one [`Slot::Step`]: the step of that number.
    pub(crate) fn dispatch_step(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bindings: &wgpu::BindGroup,
        invocations: usize,
        step: u32,
    ) {
        self.dispatch_at(pass, bindings, invocations, &[step * STEP_STRIDE as u32]);
    }

    fn dispatch_at(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bindings: &wgpu::BindGroup,
        invocations: usize,
        offsets: &[u32],
    ) {
        let [x, y] = workgroups(invocations as u64);
        if x == 0 {
            return;
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bindings, offsets);
        pass.dispatch_workgroups(x, y, 1);
    }
}

/// A kernel with the buffers that it always runs on, and how often it does.
#[derive(Debug)]
pub(crate) struct Bound {
    kernel: Kernel,
    bindings: wgpu::BindGroup,
    invocations: usize,
}

impl Bound {
    /// Binds one buffer a slot, in order.
    pub(crate) fn new(
        gpu: &Gpu,
        source: &KernelSource,
        buffers: &[&wgpu::Buffer],
        invocations: usize,
    ) -> Self {
        let kernel = gpu.kernel(source);
        let bindings = kernel.bind(gpu, buffers);
        Self { kernel, bindings, invocations }
    }

    /// How often it runs.
    pub(crate) fn invocations(&self) -> usize {
        self.invocations
    }

    /// Adds the kernel's run to a pass.
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.kernel.dispatch(pass, &self.bindings, self.invocations);
    }
}

/// Workgroups along x and y: as few as hold all invocations, in rows of equal length past one row's
/// limit.
fn workgroups(invocations: u64) -> [u32; 2] {
    let groups = invocations.div_ceil(WORKGROUP);
    let rows = groups.div_ceil(MAX_WORKGROUPS);
    if rows == 0 {
        return [0, 0];
    }
    [groups.div_ceil(rows) as u32, rows as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_hold_all_invocations_within_the_limit_and_few_more() {
        let row = MAX_WORKGROUPS * WORKGROUP;
        let sizes =
            [1, 63, 64, 65, 65_535, 65_537, row - 1, row, row + 1, 3 * row + 7, 4_294_967_295];
        for invocations in sizes {
            let [x, y] = workgroups(invocations).map(u64::from);
            assert!(x <= MAX_WORKGROUPS && y <= MAX_WORKGROUPS, "{invocations}: {x} × {y}");
            assert!(x * y * WORKGROUP >= invocations, "{invocations}: {x} × {y}");
            // At most one unfinished workgroup, and one idle one a row.
            assert!(
                x * y * WORKGROUP < invocations + WORKGROUP * (y + 1),
                "{invocations}: {x} × {y}"
            );
        }
        assert_eq!(workgroups(0), [0, 0]);
        assert_eq!(workgroups(row), [65_535, 1]);
        assert_eq!(workgroups(row + 1), [32_768, 2]);
    }
}
