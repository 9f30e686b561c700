//! What Sinew does not understand of a glTF comes out as it came in, and the rest is still right.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;
#[path = "common/rich.rs"]
mod rich;
#[path = "common/trips.rs"]
mod trips;

use glam::{DVec3, Vec3};
use serde_json::Value;
use sinew::mesh::RawMesh;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Joint, JointTransform, Skeleton};
use sinew::weights::SkinWeights;
use sinew::{Character, Part};
use sinew_io::{
    Format, WriteOptions, character_to_glb, read_character, read_character_from_bytes,
    write_character,
};
use trips::{
    MAX_QUANTIZED_MOVE_OVER_DIAGONAL, assert_compression_loses_nothing,
    assert_quantised_within_bound, assert_same_motion, through_glb, whole, worst_move,
};

fn rich() -> Character {
    let text = rich::document();
    read_character_from_bytes(Format::Gltf, "rich", text.as_bytes()).unwrap().character
}

/// The JSON of a GLB, and its binary chunk.
fn taken_apart(glb: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&glb[20..20 + word(12)]).unwrap();
    (json, glb[20 + word(12) + 8..].to_vec())
}

fn written(character: &Character) -> (Value, Vec<u8>) {
    taken_apart(&character_to_glb(character, &whole()).unwrap())
}

/// The bytes of an accessor that has a view of its own.
fn bytes_of<'a>((json, binary): &'a (Value, Vec<u8>), accessor: &Value) -> &'a [u8] {
    let view = &json["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"];
    bytes_of_view((json, binary), view)
}

fn bytes_of_view<'a>((json, binary): (&Value, &'a Vec<u8>), view: &Value) -> &'a [u8] {
    let view = &json["bufferViews"][view.as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
    &binary[start..start + view["byteLength"].as_u64().unwrap() as usize]
}

#[test]
fn what_nobody_looks_at_comes_out_as_it_came_in() {
    let source: Value = serde_json::from_str(&rich::document()).unwrap();
    let result = written(&rich());
    let json = &result.0;
    for same in [
        "extensionsUsed",
        "extras",
        "scene",
        "scenes",
        "nodes",
        "cameras",
        "materials",
        "samplers",
        "textures",
    ] {
        assert_eq!(source[same], json[same], "{same}");
    }
    assert_eq!(json["asset"]["copyright"], "(c) Somebody");
    assert_eq!(json["asset"]["extras"]["a"], source["asset"]["extras"]["a"]);
    for same in ["KHR_lights_punctual", "KHR_materials_variants"] {
        assert_eq!(source["extensions"][same], json["extensions"][same], "{same}");
    }
    let secret = &json["extensions"]["ACME_secret"];
    assert_eq!(bytes_of_view((json, &result.1), &secret["bufferView"]), b"of nobody's business");
    assert_eq!(secret["node"], 6);
    for (index, name) in ["square", "wire", "unseen", "plank"].into_iter().enumerate() {
        assert_eq!(json["meshes"][index]["name"], name);
    }
    assert_eq!(json["meshes"].as_array().unwrap().len(), 4);
    assert_eq!(json["meshes"][0]["weights"], source["meshes"][0]["weights"]);
    assert_eq!(json["meshes"][0]["extras"], source["meshes"][0]["extras"]);
    for same in ["extensions", "extras", "material"] {
        let place = |json: &Value| json["meshes"][0]["primitives"][0][same].clone();
        assert_eq!(place(&source), place(json), "{same}");
    }
    for (index, image) in json["images"].as_array().unwrap().iter().enumerate() {
        assert_eq!(bytes_of_view((json, &result.1), &image["bufferView"]), common::PNG, "{index}");
    }
    assert_eq!(json["skins"][0]["joints"], source["skins"][0]["joints"]);
    assert_eq!(json["skins"][0]["name"], "bones");
}

