//! A motion in other times: resampled, warped, trimmed, made to loop.

use super::address::Address;
use super::channel::{Keys, MotionChannel};
use super::keys::{Handle, Key, KeyCurve, Span, TangentMode};
use super::motion::Motion;
use super::value::KeyValue;
use crate::skeleton::Skeleton;

/// Steps in which a slope is looked for on both sides of a place, over the span: a spline's slope
/// is then right to about 1e-9.
const SLOPE_STEP: f64 = 1e-5;

/// Why a motion cannot be retimed so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RetimeError {
    /// A rate that is no positive number.
    #[error("{0} keys a second; it must be above 0 and at most 1000")]
    Rate(f64),
    /// Nothing would be left.
    #[error("from {from} s to {to} s; the end must lie after the start, and both be finite")]
    Range {
        /// Where it would begin.
        from: f64,
        /// Where it would end.
        to: f64,
    },
    /// Times that do not go on.
    #[error("a time warp needs two or more pairs of times, each later than the one before")]
    Warp,
    /// Longer than the motion.
    #[error("a blend of {seconds} s; it must be above 0 and at most the motion's {length} s")]
    Blend {
        /// What was asked for.
        seconds: f64,
        /// How long the motion is.
        length: f64,
    },
}

impl<T: KeyValue> KeyCurve<T> {
    /// The same curve with a key at a time: straight and held spans stay what they were to the
    /// bit's rounding, splines of numbers too; a spline of rotations nearly, for it is made unit.
    #[must_use]
    pub fn with_key_at(&self, seconds: f64) -> Self {
        let Some((first, last)) = self.keys().first().zip(self.keys().last()) else {
            return self.clone();
        };
        let is_there = self.keys().iter().any(|key| key.seconds == seconds);
        let Some(place) = self.locate(seconds, &mut 0).filter(|_| !is_there) else {
            return self.clone();
        };
        let value = self.value(place);
        let mut keys = self.keys().to_vec();
        if seconds < first.seconds || seconds > last.seconds {
            keys.push(Key::new(seconds, value, Span::Linear));
        } else {
            let from = keys[place.key];
            let mut made = Key::new(seconds, value, from.span);
            if matches!(from.span, Span::Cubic | Span::Bezier) {
                let slope = self.slope_between(place.key, place.share);
                made = Key { tangents: TangentMode::Free, ..made.with_slopes(slope, slope) };
                made.span = Span::Cubic;
                // The spline's own slopes, so that both halves are what the whole was.
                let fix = |key: &mut Key<T>| {
                    if matches!(key.tangents, TangentMode::Auto | TangentMode::Flat) {
                        key.tangents = TangentMode::Free;
                    }
                };
                fix(&mut keys[place.key]);
                fix(&mut keys[place.key + 1]);
            }
            keys.push(made);
        }
        let (before, after) = self.outside();
        Self::new(keys).with_outside(before, after)
    }

    fn slope_between(&self, key: usize, share: f64) -> T {
        let span_seconds = self.keys()[key + 1].seconds - self.keys()[key].seconds;
        let (low, high) = ((share - SLOPE_STEP).max(0.0), (share + SLOPE_STEP).min(1.0));
        let (from, to) = (self.value_between(key, low), self.value_between(key, high));
        T::slope(from, to.near(from), (high - low) * span_seconds)
    }

    /// Straight keys at these times, the curve's own being left out.
    fn resampled(&self, times: &[f64]) -> Self {
        let mut cursor = 0;
        let mut keys: Vec<Key<T>> = Vec::with_capacity(times.len());
        for &seconds in times {
            let Some(value) = self.value_at(seconds, &mut cursor) else { break };
            let value = keys.last().map_or(value, |last| value.near(last.value));
            keys.push(Key::new(seconds, value, Span::Linear));
        }
        let (before, after) = self.outside();
        Self::new(keys).with_outside(before, after)
    }

    /// Keys at other times; slopes follow how fast time then goes on each side.
    fn moved(&self, to: impl Fn(f64) -> f64, rate: impl Fn(f64) -> (f64, f64)) -> Self {
        let move_key = |key: &Key<T>| {
            let (before, after) = rate(key.seconds);
            let handle = |handle: Handle<T>, rate: f64| Handle {
                slope: handle.slope.times(rate.recip()),
                ..handle
            };
            let mut moved = Key {
                seconds: to(key.seconds),
                incoming: handle(key.incoming, before),
                outgoing: handle(key.outgoing, after),
                ..*key
            };
            if before != after && key.tangents == TangentMode::Free {
                moved.tangents = TangentMode::Broken;
            }
            moved
        };
        let (before, after) = self.outside();
        Self::new(self.keys().iter().map(move_key).collect()).with_outside(before, after)
    }

    fn trimmed(&self, from: f64, to: f64) -> Self {
        let whole = self.with_key_at(from).with_key_at(to);
        let (before, after) = self.outside();
        let within = whole.keys().iter().filter(|key| (from..=to).contains(&key.seconds));
        let shifted = within.map(|key| Key { seconds: key.seconds - from, ..*key });
        Self::new(shifted.collect()).with_outside(before, after)
    }

    /// Its last seconds go over into its first value.
    fn loop_blended(&self, seconds: f64, length: f64) -> Self {
        let begin = length - seconds;
        let Some(start) = self.value_at(0.0, &mut 0) else { return self.clone() };
        let mut keys: Vec<Key<T>> =
            self.with_key_at(begin).keys().iter().filter(|k| k.seconds <= begin).copied().collect();
        if let Some(last) = keys.last_mut() {
            last.span = if last.span == Span::Step { Span::Step } else { Span::Linear };
        }
        let num_steps = (seconds * BLEND_KEYS_PER_SECOND).ceil().max(1.0) as usize;
        for step in 1..=num_steps {
            let share = step as f64 / num_steps as f64;
            let at = begin + share * seconds;
            let Some(value) = self.value_at(at, &mut 0) else { continue };
            // Slow at both ends.
            let weight = share * share * (3.0 - 2.0 * share);
            keys.push(Key::new(at, T::mix(value, start, weight), Span::Linear));
        }
        let (before, after) = self.outside();
        Self::new(keys).with_outside(before, after)
    }
}

