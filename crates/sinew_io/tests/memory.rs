//! What reading and writing may take: twenty times the bytes that are read, and fifty megabytes,
//! whatever a file says of itself.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

#[path = "common/bounds.rs"]
mod bounds;

use std::path::Path;

use serde_json::{Value, json};
use sinew_io::{Format, WriteOptions, character_to_glb, read_character, read_character_from_bytes};

use bounds::{Cost, alone};

const MEGABYTE: usize = 1_000_000;

fn put(path: &Path, bytes: &[u8]) {
    sinew_io::write_atomically(path, |file| std::io::Write::write_all(file, bytes)).unwrap();
}

/// A file of holes: it has the length, and takes no room on the disk.
fn put_holes(path: &Path, length: u64) {
    put(path, b"");
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// One triangle in the first of some buffers.
fn triangle(buffers: &[Value]) -> Value {
    json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{
            "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [0, 0, 0],
        }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "buffers": buffers,
    })
}

#[test]
fn one_file_named_many_times_is_read_once_and_only_as_far_as_it_is_needed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let length = 200 * MEGABYTE;
    put_holes(&folder.path().join("big.bin"), length as u64);
    let names = ["big.bin", "./big.bin", "%62ig.bin", "././big.bin"];
    let buffer = |k: usize| json!({ "byteLength": length, "uri": names[k % names.len()] });
    let mut json = triangle(&(0..64).map(buffer).collect::<Vec<Value>>());
    let path = folder.path().join("many.gltf");
    put(&path, json.to_string().as_bytes());
    let (loaded, cost) = Cost::of(|| read_character(&path).unwrap());
    eprintln!("64 buffers of one file of 200 MB, 36 bytes of it used: {} bytes", cost.bytes);
    assert!(cost.bytes < MEGABYTE, "{} bytes", cost.bytes);
    drop(loaded);
    // All of it used by all of them: once in memory, and carried without a copy.
    let view = |k: usize| json!({ "buffer": k, "byteLength": length });
    json["bufferViews"].as_array_mut().unwrap().extend((0..64).map(view));
    put(&path, json.to_string().as_bytes());
    let (loaded, cost) = Cost::of(|| read_character(&path).unwrap());
    eprintln!("all of it used by each: {} bytes", cost.bytes);
    assert!(cost.bytes < length + length / 10, "{} bytes", cost.bytes);
    assert_eq!(loaded.character.parts.len(), 1);
}

#[test]
fn a_file_of_gigabytes_that_is_hardly_used_is_hardly_read() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    put_holes(&folder.path().join("huge.bin"), 3 << 30);
    let path = folder.path().join("huge.gltf");
    let buffer = json!({ "byteLength": 3_u64 << 30, "uri": "huge.bin" });
    put(&path, triangle(&[buffer]).to_string().as_bytes());
    let (loaded, cost) = Cost::of(|| read_character(&path).unwrap());
    assert!(cost.bytes < MEGABYTE, "{} bytes", cost.bytes);
    // A buffer that is shorter than it says is still found out.
    let buffer = json!({ "byteLength": 4_u64 << 30, "uri": "huge.bin" });
    put(&path, triangle(&[buffer]).to_string().as_bytes());
    assert!(read_character(&path).unwrap_err().to_string().contains("cut off"));
    assert!(character_to_glb(&loaded.character, &WriteOptions::default()).is_ok());
}

#[test]
fn one_image_named_many_times_is_in_memory_once() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let length = 20 * MEGABYTE;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(length, 0);
    put(&folder.path().join("a.png"), &png);
    drop(png);
    let names = ["a.png", "./a.png", "%61.png"];
    let mut json = triangle(&[json!({
        "byteLength": 36,
        "uri": format!("data:;base64,{}", "A".repeat(48)),
    })]);
    let of = |make: &dyn Fn(usize) -> Value| Value::Array((0..50).map(make).collect());
    json["images"] =
        of(&|k| json!({ "uri": names[k % names.len()], "name": format!("image {k}") }));
    json["textures"] = of(&|k| json!({ "source": k }));
    json["materials"] =
        of(&|k| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": k } } }));
    json["meshes"][0]["primitives"] =
        of(&|k| json!({ "attributes": { "POSITION": 0 }, "material": k }));
    let path = folder.path().join("many.gltf");
    put(&path, json.to_string().as_bytes());
    let (loaded, cost) = Cost::of(|| read_character(&path).unwrap());
    eprintln!("50 images of one file of 20 MB: {} bytes", cost.bytes);
    assert_eq!(loaded.character.materials.len(), 50);
    assert!(loaded.character.materials.iter().all(|material| material.image.is_some()));
    assert!(cost.bytes < 3 * length, "{} bytes", cost.bytes);
}

