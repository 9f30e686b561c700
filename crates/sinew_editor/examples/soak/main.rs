//! Random edits with undo, saves, kills, full disks and two studios against the editor, for a given
//! time, with a model of what must be there: `cargo xtask soak --minutes N`.
//!
//! Exit code 1 if an edit was lost without a word or a file broken.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool that ends by panicking, and talks"
)]

#[path = "../../tests/soak/edits.rs"]
mod edits;
#[path = "../../tests/soak/faulty.rs"]
mod faulty;
#[path = "../../tests/soak/model.rs"]
mod model;
#[path = "../../../sinew_io/tests/common/random.rs"]
mod random;

use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let minutes = std::env::args().nth(1).and_then(|text| text.parse::<f64>().ok());
    let seed = std::env::args().nth(2).and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let Some(minutes) = minutes else {
        eprintln!("usage: soak MINUTES [SEED]");
        return ExitCode::from(2);
    };
    let until = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    let mut counts = model::Counts::default();
    let mut life = seed;
    while Instant::now() < until {
        let folder = tempfile::tempdir().unwrap();
        model::World::new(folder.path(), life).live(100, &mut counts);
        life = life.wrapping_add(1);
    }
    println!("{counts}");
    if counts.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
