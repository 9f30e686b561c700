//! Springs in time: skin with mass, that lags, overshoots, jiggles and settles.
//!
//! Semi-implicit Euler with damping (Toothman and Neff 2019, end of section 3.2), over the forces of any model. A
//! frame is a number of sub-steps `h`:
//!
//! ```text
//! v ← c + e^(−2ζωh) (v − c) + h F(x + h/2 (v − c)) / m          c the velocity of the first stage, zero if none is given
//! x ← x + h v
//! ```
//!
//! Damping is against the moving body, not against the air: a character that runs steadily does not drag its skin.
//! Taking the force half a step ahead damps the quickest ripples, which no frame could show, and leaves the slow
//! swing alone.
//!
//! **Mass** is set so that the springs to the bone, `r`, swing at a chosen frequency: `m = r/ω²`, which makes the
//! look independent of resolution. **Sub-steps** follow from the bound `D` on all springs of a point (of the Hessian
//! `K`, as the solver's: the largest eigenvalue of `D⁻¹K` is at most 2). The scheme is stable for `h² 2D/m < 2`; with
//! [`SAFETY`], `h = √(0.8 min m/D)`. Points that would need more than the most sub-steps (slivers) are given more
//! mass instead, and swing more slowly.
//!
//! What stands still has exactly the static model's equilibria. Models that are not an energy's gradient (the
//! paper's), or whose bound is not one, may gain energy: speed ends at a model's length a sub-step, and a force that
//! is no number counts as none, so that positions are numbers whatever comes.

#[cfg(test)]
mod tests;

use glam::Vec3;

use crate::springs::Pin;

/// Of the longest stable sub-step squared.
const SAFETY: f32 = 0.8;

/// The frame for which the most sub-steps are meant; longer frames have more.
const NOMINAL_FRAME_SECONDS: f32 = 1.0 / 30.0;

/// A longer frame is a pause: the skin goes on from it as if it had been this long.
const MAX_FRAME_SECONDS: f32 = 0.25;

/// The least share of all its springs that is taken to bring a point back: what hangs on its neighbours alone has a
/// mass too.
const LEAST_RESTORING: f32 = 1e-3;

/// Where the forces come from.
pub(crate) trait ForceField {
    /// Writes the net force on each point, with the skeleton where it is at `fraction` (0 to 1) of the frame.
    fn force(&mut self, fraction: f32, positions: &[Vec3], out: &mut [Vec3]);
}

impl<F: FnMut(f32, &[Vec3], &mut [Vec3])> ForceField for F {
    fn force(&mut self, fraction: f32, positions: &[Vec3], out: &mut [Vec3]) {
        self(fraction, positions, out);
    }
}

/// How the skin swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DynamicsSettings {
    /// How often a second a point swings about its place on the bone.
    pub frequency_hz: f32,
    /// 0 swings on for ever, 1 comes back without passing.
    pub damping_ratio: f32,
    /// Sub-steps in a thirtieth of a second, at the most.
    pub max_substeps: u32,
}

impl Default for DynamicsSettings {
    fn default() -> Self {
        Self { frequency_hz: 3.0, damping_ratio: 0.2, max_substeps: 16 }
    }
}

/// What a model says about its springs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicsInput<'a> {
    /// At most how stiff all springs of a point are together: a bound on the Hessian's diagonal.
    pub stiffness_bounds: &'a [f32],
    /// How stiff those are that bring it back to its bone.
    pub restoring: &'a [f32],
    /// The length of the model, metres.
    pub extent: f32,
}

/// Masses and damping, bound to a model: immutable and shareable.
#[derive(Clone, Debug)]
pub(crate) struct Dynamics {
    inverse_masses: Vec<f32>,
    /// `2ζω` of each point, a second.
    damping_rates: Vec<f32>,
    max_substep_seconds: f32,
    extent: f32,
}

/// Where the skin is and how it moves.
#[derive(Clone, Debug)]
pub(crate) struct DynamicsState {
    /// Model space.
    pub positions: Vec<Vec3>,
    /// Metres a second.
    pub velocities: Vec<Vec3>,
    forces: Vec<Vec3>,
    ahead: Vec<Vec3>,
    /// What a sub-step leaves of the velocity against the carrier.
    kept: Vec<f32>,
}

/// One frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicsFrame<'a> {
    /// Seconds since the frame before.
    pub seconds: f32,
    /// The first stage of the frame before and of this one, or both empty: what the skin is damped against.
    pub carrier: [&'a [Vec3]; 2],
    /// Points that are led to a place, in a straight line.
    pub pins: &'a [Pin],
}

impl Dynamics {
    /// Finds masses and sub-steps.
    ///
    /// # Panics
    /// If the lists differ in length.
    pub(crate) fn bind(input: &DynamicsInput<'_>, settings: &DynamicsSettings) -> Self {
        assert_eq!(input.stiffness_bounds.len(), input.restoring.len(), "one of each a point");
        let omega = std::f32::consts::TAU * settings.frequency_hz.max(1e-3);
        let least_substep = NOMINAL_FRAME_SECONDS / settings.max_substeps.max(1) as f32;
        let mut max_substep_squared = NOMINAL_FRAME_SECONDS.powi(2);
        let mut inverse_masses = Vec::with_capacity(input.restoring.len());
        let mut damping_rates = Vec::with_capacity(input.restoring.len());
        for (&bound, &restoring) in input.stiffness_bounds.iter().zip(input.restoring) {
            let bound = bound.max(restoring);
            let restoring = restoring.max(LEAST_RESTORING * bound);
            let mass = (restoring / (omega * omega)).max(bound * least_substep.powi(2) / SAFETY);
            if !(mass > 0.0 && mass.is_finite()) {
                // No springs, or a bound that is none: it goes with the carrier.
                inverse_masses.push(0.0);
                damping_rates.push(2.0 * settings.damping_ratio.max(0.0) * omega);
                continue;
            }
            inverse_masses.push(1.0 / mass);
            let own_omega = (restoring / mass).sqrt();
            damping_rates.push(2.0 * settings.damping_ratio.max(0.0) * own_omega);
            max_substep_squared = max_substep_squared.min(SAFETY * mass / bound);
        }
        Self {
            inverse_masses,
            damping_rates,
            // Not below what was asked for: rounding must not add a sub-step.
            max_substep_seconds: max_substep_squared.sqrt().max(least_substep),
            extent: Some(input.extent).filter(|e| e.is_normal() && *e > 0.0).unwrap_or(1.0),
        }
    }

