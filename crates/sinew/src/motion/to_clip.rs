//! A motion as a clip that files can hold: one curve of each kind a joint, absolute in its parent.
//!
//! Keys that a file can say as they are go over as they are. All else (several layers, swing and
//! twist apart, Bézier handles, cycles, stretch) is sampled: keys are added between the motion's
//! own until straight lines between them are within [`TURN_TOLERANCE_RADIANS`] and
//! [`LENGTH_TOLERANCE`] of it, and until no two neighbours are further apart than
//! [`MAX_TURN_RADIANS`], so that a reader counts the same turns.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::DVec3;

use super::address::{Address, JointProperty};
use super::channel::{Keys, MotionChannel};
use super::clip::{Channel, Clip, ControlTrack, HandleTrack, ShapeTrack, Track};
use super::curve::{Curve, CurveValue, Interpolation, Tangents};
use super::driven::Driven;
use super::evaluate::{Cursor, MotionSample};
use super::keys::{KeyCurve, Outside, Span};
use super::layer::{Layer, LayerMode};
use super::motion::Motion;
use super::straight::{Fill, Straight, Turned};
use super::value::KeyValue;
use crate::Character;
use crate::with_keys;

/// How far a sampled rotation may be from the motion's: well below what f32 keys and three.js's
/// slerp lose over a limb.
pub const TURN_TOLERANCE_RADIANS: f64 = 2e-5;

/// How far a sampled translation may be from the motion's, over the skeleton's extent; the same for
/// scales and weights as they are.
pub const LENGTH_TOLERANCE: f64 = 1e-5;

/// A quaternion cannot tell half a turn forth from half a turn back; this is well within what it
/// can tell, also where the bone swings at the same time.
pub const MAX_TURN_RADIANS: f64 = std::f64::consts::FRAC_PI_2;

/// Spans are halved this often at the most: between two keys that are a second apart, to a
/// millisecond.
const MAX_HALVINGS: u32 = 10;

/// Where a file has no room for a jump, it is this long.
pub(super) const JUMP_SECONDS: f64 = 1e-4;

impl Motion {
    /// The motion as files have it, from zero to its length, with what the character's drivers make
    /// of it. What it does to settings of the rig is left out: no file has a word for it.
    pub fn to_clip(&self, character: &Character) -> Clip {
        let mut baker = Baker::new(self, character);
        let mut clip = Clip { name: self.name.clone(), ..Clip::default() };
        for joint in 0..character.skeleton.len() as u32 {
            baker.joint(joint, &mut clip.tracks);
        }
        for part in 0..character.parts.len() {
            clip.shape_tracks.extend(baker.shapes(part));
        }
        for control in 0..character.drivers.controls.len() as u32 {
            clip.control_tracks.extend(baker.control(control));
        }
        clip.handle_tracks = baker.handles();
        clip
    }
}

struct Baker<'a> {
    motion: &'a Motion,
    character: &'a Character,
    cursor: Cursor,
    sample: MotionSample,
    length_tolerance: f64,
    drivers: Option<Driven>,
}

impl<'a> Baker<'a> {
    fn new(motion: &'a Motion, character: &'a Character) -> Self {
        let places = character.skeleton.rest_model_from_joint().iter();
        let (low, high) = places.fold((DVec3::ZERO, DVec3::ZERO), |(low, high), placed| {
            (low.min(placed.translation), high.max(placed.translation))
        });
        let extent = (high - low).length();
        Self {
            motion,
            character,
            cursor: Cursor::default(),
            sample: MotionSample::rest(character),
            length_tolerance: LENGTH_TOLERANCE * if extent > 0.0 { extent } else { 1.0 },
            drivers: Driven::of(character),
        }
    }

