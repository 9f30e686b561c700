//! Springs on the card against the CPU's, on every sample.
//!
//! The CPU's own results are held to its f64 references in `sinew`; here it is the reference.

use glam::{DVec3, Vec3};
use sinew::character::Character;
use sinew::conformance::FixturePose;
use sinew::mesh::{Aabb, Adjacency, SurfaceNormals};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Palette, Pose};
use sinew::skin::SkinMethod;
use sinew::springs::tables::SpringTables;
use sinew::springs::{
    Coefficients, Pin, Region, ScaleEdit, SpringFrame, SpringInput, SpringModel, SpringRig,
    SpringSettings, SpringStats, Start, Within,
};
use sinew_gpu::{Gpu, GpuFrame, GpuPalette, GpuSpringFrame, GpuSpringRig, GpuStart};

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("anchored_is_the_cpus_on_every_sample", anchored_on_samples),
    ("paper_is_the_cpus_on_every_sample", paper_on_samples),
    ("delta_mush_is_the_cpus_on_every_sample", delta_mush_on_samples),
    ("deep_bends_and_many_turns_are_the_cpus", hard_poses),
    ("a_mesh_past_65535_points_is_whole", large_mesh),
    ("a_coarse_start_is_the_cpus", coarse_start),
    ("every_first_stage_can_be_the_start", first_stages),
    ("the_rest_pose_stays", rest_pose),
    ("pins_hold_and_their_neighbours_follow", pins),
    ("regions_and_edits_are_the_cpus", regions_and_edits),
    ("the_start_and_the_iterations_change_without_binding", starts),
    ("painted_and_conditional_coefficients_are_the_cpus", coefficients),
    ("a_frame_stops_at_the_threshold_where_the_cpu_does", threshold),
    ("every_run_gives_the_same_bits", same_bits),
    ("one_stiffness_that_is_off_is_caught", negative_control),
    ("a_whole_frame_of_springs_ends_in_normals_and_times", whole_frames),
    ("points_without_neighbours_follow_their_bone", loose_points),
];

/// Fifty iterations on the card against fifty on the CPU, over the diagonal: both are f32 and round in other places (the CPU fuses
/// products and sums), and where a guard just acts or not a rounding is carried on by a spring.
const SPRING_TOLERANCE: f64 = 2e-4;

/// The anchored model where the driver is a program on the CPU, whose rounding is the same everywhere: ten times what is
/// measured there (2.0e-6, on the giant), so that a fault shows long before the tolerance does.
const ANCHORED_SOFTWARE_TOLERANCE: f64 = 2e-5;

/// At rest there is nothing to do but rounding: a few last digits, over the diagonal.
const REST_TOLERANCE: f64 = 2e-6;

/// Unit normals of surfaces that differ by a millionth or so: a triangle's turns by the difference over its height.
const NORMAL_TOLERANCE: f64 = 1e-3;

/// Points of the samples, where they can be had so small.
const NUM_POINTS: usize = 2_500;

fn sample(kind: SampleKind, num_points: usize) -> Character {
    let bounds = kind.point_bounds();
    let points = num_points.clamp(*bounds.start(), *bounds.end());
    build(&SampleOptions { points: Some(points), ..SampleOptions::new(kind) })
        .expect("samples build")
}

fn bind(character: &Character, settings: &SpringSettings) -> SpringRig {
    SpringRig::bind(&SpringInput::of(character, 0), settings, &Silent).expect("it binds")
}

fn diagonal(character: &Character) -> f64 {
    f64::from(Aabb::around(character.parts[0].mesh.points().iter().copied()).diagonal())
}

/// Infinite if any value is not finite, so that NaN can't hide.
fn largest_difference(found: &[Vec3], expected: &[Vec3]) -> f64 {
    assert_eq!(found.len(), expected.len(), "results of one mesh");
    found.iter().zip(expected).fold(0.0, |largest, (found, expected)| {
        let distance = found.as_dvec3().distance(expected.as_dvec3());
        if distance.is_nan() { f64::INFINITY } else { distance.max(largest) }
    })
}