    /// A skin that stands still.
    ///
    /// # Panics
    /// If there is not one position a point.
    pub(crate) fn start(&self, positions: &[Vec3]) -> DynamicsState {
        let zero = vec![Vec3::ZERO; self.inverse_masses.len()];
        let mut state = DynamicsState {
            positions: zero.clone(),
            velocities: zero.clone(),
            forces: zero.clone(),
            ahead: zero,
            kept: vec![1.0; self.inverse_masses.len()],
        };
        self.restart(&mut state, positions);
        state
    }

    /// Puts a skin somewhere and stops it: at the beginning of a clip, or when a parameter has changed. Allocates
    /// nothing.
    ///
    /// # Panics
    /// If there is not one position a point.
    pub(crate) fn restart(&self, state: &mut DynamicsState, positions: &[Vec3]) {
        assert_eq!(positions.len(), state.positions.len(), "one position a point");
        for (out, &position) in state.positions.iter_mut().zip(positions) {
            *out = finite_or(position, Vec3::ZERO);
        }
        state.velocities.fill(Vec3::ZERO);
    }

    /// Sub-steps of a frame.
    pub(crate) fn num_substeps(&self, seconds: f32) -> u32 {
        // A hair off, so that a frame of exactly n sub-steps does not become n + 1.
        ((seconds / self.max_substep_seconds - 1e-4).ceil() as u32).max(1)
    }

    /// The mass of a point, if it has springs.
    pub(crate) fn mass(&self, point: usize) -> Option<f32> {
        Some(1.0 / self.inverse_masses[point]).filter(|mass| mass.is_finite())
    }

    /// Goes on by a frame; the number of sub-steps that it took. Allocates nothing.
    ///
    /// # Panics
    /// If the lists are not of as many points as were bound, or a pin names none.
    pub(crate) fn step(
        &self,
        frame: &DynamicsFrame<'_>,
        field: &mut impl ForceField,
        state: &mut DynamicsState,
    ) -> u32 {
        let num_points = self.inverse_masses.len();
        assert_eq!(state.positions.len(), num_points, "a state of these points");
        let [before, now] = frame.carrier;
        assert!(before.len() == now.len(), "both first stages, or none");
        assert!(now.is_empty() || now.len() == num_points, "a first stage of these points");
        if frame.seconds <= 0.0 || !frame.seconds.is_finite() {
            return 0;
        }
        let seconds = frame.seconds.min(MAX_FRAME_SECONDS);
        let carrier = |point: usize| match now.is_empty() {
            true => Vec3::ZERO,
            false => finite_or((now[point] - before[point]) / seconds, Vec3::ZERO),
        };
        let num_substeps = self.num_substeps(seconds);
        let h = seconds / num_substeps as f32;
        let max_speed = self.extent / h;
        for (kept, rate) in state.kept.iter_mut().zip(&self.damping_rates) {
            *kept = (-rate * h).exp();
        }
        for substep in 0..num_substeps {
            for point in 0..num_points {
                let relative = state.velocities[point] - carrier(point);
                state.ahead[point] = state.positions[point] + relative * (0.5 * h);
            }
            let fraction = (substep as f32 + 0.5) / num_substeps as f32;
            field.force(fraction, &state.ahead, &mut state.forces);
            for point in 0..num_points {
                let carried = carrier(point);
                let pushed = state.forces[point] * (self.inverse_masses[point] * h);
                let pushed = finite_or(pushed, Vec3::ZERO).clamp_length_max(max_speed);
                let velocity =
                    carried + (state.velocities[point] - carried) * state.kept[point] + pushed;
                let velocity = finite_or(velocity, Vec3::ZERO).clamp_length_max(max_speed);
                let position = state.positions[point];
                state.velocities[point] = velocity;
                state.positions[point] = finite_or(position + velocity * h, position);
            }
            let left = (num_substeps - substep) as f32;
            for pin in frame.pins.iter().filter(|pin| pin.position.is_finite()) {
                let point = pin.point as usize;
                // From where the sub-step began: its own motion is not wanted.
                let from = state.positions[point] - state.velocities[point] * h;
                let way = pin.position - from;
                state.positions[point] = from + way / left;
                state.velocities[point] = finite_or(way / (left * h), Vec3::ZERO);
            }
        }
        for pin in frame.pins.iter().filter(|pin| pin.position.is_finite()) {
            state.positions[pin.point as usize] = pin.position;
        }
        num_substeps
    }
}

/// `v`, if it can be squared and is a number.
fn finite_or(v: Vec3, otherwise: Vec3) -> Vec3 {
    if v.length_squared().is_finite() { v } else { otherwise }
}
