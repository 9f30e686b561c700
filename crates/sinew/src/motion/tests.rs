//! Motions as wholes: clips in and out, layers, other times.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::*;
use crate::Character;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{JointPose, Pose};

fn tube() -> Character {
    build(&SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) }).unwrap()
}

fn put(motion: &mut Motion, layer: usize, address: Address, keys: Keys, character: &Character) {
    motion.layers[layer].put(MotionChannel::new(address, keys, &character.skeleton));
}

fn scalars(pairs: &[(f64, f64)], span: Span) -> Keys {
    Keys::Scalar(
        KeyCurve::new(pairs.iter().map(|&(t, v)| Key::new(t, v, span)).collect()).settled(),
    )
}

fn joint(index: u32, property: JointProperty) -> Address {
    Address::joint(index, property)
}

/// The largest difference of two poses, in radians and metres.
fn distance(a: &Pose, b: &Pose) -> f64 {
    a.joints.iter().zip(&b.joints).fold(0.0, |worst, (a, b)| {
        worst
            .max(a.swing.distance(b.swing))
            .max((a.twist_radians - b.twist_radians).abs())
            .max(a.translation.distance(b.translation))
            .max(a.scale.distance(b.scale))
    })
}

#[test]
fn a_wrist_of_two_turns_keeps_them_through_a_clip() {
    let character = tube();
    let skeleton = &character.skeleton;
    let mut motion = Motion::new("wring", 1.0);
    let twist = scalars(&[(0.0, 0.0), (1.0, 2.0 * TAU)], Span::Cubic);
    put(&mut motion, 0, joint(1, JointProperty::Twist), twist, &character);
    let clip = motion.to_clip(&character);
    let read = Motion::of_clip(&clip, skeleton);
    for step in 0..=100 {
        let seconds = f64::from(step) * 0.01;
        let (a, b) = (motion.pose_at(skeleton, seconds), read.pose_at(skeleton, seconds));
        assert!(distance(&a, &b) < 1e-3, "{seconds}: {:?} {:?}", a.joints[1], b.joints[1]);
    }
    assert!((read.pose_at(skeleton, 1.0).joints[1].twist_radians - 2.0 * TAU).abs() < 1e-9);
}

#[test]
fn what_a_file_can_say_goes_through_a_motion_and_back_unchanged() {
    let character = crate::conformance::troupe().unwrap();
    for clip in &character.clips {
        let again = Motion::of_clip(clip, &character.skeleton).to_clip(&character);
        assert_eq!(again.tracks.len(), clip.tracks.len());
        assert_eq!(again.shape_tracks, clip.shape_tracks);
        for track in &clip.tracks {
            let kind = std::mem::discriminant(&track.channel);
            let back = again.tracks.iter().find(|back| {
                back.joint == track.joint && std::mem::discriminant(&back.channel) == kind
            });
            assert_eq!(back.unwrap().channel.num_keys(), track.channel.num_keys());
        }
        for step in 0..=20 {
            let seconds = clip.duration_seconds() * f64::from(step) / 20.0;
            let (a, b) = (
                clip.pose_at(&character.skeleton, seconds),
                again.pose_at(&character.skeleton, seconds),
            );
            assert!(distance(&a, &b) < 1e-9);
        }
    }
}

#[test]
fn an_adding_layer_turns_further_and_a_replacing_one_takes_over_by_its_weight() {
    let character = tube();
    let skeleton = &character.skeleton;
    let twist = joint(1, JointProperty::Twist);
    let mut motion = Motion::new("m", 1.0);
    put(&mut motion, 0, twist, scalars(&[(0.0, 1.0)], Span::Linear), &character);
    motion.layers.push(Layer::new("more", LayerMode::Add));
    put(&mut motion, 1, twist, scalars(&[(0.0, 0.5)], Span::Linear), &character);
    motion.layers.push(Layer::new("over", LayerMode::Replace));
    put(&mut motion, 2, twist, scalars(&[(0.0, 9.0)], Span::Linear), &character);
    let found = |motion: &Motion| motion.pose_at(skeleton, 0.0).joints[1].twist_radians;
    assert_eq!(found(&motion), 9.0);
    motion.layers[2].weight = 0.25;
    assert_eq!(found(&motion), 1.5 + 0.25 * 7.5);
    motion.layers[2].mask = Some([0].into());
    assert_eq!(found(&motion), 1.5);
    motion.layers[1].weight = 0.5;
    assert_eq!(found(&motion), 1.25);
    motion.layers[1].is_muted = true;
    assert_eq!(found(&motion), 1.0);
}

