//! Forces by their formulas, by differences, and by coefficients.

use super::wishes::wished;
use super::*;
use crate::springs::PairScale;

/// Two triangles over a bone along x; points 0 and 2 at a right angle to it.
fn kite() -> Rig {
    let p = Vec3::new;
    Rig::new(
        vec![p(0.0, 1.0, 0.0), p(1.0, 1.0, 0.5), p(2.0, 1.5, 0.0), p(1.0, 1.0, -0.5)],
        vec![[0, 1, 3], [1, 2, 3]],
        &[[DVec3::ZERO, DVec3::X * 3.0]],
    )
}

fn stiffnesses(rig: &Rig) -> Vec<f64> {
    let of = |edge| bind::stiffness_of(edge, &rig.positions, &rig.triangles);
    rig.adjacency.edges().iter().map(of).collect()
}

#[test]
fn the_stiffness_of_an_edge_is_its_area_over_its_length_squared() {
    let rig = kite();
    let k = stiffnesses(&rig);
    // Edges 01, 03, 12, 13, 23; the first triangle has area ½, the second √(¼ + 1)·½.
    let second = (1.25f64).sqrt() * 0.5;
    assert!((k[0] - 0.5 / 1.25).abs() < EXACT, "a boundary edge has one triangle");
    assert!((k[3] - (0.5 + second)).abs() < EXACT, "an inner edge has two");
}

#[test]
fn each_force_is_what_its_formula_says() {
    let rig = kite();
    let mut posed = rig.rest();
    posed.start[0] = Vec3::new(0.5, 2.0, 0.25);
    let forces = reference_forces(&rig, &posed, 0);
    let s = DVec3::new(0.5, 2.0, 0.25);
    // F_l: |s⁰| is 1.
    assert!(forces.length.distance(s * (1.0 / s.length() - 1.0)) < EXACT);
    // F_b: φ⁰ is a right angle, so κ is 1; as long as s times the angle, at a right angle to s,
    // away from the bone.
    let bend = s.angle_between(DVec3::X) - FRAC_PI_2;
    assert!((forces.bone.length() - bend.abs() * s.length()).abs() < EXACT);
    assert!(forces.bone.dot(s).abs() < EXACT && forces.bone.x < 0.0);
    // F_s over the edges to 1 and 3, both of stiffness 0.4 and rest length √1.25.
    let edge: DVec3 = [DVec3::new(1.0, 1.0, 0.5), DVec3::new(1.0, 1.0, -0.5)]
        .iter()
        .map(|x| 0.4 * (1.0 - 1.25f64.sqrt() / x.distance(s)) * (*x - s))
        .sum();
    assert!(forces.edge.distance(edge) < 1e-6, "{} {edge}", forces.edge);
    // F_a likewise; s of 1 and 3 is (0, 1, ±½) at rest and posed.
    let torque: DVec3 = [DVec3::new(0.0, 1.0, 0.5), DVec3::new(0.0, 1.0, -0.5)]
        .iter()
        .map(|t| {
            let turn = s.angle_between(*t) - DVec3::Y.angle_between(*t);
            let towards = s.length_squared() * *t - s.dot(*t) * s;
            0.4 * turn / s.cross(*t).length() * towards
        })
        .sum();
    assert!(forces.torque.distance(torque) < 1e-6, "{} {torque}", forces.torque);
}

