//! Real files come through our own writer unharmed.

use std::path::Path;

use sinew::Character;
use sinew_io::{character_to_glb, read_character};

use crate::Test;
use crate::common::data;
use crate::trips::{
    assert_compression_loses_nothing, assert_quantised_within_bound, assert_same_motion,
    through_glb, whole,
};

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
        let bytes = |c: &Character| character_to_glb(c, &whole()).unwrap();
        let (second, third) = (bytes(&first), bytes(&second));
        assert_eq!(second.len(), third.len(), "{name}");
        eprintln!("{name}: {} bytes", second.len());
    }
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
