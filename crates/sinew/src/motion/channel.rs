//! A channel: an address and the keys of its values, of whatever kind they are.

use glam::{DQuat, DVec3};

use super::address::{Address, JointProperty, ValueKind};
use super::keys::{Key, KeyCurve, Outside, Place, Span};
use super::value::KeyValue;
use crate::skeleton::{Skeleton, nearest_turn, swing_twist};

/// A spline may turn further between two keys than the shorter arc does: looked at so often in
/// between, it would have to make a whole turn in a quarter of the span to be miscounted.
const LOOKS_PER_SPAN: usize = 8;

/// Keys of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Keys {
    /// Keys of numbers.
    Scalar(KeyCurve<f64>),
    /// Keys of vectors.
    Vector(KeyCurve<DVec3>),
    /// Keys of rotations, as unit quaternions.
    Rotation(KeyCurve<DQuat>),
}

/// Does the same with keys of every kind.
#[macro_export]
#[doc(hidden)]
macro_rules! with_keys {
    ($keys:expr, $curve:ident => $body:expr) => {
        match $keys {
            $crate::motion::Keys::Scalar($curve) => $body,
            $crate::motion::Keys::Vector($curve) => $body,
            $crate::motion::Keys::Rotation($curve) => $body,
        }
    };
}

impl Keys {
    /// None, of a kind.
    pub fn none(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Scalar => Self::Scalar(KeyCurve::new(Vec::new())),
            ValueKind::Vector => Self::Vector(KeyCurve::new(Vec::new())),
            ValueKind::Rotation => Self::Rotation(KeyCurve::new(Vec::new())),
        }
    }

    /// Of what kind they are.
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Scalar(_) => ValueKind::Scalar,
            Self::Vector(_) => ValueKind::Vector,
            Self::Rotation(_) => ValueKind::Rotation,
        }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        with_keys!(self, curve => curve.keys().len())
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// When a key is.
    pub fn seconds_of(&self, key: usize) -> Option<f64> {
        with_keys!(self, curve => curve.keys().get(key).map(|key| key.seconds))
    }

    /// When they are.
    pub fn times_seconds(&self) -> impl DoubleEndedIterator<Item = f64> + '_ {
        (0..self.len()).filter_map(|key| self.seconds_of(key))
    }

    /// When those within some time are.
    pub fn times_within(
        &self,
        within: std::ops::RangeInclusive<f64>,
    ) -> impl DoubleEndedIterator<Item = f64> + '_ {
        let (from, to) = with_keys!(self, curve => {
            let keys = curve.keys();
            let from = keys.partition_point(|key| key.seconds < *within.start());
            (from, keys.partition_point(|key| key.seconds <= *within.end()).max(from))
        });
        (from..to).filter_map(|key| self.seconds_of(key))
    }

    /// The key at a time, if there is one within `tolerance_seconds`.
    pub fn key_at(&self, seconds: f64, tolerance_seconds: f64) -> Option<usize> {
        let after = self.times_seconds().position(|t| t >= seconds - tolerance_seconds)?;
        let is_near = (self.seconds_of(after)? - seconds).abs() <= tolerance_seconds;
        is_near.then_some(after)
    }

    /// Before the first key, and after the last.
    pub fn outside(&self) -> (Outside, Outside) {
        with_keys!(self, curve => curve.outside())
    }

    /// Changes what is outside.
    pub fn set_outside(&mut self, before: Outside, after: Outside) {
        with_keys!(self, curve => curve.set_outside(before, after));
    }

    /// True if every span is of the kinds that are named.
    pub fn has_only(&self, allowed: &[Span]) -> bool {
        with_keys!(self, curve => curve.keys().iter().all(|key| allowed.contains(&key.span)))
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        with_keys!(self, curve => size_of_val(curve.keys()))
    }
}

/// What moves one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionChannel {
    address: Address,
    keys: Keys,
    /// Of a joint's rotation: what its twist has added up to at each key. Empty of all else.
    twists_at_keys: Vec<f64>,
}

impl MotionChannel {
    /// Keys at an address of this skeleton.
    ///
    /// # Panics
    /// If the keys are not of the address's kind, or the joint is not there: whoever reads them
    /// from a file or a script checks that first.
    pub fn new(address: Address, keys: Keys, skeleton: &Skeleton) -> Self {
        assert_eq!(address.kind(), keys.kind(), "keys of the address's kind");
        let twists_at_keys = match (&keys, address) {
            (
                Keys::Rotation(curve),
                Address::Joint { joint, property: JointProperty::Rotation },
            ) => twists_at_keys(curve, skeleton.joints()[joint as usize].bone_axis()),
            _ => Vec::new(),
        };
        Self { address, keys, twists_at_keys }
    }

    /// What it moves.
    pub fn address(&self) -> Address {
        self.address
    }

