//! Random edits of motions.

use proptest::prelude::*;
use sinew::motion::{JointProperty, LayerMode, Outside, RigSetting, Span, TangentMode};
use sinew_editor::{
    ChannelRef, ChannelText, Edit, HandleText, KeyText, KeysRef, MotionEdit, MotionRef, ValueText,
};

use super::{joint, name};

fn channel() -> impl Strategy<Value = ChannelRef> {
    let of_joint = (joint(), 0..6_usize).prop_map(|(joint, property)| ChannelRef {
        joint: Some(joint),
        property: Some(JointProperty::ALL[property]),
        ..ChannelRef::default()
    });
    let of_shape = prop_oneof![Just("puff"), Just("dent"), Just("#2")].prop_map(|shape| {
        ChannelRef { mesh: Some("#0".into()), shape: Some(shape.into()), ..ChannelRef::default() }
    });
    let of_setting = (0..RigSetting::ALL.len()).prop_map(|setting| ChannelRef {
        setting: Some(RigSetting::ALL[setting]),
        ..ChannelRef::default()
    });
    prop_oneof![6 => of_joint, 2 => of_shape, 1 => of_setting, 1 => Just(ChannelRef::default())]
}

fn key_time() -> impl Strategy<Value = f64> {
    prop_oneof![4 => (0..9_i32).prop_map(|step| 0.25 * f64::from(step)), 1 => -1.0..3.0_f64]
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![Just(Span::Step), Just(Span::Linear), Just(Span::Cubic), Just(Span::Bezier)]
}

fn tangents() -> impl Strategy<Value = TangentMode> {
    use TangentMode::{Auto, Broken, Flat, Free};
    prop_oneof![Just(Auto), Just(Flat), Just(Free), Just(Broken)]
}

/// Of the channel's kind, mostly.
fn value_of(channel: &ChannelRef, x: f64) -> ValueText {
    let turn = sinew::glam::DQuat::from_rotation_x(x).to_array();
    match channel.property {
        Some(JointProperty::Rotation | JointProperty::Swing) => ValueText::Quaternion(turn),
        Some(JointProperty::Translation | JointProperty::Scale) => ValueText::Vector([x, 1.0, -x]),
        _ => ValueText::Number(x),
    }
}

fn channel_text() -> impl Strategy<Value = ChannelText> {
    let key = (key_time(), -4.0..9.0_f64, span(), tangents(), 0.0..1.1_f64);
    (channel(), proptest::collection::vec(key, 0..4)).prop_map(|(channel, keys)| {
        let key = |(seconds, x, span, tangents, reach): (f64, f64, Span, TangentMode, f64)| {
            let slope = value_of(&channel, 0.5 * x);
            KeyText {
                seconds,
                value: value_of(&channel, x),
                span,
                tangents,
                incoming: Some(HandleText { slope, reach }),
                outgoing: None,
            }
        };
        let keys = keys.into_iter().map(key).collect();
        ChannelText { keys, channel, before: Outside::Hold, after: Outside::CycleWithOffset }
    })
}

