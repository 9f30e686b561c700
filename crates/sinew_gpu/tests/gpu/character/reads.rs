//! Reads that block and reads that do not, times, and what cannot be.

use sinew::frame::{Controls, Rig};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_gpu::{Gpu, GpuCharacter, GpuError};

use super::agreement::{assert_close, spring_tolerance};
use super::{Both, bind, hard_controls, off, one_of_everything};

pub(super) fn pending(gpu: &Gpu) {
    let character = one_of_everything();
    let plan = bind(&character, &Rig::of_model(SpringModel::Anchored));
    let mut on_card = GpuCharacter::new(gpu, &plan).expect("it fits");
    let controls = hard_controls(&character);
    let mut expected = plan.frame();
    on_card.submit(&plan, &controls).expect("it fits");
    on_card.read(&mut expected).expect("the card answers");

    on_card.submit(&plan, &Controls::rest(&character)).expect("it fits");
    on_card.submit(&plan, &controls).expect("it fits");
    let mut asked = on_card.request_read().expect("the card answers");
    // Submitted before anybody looks: the frame that was asked for is the one before.
    on_card.submit(&plan, &Controls::rest(&character)).expect("it fits");
    let at_rest = on_card.request_read().expect("the card answers");
    let mut num_polls = 0u64;
    while !asked.poll().expect("the card answers") {
        num_polls += 1;
        assert!(num_polls < 10_000_000, "it arrives");
        std::thread::yield_now();
    }
    let found = asked.wait().expect("the card answers");
    assert_eq!(found.all_points(), expected.all_points());
    assert_eq!(found.parts()[1].normals(), expected.parts()[1].normals());
    assert_eq!(found.springs(), expected.springs());
    assert_eq!(found.palette().matrices(), expected.palette().matrices());
    // Never polled, and one that is not waited for: nothing is in the way of the next.
    drop(on_card.request_read().expect("the card answers"));
    assert_ne!(at_rest.wait().expect("the card answers").all_points(), expected.all_points());
    on_card.submit(&plan, &controls).expect("it fits");
    let again = on_card.request_read().and_then(|read| read.wait()).expect("the card answers");
    assert_eq!(again.all_points(), expected.all_points());
}

pub(super) fn unchanged(gpu: &Gpu) {
    let character = one_of_everything();
    let plan = bind(&character, &Rig::of(SkinMethod::Linear));
    let mut both = Both::new(gpu, &plan);
    let mut controls = hard_controls(&character);
    both.run(&plan, &controls);
    // Were it run again, what is written over here would be back.
    gpu.queue().write_buffer(both.on_card.positions(1), 0, &[0; 16]);
    controls.parts[0].shape_weights[0] += 0.1;
    both.on_card.submit(&plan, &controls).expect("it fits");
    let found = both.on_card.request_read().and_then(|read| read.wait()).expect("it answers");
    assert_eq!(found.parts()[1].points()[0], sinew::glam::Vec3::ZERO);
    both.on_card.run(&plan, &controls).expect("the card answers");
    both.on_card.read(&mut both.found).expect("the card answers");
    plan.run(&controls, &mut both.scratch, &mut both.expected);
    let off = off(&both.found, &both.expected);
    assert_close(off, super::agreement::METHOD_TOLERANCE, "all of it run again");
}

pub(super) fn timed(gpu: &Gpu) {
    let character = one_of_everything();
    let plan = bind(&character, &Rig::of(SkinMethod::DualQuat));
    let mut on_card = GpuCharacter::new(gpu, &plan).expect("it fits");
    for _ in 0..2 {
        let times = on_card.run(&plan, &hard_controls(&character)).expect("the card answers");
        assert!(times.dispatch_ms > 0.0);
        assert_eq!(times.compute_ms.is_some(), gpu.has_timestamps());
        assert!(times.compute_ms.is_none_or(|ms| ms > 0.0 && ms < 60_000.0), "{times:?}");
    }
    assert!(on_card.read(&mut plan.frame()).expect("the card answers") > 0.0);
}

pub(super) fn swinging(gpu: &Gpu) {
    let character = one_of_everything();
    let plan = bind(&character, &Rig::of_model(SpringModel::Anchored));
    let mut both = Both::new(gpu, &plan);
    let controls = hard_controls(&character);
    let swinging = Controls { step_seconds: Some(0.02), ..controls.clone() };
    let error = both.on_card.submit(&plan, &swinging).expect_err("time is the CPU's");
    assert!(matches!(error, GpuError::Swings), "{error}");
    assert!(error.to_string().contains("--device cpu"), "{error}");
    let off = both.run(&plan, &controls);
    assert_close(off, spring_tolerance(SpringModel::Anchored), "after a refusal");
    // Without springs time changes nothing.
    let plan = bind(&character, &Rig::of(SkinMethod::Linear));
    assert!(GpuCharacter::new(gpu, &plan).and_then(|mut c| c.submit(&plan, &swinging)).is_ok());
}

pub(super) fn lost(_: &Gpu) {
    // One of its own: the others' must live on.
    let gpu = Gpu::headless().expect("there is a device");
    let character = one_of_everything();
    let plan = bind(&character, &Rig::of(SkinMethod::Linear));
    let mut on_card = GpuCharacter::new(&gpu, &plan).expect("it fits");
    on_card.submit(&plan, &hard_controls(&character)).expect("it fits");
    gpu.device().destroy();
    let asked = on_card.request_read().and_then(|mut read| read.poll().and_then(|_| read.wait()));
    let error = asked.map(drop).expect_err("nobody answers");
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
}