fn on_cpu(rig: &SpringRig, frame: &SpringFrame<'_>) -> (Vec<Vec3>, SpringStats) {
    let mut out = vec![Vec3::ZERO; rig.num_points()];
    let stats = rig.deform(frame, &mut rig.scratch(), &mut out);
    (out, stats)
}

fn on_card(gpu: &Gpu, rig: &SpringRig, frame: &SpringFrame<'_>) -> (Vec<Vec3>, SpringStats) {
    let palette = GpuPalette::new(gpu, frame.palette.len()).expect("it fits");
    let mut card = GpuSpringRig::new(gpu, rig, &palette).expect("it fits");
    palette.upload(frame.palette);
    card.deform(&GpuSpringFrame::from(frame)).expect("it fits");
    (card.read_positions().expect("the card answers"), card.read_stats().expect("the card answers"))
}

/// Both, and the largest difference over the diagonal.
fn compare(
    gpu: &Gpu,
    character: &Character,
    rig: &SpringRig,
    frame: &SpringFrame<'_>,
) -> (f64, [SpringStats; 2]) {
    let (expected, cpu_stats) = on_cpu(rig, frame);
    let (found, gpu_stats) = on_card(gpu, rig, frame);
    let difference = largest_difference(&found, &expected) / diagonal(character);
    (difference, [gpu_stats, cpu_stats])
}

/// Every sample, bent and scaled, from the first stage or from what the CPU's skin gives.
fn check_samples(gpu: &Gpu, settings: &SpringSettings, from_cpu_skin: bool) {
    for kind in SampleKind::ALL {
        let character = sample(kind, NUM_POINTS);
        let rig = bind(&character, settings);
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
            let tolerance = match settings.model {
                SpringModel::Anchored if gpu.is_software() => ANCHORED_SOFTWARE_TOLERANCE,
                _ => SPRING_TOLERANCE,
            };
            assert!(difference <= tolerance, "{case}: {difference:.2e}");
            assert_eq!(card.iterations, cpu.iterations, "{case}");
        }
    }
}

fn anchored_on_samples(gpu: &Gpu) {
    check_samples(gpu, &SpringSettings::new(SpringModel::Anchored), false);
}

fn paper_on_samples(gpu: &Gpu) {
    check_samples(gpu, &SpringSettings::new(SpringModel::Paper), false);
}

fn delta_mush_on_samples(gpu: &Gpu) {
    let settings = SpringSettings::new(SpringModel::DeltaMush);
    check_samples(gpu, &settings, false);
    // Fifty rounds shrink a finger's tip to nearly a line, whose frame turns a skin's last digit (1.2e-7) into 1.7e-4 on the
    // human. So often, therefore, from the same skin.
    check_samples(gpu, &SpringSettings { iterations: 50, ..settings }, true);
}

/// Bends every joint but the first by so much, and twists it.
fn curled(character: &Character, bend_degrees: f64, twist_degrees: f64) -> Palette {
    let mut pose = Pose::rest(&character.skeleton);
    for (pose, joint) in pose.joints.iter_mut().zip(character.skeleton.joints()).skip(1) {
        *pose = pose.rotated(DVec3::X, bend_degrees.to_radians(), joint.bone_axis());
        pose.twist_radians += twist_degrees.to_radians();
    }
    Palette::new(&character.skeleton, &pose)
}

fn hard_poses(gpu: &Gpu) {
    let hard = [
        (SampleKind::Cylinder, 135.0, 0.0),
        (SampleKind::Cylinder, 0.0, 720.0),
        (SampleKind::Box, 60.0, 0.0),
        (SampleKind::Plus, 60.0, 30.0),
    ];
    for (kind, bend, twist) in hard {
        let character = sample(kind, kind.default_points());
        let rig = bind(&character, &SpringSettings::default());
        let palette = curled(&character, bend, twist);
        let (difference, _) = compare(gpu, &character, &rig, &SpringFrame::new(&palette));
        let case = format!("Anchored {}, {bend}° and {twist}°", kind.name());
        assert!(difference <= SPRING_TOLERANCE, "{case}: {difference:.2e}");
    }
}

