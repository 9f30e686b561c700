//! What is read from odd files, and what comes back of what is written.

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew::Character;
use sinew::motion::{Channel, Clip, Curve, Track};
use sinew::sample::{SampleKind, SampleOptions, build};

use super::{prepare, read};
use crate::Loaded;
use sinew::motion::Placed;

fn good(text: &str) -> Loaded {
    read("test", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refused(text: &str) -> String {
    read("test", text.as_bytes()).map(|loaded| loaded.report).unwrap_err().to_string()
}

fn again(character: &Character) -> Character {
    let prepared = prepare(character, character.clips.first()).unwrap();
    let mut text = Vec::new();
    prepared.write(&mut text).unwrap();
    read("test", &text)
        .unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&text)))
        .character
}

/// A file without frames has no clip.
fn placed_at(character: &Character, time_seconds: f64) -> Placed {
    match character.clips.first() {
        Some(clip) => Placed::at(&character.skeleton, clip, time_seconds),
        None => Placed::rest(&character.skeleton),
    }
}

/// Where joints are at a time, by name.
fn places(character: &Character, time_seconds: f64) -> Vec<(String, DVec3, DQuat)> {
    let rest = Placed::rest(&character.skeleton);
    let placed = placed_at(character, time_seconds);
    let mut places: Vec<_> = character
        .skeleton
        .joints()
        .iter()
        .enumerate()
        .map(|(j, joint)| {
            let turned = placed.rotations[j] * rest.rotations[j].inverse();
            (joint.name.clone(), placed.positions[j], turned)
        })
        .collect();
    places.sort_by(|a, b| a.0.cmp(&b.0));
    places
}

fn assert_same_motion(a: &Character, b: &Character, tolerance: f64) {
    let duration = a.clips.first().map_or(0.0, Clip::duration_seconds);
    for step in 0..=20 {
        let time = duration * f64::from(step) / 20.0;
        let (before, after) = (places(a, time), places(b, time));
        assert_eq!(before.len(), after.len());
        for ((name, p, q), (other, p2, q2)) in before.iter().zip(&after) {
            assert_eq!(name, other);
            assert!(p.distance(*p2) <= tolerance, "{name} at {time}: {p} {p2}");
            assert!(q.dot(*q2).abs() >= 1.0 - tolerance, "{name} at {time}: {q} {q2}");
        }
    }
}

const TWO_JOINTS: &str = "HIERARCHY\nROOT hips\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition \
    Zrotation Xrotation Yrotation\nJOINT left leg\n{\nOFFSET 0.1 -1 0\nCHANNELS 3 Yrotation Zrotation \
    Xrotation\nEnd Site\n{\nOFFSET 0 -0.5 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n\
    0 1 0 90 0 0 0 0 0\n0 2 0 90 0 0 30 20 10\n";

#[test]
fn channels_are_applied_in_the_order_of_the_file() {
    let Loaded { character, report, .. } = good(TWO_JOINTS);
    assert!(report.is_clean(), "{report:?}");
    let names: Vec<_> = character.skeleton.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["hips", "left leg"]);
    assert_eq!(character.skeleton.joints()[1].tail_in_joint, DVec3::new(0.0, -0.5, 0.0));
    assert_eq!(character.clips[0].duration_seconds(), 0.5);
    let placed = placed_at(&character, 0.5);
    assert_eq!(placed.positions[0], DVec3::new(0.0, 2.0, 0.0));
    // A quarter turn about z takes (0.1, −1) to (1, 0.1).
    assert!(placed.positions[1].abs_diff_eq(DVec3::new(1.0, 2.1, 0.0), 1e-12));
    let wanted = DQuat::from_rotation_z(90f64.to_radians())
        * DQuat::from_rotation_y(30f64.to_radians())
        * DQuat::from_rotation_z(20f64.to_radians())
        * DQuat::from_rotation_x(10f64.to_radians());
    assert!(placed.rotations[1].dot(wanted).abs() > 1.0 - 1e-12);
}

#[test]
fn blanks_case_and_ends_of_lines_do_not_matter() {
    let plain = good(TWO_JOINTS).character;
    let variants = [
        TWO_JOINTS.replace('\n', "\r\n"),
        TWO_JOINTS.replace('\n', "\r"),
        TWO_JOINTS.replace('\n', " \t\n\n\t "),
        TWO_JOINTS.replace("\n{", " {"),
        TWO_JOINTS.replace("Frames: 2", "FRAMES:2").replace("Frame Time: ", "frame  time:"),
        TWO_JOINTS.replace("HIERARCHY", "\u{feff}hierarchy").replace("End Site", "END SITE"),
        TWO_JOINTS.replace("0 1 0 90", "0\n1\n0\n90"),
        format!("{TWO_JOINTS}\n\n \0\0"),
    ];
    for text in variants {
        let Loaded { character, report, .. } = good(&text);
        assert!(report.is_clean(), "{report:?}");
        assert_eq!((&character.skeleton, &character.clips), (&plain.skeleton, &plain.clips));
    }
}