    fn joint(&mut self, joint: u32, tracks: &mut Vec<Track>) {
        let at = |property| Address::joint(joint, property);
        let rest = self.character.skeleton.joints()[joint as usize].rest;
        let turns = [JointProperty::Rotation, JointProperty::Swing, JointProperty::Twist].map(at);
        if self.is_moved(&turns) {
            let direct = self.alone(&turns).and_then(|channel| match channel.keys() {
                // A swing by itself is a rotation, too.
                Keys::Rotation(curve) => plain(curve, |q| rest.rotation * q),
                Keys::Scalar(_) | Keys::Vector(_) => None,
            });
            let curve = direct.unwrap_or_else(|| {
                let times = self.times(&turns);
                self.sampled(&times, |baker, seconds| baker.turned(joint, seconds))
            });
            tracks.push(Track { joint, channel: Channel::Rotation(curve) });
        }
        let mut shifts = vec![at(JointProperty::Translation)];
        // A stretched bone moves what hangs on it.
        let parent = self.character.skeleton.joints()[joint as usize].parent;
        shifts.extend(parent.map(|parent| Address::joint(parent, JointProperty::Stretch)));
        if self.is_moved(&shifts) {
            let is_own = !self.is_moved(&shifts[1..]);
            let own = self.alone(&shifts[..1]).filter(|_| is_own);
            let direct = own.and_then(|channel| match channel.keys() {
                Keys::Vector(curve) => shifted(curve, rest.translation),
                Keys::Scalar(_) | Keys::Rotation(_) => None,
            });
            let curve = direct.unwrap_or_else(|| {
                let times = self.times(&shifts);
                self.sampled(&times, |baker, seconds| baker.moved(joint, seconds))
            });
            tracks.push(Track { joint, channel: Channel::Translation(curve) });
        }
        let scales = [at(JointProperty::Scale)];
        if self.is_moved(&scales) {
            let direct = self.alone(&scales).and_then(|channel| match channel.keys() {
                Keys::Vector(curve) => plain(curve, |v| rest.scale * v),
                Keys::Scalar(_) | Keys::Rotation(_) => None,
            });
            let curve = direct.unwrap_or_else(|| {
                let times = self.times(&scales);
                self.sampled(&times, |baker, seconds| {
                    baker.look(seconds);
                    rest.scale * baker.sample.pose.joints[joint as usize].scale
                })
            });
            tracks.push(Track { joint, channel: Channel::Scale(curve) });
        }
    }

    fn shapes(&mut self, part: usize) -> Option<ShapeTrack> {
        let num_shapes = self.character.parts[part].shapes.len();
        let address = |shape: usize| Address::Shape { part: part as u32, shape: shape as u32 };
        let addresses: Vec<Address> = (0..num_shapes).map(address).collect();
        if !self.is_moved(&addresses) {
            return None;
        }
        let curves: Vec<Option<Curve<f32>>> = (0..num_shapes)
            .map(|shape| match self.alone(&addresses[shape..=shape])?.keys() {
                Keys::Scalar(curve) => plain(curve, |w| w as f32),
                Keys::Vector(_) | Keys::Rotation(_) => None,
            })
            .collect();
        let part_index = part as u32;
        if let Some(weights) = woven(&curves) {
            return Some(ShapeTrack { part: part_index, num_shapes, weights });
        }
        let times = self.times(&addresses);
        // Straight lines for all of them at once: each time is a key of every shape.
        let mut added = times.clone();
        for shape in 0..num_shapes {
            let curve = self.sampled(&times, |baker, seconds| {
                baker.look(seconds);
                f64::from(baker.sample.shape_weights[part][shape])
            });
            added.extend(curve.times_seconds);
        }
        let times = in_order(added);
        let mut values = Vec::with_capacity(times.len() * num_shapes);
        for &seconds in &times {
            self.look(seconds);
            values.extend_from_slice(&self.sample.shape_weights[part]);
        }
        let weights = Curve::linear(times, values);
        Some(ShapeTrack { part: part_index, num_shapes, weights })
    }

    /// The curve of a named control.
    fn control(&mut self, control: u32) -> Option<ControlTrack> {
        let addresses = [Address::Control(control)];
        if !self.is_moved(&addresses) {
            return None;
        }
        let direct = self.alone(&addresses).and_then(|channel| match channel.keys() {
            Keys::Scalar(curve) => plain(curve, |value| value),
            Keys::Vector(_) | Keys::Rotation(_) => None,
        });
        let values = direct.unwrap_or_else(|| {
            let times = self.times(&addresses);
            self.sampled(&times, |baker, seconds| {
                baker.look(seconds);
                baker.sample.values[control as usize]
            })
        });
        Some(ControlTrack { control, values })
    }

    /// The curves of the cage's handles, in the order of their numbers.
    fn handles(&mut self) -> Vec<HandleTrack> {
        let of = |channel: &MotionChannel| match channel.address() {
            Address::Handle(handle) => Some(handle),
            _ => None,
        };
        let all: BTreeSet<u32> = self.acting().filter_map(|(_, channel)| of(channel)).collect();
        all.into_iter().filter_map(|handle| self.handle(handle)).collect()
    }

