//! A motion: layers of channels, a length and a name. What an animator works on, and what is
//! evaluated; a [`Clip`] is how a file has it.

use glam::{DQuat, DVec3};

use super::address::{Address, JointProperty};
use super::channel::{Keys, MotionChannel};
use super::clip::{Channel, Clip};
use super::curve::{Curve, CurveValue, Interpolation};
use super::keys::{Key, KeyCurve, Span};
use super::layer::{Layer, LayerMode};
use super::value::KeyValue;
use crate::skeleton::{Joint, Skeleton};

/// What the first layer of a clip's motion is called.
pub const BASE_LAYER: &str = "Base";

/// Layers of channels.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Unique among the motions of a character.
    pub name: String,
    /// How long it is; keys may lie past it, and are then not played.
    pub length_seconds: f64,
    /// What its frames are counted in, if anybody said so; see [`Motion::frame_rate`].
    pub frames_per_second: Option<f64>,
    /// From the bottom up.
    pub layers: Vec<Layer>,
}

impl Motion {
    /// A motion with one layer and nothing in it.
    pub fn new(name: impl Into<String>, length_seconds: f64) -> Self {
        let layers = vec![Layer::new(BASE_LAYER, LayerMode::Replace)];
        Self { name: name.into(), length_seconds, frames_per_second: None, layers }
    }

    /// A layer by its name.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// The time of the last key of all.
    pub fn last_key_seconds(&self) -> Option<f64> {
        self.layers.iter().filter_map(Layer::last_key_seconds).reduce(f64::max)
    }

    /// Bytes that its keys hold.
    pub fn bytes(&self) -> usize {
        let channels = self.layers.iter().flat_map(Layer::channels);
        channels.map(|channel| channel.keys().bytes() + size_of::<MotionChannel>()).sum()
    }

    /// A clip as a file has it, as a motion: the same keys, relative to the rest. Tracks of joints
    /// that the skeleton does not have are left out; of several of one thing the last counts.
    pub fn of_clip(clip: &Clip, skeleton: &Skeleton) -> Self {
        let mut motion = Self::new(clip.name.clone(), clip.duration_seconds());
        let layer = &mut motion.layers[0];
        for track in &clip.tracks {
            let Some(joint) = skeleton.joints().get(track.joint as usize) else { continue };
            let (property, keys) = relative(&track.channel, joint);
            layer.put_keyed(MotionChannel::new(
                Address::joint(track.joint, property),
                keys,
                skeleton,
            ));
        }
        for track in &clip.shape_tracks {
            let shapes = 0..track.num_shapes;
            for shape in shapes {
                let keys = keys_of(&track.weights, track.num_shapes, shape, f64::from);
                let address = Address::Shape { part: track.part, shape: shape as u32 };
                layer.put_keyed(MotionChannel::new(address, Keys::Scalar(keys), skeleton));
            }
        }
        for track in &clip.control_tracks {
            let keys = Keys::Scalar(keys_of(&track.values, 1, 0, |value| value));
            let address = Address::Control(track.control);
            layer.put_keyed(MotionChannel::new(address, keys, skeleton));
        }
        for track in &clip.handle_tracks {
            let keys = Keys::Vector(keys_of(&track.offsets, 1, 0, |offset| offset));
            let address = Address::Handle(track.handle);
            layer.put_keyed(MotionChannel::new(address, keys, skeleton));
        }
        motion
    }
}

/// A track's keys, relative to the joint's rest.
fn relative(curve: &Channel, joint: &Joint) -> (JointProperty, Keys) {
    let rest = &joint.rest;
    match curve {
        Channel::Translation(curve) => {
            let mut keys = keys_of(curve, 1, 0, |v| v);
            for key in keys.keys_mut() {
                key.value -= rest.translation;
            }
            (JointProperty::Translation, Keys::Vector(keys))
        }
        Channel::Scale(curve) => {
            // An axis whose scale is zero at rest stays at zero: a pose multiplies.
            let ratio = |posed: f64, rest: f64| if rest == 0.0 { 0.0 } else { posed / rest };
            let over_rest = |v: DVec3| {
                DVec3::new(
                    ratio(v.x, rest.scale.x),
                    ratio(v.y, rest.scale.y),
                    ratio(v.z, rest.scale.z),
                )
            };
            let mut keys = keys_of(curve, 1, 0, over_rest);
            for key in keys.keys_mut() {
                for axis in 0..3 {
                    if rest.scale[axis] == 0.0 {
                        key.value[axis] = 1.0;
                    }
                }
            }
            (JointProperty::Scale, Keys::Vector(keys))
        }
        Channel::Rotation(curve) => {
            let rest_inverse = rest.rotation.inverse();
            // A product is linear in each side, so that slopes go through it as values do.
            let keys = keys_of(curve, 1, 0, |q: DQuat| rest_inverse * q);
            (JointProperty::Rotation, Keys::Rotation(keys))
        }
    }
}

/// Value number `which` of `width` a key of a file's curve; values and slopes through `to`, which
/// is linear.
fn keys_of<S: CurveValue, T: KeyValue>(
    curve: &Curve<S>,
    width: usize,
    which: usize,
    to: impl Fn(S) -> T,
) -> KeyCurve<T> {
    let num_keys = curve.times_seconds.len().min(curve.values.len() / width.max(1));
    let slopes = match &curve.interpolation {
        Interpolation::Cubic(tangents) => Some(tangents),
        Interpolation::Step | Interpolation::Linear => None,
    };
    let slopes_at = |key: usize| slopes.and_then(|slopes| slopes.get(key * width + which));
    let make = |key: usize| {
        // A spline without its slopes is straight.
        let span = match curve.interpolation {
            Interpolation::Step => Span::Step,
            Interpolation::Cubic(_) if slopes_at(key).is_some() && slopes_at(key + 1).is_some() => {
                Span::Cubic
            }
            Interpolation::Cubic(_) | Interpolation::Linear => Span::Linear,
        };
        let made = Key::new(curve.times_seconds[key], to(curve.values[key * width + which]), span);
        match slopes_at(key) {
            Some(slopes) => made.with_slopes(to(slopes.incoming), to(slopes.outgoing)),
            None => made,
        }
    };
    KeyCurve::new((0..num_keys).map(make).collect())
}
