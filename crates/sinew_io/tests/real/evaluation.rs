//! Real files are posed as a plain evaluation of their JSON says.

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use sinew::Character;
use sinew::motion::{Channel, Clip, Cursor, KeyValue as _, Motion, MotionSample};
use sinew::skeleton::JointTransform;
use sinew_io::read_character;

use crate::Test;
use crate::common::data;
use crate::plain::{TOLERANCE_OVER_DIAGONAL, posed, worst, worst_at};

pub(crate) const TESTS: &[Test] = &[
    ("real_files_pose_as_a_plain_evaluation_says", real_files_pose_as_a_plain_evaluation_says),
    (
        "a_file_compressed_with_draco_poses_as_its_uncompressed_twin",
        a_file_compressed_with_draco_poses_as_its_uncompressed_twin,
    ),
    (
        "the_clips_of_interpolation_test_pose_as_a_plain_evaluation_says_at_101_times",
        the_clips_of_interpolation_test_pose_as_a_plain_evaluation_says_at_101_times,
    ),
    (
        "every_clip_is_what_its_curves_say_at_101_times",
        every_clip_is_what_its_curves_say_at_101_times,
    ),
];

/// Of Draco's quantisation to 11 to 14 bits.
const DRACO_TOLERANCE_OVER_DIAGONAL: f64 = 2e-3;

fn real_files_pose_as_a_plain_evaluation_says(folder: &Path) {
    let mut failures = Vec::new();
    let mut largest = 0.0_f64;
    let files = data::readable_files(folder);
    for path in &files {
        let (distance, what) = worst(path);
        eprintln!("{:.1e}  {}  ({what})", distance, path.display());
        largest = largest.max(distance);
        if distance.is_nan() || distance > TOLERANCE_OVER_DIAGONAL {
            failures.push(format!("{}: {distance:.1e} of the diagonal, {what}", path.display()));
        }
    }
    eprintln!("{} files, at most {largest:.1e} of the diagonal", files.len());
    assert!(failures.is_empty(), "{failures:#?}");
}

fn a_file_compressed_with_draco_poses_as_its_uncompressed_twin(folder: &Path) {
    let files = data::readable_files(folder);
    let read = |name: &str| {
        let path: Option<&PathBuf> = files.iter().find(|path| path.ends_with(name));
        let path = path.unwrap_or_else(|| panic!("there is no {name}"));
        read_character(path).unwrap().character
    };
    for (plain, compressed) in [
        ("CesiumMan.glb", "CesiumMan_draco/CesiumMan.gltf"),
        ("RiggedSimple.glb", "RiggedSimple_draco/RiggedSimple.gltf"),
    ] {
        let (plain, compressed) = (read(plain), read(compressed));
        assert_eq!(plain.num_triangles(), compressed.num_triangles());
        let seconds = 0.4 * plain.clips[0].duration_seconds();
        let all = |c: &Character| -> Vec<DVec3> {
            posed(c, Some(&c.clips[0]), seconds).concat().iter().map(|p| p.as_dvec3()).collect()
        };
        let (a, b) = (all(&plain), all(&compressed));
        let diagonal = f64::from(plain.bounds().diagonal());
        // Draco reorders vertices: every one must have a partner, both ways.
        let far = |from: &[DVec3], to: &[DVec3]| {
            let nearest =
                |p: &DVec3| to.iter().map(|q| p.distance(*q)).fold(f64::INFINITY, f64::min);
            from.iter().map(nearest).fold(0.0, f64::max) / diagonal
        };
        let (there, back) = (far(&a, &b), far(&b, &a));
        eprintln!("{there:.1e} and {back:.1e} of the diagonal");
        assert!(there.max(back) < DRACO_TOLERANCE_OVER_DIAGONAL);
    }
}

fn the_clips_of_interpolation_test_pose_as_a_plain_evaluation_says_at_101_times(folder: &Path) {
    let files = data::readable_files(folder);
    let path = files.iter().find(|path| path.ends_with("InterpolationTest.glb")).unwrap();
    assert_eq!(read_character(path).unwrap().character.clips.len(), 9);
    let shares: Vec<f64> = (0..=100).map(|step| f64::from(step) / 100.0).collect();
    let (distance, what) = worst_at(path, &shares);
    eprintln!("{distance:.1e}  ({what})");
    assert!(distance < TOLERANCE_OVER_DIAGONAL, "{distance:.1e}: {what}");
}

/// Each joint's local transform, curve by curve.
fn by_curves(clip: &Clip, character: &Character, seconds: f64) -> Vec<JointTransform> {
    let joints = character.skeleton.joints().iter();
    let mut locals: Vec<JointTransform> = joints.map(|joint| joint.rest).collect();
    for track in &clip.tracks {
        let local = &mut locals[track.joint as usize];
        match &track.channel {
            Channel::Translation(curve) => {
                local.translation = curve.value_at(seconds).unwrap_or(local.translation);
            }
            Channel::Rotation(curve) => {
                local.rotation = curve.value_at(seconds).unwrap_or(local.rotation);
            }
            Channel::Scale(curve) => local.scale = curve.value_at(seconds).unwrap_or(local.scale),
        }
    }
    locals
}

/// A motion with a cursor, and the clip that it is written as, beside the file's own curves.
fn every_clip_is_what_its_curves_say_at_101_times(folder: &Path) {
    let (mut num_clips, mut largest) = (0, 0.0_f64);
    for path in data::readable_files(folder) {
        let character = read_character(&path).unwrap().character;
        let skeleton = &character.skeleton;
        for clip in &character.clips {
            let motion = Motion::of_clip(clip, skeleton);
            let written = Motion::of_clip(&motion.to_clip(&character), skeleton);
            let (mut cursors, mut out) =
                ([Cursor::default(), Cursor::default()], MotionSample::rest(&character));
            num_clips += 1;
            for step in 0..=100 {
                let seconds = clip.duration_seconds() * f64::from(step) / 100.0;
                let expected = by_curves(clip, &character, seconds);
                for (motion, cursor) in [&motion, &written].into_iter().zip(&mut cursors) {
                    motion.evaluate(skeleton, seconds, cursor, &mut out);
                    let posed = skeleton.joints().iter().zip(&out.pose.joints);
                    for ((joint, pose), expected) in posed.zip(&expected) {
                        let rest = &joint.rest;
                        let rotation: DQuat = rest.rotation * pose.rotation(joint.bone_axis());
                        let size = expected.translation.length().max(1.0);
                        let translation = rest.translation + pose.translation;
                        let error = (rotation.distance(expected.rotation))
                            .max(translation.distance(expected.translation) / size);
                        largest = largest.max(error);
                        let place = format!("{}: {}, {}", path.display(), clip.name, joint.name);
                        assert!(error < 1e-5, "{place} at {seconds}: {error:.1e}");
                    }
                }
            }
        }
    }
    eprintln!("{num_clips} clips, at most {largest:.1e}");
    assert!(num_clips > 50);
}
