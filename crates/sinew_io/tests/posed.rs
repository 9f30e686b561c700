//! A posed character in glTF keeps what its file said of materials, textures, extras and nodes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "common/rich.rs"]
mod rich;

use glam::Vec3;
use serde_json::Value;
use sinew::Character;
use sinew_io::{
    Format, PosedPart, Report, WriteOptions, read_character_from_bytes, write_posed_character,
};

fn rich() -> Character {
    let text = rich::document();
    read_character_from_bytes(Format::Gltf, "rich", text.as_bytes()).unwrap().character
}

/// Every part turned and moved, as GLB.
fn posed(character: &Character) -> (Report, Vec<u8>, Vec<Vec<Vec3>>) {
    let bend = |p: &Vec3| Vec3::new(p.y + 0.25 * p.x, 2.0 - p.x, p.z + 3.0);
    let points: Vec<Vec<Vec3>> =
        character.parts.iter().map(|p| p.mesh.points().iter().map(bend).collect()).collect();
    let normals: Vec<Vec<Vec3>> =
        character.parts.iter().map(|p| vec![Vec3::X; p.mesh.num_vertices()]).collect();
    let parts = PosedPart::of_character(character, &points, &normals);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posed.glb");
    let report = write_posed_character(&path, character, &parts, &WriteOptions::default()).unwrap();
    (report, std::fs::read(&path).unwrap(), points)
}

fn json(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn every_material_texture_extra_and_node_of_the_source_is_there() {
    let source: Value = serde_json::from_str(&rich::document()).unwrap();
    let (report, glb, _) = posed(&rich());
    let written = json(&glb);
    for array in ["materials", "textures", "samplers", "cameras", "scenes"] {
        assert_eq!(written.get(array), source.get(array), "{array}");
    }
    let count = |json: &Value, name: &str| json[name].as_array().map_or(0, Vec::len);
    assert_eq!(count(&written, "images"), count(&source, "images"));
    assert_eq!(
        written["extensions"]["KHR_lights_punctual"],
        source["extensions"]["KHR_lights_punctual"]
    );
    for (now, then) in
        written["nodes"].as_array().unwrap().iter().zip(source["nodes"].as_array().unwrap())
    {
        assert_eq!(now.get("extras"), then.get("extras"));
        assert_eq!(now.get("name"), then.get("name"));
        assert!(now.get("skin").is_none());
    }
    let skinned = "/meshes/0/primitives/0";
    let (now, then) = (written.pointer(skinned).unwrap(), source.pointer(skinned).unwrap());
    for field in ["extras", "extensions", "material"] {
        assert_eq!(now.get(field), then.get(field), "{field}");
    }
    for kept in ["TEXCOORD_1", "COLOR_0", "_HEAT"] {
        assert!(now["attributes"].get(kept).is_some(), "{kept}");
    }
    // Directions at rest are wrong for a pose, and nothing may pose it again.
    for gone in ["TANGENT", "JOINTS_0", "WEIGHTS_0"] {
        assert!(now["attributes"].get(gone).is_none(), "{gone}");
    }
    assert!(now.get("targets").is_none());
    for gone in ["skins", "animations"] {
        assert!(written.get(gone).is_none(), "{gone}");
    }
    let said = report.warnings.iter().find(|w| w.code == "posed").unwrap();
    for words in ["skins", "animations", "blend shapes", "tangents"] {
        assert!(said.what.contains(words), "{}", said.what);
    }
}

#[test]
fn meshes_lie_where_the_pose_has_them_whatever_their_nodes_do() {
    let character = rich();
    let (_, glb, points) = posed(&character);
    let read = read_character_from_bytes(Format::Glb, "posed", &glb).unwrap().character;
    assert_eq!(read.parts.len(), character.parts.len());
    for (part, (now, wanted)) in character.parts.iter().zip(read.parts.iter().zip(&points)) {
        assert_eq!(now.mesh.name(), part.mesh.name());
        let mut vertices = vec![Vec3::ZERO; part.mesh.num_vertices()];
        part.mesh.spread_to_vertices(wanted, &mut vertices);
        for (now, wanted) in now.mesh.vertex_positions().iter().zip(&vertices) {
            assert!(now.distance(*wanted) < 1e-5, "{now} is not {wanted}");
        }
        // The same triangles, the same way round.
        assert_eq!(now.mesh.triangles(), part.mesh.triangles());
    }
}

#[test]
fn a_character_that_came_from_nowhere_is_written_as_meshes_alone() {
    let character = common::everything();
    let (report, glb, points) = posed(&character);
    assert!(report.is_clean(), "{report:?}");
    let read = read_character_from_bytes(Format::Glb, "posed", &glb).unwrap().character;
    let shown = points.iter().zip(&character.parts).filter(|(_, p)| !p.mesh.triangles().is_empty());
    assert_eq!(read.parts.len(), shown.count());
}

#[test]
fn a_point_that_is_no_number_is_told_apart_from_a_disk_that_is_full() {
    let character = rich();
    let mut points: Vec<Vec<Vec3>> =
        character.parts.iter().map(|p| p.mesh.points().to_vec()).collect();
    points[0][1].y = f32::INFINITY;
    let normals = vec![Vec::new(); points.len()];
    let parts = PosedPart::of_character(&character, &points, &normals);
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.glb", "a.obj"] {
        let path = folder.path().join(name);
        let error = write_posed_character(&path, &character, &parts, &WriteOptions::default());
        let error = error.unwrap_err();
        assert!(matches!(error, sinew_io::WriteError::NotFinite { point: 1, .. }), "{error}");
        assert!(!path.exists());
    }
}
