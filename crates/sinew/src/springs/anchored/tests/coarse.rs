//! The coarse level: its mesh, the start it gives against a plain f64 one, and what it must leave
//! alone.

use glam::{DQuat, DVec3, Vec3};

use super::super::coarse::mesh::{CoarseMesh, NO_CELL};
use super::super::coarse::{Coarse, ITERATIONS};
use super::fixture::Fixture;
use super::*;

fn coarse_mesh(fixture: &Fixture) -> CoarseMesh {
    CoarseMesh::new(&fixture.input(), &SlotOrder::new(&fixture.adjacency))
}

fn with_coarse_start(kind: SampleKind, num_points: usize, pose: impl Fn(&mut Pose)) -> Fixture {
    Fixture { has_coarse_start: true, ..Fixture::of_sample(kind, num_points, pose) }
}

/// The seeds as a mesh of their own.
fn of_seeds(fixture: &Fixture, mesh: &CoarseMesh) -> Fixture {
    let at = |list: &[f64]| mesh.seeds.iter().map(|&s| list[s as usize]).collect();
    let rows = |list: &[[f32; 4]]| mesh.seeds.iter().map(|&s| list[s as usize]).collect();
    let rest: Vec<Vec3> = mesh.seeds.iter().map(|&s| fixture.rest[s as usize]).collect();
    Fixture {
        joint_of_point: mesh.seeds.iter().map(|&s| fixture.joint_of_point[s as usize]).collect(),
        attachment_distance: at(&fixture.attachment_distance),
        arm_length: at(&fixture.arm_length),
        stage: Stage {
            target: rows(&fixture.stage.target),
            rotation: rows(&fixture.stage.rotation),
            direction: rows(&fixture.stage.direction),
            attachment: rows(&fixture.stage.attachment),
            contact: rows(&fixture.stage.contact),
        },
        ..Fixture::new(rest, mesh.triangles.clone())
    }
}

/// `x* + Σ w t (x_c − x*_c)`, the coarse iterations in plain f64.
fn plain_start(fixture: &Fixture, plan: &Anchored, coarse: &Coarse) -> Vec<DVec3> {
    let seeds = of_seeds(fixture, &coarse_mesh(fixture));
    let xyz = |row: &[f32; 4]| DVec3::new(row[0].into(), row[1].into(), row[2].into());
    let relaxed = seeds.reference(ITERATIONS);
    let area = |t: u32| {
        let [a, b, c] = seeds.triangles[t as usize].map(|p| seeds.rest[p as usize].as_dvec3());
        0.5 * (b - a).cross(c - a).length()
    };
    let (mut twists, mut edges) = (vec![0.0; seeds.rest.len()], vec![0.0; seeds.rest.len()]);
    for edge in seeds.adjacency.edges() {
        let [i, j] = edge.points.map(|p| p as usize);
        let squared = seeds.rest[i].as_dvec3().distance_squared(seeds.rest[j].as_dvec3());
        let k = (edge.triangles().map(area).sum::<f64>() / squared).min(3.0);
        let twist = f64::from(seeds.stage.target[i][3]) - f64::from(seeds.stage.target[j][3]);
        for end in [i, j] {
            twists[end] += k * twist.powi(2) * seeds.arm_length[i] * seeds.arm_length[j];
            edges[end] += k * squared;
        }
    }
    let way = |&slot: &u32| {
        let seed = coarse.plan.order().point_of_slot()[slot as usize] as usize;
        let share = 0.02 * edges[seed] / (0.02 * edges[seed] + twists[seed]);
        share * (relaxed[seed].as_dvec3() - xyz(&seeds.stage.target[seed]))
    };
    let point = |point: usize| {
        let blend = coarse.blends[plan.order().slot_of_point()[point] as usize];
        let ways = blend.slots.iter().zip(blend.weights).map(|(slot, w)| f64::from(w) * way(slot));
        xyz(&fixture.stage.target[point]) + ways.sum::<DVec3>()
    };
    (0..fixture.rest.len()).map(point).collect()
}

