//! The rules of drivers, each as a fact.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::*;
use crate::Character;
use crate::conformance::{troupe, troupe_pose};
use crate::frame::{Controls, Plan, Rig};
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{JointPose, Pose};

fn human() -> Character {
    build(&SampleOptions { points: Some(2_000), ..SampleOptions::new(SampleKind::Human) }).unwrap()
}

fn joint(character: &Character, name: &str) -> u32 {
    character.skeleton.find(name).unwrap()
}

fn driven(character: &Character, controls: &Controls) -> Controls {
    let plan = DriverPlan::new(character).unwrap();
    let mut driven = controls.clone();
    plan.run(&character.skeleton, &mut driven);
    driven
}

fn share(joint: u32, of: u32, swing: Option<f64>, twist: Option<f64>) -> Drive {
    Drive::Share {
        joint,
        of: vec![Share { joint: of, swing, twist }],
        limits: TurnLimits::default(),
    }
}

fn formula(value: Value, text: &str, inputs: &[(&str, Input)]) -> Drive {
    let inputs = inputs.iter().map(|(name, input)| ((*name).to_owned(), input.clone()));
    Drive::Formula { value, formula: text.into(), inputs: inputs.collect::<BTreeMap<_, _>>() }
}

fn with(mut character: Character, drives: Vec<Drive>) -> Character {
    let named = |(index, drive)| Driver::new(format!("driver {index}"), drive);
    character.drivers.list = drives.into_iter().enumerate().map(named).collect();
    character
}

/// One of each, on the troupe and its two shapes.
fn one_of_each() -> Character {
    let mut character = troupe().unwrap();
    character.drivers.controls =
        vec![Control { name: "puff".into(), rest: 0.0, range: [0.0, 2.0] }];
    let shape = |shape| ShapeIndex { part: 0, shape };
    let turn = ExampleTurn { swing: DQuat::from_rotation_x(1.0), twist_radians: 0.0 };
    let examples = vec![Example { turns: vec![turn], weights: vec![1.0] }];
    let bend = Input::Joint { joint: 0, property: Property::Swing };
    with(
        character,
        vec![
            share(0, 1, Some(0.5), Some(0.5)),
            formula(Value::Shape { shape: shape(1) }, "bend / 90 + puff", &[("bend", bend)]),
            Drive::Examples {
                joints: vec![ExampleJoint { joint: 1, swing: true, twist: false }],
                shapes: vec![shape(0)],
                examples,
            },
        ],
    )
}

#[test]
fn at_rest_nothing_changes() {
    let character = one_of_each();
    let rest = Controls::rest(&character);
    assert_eq!(driven(&character, &rest), rest);
    let human = human();
    let [forearm, hand, head] = ["forearm_l", "hand_l", "head"].map(|name| joint(&human, name));
    let [thigh, shin] = ["thigh_l", "shin_r"].map(|name| joint(&human, name));
    let drives = vec![
        share(forearm, shin, Some(0.3), Some(-0.4)),
        Drive::Copy { joint: hand, source: thigh, axis: Some(DVec3::Y), weight: 0.7 },
        Drive::Copy { joint: head, source: thigh, axis: None, weight: 0.7 },
    ];
    let human = with(human, drives);
    let rest = Controls::rest(&human);
    assert_eq!(driven(&human, &rest), rest);
}

#[test]
fn a_share_of_one_is_a_copy_and_half_is_half_with_all_turns() {
    let mut character = human();
    let [forearm, twin] = ["forearm_l", "upper_arm_twist_l"].map(|name| joint(&character, name));
    // The same frame: what is taken need not be turned into another one.
    let mut controls = Controls::rest(&character);
    controls.pose.joints[forearm as usize] =
        JointPose { swing: DQuat::from_rotation_x(1.2), twist_radians: 12.0, ..JointPose::REST };
    let own = controls.pose.joints[forearm as usize];
    let other = character.skeleton.len() as u32 - 1;
    for taker in [twin, other] {
        character = with(character, vec![share(taker, forearm, Some(1.0), Some(1.0))]);
        let pose = driven(&character, &controls).pose.joints[taker as usize];
        let rest = |joint: u32| {
            character.skeleton.rest_model_from_joint()[joint as usize]
                .to_scale_rotation_translation()
                .1
        };
        let axis = |joint: u32| character.skeleton.joints()[joint as usize].bone_axis();
        // Both turn model space in the same way.
        let in_model = |joint: u32, pose: &JointPose| {
            rest(joint) * pose.rotation(axis(joint)) * rest(joint).conjugate()
        };
        let off = in_model(taker, &pose).dot(in_model(forearm, &own)).abs();
        assert!(off > 1.0 - 1e-12, "{off}");
    }
    let straight = JointPose { swing: DQuat::IDENTITY, ..own };
    controls.pose.joints[forearm as usize] = straight;
    let hand = joint(&character, "forearm_twist_l");
    let character = with(character, vec![share(hand, forearm, None, Some(0.5))]);
    let twist = driven(&character, &controls).pose.joints[hand as usize].twist_radians;
    assert!((twist - 6.0).abs() < 1e-12, "two turns are one: {twist}");
}

