//! Tens of thousands of broken files: no panic, no hang, no memory that the bytes do not justify, in the reader, and
//! where it succeeds in `check` and the writers either; what is written from a mutant can be read again.
//!
//! Every mutant has a number, and is the same in every run. One that fails is saved to `target/mutants`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

#[path = "../common/mod.rs"]
mod common;
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;
use sinew::Character;
use sinew_io::{
    Format, WriteOptions, character_to_glb, read_character_from_bytes, write_character,
};

use mutate::Random;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is measured of the process, so that only one test may allocate at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A mutant is a few kilobytes and takes a fraction of a millisecond; this allows for a busy machine.
const MOST_TIME: Duration = Duration::from_secs(5);
/// What issue 5 allows: twenty times the file, and fifty megabytes.
const MOST_BYTES_PER_BYTE: usize = 20;
const MOST_BYTES: usize = 50 << 20;

/// Every so many mutants that can be read are written as OBJ and PLY too: files are slow.
const FILES_EVERY: usize = 64;

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A small character with everything, and random ones: several parts, ten influences, shapes, clips.
fn characters() -> Vec<Character> {
    let mut runner = TestRunner::deterministic();
    let mut characters = vec![common::everything()];
    characters.extend((0..3).map(|_| common::character().new_tree(&mut runner).unwrap().current()));
    characters
}

fn glbs() -> Vec<Vec<u8>> {
    let options = WriteOptions::default();
    characters().iter().map(|c| character_to_glb(c, &options).unwrap()).collect()
}

fn written(extension: &str, options: &WriteOptions) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seed").with_extension(extension);
    let write = |character: &Character| {
        write_character(&path, character, options).unwrap();
        std::fs::read(&path).unwrap()
    };
    characters().iter().map(write).collect()
}

/// The chunks of our own GLB.
fn chunks(glb: &[u8]) -> (Value, Vec<u8>) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    (json, glb.get(28 + length..).unwrap_or_default().to_vec())
}