fn motion_edit() -> impl Strategy<Value = MotionEdit> {
    let motion = || {
        let names =
            prop_oneof![6 => Just("bend"), 2 => Just("a"), 1 => Just("twist"), 1 => Just("#9")];
        names.prop_map(MotionRef::from)
    };
    let layer = || {
        proptest::option::weighted(0.3, prop_oneof![Just("Base"), Just("b")])
            .prop_map(|layer| layer.map(str::to_owned))
    };
    let chosen = || {
        let one = (channel(), proptest::collection::vec(key_time(), 0..3))
            .prop_map(|(channel, seconds)| KeysRef { channel, seconds });
        proptest::collection::vec(one, 0..3)
    };
    let whole = prop_oneof![
        (name(), -0.5..4.0_f64, proptest::option::of(motion()))
            .prop_map(|(name, seconds, copy_of)| MotionEdit::AddMotion { name, seconds, copy_of }),
        (motion(), name()).prop_map(|(motion, name)| MotionEdit::RenameMotion { motion, name }),
        motion().prop_map(|motion| MotionEdit::DeleteMotion { motion }),
        (motion(), -0.5..4.0_f64)
            .prop_map(|(motion, seconds)| MotionEdit::SetMotionLength { motion, seconds }),
        (motion(), proptest::option::of(0.0..60.0_f64)).prop_map(|(motion, frames_per_second)| {
            MotionEdit::SetMotionRate { motion, frames_per_second }
        }),
        (motion(), -1.0..40.0_f64)
            .prop_map(|(motion, per_second)| MotionEdit::ResampleMotion { motion, per_second }),
        (motion(), -0.001..0.05_f64)
            .prop_map(|(motion, metres)| MotionEdit::ReduceMotion { motion, metres }),
        (motion(), -0.5..0.5_f64, 0.0..2.0_f64)
            .prop_map(|(motion, from, to)| MotionEdit::TrimMotion { motion, from, to }),
        (motion(), -0.5..1.5_f64)
            .prop_map(|(motion, seconds)| MotionEdit::LoopMotion { motion, seconds }),
        (motion(), 0.1..2.0_f64).prop_map(|(motion, knot)| MotionEdit::WarpMotion {
            motion,
            times: vec![[0.0, 0.0], [knot, 0.5], [1.5, 1.0]],
        }),
    ];
    let of_layers = prop_oneof![
        (motion(), name(), any::<bool>()).prop_map(|(motion, name, adds)| {
            let mode = if adds { LayerMode::Add } else { LayerMode::Replace };
            MotionEdit::AddLayer { motion, name, mode }
        }),
        motion().prop_map(|motion| MotionEdit::DeleteLayer { motion, layer: "b".into() }),
        (motion(), -0.2..1.2_f64, any::<bool>(), proptest::collection::vec(joint(), 0..2))
            .prop_map(|(motion, weight, muted, mask)| MotionEdit::SetLayer {
                motion,
                layer: "b".into(),
                name: None,
                mode: None,
                weight: Some(weight),
                muted: Some(muted),
                mask: Some(mask),
                place: Some(0),
            }),
    ];
    let of_keys = prop_oneof![
        4 => (motion(), layer(), proptest::collection::vec(channel_text(), 1..3)).prop_map(
            |(motion, layer, channels)| MotionEdit::SetKeys { motion, layer, channels }
        ),
        2 => (motion(), layer(), chosen(), -1.0..1.0_f64).prop_map(
            |(motion, layer, keys, by_seconds)| MotionEdit::MoveKeys {
                motion, layer, keys, by_seconds
            }
        ),
        1 => (motion(), layer(), chosen(), 0.0..1.0_f64, -0.2..3.0_f64).prop_map(
            |(motion, layer, keys, about_seconds, factor)| MotionEdit::ScaleKeys {
                motion, layer, keys, about_seconds, factor
            }
        ),
        1 => (motion(), layer(), chosen())
            .prop_map(|(motion, layer, keys)| MotionEdit::DeleteKeys { motion, layer, keys }),
        2 => (motion(), layer(), chosen(), span(), tangents()).prop_map(
            |(motion, layer, keys, span, tangents)| MotionEdit::ShapeKeys {
                motion, layer, keys, span: Some(span), tangents: Some(tangents)
            }
        ),
        1 => (motion(), layer(), channel(), key_time(), -3.0..3.0_f64).prop_map(
            |(motion, layer, channel, seconds, x)| {
                let outgoing = HandleText { slope: value_of(&channel, x), reach: 0.5 };
                let keys = KeysRef { channel, seconds: vec![seconds] };
                MotionEdit::SetHandles {
                    motion, layer, keys, incoming: None, outgoing: Some(outgoing)
                }
            }
        ),
        1 => (motion(), layer(), channel()).prop_map(|(motion, layer, channel)| {
            let (before, after) = (Outside::Cycle, Outside::CycleWithOffset);
            MotionEdit::SetOutside { motion, layer, channels: vec![channel], before, after }
        }),
        1 => (motion(), layer(), joint()).prop_map(|(motion, layer, joint)| {
            MotionEdit::SplitRotation { motion, layer, joints: vec![joint] }
        }),
    ];
    prop_oneof![2 => whole, 2 => of_layers, 7 => of_keys]
}

/// Edits of motions alone.
pub(crate) fn edit_of_motion() -> impl Strategy<Value = Edit> {
    motion_edit().prop_map(Edit::from)
}
