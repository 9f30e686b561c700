//! The device itself.

use sinew::skeleton::Palette;
use sinew_gpu::{Gpu, GpuError, GpuPalette};

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("nothing_but_default_limits_is_asked_for", default_limits),
    ("what_is_too_large_for_one_buffer_is_said_so", too_large),
    ("a_device_that_went_away_is_an_error_and_no_panic", lost),
];

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

fn too_large(gpu: &Gpu) {
    let error = GpuPalette::new(gpu, 10_000_000).map(drop).expect_err("a gigabyte is too much");
    let GpuError::TooLarge { needed, limit, .. } = error.clone() else { panic!("{error}") };
    assert!(needed > limit, "{error}");
    assert!(error.to_string().contains("palette") && error.to_string().contains("--device cpu"));
}

fn lost(_: &Gpu) {
    // One of its own: the others' must live on.
    let gpu = Gpu::headless().expect("there is a device");
    let palette = GpuPalette::new(&gpu, 1).expect("a palette fits");
    assert!(palette.read().is_ok());
    gpu.device().destroy();
    palette.upload(&Palette::from_transforms(&skeleton(), vec![sinew::glam::DAffine3::IDENTITY]));
    let error = palette.read().expect_err("nobody answers");
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
}

fn skeleton() -> sinew::skeleton::Skeleton {
    use sinew::glam::DVec3;
    use sinew::skeleton::{Joint, JointTransform, Skeleton};
    let rest = JointTransform::IDENTITY;
    let root = Joint { name: "root".into(), parent: None, rest, tail_in_joint: DVec3::Y };
    Skeleton::new(vec![root]).expect("one joint is a skeleton")
}
