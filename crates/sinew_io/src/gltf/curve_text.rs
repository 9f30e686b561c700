//! Curves of what glTF has no channels for (named controls, handles of a cage), as JSON beside what
//! they move.

use serde::{Deserialize, Serialize};
use sinew::motion::{Curve, CurveValue, Interpolation, Tangents};

/// A curve, key after key.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct CurveText<T> {
    #[serde(default)]
    pub(super) step: bool,
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<T>,
    /// Of a cubic curve: slopes in and out, a key after the other.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub(super) slopes: Vec<[T; 2]>,
}

impl<T: CurveValue> CurveText<T> {
    pub(super) fn of(curve: &Curve<T>) -> Self {
        let slopes = match &curve.interpolation {
            Interpolation::Cubic(all) => all.iter().map(|t| [t.incoming, t.outgoing]).collect(),
            Interpolation::Step | Interpolation::Linear => Vec::new(),
        };
        Self {
            step: matches!(curve.interpolation, Interpolation::Step),
            times: curve.times_seconds.clone(),
            values: curve.values.clone(),
            slopes,
        }
    }

    /// `None` for what is no curve.
    pub(super) fn curve(self, is_finite: impl Fn(&T) -> bool) -> Option<Curve<T>> {
        let Self { step, times, values, slopes } = self;
        let is_whole = times.len() == values.len()
            && (slopes.is_empty() || slopes.len() == times.len())
            && times.is_sorted_by(|a, b| a < b)
            && times.iter().all(|seconds| seconds.is_finite())
            && values.iter().chain(slopes.iter().flatten()).all(is_finite);
        if !is_whole {
            return None;
        }
        let tangents = slopes.iter().map(|&[incoming, outgoing]| Tangents { incoming, outgoing });
        Some(match (step, slopes.is_empty()) {
            (true, _) => Curve::step(times, values),
            (false, true) => Curve::linear(times, values),
            (false, false) => Curve::cubic(times, values, tangents.collect()),
        })
    }
}
