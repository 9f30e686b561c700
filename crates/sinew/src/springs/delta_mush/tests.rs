//! Delta mush against its reference, what must hold of it, and what it is known for.

use glam::{DAffine3, DQuat, DVec3, Vec3};

use super::reference::reference_delta_mush;
use super::*;
use crate::measure::measure;
use crate::sample::SampleKind;
use crate::skin::SkinMethod;
use crate::springs::test_rig::{Rig, largest_distance};

/// Over the smallest side: f32 places of up to four sides, averaged fifty times.
const FAST_AGAINST_SLOW: f64 = 3e-6;

/// What springs.md asks of the rest pose.
const REST_DRIFT: f64 = 1e-7;

/// What springs.md asks of invariance.
const INVARIANCE: f64 = 1e-5;

fn input(rig: &Rig) -> DeltaMushInput<'_> {
    DeltaMushInput {
        positions: &rig.positions,
        triangles: &rig.triangles,
        adjacency: &rig.adjacency,
        order: &[],
    }
}

fn run(rig: &Rig, settings: &DeltaMushSettings, skinned: &[Vec3], pins: &[Pin]) -> Vec<Vec3> {
    let bound = DeltaMush::bind(&input(rig), settings);
    let mut out = rig.positions.clone();
    bound.deform(skinned, (pins, None), &mut bound.scratch(), &mut out);
    out
}

fn fifty() -> DeltaMushSettings {
    DeltaMushSettings { iterations: 50, ..DeltaMushSettings::default() }
}

#[test]
fn the_rest_shape_stays() {
    for kind in [SampleKind::Cylinder, SampleKind::Box, SampleKind::Human] {
        for weighting in [Weighting::Uniform, Weighting::Length] {
            let rig = Rig::sample(kind, kind.default_points());
            let settings = DeltaMushSettings { weighting, ..fifty() };
            let out = run(&rig, &settings, &rig.positions, &[]);
            let drift = largest_distance(&out, &rig.positions) / rig.smallest_side();
            assert!(drift <= REST_DRIFT, "{kind:?} {drift:e}");
        }
    }
}

#[test]
fn the_fast_form_does_what_the_slow_one_does() {
    for (weighting, iterations) in
        [(Weighting::Uniform, 10), (Weighting::Uniform, 50), (Weighting::Length, 50)]
    {
        let rig = Rig::sample(SampleKind::Box, 1800);
        let skinned = rig.skinned(SkinMethod::Linear, &rig.palette(70.0, 40.0));
        let settings = DeltaMushSettings { iterations, weighting, factor: 0.5 };
        let fast = run(&rig, &settings, &skinned, &[]);
        let slow = reference_delta_mush(&input(&rig), &settings, &skinned);
        let error = largest_distance(&fast, &slow) / rig.smallest_side();
        assert!(error < FAST_AGAINST_SLOW, "{weighting:?} {iterations}: {error:e}");
        assert!(largest_distance(&fast, &skinned) > 0.01, "there is something to compare");
        // Negative control: one iteration more is seen.
        let more = DeltaMushSettings { iterations: iterations + 1, ..settings };
        let other = reference_delta_mush(&input(&rig), &more, &skinned);
        assert!(largest_distance(&fast, &other) / rig.smallest_side() > FAST_AGAINST_SLOW);
    }
}

#[test]
fn a_rigid_motion_moves_the_rest_shape_rigidly() {
    let rig = Rig::sample(SampleKind::Cylinder, 1800);
    let m = DAffine3::from_rotation_translation(
        DQuat::from_euler(glam::EulerRot::XYZ, 0.7, -1.9, 2.6),
        DVec3::new(3.0, -2.0, 5.0),
    );
    let moved: Vec<Vec3> =
        rig.positions.iter().map(|p| m.transform_point3(p.as_dvec3()).as_vec3()).collect();
    let out = run(&rig, &fifty(), &moved, &[]);
    assert!(largest_distance(&out, &moved) / rig.smallest_side() < INVARIANCE);
}

#[test]
fn no_iterations_give_the_skin_itself() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let skinned = rig.skinned(SkinMethod::Linear, &rig.palette(70.0, 40.0));
    let settings = DeltaMushSettings { iterations: 0, ..DeltaMushSettings::default() };
    assert_eq!(run(&rig, &settings, &skinned, &[]), skinned);
}

#[test]
fn a_bend_is_smoother_than_rigid_and_linear_skin_and_holds_less() {
    // springs.md, cylinder 90°: linear's stretch of 1.46 becomes 1.26, its volume of .909 becomes
    // .899.
    let rig = Rig::sample(SampleKind::Cylinder, 1800);
    let palette = rig.palette(90.0, 0.0);
    let figures = |shape: &[Vec3]| {
        let figures = measure(&rig.positions, shape, &rig.triangles);
        (figures.max_stretch.unwrap(), figures.volume_ratio.unwrap())
    };
    for method in [SkinMethod::Rigid, SkinMethod::Linear] {
        let skinned = rig.skinned(method, &palette);
        let (before, after) = (figures(&skinned), figures(&run(&rig, &fifty(), &skinned, &[])));
        assert!(after.0 < before.0 * 0.95, "{method:?}: {before:?} {after:?}");
        assert!(after.1 < 1.0, "{method:?}: {before:?} {after:?}");
    }
}

