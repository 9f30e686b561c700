//! Springs in time: skin with mass, that lags, overshoots, jiggles and settles.
//!
//! Semi-implicit Euler with damping (Toothman and Neff 2019, end of section 3.2), over the forces
//! of any model. A frame is a number of sub-steps `h`:
//!
//! ```text
//! v ← c + e^(−2ζωh) (v − c) + h F(x + h/2 (v − c) + (1 − t)Δ) / m     Δ the way of the first stage in the frame, c its velocity
//! x ← x + h v                                                          t the share of the frame that has passed
//! ```
//!
//! The forces are the new frame's, seen from where the first stage will have carried the point: it
//! moves in a straight line over the sub-steps. Damping is against the moving body, not against the
//! air: a character that runs steadily does not drag its skin. Taking the force half a step ahead
//! damps the quickest ripples, which no frame could show, and leaves the slow swing alone.
//!
//! **Mass** is set so that the springs to the bone, `r`, swing at a chosen frequency: `m = r/ω²`,
//! which makes the look independent of resolution. **Sub-steps** follow from the bound `D` on all
//! springs of a point (of the Hessian `K`, as the solver's: the largest eigenvalue of `D⁻¹K` is at
//! most 2). The scheme is stable for `h² 2D/m < 2`; with [`SAFETY`], `h = √(0.8 min m/D)`. Points
//! that would need more than the most sub-steps (slivers) are given more mass instead, and swing
//! more slowly.
//!
//! **Inertia** is felt up to a limit that comes from how far a point may lag ([`inertia`]).
//!
//! What stands still has exactly the static model's equilibria. Models that are not an energy's
//! gradient (the paper's), or whose bound is not one, may gain energy: speed ends at a model's
//! length a sub-step, and a force that is no number counts as none, so that positions are numbers
//! whatever comes.

mod inertia;
mod settings;
#[cfg(test)]
mod tests;

pub use settings::DynamicsSettings;

use glam::{Vec3, Vec3A};
use rayon::prelude::*;

use crate::springs::Pin;

/// Of the longest stable sub-step squared.
const SAFETY: f32 = 0.8;

/// The frame for which the most sub-steps are meant; longer frames have more.
const NOMINAL_FRAME_SECONDS: f32 = 1.0 / 30.0;

/// A longer frame is a pause: the skin goes on from it as if it had been this long.
const MAX_FRAME_SECONDS: f32 = 0.25;

/// The least share of all its springs that is taken to bring a point back: what hangs on its
/// neighbours alone has a mass too.
const LEAST_RESTORING: f32 = 1e-3;

/// Rows that a thread takes at a time.
const ROWS_A_TASK: usize = 2048;

/// From this many rows on a second thread pays.
const PARALLEL_ROWS: usize = 12_000;

/// A place or a force; the fourth float means nothing.
pub(crate) type Row = [f32; 4];

/// Where the forces come from.
pub(crate) trait ForceField {
    /// Writes the net force on each point, with the skeleton where it is at the end of the frame.
    fn force(&mut self, positions: &[Row], out: &mut [Row]);
}

impl<F: FnMut(&[Row], &mut [Row])> ForceField for F {
    fn force(&mut self, positions: &[Row], out: &mut [Row]) {
        self(positions, out);
    }
}

/// What a model says about its springs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicsInput<'a> {
    /// At most how stiff all springs of a point are together: a bound on the Hessian's diagonal.
    pub stiffness_bounds: &'a [f32],
    /// How stiff those are that bring it back to its bone.
    pub restoring: &'a [f32],
    /// The same where they hold it least: across or along its arm.
    pub holding: &'a [f32],
    /// How far each may lag behind its bone, metres.
    pub most_lags: &'a [f32],
    /// The length of the model, metres.
    pub extent: f32,
}

/// Masses and damping, bound to a model: immutable and shareable.
#[derive(Clone, Debug)]
pub(crate) struct Dynamics {
    inverse_masses: Vec<f32>,
    /// `2ζω` of each point, a second.
    damping_rates: Vec<f32>,
    /// The acceleration that each point feels at the most.
    most_felt: Vec<f32>,
    max_substep_seconds: f32,
    extent: f32,
}

