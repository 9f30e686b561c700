//! The two small solvers against brute force, on general and degenerate places.

use glam::DVec3;

use super::brute::{distance_to_hull, least_change, least_over_supports, objective};
use super::{Random, places};
use crate::weights::drag::fewest::fewest;
use crate::weights::drag::simplex::{minimise, refine};

/// What the drag itself takes.
const KEEP: f64 = 1e-9;
/// Objectives are of order one, and doubled places make the problem 1e9 times flatter one way than
/// another: rounding of sums of 64 products, and a thousandth of that ratio.
const VALUE_TOLERANCE: f64 = 1e-12;
/// The reach of the design: above the true projection, in hulls.
const DISTANCE_TOLERANCE: f64 = 1e-8;
/// Cases for each number of influences.
const NUM_CASES: usize = 100_000;

struct Case {
    places: Vec<DVec3>,
    goal: DVec3,
    start: Vec<f64>,
    gram: Vec<f64>,
    linear: Vec<f64>,
}

fn case(random: &mut Random, n: usize) -> Case {
    let places = places(random, n);
    let start = random.weights(n);
    // Inside, near and far.
    let goal = random.place() * [0.3, 1.0, 10.0][random.below(3)];
    let mut gram = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            gram[i * n + j] = places[i].dot(places[j]) + if i == j { KEEP } else { 0.0 };
        }
    }
    let linear = (0..n).map(|j| places[j].dot(goal) + KEEP * start[j]).collect();
    Case { places, goal, start, gram, linear }
}

fn place(places: &[DVec3], weights: &[f64]) -> DVec3 {
    places.iter().zip(weights).map(|(&place, &weight)| place * weight).sum()
}

/// How far a value can be above the least: the gap to the best corner of the simplex.
fn duality_gap(case: &Case, weights: &[f64]) -> f64 {
    let n = weights.len();
    let slope: Vec<f64> = (0..n)
        .map(|i| (0..n).map(|j| case.gram[i * n + j] * weights[j]).sum::<f64>() - case.linear[i])
        .collect();
    let own: f64 = slope.iter().zip(weights).map(|(slope, weight)| slope * weight).sum();
    own - slope.iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn every_minimum_is_proved_by_its_multipliers_for_every_number_of_influences() {
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16] {
        let mut random = Random(n as u64);
        for number in 0..NUM_CASES {
            let case = case(&mut random, n);
            let mut weights = case.start.clone();
            minimise(&case.gram, &case.linear, &mut weights);
            let sum: f64 = weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-14 && weights.iter().all(|&weight| weight >= 0.0));
            let gap = duality_gap(&case, &weights);
            let size = 1.0 + case.goal.length();
            assert!(gap < VALUE_TOLERANCE * size, "{n} influences, case {number}: gap {gap:e}");
        }
    }
}

#[test]
fn minima_are_those_that_brute_force_over_all_supports_finds() {
    for (n, num_cases) in [
        (2, NUM_CASES),
        (3, NUM_CASES),
        (4, NUM_CASES),
        (5, 50_000),
        (6, 20_000),
        (7, 8_000),
        (8, 4_000),
    ] {
        let mut random = Random(100 + n as u64);
        for number in 0..num_cases {
            let case = case(&mut random, n);
            let mut weights = case.start.clone();
            minimise(&case.gram, &case.linear, &mut weights);
            let found = objective(&case.gram, &case.linear, &weights);
            let least = least_over_supports(&case.gram, &case.linear);
            let size = 1.0 + case.goal.length();
            assert!(
                found - least < VALUE_TOLERANCE * size,
                "{n} influences, case {number}: {found} {least}"
            );
        }
    }
}

#[test]
fn points_come_as_near_as_the_papers_projection() {
    for n in 2..=6 {
        let mut random = Random(200 + n as u64);
        for number in 0..5_000 {
            let case = case(&mut random, n);
            let mut weights = case.start.clone();
            minimise(&case.gram, &case.linear, &mut weights);
            let plain: Vec<f64> = case.places.iter().map(|place| place.dot(case.goal)).collect();
            refine(&case.gram, &plain, KEEP, &mut weights);
            let distance = place(&case.places, &weights).distance(case.goal);
            let least = distance_to_hull(&case.places, case.goal);
            assert!(
                distance - least < DISTANCE_TOLERANCE,
                "{n} influences, case {number}: {distance} {least}"
            );
        }
    }
}

#[test]
fn where_all_joints_agree_weights_stay_as_they_are() {
    let start = [0.5, 0.3, 0.2];
    let mut weights = start;
    let gram = [KEEP, 0.0, 0.0, 0.0, KEEP, 0.0, 0.0, 0.0, KEEP];
    minimise(&gram, &start.map(|weight| KEEP * weight), &mut weights);
    for (weight, start) in weights.iter().zip(start) {
        assert!((weight - start).abs() < 1e-12);
    }
}

#[test]
fn the_fewest_changes_are_those_of_the_best_vertex_of_the_program() {
    for (n, num_cases) in [(2, 5_000), (3, 5_000), (4, 5_000), (5, 3_000), (6, 1_000), (7, 300)] {
        let mut random = Random(300 + n as u64);
        for number in 0..num_cases {
            let case = case(&mut random, n);
            let reached = random.weights(n);
            let rows: Vec<Vec<f64>> =
                (0..3).map(|axis| case.places.iter().map(|p| p[axis]).collect()).collect();
            let mut weights = reached.clone();
            fewest(&rows, &case.start, &mut weights);
            let off = place(&case.places, &weights).distance(place(&case.places, &reached));
            assert!(off < 1e-9, "{n} influences, case {number}: {off:e} off");
            let sum: f64 = weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12 && weights.iter().all(|&weight| weight >= 0.0));
            let change: f64 =
                weights.iter().zip(&case.start).map(|(weight, start)| (weight - start).abs()).sum();
            let least = least_change(&case.places, &case.start, &reached);
            assert!(
                change < least + 1e-6,
                "{n} influences, case {number}: {change} where {least} is possible"
            );
        }
    }
}

#[test]
fn fewer_weights_change_than_by_least_squares() {
    let mut random = Random(7);
    let (mut by_sum, mut by_squares) = (0, 0);
    for _ in 0..1_000 {
        let n = 8;
        let case = case(&mut random, n);
        let mut weights = case.start.clone();
        minimise(&case.gram, &case.linear, &mut weights);
        let changed = |weights: &[f64]| {
            let pairs = weights.iter().zip(&case.start);
            pairs.filter(|(weight, start)| (*weight - *start).abs() > 1e-6).count()
        };
        by_squares += changed(&weights);
        let rows: Vec<Vec<f64>> =
            (0..3).map(|axis| case.places.iter().map(|p| p[axis]).collect()).collect();
        fewest(&rows, &case.start, &mut weights);
        by_sum += changed(&weights);
    }
    assert!(by_sum < by_squares, "{by_sum} {by_squares}");
}
