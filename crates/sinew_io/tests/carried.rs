//! What Sinew does not understand of a glTF comes out as it came in, and the rest is still right.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;

use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use sinew::Character;
use sinew::skeleton::{Palette, Pose};
use sinew_io::{Format, WriteOptions, character_to_glb, read_character, read_character_from_bytes};

/// What a position may move by over the diagonal, at rest and posed, from file to file.
const MAX_MOVE_OVER_DIAGONAL: f64 = 1e-6;

fn real_files() -> Vec<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let beside = project.join("../shared/data/gltf");
    // A worktree lies one folder deeper.
    let above = project.join("../../shared/data/gltf");
    let mut folders: Vec<PathBuf> =
        [beside, above].into_iter().filter(|f| f.is_dir()).take(1).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if Format::of_path(&path).is_some() {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn through_glb(character: &Character) -> Character {
    let bytes = character_to_glb(character, &WriteOptions::default()).unwrap();
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
    assert_eq!(a.materials, b.materials, "{name}");
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
    let files = real_files();
    eprintln!("{} real files", files.len());
    for path in files {
        let Ok(loaded) = read_character(&path) else { continue };
        let name = path.file_name().unwrap().to_string_lossy();
        let first = through_glb(&loaded.character);
        assert_same_motion(&name, &loaded.character, &first);
        let second = through_glb(&first);
        assert_same_motion(&name, &first, &second);
        let bytes = |c: &Character| character_to_glb(c, &WriteOptions::default()).unwrap();
        let (second, third) = (bytes(&first), bytes(&second));
        let size = |bytes: &[u8]| bytes.len();
        assert_eq!(size(&second), size(&third), "{name}");
        eprintln!("{name}: {} bytes", second.len());
    }
}