    /// The curve of its keys.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// What is read of a rotation at a place, as swing and unwrapped twist.
    pub(super) fn swing_and_twist(
        &self,
        curve: &KeyCurve<DQuat>,
        place: Place,
        bone_axis: DVec3,
    ) -> (DQuat, f64) {
        let (swing, twist) = swing_twist(curve.value(place), bone_axis);
        let at_key = self.twists_at_keys.get(place.key).copied().unwrap_or(0.0);
        let mut near = at_key;
        if curve.keys()[place.key].span != Span::Linear {
            let looks = (place.share * LOOKS_PER_SPAN as f64).floor() as usize;
            for look in 1..=looks {
                let share = look as f64 / LOOKS_PER_SPAN as f64;
                near = follow(near, curve.value_between(place.key, share), bone_axis);
            }
        }
        if place.cycles != 0.0
            && let (Some(first), Some(last)) =
                (self.twists_at_keys.first(), self.twists_at_keys.last())
        {
            near += place.cycles * (last - first);
        }
        (swing, nearest_turn(twist, near))
    }

    /// Of a joint's rotation: the same as a swing and a twist, which can turn on and on. A key
    /// where each was; curves between them are straight.
    pub fn split(&self, skeleton: &Skeleton) -> Option<[Self; 2]> {
        let (Keys::Rotation(curve), Address::Joint { joint, property: JointProperty::Rotation }) =
            (&self.keys, self.address)
        else {
            return None;
        };
        let bone_axis = skeleton.joints()[joint as usize].bone_axis();
        let (before, after) = curve.outside();
        let span =
            |key: &Key<DQuat>| if key.span == Span::Step { Span::Step } else { Span::Linear };
        let swings = curve.keys().iter().map(|key| {
            let (swing, _) = swing_twist(key.value, bone_axis);
            Key::new(key.seconds, swing, span(key))
        });
        let twists = curve.keys().iter().zip(&self.twists_at_keys);
        let twists = twists.map(|(key, twist)| Key::new(key.seconds, *twist, span(key)));
        let swings = KeyCurve::new(swings.collect()).with_outside(before, after).settled();
        let twists = KeyCurve::new(twists.collect()).with_outside(before, after).settled();
        let at = |property| Address::Joint { joint, property };
        Some([
            Self::new(at(JointProperty::Swing), Keys::Rotation(swings), skeleton),
            Self::new(at(JointProperty::Twist), Keys::Scalar(twists), skeleton),
        ])
    }

    /// The channel with other keys.
    #[must_use]
    pub fn with_keys(&self, keys: Keys, skeleton: &Skeleton) -> Self {
        Self::new(self.address, keys, skeleton)
    }
}

fn follow(near: f64, rotation: DQuat, bone_axis: DVec3) -> f64 {
    nearest_turn(swing_twist(rotation, bone_axis).1, near)
}

/// What turns have added up to, from key to key.
fn twists_at_keys(curve: &KeyCurve<DQuat>, bone_axis: DVec3) -> Vec<f64> {
    let keys = curve.keys();
    let mut twists = Vec::with_capacity(keys.len());
    let mut twist = 0.0;
    for (index, key) in keys.iter().enumerate() {
        twist = follow(twist, key.value, bone_axis);
        twists.push(twist);
        if matches!(key.span, Span::Cubic | Span::Bezier) && index + 1 < keys.len() {
            for look in 1..LOOKS_PER_SPAN {
                let share = look as f64 / LOOKS_PER_SPAN as f64;
                twist = follow(twist, curve.value_between(index, share), bone_axis);
            }
        }
    }
    twists
}

impl<T: KeyValue> KeyCurve<T> {
    /// Sets the slopes of keys whose slopes are not the user's. Of rotations every key is first
    /// written on the side of the one before it: a spline through `q` and `−q` would go the long
    /// way.
    #[must_use]
    pub fn settled(mut self) -> Self {
        let keys = self.keys_mut();
        for index in 1..keys.len() {
            let turned = keys[index].value.near(keys[index - 1].value);
            if turned != keys[index].value {
                let key = &mut keys[index];
                key.value = turned;
                key.incoming.slope = key.incoming.slope.times(-1.0);
                key.outgoing.slope = key.outgoing.slope.times(-1.0);
            }
        }
        for index in 0..keys.len() {
            let slope = match keys[index].tangents {
                super::TangentMode::Free | super::TangentMode::Broken => continue,
                super::TangentMode::Flat => T::LEVEL,
                super::TangentMode::Auto => auto_slope(keys, index),
            };
            keys[index].incoming.slope = slope;
            keys[index].outgoing.slope = slope;
        }
        self
    }
}

/// Level at both ends, so that a motion begins and ends at rest.
fn auto_slope<T: KeyValue>(keys: &[Key<T>], index: usize) -> T {
    if index == 0 || index + 1 >= keys.len() {
        return T::LEVEL;
    }
    let (before, at, after) = (&keys[index - 1], &keys[index], &keys[index + 1]);
    let to_before = (at.seconds - before.seconds, before.value);
    T::smooth_slope(to_before, at.value, (after.seconds - at.seconds, after.value))
}

impl Keys {
    /// See [`KeyCurve::settled`].
    #[must_use]
    pub fn settled(self) -> Self {
        match self {
            Self::Scalar(curve) => Self::Scalar(curve.settled()),
            Self::Vector(curve) => Self::Vector(curve.settled()),
            Self::Rotation(curve) => Self::Rotation(curve.settled()),
        }
    }
}
