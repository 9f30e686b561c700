//! The fast path against a plain f64 one, and what must hold whatever the input.

use glam::{DQuat, Vec3};

use self::fixture::Fixture;
use super::*;
use crate::sample::SampleKind;
use crate::skeleton::Pose;
use crate::springs::PairScale;
use crate::springs::SpringStats;
use crate::springs::stage::Stage;

mod coarse;
mod fixture;
mod volume;

/// Fast against plain after fifty iterations, over the smallest side: f32 rounding of positions,
/// which the iterations do not amplify (1.2e-6 was the most measured; the model's own limit is
/// 2e-4).
const REFERENCE_TOLERANCE: f64 = 1e-5;

/// How far the rest pose may move, over the smallest side.
const REST_TOLERANCE: f64 = 1e-7;

/// From first stage and rest, the worst of starts, to one shape, over the smallest side, after
/// enough iterations. It is rounding: in f64 they end 4e-9 apart.
const START_TOLERANCE: f64 = 2e-5;

/// What spoils an input, and its name.
type Degradation = (&'static str, fn(&mut Fixture));

fn bent(degrees: f64) -> impl Fn(&mut Pose) {
    move |pose| pose.joints[1].swing = DQuat::from_rotation_z(degrees.to_radians())
}

fn twisted(degrees: f64) -> impl Fn(&mut Pose) {
    move |pose| pose.joints[1].twist_radians = degrees.to_radians()
}

/// Every joint bent a little.
fn curled(pose: &mut Pose) {
    for joint in &mut pose.joints {
        joint.swing = DQuat::from_rotation_x(0.5);
        joint.twist_radians = 0.3;
    }
}

#[test]
fn fifty_iterations_end_where_the_plain_f64_ones_do() {
    for (name, fixture) in [
        ("bend", Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(120.0))),
        ("twist", Fixture::of_sample(SampleKind::Cylinder, 1_800, twisted(150.0))),
        ("box", Fixture::of_sample(SampleKind::Box, 1_800, curled)),
        ("plus", Fixture::of_sample(SampleKind::Plus, 5_600, curled)),
    ] {
        let fast = fixture.solve(50, Start::FirstStage, &[]);
        let plain = fixture.reference(50);
        let off = fixture.difference(&fast, &plain);
        let moved = fixture.difference(&fast, &fixture.reference(0));
        assert!(moved > 100.0 * REFERENCE_TOLERANCE, "{name}: springs moved only {moved:e}");
        assert!(off <= REFERENCE_TOLERANCE, "{name}: {off:e} of {moved:e}");
    }
}

#[test]
fn every_coefficient_does_what_the_plain_one_does() {
    let mut fixture = Fixture::of_sample(SampleKind::Cylinder, 1_000, bent(110.0));
    let neutral = fixture.solve(50, Start::FirstStage, &[]);
    let set: [fn(&mut Coefficients); 7] = [
        |c| c.torque = 0.3,
        |c| c.bone = 3.0,
        |c| c.edge = 0.0,
        |c| c.length = 0.1,
        |c| c.compressed = 0.0,
        |c| c.across_bones = 0.1,
        |c| c.of_point = (0..2_000).map(|i| 0.2 + (i % 5) as f32).collect(),
    ];
    for (which, set) in set.into_iter().enumerate() {
        fixture.coefficients = Coefficients::default();
        set(&mut fixture.coefficients);
        fixture.coefficients.of_point.truncate(fixture.rest.len());
        let fast = fixture.solve(50, Start::FirstStage, &[]);
        let off = fixture.difference(&fast, &fixture.reference(50));
        assert!(off <= REFERENCE_TOLERANCE, "coefficient {which}: {off:e}");
        let changed = fixture.difference(&fast, &neutral);
        assert!(changed > 10.0 * REFERENCE_TOLERANCE, "coefficient {which} changed {changed:e}");
    }
}

