//! Files that break the rules: refused, or reported with the spot, quickly and in little memory.
//!
//! Generated ones, which are always tested; `real/invalid.rs` has those of other projects.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/bounds.rs"]
mod bounds;
#[path = "common/faults.rs"]
mod faults;

use bounds::{Cost, alone};
use faults::{bounded, warnings};
use sinew_io::{Format, Loaded, ReadError, read_character_from_bytes};

/// A document with a triangle, a skin of two joints and a clip, and with one thing replaced.
fn document(from: &str, to: &str) -> String {
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,3]}],
"nodes":[{"name":"root","children":[1]},{"name":"tip","children":[2]},{"name":"end"},{"mesh":0,"skin":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2},"indices":5}]}],
"skins":[{"joints":[0,1],"inverseBindMatrices":6}],
"animations":[{"samplers":[{"input":3,"output":4}],"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}]}],
"accessors":[
{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5121,"count":3,"type":"VEC4"},
{"bufferView":2,"componentType":5126,"count":3,"type":"VEC4"},
{"bufferView":3,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]},
{"bufferView":4,"componentType":5126,"count":2,"type":"VEC4"},
{"bufferView":5,"componentType":5121,"count":3,"type":"SCALAR"},
{"bufferView":6,"componentType":5126,"count":2,"type":"MAT4"}],
"bufferViews":[
{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":12},{"buffer":0,"byteOffset":48,"byteLength":48},
{"buffer":0,"byteOffset":96,"byteLength":8},{"buffer":0,"byteOffset":104,"byteLength":32},
{"buffer":0,"byteOffset":136,"byteLength":3},{"buffer":0,"byteOffset":140,"byteLength":128}],
"buffers":[{"byteLength":268}]}"#;
    assert!(from.is_empty() || json.contains(from), "{from}");
    json.replacen(from, to, 1)
}

fn binary() -> Vec<u8> {
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    bytes.extend([0, 1, 0, 0].repeat(3));
    bytes.extend(floats(&[0.5, 0.5, 0., 0.].repeat(3)));
    bytes.extend(floats(&[0., 1.]));
    bytes.extend(floats(&[0., 0., 0., 1.].repeat(2)));
    bytes.extend([0, 1, 2, 0]);
    let identity = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    bytes.extend(floats(&identity.repeat(2)));
    bytes
}

fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    let length = 28 + json.len() + binary.len();
    bytes.extend((length as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    bounded("generated", bytes.len(), || read_character_from_bytes(Format::Glb, "x", bytes))
}

#[test]
fn the_document_that_the_faults_are_made_from_is_clean() {
    let _alone = alone();
    let loaded = read(&glb(&document("", ""), &binary())).unwrap();
    assert!(loaded.report.is_clean(), "{:?}", loaded.report);
    assert_eq!(loaded.character.num_triangles(), 1);
}

#[test]
fn faults_of_the_document_are_reported_with_the_spot_or_refused_with_it() {
    let _alone = alone();
    for (from, to, words) in [
        // References and types.
        (r#""mesh":0"#, r#""mesh":7"#, "nodes[3].mesh"),
        (r#""skin":0"#, r#""skin":7"#, "nodes[3].skin"),
        (r#""indices":5"#, r#""indices":70"#, "meshes[0].primitives[0].indices"),
        (r#""input":3"#, r#""input":70"#, "animations[0].samplers[0].input"),
        (r#"{"sampler":0"#, r#"{"sampler":4"#, "animations[0].channels[0].sampler"),
        (r#""buffer":0,"byteLength":36"#, r#""buffer":9,"byteLength":36"#, "buffers[9]"),
        (r#""scenes":[{"nodes":[0,3]}]"#, r#""scenes":[{"nodes":[0,1,3]}]"#, "scenes[0].nodes[1]"),
        (r#""asset""#, r#""samplers":{},"asset""#, "samplers"),
        (r#""asset""#, r#""cameras":[],"asset""#, "cameras"),
        (r#""asset""#, r#""extensions":{"A":1},"asset""#, "extensions.A"),
        (r#""asset""#, r#""extensionsUsed":["VRM","VRM"],"asset""#, "extensionsUsed[1]"),
        // Nodes and skins.
        (r#""name":"end""#, r#""name":"end","children":[0]"#, "nodes[0]"),
        (r#""name":"end""#, r#""name":"end","children":[]"#, "nodes[2].children"),
        (r#""name":"end""#, r#""name":"end","skin":0"#, "nodes[2].skin"),
        (r#""name":"end""#, r#""name":"end","weights":[1]"#, "nodes[2].weights"),
        (
            r#""name":"end""#,
            r#""scale":[1,1,1],"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"#,
            "nodes[2].matrix",
        ),
        (r#""joints":[0,1]"#, r#""joints":[0,0]"#, "skins[0].joints[1]"),
        (
            r#""joints":[0,1]"#,
            r#""joints":[0,3]"#,
            "skins[0].joints: the joints have no common root",
        ),
        (r#""joints":[0,1]"#, r#""joints":[0,1],"skeleton":2"#, "skins[0].skeleton"),
        (r#""type":"MAT4""#, r#""type":"VEC4""#, "skins[0].inverseBindMatrices"),
        // Meshes.
        (r#""WEIGHTS_0":2"#, r#""WEIGHTS_1":2"#, "meshes[0].primitives[0].attributes"),
        (r#""WEIGHTS_0":2"#, r#""WEIGHTS_0":2,"FUR":2"#, "meshes[0].primitives[0].attributes.FUR"),
        (r#""indices":5"#, r#""indices":5,"targets":[{"POSITION":4}]"#, "targets[0].POSITION"),
        (r#""indices":5"#, r#""indices":5,"material":3"#, "meshes[0].primitives[0].material"),
        (r#""min":[0,0,0],"max":[1,1,0]"#, r#""max":[1,1,0]"#, "attributes.POSITION"),
        (r#""max":[1,1,0]"#, r#""max":[1,2,0]"#, "accessors[0].max[1]: says 2, but it is 1"),
        // Animations.
        (r#""path":"rotation""#, r#""path":"scale""#, "animations[0]"),
        (r#""path":"rotation""#, r#""path":"weights""#, "animations[0].channels[0].target"),
        (r#""min":[0],"max":[1]"#, r#""min":[0]"#, "animations[0].samplers[0].input"),
        (
            r#""channels":[{"#,
            r#""channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}},{"#,
            "animations[0].channels[1].target",
        ),
        // Accessors, views, buffers.
        (r#""byteOffset":48,"#, r#""byteOffset":46,"#, "accessors[2]"),
        (
            r#""byteOffset":136,"byteLength":3"#,
            r#""byteOffset":136,"byteLength":2"#,
            "accessors[5]",
        ),
        (r#""byteLength":36"#, r#""byteLength":36,"byteStride":8"#, "accessors[0]"),
        (
            r#""byteLength":3}"#,
            r#""byteLength":3,"byteStride":4}"#,
            "meshes[0].primitives[0].indices",
        ),
        (r#""byteLength":128"#, r#""byteLength":129"#, "bufferViews[6]"),
        (r#""byteLength":268"#, r#""byteLength":300"#, "buffers[0]"),
    ] {
        let bytes = glb(&document(from, to), &binary());
        let said = match read(&bytes) {
            Ok(loaded) => warnings(&loaded),
            Err(error) => vec![error.to_string()],
        };
        assert!(
            said.iter().any(|line| line.contains(words)),
            "{to}: wanted '{words}' in {said:#?}"
        );
    }
}

#[test]
fn faults_of_the_data_are_reported_with_the_spot_or_refused_with_it() {
    let _alone = alone();
    let float = |value: f32| value.to_le_bytes().to_vec();
    for (at, bytes, words) in [
        (0, float(f32::NAN), "not finite"),
        (0, float(-2.0), "accessors[0].min[0]: says 0, but it is -2"),
        (36, vec![9], "joint-index-out-of-range"),
        (48, float(9.0), "weights-not-normalized"),
        (96, float(1.0), "animations[0].samplers[0].input"),
        (96, float(-1.0), "animations[0].samplers[0].input"),
        (116, float(3.0), "animations[0].channels[0].sampler: 1 quaternions"),
        (136, vec![3], "meshes[0].primitives[0].indices"),
        (136, vec![255], "meshes[0].primitives[0].indices"),
        (140 + 12, float(1.0), "skins[0].inverseBindMatrices"),
        (140, float(f32::NAN), "skins[0].inverseBindMatrices"),
    ] {
        let mut data = binary();
        data[at..at + bytes.len()].copy_from_slice(&bytes);
        let said = match read(&glb(&document("", ""), &data)) {
            Ok(loaded) => warnings(&loaded),
            Err(error) => vec![error.to_string()],
        };
        assert!(
            said.iter().any(|line| line.contains(words)),
            "byte {at}: wanted '{words}' in {said:#?}"
        );
    }
}

#[test]
fn faults_of_the_container_are_reported_with_the_byte_or_refused_with_it() {
    let _alone = alone();
    let good = glb(&document("", ""), &binary());
    let mut long = good.clone();
    long.extend([0; 3]);
    let mut version = good.clone();
    version[4] = 1;
    let cut = good[..good.len() - 1].to_vec();
    let mut kind = good.clone();
    kind[16..20].copy_from_slice(b"BIN\0");
    for (bytes, words) in [
        (long, "byte 8"),
        (version, "byte 4"),
        (cut, "byte 8"),
        (kind, "byte 16"),
        (vec![], "byte 0"),
    ] {
        let said = match read(&bytes) {
            Ok(loaded) => warnings(&loaded),
            Err(error) => vec![error.to_string()],
        };
        assert!(said.iter().any(|line| line.contains(words)), "wanted '{words}' in {said:#?}");
    }
}

#[test]
fn integers_may_be_written_as_floats() {
    let _alone = alone();
    let bytes = glb(&document(r#""mesh":0,"skin":0"#, r#""mesh":0.0,"skin":0e0"#), &binary());
    assert_eq!(read(&bytes).unwrap().character.num_triangles(), 1);
}

#[test]
fn a_hundred_thousand_faults_do_not_make_as_many_warnings() {
    let _alone = alone();
    let nodes = vec![r#"{"skin":9}"#; 75_000].join(",");
    let json = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]}}"#);
    let loaded = bounded("faults", json.len(), || {
        read_character_from_bytes(Format::Gltf, "x", json.as_bytes())
    })
    .unwrap();
    assert!(loaded.report.warnings.len() < 100);
    let total: usize = loaded.report.warnings.iter().map(|w| w.count).sum();
    assert!(total >= 150_000, "each is counted: {total}");
}

/// Documents of the smallest things that take the most memory, a hundred thousand times over and
/// more. `@` stands for them.
const BOMBS: &[(&str, &str)] = &[
    (r#""nodes":[@]"#, "{}"),
    (r#""nodes":[@]"#, r#"{"mesh":0}"#),
    (r#""nodes":[@]"#, r#"{"children":[0]}"#),
    (r#""nodes":[@]"#, r#"{"extras":{"":0}}"#),
    (r#""nodes":[@]"#, r#"{"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"#),
    (r#""scenes":[@]"#, "{}"),
    (r#""scenes":[{"nodes":[@]}]"#, "0"),
    (r#""meshes":[@]"#, r#"{"primitives":[]}"#),
    (r#""meshes":[{"primitives":[@]}]"#, r#"{"attributes":{}}"#),
    (r#""meshes":[{"primitives":[@]}]"#, r#"{"attributes":{"":0}}"#),
    (r#""meshes":[{"primitives":[{"attributes":{},"targets":[@]}]}]"#, "{}"),
    (r#""meshes":[{"primitives":[{"attributes":{},"targets":[@]}]}]"#, r#"{"":0}"#),
    (r#""meshes":[{"primitives":[],"weights":[@]}]"#, "0"),
    (r#""meshes":[{"primitives":[],"extras":[@]}]"#, "[0]"),
    (r#""meshes":[{"primitives":[],"extras":[@]}]"#, r#"{"":0}"#),
    (r#""meshes":[{"primitives":[],"extras":[@]}]"#, r#""""#),
    (r#""skins":[@]"#, r#"{"joints":[]}"#),
    (r#""animations":[@]"#, r#"{"channels":[],"samplers":[]}"#),
    (
        r#""nodes":[{}],"animations":[{"channels":[@],"samplers":[]}]"#,
        r#"{"sampler":0,"target":{"path":""}}"#,
    ),
    (r#""animations":[{"channels":[],"samplers":[@]}]"#, r#"{"input":0,"output":0}"#),
    (r#""materials":[@]"#, "{}"),
    (r#""materials":[@]"#, r#"{"pbrMetallicRoughness":{"":0}}"#),
    (r#""textures":[@]"#, "{}"),
    (r#""images":[@]"#, "{}"),
    (r#""accessors":[@]"#, r#"{"componentType":5126,"count":0,"type":""}"#),
    (r#""bufferViews":[@]"#, r#"{"buffer":0,"byteLength":0}"#),
    (r#""bufferViews":[@]"#, r#"{"buffer":0,"byteLength":0,"extensions":{}}"#),
    (r#""buffers":[@]"#, r#"{"byteLength":0}"#),
    (r#""meshes":[{"primitives":[],"extras":{"targetNames":[@]}}]"#, r#""""#),
    (r#""meshes":[{"primitives":[],"extras":{"targetNames":[@]}}]"#, "[0]"),
    (r#""materials":[{"pbrMetallicRoughness":{"baseColorFactor":[@]}}]"#, "0"),
    (r#""extensionsUsed":[@]"#, r#""""#),
    (r#""cameras":[@]"#, "{}"),
    (r#""extras":[@]"#, "{}"),
];

#[test]
fn documents_of_empty_things_take_no_more_than_they_may() {
    let _alone = alone();
    let mut worst = Vec::new();
    for (document, thing) in BOMBS {
        for num_bytes in [1_000_000, 4_000_000] {
            let list = vec![*thing; num_bytes / (thing.len() + 1)].join(",");
            let json =
                format!(r#"{{"asset":{{"version":"2.0"}},{}}}"#, document.replace('@', &list));
            let (_, cost) = Cost::of(|| {
                read_character_from_bytes(Format::Gltf, "bomb", json.as_bytes()).is_ok()
            });
            let per_byte = cost.bytes / json.len();
            eprintln!("{document} of {thing}: {} bytes, {per_byte} a byte", json.len());
            worst.extend(cost.excess(json.len()).map(|e| format!("{document} of {thing}: {e}")));
        }
    }
    assert!(worst.is_empty(), "{worst:#?}");
}
