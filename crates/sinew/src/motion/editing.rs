//! What is done to keys that are chosen by their times.

use super::channel::Keys;
use super::keys::{Handle, Key, KeyCurve, Span, TangentMode};
use super::value::KeyValue;

/// Keys nearer than this are at the same time: far less than a frame, far more than what a sum of
/// times is off by.
pub const SAME_TIME_SECONDS: f64 = 1e-6;

/// What changes in how chosen keys go on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KeyShape {
    /// How the curve runs from each to its next.
    pub span: Option<Span>,
    /// Who decides about the slopes.
    pub tangents: Option<TangentMode>,
}

/// True if a time is among those that are chosen.
pub fn is_chosen(times_seconds: &[f64], seconds: f64) -> bool {
    times_seconds.iter().any(|time| (time - seconds).abs() <= SAME_TIME_SECONDS)
}

impl<T: KeyValue> KeyCurve<T> {
    fn with(&self, keys: Vec<Key<T>>) -> Self {
        let (before, after) = self.outside();
        Self::new(keys).with_outside(before, after).settled()
    }

    /// The same with these keys in place of any at their times.
    #[must_use]
    pub fn with_keys_set(&self, keys: &[Key<T>]) -> Self {
        let times: Vec<f64> = keys.iter().map(|key| key.seconds).collect();
        let kept = self.keys().iter().filter(|key| !is_chosen(&times, key.seconds));
        self.with(kept.chain(keys).copied().collect())
    }

    /// The same without the chosen keys.
    #[must_use]
    pub fn without_keys(&self, times: &[f64]) -> Self {
        let kept = self.keys().iter().filter(|key| !is_chosen(times, key.seconds));
        self.with(kept.copied().collect())
    }

    /// The same with the chosen keys at other times; one that comes to lie on another takes its
    /// place.
    #[must_use]
    pub fn with_keys_moved(&self, times: &[f64], to: impl Fn(f64) -> f64) -> Self {
        let (chosen, others): (Vec<Key<T>>, Vec<Key<T>>) =
            self.keys().iter().partition(|key| is_chosen(times, key.seconds));
        let moved: Vec<Key<T>> =
            chosen.into_iter().map(|key| Key { seconds: to(key.seconds), ..key }).collect();
        let places: Vec<f64> = moved.iter().map(|key| key.seconds).collect();
        let kept = others.into_iter().filter(|key| !is_chosen(&places, key.seconds));
        self.with(kept.chain(moved).collect())
    }

    /// The same with other spans and tangents at the chosen keys.
    #[must_use]
    pub fn with_keys_shaped(&self, times: &[f64], shape: KeyShape) -> Self {
        let change = |key: &Key<T>| {
            if !is_chosen(times, key.seconds) {
                return *key;
            }
            let mut key = *key;
            key.span = shape.span.unwrap_or(key.span);
            key.tangents = shape.tangents.unwrap_or(key.tangents);
            if key.tangents == TangentMode::Free {
                // Both sides are one: the way out leads.
                key.incoming.slope = key.outgoing.slope;
            }
            key
        };
        self.with(self.keys().iter().map(change).collect())
    }

    /// The same with other handles at the chosen keys, which are the user's from then on.
    #[must_use]
    pub fn with_handles(
        &self,
        times: &[f64],
        incoming: Option<Handle<T>>,
        outgoing: Option<Handle<T>>,
    ) -> Self {
        let change = |key: &Key<T>| {
            if !is_chosen(times, key.seconds) {
                return *key;
            }
            let mut key = *key;
            let is_broken = key.tangents == TangentMode::Broken;
            key.incoming = incoming.unwrap_or(key.incoming);
            key.outgoing = outgoing.unwrap_or(key.outgoing);
            if !is_broken {
                match (incoming, outgoing) {
                    (Some(incoming), None) => key.outgoing.slope = incoming.slope,
                    (None, Some(outgoing)) => key.incoming.slope = outgoing.slope,
                    _ => {}
                }
                key.tangents = if key.incoming.slope == key.outgoing.slope {
                    TangentMode::Free
                } else {
                    TangentMode::Broken
                };
            }
            key
        };
        self.with(self.keys().iter().map(change).collect())
    }
}

/// Does the same with keys of every kind.
macro_rules! of_every_kind {
    ($keys:expr, $curve:ident => $body:expr) => {
        match $keys {
            Keys::Scalar($curve) => Keys::Scalar($body),
            Keys::Vector($curve) => Keys::Vector($body),
            Keys::Rotation($curve) => Keys::Rotation($body),
        }
    };
}

impl Keys {
    /// See [`KeyCurve::with_keys_set`]; `None` if the others are of another kind.
    pub fn with_keys_set(&self, others: &Self) -> Option<Self> {
        Some(match (self, others) {
            (Self::Scalar(own), Self::Scalar(others)) => {
                Self::Scalar(own.with_keys_set(others.keys()))
            }
            (Self::Vector(own), Self::Vector(others)) => {
                Self::Vector(own.with_keys_set(others.keys()))
            }
            (Self::Rotation(own), Self::Rotation(others)) => {
                Self::Rotation(own.with_keys_set(others.keys()))
            }
            _ => return None,
        })
    }

    /// See [`KeyCurve::without_keys`].
    #[must_use]
    pub fn without_keys(&self, times: &[f64]) -> Self {
        of_every_kind!(self, curve => curve.without_keys(times))
    }

    /// See [`KeyCurve::with_keys_moved`].
    #[must_use]
    pub fn with_keys_moved(&self, times: &[f64], to: impl Fn(f64) -> f64) -> Self {
        of_every_kind!(self, curve => curve.with_keys_moved(times, &to))
    }

    /// See [`KeyCurve::with_keys_shaped`].
    #[must_use]
    pub fn with_keys_shaped(&self, times: &[f64], shape: KeyShape) -> Self {
        of_every_kind!(self, curve => curve.with_keys_shaped(times, shape))
    }
}
