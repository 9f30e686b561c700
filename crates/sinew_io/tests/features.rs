//! What glTF, OBJ and PLY files of other programs have and ours have not.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

use glam::{DVec3, Vec3};
use sinew::Character;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::{ReferenceSkin, SkinInput, SkinMethod};
use sinew_io::{Format, Loaded, read_character, read_character_from_bytes};

/// f32 positions of size 10 through f64 transforms.
const TOLERANCE: f64 = 1e-5;

/// The points of a part at rest, by linear blending in f64.
fn blended_at_rest(character: &Character, part: usize) -> Vec<DVec3> {
    let skeleton = &character.skeleton;
    let part = &character.parts[part];
    let input = SkinInput {
        positions: part.mesh.points(),
        normals: &[],
        weights: part.weights.as_ref().unwrap(),
        triangles: part.mesh.point_triangles(),
        skeleton,
    };
    let palette = Palette::new(skeleton, &Pose::rest(skeleton));
    ReferenceSkin::bind(SkinMethod::Linear, &input).unwrap().positions(&palette)
}

fn obj(text: &str) -> Loaded {
    read_character_from_bytes(Format::Obj, "test", text.as_bytes()).unwrap()
}

/// A document over floats: a triangle at `0..9`, weights `(1, 0)` and joints at the end.
fn gltf(nodes: &str, more: &str) -> Loaded {
    gltf_with_matrices(nodes, more, &[])
}

fn skinned_twice(matrices: &[u8]) -> Loaded {
    let nodes = r#"[{"name":"a","translation":[0,1,0],"children":[1]},{"name":"b","translation":[0,2,0]},
        {"mesh":1,"skin":0},{"mesh":1,"skin":1}]"#;
    let skins = r#""skins":[{"joints":[0,1]},{"joints":[0,1],"inverseBindMatrices":5}],"#;
    gltf_with_matrices(nodes, skins, matrices)
}

/// The same with matrices behind it, as accessor 5.
fn gltf_with_matrices(nodes: &str, more: &str, matrices: &[u8]) -> Loaded {
    use base64::Engine;
    let mut data: Vec<u8> = Vec::new();
    for x in [0f32, 0., 0., 1., 0., 0., 0., 1., 0.] {
        data.extend(x.to_le_bytes());
    }
    for _ in 0..3 {
        data.extend([0u8, 1, 0, 0]);
    }
    for _ in 0..3 {
        data.extend([51u8, 204, 0, 0]);
    }
    for x in
        [0f32, 1., 0., 0., 0., 2., 0., 0., 0., 3., 0., 0., 0., 4., 0., 0., 0., 5., 0., 0., 0., 6.]
    {
        data.extend(x.to_le_bytes());
    }
    data.extend(matrices);
    let (matrix_bytes, num_matrices) = (matrices.len(), matrices.len() / 64);
    let text = base64::engine::general_purpose::STANDARD.encode(&data);
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":{nodes},{more}
        "meshes":[{{"name":"tri","primitives":[{{"attributes":{{"POSITION":0}}}}]}},
                  {{"name":"skinned","primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},
                     {{"bufferView":1,"componentType":5121,"count":3,"type":"VEC4"}},
                     {{"bufferView":2,"componentType":5121,"normalized":true,"count":3,"type":"VEC4"}},
                     {{"bufferView":3,"componentType":5126,"count":2,"type":"SCALAR"}},
                     {{"bufferView":3,"byteOffset":8,"componentType":5126,"count":6,"type":"VEC3"}},
                     {{"bufferView":4,"componentType":5126,"count":{num_matrices},"type":"MAT4"}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":12}},
                       {{"buffer":0,"byteOffset":48,"byteLength":12}},{{"buffer":0,"byteOffset":60,"byteLength":88}},
                       {{"buffer":0,"byteOffset":148,"byteLength":{matrix_bytes}}}],
        "buffers":[{{"byteLength":{},"uri":"data:;base64,{text}"}}]}}"#,
        data.len()
    );
    read_character_from_bytes(Format::Gltf, "test", json.as_bytes()).unwrap()
}

