//! How much of the skeleton's acceleration the skin feels: what makes it lag.
//!
//! With `c` the velocity of the first stage, `Δ` its change from the frame before to this one, `t`
//! the frame's length, `L` how far a point may lag and `k` the stiffness where it is held least:
//!
//! ```text
//! v ← v + Δ − Δ/√(1 + (|Δ|/(a t))²)      a = L k/m
//! ```
//!
//! A point that feels nothing goes with its bone. One that feels a steady acceleration `a` lags by
//! `m a/k`, so that nothing lags by more than `L` for long: a finger of a giant does not fly off as
//! far as its belly does. What moves in an instant (a clip that begins again, a cut, a picture that
//! was dropped) is felt as `a` and no more. Small accelerations are felt as they are, and where the
//! skin comes to rest does not depend on any of it.

use glam::Vec3A;

use super::{DynamicsInput, Part, Substep};

/// The acceleration that each row feels at the most, metres a second squared.
pub(super) fn most_felt(input: &DynamicsInput<'_>, inverse_masses: &[f32]) -> Vec<f32> {
    let rows = inverse_masses.iter().zip(input.holding).zip(input.most_lags);
    rows.map(|((inverse_mass, holding), lag)| (lag * holding * inverse_mass).max(0.0)).collect()
}

impl Substep<'_> {
    /// Takes the change of the carrier's velocity into the skin's, but for what it feels.
    pub(super) fn carry(&self, part: &mut Part<'_>, frame_seconds: f32) {
        for row in 0..part.positions.len() {
            let carried = self.way(part.first + row).0 * self.frames_a_second;
            let change = carried - part.carried[row];
            let most = part.most_felt[row] * frame_seconds;
            part.velocities[row] += change - felt(change, most);
            part.carried[row] = carried;
        }
    }
}

/// `change`, softly limited to a length.
fn felt(change: Vec3A, most: f32) -> Vec3A {
    let length = change.length();
    if length <= 0.0 || !length.is_finite() || most <= 0.0 || most.is_nan() {
        return Vec3A::ZERO;
    }
    change / (1.0 + (length / most).powi(2)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_felt_as_it_is_and_much_as_no_more_than_the_most() {
        let small = felt(Vec3A::X * 0.01, 1.0);
        assert!((small.x - 0.01).abs() < 1e-5, "{small}");
        let large = felt(Vec3A::X * 1e4, 1.0);
        assert!((0.99..=1.0).contains(&large.x), "{large}");
        assert_eq!(felt(Vec3A::X, 0.0), Vec3A::ZERO);
        assert_eq!(felt(Vec3A::X, f32::INFINITY), Vec3A::X);
        assert_eq!(felt(Vec3A::NAN, 1.0), Vec3A::ZERO);
    }
}