/// Reads, and where that succeeds writes: both within the bound.
fn within_bound(what: &str, json: &str) -> bool {
    let _alone = alone();
    let (read, cost) =
        Cost::of(|| read_character_from_bytes(Format::Gltf, "bomb", json.as_bytes()));
    eprintln!("{what}: {} bytes of memory to read {}", cost.bytes, json.len());
    assert_eq!(cost.excess(json.len()), None, "{what}");
    let Ok(loaded) = read else { return false };
    let (_, cost) = Cost::of(|| character_to_glb(&loaded.character, &WriteOptions::default()));
    eprintln!("{what}: {} bytes of memory to write it", cost.bytes);
    assert!(cost.bytes <= 20 * json.len() + 50 * MEGABYTE, "{what}: {} bytes", cost.bytes);
    true
}

#[test]
fn megabytes_of_numbers_take_no_more_than_they_may() {
    for (number, count) in [("0", 2_500_000), ("0.25", 1_000_000), ("0.123456", 550_000)] {
        let numbers = vec![number; count].join(",");
        let json = format!(r#"{{"asset":{{"version":"2.0"}},"extras":[{numbers}]}}"#);
        within_bound(&format!("{count} times {number}"), &json);
    }
    let numbers = vec!["0.123456"; 550_000].join(",");
    let json = format!(r#"{{"asset":{{"version":"2.0"}},"extras":{{"a":[{numbers}]}}}}"#);
    assert!(within_bound("numbers of a sensible length", &json));
}

/// A chain, or all below one, of joints of a skin, with names or without.
fn joints(count: usize, is_chain: bool, with_names: bool) -> String {
    let mut json = String::from(r#"{"asset":{"version":"2.0"},"nodes":["#);
    for node in 0..count {
        let name = if with_names {
            format!(r#""name":"joint_of_a_crowd_{node:07}","#)
        } else {
            String::new()
        };
        let children = match (is_chain, node) {
            (true, node) if node + 1 < count => (node + 1).to_string(),
            (false, 0) => (1..count).map(|n| n.to_string()).collect::<Vec<_>>().join(","),
            _ => String::new(),
        };
        let comma = if node > 0 { "," } else { "" };
        let children = if children.is_empty() {
            String::new()
        } else {
            format!(r#""children":[{children}],"#)
        };
        json += &format!(r#"{comma}{{{name}{children}"translation":[0,0.001,0]}}"#);
    }
    let all = (0..count).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    json += &format!(r#"],"skins":[{{"joints":[{all}]}}],"scenes":[{{"nodes":[0]}}]}}"#);
    json
}

#[test]
fn a_million_joints_take_no_more_than_they_may() {
    for (is_chain, with_names) in [(true, true), (false, true), (false, false)] {
        let what = format!("a million joints, a chain: {is_chain}, names: {with_names}");
        let json = joints(1_000_000, is_chain, with_names);
        let _alone = alone();
        let (read, cost) =
            Cost::of(|| read_character_from_bytes(Format::Gltf, "crowd", json.as_bytes()));
        let outcome = read.as_ref().map_or_else(ToString::to_string, |_| "read".into());
        eprintln!("{what}: {} bytes of memory for {}: {outcome}", cost.bytes, json.len());
        let most = 20 * json.len() + 50 * MEGABYTE;
        assert!(cost.bytes <= most, "{what}: {} bytes, at most {most}", cost.bytes);
    }
}