#[test]
fn a_static_mesh_stands_where_its_nodes_put_it_and_a_mirror_turns_its_winding() {
    let loaded =
        gltf(r#"[{"translation":[0,5,0],"children":[1]},{"mesh":0,"scale":[-1,1,1]}]"#, "");
    let mesh = &loaded.character.parts[0].mesh;
    assert_eq!(
        mesh.points(),
        [Vec3::new(0., 5., 0.), Vec3::new(-1., 5., 0.), Vec3::new(0., 6., 0.)]
    );
    assert_eq!(mesh.triangles(), [[0, 2, 1]]);
    assert!(loaded.character.skeleton.is_empty());
}

#[test]
fn two_instances_of_a_mesh_are_two_parts_named_by_their_nodes() {
    let loaded = gltf(r#"[{"mesh":0,"name":"left"},{"mesh":0,"name":"right"}]"#, "");
    let names: Vec<&str> = loaded.character.parts.iter().map(|p| p.mesh.name()).collect();
    assert_eq!(names, ["left", "right"]);
}

#[test]
fn joints_are_sorted_and_what_is_above_them_is_a_joint_if_it_moves_them() {
    // The child comes first in the file and in the skin; node 2 moves them, node 3 does not.
    let nodes = r#"[{"name":"child","translation":[0,1,0]},{"name":"parent","children":[0]},
        {"name":"lift","translation":[0,0,3],"children":[1]},{"name":"wrap","children":[2]},{"mesh":1,"skin":0}]"#;
    let loaded = gltf(nodes, r#""skins":[{"joints":[0,1]}],"#);
    let character = &loaded.character;
    let names: Vec<&str> = character.skeleton.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["lift", "parent", "child"]);
    let row = character.parts[0].weights.as_ref().unwrap().row(0);
    // Entry 0 (weight 0.2) is the child, entry 1 (0.8) the parent.
    assert_eq!((row[0].joint, row[1].joint), (1, 2));
    assert!((row[0].weight - 0.8).abs() < 1e-6);
}

#[test]
fn a_skin_without_inverse_bind_matrices_does_at_rest_what_gltf_says() {
    let nodes = r#"[{"name":"a","translation":[0,1,0],"children":[1]},{"name":"b","translation":[0,2,0]},{"mesh":1,"skin":0}]"#;
    let loaded = gltf(nodes, r#""skins":[{"joints":[0,1]}],"#);
    let character = &loaded.character;
    let blended = blended_at_rest(character, 0);
    // glTF: Σ w · world · identity · v, with a at 1 and b at 3: 0.2 · 1 + 0.8 · 3 = 2.6 up.
    for (point, given) in [Vec3::ZERO, Vec3::X, Vec3::Y].into_iter().enumerate() {
        let posed = blended[point];
        assert!(posed.distance(given.as_dvec3() + 2.6 * DVec3::Y) < TOLERANCE, "{posed}");
    }
}

#[test]
fn a_mesh_below_an_animated_node_follows_it() {
    let nodes = r#"[{"name":"lift","translation":[0,1,0],"children":[1]},{"mesh":0}]"#;
    let more = r#""animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}},{"sampler":0,"target":{"node":1,"path":"weights"}}],
        "samplers":[{"input":3,"output":4,"interpolation":"CUBICSPLINE"}]}],"#;
    let loaded = gltf(nodes, more);
    let character = &loaded.character;
    assert_eq!(character.skeleton.len(), 1);
    assert!(loaded.report.has("channel-left-out"), "the mesh has no shapes");
    let sinew::motion::Channel::Translation(curve) = &character.clips[0].tracks[0].channel else {
        panic!("a translation")
    };
    // In-tangent, value, out-tangent: the middle ones of two threes are the values.
    assert_eq!(curve.values, [DVec3::new(2.0, 0.0, 0.0), DVec3::ZERO]);
    let sinew::motion::Interpolation::Cubic(tangents) = &curve.interpolation else {
        panic!("a cubic curve")
    };
    assert_eq!(tangents.len(), 2);
    let row = character.parts[0].weights.as_ref().unwrap().row(0);
    assert_eq!((row[0].joint, row[0].weight), (0, 1.0));
}

#[test]
fn buffers_beside_the_file_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        sinew_io::write_atomically(&path, |f| std::io::Write::write_all(f, bytes)).unwrap();
        path
    };
    let data: Vec<u8> =
        [0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|x| x.to_le_bytes()).collect();
    put("a b.bin", &data);
    let path = put(
        "a.gltf",
        br#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":"a%20b.bin","byteLength":36}]}"#,
    );
    assert_eq!(read_character(&path).unwrap().character.num_points(), 3);
    std::fs::remove_file(folder.path().join("a b.bin")).unwrap();
    assert!(read_character(&path).unwrap_err().to_string().contains("buffers[0]"));
}

#[test]
fn obj_faces_may_be_polygons_count_backwards_and_carry_on_in_the_next_line() {
    let loaded =
        obj("v 0 0 0\nv 1 0 0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\nf -4 -3 \\\n -2 -1 # a square\n");
    let mesh = &loaded.character.parts[0].mesh;
    assert_eq!((mesh.points().len(), mesh.triangles().len()), (4, 2));
}

#[test]
fn obj_objects_are_parts_and_groups_and_materials_are_groups() {
    let loaded = obj(
        "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\ng arm\nf 1 2 3\no right\nv 0 0 1\nusemtl skin\nf 1 2 4\nf 4 3 2\n",
    );
    let parts = &loaded.character.parts;
    assert_eq!((parts[0].mesh.name(), parts[1].mesh.name()), ("left", "right"));
    assert_eq!(parts[0].mesh.groups()[0].name, "arm");
    assert_eq!(
        (parts[1].mesh.groups()[0].name.as_str(), parts[1].mesh.groups()[0].triangles.clone()),
        ("skin", 0..2)
    );
    assert_eq!(parts[1].mesh.points().len(), 4);
}

