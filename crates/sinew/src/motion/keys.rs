//! Curves that are edited: keys with handles, and what holds before the first and after the last.
//!
//! Between keys `k` and `k+1`, `d` seconds apart, with values `v`, slopes out `b` and in `a` (both
//! per second):
//!
//! ```text
//! step     v_k
//! linear   (1−t)·v_k + t·v_k+1                     a rotation: along the shorter arc
//! cubic    the Hermite spline of v_k, b_k, v_k+1, a_k+1 (glTF 2.0, appendix C)
//! bezier   the points (0, v_k), (r_k, v_k + r_k·d·b_k), (1 − r_k+1, v_k+1 − r_k+1·d·a_k+1), (1, v_k+1),
//!          at the place where their first coordinate is t
//! ```
//!
//! A Bézier span whose handles reach a third of it is the cubic one. Times ascend strictly and are
//! finite; the constructors see to it.

use super::value::KeyValue;

/// How a curve runs from a key to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Span {
    /// Holds the key.
    Step,
    /// Straight; rotations take the shorter arc.
    Linear,
    /// A Hermite spline.
    #[default]
    Cubic,
    /// A Bézier curve, in time too.
    Bezier,
}

/// Who decides about a key's slopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum TangentMode {
    /// The neighbours: smooth, and never past them.
    #[default]
    Auto,
    /// Level at the key.
    Flat,
    /// The user, the same on both sides.
    Free,
    /// The user, each side by itself.
    Broken,
}

/// One side of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle<T> {
    /// Change of the value a second.
    pub slope: T,
    /// How far the handle reaches into the span, as a share of it, 0 to 1; for
    /// [`Span::Bezier`] alone.
    pub reach: f64,
}

/// Where the handles of a Hermite spline are.
pub const CUBIC_REACH: f64 = 1.0 / 3.0;

impl<T: KeyValue> Handle<T> {
    /// As a Hermite spline has it.
    pub fn of_slope(slope: T) -> Self {
        Self { slope, reach: CUBIC_REACH }
    }
}

/// A value at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key<T> {
    /// Time of the key, in seconds.
    pub seconds: f64,
    /// The value at that time.
    pub value: T,
    /// How it goes on.
    pub span: Span,
    /// Who decides about the slopes.
    pub tangents: TangentMode,
    /// Before the key.
    pub incoming: Handle<T>,
    /// The handle after the key.
    pub outgoing: Handle<T>,
}

impl<T: KeyValue> Key<T> {
    /// A key with level handles.
    pub fn new(seconds: f64, value: T, span: Span) -> Self {
        let level = Handle::of_slope(T::LEVEL);
        let tangents = TangentMode::Auto;
        Self { seconds, value, span, tangents, incoming: level, outgoing: level }
    }

    /// The same with the user's slopes.
    #[must_use]
    pub fn with_slopes(self, incoming: T, outgoing: T) -> Self {
        let tangents = if incoming == outgoing { TangentMode::Free } else { TangentMode::Broken };
        let (incoming, outgoing) = (Handle::of_slope(incoming), Handle::of_slope(outgoing));
        Self { tangents, incoming, outgoing, ..self }
    }

    pub(super) fn is_finite(&self) -> bool {
        let is_handle =
            |handle: &Handle<T>| handle.slope.is_finite() && (0.0..=1.0).contains(&handle.reach);
        self.seconds.is_finite()
            && self.value.is_finite()
            && is_handle(&self.incoming)
            && is_handle(&self.outgoing)
    }
}

/// What a curve does before its first key, or after its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Outside {
    /// Holds the key.
    #[default]
    Hold,
    /// Begins again.
    Cycle,
    /// Begins again where it ended: a walk that goes on, a wheel that turns on.
    CycleWithOffset,
}

/// Keys in time, and what is outside of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyCurve<T> {
    keys: Vec<Key<T>>,
    before: Outside,
    after: Outside,
}

/// Past so many a time has no digits left to say where in the cycle it is.
const MAX_CYCLES: f64 = 1e9;

/// Where a time lies in a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// At or before the time.
    pub(super) key: usize,
    /// Share of the way to the next, 0 to 1.
    pub(super) share: f64,
    /// Whole cycles that lie between the time and the keys' own.
    pub(super) cycles: f64,
}

impl<T: KeyValue> KeyCurve<T> {
    /// Of keys in any order. Of several at one time the last stays; those that are not finite are
    /// left out.
    pub fn new(mut keys: Vec<Key<T>>) -> Self {
        keys.retain(Key::is_finite);
        keys.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        // Stable, so that the later of two is the one that was given later.
        let mut kept: Vec<Key<T>> = Vec::with_capacity(keys.len());
        for key in keys {
            match kept.last_mut() {
                Some(last) if last.seconds == key.seconds => *last = key,
                _ => kept.push(key),
            }
        }
        Self { keys: kept, before: Outside::Hold, after: Outside::Hold }
    }

    /// The same with something else outside.
    #[must_use]
    pub fn with_outside(self, before: Outside, after: Outside) -> Self {
        Self { before, after, ..self }
    }

    /// The keys, in the order of time.
    pub fn keys(&self) -> &[Key<T>] {
        &self.keys
    }

    /// Before the first key, and after the last.
    pub fn outside(&self) -> (Outside, Outside) {
        (self.before, self.after)
    }

    /// Changes what is outside.
    pub fn set_outside(&mut self, before: Outside, after: Outside) {
        (self.before, self.after) = (before, after);
    }

