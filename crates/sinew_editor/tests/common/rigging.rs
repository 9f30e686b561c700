//! Random edits of joints, shapes and drivers, some of which cannot be done.

use proptest::prelude::*;
use sinew::driver::{Control, Drive, Driver, Input, Property, Share, TurnLimits, Value};
use sinew::rigging::Combine;
use sinew_editor::{JointRef, RiggingEdit, ShapePath};

use super::{joint, mesh, name};

fn share(joint: &str, of: &str, twist: f64) -> RiggingEdit {
    let share = Share { joint: JointRef::from(of), swing: None, twist: Some(twist) };
    let (joint, limits) = (JointRef::from(joint), TurnLimits::default());
    let drive = Drive::Share { joint, of: vec![share], limits };
    RiggingEdit::SetDriver { driver: Box::new(Driver::new(format!("share of {of}"), drive)) }
}

/// The weight of a shape by a formula.
fn formula(shape: &str, text: &str) -> RiggingEdit {
    let path = |shape: &str| ShapePath { mesh: "#0".into(), shape: shape.into() };
    let bend = Input::Joint { joint: "bone_1".into(), property: Property::Swing };
    let puff = Input::Shape { shape: path("puff") };
    let inputs = [("bend".to_owned(), bend), ("puff_weight".into(), puff)].into();
    let value = Value::Shape { shape: path(shape) };
    let drive = Drive::Formula { value, formula: text.into(), inputs };
    RiggingEdit::SetDriver { driver: Box::new(Driver::new(format!("formula of {shape}"), drive)) }
}

pub(crate) fn rigging_edit() -> impl Strategy<Value = RiggingEdit> {
    let moved = || {
        let point = (0..450_u32, -0.1..0.1_f32, -0.1..0.1_f32, -0.1..0.1_f32);
        proptest::collection::vec(point, 0..6)
    };
    let control = (prop_oneof![Just("size"), Just("9"), Just("mood")], -1.0..1.0_f64);
    let drivers = prop_oneof![Just("share of bone_1"), Just("formula of dent"), Just("none")];
    let controls = prop_oneof![Just("size"), Just("mood")];
    prop_oneof![
        2 => (joint(), 1..5_usize)
            .prop_map(|(joint, count)| RiggingEdit::AddTwistJoints { joint, count }),
        2 => joint().prop_map(|joint| RiggingEdit::AddHalfWay { joint }),
        2 => (mesh(), name(), proptest::collection::vec(joint(), 0..2), moved()).prop_map(
            |(mesh, name, joints, moved)| {
                RiggingEdit::AddCorrective { mesh, name, joints, moved: Some(moved) }
            }
        ),
        1 => (mesh(), name(), moved())
            .prop_map(|(mesh, name, moved)| RiggingEdit::AddShape { mesh, name, moved }),
        1 => (mesh(), 0..5_u32, name(), moved()).prop_map(|(mesh, weight, name, moved)| {
            let weight = f64::from(weight) / 4.0;
            RiggingEdit::AddInBetween { mesh, shape: "dent".into(), weight, name, moved }
        }),
        1 => (mesh(), name(), moved()).prop_map(|(mesh, name, moved)| {
            let of = vec!["puff".into(), "dent".into()];
            RiggingEdit::AddCombination { mesh, name, of, by: Combine::Min, moved }
        }),
        1 => (-2.0..2.0_f64).prop_map(|twist| share("bone_0", "bone_1", twist)),
        // Round in a circle, if the other is there.
        1 => Just(share("bone_1", "bone_0", 0.5)),
        2 => prop_oneof![
            Just(formula("dent", "bend / 90 + size")),
            Just(formula("dent", "min(bend, 1) * puff_weight")),
            Just(formula("puff", "puff_weight")),
            Just(formula("dent", "bend +")),
        ],
        1 => (drivers.clone(), any::<bool>())
            .prop_map(|(name, muted)| RiggingEdit::MuteDriver { name: name.into(), muted }),
        1 => drivers.prop_map(|name| RiggingEdit::RemoveDriver { name: name.into() }),
        1 => control.clone().prop_map(|(name, rest)| RiggingEdit::AddControl {
            control: Control { name: name.into(), rest, range: [-0.5, 1.0] }
        }),
        1 => controls.prop_map(|name| RiggingEdit::RemoveControl { name: name.into() }),
        2 => control.prop_map(|(name, value)| RiggingEdit::set_control(name, value)),
    ]
}