#[test]
fn obj_corners_with_other_uvs_share_their_point() {
    let loaded = obj(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0.25\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1/2/1 3/2/1 4/2/1\n",
    );
    let mesh = &loaded.character.parts[0].mesh;
    assert_eq!((mesh.points().len(), mesh.num_vertices()), (4, 6));
    // Counted from above.
    assert_eq!(mesh.vertex_uvs()[1].y, 0.75);
}

#[test]
fn points_on_one_place_stay_apart_in_obj_so_that_results_compare() {
    let loaded = obj("v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    assert_eq!(loaded.character.parts[0].mesh.points().len(), 3);
}

#[test]
fn ply_is_read_in_all_three_encodings() {
    let header = |format: &str| {
        format!(
            "ply\r\nformat {format} 1.0\r\ncomment c\r\nelement vertex 4\r\nproperty float x\r\nproperty double y\r\nproperty short z\r\nproperty uchar red\r\nelement extra 1\r\nproperty list uchar ushort k\r\nelement face 1\r\nproperty list uchar uint vertex_index\r\nend_header\r\n"
        )
    };
    let points: [(f32, f64, i16); 4] = [(0.5, 0., -3), (1., 0., -3), (1., 1., -3), (0., 1., -3)];
    let mut ascii = header("ascii").into_bytes();
    let mut little = header("binary_little_endian").into_bytes();
    let mut big = header("binary_big_endian").into_bytes();
    for (x, y, z) in points {
        ascii.extend(format!("{x} {y} {z} 255\r\n").bytes());
        little.extend([&x.to_le_bytes()[..], &y.to_le_bytes(), &z.to_le_bytes(), &[255]].concat());
        big.extend([&x.to_be_bytes()[..], &y.to_be_bytes(), &z.to_be_bytes(), &[255]].concat());
    }
    ascii.extend(b"2 7 8\n4 0 1 2 3");
    little.extend([2, 7, 0, 8, 0, 4]);
    big.extend([2, 0, 7, 0, 8, 4]);
    for corner in 0..4u32 {
        little.extend(corner.to_le_bytes());
        big.extend(corner.to_be_bytes());
    }
    for bytes in [ascii, little, big] {
        let loaded = read_character_from_bytes(Format::Ply, "test", &bytes).unwrap();
        let mesh = &loaded.character.parts[0].mesh;
        assert_eq!(mesh.points()[0], Vec3::new(0.5, 0.0, -3.0));
        assert_eq!((mesh.points().len(), mesh.triangles().len()), (4, 2));
        assert!(loaded.report.has("element-left-out"));
    }
}

#[test]
fn weights_on_joints_that_are_not_there_are_dropped_and_reported_with_their_place() {
    // One joint only, so that entry 1 (0.8) is none, and entry 0 (0.2) does not sum to one.
    let loaded = gltf(r#"[{"name":"a"},{"mesh":1,"skin":0}]"#, r#""skins":[{"joints":[0]}],"#);
    for code in ["joint-index-out-of-range", "weights-not-normalized"] {
        let warning = loaded.report.warnings.iter().find(|w| w.code == code).unwrap();
        assert_eq!(warning.count, 3);
        assert!(warning.place.starts_with("meshes[1].primitives"), "{}", warning.place);
    }
    let row = loaded.character.parts[0].weights.as_ref().unwrap().row(0);
    assert_eq!((row.len(), row[0].joint, row[0].weight), (1, 0, 1.0));
}

#[test]
fn two_skins_that_bind_a_joint_alike_share_it() {
    let nodes = r#"[{"name":"a","translation":[0,1,0]},{"mesh":1,"skin":0},{"mesh":1,"skin":1}]"#;
    let loaded = gltf(nodes, r#""skins":[{"joints":[0,0]},{"joints":[0,0]}],"#);
    assert_eq!(loaded.character.skeleton.len(), 1);
    assert!(!loaded.report.has("joints-bound-twice"));
}

#[test]
fn two_skins_that_bind_joints_differently_get_helpers_and_both_meshes_do_what_gltf_says() {
    // Skin 0 has identities; skin 1 binds a by the identity and b one metre lower.
    let matrices: Vec<u8> = [0.0f32, -1.0]
        .iter()
        .flat_map(|y| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., *y, 0., 1.])
        .flat_map(f32::to_le_bytes)
        .collect();
    let loaded = skinned_twice(&matrices);
    let character = &loaded.character;
    assert!(loaded.report.has("joints-bound-twice"));
    assert_eq!(character.skeleton.len(), 3);
    // 0.2 · a (1 up) + 0.8 · b (3 up, in skin 1 bound one lower).
    for (part, rise) in [2.6, 1.8].into_iter().enumerate() {
        let posed = blended_at_rest(character, part)[0];
        assert!(posed.distance(rise * DVec3::Y) < TOLERANCE, "{posed}");
    }
}

#[test]
fn the_extensions_that_a_file_uses_are_told() {
    let loaded = gltf(r#"[{"mesh":0}]"#, r#""extensionsUsed":["KHR_materials_unlit","ACME_fur"],"#);
    assert_eq!(loaded.extensions, ["KHR_materials_unlit", "ACME_fur"]);
    assert!(obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").extensions.is_empty());
}
