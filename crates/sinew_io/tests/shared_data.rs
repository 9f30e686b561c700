//! Real files, where the machine has them (`../shared/data` beside the project). What they show is a bonus: every
//! required fact is tested on generated files elsewhere.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;

use std::time::{Duration, Instant};

use sinew_io::read_character;

/// An invalid file must not hold anyone up.
const MAX_READ_TIME: Duration = Duration::from_secs(5);

#[test]
fn every_real_gltf_loads() {
    for path in common::real_files("gltf") {
        let loaded =
            read_character(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let character = &loaded.character;
        eprintln!(
            "{}: {} parts, {} points, {} joints, {} clips; {:?}",
            path.display(),
            character.parts.len(),
            character.num_points(),
            character.skeleton.len(),
            character.clips.len(),
            loaded.report.warnings.iter().map(|w| (w.code, w.count)).collect::<Vec<_>>()
        );
    }
}

#[test]
fn no_invalid_file_panics_or_takes_long() {
    for path in common::real_files("invalid") {
        let start = Instant::now();
        match read_character(&path) {
            Ok(loaded) => eprintln!("loads {}: {}", path.display(), loaded.report.warnings.len()),
            Err(error) => eprintln!("refused {}: {error}", path.display()),
        }
        assert!(start.elapsed() < MAX_READ_TIME, "{}", path.display());
    }
}
