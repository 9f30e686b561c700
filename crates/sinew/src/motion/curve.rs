//! Curves: values at times, and how they run between (glTF 2.0, appendix C).
//!
//! Between keys `k` and `k+1`, `d` seconds apart, at the fraction `t` of the way, with values `v`,
//! tangents out `b` and in `a` (both per second):
//!
//! ```text
//! linear   (1−t)·v_k + t·v_k+1                     a rotation: along the shorter arc
//! cubic    (2t³−3t²+1)·v_k + d(t³−2t²+t)·b_k + (3t²−2t³)·v_k+1 + d(t³−t²)·a_k+1
//!                                                  a rotation: component by component, then made unit
//! ```

use glam::{DQuat, DVec3};

/// A value that a curve can run through.
pub trait CurveValue: Copy {
    /// `fraction` of the way from `a` to `b`.
    fn mix(a: Self, b: Self, fraction: f64) -> Self;
    /// `Σ factors[i]·terms[i]`, brought back to what is a value of this kind; `None` where there is
    /// none.
    fn combine(terms: [Self; 4], factors: [f64; 4]) -> Option<Self>;
}

impl CurveValue for DVec3 {
    fn mix(a: Self, b: Self, fraction: f64) -> Self {
        a.lerp(b, fraction)
    }

    fn combine(terms: [Self; 4], factors: [f64; 4]) -> Option<Self> {
        let [a, b, c, d] = terms;
        Some(a * factors[0] + b * factors[1] + c * factors[2] + d * factors[3])
    }
}

impl CurveValue for DQuat {
    fn mix(a: Self, b: Self, fraction: f64) -> Self {
        a.slerp(b, fraction)
    }

    fn combine(terms: [Self; 4], factors: [f64; 4]) -> Option<Self> {
        let [a, b, c, d] = terms;
        let sum = a * factors[0] + b * factors[1] + c * factors[2] + d * factors[3];
        let length = sum.length();
        (length > 1e-12 && length.is_finite()).then(|| sum / length)
    }
}

impl CurveValue for f64 {
    fn mix(a: Self, b: Self, fraction: f64) -> Self {
        a + (b - a) * fraction
    }

    fn combine(terms: [Self; 4], factors: [f64; 4]) -> Option<Self> {
        Some(terms.iter().zip(factors).map(|(term, factor)| term * factor).sum())
    }
}

impl CurveValue for f32 {
    fn mix(a: Self, b: Self, fraction: f64) -> Self {
        (f64::from(a) + (f64::from(b) - f64::from(a)) * fraction) as f32
    }

    fn combine(terms: [Self; 4], factors: [f64; 4]) -> Option<Self> {
        Some(terms.iter().zip(factors).map(|(term, factor)| f64::from(*term) * factor).sum::<f64>()
            as f32)
    }
}

/// How a curve comes to a key and leaves it, per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangents<T> {
    /// Before the key.
    pub incoming: T,
    /// The tangent after the key.
    pub outgoing: T,
}

/// How a curve runs between two keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Interpolation<T> {
    /// Holds the earlier key.
    Step,
    /// Straight between keys; rotations take the shorter arc.
    Linear,
    /// A cubic Hermite spline, with one pair of tangents a value. Where one is missing the curve is
    /// straight.
    Cubic(Vec<Tangents<T>>),
}

/// Values at times.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<T> {
    /// Seconds, ascending, one a key.
    pub times_seconds: Vec<f64>,
    /// One a key. (The weights of several shapes: one a shape a key, key after key.)
    pub values: Vec<T>,
    /// Between keys.
    pub interpolation: Interpolation<T>,
}

/// Where a time lies among keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    /// At or before the time.
    pub(super) key: usize,
    /// The share of the way to the next, in 0..1; zero if the curve holds.
    fraction: f64,
    /// Between this key and the next.
    span_seconds: f64,
}