fn large_mesh(gpu: &Gpu) {
    let character = sample(SampleKind::Giant, 75_000);
    assert!(character.num_points() > 70_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let frame = SpringFrame::new(&palette);
    for model in MODELS {
        let rig = bind(&character, &SpringSettings::new(model));
        let (difference, _) = compare(gpu, &character, &rig, &frame);
        assert!(difference <= SPRING_TOLERANCE, "{model:?}: {difference:.2e}");
    }
}

/// After one iteration the start is still what shows.
fn coarse_start(gpu: &Gpu) {
    for (kind, bend, twist) in [
        (SampleKind::Cylinder, 100.0, 0.0),
        (SampleKind::Cylinder, 30.0, 200.0),
        (SampleKind::Chibi, 25.0, 20.0),
    ] {
        let character = sample(kind, 6_000);
        let palette = curled(&character, bend, twist);
        let edits = [ScaleEdit { point: 1_000, length_factor: 1.4 }];
        let pins = [Pin { point: 2_000, position: Vec3::ONE }];
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
                assert!(difference <= ANCHORED_SOFTWARE_TOLERANCE, "{case}: {difference:.2e}");
            }
            let without = bind(&character, &SpringSettings { coarse_start: false, ..settings });
            let (from_stage, _) = on_card(gpu, &without, &plain);
            let (from_coarse, _) = on_card(gpu, &rig, &plain);
            let moved = largest_difference(&from_stage, &from_coarse) / diagonal(&character);
            assert!(moved > 5.0 * ANCHORED_SOFTWARE_TOLERANCE, "{case}: it moves {moved:.2e}");
        }
    }
}