#[test]
fn several_roots_scale_channels_and_joints_without_channels_are_read() {
    let text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 4 Xscale Yrotation Yscale Zscale JOINT b {\nOFFSET 0 1 0 } } \
                ROOT c {\nOFFSET 3 0 0 CHANNELS 0 } MOTION Frames: 1 Frame Time: 1\n7 90 7 7";
    let Loaded { character, report, .. } = good(text);
    assert!(report.has("channel-left-out"));
    let joints = character.skeleton.joints();
    assert_eq!((joints.len(), joints[1].parent, joints[2].parent), (3, Some(0), None));
    assert_eq!(character.clips[0].tracks.len(), 1);
    assert_same_motion(&character, &again(&character), 1e-9);
}

#[test]
fn positions_about_zero_are_added_to_the_offset_and_others_stand_for_it() {
    let text = TWO_JOINTS.replace("0 1 0 90", "0 0 0 90").replace("0 2 0 90", "0 0.25 0 90");
    let Loaded { character, report, .. } = good(&text);
    assert!(report.has("positions-added"));
    let placed = placed_at(&character, 0.5);
    assert_eq!(placed.positions[0], DVec3::new(0.0, 1.25, 0.0));
    assert_same_motion(&character, &again(&character), 1e-9);
    // A root that walks far to the other side of its offset.
    let text = TWO_JOINTS.replace("0 1 0 90", "5 -9 0 90").replace("0 2 0 90", "5 -8 3 90");
    let character = good(&text).character;
    assert_same_motion(&character, &again(&character), 1e-9);
}

#[test]
fn a_motion_that_is_cut_off_keeps_its_whole_frames_and_says_where() {
    let cut = &TWO_JOINTS[..TWO_JOINTS.len() - 6];
    let Loaded { character, report, .. } = good(cut);
    assert_eq!(character.clips[0].tracks[0].channel.num_keys(), 1);
    let warning = report.warnings.iter().find(|w| w.code == "truncated-motion").unwrap();
    assert!(warning.what.contains("frame 2 of 2"), "{}", warning.what);
    let none = TWO_JOINTS.find("0 1 0 90").unwrap() + 5;
    assert!(refused(&TWO_JOINTS[..none]).contains("truncated: it ends in frame 1 of 2"));
    let long = format!("{TWO_JOINTS}1 2 3");
    assert!(good(&long).report.has("numbers-left-over"));
    let skeleton = TWO_JOINTS.split("MOTION").next().unwrap();
    let loaded = good(skeleton);
    assert!(loaded.character.clips.is_empty() && loaded.report.has("no-motion"));
}

#[test]
fn what_is_broken_is_named_with_its_line() {
    for (from, to, words) in [
        ("HIERARCHY", "HIERARCH", "line 1: a BVH begins"),
        ("OFFSET 0 1 0", "OFFSET 0 x 0", "line 4: 'x' is no number; y of an OFFSET"),
        ("OFFSET 0 1 0", "OFFSET 0 nan 0", "line 4: 'nan' is no number"),
        ("CHANNELS 3 Y", "CHANNELS 4 Y", "line 9: 4 channels, but number 4 is 'End'"),
        ("CHANNELS 3 Y", "CHANNELS -3 Y", "-3 is no number of channels"),
        ("Xrotation\nEnd", "Wrotation\nEnd", "number 3 is 'Wrotation'"),
        (
            "}\n}\n}\nMOTION",
            "}\n}\nMOTION",
            "MOTION begins inside joint 'hips', which begins in line 2",
        ),
        ("}\n}\n}\nMOTION", "}\n}\n}\n}\nMOTION", "closes a brace that was not opened"),
        ("left leg\n{", "left leg\n", "joint 'left leg' has no '{'"),
        ("Frames: 2", "Frames: many", "line 17: 'many' is no number"),
        ("Frames: 2", "Frames: -2", "-2 is no number of frames"),
        ("Frames: 2", "", "after MOTION comes 'Frames:'"),
        ("30 20 10", "30 2O 10", "a number of joint 'left leg' in frame 2"),
        ("ROOT hips", "BONE hips", "'BONE' is none of ROOT"),
    ] {
        let text = TWO_JOINTS.replacen(from, to, 1);
        assert_ne!(text, TWO_JOINTS, "{from}");
        let error = refused(&text);
        assert!(error.contains(words), "{error}");
    }
    let cut = &TWO_JOINTS[..TWO_JOINTS.find("End Site").unwrap()];
    assert!(refused(cut).contains("the file ends inside joint 'left leg'"), "{}", refused(cut));
    let cut = &TWO_JOINTS[..TWO_JOINTS.find("leg").unwrap()];
    assert!(refused(cut).contains("the file ends in joint 'left'; it is truncated"));
    assert!(refused("HIERARCHY MOTION Frames: 0").contains("no joint"));
    assert!(
        good(&TWO_JOINTS.replace("Frame Time: 0.5", "Frame Time: 0")).report.has("no-frame-time")
    );
    assert!(good(&TWO_JOINTS.replace("Frame Time: 0.5\n", "")).report.has("no-frame-time"));
}