#[test]
fn limits_hold() {
    let character = human();
    let [forearm, twin] = ["forearm_l", "forearm_twist_l"].map(|name| joint(&character, name));
    let limits = TurnLimits { swing_degrees: Some(20.0), twist_degrees: Some([-10.0, 30.0]) };
    let of = vec![Share { joint: forearm, swing: Some(1.0), twist: Some(1.0) }];
    let character = with(character, vec![Drive::Share { joint: twin, of, limits }]);
    let mut controls = Controls::rest(&character);
    for (swing, twist) in [(1.0, 2.0), (0.1, -2.0)] {
        controls.pose.joints[forearm as usize] = JointPose {
            swing: DQuat::from_rotation_x(swing),
            twist_radians: twist,
            ..JointPose::REST
        };
        let pose = driven(&character, &controls).pose.joints[twin as usize];
        let wanted = swing.min(20f64.to_radians());
        assert!((Property::Swing.of(&pose) - wanted.to_degrees()).abs() < 1e-9);
        let wanted = twist.clamp(-10f64.to_radians(), 30f64.to_radians());
        assert!((pose.twist_radians - wanted).abs() < 1e-9, "{}", pose.twist_radians);
    }
}

#[test]
fn an_aim_looks_at_its_target_wherever_that_is() {
    let character = human();
    let [eye, hand] = ["eye_l", "hand_l"].map(|name| joint(&character, name));
    let axis = character.skeleton.joints()[eye as usize].bone_axis();
    let aim = Drive::Aim { joint: eye, target: hand, axis, weight: 1.0 };
    let character = with(character, vec![aim]);
    let mut controls = Controls::rest(&character);
    for (name, turn) in [("forearm_l", 1.4), ("upper_arm_l", -0.8), ("neck", 0.4)] {
        controls.pose.joints[joint(&character, name) as usize].swing = DQuat::from_rotation_x(turn);
    }
    controls.pose.joints[joint(&character, "spine_3") as usize].stretch = 1.3;
    let pose = driven(&character, &controls).pose;
    let mut placed = Vec::new();
    pose.model_from_joint(&character.skeleton, &mut placed);
    let [eye, hand] = [eye, hand].map(|joint| placed[joint as usize]);
    let wanted = (hand.translation - eye.translation).normalize();
    let found = eye.transform_vector3(axis).normalize();
    assert!(found.distance(wanted) < 1e-9, "{found} {wanted}");
}

#[test]
fn a_formula_reads_angles_weights_and_controls_and_drives_a_number() {
    let mut character = human();
    let [forearm, arm] = ["forearm_l", "upper_arm_twist_l"].map(|name| joint(&character, name));
    character.drivers.controls =
        vec![Control { name: "flex".into(), rest: 1.0, range: [0.0, 2.0] }];
    let bend = Input::Joint { joint: forearm, property: Property::Swing };
    let value = Value::Joint { joint: arm, property: Property::Scale };
    let drive = formula(value, "1 + flex * clamp(bend / 100, 0, 1)", &[("bend", bend)]);
    let character = with(character, vec![drive]);
    let mut controls = Controls::rest(&character);
    controls.pose.joints[forearm as usize].swing = DQuat::from_rotation_x(50f64.to_radians());
    let scale = |controls: &Controls| driven(&character, controls).pose.joints[arm as usize].scale;
    assert!(scale(&controls).abs_diff_eq(DVec3::splat(1.5), 1e-9));
    controls.values = vec![7.0];
    assert!(scale(&controls).abs_diff_eq(DVec3::splat(2.0), 1e-9), "held within its range");
    controls.values = vec![f64::NAN];
    assert!(scale(&controls).abs_diff_eq(DVec3::splat(1.5), 1e-9), "what is no number rests");
}

