//! Real files come through our own writer unharmed.

use std::io::Write;
use std::path::Path;

use sinew::Character;
use sinew_io::{Format, WriteOptions, character_to_glb, read_character, read_character_from_bytes};

use crate::Test;
use crate::common::data;
use crate::trips::{
    assert_compression_loses_nothing, assert_quantised_within_bound, assert_same_motion,
    through_glb, whole,
};

/// Of any folder.
pub(crate) const STABLE: &[Test] = &[(
    "the_second_conversion_of_every_file_is_the_first",
    the_second_conversion_of_every_file_is_the_first,
)];

pub(crate) const TESTS: &[Test] = &[
    (
        "every_real_file_comes_back_with_its_motion_and_a_second_trip_changes_nothing",
        every_real_file_comes_back_with_its_motion_and_a_second_trip_changes_nothing,
    ),
    (
        "compression_of_real_files_loses_nothing_and_makes_smaller",
        compression_of_real_files_loses_nothing_and_makes_smaller,
    ),
    (
        "quantised_vertices_of_real_files_come_back_within_their_bound",
        quantised_vertices_of_real_files_come_back_within_their_bound,
    ),
];

fn every_real_file_comes_back_with_its_motion_and_a_second_trip_changes_nothing(folder: &Path) {
    let files = data::readable_files(folder);
    eprintln!("{} real files", files.len());
    for path in files {
        let loaded = read_character(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        let first = through_glb(&loaded.character);
        assert_same_motion(&name, &loaded.character, &first);
        let second = through_glb(&first);
        assert_same_motion(&name, &first, &second);
    }
}

fn the_second_conversion_of_every_file_is_the_first(folder: &Path) {
    let mut changed = Vec::new();
    let mut num_written = 0;
    for path in data::readable_files(folder) {
        let Ok(loaded) = read_character(&path) else { continue };
        for options in [whole(), WriteOptions::default()] {
            let Ok(first) = character_to_glb(&loaded.character, &options) else { continue };
            let again = read_character_from_bytes(Format::Glb, "again", &first).unwrap();
            let second = character_to_glb(&again.character, &options).unwrap();
            num_written += 1;
            if first != second {
                let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed");
                let save = |name: &str, bytes: &[u8]| {
                    let stem = path.file_stem().unwrap().to_string_lossy();
                    std::fs::create_dir_all(&folder).unwrap();
                    let path = folder.join(format!("{stem}-{name}.glb"));
                    sinew_io::write_atomically(&path, |file| file.write_all(bytes)).unwrap();
                };
                save("first", &first);
                save("second", &second);
                changed.push((path.clone(), first.len(), second.len()));
            }
        }
    }
    eprintln!("{num_written} conversions, {} of them changed by a second one", changed.len());
    assert!(num_written > 0 && changed.is_empty(), "{changed:#?}");
}

/// A robot of many meshes with clips and shapes, a keyed cube of shapes, a skinned man, many
/// shapes.
fn some_characters(folder: &Path) -> Vec<Character> {
    let names =
        ["RobotExpressive.glb", "AnimatedMorphCube.glb", "CesiumMan.glb", "MorphStressTest.glb"];
    names.map(|name| read_character(&folder.join(name)).unwrap().character).to_vec()
}

fn compression_of_real_files_loses_nothing_and_makes_smaller(folder: &Path) {
    for character in some_characters(folder) {
        assert_compression_loses_nothing(&character);
    }
}

fn quantised_vertices_of_real_files_come_back_within_their_bound(folder: &Path) {
    for character in some_characters(folder) {
        assert_quantised_within_bound(&character);
    }
}