#[test]
fn joints_a_hundred_thousand_deep_are_read_and_written_without_recursion() {
    let depth = 100_000;
    let mut text = String::from("HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\n");
    for _ in 1..depth {
        text += "JOINT j\n{\nOFFSET 0 1 0\n";
    }
    text += &"}\n".repeat(depth);
    let character = good(&text).character;
    assert_eq!(again(&character).skeleton.len(), depth);
}

#[test]
fn names_that_a_bvh_cannot_have_are_made_ones_that_it_can() {
    let mut character = good(TWO_JOINTS).character;
    let mut joints = character.skeleton.joints().to_vec();
    joints[0].name = " a{b}\nc ".into();
    joints[1].name = String::new();
    character.skeleton = sinew::skeleton::Skeleton::new(joints).unwrap();
    let names: Vec<_> =
        again(&character).skeleton.joints().iter().map(|j| j.name.clone()).collect();
    assert_eq!(names, ["a_b__c", "joint 1"]);
}

#[test]
fn a_skeleton_with_rest_rotations_moves_as_it_did() {
    let mut character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let track = |joint: usize, axis: DVec3| {
        let rest = character.skeleton.joints()[joint].rest.rotation;
        let turn = |k: i32| rest * DQuat::from_axis_angle(axis, 0.3 * f64::from(k));
        let values = (0..30).map(turn).collect();
        let times = (0..30).map(|k| f64::from(k) / 24.0).collect();
        Track { joint: joint as u32, channel: Channel::Rotation(Curve::linear(times, values)) }
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::new(0.6, 0.0, 0.8)];
    let num_joints = character.skeleton.len();
    let tracks = (0..num_joints).step_by(3).map(|j| track(j, axes[j / 3 % 3])).collect();
    character.clips = vec![Clip::new("test", tracks)];
    let read = again(&character);
    assert_eq!(read.clips[0].tracks[0].channel.num_keys(), 30);
    assert_same_motion(&character, &read, 1e-8);
    // And what is read is at rest where the character is.
    let (a, b) = (character.clone(), read);
    let still = |mut c: Character| {
        c.clips.clear();
        c
    };
    assert_same_motion(&still(a), &still(b), 1e-9);
}

#[test]
fn keys_at_uneven_times_are_sampled_and_reported_and_endless_clips_refused() {
    let mut character = good(TWO_JOINTS).character;
    let curve = |times: Vec<f64>| {
        let values = times.iter().map(|&t| DVec3::Y * t).collect();
        let channel = Channel::Translation(Curve::linear(times, values));
        vec![Clip::new("test", vec![Track { joint: 0, channel }])]
    };
    character.clips = curve(vec![0.0, 0.1, 1.0 / 3.0, 1.0]);
    let prepared = prepare(&character, character.clips.first()).unwrap();
    assert!(prepared.report.has("resampled"));
    let read = again(&character);
    assert_eq!(read.clips[0].tracks[0].channel.num_keys(), 61);
    character.clips = curve(vec![0.0, 1.0, 1e30]);
    assert!(prepare(&character, character.clips.first()).is_err());
}

proptest! {
    #[test]
    fn any_motion_of_any_order_comes_back(
        order in 0usize..6,
        angles in prop::collection::vec(-720.0..720.0f64, 24),
    ) {
        let orders = ["X Y Z", "X Z Y", "Y X Z", "Y Z X", "Z X Y", "Z Y X"][order];
        let names: Vec<_> = orders.split(' ').map(|axis| format!("{axis}rotation")).collect();
        let channels = names.join(" ");
        let mut text = format!(
            "HIERARCHY\nROOT r\n{{\nOFFSET 1 2 3\nCHANNELS 6 {channels} Zposition Xposition Yposition\nJOINT j\n{{\n\
             OFFSET 10 0 0\nCHANNELS 3 {channels}\nEnd Site\n{{\nOFFSET 1 1 1\n}}\n}}\n}}\nMOTION\nFrames: 4\n\
             Frame Time: 0.0083333\n"
        );
        for frame in angles.chunks(6) {
            let [a, b, c, d, e, f] = *<&[f64; 6]>::try_from(frame).unwrap();
            text += &format!("{a} {b} {c} {d} {e} {f} {d} {a} {b}\n");
        }
        let character = good(&text).character;
        let read = again(&character);
        prop_assert_eq!(&character.carried, &read.carried);
        assert_same_motion(&character, &read, 1e-6);
    }
}