#[test]
fn edge_length_and_bone_forces_are_gradients_of_their_springs() {
    let rig = kite();
    let mut posed = rig.rest();
    posed.start[1] += Vec3::new(0.2, -0.1, 0.3);
    let forces = reference_forces(&rig, &posed, 1);
    let k = stiffnesses(&rig);
    let at = |i: usize| posed.start[i].as_dvec3();
    let rest = |a: usize, b: usize| rig.positions[a].distance(rig.positions[b]) as f64;
    let a = rig.attachments[1].place;
    let s0 = rig.positions[1].as_dvec3() - a;
    let edge_energy = |x: DVec3| {
        [(0, k[0]), (2, k[2]), (3, k[3])]
            .iter()
            .map(|&(j, k)| 0.5 * k * (x.distance(at(j)) - rest(1, j)).powi(2))
            .sum::<f64>()
    };
    let length_energy = |x: DVec3| 0.5 * (x.distance(a) - s0.length()).powi(2);
    // κ is 1 here; on the sphere around a, ½(φ−φ⁰)² |s|² has F_b as its gradient.
    let s_length = at(1).distance(a);
    let bone_energy = |x: DVec3| {
        0.5 * ((x - a).angle_between(DVec3::X) - s0.angle_between(DVec3::X)).powi(2)
            * s_length.powi(2)
    };
    let downhill = |energy: &dyn Fn(DVec3) -> f64| {
        let h = 1e-5;
        let slope = |axis: DVec3| (energy(at(1) - axis * h) - energy(at(1) + axis * h)) / (2.0 * h);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
    };
    assert!(forces.edge.distance(downhill(&edge_energy)) < DIFFERENCE);
    assert!(forces.length.distance(downhill(&length_energy)) < DIFFERENCE);
    assert!(forces.bone.distance(downhill(&bone_energy)) < DIFFERENCE);
}

#[test]
fn fast_forces_are_the_slow_ones() {
    let mut rig = Rig::sample(SampleKind::Cylinder, 1800);
    rig.coefficients = Coefficients {
        torque: 1.5,
        bone: 0.5,
        edge: 0.75,
        length: 2.0,
        compressed: 0.25,
        volume: 1.0,
        across_bones: 0.5,
        across_bones_torque: 0.6,
        across_bones_edge: 1.7,
        of_point: (0..rig.positions.len()).map(|i| 0.5 + (i % 7) as f32 * 0.25).collect(),
        of_pair: vec![PairScale {
            points: rig.adjacency.edges()[17].points,
            torque: 4.0,
            edge: 0.5,
        }],
    };
    let posed = wished(&rig, rig.turned(70.0, 40.0));
    let springs = PaperSprings::bind(&rig.input()).unwrap();
    let mut scratch = springs.scratch();
    springs.prepare(&posed.frame(), &mut scratch);
    let start: Vec<Row> = posed.start.iter().map(|&p| to_row(p.into())).collect();
    let mut fast = start.clone();
    springs.forces(&start, &mut scratch, &mut fast);
    let fast: Vec<Vec3> = fast.into_iter().map(|row| from_row(row).into()).collect();
    let reference = PaperReference::bind(&rig.input()).unwrap();
    let x: Vec<DVec3> = posed.start.iter().map(|p| p.as_dvec3()).collect();
    let slow: Vec<Vec3> =
        (0..x.len()).map(|i| reference.forces_on(i, &x, &posed.frame()).sum().as_vec3()).collect();
    let largest = slow.iter().map(|f| f.length()).fold(0.0, f32::max);
    assert!(largest > 0.1, "the pose has forces to compare");
    assert!(largest_distance(&fast, &slow) < FAST_AGAINST_SLOW * f64::from(largest));
}

#[test]
fn the_stiffness_bound_is_one() {
    // Power iteration on D⁻¹K by differences: dynamics rely on an eigenvalue of at most 2.
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let bounds = PaperSprings::bind(&rig.input()).unwrap().stiffness_bounds();
    let reference = PaperReference::bind(&rig.input()).unwrap();
    for (bend, iterations) in [(0.0, 0), (60.0, 50), (120.0, 50)] {
        let mut posed = Posed { iterations, ..rig.turned(bend, 0.0) };
        posed.start = run(&rig, &posed).0;
        let x: Vec<DVec3> = posed.start.iter().map(|p| p.as_dvec3()).collect();
        let forces = |x: &[DVec3]| -> Vec<DVec3> {
            (0..x.len()).map(|i| reference.forces_on(i, x, &posed.frame()).sum()).collect()
        };
        let at_x = forces(&x);
        let wave =
            |i: usize| DVec3::new((i as f64).sin(), (1.3 * i as f64).cos(), (2.1 * i as f64).sin());
        let mut v: Vec<DVec3> = (0..x.len()).map(wave).collect();
        let mut eigenvalue = 0.0;
        for _ in 0..60 {
            let size = v.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
            let h = 1e-6 / size;
            let moved: Vec<DVec3> = x.iter().zip(&v).map(|(x, v)| *x + *v * h).collect();
            let next: Vec<DVec3> = forces(&moved)
                .iter()
                .zip(&at_x)
                .zip(&bounds)
                .map(|((moved, at_x), &d)| (*at_x - *moved) / (h * f64::from(d)))
                .collect();
            eigenvalue = next.iter().map(|v| v.length_squared()).sum::<f64>().sqrt() / size;
            v = next;
        }
        assert!((0.2..2.0).contains(&eigenvalue), "{bend}: {eigenvalue}");
    }
}