#[test]
fn a_swing_added_turns_the_joint_in_its_own_frame() {
    let character = tube();
    let skeleton = &character.skeleton;
    let axis = skeleton.joints()[1].bone_axis();
    let across = axis.any_orthonormal_vector();
    let swing = |degrees: f64| DQuat::from_axis_angle(across, degrees.to_radians());
    let curve = |q| Keys::Rotation(KeyCurve::new(vec![Key::new(0.0, q, Span::Linear)]));
    let mut motion = Motion::new("m", 1.0);
    let address = joint(1, JointProperty::Swing);
    put(&mut motion, 0, address, curve(swing(30.0)), &character);
    motion.layers.push(Layer::new("more", LayerMode::Add));
    put(&mut motion, 1, address, curve(swing(40.0)), &character);
    motion.layers[1].weight = 0.5;
    let pose = motion.pose_at(skeleton, 0.0).joints[1];
    assert!(pose.swing.distance(swing(50.0)) < 1e-12);
}

#[test]
fn a_clip_of_layers_is_the_motion_that_it_was_made_of() {
    let character = tube();
    let skeleton = &character.skeleton;
    let mut motion = Motion::of_clip(&character.clips[0], skeleton);
    let length = motion.length_seconds;
    motion.layers.push(Layer::new("more", LayerMode::Add));
    let shake = scalars(&[(0.0, 0.0), (0.2, 0.7), (0.5, -4.0)], Span::Bezier);
    let mut keys = shake.clone();
    keys.set_outside(Outside::Hold, Outside::CycleWithOffset);
    put(&mut motion, 1, joint(1, JointProperty::Twist), keys, &character);
    put(
        &mut motion,
        1,
        joint(0, JointProperty::Stretch),
        scalars(&[(0.0, 1.0), (1.0, 1.5)], Span::Cubic),
        &character,
    );
    let read = Motion::of_clip(&motion.to_clip(&character), skeleton);
    for step in 0..=101 {
        let seconds = length * f64::from(step) / 101.0;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        motion.pose_at(skeleton, seconds).model_from_joint(skeleton, &mut a);
        read.pose_at(skeleton, seconds).model_from_joint(skeleton, &mut b);
        for (a, b) in a.iter().zip(&b) {
            assert!(a.abs_diff_eq(*b, 2e-4), "{seconds}: {a} {b}");
        }
        let twists = [&motion, &read].map(|m| m.pose_at(skeleton, seconds).joints[1].twist_radians);
        assert!((twists[0] - twists[1]).abs() < 1e-3, "{seconds}: {twists:?}");
    }
}

#[test]
fn a_held_key_jumps_in_the_clip_too_beside_curves_that_do_not() {
    let character = tube();
    let skeleton = &character.skeleton;
    let mut motion = Motion::new("m", 1.0);
    put(
        &mut motion,
        0,
        joint(1, JointProperty::Twist),
        scalars(&[(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)], Span::Step),
        &character,
    );
    let read = Motion::of_clip(&motion.to_clip(&character), skeleton);
    let twist = |seconds| read.pose_at(skeleton, seconds).joints[1].twist_radians;
    assert!(twist(0.49).abs() < 1e-9 && (twist(0.5) - 1.0).abs() < 1e-9);
    assert!((twist(0.99) - 1.0).abs() < 1e-9 && twist(1.0).abs() < 1e-9);
}

