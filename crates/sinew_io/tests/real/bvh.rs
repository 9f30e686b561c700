//! Real motion files: each is read, and comes back from our own writer.

use std::path::Path;

use sinew::Character;
use sinew::glam::DVec3;
use sinew_io::{Format, WriteOptions, read_character, read_character_from_bytes, write_character};

use crate::Test;
use crate::common::data;

pub(crate) const TESTS: &[Test] =
    &[("every_motion_goes_out_and_in_again", every_motion_goes_out_and_in_again)];

/// Over the skeleton's size.
const TOLERANCE: f64 = 1e-6;

/// Where all joints are at a time.
fn places(character: &Character, time_seconds: f64) -> Vec<DVec3> {
    let pose = character.clips[0].pose_at(&character.skeleton, time_seconds);
    let mut matrices = Vec::new();
    pose.model_from_joint(&character.skeleton, &mut matrices);
    matrices.iter().map(|matrix| matrix.translation).collect()
}

fn every_motion_goes_out_and_in_again(folder: &Path) {
    let scratch = tempfile::tempdir().unwrap();
    for path in data::readable_files(folder) {
        let loaded =
            read_character(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let character = &loaded.character;
        let written = scratch.path().join("again.bvh");
        write_character(&written, character, &WriteOptions::default()).unwrap();
        let bytes = std::fs::read(&written).unwrap();
        let again = read_character_from_bytes(Format::Bvh, "again", &bytes).unwrap().character;
        let keys = character.clips[0].tracks[0].channel.num_keys();
        assert_eq!(keys, again.clips[0].tracks[0].channel.num_keys(), "{}", path.display());
        let rest: Vec<DVec3> =
            character.skeleton.rest_model_from_joint().iter().map(|m| m.translation).collect();
        let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let size = (high - low).length();
        let duration = character.clips[0].duration_seconds();
        let mut worst = 0.0_f64;
        for step in 0..=50 {
            let time = duration * f64::from(step) / 50.0;
            for (before, after) in places(character, time).iter().zip(places(&again, time)) {
                worst = worst.max(before.distance(after) / size);
            }
        }
        eprintln!(
            "{}: {} joints, {keys} frames, {duration:.3} s, off by {worst:.1e}; {:?}",
            path.display(),
            character.skeleton.len(),
            loaded.report.warnings.iter().map(|w| w.code).collect::<Vec<_>>()
        );
        assert!(worst <= TOLERANCE, "{}: {worst}", path.display());
    }
}