impl<T: CurveValue> Curve<T> {
    /// Holds each key until the next.
    pub fn step(times_seconds: Vec<f64>, values: Vec<T>) -> Self {
        Self { times_seconds, values, interpolation: Interpolation::Step }
    }

    /// Straight from key to key.
    pub fn linear(times_seconds: Vec<f64>, values: Vec<T>) -> Self {
        Self { times_seconds, values, interpolation: Interpolation::Linear }
    }

    /// A cubic Hermite spline.
    pub fn cubic(times_seconds: Vec<f64>, values: Vec<T>, tangents: Vec<Tangents<T>>) -> Self {
        Self { times_seconds, values, interpolation: Interpolation::Cubic(tangents) }
    }

    /// Number of keys that have a time and a value.
    pub fn num_keys(&self) -> usize {
        self.times_seconds.len().min(self.values.len())
    }

    /// The value at a time; before the first key and after the last the curve holds. `None` without
    /// keys.
    pub fn value_at(&self, time_seconds: f64) -> Option<T> {
        let spot = self.locate(1, time_seconds)?;
        Some(self.value(spot, 1, 0))
    }

    /// The key at or before a time, and how far it is to the next, of a curve with `width` values a
    /// key; `None` without keys. Times that do not ascend give some key and a share within 0..=1,
    /// never NaN.
    pub(crate) fn locate(&self, width: usize, time_seconds: f64) -> Option<Spot> {
        let num_keys = self.times_seconds.len().min(self.values.len() / width.max(1));
        let times = &self.times_seconds[..num_keys];
        let after = times.partition_point(|&t| t <= time_seconds);
        if num_keys == 0 {
            return None;
        }
        let holds = Spot { key: after.saturating_sub(1), fraction: 0.0, span_seconds: 0.0 };
        if after == 0 || after == num_keys || matches!(self.interpolation, Interpolation::Step) {
            return Some(holds);
        }
        let (start, end) = (times[after - 1], times[after]);
        let span_seconds = end - start;
        let fraction = (time_seconds - start) / span_seconds;
        let is_between = fraction > 0.0 && fraction <= 1.0 && span_seconds.is_finite();
        Some(if is_between { Spot { key: after - 1, fraction, span_seconds } } else { holds })
    }

    /// Value number `which` of `width` at a spot that [`Self::locate`] found.
    pub(crate) fn value(&self, spot: Spot, width: usize, which: usize) -> T {
        let at = spot.key * width + which;
        if spot.fraction == 0.0 {
            return self.values[at];
        }
        let (from, to) = (self.values[at], self.values[at + width]);
        if let Interpolation::Cubic(tangents) = &self.interpolation
            && let (Some(leaving), Some(arriving)) = (tangents.get(at), tangents.get(at + width))
        {
            let factors = hermite_factors(spot.fraction, spot.span_seconds);
            let terms = [from, leaving.outgoing, to, arriving.incoming];
            // A spline of quaternions that runs through zero has no direction there.
            return T::combine(terms, factors).unwrap_or(from);
        }
        T::mix(from, to, spot.fraction)
    }
}