    fn handle(&mut self, handle: u32) -> Option<HandleTrack> {
        let addresses = [Address::Handle(handle)];
        if !self.is_moved(&addresses) {
            return None;
        }
        let direct = self.alone(&addresses).and_then(|channel| match channel.keys() {
            Keys::Vector(curve) => plain(curve, |offset| offset),
            Keys::Scalar(_) | Keys::Rotation(_) => None,
        });
        let offsets = direct.unwrap_or_else(|| {
            let times = self.times(&addresses);
            self.sampled(&times, |baker, seconds| {
                baker.look(seconds);
                let offset = baker.sample.cage_offsets.get(handle as usize);
                offset.copied().flatten().unwrap_or_default()
            })
        });
        Some(HandleTrack { handle, offsets })
    }

    fn is_driven(&self, addresses: &[Address]) -> bool {
        self.drivers.as_ref().is_some_and(|drivers| drivers.has_any(addresses))
    }

    /// True if a layer that acts has one of these, or a driver.
    fn is_moved(&self, addresses: &[Address]) -> bool {
        self.is_driven(addresses)
            || self.acting().any(|(layer, channel)| {
                layer.reaches(channel.address()) && addresses.contains(&channel.address())
            })
    }

    fn acting(&self) -> impl Iterator<Item = (&'a Layer, &'a Arc<MotionChannel>)> + use<'a> {
        let layers = self.motion.layers.iter().filter(|layer| layer.acts());
        layers.flat_map(|layer| layer.channels().iter().map(move |channel| (layer, channel)))
    }

    /// The one channel that decides, if it is one and holds outside its keys, all of which are
    /// within the motion.
    fn alone(&self, addresses: &[Address]) -> Option<&'a MotionChannel> {
        if self.is_driven(addresses) {
            return None;
        }
        let mut found = self.acting().filter(|(layer, channel)| {
            layer.reaches(channel.address()) && addresses.contains(&channel.address())
        });
        let (layer, channel) = found.next().filter(|_| found.next().is_none())?;
        let is_whole = layer.mode == LayerMode::Replace && layer.weight >= 1.0;
        let (first, last) =
            (channel.keys().seconds_of(0)?, channel.keys().times_seconds().next_back()?);
        // Files hold their keys as f32: what is within that of the end is within the motion.
        let is_within = first >= 0.0 && last <= self.motion.length_seconds * (1.0 + 1e-6);
        let holds = channel.keys().outside() == (Outside::Hold, Outside::Hold);
        (is_whole && is_within && holds).then_some(channel)
    }

    /// Times that a sampled curve must have: keys, both sides of jumps, start and end.
    fn times(&self, addresses: &[Address]) -> Vec<f64> {
        let end = self.motion.length_seconds;
        let mut times = vec![0.0, end];
        // What is driven may change wherever anything does.
        let is_driven = self.is_driven(addresses);
        let decides = |channel: &MotionChannel| is_driven || addresses.contains(&channel.address());
        for (_, channel) in self.acting().filter(|(_, channel)| decides(channel)) {
            let keys = channel.keys();
            let (Some(first), Some(last)) = (keys.seconds_of(0), keys.times_seconds().next_back())
            else {
                continue;
            };
            let period = last - first;
            let cycles = if period > 0.0 && keys.outside() != (Outside::Hold, Outside::Hold) {
                ((-first / period).floor() as i64)..=(((end - first) / period).ceil() as i64)
            } else {
                0..=0
            };
            for cycle in cycles {
                let shift = cycle as f64 * period;
                let jumps = cycle != 0 || keys.outside() != (Outside::Hold, Outside::Hold);
                with_keys!(keys, curve => for (index, key) in curve.keys().iter().enumerate() {
                    let is_after_step = index > 0 && curve.keys()[index - 1].span == Span::Step;
                    times.push(key.seconds + shift);
                    if is_after_step || jumps && (index == 0 || index + 1 == curve.keys().len()) {
                        times.push(key.seconds + shift - JUMP_SECONDS);
                    }
                });
            }
        }
        times.retain(|t| (0.0..=end).contains(t));
        in_order(times)
    }

    fn look(&mut self, seconds: f64) {
        let skeleton = &self.character.skeleton;
        self.motion.evaluate(skeleton, seconds, &mut self.cursor, &mut self.sample);
        if let Some(drivers) = &mut self.drivers {
            drivers.drive(skeleton, &mut self.sample);
        }
    }

    fn turned(&mut self, joint: u32, seconds: f64) -> Turned {
        self.look(seconds);
        let of = &self.character.skeleton.joints()[joint as usize];
        let pose = &self.sample.pose.joints[joint as usize];
        let rotation = of.rest.rotation * pose.rotation(of.bone_axis());
        Turned { rotation, twist_radians: pose.twist_radians }
    }

    fn moved(&mut self, joint: u32, seconds: f64) -> DVec3 {
        self.look(seconds);
        let joints = self.character.skeleton.joints();
        let (of, poses) = (&joints[joint as usize], &self.sample.pose.joints);
        let local = of.rest.translation + poses[joint as usize].translation;
        match of.parent.map(|parent| parent as usize) {
            Some(parent) => poses[parent].stretch_along(joints[parent].bone_axis()) * local,
            None => local,
        }
    }

    /// Straight lines between times, to which others are added until they are near enough.
    fn sampled<S: Straight>(
        &mut self,
        times: &[f64],
        mut value_at: impl FnMut(&mut Self, f64) -> S,
    ) -> Curve<S::Value> {
        let mut keys: Vec<(f64, S)> = Vec::with_capacity(times.len());
        let tolerance = self.length_tolerance;
        let mut value_at = |seconds| value_at(self, seconds);
        for &seconds in times {
            let value = value_at(seconds);
            if let Some(&last) = keys.last() {
                let mut fill = Fill { tolerance, keys: &mut keys };
                fill.between(last, (seconds, value), MAX_HALVINGS, &mut value_at);
            }
            keys.push((seconds, value));
        }
        let values: Vec<S::Value> = S::values(keys.iter().map(|(_, value)| *value));
        Curve::linear(keys.into_iter().map(|(seconds, _)| seconds).collect(), values)
    }
}

