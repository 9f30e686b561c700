//! What more threads bring: the same frame on one thread and on all of them, turn by turn in one
//! run.
//!
//! Turn by turn, since a machine that others use too is never the same twice. Below the size where
//! a second thread pays, the library stays on one, and the speed-up is one.

use std::time::{Duration, Instant};

use glam::Vec3;
use serde_json::{Value, json};
use sinew::skin::SkinMethod;

use super::cases::{Fixtures, size_name};
use super::timing::{Timing, summary};
use crate::text::{Table, count, duration_ns};

/// Around the size where the library begins to use the pool, and beyond.
const SIZES: [usize; 6] = [10_000, 50_000, 100_000, 200_000, 400_000, 1_000_000];

const METHODS: [SkinMethod; 2] = [SkinMethod::Linear, SkinMethod::DualQuat];

/// Frames before it is the other's turn.
const FRAMES_A_TURN: usize = 8;

/// One thread against all.
pub(crate) struct Scaling {
    pub(crate) name: String,
    pub(super) size: usize,
    pub(super) alone: Timing,
    pub(super) together: Timing,
}

impl Scaling {
    fn speedup(&self) -> f64 {
        self.alone.best_ns / self.together.best_ns
    }
}

/// The names of all of them, for the filter.
pub(crate) fn names() -> Vec<(String, SkinMethod, usize)> {
    SIZES
        .iter()
        .flat_map(|&size| METHODS.map(|method| (method, size)))
        .map(|(method, size)| {
            (format!("threads {} {}", method.name(), size_name(size)), method, size)
        })
        .collect()
}

/// Times a frame both ways. Called within the pool.
pub(crate) fn measure(
    (name, method, size): (String, SkinMethod, usize),
    fixtures: &mut Fixtures,
    budget: Duration,
) -> Scaling {
    let skin = fixtures.skin(method, size);
    let palette = fixtures.character(size).palette();
    let mut positions = vec![Vec3::ZERO; skin.num_points()];
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    let mut timed = |times: &mut Vec<f64>, frame: &dyn Fn(&mut [Vec3])| {
        for turn in 0..FRAMES_A_TURN {
            let before = Instant::now();
            frame(&mut positions);
            // A turn's first frame finds the data in the other core's cache, and the pool asleep.
            if turn > 0 {
                times.push(before.elapsed().as_nanos() as f64);
            }
        }
        std::hint::black_box(&positions);
    };
    let start = Instant::now();
    while start.elapsed() < 2 * budget || alone.is_empty() {
        timed(&mut alone, &|out| skin.deform_on_one_thread(&palette, out, &mut []));
        timed(&mut together, &|out| skin.deform(&palette, out, &mut []));
    }
    Scaling { name, size: skin.num_points(), alone: summary(alone), together: summary(together) }
}

pub(crate) fn as_text(rows: &[Scaling], num_threads: usize) -> String {
    let together = format!("{num_threads} threads");
    let mut table = Table::new(&["case", "size", "1 thread", &together, "speed-up"]);
    for row in rows {
        table.row([
            row.name.clone(),
            count(row.size),
            duration_ns(row.alone.best_ns),
            duration_ns(row.together.best_ns),
            format!("{:.2}", row.speedup()),
        ]);
    }
    table.to_string()
}

pub(crate) fn as_json(rows: &[Scaling], num_threads: usize) -> Value {
    rows.iter()
        .map(|row| {
            json!({
                "name": row.name,
                "size": row.size,
                "threads": num_threads,
                "one_thread_median_ns": row.alone.median_ns,
                "one_thread_best_ns": row.alone.best_ns,
                "all_threads_median_ns": row.together.median_ns,
                "all_threads_best_ns": row.together.best_ns,
                "speedup": row.speedup(),
            })
        })
        .collect()
}
