//! Documents and random edits for the tests.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod stroke;
pub(crate) mod user;

use std::collections::BTreeMap;

use proptest::prelude::*;
use sinew::glam::DVec3;
use sinew::sample::{SampleKind, SampleOptions};
use sinew::skeleton::JointPose;
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::{Axis, Document, Edit, JointRef, Source};

/// Few points: these tests are about edits.
pub(crate) fn document() -> Document {
    let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
    Document::open(Source::Sample(options), None).unwrap()
}

fn joint() -> impl Strategy<Value = JointRef> {
    // The last does not exist.
    (0..6_u32).prop_map(|index| {
        let document_joints = ["bone_0", "bone_1", "#0", "#1", "bone_01", "#99"];
        JointRef::from(document_joints[index as usize])
    })
}

fn joint_pose() -> impl Strategy<Value = JointPose> {
    (-3.0..3.0_f64, -30.0..30.0_f64, -1.0..1.0_f64, 0.5..2.0_f64).prop_map(
        |(swing, twist_radians, moved, stretch)| JointPose {
            twist_radians,
            translation: DVec3::new(moved, 0.1 * moved, -moved),
            stretch,
            ..JointPose::REST.rotated(DVec3::X, swing, DVec3::Y)
        },
    )
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-c]".prop_map(|name| name),
        Just("Ünïcode \"quoted\"".into())
    ]
}

/// Edits of every kind, some of which cannot be done.
pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    let method = (0..SkinMethod::ALL.len()).prop_map(|index| SkinMethod::ALL[index]);
    let springs = proptest::option::of((0..3_usize, 1..90_u32, -0.1..2.0_f32)).prop_map(|s| {
        s.map(|(model, iterations, edge)| {
            let mut springs = SpringSettings::new(SpringModel::ALL[model]);
            springs.iterations = iterations;
            springs.coefficients.edge = edge;
            springs
        })
    });
    let axis = prop_oneof![Just(Axis::X), Just(Axis::Y), Just(Axis::Z), Just(Axis::Twist)];
    prop_oneof![
        (joint(), axis, -800.0..800.0_f64).prop_map(|(joint, axis, degrees)| Edit::RotateJoint {
            joint,
            axis,
            degrees
        }),
        (joint(), joint_pose())
            .prop_map(|(joint, pose)| Edit::PoseJoints { joints: BTreeMap::from([(joint, pose)]) }),
        (joint(), -0.5..3.0_f64).prop_map(|(joint, factor)| Edit::StretchJoint { joint, factor }),
        proptest::collection::vec(joint(), 0..2).prop_map(|joints| Edit::ResetPose { joints }),
        Just(Edit::MirrorPose {}),
        (prop_oneof![Just("bend".to_owned()), Just("twist".into()), name()], -1.0..2.0_f64)
            .prop_map(|(clip, seconds)| Edit::PoseFromClip { clip, seconds }),
        method.prop_map(|method| Edit::SetMethod { method }),
        springs.prop_map(|springs| Edit::SetSprings { springs }),
        name().prop_map(|name| Edit::StorePose { name }),
        name().prop_map(|name| Edit::RecallPose { name }),
        (name(), name()).prop_map(|(from, to)| Edit::RenamePose { from, to }),
        name().prop_map(|name| Edit::DeletePose { name }),
    ]
}
