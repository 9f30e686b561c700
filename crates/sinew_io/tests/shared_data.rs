//! Real files, where the machine has them (`../shared/data` beside the project). What they show is a bonus: every
//! required fact is tested on generated files elsewhere.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sinew_io::{Format, read_character};

/// An invalid file must not hold anyone up.
const MAX_READ_TIME: Duration = Duration::from_secs(5);

fn files_under(folder: &str) -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let beside = project.join("../shared/data").join(folder);
    // A worktree lies one folder deeper.
    let above = project.join("../../shared/data").join(folder);
    let mut folders: Vec<PathBuf> =
        [beside, above].into_iter().filter(|f| f.is_dir()).take(1).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if Format::of_path(&path).is_some() {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_real_gltf_loads() {
    for path in files_under("gltf") {
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
    for path in files_under("invalid") {
        let start = Instant::now();
        match read_character(&path) {
            Ok(loaded) => eprintln!("loads {}: {}", path.display(), loaded.report.warnings.len()),
            Err(error) => eprintln!("refused {}: {error}", path.display()),
        }
        assert!(start.elapsed() < MAX_READ_TIME, "{}", path.display());
    }
}