#[test]
fn the_bits_are_the_same_with_any_number_of_threads_and_in_any_order() {
    let rig = Rig::sample(SampleKind::Cylinder, 70_000);
    assert!(rig.positions.len() >= PARALLEL_POINTS);
    let skinned = rig.skinned(SkinMethod::Linear, &rig.palette(70.0, 40.0));
    let settings = DeltaMushSettings::default();
    let bound = DeltaMush::bind(&input(&rig), &settings);
    let mut alone = rig.positions.clone();
    bound.deform_on_one_thread(&skinned, (&[], None), &mut bound.scratch(), &mut alone);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = rig.positions.clone();
        pool.install(|| bound.deform(&skinned, (&[], None), &mut bound.scratch(), &mut out));
        assert!(out == alone, "{threads} threads");
    }
    let order: Vec<u32> = (0..rig.positions.len() as u32).rev().collect();
    let bound = DeltaMush::bind(&DeltaMushInput { order: &order, ..input(&rig) }, &settings);
    let mut out = rig.positions.clone();
    bound.deform(&skinned, (&[], None), &mut bound.scratch(), &mut out);
    assert!(out == alone, "reversed");
}

#[test]
fn pins_are_held_exactly_and_pull_their_neighbours() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let skinned = rig.skinned(SkinMethod::Linear, &rig.palette(70.0, 40.0));
    let settings = DeltaMushSettings::default();
    let free = run(&rig, &settings, &skinned, &[]);
    let at = |position: Vec3| [Pin::at(200, position)];
    let still = run(&rig, &settings, &skinned, &at(skinned[200]));
    assert_eq!(still[200], skinned[200]);
    assert!((0..free.len()).all(|i| i == 200 || still[i] == free[i]));
    let held = skinned[200] + Vec3::X;
    let pulled = run(&rig, &settings, &skinned, &at(held));
    assert_eq!(pulled[200], held);
    let neighbour = rig.adjacency.ring(200)[0] as usize;
    assert!(pulled[neighbour].x > free[neighbour].x + 1e-3);
}

#[test]
fn degenerate_input_stays_finite() {
    let p = Vec3::new;
    let positions = vec![
        p(0.0, 0.0, 0.0),
        p(0.0, 0.0, 0.0),
        p(1.0, 0.0, 0.0),
        p(2.0, 0.0, 0.0),
        p(9.0, 9.0, 9.0),
        p(0.0, 1.0, 0.0),
    ];
    // No area, a collapsed one, a line, and one good triangle; point 4 has no neighbours.
    let triangles = vec![[0, 1, 2], [2, 2, 3], [0, 2, 3], [0, 2, 5]];
    let rig = Rig::new(positions, triangles, &[[DVec3::ZERO, DVec3::X]]);
    for weighting in [Weighting::Uniform, Weighting::Length] {
        let settings = DeltaMushSettings { weighting, ..fifty() };
        let out = run(&rig, &settings, &rig.positions, &[]);
        assert!(largest_distance(&out, &rig.positions) < 1e-5, "{out:?}");
        let collapsed = vec![Vec3::ONE; rig.positions.len()];
        assert!(run(&rig, &settings, &collapsed, &[]).iter().all(|p| p.is_finite()));
        let huge: Vec<Vec3> = rig.positions.iter().map(|p| *p * 1e30).collect();
        assert!(run(&rig, &settings, &huge, &[]).iter().all(|p| p.is_finite()));
    }
    let none = Rig::new(Vec::new(), Vec::new(), &[[DVec3::ZERO, DVec3::X]]);
    assert!(run(&none, &fifty(), &[], &[]).is_empty());
}

#[test]
fn a_refit_is_what_binding_to_that_rest_gives() {
    let rig = Rig::sample(SampleKind::Box, 1800);
    let mut other = Rig::sample(SampleKind::Box, 1800);
    other.reshape(|p| DVec3::new(1.3 * p.x + 0.1 * p.y, 0.8 * p.y, p.z + 0.2 * p.x * p.x));
    for weighting in [Weighting::Uniform, Weighting::Length] {
        let settings = DeltaMushSettings { weighting, ..fifty() };
        let bound = DeltaMush::bind(&input(&rig), &settings);
        let mut fitted = bound.clone();
        fitted.refit(&other.positions);
        let expected = DeltaMush::bind(&input(&other), &settings).tables();
        assert!(fitted.tables() == expected && expected != bound.tables(), "{weighting:?}");
        fitted.refit(&rig.positions);
        assert_eq!(fitted.tables(), bound.tables(), "{weighting:?}");
    }
}

#[test]
fn other_iterations_are_what_binding_with_them_gives() {
    let rig = Rig::sample(SampleKind::Box, 1800);
    let mut bound = DeltaMush::bind(&input(&rig), &DeltaMushSettings::default());
    bound.set_iterations(50);
    assert_eq!(bound.tables(), DeltaMush::bind(&input(&rig), &fifty()).tables());
}

#[test]
fn a_soft_pin_pulls_and_is_smoothed_with_the_rest() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let settings = DeltaMushSettings::default();
    let hold = crate::springs::Hold::Soft { length: 1.0, direction: 1.0 };
    let pin = Pin { hold, ..Pin::at(200, rig.positions[200] + Vec3::X) };
    let out = run(&rig, &settings, &rig.positions, &[pin]);
    assert!(out[200].x > rig.positions[200].x + 0.01 && out[200].x < pin.position.x - 0.01);
}
