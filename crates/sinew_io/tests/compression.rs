//! Compressed files: what EXT_meshopt_compression, KHR_meshopt_compression and
//! KHR_draco_mesh_compression pack, the reader unpacks; and no broken stream does more than give an
//! error. The encoders are the reference ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "common/draco.rs"]
mod draco;

use draco::{DRACO, for_draco, join, number, split, with_draco};
use serde_json::{Value, json};
use sinew::Character;
use sinew_io::{Format, Loaded, WriteOptions, character_to_glb, read_character_from_bytes};

const EXT: &str = "EXT_meshopt_compression";
const KHR: &str = "KHR_meshopt_compression";

/// Broken streams that are read, of each kind.
const NUM_MUTANTS: usize = 4000;

fn encode_vertices(bytes: &[u8], stride: usize, version: i32) -> Vec<u8> {
    fn of<const N: usize>(bytes: &[u8], version: i32) -> Vec<u8> {
        let level = if version == 0 { 0 } else { 3 };
        meshopt::encode_vertex_buffer_level(bytes.as_chunks::<N>().0, level, Some(version)).unwrap()
    }
    match stride {
        4 => of::<4>(bytes, version),
        8 => of::<8>(bytes, version),
        12 => of::<12>(bytes, version),
        16 => of::<16>(bytes, version),
        64 => of::<64>(bytes, version),
        other => panic!("stride {other}"),
    }
}

