//! Files that broke something once, and what every real file takes to read and to write.

use std::path::Path;

use sinew_io::{Format, WriteOptions, character_to_glb, read_character};

use crate::Test;
use crate::bounds::{Cost, alone};
use crate::common::data;

pub(crate) const TESTS: &[Test] = &[
    ("one_file_named_many_times_is_read_once", one_file_named_many_times_is_read_once),
    ("what_is_no_number_is_said_to_be_none", what_is_no_number_is_said_to_be_none),
];

/// Of any folder.
pub(crate) const MEMORY: &[Test] =
    &[("no_file_takes_more_than_it_may", no_file_takes_more_than_it_may)];

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

fn no_file_takes_more_than_it_may(folder: &Path) {
    let _alone = alone();
    let mut worst = (0.0, String::new());
    for path in data::readable_files(folder) {
        let own = std::fs::metadata(&path).unwrap().len() as usize;
        // What a document may name: everything beside it, unless it holds all itself.
        let is_document = Format::of_path(&path) != Some(Format::Glb);
        let all = data::files(path.parent().unwrap());
        let beside = all.iter().filter(|other| **other != path);
        let beside: usize =
            beside.map(|other| std::fs::metadata(other).unwrap().len() as usize).sum();
        let most = 20 * (own + if is_document { beside } else { 0 }) + 50_000_000;
        let (read, cost) = Cost::of(|| read_character(&path));
        assert!(cost.bytes <= most, "{}: {} bytes to read", path.display(), cost.bytes);
        let share = cost.bytes as f64 / most as f64;
        if share > worst.0 {
            worst = (share, format!("{}, to read", path.display()));
        }
        let Ok(loaded) = read else { continue };
        let (_, cost) = Cost::of(|| character_to_glb(&loaded.character, &WriteOptions::default()));
        assert!(cost.bytes <= most, "{}: {} bytes to write", path.display(), cost.bytes);
        let share = cost.bytes as f64 / most as f64;
        if share > worst.0 {
            worst = (share, format!("{}, to write", path.display()));
        }
    }
    eprintln!("at most {:.0} % of what it may: {}", 100.0 * worst.0, worst.1);
}