#[test]
fn further_attributes_keep_their_bytes_and_types() {
    let result = written(&rich());
    let json = &result.0;
    let attributes = &json["meshes"][0]["primitives"][0]["attributes"];
    let accessor = |name: &str| &json["accessors"][attributes[name].as_u64().unwrap() as usize];
    assert_eq!(bytes_of(&result, &attributes["COLOR_0"]), (0..16).collect::<Vec<u8>>());
    assert_eq!(
        (
            accessor("COLOR_0")["componentType"].as_u64(),
            accessor("COLOR_0")["normalized"].as_bool()
        ),
        (Some(5121), Some(true))
    );
    assert_eq!(accessor("TEXCOORD_1")["componentType"], 5123);
    assert_eq!(bytes_of(&result, &attributes["_HEAT"])[..4], 0.5f32.to_le_bytes());
    assert_eq!(bytes_of(&result, &attributes["TANGENT"])[12..16], (-1.0f32).to_le_bytes());
    let position: Vec<u8> = rich::SQUARE.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(bytes_of(&result, &attributes["POSITION"]), position);
    let target = &json["meshes"][0]["primitives"][0]["targets"][0];
    assert!(target["POSITION"].is_u64() && target["NORMAL"].is_u64());
    let line = &json["meshes"][3]["primitives"][1];
    assert_eq!((line["mode"].as_u64(), line["material"].as_u64()), (Some(1), Some(0)));
    assert_eq!(json["meshes"][1]["primitives"][0]["mode"], 1);
}

#[test]
fn instances_share_their_mesh_and_meshes_stay_at_their_nodes() {
    let (json, _) = written(&rich());
    assert_eq!(
        (json["nodes"][4]["mesh"].as_u64(), json["nodes"][8]["mesh"].as_u64()),
        (Some(3), Some(3))
    );
    assert!(json["nodes"][4]["skin"].is_null());
    assert_eq!(json["skins"].as_array().unwrap().len(), 1);
}

#[test]
fn a_channel_that_points_into_an_extension_is_kept_with_its_keys() {
    let result = written(&rich());
    let animation = &result.0["animations"][0];
    assert_eq!(
        (animation["name"].as_str(), animation["extras"]["speed"].as_u64()),
        (Some("go"), Some(2))
    );
    let channels = animation["channels"].as_array().unwrap();
    let pointer = channels.iter().find(|c| c["target"]["path"] == "pointer").unwrap();
    let sampler = &animation["samplers"][pointer["sampler"].as_u64().unwrap() as usize];
    let keys: Vec<u8> = [1.0f32, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(bytes_of(&result, &sampler["output"]), keys);
    let moved: Vec<_> = channels.iter().filter_map(|c| c["target"]["node"].as_u64()).collect();
    assert_eq!(moved, [7, 1]);
}

#[test]
fn a_rich_document_comes_back_with_its_motion() {
    let first = rich();
    let second = through_glb(&first);
    assert_same_motion("rich", &first, &second);
    let (once, twice) = (written(&first), written(&second));
    assert_eq!(once.0, twice.0);
    assert_eq!(once.1, twice.1);
}

#[test]
fn a_changed_part_is_right_and_the_rest_stays() {
    let mut character = rich();
    // The board, which hangs scaled below a node that moves, is lifted by one in model space.
    let board = character.parts.iter().position(|p| p.mesh.name() == "board").unwrap();
    let part = &character.parts[board];
    let raw = RawMesh {
        name: part.mesh.name().into(),
        positions: part.mesh.vertex_positions().iter().map(|p| *p + Vec3::Y).collect(),
        uvs: part.mesh.vertex_uvs().to_vec(),
        triangles: part.mesh.triangles().to_vec(),
        groups: part.mesh.groups().to_vec(),
        weights: part.weights.as_ref().map(|w| w.select_rows(part.mesh.point_of_vertex())),
        ..RawMesh::default()
    };
    let materials = part.materials.clone();
    character.parts[board] = Part { materials, ..raw.weld().unwrap().part };
    let read = through_glb(&character);
    assert_same_motion("lifted board", &character, &read);
    let (json, _) = written(&character);
    // No longer the mesh of its other instance.
    assert_ne!(json["nodes"][4]["mesh"], json["nodes"][8]["mesh"]);
}

#[test]
fn a_part_taken_away_or_added_changes_nothing_else() {
    let mut character = rich();
    let body = character.parts.iter().position(|p| p.mesh.name() == "square").unwrap();
    let mut added = character.parts[body].clone();
    character.parts.remove(body);
    assert_same_motion("without body", &character, &through_glb(&character));
    let (json, _) = written(&character);
    assert!(json["nodes"][3]["mesh"].is_null() && json["nodes"][3]["skin"].is_null());
    assert_eq!(json["nodes"][8]["mesh"], 3);

    let mut character = rich();
    added.shapes.clear();
    let raw = RawMesh {
        name: "patch".into(),
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Z],
        triangles: vec![[0, 1, 2]],
        weights: added.weights.as_ref().map(|w| w.select_rows(&[0, 1, 2])),
        ..RawMesh::default()
    };
    character.parts.push(raw.weld().unwrap().part);
    assert_same_motion("with patch", &character, &through_glb(&character));
}