#[test]
fn examples_are_met_and_beyond_the_last_they_hold() {
    let mut character = troupe().unwrap();
    let bent = |degrees: f64| ExampleTurn {
        swing: DQuat::from_rotation_x(degrees.to_radians()),
        twist_radians: 0.0,
    };
    let example = |degrees, weights: [f64; 2]| Example {
        turns: vec![bent(degrees)],
        weights: weights.to_vec(),
    };
    let examples = vec![example(40.0, [1.0, 0.0]), example(80.0, [0.0, 1.0])];
    let shape = |shape| ShapeIndex { part: 0, shape };
    character = with(
        character,
        vec![Drive::Examples {
            joints: vec![ExampleJoint { joint: 1, swing: true, twist: true }],
            shapes: vec![shape(0), shape(1)],
            examples,
        }],
    );
    let at = |degrees: f64| {
        let mut controls = Controls::rest(&character);
        controls.pose.joints[1].swing = bent(degrees).swing;
        let weights = driven(&character, &controls).parts[0].shape_weights.clone();
        [weights[0], weights[1]]
    };
    assert_eq!(at(0.0), [0.0, 0.0]);
    assert_eq!(at(40.0), [1.0, 0.0]);
    assert_eq!(at(80.0), [0.0, 1.0]);
    let near = |found: [f32; 2], wanted: [f32; 2]| {
        let off = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-5, "{found:?} {wanted:?}");
    };
    near(at(20.0), [0.5, 0.0]);
    near(at(60.0), [0.5, 0.5]);
    near(at(120.0), [0.0, 1.0]);
    near(at(-30.0), [0.0, 0.0]);
}

#[test]
fn examples_that_are_one_pose_are_refused() {
    let turn = ExampleTurn { swing: DQuat::from_rotation_x(1.0), twist_radians: 0.0 };
    let example = Example { turns: vec![turn], weights: vec![1.0] };
    let drive = Drive::Examples {
        joints: vec![ExampleJoint { joint: 1, swing: true, twist: true }],
        shapes: vec![ShapeIndex { part: 0, shape: 0 }],
        examples: vec![example.clone(), example],
    };
    let error = DriverPlan::new(&with(troupe().unwrap(), vec![drive])).unwrap_err();
    assert!(error.to_string().contains("examples 0 and 1"), "{error}");
}

#[test]
fn a_cycle_is_named() {
    let character = human();
    let [a, b, c] = ["forearm_l", "hand_l", "head"].map(|name| joint(&character, name));
    let swing = |to, of| share(to, of, Some(0.5), None);
    let round = with(character.clone(), vec![swing(a, b), swing(b, c), swing(c, a)]);
    let error = DriverPlan::new(&round).unwrap_err();
    let DriverError::Cycle { path } = &error else { panic!("{error}") };
    assert_eq!(path.len(), 4);
    assert_eq!(path[0], path[3]);
    for pair in path.windows(2) {
        let steps = [("hand_l", "forearm_l"), ("head", "hand_l"), ("forearm_l", "head")];
        assert!(steps.contains(&(&pair[0], &pair[1])), "{error}");
    }
    let own = DriverPlan::new(&with(character.clone(), vec![swing(a, a)])).unwrap_err();
    assert!(own.to_string().contains("forearm_l → forearm_l"), "{own}");
    // A twist is not a swing.
    let apart = vec![swing(a, b), share(b, a, None, Some(0.5))];
    assert!(DriverPlan::new(&with(character, apart)).is_ok());
}

#[test]
fn the_order_of_the_list_does_not_matter_where_one_reads_the_other() {
    let character = human();
    let [a, b, c] = ["forearm_l", "forearm_twist_l", "hand_l"].map(|n| joint(&character, n));
    let mut controls = Controls::rest(&character);
    controls.pose.joints[a as usize].twist_radians = 2.0;
    let drives = [share(b, a, None, Some(0.5)), share(c, b, None, Some(0.5))];
    let forth = with(character.clone(), drives.to_vec());
    let back = with(character, drives.into_iter().rev().collect());
    assert_eq!(driven(&forth, &controls).pose, driven(&back, &controls).pose);
}

