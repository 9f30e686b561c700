//! What a frame or a rig may ask for: pins, regions, edits, starts, coefficients and thresholds.

use glam::Vec3;
use sinew::conformance::FixturePose;
use sinew::mesh::{Adjacency, Edge};
use sinew::sample::SampleKind;
use sinew::skeleton::{Palette, Pose};
use sinew::springs::{
    Coefficients, Hold, PairScale, Pin, Region, ScaleEdit, SpringFrame, SpringModel,
    SpringSettings, Start, Within,
};
use sinew_gpu::{Gpu, GpuPalette, GpuSpringFrame, GpuSpringRig, GpuStart};

use super::{
    bind, compare, curled, diagonal, largest_difference, on_card, on_cpu, sample, tolerance,
    with_forces,
};

pub(super) fn pins(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let rest = character.parts[0].mesh.points();
    let pin = |point: u32| Pin::at(point, rest[point as usize] * 1.2);
    // One of them twice: the last word counts.
    let pins = [Pin::at(7, Vec3::ZERO), pin(7), pin(300), pin(301)];
    let frame = SpringFrame { pins: &pins, ..SpringFrame::new(&palette) };
    for model in SpringModel::ALL {
        let rig = bind(&character, &SpringSettings::new(model));
        let (found, _) = on_card(gpu, &rig, &frame);
        for pin in &pins[1..] {
            let off = found[pin.point as usize].distance(pin.position);
            assert!(off <= 1e-6, "{model:?}: point {} is off by {off}", pin.point);
        }
        let (expected, _) = on_cpu(&rig, &frame);
        let difference = largest_difference(&found, &expected) / diagonal(&character);
        assert!(difference <= tolerance(model), "{model:?}: {difference:.2e}");
        let (without, _) = on_card(gpu, &rig, &SpringFrame::new(&palette));
        let ring = Adjacency::of(&character.parts[0].mesh).ring(300).to_vec();
        let has_followed = ring.iter().any(|&p| {
            p != 301 && found[p as usize].distance(without[p as usize]) as f64 > tolerance(model)
        });
        assert!(has_followed, "{model:?}: neighbours of a pin move");
    }
}

pub(super) fn regions_and_edits(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    let region = Region::around(&adjacency, &[300], 5);
    let edit = |point, length_factor| ScaleEdit::of_length(point, length_factor);
    // One of them twice: a point has the product.
    let edits = [edit(300, 1.5), edit(300, 1.1), edit(420, 0.7), edit(20, f32::NAN)];
    let pins = [Pin::at(302, character.parts[0].mesh.points()[302] * 1.1)];
    for model in SpringModel::ALL {
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
                assert!(difference <= tolerance(model), "{case}: {difference:.2e}");
            }
        }
        let given = SpringFrame { swell: Some(0.3), ..SpringFrame::new(&palette) };
        let (difference, [card, cpu]) = compare(gpu, &character, &rig, &given);
        assert!(difference <= tolerance(model), "{model:?}, a given swell: {difference:.2e}");
        assert_eq!(card.swell, cpu.swell, "{model:?}");
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

/// Soft pins of every kind, handles that are turned, one point that is both, and one pin outside of
/// the region.
pub(super) fn kinematic(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    let region = Region::around(&adjacency, &[300], 5);
    let rest = character.parts[0].mesh.points();
    let soft = |point: u32, length: f32, direction: f32| Pin {
        hold: Hold::Soft { length, direction },
        ..Pin::at(point, rest[point as usize] * 1.15 + Vec3::new(0.02, 0.0, 0.05))
    };
    let pins = [
        soft(300, 10.0, 0.0),
        soft(301, 0.0, 10.0),
        soft(302, 1e9, 5.0),
        soft(20, 1.0, 1.0),
        Pin::at(303, rest[303] * 1.1),
    ];
    let turned = |point, x: f32| ScaleEdit {
        direction: Some(Vec3::new(x, 0.5, 1.0)),
        ..ScaleEdit::of_length(point, 1.2)
    };
    let edits = [turned(420, 2.0), turned(421, -1.0), turned(300, 0.5)];
    for model in SpringModel::ALL {
        let rig = bind(&character, &SpringSettings::new(model));
        let plain = SpringFrame { pins: &pins, edits: &edits, ..SpringFrame::new(&palette) };
        let within = SpringFrame { within: Some(Within { region: &region, base: None }), ..plain };
        let (free, _) = on_cpu(&rig, &SpringFrame::new(&palette));
        let previous = SpringFrame { start: Start::Previous(&free), ..plain };
        for (name, frame) in [("all", plain), ("within", within), ("previous", previous)] {
            let (difference, _) = compare(gpu, &character, &rig, &frame);
            assert!(difference <= tolerance(model), "{model:?}, {name}: {difference:.2e}");
        }
        let (held, _) = on_card(gpu, &rig, &plain);
        assert!(held[300].distance(free[300]) > 0.01, "{model:?}: there is something to see");
    }
}

pub(super) fn starts(gpu: &Gpu) {
    let character = sample(SampleKind::Box, 1_000);
    let bent = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let rest = Palette::new(&character.skeleton, &Pose::rest(&character.skeleton));
    let points = character.parts[0].mesh.points();
    let diagonal = diagonal(&character);
    for model in SpringModel::ALL {
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
        assert!(off <= tolerance(model), "{model:?} from points: {off:.2e}");

        // The next frame from this one, without reading it back, and with another number of
        // iterations.
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
        assert!(off <= tolerance(model), "{model:?} from the last frame: {off:.2e}");
        assert_eq!(
            card.read_stats().expect("the card answers").iterations,
            cpu.iterations,
            "{model:?}"
        );
    }
}

pub(super) fn coefficients(gpu: &Gpu) {
    let character = sample(SampleKind::Arm, 1_000);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    let num_points = character.num_points();
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    let scaled = |edge: &Edge| PairScale { points: edge.points, torque: 2.5, edge: 0.5 };
    let pairs = adjacency.edges().iter().step_by(7).map(scaled).collect();
    let coefficients = Coefficients {
        torque: 0.8,
        bone: 1.5,
        edge: 0.6,
        length: 0.9,
        compressed: 0.4,
        volume: 0.8,
        across_bones: 0.5,
        across_bones_torque: 0.7,
        across_bones_edge: 1.6,
        of_point: (0..num_points).map(|point| 0.5 + (point % 5) as f32 * 0.2).collect(),
        of_pair: pairs,
    };
    for model in with_forces() {
        let coefficients = coefficients.clone();
        let settings = SpringSettings { coefficients, ..SpringSettings::new(model) };
        let frame = SpringFrame::new(&palette);
        let (difference, _) = compare(gpu, &character, &bind(&character, &settings), &frame);
        assert!(difference <= tolerance(model), "{model:?}: {difference:.2e}");
    }
}

pub(super) fn threshold(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = curled(&character, 100.0, 45.0);
    let frame = SpringFrame::new(&palette);
    for model in with_forces() {
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
            assert!(difference <= tolerance(model), "{case}: {difference:.2e}");
            counts.push(card.iterations);
        }
        assert!(counts[0] < counts[3] && counts[0] < 200, "{model:?} has stopped: {counts:?}");
    }
}
