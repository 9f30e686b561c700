//! Real files are read, or refused quickly.

use std::path::Path;
use std::time::{Duration, Instant};

use sinew_io::read_character;

use crate::Test;
use crate::common::data;

pub(crate) const GLTF: &[Test] = &[("every_real_gltf_loads", every_real_gltf_loads)];

pub(crate) const INVALID: &[Test] =
    &[("no_invalid_file_panics_or_takes_long", no_invalid_file_panics_or_takes_long)];

/// An invalid file must not hold anyone up.
const MAX_READ_TIME: Duration = Duration::from_secs(5);

fn every_real_gltf_loads(folder: &Path) {
    for path in data::readable_files(folder) {
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

fn no_invalid_file_panics_or_takes_long(folder: &Path) {
    for path in data::readable_files(folder) {
        let start = Instant::now();
        match read_character(&path) {
            Ok(loaded) => eprintln!("loads {}: {}", path.display(), loaded.report.warnings.len()),
            Err(error) => eprintln!("refused {}: {error}", path.display()),
        }
        assert!(start.elapsed() < MAX_READ_TIME, "{}", path.display());
    }
}