/// The shares of value, tangent out, next value and its tangent in.
fn hermite_factors(t: f64, span_seconds: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        2.0 * t3 - 3.0 * t2 + 1.0,
        span_seconds * (t3 - 2.0 * t2 + t),
        3.0 * t2 - 2.0 * t3,
        span_seconds * (t3 - t2),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_holds_outside_its_keys_and_runs_straight_between_them() {
        let curve = Curve::linear(vec![0.0, 1.0], vec![DVec3::ZERO, DVec3::X]);
        let x = |t| curve.value_at(t).unwrap().x;
        assert_eq!((x(-1.0), x(0.25), x(9.0)), (0.0, 0.25, 1.0));
    }

    #[test]
    fn a_stepped_curve_holds_the_earlier_key() {
        let curve = Curve::step(vec![0.0, 1.0], vec![DVec3::ZERO, DVec3::X]);
        let x = |t| curve.value_at(t).unwrap().x;
        assert_eq!((x(0.99), x(1.0)), (0.0, 1.0));
    }

    #[test]
    fn of_two_keys_at_one_time_the_later_holds_from_there() {
        let curve = Curve::linear(vec![0.0, 1.0, 1.0, 2.0], vec![0.0, 1.0, 3.0, 5.0f32]);
        let x = |t| curve.value_at(t).unwrap();
        assert_eq!((x(0.5), x(1.0), x(1.5)), (0.5, 3.0, 4.0));
    }

    #[test]
    fn a_cubic_curve_is_the_cubic_that_its_keys_were_taken_from() {
        // x(t) = t³ − 2t, x'(t) = 3t² − 2, at uneven times: tangents are per second, not per span.
        let (x, slope) = (|t: f64| t * t * t - 2.0 * t, |t: f64| 3.0 * t * t - 2.0);
        let times = vec![-1.0, 0.5, 3.0];
        let values = times.iter().map(|&t| DVec3::splat(x(t))).collect();
        let tangents = times
            .iter()
            .map(|&t| Tangents {
                incoming: DVec3::splat(slope(t)),
                outgoing: DVec3::splat(slope(t)),
            })
            .collect();
        let curve = Curve::cubic(times, values, tangents);
        for t in [-1.0, -0.7, 0.0, 0.5, 1.1, 2.9, 3.0] {
            assert!((curve.value_at(t).unwrap().y - x(t)).abs() < 1e-12, "{t}");
        }
        assert_eq!(curve.value_at(7.0).unwrap().x, x(3.0));
    }

    #[test]
    fn tangents_may_differ_on_the_two_sides_of_a_key() {
        let flat = |incoming, outgoing| Tangents { incoming, outgoing };
        let tangents = vec![flat(9.0, 1.0), flat(-3.0, 9.0)];
        let curve = Curve::cubic(vec![0.0, 2.0], vec![0.0, 0.0f32], tangents);
        // d(t³−2t²+t)·1 + d(t³−t²)·(−3) at t = ½, d = 2.
        assert!((curve.value_at(1.0).unwrap() - (0.25 + 0.75)).abs() < 1e-6);
    }

    #[test]
    fn a_cubic_rotation_is_unit_and_one_through_zero_holds_its_key() {
        let tangent = |w: f64| DQuat::from_xyzw(0.0, w, 0.0, 0.0);
        let pair = |w| Tangents { incoming: tangent(w), outgoing: tangent(w) };
        let (a, b) = (DQuat::IDENTITY, DQuat::from_rotation_y(2.0));
        let curve = Curve::cubic(vec![0.0, 1.0], vec![a, b], vec![pair(1.0), pair(0.5)]);
        assert!(curve.value_at(0.3).unwrap().is_normalized());
        let none = Tangents { incoming: a * 0.0, outgoing: a * 0.0 };
        let curve = Curve::cubic(vec![0.0, 1.0], vec![a, -a], vec![none; 2]);
        assert_eq!(curve.value_at(0.5), Some(a));
    }

    #[test]
    fn a_cubic_curve_without_its_tangents_is_straight() {
        let curve = Curve::cubic(vec![0.0, 1.0], vec![0.0, 1.0f32], Vec::new());
        assert_eq!(curve.value_at(0.25), Some(0.25));
    }

    #[test]
    fn times_that_do_not_ascend_still_give_a_value_between_the_keys() {
        let odd = [0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for pattern in 0..odd.len().pow(4) {
            let digit = |place: u32| odd[pattern / odd.len().pow(place) % odd.len()];
            let times: Vec<f64> = (0..4).map(digit).collect();
            let curve = Curve::linear(times, vec![0.0, 1.0, 0.0, 1.0f32]);
            for time_seconds in [-1.0, 0.0, 0.5, 1.0, f64::NAN] {
                let x = curve.value_at(time_seconds).unwrap();
                assert!((0.0..=1.0).contains(&x), "{:?}", curve.times_seconds);
            }
        }
    }
}
