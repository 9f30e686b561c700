//! Every model on every sample, in deep bends and at rest, large and without triangles.

use glam::{DQuat, DVec3, Vec3};
use sinew::conformance::FixturePose;
use sinew::progress::Silent;
use sinew::sample::SampleKind;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::SkinMethod;
use sinew::springs::tables::SpringTables;
use sinew::springs::{
    Pin, ScaleEdit, SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings, Start,
};
use sinew_gpu::Gpu;

use super::{
    NUM_POINTS, bind, compare, curled, diagonal, largest_difference, on_card, on_cpu, sample,
    tolerance,
};

/// How much bent skin swells, which is up to .4.
const SWELL_TOLERANCE: f32 = 1e-5;

/// At rest there is nothing to do but rounding: a few last digits, over the diagonal.
const REST_TOLERANCE: f64 = 2e-6;

/// Every sample, bent and scaled, from the first stage or from what the CPU's skin gives.
fn check_samples(gpu: &Gpu, settings: &SpringSettings, from_cpu_skin: bool) {
    for kind in SampleKind::SKINS {
        let character = sample(kind, NUM_POINTS);
        let mut settings = settings.clone();
        if (settings.model, kind) == (SpringModel::Paper, SampleKind::Snake) {
            // The explicit step diverges where slivers meet at its ends: fifty make 4.6e-4 of a
            // rounding.
            settings.iterations = 5;
        }
        let rig = bind(&character, &settings);
        for pose in [FixturePose::Bent, FixturePose::Scaled] {
            let palette = Palette::new(&character.skeleton, &pose.of(&character));
            let mut frame = SpringFrame::new(&palette);
            let mut skinned = vec![Vec3::ZERO; rig.num_points()];
            if let (Some(skin), true) = (rig.skin(), from_cpu_skin) {
                skin.deform(&palette, &mut skinned, &mut []);
                frame.start = Start::Previous(&skinned);
            }
            let (difference, [card, cpu]) = compare(gpu, &character, &rig, &frame);
            let case = format!("{:?} {} {pose:?}", settings.model, kind.name());
            assert!(difference <= tolerance(settings.model), "{case}: {difference:.2e}");
            assert_eq!(card.iterations, cpu.iterations, "{case}");
            assert!((card.swell - cpu.swell).abs() <= SWELL_TOLERANCE, "{case}: {card:?} {cpu:?}");
        }
    }
}

pub(super) fn anchored_on_samples(gpu: &Gpu) {
    check_samples(gpu, &SpringSettings::new(SpringModel::Anchored), false);
}

pub(super) fn paper_on_samples(gpu: &Gpu) {
    check_samples(gpu, &SpringSettings::new(SpringModel::Paper), false);
}

pub(super) fn delta_mush_on_samples(gpu: &Gpu) {
    let settings = SpringSettings::new(SpringModel::DeltaMush);
    check_samples(gpu, &settings, false);
    // Fifty rounds shrink a finger's tip to nearly a line, whose frame turns a skin's last digit
    // (1.2e-7) into 1.7e-4 on the human. So often, therefore, from the same skin.
    check_samples(gpu, &SpringSettings { iterations: 50, ..settings }, true);
}

pub(super) fn hard_poses(gpu: &Gpu) {
    let hard = [
        (SampleKind::Cylinder, 135.0, 0.0),
        (SampleKind::Cylinder, 160.0, 90.0),
        (SampleKind::Cylinder, 178.0, 0.0),
        (SampleKind::Cylinder, 0.0, 720.0),
        (SampleKind::Box, 60.0, 0.0),
        (SampleKind::Plus, 60.0, 30.0),
    ];
    for (kind, bend, twist) in hard {
        let character = sample(kind, kind.default_points());
        let rig = bind(&character, &SpringSettings::default());
        let palette = curled(&character, bend, twist);
        let (difference, [card, cpu]) = compare(gpu, &character, &rig, &SpringFrame::new(&palette));
        let case = format!("Anchored {}, {bend}° and {twist}°", kind.name());
        assert!(difference <= tolerance(SpringModel::Anchored), "{case}: {difference:.2e}");
        // Without a bend there is nothing to swell, and the factor of nothing is anything.
        let is_near = (card.swell - cpu.swell).abs() <= SWELL_TOLERANCE;
        let is_bent = cpu.swell.abs() > 5.0 * SWELL_TOLERANCE;
        assert!(bend == 0.0 || is_near && is_bent, "{case}: {card:?} {cpu:?}");
    }
}