#[test]
fn the_coarse_start_is_the_plain_f64_one() {
    for (name, fixture) in [
        ("bend", with_coarse_start(SampleKind::Cylinder, 5_000, bent(120.0))),
        ("twist", with_coarse_start(SampleKind::Cylinder, 5_000, twisted(150.0))),
        ("box", with_coarse_start(SampleKind::Box, 5_000, curled)),
        ("plus", with_coarse_start(SampleKind::Plus, 12_000, curled)),
    ] {
        let plan = fixture.bind();
        let coarse = plan.coarse.as_ref().unwrap();
        let start = plain_start(&fixture, &plan, coarse);
        for iterations in [1, 50] {
            let fast = fixture.solve(iterations, Start::FirstStage, &[]);
            let plain = fixture.reference_from(&start, iterations);
            let off = fixture.difference(&fast, &plain);
            assert!(off <= REFERENCE_TOLERANCE, "{name}, {iterations}: {off:e}");
            let without = fixture.difference(&fast, &fixture.reference(iterations));
            assert!(without > 10.0 * REFERENCE_TOLERANCE, "{name} starts {without:e} away");
        }
    }
}

#[test]
fn fifty_iterations_end_nearer_to_the_answer() {
    for (kind, num_points) in [(SampleKind::Cylinder, 6_000), (SampleKind::Chibi, 4_000)] {
        let mut fixture = with_coarse_start(kind, num_points, curled);
        let answer = fixture.solve(2_000, Start::FirstStage, &[]);
        let coarse = fixture.difference(&fixture.solve(50, Start::FirstStage, &[]), &answer);
        fixture.has_coarse_start = false;
        let fine = fixture.difference(&fixture.solve(50, Start::FirstStage, &[]), &answer);
        assert!(coarse < 0.7 * fine, "{}: {coarse:e} and {fine:e}", kind.name());
    }
}

#[test]
fn the_answer_is_the_same() {
    let mut fixture = with_coarse_start(SampleKind::Cylinder, 2_600, bent(60.0));
    assert!(fixture.bind().coarse.is_some(), "it is fine enough");
    let from_coarse = fixture.solve(3_000, Start::FirstStage, &[]);
    fixture.has_coarse_start = false;
    let off = fixture.difference(&from_coarse, &fixture.solve(3_000, Start::FirstStage, &[]));
    assert!(off <= START_TOLERANCE, "{off:e}");
}

#[test]
fn no_iterations_are_the_first_stage_and_another_start_is_its_own() {
    let mut fixture = with_coarse_start(SampleKind::Cylinder, 5_000, bent(90.0));
    let first_stage = fixture.solve(0, Start::FirstStage, &[]);
    let targets = fixture.stage.target.iter().map(|t| Vec3::new(t[0], t[1], t[2]));
    assert_eq!(first_stage, targets.collect::<Vec<_>>());
    let from_rest = |fixture: &Fixture| fixture.solve(5, Start::Previous(&fixture.rest), &[]);
    let with = from_rest(&fixture);
    fixture.has_coarse_start = false;
    assert_eq!(with, from_rest(&fixture));
}

#[test]
fn seeds_are_spread_over_a_closed_coarse_tube() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 6_000, |_| {});
    let mesh = coarse_mesh(&fixture);
    let share = mesh.seeds.len() as f64 / fixture.rest.len() as f64;
    assert!((0.05..0.2).contains(&share), "{share}");
    assert!(mesh.cell_of_point.iter().all(|&cell| cell != NO_CELL));
    for (cell, &seed) in mesh.seeds.iter().enumerate() {
        assert_eq!(mesh.cell_of_point[seed as usize], cell as u32);
    }
    let adjacency = Adjacency::of_triangles(mesh.seeds.len(), &mesh.triangles);
    assert!(adjacency.is_closed() && adjacency.misoriented_edges().is_empty());
    // Euler's: a sphere.
    let (points, edges) = (mesh.seeds.len() as i64, adjacency.edges().len() as i64);
    assert_eq!(points - edges + mesh.triangles.len() as i64, 2);
}

