//! Keys from how a character stands: what setting a key and automatic keys do.

use std::collections::BTreeSet;
use std::f64::consts::PI;

use sinew::glam::DVec3;
use sinew::motion::{
    Address, Cursor, JointProperty, Key, KeyCurve, KeyValue, Keys, Layer, LayerMode, Motion,
    MotionSample, SAME_TIME_SECONDS, Span,
};
use sinew::skeleton::{JointPose, Pose, nearest_turn, swing_twist};

use crate::document::Document;
use crate::edit::{Edit, EditError, MotionEdit};
use crate::motion_text::ChannelText;
use crate::name_ref::{JointRef, MotionRef};

/// Where keys are set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyPlace {
    /// Which motion of the document.
    pub motion: usize,
    /// Which of its layers, from the bottom.
    pub layer: usize,
    /// The time of the keys, in seconds.
    pub seconds: f64,
}

/// What is to have keys, besides the pose.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyedNumbers<'a> {
    /// Weights of shapes: mesh, shape, weight.
    pub shapes: &'a [(u32, u32, f32)],
    /// Values of named controls, by their places.
    pub controls: &'a [(u32, f64)],
}

/// The edits that make a motion stand as `pose` at a time, in the joints that are named; and that
/// give shapes and named controls their numbers there.
///
/// A rotation that has keys as one gets another; where it would have to turn further than half a
/// turn from what it was, it is first split into swing and twist, which can. What was never
/// shifted, scaled or stretched and is not now gets no key of that.
///
/// # Errors
/// If the layer cannot say it: one that has only a part of the weight.
pub fn keys_of_pose(
    document: &Document,
    place: KeyPlace,
    pose: &Pose,
    joints: &[u32],
    numbers: &KeyedNumbers<'_>,
) -> Result<Vec<Edit>, EditError> {
    let character = document.character();
    let skeleton = &character.skeleton;
    let motion = document.motions().motion(character, place.motion);
    let layer = whole_layer(&motion, place)?;
    let below = Motion { layers: motion.layers[..place.layer].to_vec(), ..Motion::clone(&motion) };
    let mut under = MotionSample::rest(character);
    below.evaluate(skeleton, place.seconds, &mut Cursor::default(), &mut under);
    let below = &under.pose;
    let now = motion.pose_at(skeleton, place.seconds);
    let mut split: Vec<JointRef> = Vec::new();
    let mut set = Setter { document, seconds: place.seconds, channels: Vec::new() };
    for &joint in joints {
        let axis = skeleton.joints()[joint as usize].bone_axis();
        let wanted = pose.joints[joint as usize];
        let value = match layer.mode {
            LayerMode::Replace => wanted,
            LayerMode::Add => over(&below.joints[joint as usize], &wanted, axis),
        };
        let has = |property| layer.channel(Address::joint(joint, property)).is_some();
        let winds = (wanted.twist_radians - now.joints[joint as usize].twist_radians).abs() > PI;
        if has(JointProperty::Rotation) && !winds {
            set.rotation(joint, JointProperty::Rotation, value.rotation(axis));
        } else {
            if has(JointProperty::Rotation) {
                split.push(document.joint_ref(joint));
            }
            set.rotation(joint, JointProperty::Swing, value.swing);
            set.number(joint, JointProperty::Twist, value.twist_radians);
        }
        if has(JointProperty::Translation) || value.translation != DVec3::ZERO {
            set.vector(joint, JointProperty::Translation, value.translation);
        }
        if has(JointProperty::Scale) || value.scale != DVec3::ONE {
            set.vector(joint, JointProperty::Scale, value.scale);
        }
        if has(JointProperty::Stretch) || value.stretch != 1.0 {
            set.number(joint, JointProperty::Stretch, value.stretch);
        }
    }
    // A layer that adds has what is missing to the layers below.
    let in_layer = |value: f64, below: Option<f64>| match layer.mode {
        LayerMode::Replace => value,
        LayerMode::Add => value - below.unwrap_or(0.0),
    };
    for &(control, value) in numbers.controls {
        let value = in_layer(value, under.values.get(control as usize).copied());
        set.put(Address::Control(control), &Keys::Scalar(one(place.seconds, value)));
    }
    for &(part, shape, weight) in numbers.shapes {
        let below = under.shape_weights.get(part as usize).and_then(|w| w.get(shape as usize));
        let value = in_layer(f64::from(weight), below.map(|&weight| f64::from(weight)));
        set.put(Address::Shape { part, shape }, &Keys::Scalar(one(place.seconds, value)));
    }
    let (name, layer) = (MotionRef::of(document, place.motion), Some(layer.name.clone()));
    let mut edits: Vec<Edit> = Vec::new();
    if !split.is_empty() {
        let (motion, layer) = (name.clone(), layer.clone());
        edits.push(MotionEdit::SplitRotation { motion, layer, joints: split }.into());
    }
    if !set.channels.is_empty() {
        edits.push(MotionEdit::SetKeys { motion: name, layer, channels: set.channels }.into());
    }
    Ok(edits)
}

