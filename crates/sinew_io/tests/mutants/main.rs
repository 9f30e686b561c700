//! Tens of thousands of broken files: no panic, no hang, no memory that the bytes do not justify,
//! in the reader, and where it succeeds in `check` and the writers either; what is written from a
//! mutant can be read again.
//!
//! Every mutant has a number, and is the same in every run. One that fails is saved to
//! `target/mutants`. `SINEW_MUTANTS` says how many there are to be in all (`cargo xtask mutants`).
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

#[path = "../common/bounds.rs"]
mod bounds;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draco.rs"]
mod draco;
mod motion;
mod mutate;
#[path = "../common/random.rs"]
mod random;
mod structure;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;
use sinew::Character;
use sinew_io::{
    Format, ReadError, WriteOptions, character_to_glb, read_character_from_bytes, write_character,
};

use bounds::{Cost, alone};
use draco::{for_draco, join, split, with_draco};
use random::Random;

/// Every so many mutants that can be read are written as OBJ and PLY too: files are slow.
const FILES_EVERY: usize = 64;

/// A small character with everything, and random ones: several parts, ten influences, shapes,
/// clips.
fn characters() -> Vec<Character> {
    let mut runner = TestRunner::deterministic();
    let mut characters = vec![common::everything()];
    characters.extend((0..3).map(|_| common::character().new_tree(&mut runner).unwrap().current()));
    characters
}

/// Each plain, and each quantised, compressed or both.
fn glbs() -> Vec<Vec<u8>> {
    let plain = WriteOptions::default();
    let small = [(true, false), (false, true), (true, true)]
        .map(|(quantize, meshopt)| WriteOptions { quantize, meshopt, ..plain.clone() });
    let mut glbs = Vec::new();
    for (index, character) in characters().iter().enumerate() {
        for options in [&plain, &small[index % small.len()]] {
            glbs.push(character_to_glb(character, options).unwrap());
        }
    }
    let cylinder = character_to_glb(&for_draco(), &plain).unwrap();
    glbs.push(with_draco(&cylinder, 7));
    glbs
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

fn with_data_uri(mut json: Value, binary: &[u8]) -> Value {
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(binary);
    if let Some(buffer) = json.pointer_mut("/buffers/0") {
        buffer["uri"] = format!("data:application/octet-stream;base64,{data}").into();
    }
    json
}

/// Mutants of all tests together.
const NUM_IN_ALL: u64 = 42_000;

/// How many mutants a test makes of the usual number.
fn asked_for(usual: u64) -> u64 {
    let asked = std::env::var("SINEW_MUTANTS").ok().and_then(|text| text.parse::<u64>().ok());
    asked.map_or(usual, |all| usual * all.div_ceil(1000) / (NUM_IN_ALL / 1000))
}

/// Mutants that did once what none may, beyond the usual number.
fn once_failed(name: &str) -> &'static [u64] {
    match name {
        // A displacement that outgrew 32 bits in its mesh's own space was written as null.
        "glb-json" => &[163_278],
        _ => &[],
    }
}

/// How far a refused file got: the part of it that was wrong.
fn stage(error: &ReadError) -> String {
    match error {
        ReadError::Io { .. } | ReadError::UnknownFormat { .. } => "door".into(),
        ReadError::Malformed { place, .. } => {
            place.chars().take_while(|c| c.is_alphabetic()).collect()
        }
        ReadError::UnsupportedExtension { .. } => "extensionsRequired".into(),
        ReadError::Mesh { .. } => "welding".into(),
        ReadError::Skeleton { .. } => "skeleton".into(),
    }
}

