//! Motions of our samples on one another.

use glam::{DQuat, DVec3};

use super::role::{Role, Roles};
use super::*;
use crate::motion::{Channel, Curve, Placed, Track};
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Joint, Side};

fn skeleton(kind: SampleKind) -> Skeleton {
    build(&SampleOptions::new(kind)).unwrap().skeleton
}

fn walk() -> (Skeleton, Clip) {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let clip = human.clip("walk").unwrap().clone();
    (human.skeleton, clip)
}

#[test]
fn our_samples_have_their_roles_by_name() {
    for kind in [SampleKind::Human, SampleKind::Chibi] {
        let skeleton = skeleton(kind);
        let roles = Roles::of(&skeleton);
        let name = |role| roles.joint(role).map(|j| skeleton.joints()[j as usize].name.clone());
        assert_eq!(name(Role::Hips).unwrap(), "hips");
        assert_eq!(name(Role::UpperArm(Side::Left)).unwrap(), "upper_arm_l");
        assert_eq!(name(Role::LowerLeg(Side::Right)).unwrap(), "shin_r");
        assert_eq!(name(Role::Toes(Side::Right)).unwrap(), "toes_r");
        assert_eq!(name(Role::Head).unwrap(), "head");
    }
}

/// Without names a body is known by where its joints are.
#[test]
fn limbs_are_found_by_structure_where_names_say_nothing() {
    let human = skeleton(SampleKind::Chibi);
    let mut joints: Vec<Joint> = human.joints().to_vec();
    for (index, joint) in joints.iter_mut().enumerate() {
        joint.name = format!("n{index}");
    }
    let nameless = Skeleton::new(joints).unwrap();
    let (by_name, by_structure) = (Roles::of(&human), Roles::of(&nameless));
    for side in [Side::Left, Side::Right] {
        for role in [Role::Hips, Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)] {
            assert_eq!(by_structure.joint(role), by_name.joint(role), "{role:?}");
        }
    }
}

#[test]
fn a_motion_on_its_own_skeleton_is_itself() {
    let (skeleton, clip) = walk();
    let options = RetargetOptions { keeps_feet: false, ..RetargetOptions::default() };
    let done = retarget(&skeleton, &clip, &skeleton, &options).unwrap();
    assert!((done.scale - 1.0).abs() < 1e-12);
    assert!(done.figures.limb_degrees < 1e-4, "{:?}", done.figures);
    let arm = skeleton.find("forearm_l").unwrap() as usize;
    for step in 0..=10 {
        let time = clip.duration_seconds() * f64::from(step) / 10.0;
        let before = Placed::at(&skeleton, &clip, time);
        let after = Placed::at(&skeleton, &done.clip, time);
        assert!(before.rotations[arm].dot(after.rotations[arm]).abs() > 1.0 - 1e-6);
    }
}

#[test]
fn a_walk_on_the_chibi_keeps_directions_and_its_feet_stand() {
    let (skeleton_, clip) = walk();
    let chibi = skeleton(SampleKind::Chibi);
    let done = retarget(&skeleton_, &clip, &chibi, &RetargetOptions::default()).unwrap();
    assert!(done.figures.limb_degrees <= 5.0, "{:?}", done.figures);
    assert!(done.figures.slide_over_leg <= 0.01, "{:?}", done.figures);
    assert!(done.scale < 1.0);
    let names: Vec<_> =
        done.lost.iter().map(|&j| skeleton_.joints()[j as usize].name.as_str()).collect();
    assert!(!names.contains(&"thigh_l"), "{names:?}");
}

/// One foot is held, the hips move on: without help the foot would slide.
#[test]
fn a_standing_foot_stays_where_it_stands() {
    let source = skeleton(SampleKind::Human);
    let target = skeleton(SampleKind::Chibi);
    let hips = source.find("hips").unwrap();
    let rest = source.joints()[hips as usize].rest.translation;
    let times: Vec<f64> = (0..31).map(|k| f64::from(k) / 30.0).collect();
    let sway = |k: usize| rest + DVec3::new(0.004 * (k as f64 * 0.2).sin(), -0.03, 0.0);
    let places = (0..31).map(sway).collect();
    let channel = Channel::Translation(Curve::linear(times, places));
    let clip = Clip::new("sway", vec![Track { joint: hips, channel }]);
    let slide = |keeps_feet| {
        let options = RetargetOptions { keeps_feet, ..RetargetOptions::default() };
        let done = retarget(&source, &clip, &target, &options).unwrap();
        assert_eq!(done.figures.num_stances, 2);
        done.figures.slide_over_leg
    };
    assert!(slide(false) > 0.003, "{}", slide(false));
    assert!(slide(true) < 1e-6, "{}", slide(true));
}

