//! PLY of every kind, and back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use glam::{Vec2, Vec3};
use sinew_io::{
    Format, Loaded, ReadError, WriteOptions, read_character, read_character_from_bytes,
    write_character,
};

fn read(bytes: &[u8]) -> Result<Loaded, ReadError> {
    read_character_from_bytes(Format::Ply, "file", bytes)
}

/// Numbers of every type in every encoding.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

fn push(out: &mut Vec<u8>, encoding: Encoding, kind: &str, value: f64) {
    let mut bytes = match kind {
        "char" => (value as i8).to_le_bytes().to_vec(),
        "uchar" => (value as u8).to_le_bytes().to_vec(),
        "short" => (value as i16).to_le_bytes().to_vec(),
        "ushort" => (value as u16).to_le_bytes().to_vec(),
        "int" => (value as i32).to_le_bytes().to_vec(),
        "uint" => (value as u32).to_le_bytes().to_vec(),
        "float" => (value as f32).to_le_bytes().to_vec(),
        "double" => value.to_le_bytes().to_vec(),
        _ => unreachable!("no type of PLY's: {kind}"),
    };
    match encoding {
        Encoding::Ascii => bytes = format!("{value} ").into_bytes(),
        Encoding::Little => {}
        Encoding::Big => bytes.reverse(),
    }
    out.extend(bytes);
}

fn square(encoding: Encoding, count_kind: &str, index_kind: &str) -> Vec<u8> {
    let format = match encoding {
        Encoding::Ascii => "ascii",
        Encoding::Little => "binary_little_endian",
        Encoding::Big => "binary_big_endian",
    };
    let mut ply = format!(
        "ply\r\nformat {format} 1.0\r\ncomment x\r\nobj_info num_cols 512\r\nelement vertex 4\r\nproperty float x\r\nproperty double y\r\nproperty short z\r\nproperty uchar red\r\nproperty list uchar float junk\r\nelement range_grid 1\r\nproperty list uchar int vertex_indices\r\nelement face 1\r\nproperty int flags\r\nproperty list {count_kind} {index_kind} vertex_indices\r\nend_header\r\n"
    )
    .into_bytes();
    for [x, y] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
        push(&mut ply, encoding, "float", x);
        push(&mut ply, encoding, "double", y);
        push(&mut ply, encoding, "short", 2.0);
        push(&mut ply, encoding, "uchar", 200.0);
        push(&mut ply, encoding, "uchar", 1.0);
        push(&mut ply, encoding, "float", 9.0);
    }
    push(&mut ply, encoding, "uchar", 1.0);
    push(&mut ply, encoding, "int", 99.0);
    push(&mut ply, encoding, "int", -7.0);
    push(&mut ply, encoding, count_kind, 4.0);
    for k in 0..4 {
        push(&mut ply, encoding, index_kind, f64::from(k));
    }
    ply
}

#[test]
fn every_encoding_and_type_gives_the_same_mesh() {
    let kinds = ["char", "uchar", "short", "ushort", "int", "uint", "float", "double"];
    let expected = read(&square(Encoding::Ascii, "uchar", "int")).unwrap();
    let mesh = &expected.character.parts[0].mesh;
    assert_eq!(mesh.points()[2], Vec3::new(1.0, 1.0, 2.0));
    assert_eq!(mesh.triangles().len(), 2);
    for code in ["element-left-out", "vertex-colors-left-out"] {
        assert!(expected.report.has(code), "{:?}", expected.report);
    }
    for encoding in [Encoding::Ascii, Encoding::Little, Encoding::Big] {
        for count_kind in kinds {
            for index_kind in kinds {
                let found = read(&square(encoding, count_kind, index_kind)).unwrap();
                assert_eq!(found, expected, "{count_kind} {index_kind}");
            }
        }
    }
}

const VERTICES: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
const PLACES: &str = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n";

fn ascii(elements: &str, body: &str) -> Vec<u8> {
    format!("ply\nformat ascii 1.0\n{elements}end_header\n{body}").into_bytes()
}

#[test]
fn strips_turn_every_other_triangle_and_start_anew_at_minus_one() {
    let elements = format!("{VERTICES}element tristrips 1\nproperty list int int vertex_indices\n");
    let mesh = read(&ascii(&elements, &format!("{PLACES}8 0 1 2 3 -1 0 1 2\n"))).unwrap();
    let mesh = &mesh.character.parts[0].mesh;
    assert_eq!(mesh.triangles(), [[0, 1, 2], [2, 1, 3], [0, 1, 2]]);
}

#[test]
fn faces_may_come_before_the_vertices() {
    let faces = "element face 1\nproperty list uchar int vertex_index\n";
    let found =
        read(&ascii(&format!("{faces}{VERTICES}"), &format!("4 0 1 3 2\n{PLACES}"))).unwrap();
    assert_eq!(found.character.num_triangles(), 2);
}

#[test]
fn a_cloud_of_points_is_a_mesh_without_triangles() {
    let found = read(&ascii(VERTICES, PLACES)).unwrap().character;
    assert_eq!((found.num_points(), found.num_triangles()), (4, 0));
}

#[test]
fn what_is_no_number_is_mended_in_normals_and_refused_in_positions() {
    let elements = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\n";
    let found = read(&ascii(elements, "0 0 0 nan 0 1\n")).unwrap();
    assert!(found.report.has("attribute-not-finite"));
    assert_eq!(found.character.parts[0].mesh.vertex_normals(), [Vec3::ZERO]);
    let error = read(&ascii(elements, "0 inf 0 0 0 1\n")).unwrap_err().to_string();
    assert!(error.contains("element 'vertex', 0"), "{error}");
    let faces = format!("{VERTICES}element face 1\nproperty list uchar float vertex_index\n");
    let error = read(&ascii(&faces, &format!("{PLACES}3 0 1 1.5\n"))).unwrap_err().to_string();
    assert!(error.contains("element 'face', 0: names vertex 1.5"), "{error}");
}

#[test]
fn what_is_written_reads_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let character = common::everything();
    let mesh = &character.parts[0].mesh;
    write_character(&path, &character, &WriteOptions::default()).unwrap();
    let again = read_character(&path).unwrap().character;
    assert_eq!(again.parts[0].mesh.points(), mesh.points());
    assert_eq!(again.parts[0].mesh.point_triangles(), mesh.point_triangles());
    let options = WriteOptions { render_vertices: true, ..WriteOptions::default() };
    write_character(&path, &character, &options).unwrap();
    let again = read_character(&path).unwrap().character;
    let back = &again.parts[0].mesh;
    assert_eq!(back.vertex_positions(), mesh.vertex_positions());
    assert_eq!(back.triangles(), mesh.triangles());
    assert_eq!(back.vertex_normals(), mesh.vertex_normals());
    let flipped: Vec<Vec2> =
        mesh.vertex_uvs().iter().map(|uv| Vec2::new(uv.x, 1.0 - (1.0 - uv.y))).collect();
    assert_eq!(back.vertex_uvs(), flipped);
}