fn join(json: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = serde_json::to_vec(json).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    glb.extend((json.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(json);
    glb.extend((binary.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(binary);
    glb
}

fn with_data_uri(mut json: Value, binary: &[u8]) -> Value {
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(binary);
    if let Some(buffer) = json.pointer_mut("/buffers/0") {
        buffer["uri"] = format!("data:application/octet-stream;base64,{data}").into();
    }
    json
}

/// Reads `count` mutants; `make` makes one of a number. Returns how many could be read.
fn survive(name: &str, format: Format, count: u64, make: impl Fn(&mut Random) -> Vec<u8>) -> usize {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let mut num_read = 0;
    for number in 0..count {
        // Far apart, so that neighbours do not share their random numbers.
        let mutant = make(&mut Random(number.wrapping_mul(0x1234_5678_9abc_def1)));
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        let result =
            catch_unwind(AssertUnwindSafe(|| read_character_from_bytes(format, "mutant", &mutant)));
        let (elapsed, peak) = (start.elapsed(), MEMORY.peak_usage().saturating_sub(before));
        let fail = |what: String| -> ! {
            let path = save(name, format, number, &mutant);
            panic!("mutant {number} of {name}: {what}; saved as {}", path.display());
        };
        if elapsed > MOST_TIME {
            fail(format!("took {elapsed:?}"));
        }
        if peak > MOST_BYTES_PER_BYTE * mutant.len() + MOST_BYTES {
            fail(format!("took {peak} bytes for {}", mutant.len()));
        }
        let Ok(result) = result else { fail("the reader panicked".into()) };
        let Ok(loaded) = result else { continue };
        num_read += 1;
        let with_files = num_read % FILES_EVERY == 0;
        let used =
            catch_unwind(AssertUnwindSafe(|| use_it(&loaded.character, folder.path(), with_files)));
        match used {
            Err(_) => fail("checking or writing it panicked".into()),
            Ok(Err(what)) => fail(what),
            Ok(Ok(())) => {}
        }
    }
    num_read
}

/// Checks a mutant and writes it. A refusal to write is fine; what is written must be readable.
fn use_it(character: &Character, folder: &Path, with_files: bool) -> Result<(), String> {
    let _ = sinew::check::check(character);
    let options = WriteOptions { render_vertices: true, ..WriteOptions::default() };
    if let Ok(glb) = character_to_glb(character, &options) {
        read_character_from_bytes(Format::Glb, "again", &glb)
            .map_err(|error| format!("what was written cannot be read: {error}"))?;
    }
    if with_files {
        for (name, format) in [("a.obj", Format::Obj), ("a.ply", Format::Ply)] {
            let path = folder.join(name);
            if write_character(&path, character, &options).is_ok() && character.num_points() > 0 {
                let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
                read_character_from_bytes(format, "again", &bytes)
                    .map_err(|error| format!("the {name} written cannot be read: {error}"))?;
            }
        }
    }
    Ok(())
}

fn save(name: &str, format: Format, number: u64, mutant: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let extension = match format {
        Format::Glb => "glb",
        Format::Gltf => "gltf",
        Format::Obj => "obj",
        Format::Ply => "ply",
    };
    let path = folder.join(format!("{name}-{number}.{extension}"));
    let _ = std::fs::create_dir_all(&folder);
    let _ = sinew_io::write_atomically(&path, |file| std::io::Write::write_all(file, mutant));
    path
}

/// A share of the mutants must get past the reader, or nothing behind it is tested.
fn assert_some_are_read(num_read: usize, count: u64) {
    eprintln!("{num_read} of {count} mutants could be read");
    assert!(num_read as u64 > count / 50, "only {num_read} of {count} mutants could be read");
}

#[test]
fn glbs_with_broken_bytes() {
    let seeds = glbs();
    let read = survive("glb-bytes", Format::Glb, 5000, |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        mutate::bytes(&mut mutant, &seeds[random.below(seeds.len())], random);
        mutant
    });
    assert_some_are_read(read, 5000);
}

#[test]
fn glbs_with_broken_json_and_data() {
    let seeds: Vec<_> = glbs().iter().map(|glb| chunks(glb)).collect();
    let read = survive("glb-json", Format::Glb, 6000, |random| {
        let (mut json, mut binary) = seeds[random.below(seeds.len())].clone();
        mutate::document(&mut json, random);
        if random.below(2) == 0 {
            mutate::bytes(&mut binary, &seeds[0].1, random);
            // Of the right length most of the time: otherwise only that is found.
            binary.resize(seeds[random.below(seeds.len())].1.len(), 0);
        }
        join(&json, &binary)
    });
    assert_some_are_read(read, 6000);
}

#[test]
fn gltfs_with_broken_json() {
    let seeds: Vec<_> =
        glbs().iter().map(|glb| chunks(glb)).map(|(j, b)| with_data_uri(j, &b)).collect();
    let read = survive("gltf-json", Format::Gltf, 5000, |random| {
        let mut json = seeds[random.below(seeds.len())].clone();
        mutate::document(&mut json, random);
        serde_json::to_vec(&json).unwrap()
    });
    assert_some_are_read(read, 5000);
}

#[test]
fn gltfs_with_broken_bytes() {
    let seeds: Vec<Vec<u8>> = glbs()
        .iter()
        .map(|glb| chunks(glb))
        .map(|(json, binary)| serde_json::to_vec(&with_data_uri(json, &binary)).unwrap())
        .collect();
    let read = survive("gltf-bytes", Format::Gltf, 3000, |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        mutate::bytes(&mut mutant, &seeds[random.below(seeds.len())], random);
        mutant
    });
    assert_some_are_read(read, 3000);
}

#[test]
fn objs_with_broken_lines_and_bytes() {
    let mut seeds =
        written("obj", &WriteOptions { render_vertices: true, ..WriteOptions::default() });
    seeds.extend(written(
        "obj",
        &WriteOptions { corner_attributes: true, ..WriteOptions::default() },
    ));
    seeds.push(b"mtllib a.mtl\no a b\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ng x\nusemtl m\nf -4//1 2/1/1 \\\n3/1 4\nl 1 2\np 1\n".to_vec());
    let read = survive("obj", Format::Obj, 4000, |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        if random.below(3) == 0 {
            mutate::bytes(&mut mutant, &seeds[0], random);
        } else {
            mutate::lines(&mut mutant, random);
        }
        mutant
    });
    assert_some_are_read(read, 4000);
}

#[test]
fn plys_with_broken_headers_and_bytes() {
    let mut seeds =
        written("ply", &WriteOptions { render_vertices: true, ..WriteOptions::default() });
    seeds.extend(written("ply", &WriteOptions::default()));
    seeds.push(ply_text().into_bytes());
    seeds.push(big_endian_ply());
    let read = survive("ply", Format::Ply, 5000, |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        if random.below(2) == 0 {
            mutate::bytes(&mut mutant, &seeds[0], random);
            return mutant;
        }
        // Lines of the header only: behind it may be binary data.
        let end = mutant.windows(11).position(|w| w == b"end_header\n").unwrap_or(0);
        let is_text = mutant.windows(12).any(|w| w == b"format ascii");
        let split = if is_text { mutant.len() } else { end };
        let body = mutant.split_off(split);
        mutate::lines(&mut mutant, random);
        mutant.extend(body);
        mutant
    });
    assert_some_are_read(read, 5000);
}

fn ply_text() -> String {
    "ply\nformat ascii 1.0\ncomment made by hand\nobj_info none\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n\
     property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 2\nproperty uchar flag\nproperty list uchar int vertex_indices\n\
     element tristrips 1\nproperty list int int vertex_indices\nelement edge 1\nproperty int a\nproperty int b\nend_header\n\
     0 0 0 255 0 0\n1 0 0 0 255 0\n1 1 0 0 0 255\n0 1 0 9 9 9\n7 4 0 1 2 3\n1 3 0 1 2\n5 0 1 2 -1 3\n0 1\n"
        .into()
}

fn big_endian_ply() -> Vec<u8> {
    let mut ply = b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty short z\n\
        element face 1\nproperty list ushort uchar vertex_index\nend_header\n"
        .to_vec();
    for [x, y, z] in [[0, 0, 0], [1, 0, 0], [0, 1, 1]] {
        ply.extend((x as f32).to_be_bytes());
        ply.extend(f64::from(y).to_be_bytes());
        ply.extend((z as i16).to_be_bytes());
    }
    ply.extend([0, 3, 0, 1, 2]);
    ply
}
