//! The paper's own choice as the linear program that it is, handed to a general solver.

use glam::DVec3;
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem};

use super::{Random, places};
use crate::weights::drag::fewest::fewest;

/// The general solver takes what is off by less than this for right.
const ORACLE_TOLERANCE: f64 = 1e-6;
/// Cases for each number of influences.
const NUM_CASES: usize = 2_000;

/// The least `Σ|w − start|` over all weights that reach the same place; `None` where the general
/// solver gives up, as it does on some degenerate places.
fn least_change(places: &[DVec3], start: &[f64], reached: &[f64]) -> Option<f64> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let more: Vec<_> = start.iter().map(|_| problem.add_var(1.0, (0.0, 1.0))).collect();
    let less: Vec<_> = start.iter().map(|&s| problem.add_var(1.0, (0.0, s))).collect();
    let mut equal = |row: &[f64]| {
        let mut sum = LinearExpr::empty();
        for ((&more, &less), &factor) in more.iter().zip(&less).zip(row) {
            sum.add(more, factor);
            sum.add(less, -factor);
        }
        let change = reached.iter().zip(start).zip(row).map(|((r, s), factor)| (r - s) * factor);
        problem.add_constraint(sum, ComparisonOp::Eq, change.sum());
    };
    for axis in 0..3 {
        equal(&places.iter().map(|place| place[axis]).collect::<Vec<_>>());
    }
    equal(&vec![1.0; start.len()]);
    Some(problem.solve().ok()?.into_solution().ok()?.objective())
}

#[test]
fn the_fewest_changes_are_those_of_a_general_linear_program() {
    for n in [2, 3, 4, 6, 8, 12] {
        let mut random = Random(900 + n as u64);
        let mut num_solved = 0;
        for number in 0..NUM_CASES {
            let places = places(&mut random, n);
            let (start, reached) = (random.weights(n), random.weights(n));
            let Some(least) = least_change(&places, &start, &reached) else { continue };
            num_solved += 1;
            let rows: Vec<Vec<f64>> =
                (0..3).map(|axis| places.iter().map(|place| place[axis]).collect()).collect();
            let mut weights = reached.clone();
            fewest(&rows, &start, &mut weights);
            let change: f64 = weights.iter().zip(&start).map(|(w, s)| (w - s).abs()).sum();
            // The oracle may also be lower: it misses its constraints by as much as it is off.
            let off = change - least;
            assert!(off.abs() < ORACLE_TOLERANCE, "{n} influences, case {number}: {off:e}");
        }
        assert!(num_solved > NUM_CASES * 9 / 10, "{n} influences: only {num_solved} solved");
    }
}