/// Reads mutants; `make` makes one of a number. A share of them must get past the reader, or
/// nothing behind it is tested: at least `least_percent`. Prints how far they got.
fn survive(
    name: &str,
    format: Format,
    (usual, least_percent): (u64, u64),
    make: impl Fn(&mut Random) -> Vec<u8>,
) {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let count = asked_for(usual);
    let mut num_read = 0;
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    for number in (0..count).chain(once_failed(name).iter().copied()) {
        // Far apart, so that neighbours do not share their random numbers.
        let mutant = make(&mut Random(number.wrapping_mul(0x1234_5678_9abc_def1)));
        let (result, cost) = Cost::of(|| {
            catch_unwind(AssertUnwindSafe(|| read_character_from_bytes(format, "mutant", &mutant)))
        });
        let fail = |what: String| -> ! {
            let path = save(name, format, number, &mutant);
            panic!("mutant {number} of {name}: {what}; saved as {}", path.display());
        };
        if let Some(excess) = cost.excess(mutant.len()) {
            fail(excess);
        }
        let Ok(result) = result else { fail("the reader panicked".into()) };
        let loaded = match result {
            Ok(loaded) => loaded,
            Err(error) => {
                *refused.entry(stage(&error)).or_default() += 1;
                continue;
            }
        };
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
    let mut stages: Vec<(String, u64)> = refused.into_iter().collect();
    stages.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let stages: Vec<String> =
        stages.iter().map(|(stage, number)| format!("{stage} {number}")).collect();
    let percent = 100.0 * num_read as f64 / count as f64;
    eprintln!(
        "{name}: {count} mutants, {num_read} accepted ({percent:.1} %); refused at {}",
        stages.join(", ")
    );
    assert!(num_read as u64 * 100 >= count * least_percent, "only {percent:.1} % were accepted");
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
    let extension = format.extension();
    let path = folder.join(format!("{name}-{number}.{extension}"));
    let _ = std::fs::create_dir_all(&folder);
    let _ = sinew_io::write_atomically(&path, |file| std::io::Write::write_all(file, mutant));
    path
}

#[test]
fn glbs_with_broken_bytes() {
    let seeds = glbs();
    survive("glb-bytes", Format::Glb, (5000, 2), |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        mutate::bytes(&mut mutant, &seeds[random.below(seeds.len())], random);
        mutant
    });
}

#[test]
fn glbs_with_broken_json_and_data() {
    let seeds: Vec<_> = glbs().iter().map(|glb| split(glb)).collect();
    survive("glb-json", Format::Glb, (6000, 2), |random| {
        let (mut json, mut binary) = seeds[random.below(seeds.len())].clone();
        mutate::document(&mut json, random);
        if random.below(2) == 0 {
            mutate::bytes(&mut binary, &seeds[0].1, random);
            // Of the right length most of the time: otherwise only that is found.
            binary.resize(seeds[random.below(seeds.len())].1.len(), 0);
        }
        join(&json, binary)
    });
}

#[test]
fn glbs_with_another_structure() {
    let seeds: Vec<_> = glbs().iter().map(|glb| split(glb)).collect();
    survive("glb-structure", Format::Glb, (4000, 50), |random| {
        let (mut json, mut binary) = seeds[random.below(seeds.len())].clone();
        structure::document(&mut json, &mut binary, random);
        join(&json, binary)
    });
}

#[test]
fn objs_and_plys_with_other_words() {
    let options = WriteOptions { corner_attributes: true, ..WriteOptions::default() };
    let objs = written("obj", &options);
    survive("obj-structure", Format::Obj, (1000, 40), |random| {
        let mut mutant = objs[random.below(objs.len())].clone();
        structure::words(&mut mutant, random);
        mutant
    });
    let ply = ply_text().into_bytes();
    survive("ply-structure", Format::Ply, (1000, 20), |random| {
        let mut mutant = ply.clone();
        structure::words(&mut mutant, random);
        mutant
    });
}

#[test]
fn gltfs_with_broken_json() {
    let seeds: Vec<_> =
        glbs().iter().map(|glb| split(glb)).map(|(j, b)| with_data_uri(j, &b)).collect();
    survive("gltf-json", Format::Gltf, (5000, 2), |random| {
        let mut json = seeds[random.below(seeds.len())].clone();
        mutate::document(&mut json, random);
        serde_json::to_vec(&json).unwrap()
    });
}

#[test]
fn gltfs_with_broken_bytes() {
    let seeds: Vec<Vec<u8>> = glbs()
        .iter()
        .map(|glb| split(glb))
        .map(|(json, binary)| serde_json::to_vec(&with_data_uri(json, &binary)).unwrap())
        .collect();
    survive("gltf-bytes", Format::Gltf, (3000, 2), |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        mutate::bytes(&mut mutant, &seeds[random.below(seeds.len())], random);
        mutant
    });
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
    survive("obj", Format::Obj, (4000, 2), |random| {
        let mut mutant = seeds[random.below(seeds.len())].clone();
        if random.below(3) == 0 {
            mutate::bytes(&mut mutant, &seeds[0], random);
        } else {
            mutate::lines(&mut mutant, random);
        }
        mutant
    });
}

#[test]
fn plys_with_broken_headers_and_bytes() {
    let mut seeds =
        written("ply", &WriteOptions { render_vertices: true, ..WriteOptions::default() });
    seeds.extend(written("ply", &WriteOptions::default()));
    seeds.push(ply_text().into_bytes());
    seeds.push(big_endian_ply());
    survive("ply", Format::Ply, (5000, 2), |random| {
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
