//! How long a closure takes: many runs in a fixed budget, their median and their best.
//!
//! The median is what a user sees; the best is what the code can do when nobody interrupts it, and
//! what two measurements in the same run are compared by.

use std::time::{Duration, Instant};

/// Fewer runs than this say nothing, however long they take.
const MIN_RUNS: usize = 3;

/// Enough for a median; more only fill memory.
const MAX_RUNS: usize = 20_000;

/// Times of many runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timing {
    pub(crate) median_ns: f64,
    pub(crate) best_ns: f64,
    pub(crate) runs: usize,
}

/// Runs once to warm the caches, then again and again until the budget is spent.
pub(crate) fn time(budget: Duration, mut run: impl FnMut()) -> Timing {
    let warm_up = Instant::now();
    run();
    // What takes longer than the whole budget has no cold caches to speak of: one more run would
    // do.
    let min_runs = if warm_up.elapsed() > budget { 1 } else { MIN_RUNS };
    let mut times_ns = Vec::new();
    let start = Instant::now();
    while times_ns.len() < min_runs || (start.elapsed() < budget && times_ns.len() < MAX_RUNS) {
        let before = Instant::now();
        run();
        times_ns.push(before.elapsed().as_nanos() as f64);
    }
    summary(times_ns)
}

pub(super) fn summary(mut times_ns: Vec<f64>) -> Timing {
    times_ns.sort_by(f64::total_cmp);
    let middle = times_ns.len() / 2;
    let median_ns = if times_ns.len() % 2 == 1 {
        times_ns[middle]
    } else {
        0.5 * (times_ns[middle - 1] + times_ns[middle])
    };
    Timing { median_ns, best_ns: times_ns[0], runs: times_ns.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_ignores_an_interrupted_run() {
        let timing = summary(vec![5.0, 900.0, 3.0, 4.0, 6.0]);
        assert_eq!((timing.median_ns, timing.best_ns, timing.runs), (5.0, 3.0, 5));
        assert_eq!(summary(vec![1.0, 3.0]).median_ns, 2.0);
    }

    #[test]
    fn even_without_a_budget_there_are_some_runs() {
        let mut calls = 0;
        let timing = time(Duration::ZERO, || calls += 1);
        assert!(timing.runs >= 1);
        assert_eq!(calls, timing.runs + 1);
    }
}