#[test]
fn a_new_joint_is_added_and_a_joint_that_was_moved_moves() {
    let mut character = rich();
    let mut joints = character.skeleton.joints().to_vec();
    joints[0].rest.translation.x += 1.0;
    joints.push(Joint {
        name: "new".into(),
        parent: Some(1),
        rest: JointTransform { translation: DVec3::Y, ..JointTransform::IDENTITY },
        tail_in_joint: DVec3::Y,
    });
    character.skeleton = Skeleton::new(joints).unwrap();
    let last = character.skeleton.len() as u32 - 1;
    let body = character.parts.iter().position(|p| p.mesh.name() == "square").unwrap();
    let rows = [vec![(0, 0.5), (last, 0.5)], vec![(last, 1.0)], vec![(1, 1.0)], vec![(0, 1.0)]];
    character.parts[body].weights = Some(SkinWeights::from_rows(rows, last as usize + 1).0);
    let read = through_glb(&character);
    assert_eq!(read.skeleton.len(), character.skeleton.len());
    assert_same_motion("new joint", &character, &read);
}

#[test]
fn another_skeleton_is_written_anew_and_said_so() {
    let mut character = rich();
    character.skeleton = Skeleton::default();
    character.clips.clear();
    for part in &mut character.parts {
        part.weights = None;
    }
    let folder = tempfile::tempdir().unwrap();
    let report =
        write_character(&folder.path().join("a.glb"), &character, &WriteOptions::default())
            .unwrap();
    assert!(report.has("carried-left-out"), "{report:?}");
    assert_same_motion("no skeleton", &character, &through_glb(&character));
}

#[test]
fn gltf_beside_its_buffer_reads_back_like_glb() {
    let character = rich();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my hero.gltf");
    let report = write_character(&path, &character, &WriteOptions::default()).unwrap();
    assert!(report.is_clean(), "{report:?}");
    let read = read_character(&path).unwrap().character;
    assert_same_motion("gltf", &character, &read);
    assert_eq!(written(&read).0, written(&through_glb(&character)).0);
}

fn some_characters() -> Vec<Character> {
    let options = |kind| SampleOptions { kind, points: Some(3000), bones: None };
    let sample = |kind| build(&options(kind)).unwrap();
    vec![rich(), common::everything(), sample(SampleKind::Snake)]
}

#[test]
fn compression_loses_nothing_and_makes_smaller() {
    for character in some_characters() {
        assert_compression_loses_nothing(&character);
    }
}

#[test]
fn quantised_vertices_come_back_within_their_bound() {
    for character in some_characters() {
        assert_quantised_within_bound(&character);
    }
}

#[test]
fn quantised_meshes_without_a_skin_are_small_and_where_they_were() {
    let quantize = WriteOptions { quantize: true, ..WriteOptions::default() };
    let mut character = common::everything();
    character.skeleton = Skeleton::default();
    character.clips.clear();
    for part in &mut character.parts {
        part.weights = None;
    }
    let plain = character_to_glb(&character, &WriteOptions::default()).unwrap();
    // Once as made, once as read from a file; and again from a file that was quantised.
    let read = |glb: &[u8]| read_character_from_bytes(Format::Glb, "x", glb).unwrap().character;
    let first = character_to_glb(&character, &quantize).unwrap();
    let carried = character_to_glb(&read(&plain), &quantize).unwrap();
    let again = character_to_glb(&read(&first), &quantize).unwrap();
    for glb in [first, carried, again] {
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
        for mesh in json["meshes"].as_array().unwrap() {
            let accessor = mesh["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap();
            assert_eq!(json["accessors"][accessor as usize]["componentType"], 5123);
        }
        let worst = worst_move(&character, &read(&glb));
        assert!(worst <= MAX_QUANTIZED_MOVE_OVER_DIAGONAL, "{worst}");
    }
}
