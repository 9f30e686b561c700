//! Characters before and after a way through a file.
#![allow(dead_code, reason = "not every test file uses all of it")]

use glam::{DVec3, Vec3};
use sinew::skeleton::{Palette, Pose};
use sinew::{Character, Part};
use sinew_io::{Format, WriteOptions, character_to_glb, read_character_from_bytes};

/// What a position may move by over the diagonal, at rest and posed, from file to file.
const MAX_MOVE_OVER_DIAGONAL: f64 = 1e-6;

/// All influences: what is compared is the way through the file, not the fit to fewer.
pub(crate) fn whole() -> WriteOptions {
    WriteOptions { max_influences: None, ..WriteOptions::default() }
}

pub(crate) fn through_glb(character: &Character) -> Character {
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

pub(crate) fn assert_same_motion(name: &str, a: &Character, b: &Character) {
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
            let worst = a.deltas.iter().zip(b.deltas.iter()).map(|(a, b)| a.distance(b));
            let worst = worst.fold(0.0, f32::max);
            assert!(f64::from(worst) <= MAX_MOVE_OVER_DIAGONAL * diagonal, "{name}: {worst}");
        }
        let normals = a.mesh.vertex_normals().iter().zip(b.mesh.vertex_normals());
        let worst = normals.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(worst < 1e-3 || a.mesh.vertex_normals().contains(&Vec3::ZERO), "{name}: {worst}");
    }
}

/// What 16 bits may be off by over a mesh's box, and what weights of 16 bits add to it in a pose.
pub(crate) const MAX_QUANTIZED_MOVE_OVER_DIAGONAL: f64 = 1e-4;

pub(crate) fn through(character: &Character, options: &WriteOptions) -> (Character, usize) {
    let bytes = character_to_glb(character, options).unwrap();
    let read = read_character_from_bytes(Format::Glb, "unnamed", &bytes).unwrap();
    assert!(!read.report.has("not-carried"), "{:?}", read.report);
    (read.character, bytes.len())
}

pub(crate) fn worst_move(a: &Character, b: &Character) -> f64 {
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

/// Compression keeps every number, and makes smaller.
pub(crate) fn assert_compression_loses_nothing(character: &Character) {
    let meshopt = WriteOptions { meshopt: true, ..WriteOptions::default() };
    let (plain, plain_size) = through(character, &WriteOptions::default());
    let (small, small_size) = through(character, &meshopt);
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

/// Quantisation moves no vertex further than it may.
pub(crate) fn assert_quantised_within_bound(character: &Character) {
    let quantize = WriteOptions { quantize: true, ..WriteOptions::default() };
    let (read, size) = through(character, &quantize);
    let worst = worst_move(character, &read);
    eprintln!("{}: {size} bytes, off by {worst:.1e} of the diagonal", character.name);
    let is_skinned = |part: &Part| part.weights.as_ref().is_some_and(|w| w.max_influences() > 1);
    assert!(worst > 0.0 || !character.parts.iter().any(is_skinned), "nothing was quantised");
    assert!(worst <= MAX_QUANTIZED_MOVE_OVER_DIAGONAL, "{}: {worst}", character.name);
    let names = |c: &Character| -> Vec<String> {
        c.parts.iter().map(|p| p.mesh.name().to_owned()).collect()
    };
    assert_eq!(names(character), names(&read));
    for (a, b) in character.parts.iter().zip(&read.parts) {
        let diagonal = a.mesh.bounds().diagonal();
        for (a, b) in a.shapes.iter().zip(&b.shapes) {
            let off = a.deltas.iter().zip(b.deltas.iter()).map(|(a, b)| a.distance(b));
            assert!(off.fold(0.0, f32::max) <= 1e-4 * diagonal.max(1e-3), "{}", a.name);
        }
    }
}
