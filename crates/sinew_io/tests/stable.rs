//! Converting a second time changes no byte, whatever came in, and what nobody touched is copied.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "common/rich.rs"]
mod rich;

use base64::Engine;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use sinew::Character;
use sinew::motion::Channel;
use sinew_io::{Format, Loaded, Report, WriteOptions, character_to_glb, read_character_from_bytes};

const BASE64: base64::engine::GeneralPurpose = base64::engine::general_purpose::STANDARD;

fn read(json: &Value) -> Loaded {
    read_character_from_bytes(Format::Gltf, "source", json.to_string().as_bytes()).unwrap()
}

fn write(character: &Character) -> Vec<u8> {
    character_to_glb(character, &WriteOptions::default()).unwrap()
}

/// The first conversion, and that the second is the same.
fn twice(character: &Character) -> Vec<u8> {
    let first = write(character);
    let again = read_character_from_bytes(Format::Glb, "again", &first).unwrap();
    let second = write(&again.character);
    assert!(first == second, "{} bytes became {}", first.len(), second.len());
    first
}

fn parts(glb: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&glb[20..20 + word(12)]).unwrap();
    (json, glb[20 + word(12) + 8..].to_vec())
}

fn floats((json, binary): &(Value, Vec<u8>), accessor: &Value) -> Vec<f32> {
    let index = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let view = &json["bufferViews"][index(&json["accessors"][index(accessor)]["bufferView"])];
    let bytes = &binary[index(&view["byteOffset"])..][..index(&view["byteLength"])];
    bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

/// Weights of thirds, a rotation and a matrix whose last bits no arithmetic gives back, an
/// animation without a name, a skin that names a joint that is no root.
fn awkward() -> Value {
    let mut bytes: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut add = |values: &[f32]| {
        views.push(json!({
            "buffer": 0, "byteOffset": bytes.len(), "byteLength": values.len() * 4,
        }));
        bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
    };
    add(&[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let third = [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0];
    add(&[third, [0.7, 0.2, 0.1, 0.0], [0.6, 0.3, 0.1, 0.0]].concat());
    add(&[0.0, 0.5, 1.0]);
    // Unit to f32's accuracy only: normalised again in f64, some bits move.
    add(&[0.1, 0.7, 0.1, 0.70004, 0.577_350_3, 0.577_350_3, 0.577_350_3, 0.0, 0.6, 0.0, 0.0, 0.8]);
    let c = std::f32::consts::FRAC_1_SQRT_2;
    let bind = [c, c, 0., 0., -c, c, 0., 0., 0., 0., 1., 0., 0.1, 0.3, 0.7, 1.];
    add(&bind.repeat(3));
    let joints_at = bytes.len();
    views.push(json!({ "buffer": 0, "byteOffset": joints_at, "byteLength": 12 }));
    bytes.extend([0, 1, 2, 0].repeat(3));
    let data = BASE64.encode(&bytes);
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 4] }],
        "nodes": [
            { "name": "root", "children": [1, 2, 3] },
            { "name": "a", "rotation": [0.1, 0.7, 0.1, 0.70004], "translation": [0.1, 0.2, 0.3] },
            { "name": "b", "translation": [0.3, 0, 0] },
            { "name": "c", "rotation": [0.6, 0, 0, 0.8] },
            { "name": "body", "mesh": 0, "skin": 0 },
        ],
        "meshes": [{ "name": "body", "primitives": [{
            "attributes": { "POSITION": 0, "JOINTS_0": 5, "WEIGHTS_0": 1 },
        }] }],
        "skins": [{ "joints": [1, 2, 3], "inverseBindMatrices": 4, "skeleton": 2 }],
        "animations": [{
            "samplers": [{ "input": 2, "output": 3, "extras": { "curve": "mine" } }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
        }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
              "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4" },
            { "bufferView": 2, "componentType": 5126, "count": 3, "type": "SCALAR",
              "min": [0], "max": [1] },
            { "bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC4" },
            { "bufferView": 4, "componentType": 5126, "count": 3, "type": "MAT4" },
            { "bufferView": 5, "componentType": 5121, "count": 3, "type": "VEC4" },
        ],
        "bufferViews": views,
        "buffers": [{
            "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{data}"),
        }],
    })
}

