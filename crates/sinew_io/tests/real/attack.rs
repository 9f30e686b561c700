//! Files that broke something once. What every file takes is in `sinew_cli/tests/memory.rs`.

use std::path::Path;

use sinew_io::{WriteOptions, character_to_glb, read_character};

use crate::Test;
use crate::bounds::{Cost, alone};

pub(crate) const TESTS: &[Test] = &[
    ("one_file_named_many_times_is_read_once", one_file_named_many_times_is_read_once),
    ("what_is_no_number_is_said_to_be_none", what_is_no_number_is_said_to_be_none),
];

/// The sets of buffers and images, beside files of holes that they name.
fn one_file_named_many_times_is_read_once(folder: &Path) {
    let _alone = alone();
    let temporary = tempfile::tempdir().unwrap();
    for (name, beside, length) in [
        ("manybuf.gltf", "big.bin", 100 << 20),
        ("hugebuf.gltf", "huge.bin", 3 << 30),
        ("manyimg.gltf", "big.bin", 100 << 20),
    ] {
        let text = std::fs::read(folder.join("many_buffers").join(name)).unwrap();
        let path = temporary.path().join(name);
        sinew_io::write_atomically(&path, |file| std::io::Write::write_all(file, &text)).unwrap();
        let big = temporary.path().join(beside);
        sinew_io::write_atomically(&big, |_| Ok(())).unwrap();
        std::fs::OpenOptions::new().write(true).open(&big).unwrap().set_len(length).unwrap();
        let (read, cost) = Cost::of(|| read_character(&path));
        let outcome = read.map_or_else(|error| error.to_string(), |_| "read".into());
        eprintln!("{name}: {} bytes of memory, {outcome}", cost.bytes);
        // The text, and what is read of the other file at most.
        assert!(cost.bytes <= 20 * text.len() + 50_000_000 + (100 << 20), "{name}");
    }
}

fn what_is_no_number_is_said_to_be_none(folder: &Path) {
    // Whether it can be posed is the command's affair; reading and writing must not fail oddly.
    if let Ok(loaded) = read_character(&folder.join("not_finite_rc5.glb")) {
        let _ = character_to_glb(&loaded.character, &WriteOptions::default());
    }
}