fn first_stages(gpu: &Gpu) {
    let character = sample(SampleKind::Arm, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let frame = SpringFrame::new(&palette);
    for model in [SpringModel::Anchored, SpringModel::Paper, SpringModel::DeltaMush] {
        for first_stage in SkinMethod::ALL {
            // Few, so that the start still shows.
            let settings =
                SpringSettings { first_stage, iterations: 3, ..SpringSettings::new(model) };
            let rig = bind(&character, &settings);
            let (difference, _) = compare(gpu, &character, &rig, &frame);
            assert!(difference <= SPRING_TOLERANCE, "{model:?} {first_stage:?}: {difference:.2e}");
        }
    }
}

fn rest_pose(gpu: &Gpu) {
    for kind in [SampleKind::Cylinder, SampleKind::Human, SampleKind::Plus] {
        let character = sample(kind, NUM_POINTS);
        let palette = Palette::new(&character.skeleton, &Pose::rest(&character.skeleton));
        let frame = SpringFrame::new(&palette);
        for model in [SpringModel::Anchored, SpringModel::Paper, SpringModel::DeltaMush] {
            let settings = SpringSettings { threshold: 0.0, ..SpringSettings::new(model) };
            let (found, _) = on_card(gpu, &bind(&character, &settings), &frame);
            let rest = character.parts[0].mesh.points();
            let difference = largest_difference(&found, rest) / diagonal(&character);
            assert!(difference <= REST_TOLERANCE, "{} {model:?}: {difference:.2e}", kind.name());
        }
    }
}

const MODELS: [SpringModel; 3] =
    [SpringModel::Anchored, SpringModel::Paper, SpringModel::DeltaMush];

fn pins(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let rest = character.parts[0].mesh.points();
    let pin = |point: u32| Pin { point, position: rest[point as usize] * 1.2 };
    // One of them twice: the last word counts.
    let pins = [Pin { point: 7, position: Vec3::ZERO }, pin(7), pin(300), pin(301)];
    let frame = SpringFrame { pins: &pins, ..SpringFrame::new(&palette) };
    for model in MODELS {
        let rig = bind(&character, &SpringSettings::new(model));
        let (found, _) = on_card(gpu, &rig, &frame);
        for pin in &pins[1..] {
            let off = found[pin.point as usize].distance(pin.position);
            assert!(off <= 1e-6, "{model:?}: point {} is off by {off}", pin.point);
        }
        let (expected, _) = on_cpu(&rig, &frame);
        let difference = largest_difference(&found, &expected) / diagonal(&character);
        assert!(difference <= SPRING_TOLERANCE, "{model:?}: {difference:.2e}");
        let (without, _) = on_card(gpu, &rig, &SpringFrame::new(&palette));
        let ring = Adjacency::of(&character.parts[0].mesh).ring(300).to_vec();
        let has_followed = ring.iter().any(|&p| {
            p != 301 && found[p as usize].distance(without[p as usize]) as f64 > SPRING_TOLERANCE
        });
        assert!(has_followed, "{model:?}: neighbours of a pin move");
    }
}

fn regions_and_edits(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    let region = Region::around(&adjacency, &[300], 5);
    let edit = |point, length_factor| ScaleEdit { point, length_factor };
    // One of them twice: a point has the product.
    let edits = [edit(300, 1.5), edit(300, 1.1), edit(420, 0.7), edit(20, f32::NAN)];
    let pins = [Pin { point: 302, position: character.parts[0].mesh.points()[302] * 1.1 }];
    for model in MODELS {
        let rig = bind(&character, &SpringSettings::new(model));
        let (base, _) = on_cpu(&rig, &SpringFrame::new(&palette));
        for base in [None, Some(&base[..])] {
            let within = Some(Within { region: &region, base });
            for (within, edits, pins) in
                [(None, &edits[..], &[][..]), (within, &[], &[]), (within, &edits, &pins)]
            {
                let frame = SpringFrame { within, edits, pins, ..SpringFrame::new(&palette) };
                let (difference, _) = compare(gpu, &character, &rig, &frame);
                let case = format!("{model:?}, within {}, {edits:?}", within.is_some());
                assert!(difference <= SPRING_TOLERANCE, "{case}: {difference:.2e}");
            }
        }
        // What is held is not only near: it is where it is held.
        let within = Some(Within { region: &region, base: Some(&base) });
        let frame = SpringFrame { within, ..SpringFrame::new(&palette) };
        let (found, _) = on_card(gpu, &rig, &frame);
        let outside = (0..found.len() as u32).filter(|&p| !region.is_free(p));
        for point in outside.map(|p| p as usize) {
            assert_eq!(found[point], base[point], "{model:?}: point {point} is outside");
        }
    }
}

fn starts(gpu: &Gpu) {
    let character = sample(SampleKind::Box, 1_000);
    let bent = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let rest = Palette::new(&character.skeleton, &Pose::rest(&character.skeleton));
    let points = character.parts[0].mesh.points();
    let diagonal = diagonal(&character);
    for model in MODELS {
        let settings = SpringSettings { iterations: 4, ..SpringSettings::new(model) };
        let rig = bind(&character, &settings);
        let palette = GpuPalette::new(gpu, bent.len()).expect("it fits");
        let mut card = GpuSpringRig::new(gpu, &rig, &palette).expect("it fits");
        let frame = SpringFrame { start: Start::Previous(points), ..SpringFrame::new(&bent) };
        let (first, _) = on_cpu(&rig, &frame);
        palette.upload(&bent);
        card.deform(&GpuSpringFrame::from(&frame)).expect("it fits");
        let found = card.read_positions().expect("the card answers");
        let off = largest_difference(&found, &first) / diagonal;
        assert!(off <= SPRING_TOLERANCE, "{model:?} from points: {off:.2e}");

        // The next frame from this one, without reading it back, and with another number of iterations.
        let iterations = (model != SpringModel::DeltaMush).then_some(60);
        let next = match iterations {
            Some(iterations) => rig.clone().with_iterations(iterations).expect("not delta mush"),
            None => rig.clone(),
        };
        let frame = SpringFrame { start: Start::Previous(&first), ..SpringFrame::new(&rest) };
        let (second, cpu) = on_cpu(&next, &frame);
        palette.upload(&rest);
        let start = GpuStart::LastFrame;
        card.deform(&GpuSpringFrame { start, iterations, ..GpuSpringFrame::default() })
            .expect("it fits");
        let found = card.read_positions().expect("the card answers");
        let off = largest_difference(&found, &second) / diagonal;
        assert!(off <= SPRING_TOLERANCE, "{model:?} from the last frame: {off:.2e}");
        assert_eq!(
            card.read_stats().expect("the card answers").iterations,
            cpu.iterations,
            "{model:?}"
        );
    }
}

fn coefficients(gpu: &Gpu) {
    let character = sample(SampleKind::Arm, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let num_points = character.num_points();
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    let pairs = adjacency.edges().iter().step_by(7).map(|edge| (edge.points, 2.5)).collect();
    let coefficients = Coefficients {
        torque: 0.8,
        bone: 1.5,
        edge: 0.6,
        length: 0.9,
        compressed: 0.4,
        across_bones: 0.5,
        of_point: (0..num_points).map(|point| 0.5 + (point % 5) as f32 * 0.2).collect(),
        of_pair: pairs,
    };
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let coefficients = coefficients.clone();
        let settings = SpringSettings { coefficients, ..SpringSettings::new(model) };
        let frame = SpringFrame::new(&palette);
        let (difference, _) = compare(gpu, &character, &bind(&character, &settings), &frame);
        assert!(difference <= SPRING_TOLERANCE, "{model:?}: {difference:.2e}");
    }
}

fn threshold(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = curled(&character, 100.0, 45.0);
    let frame = SpringFrame::new(&palette);
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let mut counts = Vec::new();
        for threshold in [1e-2, 3e-3, 1e-3, 3e-4] {
            let settings =
                SpringSettings { iterations: 200, threshold, ..SpringSettings::new(model) };
            let rig = bind(&character, &settings);
            let (difference, [card, cpu]) = compare(gpu, &character, &rig, &frame);
            let case = format!("{model:?} at {threshold}: {card:?}, {cpu:?}");
            assert_eq!(card.iterations, cpu.iterations, "{case}");
            let off = (card.residual - cpu.residual).abs();
            assert!(off <= 0.01 * cpu.residual, "{case}");
            assert!(difference <= SPRING_TOLERANCE, "{case}: {difference:.2e}");
            counts.push(card.iterations);
        }
        assert!(counts[0] < counts[3] && counts[0] < 200, "{model:?} has stopped: {counts:?}");
    }
}

