//! The fast form against the slow one, invariances, threads, pins.

mod forces;
mod limits;
mod printed;
mod refit;
mod wishes;

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DAffine3, DQuat, DVec3, Vec3};

use super::kernel::{LANES, StateRow};
use super::reference::{PaperReference, PointForces};
use super::*;
use crate::measure::measure;
use crate::sample::SampleKind;
use crate::skin::SkinMethod;
use crate::springs::test_rig::{Posed, Rig, largest_distance};

/// f64 arithmetic against the same in another order.
const EXACT: f64 = 1e-12;

/// A difference quotient of step 1e-5: cube root of the rounding, about, with room.
const DIFFERENCE: f64 = 1e-6;

/// Over the smallest side. 50 steps of f32 on coordinates of up to four sides, whose last bit is
/// 2.4e-7 of one; buckling triples it.
const FAST_AGAINST_SLOW: f64 = 2e-5;

/// What springs.md asks of invariance.
const INVARIANCE: f64 = 1e-5;

fn run(rig: &Rig, posed: &Posed) -> (Vec<Vec3>, SpringStats) {
    run_at(Level::new(), rig, posed)
}

fn run_at(level: Level, rig: &Rig, posed: &Posed) -> (Vec<Vec3>, SpringStats) {
    let springs = PaperSprings::bind_at(level, &rig.input()).unwrap();
    let mut out = rig.positions.clone();
    let stats = springs.deform(&posed.frame(), &mut springs.scratch(), &mut out);
    (out, stats)
}

fn run_reference(rig: &Rig, posed: &Posed) -> (Vec<Vec3>, SpringStats) {
    let mut out = rig.positions.clone();
    let stats = PaperReference::bind(&rig.input()).unwrap().deform(&posed.frame(), &mut out);
    (out, stats)
}

fn reference_forces(rig: &Rig, posed: &Posed, point: usize) -> PointForces {
    let x: Vec<DVec3> = posed.start.iter().map(|p| p.as_dvec3()).collect();
    PaperReference::bind(&rig.input()).unwrap().forces_on(point, &x, &posed.frame())
}

#[test]
fn the_fast_form_relaxes_as_the_slow_one_does() {
    for (kind, bend, twist) in [
        (SampleKind::Cylinder, 60.0, 0.0),
        (SampleKind::Cylinder, 0.0, 90.0),
        (SampleKind::Box, 45.0, 30.0),
    ] {
        let rig = Rig::sample(kind, 1800);
        let posed = rig.turned(bend, twist);
        let (fast, fast_stats) = run(&rig, &posed);
        let (slow, slow_stats) = run_reference(&rig, &posed);
        let error = largest_distance(&fast, &slow) / rig.smallest_side();
        assert!(error < FAST_AGAINST_SLOW, "{kind:?} {bend} {twist}: {error:e}");
        assert_eq!(fast_stats.iterations, slow_stats.iterations);
        assert!((fast_stats.residual - slow_stats.residual).abs() < 1e-3 * slow_stats.residual);
        // The comparison has something to see: the skin did move.
        assert!(largest_distance(&fast, &posed.start) > 0.05);
    }
}

#[test]
fn a_machine_without_wide_registers_does_the_same() {
    // The compile target's own set: SSE2 on x86-64, which has no fused multiply-add.
    let level = Level::baseline();
    let rig = Rig::sample(SampleKind::Cylinder, 1800);
    let posed = rig.turned(60.0, 20.0);
    let error = largest_distance(&run_at(level, &rig, &posed).0, &run_reference(&rig, &posed).0);
    assert!(error / rig.smallest_side() < FAST_AGAINST_SLOW, "{error:e}");
    assert_eq!(run_at(level, &rig, &rig.rest()).0, rig.positions);
}

#[test]
fn one_stiffness_off_by_a_hundredth_is_seen() {
    let rig = Rig::sample(SampleKind::Cylinder, 1800);
    let posed = rig.turned(60.0, 0.0);
    let (slow, _) = run_reference(&rig, &posed);
    let mut springs = PaperSprings::bind(&rig.input()).unwrap();
    // A point at the bend, where the forces are.
    let (point, _) = rig.positions.iter().enumerate().fold((0, f32::MAX), |best, (i, p)| {
        let d = p.distance(Vec3::new(0.0, 2.0, 0.5));
        if d < best.1 { (i, d) } else { best }
    });
    let row = springs.row_of_point[point] as usize;
    let pair = springs.blocks[row / LANES].pairs.start as usize;
    springs.pairs[pair].edge_stiffness[row % LANES] *= 1.01;
    let mut out = rig.positions.clone();
    springs.deform(&posed.frame(), &mut springs.scratch(), &mut out);
    assert!(largest_distance(&out, &slow) / rig.smallest_side() > FAST_AGAINST_SLOW);
}

#[test]
fn the_rest_pose_stays_to_the_last_bit() {
    for kind in [SampleKind::Cylinder, SampleKind::Plus, SampleKind::Human] {
        let rig = Rig::sample(kind, kind.default_points());
        let (out, stats) = run(&rig, &Posed { iterations: 200, ..rig.rest() });
        assert_eq!(out, rig.positions, "{kind:?}");
        assert_eq!(stats.residual, 0.0);
        let palette = {
            let skeleton = &rig.character.as_ref().unwrap().skeleton;
            crate::skeleton::Palette::new(skeleton, &crate::skeleton::Pose::rest(skeleton))
        };
        let posed = Posed { iterations: 200, ..rig.moved(palette.model_from_rest()) };
        let (out, _) = run(&rig, &posed);
        // Forward kinematics is the identity to 1e-16: now and then a coordinate is rounded the
        // other way.
        assert!(largest_distance(&out, &rig.positions) / rig.smallest_side() <= 1e-7, "{kind:?}");
    }
}