#[test]
fn samples_of_everything_are_written_the_same_twice() {
    let mut runner = TestRunner::deterministic();
    twice(&common::everything());
    for _ in 0..8 {
        twice(&common::character().new_tree(&mut runner).unwrap().current());
    }
    twice(&read(&serde_json::from_str(&rich::document()).unwrap()).character);
}

#[test]
fn weights_matrices_and_keys_that_nobody_touched_keep_their_bits() {
    let source = awkward();
    let loaded = read(&source);
    let written = parts(&twice(&loaded.character));
    let uri = source["buffers"][0]["uri"].as_str().unwrap();
    let binary = BASE64.decode(uri.split_once(',').unwrap().1).unwrap();
    let source = (source, binary);
    let weights = "/meshes/0/primitives/0/attributes/WEIGHTS_0";
    for place in ["/animations/0/samplers/0/output", "/skins/0/inverseBindMatrices", weights] {
        let of = |document: &(Value, Vec<u8>)| {
            floats(document, document.0.pointer(place).unwrap())
                .iter()
                .map(|x| x.to_bits())
                .collect()
        };
        let (then, now): (Vec<u32>, Vec<u32>) = (of(&source), of(&written));
        assert_eq!(then, now, "{place}");
    }
    let (json, _) = &written;
    assert!(json["animations"][0].get("name").is_none(), "it was given a name");
    assert_eq!(json["animations"][0]["samplers"][0]["extras"]["curve"], "mine");
}

#[test]
fn a_skeleton_that_is_no_common_root_is_left_out_with_a_note_and_a_right_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let write_to = |source: &Value| -> (Report, Value) {
        let character = read(source).character;
        let report = sinew_io::write_character(&path, &character, &WriteOptions::default());
        (report.unwrap(), parts(&std::fs::read(&path).unwrap()).0)
    };
    let mut source = awkward();
    let (report, json) = write_to(&source);
    assert!(report.has("skeleton-not-a-root"), "{report:?}");
    assert!(json["skins"][0].get("skeleton").is_none());
    for (node, is_kept) in [(0, true), (1, false), (4, false), (99, false)] {
        source["skins"][0]["skeleton"] = json!(node);
        let (report, json) = write_to(&source);
        assert_eq!(json["skins"][0].get("skeleton").is_some(), is_kept, "node {node}");
        assert_eq!(report.has("skeleton-not-a-root"), !is_kept, "node {node}");
    }
}

#[test]
fn what_is_wrong_is_mended_once_and_then_stays() {
    let mut source = awkward();
    // A joint that the skin does not have, where nothing weighs, and sums far from one.
    source["accessors"][1]["bufferView"] = json!(3);
    let character = read(&source).character;
    assert!(character.parts[0].weights.is_some());
    twice(&character);
}

#[test]
fn what_was_changed_is_written_and_what_was_not_is_copied() {
    let mut character = read(&awkward()).character;
    let Channel::Rotation(curve) = &mut character.clips[0].tracks[0].channel else { panic!("one") };
    curve.values[0] = glam::DQuat::IDENTITY;
    let (json, binary) = parts(&twice(&character));
    let output = json["animations"][0]["samplers"][0]["output"].clone();
    assert_eq!(floats(&(json, binary), &output)[..4], [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn a_primitive_that_cannot_be_copied_leaves_nothing_behind() {
    let mut source = awkward();
    // Outside the scene, with indices that are not there.
    source["nodes"].as_array_mut().unwrap().push(json!({ "mesh": 1 }));
    let primitive = json!({ "attributes": { "POSITION": 0 }, "indices": 77 });
    source["meshes"].as_array_mut().unwrap().push(json!({ "primitives": [primitive] }));
    twice(&read(&source).character);
}