#[test]
fn retimed_motions_say_the_same_at_their_new_times() {
    let character = tube();
    let skeleton = &character.skeleton;
    let mut motion = Motion::of_clip(&character.clips[0], skeleton);
    put(
        &mut motion,
        0,
        joint(0, JointProperty::Stretch),
        scalars(&[(0.1, 1.0), (0.4, 2.0), (1.0, 0.5)], Span::Cubic),
        &character,
    );
    let length = motion.length_seconds;
    let near = |a: &Motion, ta: f64, b: &Motion, tb: f64, tolerance: f64| {
        let (pa, pb) = (a.pose_at(skeleton, ta), b.pose_at(skeleton, tb));
        let stretch = |pose: &Pose| pose.joints[0].stretch;
        assert!(distance(&pa, &pb) < tolerance, "{ta} {tb}");
        assert!((stretch(&pa) - stretch(&pb)).abs() < tolerance, "{ta} {tb}");
    };
    let dense = motion.resampled(skeleton, 240.0).unwrap();
    let (from, to) = (0.2 * length, 0.7 * length);
    let trimmed = motion.trimmed(skeleton, from, to).unwrap();
    assert_eq!(trimmed.length_seconds, to - from);
    let knots = [(0.0, 0.0), (0.3 * length, 0.5 * length), (2.0 * length, length)];
    let warped = motion.warped(skeleton, &knots).unwrap();
    assert!((warped.length_seconds - 2.0 * length).abs() < 1e-12);
    for step in 0..=40 {
        let share = f64::from(step) / 40.0;
        near(&motion, share * length, &dense, share * length, 2e-3);
        near(&motion, from + share * (to - from), &trimmed, share * (to - from), 1e-5);
        let at = share * length;
        let new =
            if at < 0.5 * length { at * 0.6 } else { 0.3 * length + (at - 0.5 * length) * 3.4 };
        near(&motion, at, &warped, new, 1e-5);
    }
    let looped = motion.loop_blended(skeleton, 0.25 * length).unwrap();
    near(&looped, 0.0, &looped, length, 1e-12);
    near(&motion, 0.3 * length, &looped, 0.3 * length, 1e-12);
}

#[test]
fn times_that_cannot_be_are_refused() {
    let character = tube();
    let (skeleton, motion) = (&character.skeleton, Motion::new("m", 1.0));
    assert!(
        motion.resampled(skeleton, 0.0).is_err() && motion.resampled(skeleton, f64::NAN).is_err()
    );
    assert!(motion.trimmed(skeleton, 1.0, 1.0).is_err());
    assert!(motion.warped(skeleton, &[(0.0, 0.0)]).is_err());
    assert!(motion.warped(skeleton, &[(0.0, 1.0), (1.0, 0.5)]).is_err());
    assert!(motion.loop_blended(skeleton, 2.0).is_err());
}

#[test]
fn a_reduced_motion_has_fewer_keys_and_a_skin_within_the_bound() {
    let character = Arc::new(tube());
    let mut smooth = Motion::of_clip(&character.clips[0], &character.skeleton);
    let twist = scalars(&[(0.0, 0.0), (0.3, 2.0), (1.0, -1.0)], Span::Cubic);
    put(&mut smooth, 0, joint(1, JointProperty::Twist), twist, &character);
    let dense = smooth.resampled(&character.skeleton, 120.0).unwrap();
    let mut last = usize::MAX;
    for bound in [1e-4, 1e-2] {
        let reduced = dense.reduced(&character, bound, &Silent).unwrap();
        assert!(reduced.error > 0.0 && reduced.error <= bound, "{}", reduced.error);
        assert_eq!(reduced.num_keys, (dense.num_keys(), reduced.motion.num_keys()));
        assert!(reduced.num_keys.1 * 2 < reduced.num_keys.0 && reduced.num_keys.1 < last);
        last = reduced.num_keys.1;
        // At a time that is neither a key nor a look.
        let seconds = 0.613 * dense.length_seconds;
        let skin = |motion: &Motion| {
            let rig = crate::frame::Rig::default();
            let plan = crate::frame::Plan::bind(&character, &rig, &Silent).unwrap();
            let pose = motion.pose_at(&character.skeleton, seconds);
            let mut frame = plan.frame();
            let controls = crate::frame::Controls::posed(&character, pose);
            plan.run(&controls, &mut plan.scratch(), &mut frame);
            frame.parts()[0].points().to_vec()
        };
        let (a, b) = (skin(&dense), skin(&reduced.motion));
        assert!(a.iter().zip(&b).all(|(a, b)| f64::from(a.distance(*b)) < 1.5 * bound));
    }
}

