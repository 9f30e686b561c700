//! The same frame on both devices, whatever the rig, and not the same where the rig is another.

use std::sync::Arc;

use sinew::Character;
use sinew::conformance::{FixturePose, driven_troupe, troupe_pose};
use sinew::frame::{Controls, FrameStart, Normals, Rig};
use sinew::mesh::Adjacency;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Skeleton;
use sinew::skin::SkinMethod;
use sinew::springs::{Pin, Region, ScaleEdit, SpringModel, SpringSettings};
use sinew_gpu::Gpu;

use super::{Both, Off, bind, hard_controls, one_of_everything};

/// Of a method, over the diagonal. Measured on lavapipe: 7.0e-8, of dual quaternions.
pub(super) const METHOD_TOLERANCE: f64 = 3e-7;

/// Of springs, over the diagonal: two to three times what was measured on lavapipe, which is beside
/// each.
pub(super) const fn spring_tolerance(model: SpringModel) -> f64 {
    match model {
        // 4.4e-7, after 120 iterations.
        SpringModel::Anchored => 1e-6,
        // 5.6e-7, with painted stiffness.
        SpringModel::Paper => 1.5e-6,
        // 1.6e-7, from the frame before.
        SpringModel::DeltaMush => 5e-7,
    }
}

/// Of unit normals, over what points may be off by: a triangle's turns by the difference over its
/// height, which is a hundredth of the diagonal and less. Measured: 1.6e-5 of delta mush, 3.2e-5 of
/// anchored springs.
const NORMALS_OVER_POINTS: f64 = 100.0;

/// Of a dressed character's points over the diagonal, and of its unit normals: buttons and straps
/// have small triangles. Measured: 8.5e-7, 3.5e-4.
const DRESSED_TOLERANCES: [f64; 2] = [2e-6, 1e-3];

/// How much bent skin swells, which is up to .4. Measured: 4.8e-6.
const SWELL_TOLERANCE: f64 = 1e-5;

pub(super) fn assert_close(off: Off, tolerance: f64, case: &str) {
    assert!(off.points <= tolerance, "{case}: {off:?}");
    assert!(off.normals <= NORMALS_OVER_POINTS * tolerance, "{case}: {off:?}");
    assert!(off.swell <= SWELL_TOLERANCE, "{case}: {off:?}");
}

/// Drivers run before the palette goes to the card: a helper, a formula and an example are there as
/// on the CPU, from frame to frame.
pub(super) fn driven(gpu: &Gpu) {
    let character = Arc::new(driven_troupe().expect("it is driven"));
    for method in [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::BoneSmooth] {
        let plan = bind(&character, &Rig::of(method));
        let mut both = Both::new(gpu, &plan);
        let mut controls = Controls::posed(&character, troupe_pose(&character));
        assert_close(both.run(&plan, &controls), METHOD_TOLERANCE, method.name());
        let before = both.found.all_points();
        controls.values = vec![1.0];
        assert_close(both.run(&plan, &controls), METHOD_TOLERANCE, method.name());
        assert_ne!(both.found.all_points(), before, "the control drives a shape");
    }
}

/// What a model is tried on. Delta mush shrinks a tetrahedron to a last digit and finds a frame in
/// that, and linear skin that has twisted by more than a whole turn is a line (6e-4 either way):
/// the first is left out, and its pose has no such twist.
pub(super) fn try_on(settings: SpringSettings, character: &Arc<Character>) -> (Rig, Controls) {
    let hard = hard_controls(character);
    match settings.model {
        SpringModel::Anchored | SpringModel::Paper => (Rig::relaxed(settings), hard),
        SpringModel::DeltaMush => {
            let mut rig = Rig::relaxed(settings);
            rig.part_mut(2).relaxes = Some(false);
            (rig, Controls { pose: FixturePose::Scaled.of(character), ..hard })
        }
    }
}

pub(super) fn methods(gpu: &Gpu) {
    let character = one_of_everything();
    for method in SkinMethod::ALL {
        for normals in [Normals::Auto, Normals::RECOMPUTED, Normals::Off] {
            let plan = bind(&character, &Rig::of(method).with_normals(normals));
            let mut both = Both::new(gpu, &plan);
            for controls in [Controls::rest(&character), hard_controls(&character)] {
                let off = both.run(&plan, &controls);
                assert_close(off, METHOD_TOLERANCE, &format!("{method:?}, {normals:?}"));
            }
            let num_normals = both.found.parts()[1].normals().len();
            assert_eq!(num_normals == 0, normals == Normals::Off);
        }
    }
}

pub(super) fn models(gpu: &Gpu) {
    let character = one_of_everything();
    for model in SpringModel::ALL {
        for first_stage in [SkinMethod::BoneSmooth, SkinMethod::CenterOfRotation] {
            let settings = SpringSettings { first_stage, ..SpringSettings::new(model) };
            let (rig, posed) = try_on(settings, &character);
            let plan = bind(&character, &rig);
            let mut both = Both::new(gpu, &plan);
            for controls in [Controls::rest(&character), posed] {
                let off = both.run(&plan, &controls);
                assert_close(off, spring_tolerance(model), &format!("{model:?}, {first_stage:?}"));
            }
            assert!(both.found.springs().is_some_and(|stats| stats.iterations > 0), "{model:?}");
        }
    }
}