/// How finely the end of a loop is written.
const BLEND_KEYS_PER_SECOND: f64 = 30.0;

impl Motion {
    /// Straight keys, so many a second, from zero to its end, which is always a key.
    pub fn resampled(&self, skeleton: &Skeleton, per_second: f64) -> Result<Self, RetimeError> {
        if !(per_second > 0.0 && per_second <= 1000.0) {
            return Err(RetimeError::Rate(per_second));
        }
        let num_steps = (self.length_seconds * per_second * (1.0 - 1e-9)).ceil() as usize;
        let mut times: Vec<f64> = (0..num_steps).map(|step| step as f64 / per_second).collect();
        times.push(self.length_seconds);
        Ok(self.with_curves(skeleton, CurveMap::Resample(&times)))
    }

    /// Time runs otherwise: at each first time of a pair comes what was at its second, and between
    /// pairs time goes evenly. Before the first pair and after the last it goes as between the
    /// nearest two.
    pub fn warped(&self, skeleton: &Skeleton, to_from: &[(f64, f64)]) -> Result<Self, RetimeError> {
        let goes_on = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1;
        let is_finite = to_from.iter().all(|(to, from)| to.is_finite() && from.is_finite());
        if to_from.len() < 2 || !is_finite || !to_from.windows(2).all(goes_on) {
            return Err(RetimeError::Warp);
        }
        let mut warped = self.with_curves(skeleton, CurveMap::Warp(to_from));
        warped.length_seconds = warp(to_from, self.length_seconds).max(0.0);
        Ok(warped)
    }

    /// A part of it, which then begins at zero.
    pub fn trimmed(&self, skeleton: &Skeleton, from: f64, to: f64) -> Result<Self, RetimeError> {
        if !(from < to && from.is_finite() && to.is_finite()) {
            return Err(RetimeError::Range { from, to });
        }
        let mut trimmed = self.with_curves(skeleton, CurveMap::Trim(from, to));
        trimmed.length_seconds = to - from;
        Ok(trimmed)
    }

    /// Its last seconds go over into its start, so that it can be played round and round.
    pub fn loop_blended(&self, skeleton: &Skeleton, seconds: f64) -> Result<Self, RetimeError> {
        let length = self.length_seconds;
        if !(seconds > 0.0 && seconds <= length) {
            return Err(RetimeError::Blend { seconds, length });
        }
        Ok(self.with_curves(skeleton, CurveMap::Loop(seconds, length)))
    }

    fn with_curves(&self, skeleton: &Skeleton, map: CurveMap<'_>) -> Self {
        self.with_keys(skeleton, |_, keys| match keys {
            Keys::Scalar(curve) => Keys::Scalar(map.of(curve)),
            Keys::Vector(curve) => Keys::Vector(map.of(curve)),
            Keys::Rotation(curve) => Keys::Rotation(map.of(curve)),
        })
    }

    /// The motion with other keys in every channel.
    #[must_use]
    pub fn with_keys(
        &self,
        skeleton: &Skeleton,
        mut change: impl FnMut(Address, &Keys) -> Keys,
    ) -> Self {
        let mut changed = self.clone();
        for (layer, of) in changed.layers.iter_mut().zip(&self.layers) {
            for channel in of.channels() {
                let keys = change(channel.address(), channel.keys());
                layer.put(MotionChannel::new(channel.address(), keys, skeleton));
            }
        }
        changed
    }
}

/// What is done to each curve.
#[derive(Clone, Copy)]
enum CurveMap<'a> {
    Resample(&'a [f64]),
    Warp(&'a [(f64, f64)]),
    Trim(f64, f64),
    Loop(f64, f64),
}

impl CurveMap<'_> {
    fn of<T: KeyValue>(self, curve: &KeyCurve<T>) -> KeyCurve<T> {
        match self {
            Self::Resample(times) => curve.resampled(times),
            Self::Warp(to_from) => {
                // Inside the curve, a key where time changes its pace.
                let keys = curve.keys();
                let range = keys.first().zip(keys.last()).map(|(a, b)| a.seconds..=b.seconds);
                let mut whole = curve.clone();
                for &(_, from) in to_from {
                    if range.as_ref().is_some_and(|range| range.contains(&from)) {
                        whole = whole.with_key_at(from);
                    }
                }
                let rate = |seconds: f64| {
                    let step = 1e-7;
                    let at = warp(to_from, seconds);
                    let before = (at - warp(to_from, seconds - step)) / step;
                    let after = (warp(to_from, seconds + step) - at) / step;
                    if (before - after).abs() < 1e-5 * before {
                        (before, before)
                    } else {
                        (before, after)
                    }
                };
                whole.moved(|seconds| warp(to_from, seconds), rate)
            }
            Self::Trim(from, to) => curve.trimmed(from, to),
            Self::Loop(seconds, length) => curve.loop_blended(seconds, length),
        }
    }
}

/// When something comes that was at `from`.
fn warp(to_from: &[(f64, f64)], from: f64) -> f64 {
    let after = to_from.partition_point(|pair| pair.1 <= from).clamp(1, to_from.len() - 1);
    let ((to_a, from_a), (to_b, from_b)) = (to_from[after - 1], to_from[after]);
    to_a + (to_b - to_a) * (from - from_a) / (from_b - from_a)
}