/// Where the skin is and how it moves, in the order of the rows that were bound.
#[derive(Clone, Debug)]
pub(crate) struct DynamicsState {
    /// Model space.
    pub positions: Vec<Vec3A>,
    /// Metres a second.
    pub velocities: Vec<Vec3A>,
    /// The carrier's, in the frame before.
    carried: Vec<Vec3A>,
    /// Of this frame: 0 holds a row to its carrier. Reset by [`Dynamics::free_all`].
    inverse_masses: Vec<f32>,
    forces: Vec<Row>,
    ahead: Vec<Row>,
    /// What a sub-step of `kept_seconds` leaves of the velocity against the carrier.
    kept: Vec<f32>,
    kept_seconds: f32,
}

impl DynamicsState {
    /// True for what goes with its carrier.
    pub(crate) fn is_held(&self, row: usize) -> bool {
        self.inverse_masses[row] == 0.0
    }
}

/// One frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicsFrame<'a> {
    /// Seconds since the frame before.
    pub seconds: f32,
    /// The first stage of the frame before and of this one, or both empty: what the skin is carried
    /// by and damped against.
    pub carrier: [&'a [Row]; 2],
    /// Points that are led to a place, in a straight line.
    pub pins: &'a [Pin],
    /// The row of each point; empty if they are the same.
    pub row_of_point: &'a [u32],
}

impl DynamicsFrame<'_> {
    /// Those that lead their points; soft ones are among the forces.
    fn led_pins(&self) -> impl Iterator<Item = &Pin> {
        self.pins.iter().filter(|pin| pin.is_exact() && pin.position.is_finite())
    }

    fn row(&self, point: u32) -> usize {
        self.row_of_point.get(point as usize).map_or(point, |&row| row) as usize
    }
}

/// A sub-step, the same for all rows.
struct Substep<'a> {
    carrier: [&'a [Row]; 2],
    frames_a_second: f32,
    seconds: f32,
    max_speed: f32,
    /// Shares of the frame that are left when it begins and when it has ended.
    left: [f32; 2],
}

/// Some rows, beginning with the first.
struct Part<'a> {
    first: usize,
    positions: &'a mut [Vec3A],
    velocities: &'a mut [Vec3A],
    carried: &'a mut [Vec3A],
    ahead: &'a mut [Row],
    most_felt: &'a [f32],
    forces: &'a [Row],
    kept: &'a [f32],
    inverse_masses: &'a [f32],
}

impl Substep<'_> {
    /// How far the frame carries a row, and where to.
    #[inline(always)]
    fn way(&self, row: usize) -> (Vec3A, Vec3A) {
        let [before, now] = self.carrier;
        let (Some(&before), Some(&now)) = (before.get(row), now.get(row)) else {
            return (Vec3A::ZERO, Vec3A::NAN);
        };
        let now = from_row(now);
        (finite_or(now - from_row(before), Vec3A::ZERO), now)
    }

    /// Where the forces see a row, with the skeleton at the end of the frame.
    #[inline(always)]
    fn look_ahead(&self, position: Vec3A, velocity: Vec3A, way: Vec3A, left: f32) -> Row {
        let relative = velocity - way * self.frames_a_second;
        to_row(position + relative * (0.5 * self.seconds) + way * left)
    }

    /// Places for the first forces of a frame.
    fn look(&self, part: &mut Part<'_>) {
        for row in 0..part.positions.len() {
            let (way, _) = self.way(part.first + row);
            part.ahead[row] =
                self.look_ahead(part.positions[row], part.velocities[row], way, self.left[0]);
        }
    }

    /// Speeds, places, and places for the next forces.
    fn advance(&self, part: &mut Part<'_>) {
        let max_speed_squared = self.max_speed * self.max_speed;
        for row in 0..part.positions.len() {
            let (way, now) = self.way(part.first + row);
            let carried = way * self.frames_a_second;
            let inverse_mass = part.inverse_masses[row];
            let position = part.positions[row];
            let (velocity, position) = if inverse_mass > 0.0 {
                let pushed = from_row(part.forces[row]) * (inverse_mass * self.seconds);
                let pushed = limited(pushed, self.max_speed, max_speed_squared);
                let relative = (part.velocities[row] - carried) * part.kept[row];
                // Against the body: one that is moved far in an instant takes its skin along.
                let velocity =
                    carried + limited(relative + pushed, self.max_speed, max_speed_squared);
                (velocity, finite_or(position + velocity * self.seconds, position))
            } else {
                // From where it ends, so that roundings do not add up.
                (carried, finite_or(now - way * self.left[1], position))
            };
            part.velocities[row] = velocity;
            part.positions[row] = position;
            part.ahead[row] = self.look_ahead(position, velocity, way, self.left[1]);
        }
    }
}

