//! The device itself.

use sinew_gpu::Gpu;

use crate::Test;

pub(crate) const TESTS: &[Test] = &[("nothing_but_default_limits_is_asked_for", default_limits)];

fn default_limits(gpu: &Gpu) {
    assert!(!gpu.name().is_empty());
    let (ours, default) = (gpu.device().limits(), wgpu_limits());
    assert_eq!(
        ours.max_storage_buffers_per_shader_stage,
        default.max_storage_buffers_per_shader_stage
    );
    assert_eq!(ours.max_compute_invocations_per_workgroup, 256);
}

fn wgpu_limits() -> sinew_gpu::wgpu::Limits {
    sinew_gpu::wgpu::Limits::default()
}