#[test]
fn a_rigid_motion_of_everything_moves_the_result_rigidly() {
    let rig = Rig::sample(SampleKind::Cylinder, 1800);
    let posed = rig.turned(80.0, 30.0);
    let (expected, _) = run(&rig, &posed);
    for m in [
        DAffine3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.7, -1.9, 2.6)),
        DAffine3::from_translation(DVec3::new(3.0, -2.0, 5.0)),
    ] {
        let (moved, _) = run(&rig, &posed.then(m));
        let expected: Vec<Vec3> =
            expected.iter().map(|p| m.transform_point3(p.as_dvec3()).as_vec3()).collect();
        let error = largest_distance(&moved, &expected) / rig.smallest_side();
        assert!(error < INVARIANCE, "{error:e}");
    }
}

#[test]
fn a_model_of_another_size_gives_the_same_shape() {
    for size in [1e-12, 1e-4, 3.7, 1e9] {
        let rig = Rig::sample(SampleKind::Cylinder, 400);
        let posed = rig.turned(80.0, 30.0);
        let (expected, _) = run(&rig, &posed);
        let mut scaled = Rig::sample(SampleKind::Cylinder, 400);
        scaled.reshape(|p| p * size);
        let about_origin = |bone: &PosedBone| {
            let m = bone.model_from_rest;
            let model_from_rest = DAffine3::from_mat3_translation(m.matrix3, m.translation * size);
            PosedBone { model_from_rest, ..*bone }
        };
        let scaled_pose = Posed {
            bones: posed.bones.iter().map(about_origin).collect(),
            start: posed.start.iter().map(|p| (p.as_dvec3() * size).as_vec3()).collect(),
            ..posed.clone()
        };
        let (out, _) = run(&scaled, &scaled_pose);
        let back: Vec<Vec3> = out.iter().map(|p| (p.as_dvec3() / size).as_vec3()).collect();
        let error = largest_distance(&back, &expected) / rig.smallest_side();
        assert!(error < INVARIANCE, "{size}: {error:e}");
    }
}

#[test]
fn the_bits_are_the_same_with_any_number_of_threads() {
    let rig = Rig::sample(SampleKind::Cylinder, 16_000);
    assert!(rig.positions.len() >= PARALLEL_POINTS);
    let posed = rig.turned(100.0, 50.0);
    let springs = PaperSprings::bind(&rig.input()).unwrap();
    let mut alone = rig.positions.clone();
    let stats = springs.deform_on_one_thread(&posed.frame(), &mut springs.scratch(), &mut alone);
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = rig.positions.clone();
        let found =
            pool.install(|| springs.deform(&posed.frame(), &mut springs.scratch(), &mut out));
        assert!(out == alone && found == stats, "{threads} threads");
    }
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let posed = rig.turned(60.0, 20.0);
    let (expected, _) = run(&rig, &posed);
    let order: Vec<u32> = (0..rig.positions.len() as u32).rev().collect();
    let springs = PaperSprings::bind(&PaperInput { order: &order, ..rig.input() }).unwrap();
    let mut out = rig.positions.clone();
    springs.deform(&posed.frame(), &mut springs.scratch(), &mut out);
    assert_eq!(out, expected);
}

#[test]
fn scratch_that_was_used_before_gives_the_same() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let springs = PaperSprings::bind(&rig.input()).unwrap();
    let mut scratch = springs.scratch();
    let mut out = rig.positions.clone();
    let pinned =
        Posed { pins: vec![Pin::at(5, Vec3::ONE)], iterations: 7, ..rig.turned(100.0, 0.0) };
    springs.deform(&pinned.frame(), &mut scratch, &mut out);
    let posed = rig.turned(60.0, 20.0);
    springs.deform(&posed.frame(), &mut scratch, &mut out);
    assert_eq!(out, run(&rig, &posed).0);
}

#[test]
fn pins_are_held_exactly_and_pull_their_neighbours() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let held = rig.positions[200] * 1.3 + Vec3::new(0.1, 0.2, 0.3);
    let pins = vec![Pin::at(200, held)];
    let posed = Posed { pins, ..rig.rest() };
    let (out, _) = run(&rig, &posed);
    assert_eq!(out[200], held);
    let neighbour = rig.adjacency.ring(200)[0] as usize;
    assert!(out[neighbour].distance(rig.positions[neighbour]) > 1e-3);
    let (slow, _) = run_reference(&rig, &posed);
    assert!(largest_distance(&out, &slow) / rig.smallest_side() < FAST_AGAINST_SLOW);
}

#[test]
fn the_threshold_ends_it_early_and_no_iterations_give_the_start() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let posed = Posed { threshold: 1e-3, iterations: 1000, ..rig.turned(30.0, 0.0) };
    let (_, stats) = run(&rig, &posed);
    assert!(stats.iterations < 1000 && stats.iterations > 3, "{}", stats.iterations);
    assert!(stats.residual < 1e-3);
    let none = Posed { iterations: 0, ..posed };
    let (out, stats) = run(&rig, &none);
    assert_eq!((out, stats.iterations), (none.start.clone(), 0));
}