#[test]
fn the_rest_pose_stays_where_it_is() {
    for kind in [SampleKind::Cylinder, SampleKind::Plus, SampleKind::Chibi] {
        let mut fixture = Fixture::of_sample(kind, 4_000, |_| {});
        // The stage of a perfect first stage: this is the springs' own drift.
        for (target, p) in fixture.stage.target.iter_mut().zip(&fixture.rest) {
            *target = [p.x, p.y, p.z, 0.0];
        }
        for has_coarse_start in [false, true] {
            fixture.has_coarse_start = has_coarse_start;
            let posed = fixture.solve(50, Start::FirstStage, &[]);
            let drift = fixture.difference(&posed, &fixture.rest);
            assert!(drift <= REST_TOLERANCE, "{}: {drift:e}", kind.name());
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut fixture = Fixture::of_sample(SampleKind::Cylinder, 20_000, bent(100.0));
    fixture.has_coarse_start = true;
    let plan = fixture.bind();
    assert!(plan.coarse.is_some(), "it is fine enough");
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let pins = [Pin::at(10_000, Vec3::ONE)];
        pool.install(|| fixture.solve_with(&plan, 20, Start::FirstStage, &pins))
    };
    let one = with(1);
    assert_eq!(plan.reach.domains(3, plan.order.num_slots()).len(), 3, "threads take part");
    for threads in [2, 3, 5] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

#[test]
fn waves_of_any_length_give_the_same_bits() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 20_000, bent(100.0));
    let mut plan = fixture.bind();
    assert!(plan.reach.wave > 1, "waves take part");
    Arc::make_mut(&mut plan.reach).wave = 1;
    let one_by_one = fixture.solve_with(&plan, 20, Start::FirstStage, &[]);
    for wave in [2, 3, 6] {
        Arc::make_mut(&mut plan.reach).wave = wave;
        assert!(fixture.solve_with(&plan, 20, Start::FirstStage, &[]) == one_by_one, "{wave}");
    }
}

#[test]
fn every_instruction_set_gives_the_same_shape() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(120.0));
    let mut plan = fixture.bind();
    let (fast, _) = fixture.solve_with(&plan, 50, Start::FirstStage, &[]);
    plan.level = Level::baseline();
    let (baseline, _) = fixture.solve_with(&plan, 50, Start::FirstStage, &[]);
    let off = fixture.difference(&fast, &baseline);
    assert!(off <= REFERENCE_TOLERANCE, "{off:e}");
}

#[test]
fn the_start_does_not_matter() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(60.0));
    let enough = 3_000;
    let from_stage = fixture.solve(enough, Start::FirstStage, &[]);
    let from_rest = fixture.solve(enough, Start::Previous(&fixture.rest), &[]);
    let off = fixture.difference(&from_stage, &from_rest);
    assert!(off <= START_TOLERANCE, "{off:e}");
}

#[test]
fn pins_are_held_to_the_bit_and_pull_their_neighbours() {
    let mut fixture = Fixture::of_sample(SampleKind::Cylinder, 4_000, bent(40.0));
    fixture.has_coarse_start = true;
    assert!(fixture.bind().coarse.is_some(), "it is fine enough");
    let free = fixture.solve(50, Start::FirstStage, &[]);
    let pins: Vec<Pin> = (700..720)
        .map(|point| Pin::at(point, free[point as usize] + Vec3::new(0.05, 0.1, -0.02)))
        .collect();
    let held = fixture.solve(50, Start::FirstStage, &pins);
    for pin in &pins {
        assert_eq!(held[pin.point as usize], pin.position);
    }
    let neighbour = fixture.adjacency.ring(710).iter().find(|p| !(700..720).contains(*p)).unwrap();
    assert!(held[*neighbour as usize].distance(free[*neighbour as usize]) > 0.01);
}