    /// Changes keys that are there; times stay.
    pub(super) fn keys_mut(&mut self) -> &mut [Key<T>] {
        &mut self.keys
    }

    /// The value at a time, by a cursor that remembers where the last one was; `None` without keys.
    /// Times that go on cost no search.
    pub fn value_at(&self, seconds: f64, cursor: &mut u32) -> Option<T> {
        let place = self.locate(seconds, cursor)?;
        Some(self.value(place))
    }

    /// The key at or before a time, with the time brought among the keys.
    pub(super) fn locate(&self, seconds: f64, cursor: &mut u32) -> Option<Place> {
        let (first, last) = (self.keys.first()?, self.keys.last()?);
        // Not a number is where nothing has happened yet.
        let seconds = if seconds.is_nan() { first.seconds } else { seconds };
        let outside = match seconds {
            t if t < first.seconds => self.before,
            t if t > last.seconds => self.after,
            _ => return Some(self.between(seconds, 0.0, cursor)),
        };
        let period = last.seconds - first.seconds;
        if outside == Outside::Hold || period <= 0.0 || !seconds.is_finite() {
            let key = if seconds < first.seconds { 0 } else { self.keys.len() - 1 };
            return Some(Place { key, share: 0.0, cycles: 0.0 });
        }
        let cycles = ((seconds - first.seconds) / period).floor();
        if cycles.abs() > MAX_CYCLES {
            return Some(Place { key: 0, share: 0.0, cycles: 0.0 });
        }
        let within = (seconds - cycles * period).clamp(first.seconds, last.seconds);
        let cycles = if outside == Outside::CycleWithOffset { cycles } else { 0.0 };
        Some(self.between(within, cycles, cursor))
    }

    /// `seconds` lies between the first and the last key.
    fn between(&self, seconds: f64, cycles: f64, cursor: &mut u32) -> Place {
        let keys = &self.keys;
        let is_at = |at: usize| {
            keys[at].seconds <= seconds
                && keys.get(at + 1).is_none_or(|next| seconds < next.seconds)
        };
        let last = *cursor as usize;
        let key = match last {
            at if at < keys.len() && is_at(at) => at,
            at if at + 1 < keys.len() && is_at(at + 1) => at + 1,
            _ => keys.partition_point(|key| key.seconds <= seconds).saturating_sub(1),
        };
        *cursor = key as u32;
        let share = match keys.get(key + 1) {
            Some(next) if keys[key].span != Span::Step => {
                (seconds - keys[key].seconds) / (next.seconds - keys[key].seconds)
            }
            _ => 0.0,
        };
        Place { key, share, cycles }
    }

    pub(super) fn value(&self, place: Place) -> T {
        let value = self.value_between(place.key, place.share);
        if place.cycles == 0.0 {
            return value;
        }
        match (self.keys.first(), self.keys.last()) {
            (Some(first), Some(last)) => {
                T::carried_on(value, first.value, last.value, place.cycles)
            }
            _ => value,
        }
    }

    /// A share of the way from a key to the next.
    pub(super) fn value_between(&self, key: usize, share: f64) -> T {
        let from = &self.keys[key];
        let Some(to) = self.keys.get(key + 1).filter(|_| share > 0.0) else { return from.value };
        let span_seconds = to.seconds - from.seconds;
        let factors = match from.span {
            Span::Step => return from.value,
            Span::Linear => return T::mix(from.value, to.value, share),
            Span::Cubic => bezier_factors(share, span_seconds, CUBIC_REACH, CUBIC_REACH),
            Span::Bezier => {
                let (out, into) = (from.outgoing.reach, to.incoming.reach);
                bezier_factors(bezier_place(share, out, into), span_seconds, out, into)
            }
        };
        let terms = [from.value, from.outgoing.slope, to.value, to.incoming.slope];
        T::combine(terms, factors).unwrap_or(from.value)
    }
}

/// The shares of value, slope out, next value and its slope in.
fn bezier_factors(u: f64, span_seconds: f64, reach_out: f64, reach_in: f64) -> [f64; 4] {
    let v = 1.0 - u;
    let (b0, b1, b2, b3) = (v * v * v, 3.0 * v * v * u, 3.0 * v * u * u, u * u * u);
    [b0 + b1, b1 * reach_out * span_seconds, b2 + b3, -b2 * reach_in * span_seconds]
}

/// Where a Bézier curve's time is `share` of its span. Handles reach 0 to 1 of it, so that time
/// never runs back, and a bracket always holds the answer.
fn bezier_place(share: f64, reach_out: f64, reach_in: f64) -> f64 {
    let (x1, x2) = (reach_out, 1.0 - reach_in);
    let x = |u: f64| {
        let v = 1.0 - u;
        3.0 * v * v * u * x1 + 3.0 * v * u * u * x2 + u * u * u
    };
    let slope = |u: f64| {
        let v = 1.0 - u;
        3.0 * v * v * x1 + 6.0 * v * u * (x2 - x1) + 3.0 * u * u * (1.0 - x2)
    };
    let (mut low, mut high, mut u) = (0.0, 1.0, share);
    // Newton's steps double the digits; where one leaves the bracket, half of it goes.
    for _ in 0..40 {
        let error = x(u) - share;
        if error.abs() < 1e-14 {
            break;
        }
        if error > 0.0 {
            high = u;
        } else {
            low = u;
        }
        let next = u - error / slope(u);
        u = if next > low && next < high { next } else { 0.5 * (low + high) };
    }
    u
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
