//! What Sinew does not understand of a glTF comes out as it came in, and the rest is still right.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;
#[path = "common/rich.rs"]
mod rich;

use glam::{DVec3, Vec3};
use serde_json::Value;
use sinew::mesh::RawMesh;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Joint, JointTransform, Palette, Pose, Skeleton};
use sinew::weights::SkinWeights;
use sinew::{Character, Part};
use sinew_io::{
    Format, WriteOptions, character_to_glb, read_character, read_character_from_bytes,
    write_character,
};

/// What a position may move by over the diagonal, at rest and posed, from file to file.
const MAX_MOVE_OVER_DIAGONAL: f64 = 1e-6;

/// All influences: what is compared is the way through the file, not the fit to fewer.
fn whole() -> WriteOptions {
    WriteOptions { max_influences: None, ..WriteOptions::default() }
}

fn through_glb(character: &Character) -> Character {
    let bytes = character_to_glb(character, &whole()).unwrap();
    read_character_from_bytes(Format::Glb, "unnamed", &bytes).unwrap().character
}

/// All vertices in a pose, in f64.
fn posed(character: &Character, pose: &Pose) -> Vec<DVec3> {
    let palette = Palette::new(&character.skeleton, pose);
    let mut out = Vec::new();
    for part in &character.parts {
        for (vertex, position) in part.mesh.vertex_positions().iter().enumerate() {
            let point = part.mesh.point_of_vertex()[vertex] as usize;
            let rest = position.as_dvec3();
            out.push(match &part.weights {
                Some(weights) => weights
                    .row(point)
                    .iter()
                    .map(|i| {
                        let matrix = palette.model_from_rest()[i.joint as usize];
                        matrix.transform_point3(rest) * f64::from(i.weight)
                    })
                    .sum(),
                None => rest,
            });
        }
    }
    out
}

fn assert_same_motion(name: &str, a: &Character, b: &Character) {
    assert_eq!(a.parts.len(), b.parts.len(), "{name}");
    let names = |c: &Character| -> Vec<String> {
        c.parts.iter().map(|p| p.mesh.name().to_owned()).collect()
    };
    assert_eq!(names(a), names(b), "{name}");
    let materials = |c: &Character| -> Vec<_> {
        let runs = c.parts.iter().flat_map(|part| &part.materials);
        runs.map(|run| (run.triangles.clone(), c.materials[run.material as usize].clone()))
            .collect()
    };
    assert_eq!(materials(a), materials(b), "{name}");
    let shapes = |c: &Character| -> Vec<String> {
        c.parts.iter().flat_map(|p| p.shapes.iter().map(|s| s.name.clone())).collect()
    };
    assert_eq!(shapes(a), shapes(b), "{name}");
    let clips =
        |c: &Character| -> Vec<String> { c.clips.iter().map(|clip| clip.name.clone()).collect() };
    assert_eq!(clips(a), clips(b), "{name}");
    let diagonal = f64::from(a.bounds().diagonal()).max(1e-9);
    let mut poses = vec![(Pose::rest(&a.skeleton), Pose::rest(&b.skeleton))];
    for (clip_a, clip_b) in a.clips.iter().zip(&b.clips) {
        for step in 0..4 {
            let time = clip_a.duration_seconds() * f64::from(step) / 3.0;
            poses.push((clip_a.pose_at(&a.skeleton, time), clip_b.pose_at(&b.skeleton, time)));
        }
    }
    for (pose_a, pose_b) in &poses {
        let (a, b) = (posed(a, pose_a), posed(b, pose_b));
        assert_eq!(a.len(), b.len(), "{name}");
        let worst = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(worst <= MAX_MOVE_OVER_DIAGONAL * diagonal, "{name}: {worst} of {diagonal}");
    }
    for (a, b) in a.parts.iter().zip(&b.parts) {
        for (a, b) in a.shapes.iter().zip(&b.shapes) {
            let worst = a.deltas.iter().zip(&b.deltas).map(|(a, b)| a.distance(*b));
            let worst = worst.fold(0.0, f32::max);
            assert!(f64::from(worst) <= MAX_MOVE_OVER_DIAGONAL * diagonal, "{name}: {worst}");
        }
        let normals = a.mesh.vertex_normals().iter().zip(b.mesh.vertex_normals());
        let worst = normals.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(worst < 1e-3 || a.mesh.vertex_normals().contains(&Vec3::ZERO), "{name}: {worst}");
    }
}

#[test]
fn every_real_file_comes_back_with_its_motion_and_a_second_trip_changes_nothing() {
    let files = common::real_files("gltf");
    eprintln!("{} real files", files.len());
    for path in files {
        let Ok(loaded) = read_character(&path) else { continue };
        let name = path.file_name().unwrap().to_string_lossy();
        let first = through_glb(&loaded.character);
        assert_same_motion(&name, &loaded.character, &first);
        let second = through_glb(&first);
        assert_same_motion(&name, &first, &second);
        let bytes = |c: &Character| character_to_glb(c, &whole()).unwrap();
        let (second, third) = (bytes(&first), bytes(&second));
        let size = |bytes: &[u8]| bytes.len();
        assert_eq!(size(&second), size(&third), "{name}");
        eprintln!("{name}: {} bytes", second.len());
    }
}

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

