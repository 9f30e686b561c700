//! What is written reads back as it was.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod common;

use std::path::Path;

use glam::Vec3;
use proptest::prelude::*;
use sinew::motion::{Channel, Curve, Interpolation};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::{Character, Part};
use sinew_io::{
    Format, PartMaterials, PosedPart, WriteOptions, character_to_glb, read_character,
    read_character_from_bytes, write_character, write_posed,
};

/// Weights are divided by their f32 sum again on reading.
const WEIGHT_TOLERANCE: f32 = 1e-7;
/// Joints are written as f64 decimals; a parser without the last bit is allowed.
const JOINT_TOLERANCE: f64 = 1e-12;
/// Keys are written as f32 below 4.
const KEY_TOLERANCE: f64 = 4e-7;
/// Between quaternion keys in f32 an angle loses some digits to the arc cosine.
const TWIST_TOLERANCE: f64 = 1e-3;
/// Texture coordinates in [0, 1] are flipped (1 − v) twice by OBJ and PLY.
const UV_TOLERANCE: f32 = 2e-7;

/// All influences: what is compared is the way through the file, not the fit to fewer.
fn whole() -> WriteOptions {
    WriteOptions { max_influences: None, ..WriteOptions::default() }
}

fn through_glb(character: &Character) -> Character {
    let bytes = character_to_glb(character, &whole()).unwrap();
    read_character_from_bytes(Format::Glb, "unnamed", &bytes).unwrap().character
}

fn assert_weights_near(a: &Part, b: &Part) {
    match (&a.weights, &b.weights) {
        (Some(a), Some(b)) => {
            assert_eq!(a.num_points(), b.num_points());
            for (a, b) in a.rows().zip(b.rows()) {
                assert_eq!(a.len(), b.len());
                for (a, b) in a.iter().zip(b) {
                    assert_eq!(a.joint, b.joint);
                    assert!((a.weight - b.weight).abs() <= WEIGHT_TOLERANCE);
                }
            }
        }
        (a, b) => assert_eq!(a.is_some(), b.is_some()),
    }
}

fn assert_curves_near<T: Copy + std::fmt::Debug>(
    a: &Curve<T>,
    b: &Curve<T>,
    is_near: impl Fn(T, T) -> bool,
) {
    assert_eq!(a.times_seconds, b.times_seconds);
    assert_eq!(a.values.len(), b.values.len());
    assert!(a.values.iter().zip(&b.values).all(|(a, b)| is_near(*a, *b)));
    match (&a.interpolation, &b.interpolation) {
        (Interpolation::Step, Interpolation::Step)
        | (Interpolation::Linear, Interpolation::Linear) => {}
        (Interpolation::Cubic(a), Interpolation::Cubic(b)) => {
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(b) {
                assert!(is_near(a.incoming, b.incoming) && is_near(a.outgoing, b.outgoing));
            }
        }
        (a, b) => panic!("{a:?} became {b:?}"),
    }
}