fn same_bits(gpu: &Gpu) {
    let character = sample(SampleKind::Chibi, NUM_POINTS);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    for model in MODELS {
        let rig = bind(&character, &SpringSettings::new(model));
        let frame = SpringFrame::new(&palette);
        let (first, first_stats) = on_card(gpu, &rig, &frame);
        let on_card_palette = GpuPalette::new(gpu, palette.len()).expect("it fits");
        let mut card = GpuSpringRig::new(gpu, &rig, &on_card_palette).expect("it fits");
        on_card_palette.upload(&palette);
        for run in 0..3 {
            card.deform(&GpuSpringFrame::default()).expect("it fits");
            let again = card.read_positions().expect("the card answers");
            assert!(first == again, "{model:?}: run {run} has other bits");
            assert_eq!(first_stats, card.read_stats().expect("the card answers"), "{model:?}");
        }
    }
}

fn negative_control(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let frame = SpringFrame::new(&palette);
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    // At the bend, where springs work.
    let middle = character.parts[0].mesh.bounds().center();
    let edge = adjacency.edges().iter().min_by(|a, b| {
        let off = |edge: &sinew::mesh::Edge| {
            (character.parts[0].mesh.points()[edge.points[0] as usize].y - middle.y).abs()
        };
        off(a).total_cmp(&off(b))
    });
    let pair = edge.expect("there are edges").points;
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let settings = SpringSettings::new(model);
        let mut perturbed = settings.clone();
        perturbed.coefficients.of_pair = vec![(pair, 10.0)];
        let (expected, _) = on_cpu(&bind(&character, &settings), &frame);
        let (found, _) = on_card(gpu, &bind(&character, &perturbed), &frame);
        let difference = largest_difference(&found, &expected) / diagonal(&character);
        assert!(difference > SPRING_TOLERANCE, "{model:?}: {difference:.2e} goes unnoticed");
    }
}