#[test]
fn a_compressed_edge_is_softer_and_its_torque_is_not() {
    // The audit: both were scaled; the paper's conditional coefficient is F_s' alone.
    let mut rig = kite();
    let mut posed = rig.rest();
    // Nearer to 1 and 3: both edges are short.
    posed.start[0] = Vec3::new(0.5, 1.0, 0.0);
    let full = reference_forces(&rig, &posed, 0);
    rig.coefficients.compressed = 0.5;
    let soft = reference_forces(&rig, &posed, 0);
    assert!(soft.edge.distance(full.edge * 0.5) < EXACT);
    assert!(soft.torque.distance(full.torque) < EXACT);
    assert!(full.edge.length() > 0.1 && full.torque.length() > 0.01);
}

#[test]
fn a_pair_across_bones_has_a_scale_for_each_force() {
    let mut rig = kite();
    let start = Vec3::new(0.5, 1.0, 0.0);
    let forces = |rig: &Rig| {
        let mut posed = rig.rest();
        posed.start[0] = start;
        reference_forces(rig, &posed, 0)
    };
    let full = forces(&rig);
    rig.coefficients =
        Coefficients { across_bones: 0.25, across_bones_edge: 3.0, ..Coefficients::default() };
    assert_eq!(forces(&rig).edge, full.edge, "all on one bone");
    rig.bones.push(rig.bones[0]);
    rig.attach(0, 1);
    let across = forces(&rig);
    assert!(across.edge.distance(full.edge * 0.75) < EXACT);
    assert!(across.torque.distance(full.torque * 0.25) < EXACT);
    rig.coefficients = Coefficients { across_bones_torque: 0.5, ..Coefficients::default() };
    let across = forces(&rig);
    assert!(across.edge.distance(full.edge) < EXACT);
    assert!(across.torque.distance(full.torque * 0.5) < EXACT);
}

#[test]
fn a_pair_has_a_scale_for_each_force() {
    let mut rig = kite();
    let mut posed = rig.rest();
    posed.start[0] = Vec3::new(0.5, 1.0, 0.0);
    let full = reference_forces(&rig, &posed, 0);
    let scaled = |points, torque, edge| PairScale { points, torque, edge };
    rig.coefficients.of_pair = vec![scaled([1, 0], 2.0, 0.5), scaled([0, 3], 2.0, 0.5)];
    let found = reference_forces(&rig, &posed, 0);
    assert!(found.torque.distance(full.torque * 2.0) < EXACT);
    assert!(found.edge.distance(full.edge * 0.5) < EXACT);
}

#[test]
fn one_paint_everywhere_is_one_scale_of_everything() {
    let mut rig = Rig::sample(SampleKind::Cylinder, 400);
    let posed = rig.turned(50.0, 0.0);
    rig.coefficients.of_point = vec![0.5; rig.positions.len()];
    let (painted, _) = run(&rig, &posed);
    rig.coefficients =
        Coefficients { torque: 0.5, bone: 0.5, edge: 0.5, length: 0.5, ..Coefficients::default() };
    let (scaled, _) = run(&rig, &posed);
    assert!(largest_distance(&painted, &scaled) / rig.smallest_side() < FAST_AGAINST_SLOW);
}
