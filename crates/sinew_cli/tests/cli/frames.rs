//! The rules of a frame that every verb keeps: meshes without weights, normals, figures.

use sinew::mesh::RawMesh;
use sinew::sample::{SampleKind, SampleOptions, build};

use crate::common::{Folder, obj_points};

const BENT: &str = "--rotate bone_1:x:80";

/// The box as mesh `left`, and again as `right` or without weights as `hat`.
fn write_boxes(folder: &Folder, meshes: [(&str, bool); 2]) {
    let options = SampleOptions { points: Some(200), ..SampleOptions::new(SampleKind::Box) };
    let mut character = build(&options).unwrap();
    let part = character.parts.remove(0);
    for (name, has_weights) in meshes {
        let mesh = &part.mesh;
        let weights = part.weights.as_ref().map(|w| w.select_rows(mesh.point_of_vertex()));
        let raw = RawMesh {
            name: name.into(),
            positions: mesh.vertex_positions().to_vec(),
            normals: mesh.vertex_normals().to_vec(),
            triangles: mesh.triangles().to_vec(),
            weights: weights.filter(|_| has_weights),
            ..RawMesh::default()
        };
        character.parts.push(raw.weld().unwrap().part);
    }
    let options = sinew_io::WriteOptions::default();
    folder.write("boxes.glb", sinew_io::character_to_glb(&character, &options).unwrap());
}

#[test]
fn a_mesh_without_weights_stays_and_every_verb_says_so_in_the_same_words() {
    const NOTE: &str = "warning: mesh 'hat' has no weights: it stays where the file puts it; give it weights to move it";
    let folder = Folder::new();
    write_boxes(&folder, [("left", true), ("hat", false)]);
    folder.write(
        "bend.json",
        r#"[{"edit": "rotate-joint", "joint": "bone_1", "axis": "x", "degrees": 80}]"#,
    );
    folder.ok("skin boxes.glb -o rest.obj");
    let rest = obj_points(&folder.read("rest.obj"));
    let half = rest.len() / 2;
    for words in [
        format!("skin boxes.glb -o out.obj {BENT}"),
        format!("skin boxes.glb -o out.obj {BENT} --springs anchored"),
        format!("skin boxes.glb -o out.obj {BENT} --springs paper"),
        format!("skin boxes.glb -o out.obj {BENT} --springs delta-mush"),
        "edit boxes.glb bend.json -o out.obj".to_owned(),
    ] {
        let run = folder.ok(&words);
        assert_eq!(run.stderr.matches(NOTE).count(), 1, "{words}: {}", run.stderr);
        let points = obj_points(&folder.read("out.obj"));
        assert_eq!(points[half..], rest[half..], "{words}: the hat");
        assert_ne!(points[..half], rest[..half], "{words}: the box");
    }
    for words in [
        format!("measure boxes.glb {BENT} --method linear,dual-quat"),
        format!(
            "render boxes.glb -o out.png {BENT} --compare linear,springs --size 32 --device cpu"
        ),
    ] {
        let run = folder.ok(&words);
        assert_eq!(run.stderr.matches(NOTE).count(), 1, "once for all rigs: {}", run.stderr);
    }
    let asked =
        folder.ok(&format!("skin boxes.glb -o out.obj {BENT} --springs anchored --springs-on hat"));
    assert!(asked.stderr.contains("springs have nothing to hold it by"), "{}", asked.stderr);
}

#[test]
fn where_no_mesh_has_weights_all_follow_the_bones_by_distance() {
    let folder = Folder::new();
    write_boxes(&folder, [("left", false), ("right", false)]);
    folder.ok("skin boxes.glb -o rest.obj");
    let rest = obj_points(&folder.read("rest.obj"));
    for flags in ["", "--method dual-quat", "--springs anchored", "--springs paper"] {
        let run = folder.ok(&format!("skin boxes.glb -o out.obj {BENT} {flags}"));
        assert!(run.stderr.contains("each point follows its nearest bone"), "{}", run.stderr);
        let points = obj_points(&folder.read("out.obj"));
        let half = rest.len() / 2;
        assert!(points[..half] != rest[..half] && points[half..] != rest[half..], "{flags}");
    }
}

#[test]
fn gltf_has_the_normals_of_glb_and_welded_points_have_none() {
    let folder = Folder::with_box();
    for flags in ["", "--springs anchored", "--normals recomputed --crease 179"] {
        let normals = |file: &str| {
            folder.ok(&format!("skin box.glb -o {file} {BENT} {flags}"));
            let read = sinew_io::read_character(&folder.file(file)).unwrap().character;
            read.parts[0].mesh.vertex_normals().to_vec()
        };
        let (glb, gltf) = (normals("out.glb"), normals("out.gltf"));
        assert!(!glb.is_empty() && glb == gltf, "{flags}");
    }
    folder.ok(&format!("skin box.glb -o out.obj {BENT}"));
    assert!(!String::from_utf8(folder.read("out.obj")).unwrap().contains("vn "));
}

#[test]
fn a_file_without_normals_gets_those_of_its_posed_surface() {
    let folder = Folder::new();
    crate::springs::write_two_meshes(&folder);
    folder.ok(&format!("skin two.glb -o out.glb {BENT}"));
    let mesh = folder.ok("info out.glb --json").json()["meshes"][0].clone();
    assert_eq!(mesh["normals"], true, "{mesh}");
}