#[test]
fn what_is_missing_is_named() {
    let error = |drives| DriverPlan::new(&with(troupe().unwrap(), drives)).unwrap_err().to_string();
    assert!(error(vec![share(0, 99, None, Some(1.0))]).contains("joint 99"));
    let shape = Value::Shape { shape: ShapeIndex { part: 0, shape: 9 } };
    assert!(error(vec![formula(shape, "1", &[])]).contains("shape 9 of mesh 0"));
    let value = || Value::Joint { joint: 0, property: Property::Twist };
    assert!(error(vec![formula(value(), "1 + ", &[])]).contains("column 5"));
    assert!(error(vec![formula(value(), "bend", &[])]).contains("'bend' stands for nothing"));
    let mut two = with(troupe().unwrap(), vec![share(0, 1, None, Some(1.0)); 2]);
    two.drivers.list[1].name = two.drivers.list[0].name.clone();
    assert!(DriverPlan::new(&two).unwrap_err().to_string().contains("there are two"));
}

#[test]
fn frames_are_driven_and_a_muted_driver_does_nothing() {
    let character = one_of_each();
    let posed = Controls::posed(&character, troupe_pose(&character));
    let frame = |character: &Character, controls: &Controls| {
        let plan = Plan::bind(&Arc::new(character.clone()), &Rig::default(), &Silent).unwrap();
        let mut frame = plan.frame();
        plan.run(controls, &mut plan.scratch(), &mut frame);
        frame
    };
    let plain = Character { drivers: Drivers::default(), ..character.clone() };
    let by_hand = frame(&plain, &driven(&character, &posed));
    let found = frame(&character, &posed);
    assert_eq!(found.all_points(), by_hand.all_points());
    assert_ne!(found.all_points(), frame(&plain, &posed).all_points());
    assert_eq!(*found.controls(), driven(&character, &posed));
    let mut muted = character.clone();
    muted.drivers.list.iter_mut().for_each(|driver| driver.muted = true);
    assert_eq!(frame(&muted, &posed).all_points(), frame(&plain, &posed).all_points());
}

#[test]
fn a_baked_clip_is_what_is_driven_and_is_itself_when_it_is_driven_again() {
    let character = one_of_each();
    let clip = &character.clips[0];
    let baked = clip.driven(&character);
    assert_eq!(baked.duration_seconds(), clip.duration_seconds());
    let at = |clip: &crate::motion::Clip, seconds: f64| {
        let pose = clip.pose_at(&character.skeleton, seconds);
        let weights: Vec<Vec<f32>> = (character.parts.iter().enumerate())
            .map(|(part, of)| clip.shape_weights_at(part, of, seconds))
            .collect();
        Controls::posed(&character, pose).with_shapes(&weights)
    };
    for step in 0..=50 {
        let seconds = clip.duration_seconds() * f64::from(step) / 50.0;
        let wanted = driven(&character, &at(clip, seconds));
        let alone = at(&baked, seconds);
        for found in [&alone, &driven(&character, &alone)] {
            for (a, b) in wanted.pose.joints.iter().zip(&found.pose.joints) {
                let off = a.rotation(DVec3::Y).dot(b.rotation(DVec3::Y)).abs();
                assert!(off > 1.0 - 1e-8, "{off} at {seconds}");
            }
            for (a, b) in wanted.parts.iter().zip(&found.parts) {
                for (a, b) in a.shape_weights.iter().zip(&b.shape_weights) {
                    assert!((a - b).abs() < 1e-4, "{a} {b} at {seconds}");
                }
            }
        }
    }
}

proptest! {
    /// Half a turn of two makes one, whatever else happens; and nothing is ever not a number.
    #[test]
    fn whatever_the_pose_what_is_driven_is_finite(
        turns in prop::collection::vec((-7.0..7.0f64, -3.0..3.0f64, -3.0..3.0f64), 2),
        shares in prop::collection::vec(-2.0..2.0f64, 2),
    ) {
        let mut character = one_of_each();
        character.drivers.list[0].drive = share(0, 1, Some(shares[0]), Some(shares[1]));
        let mut pose = Pose::rest(&character.skeleton);
        for (joint, (twist, x, z)) in pose.joints.iter_mut().zip(turns) {
            joint.twist_radians = twist;
            joint.swing = DQuat::from_scaled_axis(DVec3::new(x, 0.0, z));
        }
        let controls = Controls::posed(&character, pose);
        let once = driven(&character, &controls);
        for joint in &once.pose.joints {
            prop_assert!(joint.swing.is_normalized() && joint.twist_radians.is_finite());
        }
        prop_assert_eq!(driven(&character, &once), once, "driving again changes nothing");
    }
}