/// A clip evaluated anew, from the formulas of the specification: no cursor, no motion.
fn independent(clip: &Clip, character: &Character, seconds: f64) -> Vec<(DVec3, DQuat, DVec3)> {
    let mut locals: Vec<_> = character
        .skeleton
        .joints()
        .iter()
        .map(|joint| (joint.rest.translation, joint.rest.rotation, joint.rest.scale))
        .collect();
    for track in &clip.tracks {
        let local = &mut locals[track.joint as usize];
        match &track.channel {
            Channel::Translation(curve) => local.0 = curve.value_at(seconds).unwrap(),
            Channel::Rotation(curve) => local.1 = curve.value_at(seconds).unwrap(),
            Channel::Scale(curve) => local.2 = curve.value_at(seconds).unwrap(),
        }
    }
    locals
}

#[test]
fn every_clip_of_the_samples_is_what_its_curves_say_at_101_times() {
    for kind in SampleKind::ALL {
        let points = Some(if kind == SampleKind::Human { 2000 } else { 800 });
        let Ok(character) = build(&SampleOptions { points, ..SampleOptions::new(kind) }) else {
            continue;
        };
        for clip in &character.clips {
            let motion = Motion::of_clip(clip, &character.skeleton);
            let (mut cursor, mut out) = (Cursor::default(), MotionSample::rest(&character));
            for step in 0..=100 {
                let seconds = clip.duration_seconds() * f64::from(step) / 100.0;
                motion.evaluate(&character.skeleton, seconds, &mut cursor, &mut out);
                let expected = independent(clip, &character, seconds);
                for ((joint, pose), (translation, rotation, scale)) in
                    character.skeleton.joints().iter().zip(&out.pose.joints).zip(expected)
                {
                    let rest = &joint.rest;
                    let turned = rest.rotation * pose.rotation(joint.bone_axis());
                    assert!((rest.translation + pose.translation).distance(translation) < 1e-9);
                    assert!(turned.distance(rotation) < 1e-7, "{}: {seconds}", clip.name);
                    assert!((rest.scale * pose.scale).distance(scale) < 1e-9);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn any_motion_at_any_time_gives_a_pose(
        values in proptest::collection::vec((-3.0..3.0_f64, -9.0..9.0_f64, 0..4_usize), 1..8),
        outside in 0..3_usize,
        seconds in proptest::num::f64::ANY,
        mode in any::<bool>(),
    ) {
        let character = tube();
        let spans = [Span::Step, Span::Linear, Span::Cubic, Span::Bezier];
        let keys = values.iter().map(|&(t, v, span)| Key::new(t, v, spans[span]));
        let outside = [Outside::Hold, Outside::Cycle, Outside::CycleWithOffset][outside];
        let curve = KeyCurve::new(keys.collect()).settled().with_outside(outside, outside);
        let turns = KeyCurve::new(curve.keys().iter().map(|key| {
            Key::new(key.seconds, DQuat::from_rotation_x(key.value), key.span)
        }).collect()).settled().with_outside(outside, outside);
        let mode = if mode { LayerMode::Add } else { LayerMode::Replace };
        let mut motion = Motion::new("m", 1.0);
        motion.layers.push(Layer::new("over", mode));
        put(&mut motion, 1, joint(0, JointProperty::Twist), Keys::Scalar(curve), &character);
        put(&mut motion, 1, joint(1, JointProperty::Rotation), Keys::Rotation(turns), &character);
        let pose = motion.pose_at(&character.skeleton, seconds);
        for joint in &pose.joints {
            let JointPose { swing, twist_radians, .. } = joint;
            prop_assert!((swing.length() - 1.0).abs() < 1e-6);
            // With offset, turns add up for ever.
            let may_grow = outside == Outside::CycleWithOffset && seconds.abs() > 1e6;
            prop_assert!(twist_radians.abs() < 1e9 * PI || may_grow);
        }
    }
}
