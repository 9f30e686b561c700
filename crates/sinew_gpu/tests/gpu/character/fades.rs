//! From one plan's shape to another's, and what crosses for a frame.

use sinew::frame::{Controls, Plan, Rig};
use sinew::glam::Vec3;
use sinew::progress::Silent;
use sinew::springs::SpringModel;
use sinew_gpu::{Gpu, GpuCharacter, GpuFade, wgpu};

use super::{bind, hard_controls, largest_difference, one_of_everything};

/// Two roundings of a sum, over coordinates of about a metre.
const SUM_TOLERANCE: f64 = 1e-6;

fn rows(gpu: &Gpu, buffer: &wgpu::Buffer, num_rows: usize) -> Vec<Vec3> {
    let staging = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16 * num_rows as u64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, 16 * num_rows as u64);
    gpu.queue().submit([encoder.finish()]);
    staging.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("it is mapped"));
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).expect("the card answers");
    let bytes = staging.slice(..).get_mapped_range().expect("it is mapped");
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (0..num_rows).map(|row| Vec3::from([0, 4, 8].map(|at| float(16 * row + at)))).collect()
}

pub(super) fn shares(gpu: &Gpu) {
    let character = one_of_everything();
    let rig = Rig::of_model(SpringModel::Anchored);
    let controls = hard_controls(&character);
    let plans = [
        bind(&character, &rig),
        Plan::bind_at(&character, &rig, &controls, &Silent).expect("it binds"),
    ];
    let [before, mut after] = plans.each_ref().map(|plan| {
        let mut on_card = GpuCharacter::new(gpu, plan).expect("it fits");
        on_card.submit(plan, &controls).expect("it fits");
        on_card
    });
    let read = |on_card: &GpuCharacter| {
        on_card.request_read().and_then(|read| read.wait()).expect("the card answers")
    };
    let frames = [&before, &after].map(read);
    let apart = frames[1].apart(&frames[0]).expect("a refit is not a bind");
    let mut fade = GpuFade::between(gpu, &before, &after).expect("it fits");
    drop(before);
    // While it fades the character moves on.
    let mut moved = controls.clone();
    moved.pose.joints[1].twist_radians += 0.2;
    for (controls, share) in [(&controls, 1.0), (&controls, 0.4), (&moved, 0.4), (&moved, 0.0)] {
        after.submit(&plans[1], controls).expect("it fits");
        fade.run(share);
        let expected = read(&after).towards(&apart, share);
        let buffers = fade.buffers(&after);
        for (part, expected) in expected.parts().iter().enumerate() {
            let found = rows(gpu, &buffers[part].positions, expected.points().len());
            let off = largest_difference(&found, expected.points());
            assert!(off < SUM_TOLERANCE, "share {share}, mesh {part}: {off}");
        }
        if share == 1.0 {
            let found = rows(gpu, &buffers[0].positions, frames[0].parts()[0].points().len());
            let off = largest_difference(&found, frames[0].parts()[0].points());
            assert!(off < SUM_TOLERANCE, "all of the shape before: {off}");
        }
    }
    let off = largest_difference(frames[0].parts()[0].points(), frames[1].parts()[0].points());
    assert!(off > 10.0 * SUM_TOLERANCE, "there was something to fade: {off}");
}

pub(super) fn traffic(gpu: &Gpu) {
    // One of its own: others work at the same time.
    let gpu = &Gpu::from_parts(gpu.adapter().clone(), gpu.device().clone(), gpu.queue().clone());
    let character = one_of_everything();
    let plan = bind(&character, &Rig::of_model(SpringModel::Anchored));
    let mut on_card = GpuCharacter::new(gpu, &plan).expect("it fits");
    let points_bytes = 16 * character.num_points() as u64;
    assert!(gpu.traffic().uploaded > points_bytes, "{:?}", gpu.traffic());
    on_card.submit(&plan, &Controls::rest(&character)).expect("it fits");
    let before = gpu.traffic();
    let mut controls = Controls::rest(&character);
    controls.pose.joints[1].twist_radians = 0.4;
    on_card.submit(&plan, &controls).expect("it fits");
    let crossed = gpu.traffic().since(before);
    assert!(crossed.uploaded > 0 && crossed.uploaded < points_bytes / 4, "{crossed:?}");
    assert_eq!(crossed.read_back, 0);
    on_card.read(&mut plan.frame()).expect("the card answers");
    assert!(gpu.traffic().since(before).read_back >= points_bytes);
}