#[test]
fn a_source_with_another_axis_up_is_turned_upright() {
    let (skeleton_, clip) = walk();
    // The whole motion lying on its back: z up.
    let lay = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut joints = skeleton_.joints().to_vec();
    joints[0].rest.rotation = lay * joints[0].rest.rotation;
    joints[0].rest.translation = lay * joints[0].rest.translation;
    let lying = Skeleton::new(joints).unwrap();
    let mut laid = clip.clone();
    for track in laid.tracks.iter_mut().filter(|track| track.joint == 0) {
        match &mut track.channel {
            Channel::Rotation(curve) => curve.values.iter_mut().for_each(|q| *q = lay * *q),
            Channel::Translation(curve) => curve.values.iter_mut().for_each(|p| *p = lay * *p),
            Channel::Scale(_) => {}
        }
    }
    let options = RetargetOptions::default();
    let plain = retarget(&skeleton_, &clip, &skeleton_, &options).unwrap();
    let turned = retarget(&lying, &laid, &skeleton_, &options).unwrap();
    for time in [0.0, 0.3, 0.7] {
        let a = Placed::at(&skeleton_, &plain.clip, time);
        let b = Placed::at(&skeleton_, &turned.clip, time);
        for (a, b) in a.positions.iter().zip(&b.positions) {
            assert!(a.distance(*b) < 1e-6, "{a} {b}");
        }
    }
}

#[test]
fn corrections_are_followed_and_what_they_name_must_be_there() {
    let (skeleton_, clip) = walk();
    let correction = |source: &str, target: Option<&str>| Correction {
        source: source.into(),
        target: target.map(str::to_owned),
    };
    let with = |corrections: Vec<Correction>| {
        let options = RetargetOptions { corrections, ..RetargetOptions::default() };
        retarget(&skeleton_, &clip, &skeleton_, &options)
    };
    let done = with(vec![correction("hand_l", None), correction("head", Some("jaw"))]).unwrap();
    let find = |name: &str| skeleton_.find(name).unwrap();
    assert!(!done.pairs.iter().any(|pair| pair.source == find("hand_l")));
    assert!(done.pairs.iter().any(|p| (p.source, p.target) == (find("head"), find("jaw"))));
    let error = with(vec![correction("nobody", None)]).unwrap_err();
    assert!(error.to_string().contains("'nobody', which the motion does not have"));
    let error = with(vec![correction("hips", None)]).unwrap_err();
    assert!(matches!(error, RetargetError::NoHips { .. }));
}

#[test]
fn the_twist_of_a_hand_is_spread_along_the_forearm() {
    let skeleton_ = skeleton(SampleKind::Human);
    let hand = skeleton_.find("hand_l").unwrap();
    let helper = skeleton_.find("forearm_twist_l").unwrap();
    let joint = &skeleton_.joints()[hand as usize];
    let axis = joint.rest.rotation.inverse() * joint.rest.translation.normalize();
    let turned = joint.rest.rotation * DQuat::from_axis_angle(axis, 1.0);
    let values = vec![joint.rest.rotation, turned];
    let channel = Channel::Rotation(Curve::linear(vec![0.0, 1.0], values));
    let clip = Clip::new("twist", vec![Track { joint: hand, channel }]);
    let done = retarget(&skeleton_, &clip, &skeleton_, &RetargetOptions::default()).unwrap();
    let rest = Placed::rest(&skeleton_);
    let end = Placed::at(&skeleton_, &done.clip, 1.0);
    let angle = |j: u32| rest.rotations[j as usize].angle_between(end.rotations[j as usize]);
    assert!((angle(hand) - 1.0).abs() < 1e-6, "{}", angle(hand));
    assert!(angle(helper) > 0.2 && angle(helper) < 0.9, "{}", angle(helper));
}

/// A file whose rest is no body (legs folded up to the head), with the turns that make one in every
/// frame.
#[test]
fn a_rest_that_is_no_body_is_not_taken_for_one() {
    let (source, clip) = walk();
    let fold = DQuat::from_rotation_x(3.0);
    let mut joints = source.joints().to_vec();
    let thighs = ["thigh_l", "thigh_r"].map(|name| source.find(name).unwrap());
    let mut folded = clip.clone();
    for thigh in thighs {
        let rest = joints[thigh as usize].rest.rotation;
        joints[thigh as usize].rest.rotation = fold * rest;
        if !folded.tracks.iter().any(|track| track.joint == thigh) {
            let channel = Channel::Rotation(Curve::linear(vec![0.0], vec![rest]));
            folded.tracks.push(Track { joint: thigh, channel });
        }
    }
    let odd = Skeleton::new(joints).unwrap();
    let done = retarget(&odd, &folded, &source, &RetargetOptions::default()).unwrap();
    assert!(done.figures.limb_degrees <= 5.0, "{:?}", done.figures);
    let placed = Placed::at(&source, &done.clip, 0.4);
    let height = |name: &str| placed.positions[source.find(name).unwrap() as usize].y;
    assert!(height("head") > height("hips") && height("hips") > height("foot_l") + 0.5);
}
