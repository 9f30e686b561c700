//! OBJ as programs write it, and back.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;

use std::fmt::Write as _;
use std::path::Path;

use glam::{Vec2, Vec3};
use peak_alloc::PeakAlloc;
use sinew_io::{
    Format, Loaded, ReadError, WriteOptions, read_character, read_character_from_bytes,
    write_atomically, write_character,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn read(text: &str) -> Result<Loaded, ReadError> {
    read_character_from_bytes(Format::Obj, "file", text.as_bytes())
}

fn write(path: &Path, text: &str) {
    write_atomically(path, |file| std::io::Write::write_all(file, text.as_bytes())).unwrap();
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn line_ends_continuations_comments_and_exponents_change_nothing() {
    let plain = read(&format!("{SQUARE}f 1 2 3 4\n")).unwrap().character;
    for text in [
        format!("{}f 1 2 3 4\r\n", SQUARE.replace('\n', "\r\n")),
        format!("# a\n{SQUARE}f 1 2 \\\n3 4 # all\n"),
        format!("{SQUARE}f 1 2 \\\r\n  3 \\\r\n 4"),
        "v 0 0 0\nv 1e0 0 0\nv +1.0E-0 10e-1 0\nv 0 1. 0\nf -4 -3 -2 -1".to_owned(),
        format!("\u{0009}{}\n\n  f\t1  2 3\t4", SQUARE.trim_end()),
        // A rational weight, a colour, and both.
        "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0 1 1 1 1\nv 0 1 0\nf 1 2 3 4".to_owned(),
    ] {
        let loaded = read(&text).unwrap();
        assert_eq!(loaded.character, plain, "{text}");
    }
}

#[test]
fn corners_may_have_any_of_their_parts_and_each_kind_is_a_vertex() {
    let text = format!("{SQUARE}vt 0 0\nvt 1 0.25\nvn 0 0 1\nf 1//1 2/2 3/2/1\nf 1//-1 3 4/1/\n");
    let mesh = read(&text).unwrap().character.parts.remove(0).mesh;
    assert_eq!(mesh.points().len(), 4);
    // Point 3 once with UV and normal, once with nothing.
    assert_eq!(mesh.num_vertices(), 5);
    assert_eq!(mesh.vertex_uvs()[1], Vec2::new(1.0, 0.75));
    assert_eq!(mesh.vertex_normals()[0], Vec3::Z);
    assert_eq!(mesh.point_triangles(), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn objects_are_parts_and_groups_and_materials_are_runs_of_triangles() {
    let text = format!(
        "{SQUARE}o first part\ng arm\nf 1 2 3\nusemtl skin\nf 1 3 4\no second\nf 1 2 4\ng\nusemtl\nf 2 3 4\n"
    );
    let character = read(&text).unwrap().character;
    let names: Vec<&str> = character.parts.iter().map(|part| part.mesh.name()).collect();
    assert_eq!(names, ["first part", "second"]);
    let runs = |part: usize| -> Vec<(String, std::ops::Range<u32>)> {
        let groups = character.parts[part].mesh.groups().iter();
        groups.map(|group| (group.name.clone(), group.triangles.clone())).collect()
    };
    assert_eq!(runs(0), [("arm".to_owned(), 0..1), ("arm skin".to_owned(), 1..2)]);
    assert_eq!(runs(1), [("skin".to_owned(), 0..1)]);
}

#[test]
fn concave_polygons_keep_their_outline() {
    let text = "v 0 0 0\nv 2 1 0\nv 0 2 0\nv 0.5 1 0\nf 1 2 3 4\n";
    let mesh = read(text).unwrap().character.parts.remove(0).mesh;
    let area: f32 = mesh
        .point_triangles()
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|k| mesh.points()[k as usize]);
            let area = 0.5 * (b - a).cross(c - a).z;
            assert!(area > 0.0);
            area
        })
        .sum();
    assert!((area - 1.5).abs() < 1e-6);
}

#[test]
fn points_alone_are_a_cloud_and_what_is_no_face_is_reported() {
    let loaded = read(SQUARE).unwrap();
    assert_eq!(loaded.character.num_points(), 4);
    assert_eq!(loaded.character.num_triangles(), 0);
    let text = format!(
        "{SQUARE}vp 0.1 0.2\ncstype bezier\ndeg 3\ncurv 0 1 1 2 3 4\nend\nl 1 2\np 1\nf 1 2\nf 1 2 3\nvn 0 nan 1\nv 0 0 0 1 0 0\nhello\n"
    );
    let report = read(&text).unwrap().report;
    for code in [
        "free-form-left-out",
        "not-triangles",
        "faces-too-small",
        "attribute-not-finite",
        "vertex-colors-left-out",
        "unknown-lines",
    ] {
        assert!(report.has(code), "{code}: {report:?}");
    }
}

#[test]
fn errors_name_the_line_even_behind_a_continuation() {
    for (text, words) in [
        ("v 0 0\n", "line 1: 2 numbers where 3 are needed"),
        ("v 0 0 0\nv 0 inf 0\n", "line 2: 'inf' is no place"),
        ("v 0 0 0\nf 1 \\\n1 \\\n2\n", "line 4: a face names vertex 2"),
        ("v 0 0 0\nf 1/1 1 1\n", "line 2: a face names texture coordinate 1"),
        ("v 0 0 0\nf 1//x 1 1\n", "line 2: 'x' is not an index"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn materials_come_from_the_library_in_the_folder_and_never_from_outside() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("inner");
    std::fs::create_dir(&folder).unwrap();
    write(&outer.path().join("secret.mtl"), "newmtl skin\nKd 1 0 0\n");
    write(&folder.join("looks.mtl"), "newmtl skin\nKd 0.5 0.25 0.125\nd 0.5\nnewmtl unused\n");
    let text = |library: &str| {
        format!("mtllib {library}\n{SQUARE}f 1 2 3\nusemtl skin\nf 1 3 4\nusemtl other\nf 1 2 4\n")
    };
    write(&folder.join("a.obj"), &text("looks.mtl"));
    let character = read_character(&folder.join("a.obj")).unwrap().character;
    assert_eq!(character.materials.len(), 1);
    assert_eq!(character.materials[0].name, "skin");
    assert_eq!(character.materials[0].base_color, [0.5, 0.25, 0.125, 0.5]);
    let runs = &character.parts[0].materials;
    assert_eq!(runs.len(), 1);
    assert_eq!((runs[0].triangles.clone(), runs[0].material), (1..2, 0));
    for outside in ["../secret.mtl", "missing.mtl"] {
        write(&folder.join("b.obj"), &text(outside));
        let loaded = read_character(&folder.join("b.obj")).unwrap();
        assert!(loaded.character.materials.is_empty());
        assert!(loaded.report.has("materials-left-out"), "{outside}");
    }
}

#[test]
fn what_is_written_reads_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    let character = common::everything();
    write_character(
        &path,
        &character,
        &WriteOptions { corner_attributes: true, ..WriteOptions::default() },
    )
    .unwrap();
    let again = read_character(&path).unwrap().character;
    let (mesh, back) = (&character.parts[0].mesh, &again.parts[0].mesh);
    assert_eq!(mesh.points(), back.points());
    assert_eq!(mesh.point_triangles(), back.point_triangles());
    assert_eq!(mesh.groups(), back.groups());
    let corners = |m: &sinew::mesh::Mesh| -> Vec<(Vec2, Vec3)> {
        let vertices = m.triangles().as_flattened().iter();
        vertices.map(|&v| (m.vertex_uvs()[v as usize], m.vertex_normals()[v as usize])).collect()
    };
    assert_eq!(corners(mesh), corners(back));
}

/// A grid as a modeller writes it: positions, UVs, normals, quads.
fn grid(side: usize) -> String {
    let mut text = String::new();
    for y in 0..side {
        for x in 0..side {
            let (u, v) = (x as f32 / side as f32, y as f32 / side as f32);
            let _ = writeln!(
                text,
                "v {u:.6} {v:.6} {:.6}\nvt {u:.6} {v:.6}\nvn 0.0000 0.0000 1.0000",
                (u * 9.0).sin()
            );
        }
    }
    for y in 0..side - 1 {
        for x in 0..side - 1 {
            let a = y * side + x + 1;
            let _ = write!(text, "f");
            for k in [a, a + 1, a + side + 1, a + side] {
                let _ = write!(text, " {k}/{k}/{k}");
            }
            text.push('\n');
        }
    }
    text
}

#[test]
fn a_large_file_is_read_in_blocks_without_its_text_in_memory() {
    let text = grid(300);
    let in_memory = read(&text).unwrap().character;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.obj");
    write(&path, &text);
    let num_bytes = text.len();
    drop(text);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let streamed = read_character(&path).unwrap().character;
    let peak = MEMORY.peak_usage() - before;
    assert_eq!(streamed, in_memory);
    eprintln!("{num_bytes} bytes of OBJ took {peak} bytes of memory");
    // The mesh itself, its corners and the tables of welding: about one and a half times this text.
    assert!(peak < 3 * num_bytes, "{peak} bytes for a file of {num_bytes}");
}

/// With time that grows with the square of the groups this would take minutes.
#[test]
fn a_hundred_thousand_groups_come_back_from_a_glb() {
    let count = 100_000;
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for group in 0..count {
        text += &format!("g g{group}\nusemtl m{group}\nf 1 2 3\n");
    }
    let read = |format, bytes: &[u8]| {
        sinew_io::read_character_from_bytes(format, "crowd", bytes).unwrap().character
    };
    let character = read(Format::Obj, text.as_bytes());
    assert_eq!(character.parts[0].mesh.groups().len(), count);
    let glb = sinew_io::character_to_glb(&character, &WriteOptions::default()).unwrap();
    let again = read(Format::Glb, &glb);
    assert_eq!(again.parts[0].mesh.groups(), character.parts[0].mesh.groups());
    let second = sinew_io::character_to_glb(&again, &WriteOptions::default()).unwrap();
    assert!(glb == second);
}