fn assert_same(a: &Character, b: &Character) {
    assert_eq!(a.name, b.name);
    assert_eq!(a.parts.len(), b.parts.len());
    for (a, b) in a.parts.iter().zip(&b.parts) {
        // Bits, not near: positions, normals, UVs, triangles, groups, points.
        assert_eq!(a.mesh, b.mesh);
        assert_eq!((&a.shapes, &a.materials), (&b.shapes, &b.materials));
        assert_weights_near(a, b);
    }
    assert_eq!(a.materials, b.materials);
    assert_eq!(a.skeleton.len(), b.skeleton.len());
    for (a, b) in a.skeleton.joints().iter().zip(b.skeleton.joints()) {
        assert_eq!((&a.name, a.parent), (&b.name, b.parent));
        assert!(a.rest.translation.abs_diff_eq(b.rest.translation, JOINT_TOLERANCE));
        assert!(a.rest.rotation.abs_diff_eq(b.rest.rotation, JOINT_TOLERANCE));
        assert!(a.rest.scale.abs_diff_eq(b.rest.scale, JOINT_TOLERANCE));
        assert!(a.tail_in_joint.abs_diff_eq(b.tail_in_joint, JOINT_TOLERANCE));
    }
    for (a, b) in a.skeleton.joint_from_model().iter().zip(b.skeleton.joint_from_model()) {
        // To f32, which is what the accessor holds.
        let size = a.to_cols_array().iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        assert!(a.abs_diff_eq(*b, size * f64::from(f32::EPSILON)));
    }
    assert_eq!(a.clips.len(), b.clips.len());
    for (a, b) in a.clips.iter().zip(&b.clips) {
        assert_eq!((&a.name, a.tracks.len()), (&b.name, b.tracks.len()));
        for (a, b) in a.tracks.iter().zip(&b.tracks) {
            assert_eq!(a.joint, b.joint);
            match (&a.channel, &b.channel) {
                (Channel::Rotation(a), Channel::Rotation(b)) => {
                    assert_curves_near(a, b, |a, b| a.abs_diff_eq(b, KEY_TOLERANCE));
                }
                (Channel::Translation(a), Channel::Translation(b))
                | (Channel::Scale(a), Channel::Scale(b)) => {
                    assert_curves_near(a, b, |a, b| a.abs_diff_eq(b, KEY_TOLERANCE));
                }
                (a, b) => panic!("{a:?} became {b:?}"),
            }
        }
        // Weights are f32 here and there.
        assert_eq!(a.shape_tracks, b.shape_tracks);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_glb_reads_back_as_the_character_that_was_written(character in common::character()) {
        assert_same(&character, &through_glb(&character));
    }

    #[test]
    fn obj_and_ply_keep_every_point_in_its_order(character in common::character()) {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.obj", "a.ply"] {
            let path = folder.path().join(file);
            write_character(&path, &character, &WriteOptions::default()).unwrap();
            let read = read_character(&path).unwrap().character;
            let points = |c: &Character| -> Vec<Vec3> {
                c.parts.iter().flat_map(|p| p.mesh.points().to_vec()).collect()
            };
            prop_assert_eq!(points(&character), points(&read));
            prop_assert_eq!(character.num_triangles(), read.num_triangles());
            if file == "a.obj" {
                for (a, b) in character.parts.iter().zip(&read.parts) {
                    prop_assert_eq!(a.mesh.point_triangles(), b.mesh.point_triangles());
                    prop_assert_eq!(a.mesh.groups(), b.mesh.groups());
                }
            }
        }
    }

    #[test]
    fn render_vertices_keep_their_normals_and_uvs(character in common::character()) {
        let folder = tempfile::tempdir().unwrap();
        let options = WriteOptions { render_vertices: true, ..WriteOptions::default() };
        for file in ["a.obj", "a.ply"] {
            let path = folder.path().join(file);
            let one = Character { parts: vec![character.parts[0].clone()], ..character.clone() };
            write_character(&path, &one, &options).unwrap();
            let read = read_character(&path).unwrap().character;
            let (a, b) = (&one.parts[0].mesh, &read.parts[0].mesh);
            // Written from the points, which are within the welding tolerance: here they are the
            // same.
            prop_assert_eq!(a.vertex_positions(), b.vertex_positions());
            prop_assert_eq!(a.triangles(), b.triangles());
            let is_used = |v: usize| a.triangles().as_flattened().contains(&(v as u32));
            for v in (0..a.num_vertices()).filter(|&v| is_used(v)) {
                prop_assert_eq!(a.vertex_normals().get(v), b.vertex_normals().get(v));
                if let (Some(a), Some(b)) = (a.vertex_uvs().get(v), b.vertex_uvs().get(v)) {
                    prop_assert!(a.abs_diff_eq(*b, UV_TOLERANCE));
                }
            }
        }
    }

    #[test]
    fn a_posed_glb_keeps_its_points_even_where_they_meet(character in common::character()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.glb");
        // All points of each part on one place: position could not tell them apart.
        let points: Vec<Vec<Vec3>> =
            character.parts.iter().map(|p| vec![Vec3::ONE; p.mesh.points().len()]).collect();
        let posed: Vec<PosedPart<'_>> = character
            .parts
            .iter()
            .zip(&points)
            .map(|(part, points)| PosedPart {
                mesh: &part.mesh,
                points,
                vertex_normals: &[],
                materials: PartMaterials::default(),
            })
            .collect();
        write_posed(&path, "posed", &posed, &WriteOptions::default()).unwrap();
        let read = read_character(&path).unwrap().character;
        prop_assert!(read.skeleton.is_empty());
        for (a, b) in character.parts.iter().zip(&read.parts) {
            prop_assert_eq!(a.mesh.point_of_vertex(), b.mesh.point_of_vertex());
            prop_assert!(b.weights.is_none());
        }
    }
}