#[test]
fn a_point_without_neighbours_keeps_its_target() {
    let mut rest = vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(3.0, 1.0, 2.0)];
    rest.extend((0..20).map(|i| Vec3::splat(i as f32)));
    let mut fixture = Fixture::new(rest, vec![[0, 1, 2]]);
    fixture.stage.target[3] = [5.0, 6.0, 7.0, 0.5];
    for start in [Start::FirstStage, Start::Previous(&fixture.rest)] {
        assert_eq!(fixture.solve(50, start, &[])[3], Vec3::new(5.0, 6.0, 7.0));
    }
}

#[test]
fn degenerate_input_stays_finite() {
    let sample = Fixture::of_sample(SampleKind::Cylinder, 3_000, bent(90.0));
    let degrade: [Degradation; 8] = [
        ("all points in one place", |f| f.rest.fill(Vec3::ONE)),
        ("a duplicate point", |f| f.rest[500] = f.rest[f.adjacency.ring(500)[0] as usize]),
        ("slivers", |f| {
            for p in &mut f.rest {
                p.y *= 1e-6;
            }
        }),
        ("no distance to the bone", |f| {
            f.attachment_distance.fill(0.0);
            f.arm_length.fill(0.0);
            f.stage.direction.fill([0.0; 4]);
            for (a, t) in f.stage.attachment.iter_mut().zip(&f.stage.target) {
                *a = [t[0], t[1], t[2], 0.0];
            }
        }),
        ("opposite rotations", |f| {
            for (i, q) in f.stage.rotation.iter_mut().enumerate() {
                *q = if i % 2 == 0 { [0.0, 0.0, 0.0, 1.0] } else { [0.0, 0.0, 0.0, -1.0] };
            }
        }),
        ("targets in one place", |f| f.stage.target.fill([0.0; 4])),
        ("a mesh of a micrometre", |f| {
            for p in &mut f.rest {
                *p *= 1e-6;
            }
        }),
        ("no forces at all", |f| {
            f.coefficients.torque = 0.0;
            f.coefficients.bone = 0.0;
            f.coefficients.edge = 0.0;
            f.coefficients.length = 0.0;
            f.coefficients.compressed = 0.0;
        }),
    ];
    for (name, degrade) in degrade {
        let mut fixture = Fixture {
            stage: sample.stage.clone(),
            ..Fixture::new(sample.rest.clone(), sample.triangles.clone())
        };
        degrade(&mut fixture);
        for has_coarse_start in [false, true] {
            fixture.has_coarse_start = has_coarse_start;
            let out = fixture.solve(50, Start::FirstStage, &[]);
            assert!(out.iter().all(|p| p.is_finite()), "{name}, coarse start {has_coarse_start}");
        }
    }
}

#[test]
fn a_threshold_ends_the_iterations() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(60.0));
    let plan = fixture.bind();
    let mut stage = fixture.stage_in(plan.order());
    let mut out = vec![Vec3::ZERO; fixture.rest.len()];
    let frame = AnchoredFrame {
        start: Start::FirstStage,
        pins: &[],
        iterations: 5_000,
        threshold: 1e-4,
        within: None,
        edits: &[],
        growth: 1.0,
        swell: None,
    };
    let stats = plan.solve(&frame, &mut stage, &mut plan.scratch(), &mut out);
    assert!(stats.iterations < 1_000 && stats.residual < 1e-4, "{stats:?}");
}

#[test]
fn a_coefficient_for_a_pair_that_is_no_edge_is_an_error() {
    let mut fixture = Fixture::new(vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE], vec![[0, 1, 2]]);
    fixture.coefficients.of_pair = vec![PairScale::both([2, 0], 2.0)];
    assert!(fixture.try_bind().is_ok());
    fixture.coefficients.of_pair.push(PairScale::both([1, 3], 2.0));
    assert_eq!(fixture.try_bind().unwrap_err(), CoefficientError::NoEdge { a: 1, b: 3 });
    fixture.coefficients = Coefficients { of_point: vec![1.0; 3], ..Coefficients::default() };
    let error = fixture.try_bind().unwrap_err();
    assert_eq!(error, CoefficientError::PointCount { expected: 4, found: 3 });
}