fn whole_frames(gpu: &Gpu) {
    let character = sample(SampleKind::Arm, 1_000);
    let mesh = &character.parts[0].mesh;
    let surface = SurfaceNormals::bind(mesh, 1.0);
    let pose = FixturePose::Bent.of(&character);
    let palette = Palette::new(&character.skeleton, &pose);
    let rig = bind(&character, &SpringSettings::default());
    let (expected, _) = on_cpu(&rig, &SpringFrame::new(&palette));
    let mut expected_normals = vec![Vec3::ZERO; surface.num_wedges()];
    surface.compute(&expected, &mut expected_normals);
    let mut frame =
        GpuFrame::with_springs(gpu, &character.skeleton, &rig, Some(&surface)).expect("it fits");
    let mut points = vec![Vec3::NAN; frame.num_points()];
    let mut normals = vec![Vec3::NAN; frame.num_normals()];
    for by_pose in [false, true] {
        let times = if by_pose { frame.run_pose(&pose) } else { frame.run(&palette) };
        assert_eq!(times.expect("the card answers").compute_ms.is_some(), gpu.has_timestamps());
        assert!(frame.read(&mut points, &mut normals).expect("the card answers") > 0.0);
        let difference = largest_difference(&points, &expected) / diagonal(&character);
        assert!(difference <= SPRING_TOLERANCE, "by pose {by_pose}: {difference:.2e}");
        let turned = largest_difference(&normals, &expected_normals);
        assert!(turned <= NORMAL_TOLERANCE, "by pose {by_pose}: {turned:.2e}");
    }
    let wishes = GpuSpringFrame { iterations: Some(7), ..GpuSpringFrame::default() };
    frame.springs_mut().expect("there are springs").set_frame(&wishes).expect("it fits");
    frame.submit(&palette);
    assert_eq!(
        frame
            .springs()
            .expect("there are springs")
            .read_stats()
            .expect("the card answers")
            .iterations,
        7
    );
}

fn loose_points(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let part = &character.parts[0];
    let whole = part.mesh.point_triangles();
    // All triangles at the last points are gone.
    let num_points = part.mesh.points().len() as u32;
    let is_kept = |t: &&[u32; 3]| t.iter().all(|&p| p < num_points - 40);
    let triangles: Vec<[u32; 3]> = whole.iter().filter(is_kept).copied().collect();
    let input = SpringInput { triangles: &triangles, ..SpringInput::of(&character, 0) };
    for model in MODELS {
        let rig = SpringRig::bind(&input, &SpringSettings::new(model), &Silent).expect("it binds");
        let (previous, _) = on_cpu(&rig, &SpringFrame::new(&palette));
        for start in [Start::FirstStage, Start::Previous(&previous)] {
            let frame = SpringFrame { start, ..SpringFrame::new(&palette) };
            let (difference, _) = compare(gpu, &character, &rig, &frame);
            assert!(difference <= SPRING_TOLERANCE, "{model:?}: {difference:.2e}");
        }
    }
    // No point at all.
    let none = SpringInput { positions: &[], triangles: &[], weights: None, ..input };
    let rig = SpringRig::bind(&none, &SpringSettings::default(), &Silent).expect("it binds");
    assert_eq!(on_card(gpu, &rig, &SpringFrame::new(&palette)).0, []);
    // Nothing but loose points.
    let input = SpringInput { triangles: &[], ..input };
    for model in MODELS {
        let rig = SpringRig::bind(&input, &SpringSettings::new(model), &Silent).expect("it binds");
        let (difference, _) = compare(gpu, &character, &rig, &SpringFrame::new(&palette));
        assert!(difference <= SPRING_TOLERANCE, "{model:?}, no triangle: {difference:.2e}");
    }
}
