//! No bytes make a reader panic, hang or take more memory than they justify.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use sinew_io::{
    Format, WriteOptions, character_to_glb, read_character_from_bytes, write_character,
};

/// Refusing must not take longer than reading would.
const QUICK: Duration = Duration::from_secs(1);

fn seed(format: Format) -> Vec<u8> {
    let character = common::everything();
    let options = WriteOptions { render_vertices: true, ..WriteOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = match format {
        Format::Glb => return character_to_glb(&character, &options).unwrap(),
        Format::Gltf => {
            return gltf_with_data_uri(&character_to_glb(&character, &options).unwrap());
        }
        Format::Obj => folder.path().join("a.obj"),
        Format::Ply => folder.path().join("a.ply"),
        Format::Bvh => folder.path().join("a.bvh"),
        Format::Fbx => unreachable!("it is not written"),
    };
    write_character(&path, &character, &options).unwrap();
    std::fs::read(path).unwrap()
}

/// The JSON chunk of a GLB with its binary chunk as a data URI.
fn gltf_with_data_uri(glb: &[u8]) -> Vec<u8> {
    use base64::Engine;
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json = std::str::from_utf8(&glb[20..20 + length]).unwrap();
    let data = base64::engine::general_purpose::STANDARD.encode(&glb[28 + length..]);
    let buffer = format!(r#""buffers":[{{"uri":"data:application/octet-stream;base64,{data}","#);
    json.replace(r#""buffers":[{"#, &buffer).into_bytes()
}

fn ascii_ply() -> Vec<u8> {
    b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n\
      element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"
        .to_vec()
}

/// Made once: writing them for each of thousands of mutants takes minutes.
fn seeds() -> &'static [(Format, Vec<u8>)] {
    static SEEDS: OnceLock<Vec<(Format, Vec<u8>)>> = OnceLock::new();
    SEEDS.get_or_init(make_seeds)
}

fn make_seeds() -> Vec<(Format, Vec<u8>)> {
    let mut seeds: Vec<_> = [Format::Glb, Format::Gltf, Format::Obj, Format::Ply, Format::Bvh]
        .map(|format| (format, seed(format)))
        .into();
    seeds.push((Format::Ply, ascii_ply()));
    seeds
}

#[test]
fn every_seed_is_a_good_file() {
    for (format, bytes) in seeds() {
        let loaded = read_character_from_bytes(*format, "seed", bytes).unwrap();
        let is_there = match format {
            Format::Bvh => !loaded.character.clips.is_empty(),
            _ => loaded.character.num_triangles() >= 2,
        };
        assert!(is_there, "{format:?}");
    }
}

#[test]
fn every_prefix_of_a_file_is_read_or_refused() {
    for (format, bytes) in seeds() {
        for length in 0..bytes.len() {
            let _ = read_character_from_bytes(*format, "prefix", &bytes[..length]);
        }
    }
}

#[test]
fn every_byte_may_be_anything() {
    // Each byte of each seed becomes one of what breaks most: all ones, another digit, a flipped
    // high bit.
    for (format, seed) in seeds() {
        for position in 0..seed.len() {
            let mut bytes = seed.clone();
            bytes[position] = [0xff, b'9', seed[position] ^ 0x80][position % 3];
            let _ = read_character_from_bytes(*format, "mutant", &bytes);
        }
    }
}

fn refused(format: Format, text: &[u8]) -> String {
    let start = Instant::now();
    let error = read_character_from_bytes(format, "huge", text).unwrap_err().to_string();
    assert!(start.elapsed() < QUICK, "{error}");
    error
}

#[test]
fn huge_counts_are_refused_at_once() {
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        for count in ["4000000000", "18446744073709551615"] {
            let header = format!(
                "ply\nformat {encoding} 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n"
            );
            assert!(refused(Format::Ply, header.as_bytes()).contains("vertex"));
        }
        let empty = format!(
            "ply\nformat {encoding} 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement nothing 4000000000\nend_header\n"
        );
        assert!(refused(Format::Ply, empty.as_bytes()).contains("nothing"));
        let list = format!(
            "ply\nformat {encoding} 1.0\nelement vertex 1\nproperty list uint float x\nproperty float x\nproperty float y\nproperty float z\nend_header\n4000000000 \u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}"
        );
        refused(Format::Ply, list.as_bytes());
    }
    let gltf = |accessor: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"accessors":[{{"componentType":5126,"type":"VEC3",{accessor}}}]}}"#
        )
    };
    for accessor in
        [r#""count":4000000000"#, r#""count":18446744073709551615"#, r#""count":4,"bufferView":0"#]
    {
        assert!(refused(Format::Gltf, gltf(accessor).as_bytes()).contains("accessors[0]"));
    }
}

#[test]
fn deep_json_is_refused_without_recursion_to_the_end() {
    let deep = "[".repeat(1_000_000);
    refused(Format::Gltf, deep.as_bytes());
    refused(Format::Gltf, format!(r#"{{"asset":{{"version":"2.0","extras":{deep}"#).as_bytes());
}

#[test]
fn a_hundred_thousand_joints_are_read_quickly() {
    let count = 100_000;
    let nodes: Vec<String> = (1..=count)
        .map(|k| {
            if k < count {
                format!(r#"{{"children":[{k}],"translation":[0,1,0]}}"#)
            } else {
                "{}".into()
            }
        })
        .collect();
    let joints: Vec<String> = (0..count).map(|k| k.to_string()).collect();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{}],"skins":[{{"joints":[{}]}}]}}"#,
        nodes.join(","),
        joints.join(",")
    );
    let start = Instant::now();
    let loaded = read_character_from_bytes(Format::Gltf, "deep", json.as_bytes()).unwrap();
    assert_eq!(loaded.character.skeleton.len(), count);
    // A second on an idle machine; anything that grows with the square would take minutes.
    assert!(start.elapsed() < 5 * QUICK);
}

#[test]
fn errors_name_the_spot() {
    for (format, text, words) in [
        (
            Format::Obj,
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
            "line 4: a face names vertex 4, but 3",
        ),
        (Format::Obj, "v 0 0 0\nf 1 0 1\n", "line 2: a face names vertex 0"),
        (Format::Obj, "v 0 zero 0\n", "line 1: 'zero' is not a number"),
        (Format::Obj, "v 0 0 nan\nv 0 0 0\nv 0 1 0\nf 1 2 3\n", "line 1: 'nan'"),
        (Format::Obj, "hello\n", "no vertex"),
        (
            Format::Ply,
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
            "no property 'z'",
        ),
        (Format::Ply, "ply\nelement vertex 0\nend_header\n", "format"),
        (Format::Ply, "plot\n", "line 1"),
        (Format::Glb, "glTF", "byte 4"),
        (Format::Gltf, r#"{"asset":{"version":"1.0"}}"#, "asset.version"),
        (Format::Gltf, r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":"x"}]}"#, "nodes[0].mesh"),
        (
            Format::Gltf,
            r#"{"asset":{"version":"2.0"},"extensionsRequired":["EXT_mesh_gpu_instancing"]}"#,
            "EXT_mesh_gpu_instancing",
        ),
    ] {
        let error = refused(format, text.as_bytes());
        assert!(error.contains(words), "{error}");
    }
}