#[test]
fn the_small_character_with_everything_comes_back_with_a_clean_report() {
    let character = common::everything();
    let bytes = character_to_glb(&character, &WriteOptions::default()).unwrap();
    let loaded = read_character_from_bytes(Format::Glb, "x", &bytes).unwrap();
    assert_same(&character, &loaded.character);
    assert!(loaded.report.is_clean(), "{:?}", loaded.report);
}

#[test]
fn several_hundred_joints_are_written_as_sixteen_bits() {
    let mut character = common::everything();
    let mut joints = character.skeleton.joints().to_vec();
    for index in 2..300 {
        let parent = Some(index as u32 - 1);
        joints.push(sinew::skeleton::Joint {
            name: format!("{index}"),
            parent,
            ..joints[1].clone()
        });
    }
    character.skeleton = sinew::skeleton::Skeleton::new(joints).unwrap();
    let points = character.parts[0].mesh.points().len();
    let rows = (0..points).map(|_| [(299, 0.75), (258, 0.25)]);
    character.parts[0].weights = Some(sinew::weights::SkinWeights::from_rows(rows, 300).0);
    assert_same(&character, &through_glb(&character));
}

#[test]
fn influences_can_be_limited_and_the_largest_are_kept() {
    let mut character = common::everything();
    let rows: Vec<_> =
        character.parts[0].mesh.points().iter().map(|_| [(0, 0.25), (1, 0.75)]).collect();
    character.parts[0].weights = Some(sinew::weights::SkinWeights::from_rows(rows, 2).0);
    let options = WriteOptions { max_influences: Some(1), ..WriteOptions::default() };
    let bytes = character_to_glb(&character, &options).unwrap();
    let read = read_character_from_bytes(Format::Glb, "x", &bytes).unwrap().character;
    let weights = read.parts[0].weights.as_ref().unwrap();
    assert!(weights.rows().all(|row| row.len() == 1 && row[0].joint == 1));
}

#[test]
fn an_obj_of_a_pose_has_one_line_a_point_and_faces_over_points() {
    let character = common::everything();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    write_character(&path, &character, &WriteOptions::default()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((lines("v "), lines("vt "), lines("vn "), lines("f ")), (5, 0, 0, 3));
    assert!(text.contains("\nf 2 5 3\n"), "{text}");
}

#[test]
fn what_cannot_be_written_says_why_and_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    let character = common::everything();
    write_character(&path, &character, &WriteOptions::default()).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mesh = &character.parts[0].mesh;
    let mut points = mesh.points().to_vec();
    points[1] = Vec3::NAN;
    let part = PosedPart {
        mesh,
        points: &points,
        vertex_normals: &[],
        materials: PartMaterials::default(),
    };
    let error = write_posed(&path, "x", &[part], &WriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("point 1 is not a number"), "{error}");
    let short = PosedPart { points: &points[2..], ..part };
    assert!(write_posed(&path, "x", &[short], &WriteOptions::default()).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let error =
        write_character(Path::new("a.fbx"), &character, &WriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains(".glb, .gltf, .obj, .ply and .bvh"), "{error}");
}

#[test]
fn a_twist_of_more_than_half_a_turn_is_still_one_after_glb() {
    let options = SampleOptions { kind: SampleKind::Cylinder, points: None, bones: None };
    let written = build(&options).unwrap();
    let read = through_glb(&written);
    let twist_at = |character: &Character, seconds: f64| {
        let pose = character.clip("twist").unwrap().pose_at(&character.skeleton, seconds);
        pose.joints[1].twist_radians
    };
    let mut largest = 0.0f64;
    for step in 0..=40 {
        let seconds = 0.1 * f64::from(step);
        let (before, after) = (twist_at(&written, seconds), twist_at(&read, seconds));
        assert!((before - after).abs() < TWIST_TOLERANCE, "{seconds} s: {before} became {after}");
        largest = largest.max(after.abs());
    }
    // A quaternion alone ends at half a turn.
    assert!(largest > 0.99 * std::f64::consts::TAU, "{largest}");
}