#[test]
fn a_body_has_hardly_a_seed_that_nothing_is_joined_to() {
    for kind in [SampleKind::Human, SampleKind::Chibi] {
        let fixture = Fixture::of_sample(kind, 10_000, |_| {});
        let mesh = coarse_mesh(&fixture);
        let adjacency = Adjacency::of_triangles(mesh.seeds.len(), &mesh.triangles);
        let alone = (0..mesh.seeds.len()).filter(|&s| adjacency.ring(s).is_empty()).count();
        assert!(100 * alone <= mesh.seeds.len(), "{}: {alone}", kind.name());
    }
}

#[test]
fn a_mesh_that_is_turned_and_scaled_has_the_same_seeds() {
    let mut fixture = Fixture::of_sample(SampleKind::Plus, 5_600, |_| {});
    let before = coarse_mesh(&fixture);
    let turn = DQuat::from_axis_angle(DVec3::new(0.3, 0.9, -0.2).normalize(), 0.7);
    for p in &mut fixture.rest {
        *p = (turn * p.as_dvec3() * 1.7).as_vec3();
    }
    for distance in &mut fixture.attachment_distance {
        *distance *= 1.7;
    }
    assert_eq!(coarse_mesh(&fixture), before);
}

#[test]
fn a_mesh_that_is_hardly_finer_than_its_bones_has_no_coarse_level() {
    for (num_points, is_coarser) in [(1_200, false), (5_000, true)] {
        let fixture = with_coarse_start(SampleKind::Cylinder, num_points, bent(90.0));
        assert_eq!(fixture.bind().coarse.is_some(), is_coarser, "{num_points}");
    }
    let mut fixture = with_coarse_start(SampleKind::Cylinder, 5_000, bent(90.0));
    fixture.attachment_distance.fill(1e-3);
    assert!(fixture.bind().coarse.is_none());
    let none = Fixture { has_coarse_start: true, ..Fixture::new(Vec::new(), Vec::new()) };
    assert!(none.bind().coarse.is_none());
}

#[test]
fn points_that_are_no_numbers_are_no_seeds_and_stop_no_search() {
    let mut fixture = Fixture::of_sample(SampleKind::Cylinder, 5_000, |_| {});
    for point in [3, 400, 401, 1_200] {
        fixture.rest[point] = Vec3::NAN;
    }
    let mesh = coarse_mesh(&fixture);
    assert!(mesh.seeds.iter().all(|&seed| fixture.rest[seed as usize].is_finite()));
    assert!(mesh.seeds.len() > 20 && !mesh.triangles.is_empty());
}

#[test]
fn a_seed_that_is_a_handle_drags_no_others_along() {
    let fixture = with_coarse_start(SampleKind::Cylinder, 5_000, bent(60.0));
    let plan = fixture.bind();
    let handle = plan.order().point_of_slot()[plan.coarse.as_ref().unwrap().seeds[20] as usize];
    let run = |edits: &[ScaleEdit]| {
        let mut out = vec![Vec3::NAN; fixture.rest.len()];
        let frame = AnchoredFrame {
            start: Start::FirstStage,
            pins: &[],
            iterations: 1,
            threshold: 0.0,
            within: None,
            edits,
            growth: 1.0,
            swell: None,
        };
        let mut stage = fixture.stage_in(plan.order());
        plan.solve(&frame, &mut stage, &mut plan.scratch(), &mut out);
        out
    };
    let (free, edited) = (run(&[]), run(&[ScaleEdit::of_length(handle, 1.5)]));
    let near = fixture.adjacency.ring(handle as usize);
    for point in (0..fixture.rest.len() as u32).filter(|p| *p != handle && !near.contains(p)) {
        assert_eq!(free[point as usize], edited[point as usize], "{point}");
    }
    assert_ne!(free[handle as usize], edited[handle as usize]);
}