impl Dynamics {
    /// Finds masses and sub-steps.
    ///
    /// # Panics
    /// If the lists differ in length.
    pub(crate) fn bind(input: &DynamicsInput<'_>, settings: &DynamicsSettings) -> Self {
        let num_rows = input.restoring.len();
        assert_eq!(input.stiffness_bounds.len(), num_rows, "one bound a point");
        assert_eq!(input.holding.len(), num_rows, "one stiffness a point");
        assert_eq!(input.most_lags.len(), num_rows, "one way a point");
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
            most_felt: inertia::most_felt(input, &inverse_masses),
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
    /// If there is not one position a row.
    pub(crate) fn start(&self, positions: impl ExactSizeIterator<Item = Vec3>) -> DynamicsState {
        let num_rows = self.inverse_masses.len();
        let mut state = DynamicsState {
            positions: vec![Vec3A::ZERO; num_rows],
            velocities: vec![Vec3A::ZERO; num_rows],
            carried: vec![Vec3A::ZERO; num_rows],
            inverse_masses: self.inverse_masses.clone(),
            forces: vec![[0.0; 4]; num_rows],
            ahead: vec![[0.0; 4]; num_rows],
            kept: vec![1.0; num_rows],
            kept_seconds: 0.0,
        };
        self.restart(&mut state, positions);
        state
    }

    /// Puts a skin somewhere and stops it: at the beginning of a clip, or when a parameter has
    /// changed. Allocates nothing.
    ///
    /// # Panics
    /// If there is not one position a row.
    pub(crate) fn restart(
        &self,
        state: &mut DynamicsState,
        positions: impl ExactSizeIterator<Item = Vec3>,
    ) {
        assert_eq!(positions.len(), state.positions.len(), "one position a row");
        for (out, position) in state.positions.iter_mut().zip(positions) {
            *out = finite_or(position.into(), Vec3A::ZERO);
        }
        state.velocities.fill(Vec3A::ZERO);
        state.carried.fill(Vec3A::ZERO);
    }

    /// Ends what [`Self::hold`] and [`Self::burden`] did.
    pub(crate) fn free_all(&self, state: &mut DynamicsState) {
        state.inverse_masses.copy_from_slice(&self.inverse_masses);
    }

    /// Holds a row to its carrier.
    pub(crate) fn hold(&self, state: &mut DynamicsState, row: usize) {
        state.inverse_masses[row] = 0.0;
    }

    /// Gives a row as many times its mass: for springs that are as many times stiffer than the
    /// bound that was given.
    pub(crate) fn burden(&self, state: &mut DynamicsState, row: usize, times: f32) {
        state.inverse_masses[row] = self.inverse_masses[row] / times.max(1.0);
    }

    /// Sub-steps of a frame.
    pub(crate) fn num_substeps(&self, seconds: f32) -> u32 {
        // A hair off, so that a frame of exactly n sub-steps does not become n + 1.
        ((seconds / self.max_substep_seconds - 1e-4).ceil() as u32).max(1)
    }

    /// True if a second thread pays.
    pub(crate) fn is_parallel(&self) -> bool {
        self.inverse_masses.len() >= PARALLEL_ROWS && rayon::current_num_threads() > 1
    }

    /// Goes on by a frame; the number of sub-steps that it took. Allocates nothing.
    ///
    /// # Panics
    /// If the lists are not of as many rows as were bound, or a pin names none.
    pub(crate) fn step(
        &self,
        frame: &DynamicsFrame<'_>,
        field: &mut impl ForceField,
        state: &mut DynamicsState,
    ) -> u32 {
        let num_rows = self.inverse_masses.len();
        assert_eq!(state.positions.len(), num_rows, "a state of these rows");
        let [before, now] = frame.carrier;
        assert!(before.len() == now.len(), "both first stages, or none");
        assert!(now.is_empty() || now.len() == num_rows, "a first stage of these rows");
        if frame.seconds <= 0.0 || !frame.seconds.is_finite() {
            return 0;
        }
        let seconds = frame.seconds.min(MAX_FRAME_SECONDS);
        let num_substeps = self.num_substeps(seconds);
        let h = seconds / num_substeps as f32;
        if state.kept_seconds != h {
            state.kept_seconds = h;
            for (kept, rate) in state.kept.iter_mut().zip(&self.damping_rates) {
                *kept = (-rate * h).exp();
            }
        }
        let parallel = self.is_parallel();
        let left = |done: u32| (num_substeps - done) as f32 / num_substeps as f32;
        for index in 0..num_substeps {
            let substep = Substep {
                carrier: frame.carrier,
                frames_a_second: 1.0 / seconds,
                seconds: h,
                max_speed: self.extent / h,
                left: [left(index), left(index + 1)],
            };
            if index == 0 {
                state.for_each_part(&self.most_felt, parallel, |part| {
                    substep.carry(part, seconds);
                    substep.look(part);
                });
            }
            field.force(&state.ahead, &mut state.forces);
            state.for_each_part(&self.most_felt, parallel, |part| substep.advance(part));
            let substeps_left = (num_substeps - index) as f32;
            for pin in frame.led_pins() {
                let row = frame.row(pin.point);
                // From where the sub-step began: its own motion is not wanted.
                let from = state.positions[row] - state.velocities[row] * h;
                let way = Vec3A::from(pin.position) - from;
                let position = from + way / substeps_left;
                let velocity = finite_or(way / (substeps_left * h), Vec3A::ZERO);
                (state.positions[row], state.velocities[row]) = (position, velocity);
                let (carried, _) = substep.way(row);
                state.ahead[row] = substep.look_ahead(position, velocity, carried, substep.left[1]);
            }
        }
        for pin in frame.led_pins() {
            let row = frame.row(pin.point);
            state.positions[row] = pin.position.into();
            // Until the next frame: it is where it was put.
            state.inverse_masses[row] = 0.0;
        }
        num_substeps
    }
}

impl DynamicsState {
    /// Runs over all rows. Each is by itself, so the bits are the same with any number of threads.
    fn for_each_part(
        &mut self,
        most_felt: &[f32],
        parallel: bool,
        run: impl Fn(&mut Part<'_>) + Sync,
    ) {
        if !parallel {
            run(&mut Part {
                first: 0,
                positions: &mut self.positions,
                velocities: &mut self.velocities,
                carried: &mut self.carried,
                ahead: &mut self.ahead,
                most_felt,
                forces: &self.forces,
                kept: &self.kept,
                inverse_masses: &self.inverse_masses,
            });
            return;
        }
        let parts = (
            self.positions.par_chunks_mut(ROWS_A_TASK),
            self.velocities.par_chunks_mut(ROWS_A_TASK),
            self.carried.par_chunks_mut(ROWS_A_TASK),
            self.ahead.par_chunks_mut(ROWS_A_TASK),
            most_felt.par_chunks(ROWS_A_TASK),
            self.forces.par_chunks(ROWS_A_TASK),
            self.kept.par_chunks(ROWS_A_TASK),
            self.inverse_masses.par_chunks(ROWS_A_TASK),
        );
        parts.into_par_iter().enumerate().for_each(
            |(
                task,
                (positions, velocities, carried, ahead, most_felt, forces, kept, inverse_masses),
            )| {
                let first = task * ROWS_A_TASK;
                run(&mut Part {
                    first,
                    positions,
                    velocities,
                    carried,
                    ahead,
                    most_felt,
                    forces,
                    kept,
                    inverse_masses,
                });
            },
        );
    }
}

/// Of the first three floats.
#[inline(always)]
pub(crate) fn from_row([x, y, z, _]: Row) -> Vec3A {
    Vec3A::new(x, y, z)
}

/// With a fourth float of 0.
#[inline(always)]
pub(crate) fn to_row(v: Vec3A) -> Row {
    v.extend(0.0).to_array()
}

/// `v`, if it can be squared and is a number.
#[inline(always)]
fn finite_or(v: Vec3A, otherwise: Vec3A) -> Vec3A {
    if v.length_squared().is_finite() { v } else { otherwise }
}

/// `v`, not longer than `max`; zero if it is no number.
#[inline(always)]
fn limited(v: Vec3A, max: f32, max_squared: f32) -> Vec3A {
    let squared = v.length_squared();
    if squared <= max_squared {
        v
    } else if squared.is_finite() {
        v * (max / squared.sqrt())
    } else {
        Vec3A::ZERO
    }
}