fn encode_indices(bytes: &[u8], stride: usize, as_triangles: bool) -> Vec<u8> {
    let indices: Vec<u32> = bytes
        .chunks_exact(stride)
        .map(|b| b.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
        .collect();
    if as_triangles {
        meshopt::encode_index_buffer(&indices, 1 << 20).unwrap()
    } else {
        meshopt::encode_index_sequence(&indices, 1 << 20).unwrap()
    }
}

/// A GLB with every array compressed, its plain buffer gone.
fn with_meshopt(glb: &[u8], extension: &str, as_triangles: bool) -> Vec<u8> {
    let (mut json, binary) = split(glb);
    let index_accessors: Vec<usize> = json["meshes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|mesh| mesh["primitives"].as_array().unwrap())
        .map(|primitive| number(primitive, "indices"))
        .collect();
    let mut packed: Vec<u8> = Vec::new();
    for accessor in 0..json["accessors"].as_array().unwrap().len() {
        let found = json["accessors"][accessor].clone();
        let size = match number(&found, "componentType") {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let width = match found["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let stride = size * width;
        let view_index = number(&found, "bufferView");
        let view = &mut json["bufferViews"][view_index];
        let (start, length) = (number(view, "byteOffset"), number(view, "byteLength"));
        let bytes = &binary[start..start + length];
        let is_index = index_accessors.contains(&accessor);
        let (mode, stream) = if is_index {
            let mode = if as_triangles { "TRIANGLES" } else { "INDICES" };
            (mode, encode_indices(bytes, stride, as_triangles))
        } else {
            let version = i32::from(extension == KHR);
            ("ATTRIBUTES", encode_vertices(bytes, stride, version))
        };
        view["buffer"] = json!(1);
        view["extensions"] = json!({ extension: {
            "buffer": 0, "byteOffset": packed.len(), "byteLength": stream.len(),
            "byteStride": stride, "count": number(&found, "count"), "mode": mode,
        }});
        packed.extend(stream);
    }
    json["buffers"] = json!([
        { "byteLength": packed.len() },
        { "byteLength": binary.len(), "extensions": { extension: { "fallback": true } } },
    ]);
    json["extensionsUsed"] = json!([extension]);
    json["extensionsRequired"] = json!([extension]);
    join(&json, packed)
}

/// No images: a view of one is no array of anything.
fn plain() -> Character {
    let mut character = common::everything();
    for material in &mut character.materials {
        material.image = None;
        material.normal_map = None;
    }
    character
}

fn read(glb: &[u8]) -> Result<Loaded, String> {
    read_character_from_bytes(Format::Glb, "x", glb).map_err(|error| error.to_string())
}

/// The same but for the corner that a triangle begins with, which the codec is free to choose.
fn assert_same(a: &Character, b: &Character) {
    assert_eq!((&a.skeleton, &a.clips), (&b.skeleton, &b.clips));
    for (a, b) in a.parts.iter().zip(&b.parts) {
        assert_eq!((&a.weights, &a.shapes), (&b.weights, &b.shapes));
        assert_eq!(a.mesh.vertex_positions(), b.mesh.vertex_positions());
        assert_eq!(a.mesh.vertex_normals(), b.mesh.vertex_normals());
        assert_eq!(a.mesh.vertex_uvs(), b.mesh.vertex_uvs());
        for (a, b) in a.mesh.triangles().iter().zip(b.mesh.triangles()) {
            let [x, y, z] = *a;
            assert!([[x, y, z], [y, z, x], [z, x, y]].contains(b), "{a:?} became {b:?}");
        }
    }
}

#[test]
fn a_file_compressed_with_meshopt_is_the_file_itself() {
    let glb = character_to_glb(&plain(), &WriteOptions::default()).unwrap();
    let original = read(&glb).unwrap();
    for (extension, as_triangles) in [(EXT, true), (EXT, false), (KHR, true), (KHR, false)] {
        let packed = read(&with_meshopt(&glb, extension, as_triangles)).unwrap();
        assert!(packed.report.is_clean());
        assert_same(&original.character, &packed.character);
    }
}

#[test]
fn broken_meshopt_streams_are_refused_by_name() {
    let glb = character_to_glb(&plain(), &WriteOptions::default()).unwrap();
    let (json, binary) = split(&with_meshopt(&glb, EXT, true));
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut json = json.clone();
        change(&mut json["bufferViews"][0]["extensions"][EXT]);
        read(&join(&json, binary.clone())).unwrap_err()
    };
    let place = "bufferViews[0].extensions.EXT_meshopt_compression";
    for (error, words) in [
        (broken(&|e| e["mode"] = json!("PACKED")), "mode 'PACKED'"),
        (broken(&|e| e["filter"] = json!("SEPIA")), "filter 'SEPIA'"),
        (broken(&|e| e["count"] = json!(1u64 << 60)), "elements of"),
        (broken(&|e| e["byteOffset"] = json!(1u64 << 60)), "reaches past"),
        (broken(&|e| e["byteLength"] = json!(3)), "cut off"),
        (broken(&|e| e["filter"] = json!("QUATERNION")), "byteStride must be 8"),
        (broken(&|e| e["buffer"] = json!(7)), "no such buffer"),
        (
            broken(&|e| {
                e.as_object_mut().unwrap().remove("count");
            }),
            "count",
        ),
    ] {
        assert!(error.contains(words), "{error}");
        assert!(error.contains(place) || words == "no such buffer", "{error}");
    }
}

#[test]
fn a_small_stream_cannot_ask_for_gigabytes() {
    // A version 1 block of 16 vertices of 256 bytes takes 64 bytes of control: all zeros, four
    // thousand times its size.
    let num_blocks = 20_000;
    let mut stream = vec![0xa1];
    stream.extend([0xaa; 64].repeat(num_blocks));
    stream.extend([0; 256 + 64]);
    let count = num_blocks * 32;
    let document = json!({
        "asset": { "version": "2.0" },
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "nodes": [{ "mesh": 0 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3" }],
        "bufferViews": [{ "buffer": 1, "byteLength": count * 256, "byteStride": 256, "extensions": {
            EXT: { "buffer": 0, "byteLength": stream.len(), "byteStride": 256, "count": count, "mode": "ATTRIBUTES" }
        }}],
        "buffers": [{ "byteLength": stream.len() }, { "byteLength": count * 256 }],
    });
    let error = read(&join(&document, stream)).unwrap_err();
    assert!(error.contains("more than a file of this size"), "{error}");
}

#[test]
fn a_file_compressed_with_draco_has_the_same_points_weights_and_triangles() {
    let character = for_draco();
    let glb = character_to_glb(&character, &WriteOptions::default()).unwrap();
    let original = read(&glb).unwrap().character;
    let diagonal = original.bounds().diagonal();
    // Sequential, edgebreaker with and without valences.
    for speed in [10, 7, 2] {
        let packed = read(&with_draco(&glb, speed)).unwrap().character;
        let (a, b) = (&original.parts[0], &packed.parts[0]);
        assert_eq!(a.mesh.points().len(), b.mesh.points().len());
        assert_eq!(a.mesh.triangles().len(), b.mesh.triangles().len());
        let (wa, wb) = (a.weights.as_ref().unwrap(), b.weights.as_ref().unwrap());
        for (point, position) in a.mesh.points().iter().enumerate() {
            // Sixteen bits of the box.
            let near = b.mesh.points().iter().position(|p| p.distance(*position) < 4e-5 * diagonal);
            let near = near.unwrap_or_else(|| panic!("{position} is gone at speed {speed}"));
            for influence in wa.row(point) {
                let other = wb.row(near).iter().find(|i| i.joint == influence.joint);
                let weight = other.map_or(0.0, |i| i.weight);
                assert!((weight - influence.weight).abs() < 1e-3, "{weight} {influence:?}");
            }
        }
    }
}

#[test]
fn a_draco_stream_that_lacks_an_attribute_is_refused_by_name() {
    let glb = character_to_glb(&for_draco(), &WriteOptions::default()).unwrap();
    let (mut json, binary) = split(&with_draco(&glb, 7));
    let draco = &mut json["meshes"][0]["primitives"][0]["extensions"][DRACO];
    draco["attributes"]["POSITION"] = json!(99);
    let error = read(&join(&json, binary.clone())).unwrap_err();
    let place = "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression";
    assert!(error.contains(place) && error.contains("no attribute 99"), "{error}");
    json["meshes"][0]["primitives"][0]["extensions"][DRACO]["bufferView"] = json!(99);
    let error = read(&join(&json, binary)).unwrap_err();
    assert!(error.contains("no buffer view 99"), "{error}");
}

#[test]
fn no_mutant_of_a_compressed_file_panics_or_hangs() {
    let glb = character_to_glb(&for_draco(), &WriteOptions::default()).unwrap();
    let small = character_to_glb(&plain(), &WriteOptions::default()).unwrap();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for (file, share) in [
        (with_meshopt(&small, EXT, true), 1),
        (with_meshopt(&small, KHR, false), 1),
        (with_draco(&glb, 10), 4),
        (with_draco(&glb, 7), 4),
        (with_draco(&glb, 2), 4),
    ] {
        let (json, binary) = split(&file);
        let is_draco = json["extensionsRequired"][0] == json!(DRACO);
        let views = json["bufferViews"].as_array().unwrap();
        // Of Draco only the stream: the rest is what other tests mutate.
        let first = if is_draco { number(views.last().unwrap(), "byteOffset") } else { 0 };
        let mut num_refused = 0;
        for _ in 0..NUM_MUTANTS / share {
            let mut mutant = binary.clone();
            for _ in 0..1 + random() % 3 {
                // Headers, which say how much there is, as often as all that follows.
                let span = if random() % 2 == 0 {
                    60.min(mutant.len() - first)
                } else {
                    mutant.len() - first
                };
                let at = first + random() % span;
                mutant[at] = random() as u8;
            }
            num_refused += usize::from(read(&join(&json, mutant)).is_err());
        }
        assert!(num_refused > 0, "the mutants do not reach the decoder");
    }
}
