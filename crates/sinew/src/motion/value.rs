//! What keys hold: numbers, vectors and rotations, and the little that curves need to know of them.

use glam::{DQuat, DVec3};

use super::curve::CurveValue;

/// A value that keys can hold.
pub trait KeyValue: CurveValue + PartialEq {
    /// The slope of what does not change.
    const LEVEL: Self;

    /// True if all of its numbers are.
    fn is_finite(self) -> bool;

    /// A value of the first cycle, `cycles` further on.
    fn carried_on(value: Self, first: Self, last: Self, cycles: f64) -> Self;

    /// The slope at a key between two others, each with the seconds to it: smooth, and, for what
    /// has an order, level at the highest and lowest and never past a neighbour.
    fn smooth_slope(before: (f64, Self), at: Self, after: (f64, Self)) -> Self;

    /// The slope from one value to another.
    fn slope(from: Self, to: Self, seconds: f64) -> Self;

    /// A slope times a number.
    fn times(self, factor: f64) -> Self;

    /// The same value, written so that it is nearest to another: `−q` is `q`.
    #[must_use]
    fn near(self, other: Self) -> Self;

    /// How far two values are apart: radians, metres or plain numbers.
    fn distance(self, other: Self) -> f64;
}

/// After Fritsch and Carlson: the weighted harmonic mean of both secants, level where they
/// disagree.
fn monotone_slope((before_s, before): (f64, f64), at: f64, (after_s, after): (f64, f64)) -> f64 {
    let (left, right) = ((at - before) / before_s, (after - at) / after_s);
    // Not where the product underflows.
    if left == 0.0 || right == 0.0 || (left < 0.0) != (right < 0.0) {
        return 0.0;
    }
    let (w_left, w_right) = (2.0 * after_s + before_s, after_s + 2.0 * before_s);
    (w_left + w_right) / (w_left / left + w_right / right)
}

impl KeyValue for f64 {
    const LEVEL: Self = 0.0;

    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }

    fn carried_on(value: Self, first: Self, last: Self, cycles: f64) -> Self {
        value + cycles * (last - first)
    }

    fn smooth_slope(before: (f64, Self), at: Self, after: (f64, Self)) -> Self {
        monotone_slope(before, at, after)
    }

    fn slope(from: Self, to: Self, seconds: f64) -> Self {
        (to - from) / seconds
    }

    fn times(self, factor: f64) -> Self {
        self * factor
    }

    fn near(self, _: Self) -> Self {
        self
    }

    fn distance(self, other: Self) -> f64 {
        (self - other).abs()
    }
}

impl KeyValue for DVec3 {
    const LEVEL: Self = Self::ZERO;

    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }

    fn carried_on(value: Self, first: Self, last: Self, cycles: f64) -> Self {
        value + cycles * (last - first)
    }

    fn smooth_slope(before: (f64, Self), at: Self, after: (f64, Self)) -> Self {
        let of = |axis: usize| {
            monotone_slope((before.0, before.1[axis]), at[axis], (after.0, after.1[axis]))
        };
        Self::new(of(0), of(1), of(2))
    }

    fn slope(from: Self, to: Self, seconds: f64) -> Self {
        (to - from) / seconds
    }

    fn times(self, factor: f64) -> Self {
        self * factor
    }

    fn near(self, _: Self) -> Self {
        self
    }

    fn distance(self, other: Self) -> f64 {
        (self - other).length()
    }
}

impl KeyValue for DQuat {
    const LEVEL: Self = Self::from_xyzw(0.0, 0.0, 0.0, 0.0);

    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }

    fn carried_on(value: Self, first: Self, last: Self, cycles: f64) -> Self {
        let one_cycle = (last * first.inverse()).to_scaled_axis();
        Self::from_scaled_axis(one_cycle * cycles) * value
    }

    fn smooth_slope(before: (f64, Self), at: Self, after: (f64, Self)) -> Self {
        // Each number by itself: a pose that two keys hold is held between them, too.
        let (left, right) = (before.1.near(at).to_array(), after.1.near(at).to_array());
        let at = at.to_array();
        let of =
            |axis: usize| monotone_slope((before.0, left[axis]), at[axis], (after.0, right[axis]));
        Self::from_xyzw(of(0), of(1), of(2), of(3))
    }

    fn slope(from: Self, to: Self, seconds: f64) -> Self {
        (to - from) * seconds.recip()
    }

    fn times(self, factor: f64) -> Self {
        self * factor
    }

    fn near(self, other: Self) -> Self {
        if self.dot(other) < 0.0 { -self } else { self }
    }

    fn distance(self, other: Self) -> f64 {
        // By the sine of half the angle, which is exact where the arc is small.
        let half = (self.near(other) - other).length() * 0.5;
        4.0 * half.min(1.0).asin()
    }
}