fn in_order(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| *a - *b < 0.25 * JUMP_SECONDS);
    times
}

/// A curve that a file can say as it is; `None` if it cannot. `to` is linear.
fn plain<T: KeyValue, S: CurveValue>(curve: &KeyCurve<T>, to: impl Fn(T) -> S) -> Option<Curve<S>> {
    let keys = curve.keys();
    // The last key's span leads nowhere.
    let spans = &keys[..keys.len().saturating_sub(1).max(1)];
    let all = |span: Span| spans.iter().all(|key| key.span == span);
    let times = keys.iter().map(|key| key.seconds).collect();
    let values: Vec<S> = keys.iter().map(|key| to(key.value)).collect();
    if all(Span::Step) {
        return Some(Curve::step(times, values));
    }
    if all(Span::Linear) {
        return Some(Curve::linear(times, values));
    }
    all(Span::Cubic).then(|| {
        let pair = |key: &super::Key<T>| Tangents {
            incoming: to(key.incoming.slope),
            outgoing: to(key.outgoing.slope),
        };
        Curve::cubic(times, values, keys.iter().map(pair).collect())
    })
}

/// The same, moved by an offset, which slopes do not feel.
fn shifted(curve: &KeyCurve<DVec3>, offset: DVec3) -> Option<Curve<DVec3>> {
    let mut curve = plain(curve, |v| v)?;
    for value in &mut curve.values {
        *value += offset;
    }
    Some(curve)
}

/// Curves of one number a key as one curve of several, where their keys are at the same times and
/// of one kind.
fn woven(curves: &[Option<Curve<f32>>]) -> Option<Curve<f32>> {
    let first = curves.first()?.as_ref()?;
    let all: Option<Vec<&Curve<f32>>> = curves.iter().map(Option::as_ref).collect();
    let all = all?;
    let is_alike = |curve: &&Curve<f32>| {
        curve.times_seconds == first.times_seconds
            && std::mem::discriminant(&curve.interpolation)
                == std::mem::discriminant(&first.interpolation)
    };
    if !all.iter().all(is_alike) {
        return None;
    }
    let num_keys = first.num_keys();
    let keys = || (0..num_keys).flat_map(|key| all.iter().map(move |curve| (key, curve)));
    let values = keys().map(|(key, curve)| curve.values[key]).collect();
    let interpolation = match &first.interpolation {
        Interpolation::Step => Interpolation::Step,
        Interpolation::Linear => Interpolation::Linear,
        Interpolation::Cubic(_) => Interpolation::Cubic(
            keys()
                .filter_map(|(key, curve)| match &curve.interpolation {
                    Interpolation::Cubic(tangents) => tangents.get(key).copied(),
                    Interpolation::Step | Interpolation::Linear => None,
                })
                .collect(),
        ),
    };
    Some(Curve { times_seconds: first.times_seconds.clone(), values, interpolation })
}
