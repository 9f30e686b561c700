//! Documents and random edits for the tests.
#![allow(dead_code, reason = "each test binary uses its own part")]

#[path = "../soak/faulty.rs"]
pub(crate) mod faulty;
pub(crate) mod motion;
pub(crate) mod rigging;
pub(crate) mod stroke;
pub(crate) mod user;
pub(crate) mod weights;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use proptest::prelude::*;
use sinew::frame::Normals;
use sinew::glam::{DVec3, Vec3};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::shape::BlendShape;
use sinew::skeleton::JointPose;
use sinew::skin::SkinMethod;
use sinew::springs::{DynamicsSettings, SpringModel, SpringSettings};
use sinew_editor::{
    Axis, Document, Edit, JointRef, MeshRef, PoseEdit, RigEdit, ShapeEdit, ShapeRef, Source,
};
use sinew_io::{Format, WriteOptions, character_to_glb};

/// Few points: these tests are about edits.
pub(crate) fn document() -> Document {
    let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
    Document::open(Source::Sample(options), None).unwrap()
}

/// The same with two shapes.
pub(crate) fn shaped() -> Document {
    static MADE: OnceLock<Document> = OnceLock::new();
    let make = || {
        let options =
            SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
        let mut character = build(&options).unwrap();
        let deltas = |scale: f32| {
            let num_points = character.num_points();
            (0..num_points).map(|n| scale * Vec3::new(0.01 * (n % 7) as f32, 0.0, 0.02)).collect()
        };
        let shape = |name: &str, scale, rest_weight| BlendShape {
            name: name.into(),
            deltas: deltas(scale),
            rest_weight,
        };
        character.parts[0].shapes = vec![shape("puff", 1.0, 0.25), shape("dent", -0.5, 0.0)];
        let everything = WriteOptions { max_influences: None, ..WriteOptions::default() };
        let bytes = character_to_glb(&character, &everything).unwrap().into();
        let source = Source::Embedded { file_name: "tube.glb".into(), format: Format::Glb, bytes };
        Document::open(source, None).unwrap()
    };
    MADE.get_or_init(make).clone()
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

fn pose_edit() -> impl Strategy<Value = PoseEdit> {
    let axis = [Axis::X, Axis::Y, Axis::Z, Axis::Twist, Axis::Bend, Axis::Side];
    let axis = proptest::sample::select(axis.to_vec());
    prop_oneof![
        (joint(), axis, -800.0..800.0_f64)
            .prop_map(|(joint, axis, degrees)| PoseEdit::RotateJoint { joint, axis, degrees }),
        (joint(), joint_pose()).prop_map(|(joint, pose)| PoseEdit::PoseJoints {
            joints: BTreeMap::from([(joint, pose)])
        }),
        (joint(), -0.5..3.0_f64)
            .prop_map(|(joint, factor)| PoseEdit::StretchJoint { joint, factor }),
        proptest::collection::vec(joint(), 0..2).prop_map(|joints| PoseEdit::ResetPose { joints }),
        Just(PoseEdit::MirrorPose {}),
        (prop_oneof![Just("bend".to_owned()), Just("twist".into()), name()], -1.0..2.0_f64)
            .prop_map(|(clip, seconds)| PoseEdit::PoseFromClip { clip, seconds }),
        name().prop_map(|name| PoseEdit::StorePose { name }),
        name().prop_map(|name| PoseEdit::RecallPose { name }),
        (name(), -1.1..2.1_f64, proptest::collection::vec(joint(), 0..2))
            .prop_map(|(name, amount, joints)| PoseEdit::BlendPose { name, amount, joints }),
        proptest::collection::vec(joint(), 0..2)
            .prop_map(|joints| PoseEdit::MirrorJoints { joints }),
        (name(), name()).prop_map(|(from, to)| PoseEdit::RenamePose { from, to }),
        name().prop_map(|name| PoseEdit::DeletePose { name }),
    ]
}

/// The last does not exist.
fn mesh() -> impl Strategy<Value = MeshRef> {
    prop_oneof![4 => Just(MeshRef::from("#0")), 1 => Just(MeshRef::from("hat"))]
}

fn rig_edit() -> impl Strategy<Value = RigEdit> {
    let method = (0..SkinMethod::ALL.len()).prop_map(|index| SkinMethod::ALL[index]);
    let springs = proptest::option::of((0..3_usize, 1..90_u32, -0.1..2.0_f32)).prop_map(|s| {
        s.map(|(model, iterations, edge)| {
            let mut springs = SpringSettings::new(SpringModel::ALL[model]);
            springs.iterations = iterations;
            springs.coefficients.edge = edge;
            springs
        })
    });
    let num_points = shaped().character().num_points();
    let lengths = prop_oneof![3 => Just(num_points), 1 => Just(0), 1 => 0..9_usize];
    let painted = lengths.prop_flat_map(|n| proptest::collection::vec(-0.01..2.0_f32, n));
    let normals = prop_oneof![
        Just(Normals::Auto),
        Just(Normals::Off),
        proptest::option::of(-10.0..200.0_f32)
            .prop_map(|crease_degrees| Normals::Recomputed { crease_degrees }),
    ];
    prop_oneof![
        1 => method.prop_map(|method| RigEdit::SetMethod { method }),
        3 => springs.prop_map(|springs| RigEdit::SetSprings { springs }),
        1 => (mesh(), any::<Option<bool>>())
            .prop_map(|(mesh, relaxes)| RigEdit::SetRelaxing { mesh, relaxes }),
        1 => (mesh(), painted)
            .prop_map(|(mesh, stiffness)| RigEdit::PaintStiffness { mesh, stiffness }),
        1 => (-0.5..9.0_f32, -0.1..1.0_f32).prop_map(|(frequency_hz, damping_ratio)| {
            let dynamics =
                DynamicsSettings { frequency_hz, damping_ratio, ..DynamicsSettings::default() };
            RigEdit::SetDynamics { dynamics }
        }),
        1 => normals.prop_map(|normals| RigEdit::SetNormals { normals }),
        1 => proptest::collection::vec(joint(), 0..3)
            .prop_map(|joints| RigEdit::ExcludeJoints { joints }),
        1 => (joint(), proptest::option::of(0.0..5.0_f32))
            .prop_map(|(joint, influence)| RigEdit::SetInfluence { joint, influence }),
    ]
}

fn shape_edit() -> impl Strategy<Value = ShapeEdit> {
    let names = prop_oneof![Just("puff"), Just("dent"), Just("#1"), Just("#2")];
    let weight = prop_oneof![Just(0.0), Just(-0.0), Just(0.25), -9.0..9.0_f32];
    let weights = proptest::collection::btree_map(names.prop_map(ShapeRef::from), weight, 0..3);
    prop_oneof![
        4 => (mesh(), weights)
            .prop_map(|(mesh, weights)| ShapeEdit::SetShapes { weights: [(mesh, weights)].into() }),
        1 => proptest::collection::vec(mesh(), 0..2)
            .prop_map(|meshes| ShapeEdit::ResetShapes { meshes }),
    ]
}

/// Edits of every kind, some of which cannot be done. Boxed: as one value they would not fit a
/// test's stack.
pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        10 => pose_edit().prop_map(Edit::from).boxed(),
        6 => rig_edit().prop_map(Edit::from).boxed(),
        3 => shape_edit().prop_map(Edit::from).boxed(),
        6 => motion::edit_of_motion().boxed(),
        5 => rigging::rigging_edit().prop_map(Edit::from).boxed(),
        5 => weights::weight_edit().prop_map(Edit::from).boxed(),
        3 => weights::layer_edit().prop_map(Edit::from).boxed(),
    ]
}