pub(super) fn large_mesh(gpu: &Gpu) {
    let character = sample(SampleKind::Giant, 75_000);
    assert!(character.num_points() > 70_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let frame = SpringFrame::new(&palette);
    for model in SpringModel::ALL {
        let rig = bind(&character, &SpringSettings::new(model));
        let (difference, _) = compare(gpu, &character, &rig, &frame);
        assert!(difference <= tolerance(model), "{model:?}: {difference:.2e}");
    }
}

/// After one iteration the start is still what shows.
pub(super) fn coarse_start(gpu: &Gpu) {
    for (kind, bend, twist) in [
        (SampleKind::Cylinder, 100.0, 0.0),
        (SampleKind::Cylinder, 30.0, 200.0),
        (SampleKind::Chibi, 25.0, 20.0),
    ] {
        let character = sample(kind, 6_000);
        let palette = curled(&character, bend, twist);
        let edits = [ScaleEdit::of_length(1_000, 1.4)];
        let pins = [Pin::at(2_000, Vec3::ONE)];
        for iterations in [1, 50] {
            let settings = SpringSettings { iterations, ..SpringSettings::default() };
            let rig = bind(&character, &settings);
            let SpringTables::Anchored(tables) = rig.tables() else { panic!("it is anchored") };
            assert!(tables.coarse.is_some(), "{} is fine enough", kind.name());
            let case = format!("{}, {bend}° and {twist}°, {iterations} iterations", kind.name());
            let plain = SpringFrame::new(&palette);
            let held = SpringFrame { edits: &edits, pins: &pins, ..SpringFrame::new(&palette) };
            for frame in [plain, held] {
                let (difference, _) = compare(gpu, &character, &rig, &frame);
                let most = tolerance(SpringModel::Anchored);
                assert!(difference <= most, "{case}: {difference:.2e}");
            }
            let without = bind(&character, &SpringSettings { coarse_start: false, ..settings });
            let (from_stage, _) = on_card(gpu, &without, &plain);
            let (from_coarse, _) = on_card(gpu, &rig, &plain);
            let moved = largest_difference(&from_stage, &from_coarse) / diagonal(&character);
            assert!(moved > 5.0 * tolerance(SpringModel::Anchored), "{case}: it moves {moved:.2e}");
        }
    }
}

pub(super) fn first_stages(gpu: &Gpu) {
    let character = sample(SampleKind::Arm, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let frame = SpringFrame::new(&palette);
    for model in SpringModel::ALL {
        for first_stage in SkinMethod::ALL {
            // Few, so that the start still shows.
            let settings =
                SpringSettings { first_stage, iterations: 3, ..SpringSettings::new(model) };
            let rig = bind(&character, &settings);
            let (difference, _) = compare(gpu, &character, &rig, &frame);
            assert!(difference <= tolerance(model), "{model:?} {first_stage:?}: {difference:.2e}");
        }
    }
}

pub(super) fn rest_pose(gpu: &Gpu) {
    for kind in [SampleKind::Cylinder, SampleKind::Human, SampleKind::Plus] {
        let character = sample(kind, NUM_POINTS);
        let palette = Palette::new(&character.skeleton, &Pose::rest(&character.skeleton));
        let frame = SpringFrame::new(&palette);
        for model in SpringModel::ALL {
            let settings = SpringSettings { threshold: 0.0, ..SpringSettings::new(model) };
            let (found, _) = on_card(gpu, &bind(&character, &settings), &frame);
            let rest = character.parts[0].mesh.points();
            let difference = largest_difference(&found, rest) / diagonal(&character);
            assert!(difference <= REST_TOLERANCE, "{} {model:?}: {difference:.2e}", kind.name());
        }
    }
}

pub(super) fn loose_points(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let part = &character.parts[0];
    let whole = part.mesh.point_triangles();
    // All triangles at the last points are gone.
    let num_points = part.mesh.points().len() as u32;
    let is_kept = |t: &&[u32; 3]| t.iter().all(|&p| p < num_points - 40);
    let triangles: Vec<[u32; 3]> = whole.iter().filter(is_kept).copied().collect();
    let input = SpringInput { triangles: &triangles, ..SpringInput::of(&character, 0) };
    for model in SpringModel::ALL {
        let rig = SpringRig::bind(&input, &SpringSettings::new(model), &Silent).expect("it binds");
        let (previous, _) = on_cpu(&rig, &SpringFrame::new(&palette));
        for start in [Start::FirstStage, Start::Previous(&previous)] {
            let frame = SpringFrame { start, ..SpringFrame::new(&palette) };
            let (difference, _) = compare(gpu, &character, &rig, &frame);
            assert!(difference <= tolerance(model), "{model:?}: {difference:.2e}");
        }
    }
    // No point at all.
    let none = SpringInput { positions: &[], triangles: &[], weights: None, ..input };
    let rig = SpringRig::bind(&none, &SpringSettings::default(), &Silent).expect("it binds");
    assert_eq!(on_card(gpu, &rig, &SpringFrame::new(&palette)).0, []);
    // Nothing but loose points.
    let input = SpringInput { triangles: &[], ..input };
    for model in SpringModel::ALL {
        let rig = SpringRig::bind(&input, &SpringSettings::new(model), &Silent).expect("it binds");
        let (difference, _) = compare(gpu, &character, &rig, &SpringFrame::new(&palette));
        assert!(difference <= tolerance(model), "{model:?}, no triangle: {difference:.2e}");
    }
}

/// Attachments spread along a bone whose child was moved, along it and aside.
pub(super) fn stretched(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let mut pose = Pose::rest(&character.skeleton);
    for moved in [DVec3::Y, DVec3::new(0.4, -0.5, 0.2)] {
        pose.joints[1].translation = moved;
        pose.joints[1].swing = DQuat::from_rotation_x(0.7);
        let palette = Palette::new(&character.skeleton, &pose);
        for model in SpringModel::ALL {
            let rig = bind(&character, &SpringSettings::new(model));
            let (difference, _) = compare(gpu, &character, &rig, &SpringFrame::new(&palette));
            assert!(difference <= tolerance(model), "{model:?}, {moved}: {difference:.2e}");
        }
    }
}

pub(super) fn unweighted(gpu: &Gpu) {
    let character = sample(SampleKind::Box, 1_000);
    let palette = curled(&character, 40.0, 20.0);
    let input = SpringInput { weights: None, ..SpringInput::of(&character, 0) };
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let rig = SpringRig::bind(&input, &SpringSettings::new(model), &Silent).expect("it binds");
        let (difference, _) = compare(gpu, &character, &rig, &SpringFrame::new(&palette));
        assert!(difference <= tolerance(model), "{model:?}: {difference:.2e}");
    }
}
