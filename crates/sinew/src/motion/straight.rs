//! Straight lines between keys that are near enough to what they stand for.

use glam::{DQuat, DVec3};

use super::curve::CurveValue;
use super::to_clip::{JUMP_SECONDS, LENGTH_TOLERANCE, MAX_TURN_RADIANS, TURN_TOLERANCE_RADIANS};
use super::value::KeyValue;

/// Adds keys between two others.
pub(super) struct Fill<'k, S> {
    pub(super) tolerance: f64,
    pub(super) keys: &'k mut Vec<(f64, S)>,
}

impl<S: Straight> Fill<'_, S> {
    pub(super) fn between(
        &mut self,
        from: (f64, S),
        to: (f64, S),
        halvings: u32,
        value_at: &mut impl FnMut(f64) -> S,
    ) {
        if halvings == 0 || to.0 - from.0 <= JUMP_SECONDS * 1.5 {
            return;
        }
        let at = |share: f64| from.0 + (to.0 - from.0) * share;
        let middle = (at(0.5), value_at(at(0.5)));
        // A curve may cross its chord in the middle.
        let looks = [(0.25, value_at(at(0.25))), (0.5, middle.1), (0.75, value_at(at(0.75)))];
        let is_near = looks.iter().all(|(share, value)| {
            S::error(from.1, to.1, *share, *value) <= S::tolerance(self.tolerance)
        });
        if is_near && S::can_tell(from.1, to.1) {
            return;
        }
        self.between(from, middle, halvings - 1, value_at);
        self.keys.push(middle);
        self.between(middle, to, halvings - 1, value_at);
    }
}

/// What straight keys can follow.
pub(super) trait Straight: Copy {
    type Value: CurveValue;
    /// How far a value is from the line.
    fn error(from: Self, to: Self, share: f64, value: Self) -> f64;
    fn tolerance(length: f64) -> f64;
    /// True if a reader goes the same way round.
    fn can_tell(from: Self, to: Self) -> bool;
    fn values(of: impl Iterator<Item = Self>) -> Vec<Self::Value>;
}

/// A rotation, and how far its twist is unwrapped.
#[derive(Clone, Copy)]
pub(super) struct Turned {
    pub(super) rotation: DQuat,
    pub(super) twist_radians: f64,
}

impl Straight for Turned {
    type Value = DQuat;

    fn error(from: Self, to: Self, share: f64, value: Self) -> f64 {
        DQuat::mix(from.rotation, to.rotation, share).distance(value.rotation)
    }

    fn tolerance(_: f64) -> f64 {
        TURN_TOLERANCE_RADIANS
    }

    fn can_tell(from: Self, to: Self) -> bool {
        (from.twist_radians - to.twist_radians).abs() <= MAX_TURN_RADIANS
            && from.rotation.distance(to.rotation) <= MAX_TURN_RADIANS
    }

    fn values(of: impl Iterator<Item = Self>) -> Vec<DQuat> {
        let mut values: Vec<DQuat> = of.map(|turned| turned.rotation).collect();
        for index in 1..values.len() {
            values[index] = values[index].near(values[index - 1]);
        }
        values
    }
}

impl Straight for DVec3 {
    type Value = Self;

    fn error(from: Self, to: Self, share: f64, value: Self) -> f64 {
        from.lerp(to, share).distance(value)
    }

    fn tolerance(length: f64) -> f64 {
        length
    }

    fn can_tell(_: Self, _: Self) -> bool {
        true
    }

    fn values(of: impl Iterator<Item = Self>) -> Vec<Self> {
        of.collect()
    }
}

impl Straight for f64 {
    type Value = Self;

    fn error(from: Self, to: Self, share: f64, value: Self) -> f64 {
        (from + (to - from) * share - value).abs()
    }

    fn tolerance(_: f64) -> f64 {
        LENGTH_TOLERANCE
    }

    fn can_tell(_: Self, _: Self) -> bool {
        true
    }

    fn values(of: impl Iterator<Item = Self>) -> Vec<Self> {
        of.collect()
    }
}