/// The edits that make a motion have a rest cage at a time: keys of the handles that are named,
/// that have keys already, and that are elsewhere than in `base`, which is what the cage is without
/// keys.
///
/// A handle that gets its first key gets one at the other times of keys of the cage, too, where it
/// was in `base`: a key is one of the whole cage.
///
/// # Errors
/// If there is no cage, or the layer has only a part of the weight.
pub fn keys_of_cage(
    document: &Document,
    place: KeyPlace,
    [rest_cage, base]: [&[DVec3]; 2],
    named: &BTreeSet<u32>,
) -> Result<Vec<Edit>, EditError> {
    let character = document.character();
    let Some(rig) = &document.rig().cage else {
        return Err(EditError::value("cage", "there is none; make one first"));
    };
    let bound = rig.cage.points();
    let [rest_cage, base] =
        [rest_cage, base].map(|cage| if cage.is_empty() { bound } else { cage });
    let motion = document.motions().motion(character, place.motion);
    let layer = whole_layer(&motion, place)?;
    let below = Motion { layers: motion.layers[..place.layer].to_vec(), ..Motion::clone(&motion) };
    let mut under = MotionSample::rest(character);
    let mut cursor = Cursor::default();
    let mut times: Vec<f64> = (layer.channels().iter())
        .filter(|channel| matches!(channel.address(), Address::Handle(_)))
        .flat_map(|channel| channel.keys().times_seconds())
        .filter(|seconds| (seconds - place.seconds).abs() > SAME_TIME_SECONDS)
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| *a - *b <= SAME_TIME_SECONDS);
    let mut under_at = |seconds: f64, handle: usize| match layer.mode {
        LayerMode::Replace => DVec3::ZERO,
        LayerMode::Add => {
            below.evaluate(&character.skeleton, seconds, &mut cursor, &mut under);
            under.cage_offsets.get(handle).copied().flatten().unwrap_or(DVec3::ZERO)
        }
    };
    let mut channels = Vec::new();
    for (handle, &bound) in bound.iter().enumerate() {
        let address = Address::Handle(handle as u32);
        let has_keys = layer.channel(address).is_some();
        let is_moved = rest_cage[handle] != base[handle];
        if !has_keys && !is_moved && !named.contains(&(handle as u32)) {
            continue;
        }
        let value = rest_cage[handle] - bound - under_at(place.seconds, handle);
        let mut keys = vec![Key::new(place.seconds, value, Span::Linear)];
        if !has_keys {
            keys.extend(times.iter().map(|&seconds| {
                let value = base[handle] - bound - under_at(seconds, handle);
                Key::new(seconds, value, Span::Linear)
            }));
            keys.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        }
        let keys = Keys::Vector(KeyCurve::new(keys));
        channels.push(ChannelText::of(character, address, &keys));
    }
    if channels.is_empty() {
        return Ok(Vec::new());
    }
    let (motion, layer) = (MotionRef::of(document, place.motion), Some(layer.name.clone()));
    Ok(vec![MotionEdit::SetKeys { motion, layer, channels }.into()])
}

/// The edits that make a motion have so much of a surface edit at a time.
///
/// # Errors
/// If there is no such edit, or the layer has only a part of the weight.
pub fn keys_of_surface(
    document: &Document,
    place: KeyPlace,
    number: u32,
    weight: f32,
) -> Result<Vec<Edit>, EditError> {
    let character = document.character();
    if document.surface().by_number(number).is_none() {
        return Err(EditError::value("surface edit", "there is none of that number"));
    }
    let motion = document.motions().motion(character, place.motion);
    let layer = whole_layer(&motion, place)?.name.clone();
    let keys = Keys::Scalar(one(place.seconds, f64::from(weight)));
    let channels = vec![ChannelText::of(character, Address::Surface(number), &keys)];
    let (motion, layer) = (MotionRef::of(document, place.motion), Some(layer));
    Ok(vec![MotionEdit::SetKeys { motion, layer, channels }.into()])
}

fn whole_layer(motion: &Motion, place: KeyPlace) -> Result<&Layer, EditError> {
    let Some(layer) = motion.layers.get(place.layer) else {
        return Err(EditError::value("layer", "there is no such layer; choose another"));
    };
    if layer.weight < 1.0 {
        let fault = format!("layer '{}' has only a part of the weight; give it all", layer.name);
        return Err(EditError::value("layer", fault));
    }
    Ok(layer)
}

/// What has to be done on top of one pose to stand as another.
fn over(below: &JointPose, wanted: &JointPose, axis: DVec3) -> JointPose {
    let turned = below.rotation(axis).inverse() * wanted.rotation(axis);
    let (swing, twist) = swing_twist(turned, axis);
    JointPose {
        swing,
        twist_radians: nearest_turn(twist, wanted.twist_radians - below.twist_radians),
        translation: wanted.translation - below.translation,
        scale: wanted.scale / below.scale,
        stretch: wanted.stretch / below.stretch,
    }
}

struct Setter<'a> {
    document: &'a Document,
    seconds: f64,
    channels: Vec<ChannelText>,
}

impl Setter<'_> {
    fn put(&mut self, address: Address, keys: &Keys) {
        self.channels.push(ChannelText::of(self.document.character(), address, keys));
    }

    fn number(&mut self, joint: u32, property: JointProperty, value: f64) {
        self.put(Address::joint(joint, property), &Keys::Scalar(one(self.seconds, value)));
    }

    fn vector(&mut self, joint: u32, property: JointProperty, value: DVec3) {
        self.put(Address::joint(joint, property), &Keys::Vector(one(self.seconds, value)));
    }

    fn rotation(&mut self, joint: u32, property: JointProperty, value: sinew::glam::DQuat) {
        let keys = Keys::Rotation(one(self.seconds, value.normalize()));
        self.put(Address::joint(joint, property), &keys);
    }
}

fn one<T: KeyValue>(seconds: f64, value: T) -> KeyCurve<T> {
    KeyCurve::new(vec![Key::new(seconds, value, Span::Cubic)])
}