/// What 16 bits may be off by over a mesh's box, and what weights of 16 bits add to it in a pose.
const MAX_QUANTIZED_MOVE_OVER_DIAGONAL: f64 = 1e-4;

fn through(character: &Character, options: &WriteOptions) -> (Character, usize) {
    let bytes = character_to_glb(character, options).unwrap();
    let read = read_character_from_bytes(Format::Glb, "unnamed", &bytes).unwrap();
    assert!(!read.report.has("not-carried"), "{:?}", read.report);
    (read.character, bytes.len())
}

fn worst_move(a: &Character, b: &Character) -> f64 {
    let diagonal = f64::from(a.bounds().diagonal()).max(1e-9);
    let mut worst = 0.0f64;
    for step in 0..3 {
        let pose = |c: &Character| {
            let clip = c.clips.first();
            clip.map_or_else(
                || Pose::rest(&c.skeleton),
                |clip| clip.pose_at(&c.skeleton, clip.duration_seconds() * f64::from(step) / 2.0),
            )
        };
        let (a, b) = (posed(a, &pose(a)), posed(b, &pose(b)));
        assert_eq!(a.len(), b.len());
        worst = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(worst, f64::max);
    }
    worst / diagonal
}

fn some_characters() -> Vec<Character> {
    let options = |kind| SampleOptions { kind, points: Some(3000), bones: None };
    let sample = |kind| build(&options(kind)).unwrap();
    let mut characters = vec![rich(), common::everything(), sample(SampleKind::Snake)];
    for name in
        ["RobotExpressive.glb", "AnimatedMorphCube.glb", "CesiumMan.glb", "MorphStressTest.glb"]
    {
        let files = common::real_files("gltf");
        let found = files.iter().find(|path| path.ends_with(name));
        characters.extend(found.map(|path| read_character(path).unwrap().character));
    }
    characters
}

#[test]
fn compression_loses_nothing_and_makes_smaller() {
    for character in some_characters() {
        let meshopt = WriteOptions { meshopt: true, ..WriteOptions::default() };
        let (plain, plain_size) = through(&character, &WriteOptions::default());
        let (small, small_size) = through(&character, &meshopt);
        eprintln!("{}: {plain_size} bytes become {small_size}", character.name);
        for (a, b) in plain.parts.iter().zip(&small.parts) {
            assert_eq!(a.mesh.vertex_positions(), b.mesh.vertex_positions());
            assert_eq!(a.mesh.vertex_uvs(), b.mesh.vertex_uvs());
            assert_eq!((&a.weights, &a.shapes), (&b.weights, &b.shapes));
            for (a, b) in a.mesh.triangles().iter().zip(b.mesh.triangles()) {
                // The codec may turn a triangle, never over.
                let turns = [*b, [b[1], b[2], b[0]], [b[2], b[0], b[1]]];
                assert!(turns.contains(a), "{a:?} became {b:?}");
            }
        }
        assert_eq!(plain.clips, small.clips);
        assert!(small_size < plain_size || plain_size < 20_000, "{small_size} of {plain_size}");
        assert_same_motion(&character.name, &plain, &small);
    }
}

#[test]
fn quantised_vertices_come_back_within_their_bound() {
    for character in some_characters() {
        let quantize = WriteOptions { quantize: true, ..WriteOptions::default() };
        let (read, size) = through(&character, &quantize);
        let worst = worst_move(&character, &read);
        eprintln!("{}: {size} bytes, off by {worst:.1e} of the diagonal", character.name);
        let is_skinned =
            |part: &Part| part.weights.as_ref().is_some_and(|w| w.max_influences() > 1);
        assert!(worst > 0.0 || !character.parts.iter().any(is_skinned), "nothing was quantised");
        assert!(worst <= MAX_QUANTIZED_MOVE_OVER_DIAGONAL, "{}: {worst}", character.name);
        let names = |c: &Character| -> Vec<String> {
            c.parts.iter().map(|p| p.mesh.name().to_owned()).collect()
        };
        assert_eq!(names(&character), names(&read));
        for (a, b) in character.parts.iter().zip(&read.parts) {
            let diagonal = a.mesh.bounds().diagonal();
            for (a, b) in a.shapes.iter().zip(&b.shapes) {
                let off = a.deltas.iter().zip(&b.deltas).map(|(a, b)| a.distance(*b));
                assert!(off.fold(0.0, f32::max) <= 1e-4 * diagonal.max(1e-3), "{}", a.name);
            }
        }
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