pub(super) fn negative_control(gpu: &Gpu) {
    let character = one_of_everything();
    let controls = hard_controls(&character);
    for method in SkinMethod::ALL {
        let plan = bind(&character, &Rig::of(method));
        let mut both = Both::new(gpu, &plan);
        let off = both.run(&plan, &controls);
        let mut other = controls.clone();
        other.parts[0].shape_weights[0] *= 1.01;
        plan.run(&other, &mut both.scratch, &mut both.expected);
        let [found, expected] = [&both.found, &both.expected].map(sinew::frame::Frame::all_points);
        let diagonal = f64::from(both.expected.bounds().diagonal());
        let changed = super::largest_difference(&found, &expected) / diagonal;
        assert!(changed > METHOD_TOLERANCE, "{method:?}: {changed:.2e}, {off:?}");
    }
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let settings = SpringSettings::new(model);
        let plan = bind(&character, &Rig::relaxed(settings.clone()));
        let mut other = settings;
        other.coefficients.bone *= 1.01;
        let other = bind(&character, &Rig::relaxed(other));
        let mut both = Both::new(gpu, &other);
        both.on_card.submit(&other, &controls).expect("it fits");
        both.on_card.read(&mut both.found).expect("the card answers");
        plan.run(&controls, &mut both.scratch, &mut both.expected);
        let [found, expected] = [&both.found, &both.expected].map(sinew::frame::Frame::all_points);
        let diagonal = f64::from(both.expected.bounds().diagonal());
        let changed = super::largest_difference(&found, &expected) / diagonal;
        assert!(changed > spring_tolerance(model), "{model:?}: {changed:.2e} goes unnoticed");
    }
}

/// A character of many shells: ties, plates, riders, and what keeps its side; then what a frame
/// holds of them.
pub(super) fn dressed(gpu: &Gpu) {
    let character =
        Arc::new(build(&SampleOptions::new(SampleKind::Soldier)).expect("samples build"));
    let plan = bind(&character, &Rig::of_model(SpringModel::Anchored));
    let mut controls = Controls::rest(&character);
    for (joint, bend) in
        [("thigh_l", -1.2), ("shin_l", 1.4), ("spine_2", 0.4), ("upper_arm_r", 0.9)]
    {
        let joint = character.skeleton.find(joint).expect("the soldier has it") as usize;
        controls.pose.joints[joint].swing = glam::DQuat::from_rotation_x(bend);
    }
    let mut both = Both::new(gpu, &plan);
    let off = both.run(&plan, &controls);
    let is_close =
        |off: Off| off.points < DRESSED_TOLERANCES[0] && off.normals < DRESSED_TOLERANCES[1];
    assert!(is_close(off), "{off:?}");
    let belt = character.parts.iter().position(|part| part.mesh.name() == "belt").expect("a belt");
    let tunic =
        character.parts.iter().position(|part| part.mesh.name() == "tunic").expect("a tunic");
    for part in [belt, tunic] {
        let place = both.expected.parts()[part].points()[7];
        controls.parts[part].pins = vec![Pin::at(7, place)];
    }
    let off = both.run(&plan, &controls);
    assert!(is_close(off), "pinned: {off:?}");
}

/// No mesh has weights; there is no joint at all.
pub(super) fn bare(gpu: &Gpu) {
    let mut bare = (*one_of_everything()).clone();
    bare.parts.iter_mut().for_each(|part| part.weights = None);
    let bare = Arc::new(bare);
    let mut still = (*bare).clone();
    still.skeleton = Skeleton::default();
    still.clips.clear();
    let still = Arc::new(still);
    for rig in [Rig::default(), Rig::of_model(SpringModel::Anchored)] {
        let plan = bind(&bare, &rig);
        let off = Both::new(gpu, &plan).run(&plan, &hard_controls(&bare));
        assert_close(off, spring_tolerance(SpringModel::Anchored), "without weights");
        let plan = bind(&still, &rig);
        let controls = Controls::rest(&still).with_shapes(&[vec![0.7, -0.4]]);
        let off = Both::new(gpu, &plan).run(&plan, &controls);
        assert_close(off, METHOD_TOLERANCE, "without joints");
    }
}

pub(super) fn wishes(gpu: &Gpu) {
    let options = SampleOptions { points: Some(900), ..SampleOptions::new(SampleKind::Arm) };
    let character = Arc::new(build(&options).expect("samples build"));
    let mesh = &character.parts[0].mesh;
    let region = Region::around(&Adjacency::of(mesh), &[300], 6);
    for model in SpringModel::ALL {
        // Few, so that the start still shows.
        let settings = match model {
            SpringModel::DeltaMush => SpringSettings::new(model),
            _ => SpringSettings { iterations: 6, ..SpringSettings::new(model) },
        };
        let plan = bind(&character, &Rig::relaxed(settings));
        let mut both = Both::new(gpu, &plan);
        let mut controls = Controls::posed(&character, FixturePose::Bent.of(&character));
        let mut step = |controls: &Controls, what: &str| {
            let off = both.run(&plan, controls);
            assert_close(off, spring_tolerance(model), &format!("{model:?}, {what}"));
        };
        step(&controls, "alone");
        controls.parts[0].pins = vec![Pin::at(300, 1.1 * mesh.points()[300])];
        step(&controls, "pinned");
        controls.parts[0].edits = vec![ScaleEdit::of_length(310, 1.4)];
        step(&controls, "edited");
        controls.parts[0].region = Some(region.clone());
        step(&controls, "within a region");
        controls.parts[0].swell = Some(0.2);
        step(&controls, "swollen");
        controls.parts[0] = Controls::rest(&character).parts[0].clone();
        controls.start = FrameStart::Previous;
        step(&controls, "from the frame before");
        step(&controls, "and once more");
        // As far as a drag goes in a frame.
        controls.pose.joints[1].twist_radians += 0.05;
        step(&controls, "in another pose");
        controls.start = FrameStart::FirstStage;
        step(&controls, "and by itself again");
    }
}
