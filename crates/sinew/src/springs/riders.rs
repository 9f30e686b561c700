//! Shells that keep their shapes: one rigid frame each, fitted after the relaxation.
//!
//! What *rides* (a button, a buckle, a pouch) goes with the triangles below it: with `h` the places
//! on them that its points are tied to at rest, `h'` where those are now, and `w` the confidences,
//!
//! ```text
//! R = polar(Σ w (h' − m')(h − m)ᵀ + λ R₀)      x = m' + R (v − m)      m = Σ w h / Σ w
//! ```
//!
//! `R₀` is the turn that the first stage gives it: it settles what few samples, or samples in a
//! line, leave open. A rigid shell of several joints, which goes where the first stage puts it, has
//! its own points for samples; one of a single joint is rigid already. The turn is found by the
//! iteration of M. Müller, J. Bender, N. Chentanez and M. Macklin, *A Robust Method to Extract the
//! Rotational Part of Deformations*, MIG 2016, from `R₀`.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, Vec3};

use super::SpringFrame;
use super::order::SlotOrder;
use super::stage::Stage;
use super::tables::{RiderTables, SampleRow};
use crate::attach::shells::{ShellKind, Shells};

/// `λ` over the spread of the samples and of the shell. At .02 flat cards popped up to 21 times as
/// far as linear ones; at 1 they follow less.
const PRIOR: f64 = 0.25;

/// Steps of the iteration that a rider's turn is found by.
pub const TURN_STEPS: usize = 16;

/// All shells that keep their shapes and are not rigid by themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Riders {
    shells: Arc<[Rider]>,
    /// By rider: `m`, and `λ`.
    rests: Vec<RiderRest>,
    /// Rest points of the riders' points and samples, by rider.
    positions: Vec<Vec3>,
}

#[derive(Clone, Debug)]
struct Rider {
    /// Ascending.
    points: Vec<u32>,
    samples: Vec<Sample>,
    /// False for what goes with its own points.
    lies_on_others: bool,
}

/// A place on what is below, and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    corners: [u32; 3],
    shares: [f64; 3],
    weight: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct RiderRest {
    middle: DVec3,
    prior: f64,
}

impl Sample {
    fn at(&self, positions: &[Vec3]) -> DVec3 {
        let corner = |i: usize| self.shares[i] * positions[self.corners[i] as usize].as_dvec3();
        corner(0) + corner(1) + corner(2)
    }
}

impl Riders {
    pub(super) fn bind(shells: Option<&Shells>, positions: &[Vec3]) -> Self {
        let Some(shells) = shells else { return Self::default() };
        let mut riders = Vec::new();
        // Those that go with themselves first: the others may lie on them.
        let of_kind = |kind: ShellKind| {
            let all = 0..shells.kinds().len() as u32;
            all.filter(move |&shell| shells.kinds()[shell as usize] == kind)
        };
        for shell in of_kind(ShellKind::Rigid).chain(of_kind(ShellKind::Rider)) {
            let points = shells.components().points(shell);
            let samples: Vec<Sample> = match shells.kinds()[shell as usize] {
                ShellKind::Soft => continue,
                ShellKind::Rigid if shells.row_of(shell).is_none_or(|row| row.len() < 2) => {
                    continue;
                }
                ShellKind::Rigid => {
                    let own = |&point: &u32| Sample {
                        corners: [point; 3],
                        shares: [1.0, 0.0, 0.0],
                        weight: 1.0,
                    };
                    points.iter().map(own).collect()
                }
                ShellKind::Rider => {
                    let bridges = shells.bridges();
                    let of_point = |point: &u32| {
                        let start = bridges.partition_point(|bridge| bridge.point < *point);
                        let end = bridges.partition_point(|bridge| bridge.point <= *point);
                        bridges[start..end].iter().map(|bridge| Sample {
                            corners: bridge.corners,
                            shares: bridge.shares,
                            weight: bridge.confidence,
                        })
                    };
                    points.iter().flat_map(of_point).collect()
                }
            };
            if !samples.is_empty() {
                let lies_on_others = shells.kinds()[shell as usize] == ShellKind::Rider;
                riders.push(Rider { points: points.to_vec(), samples, lies_on_others });
            }
        }
        let rests = vec![RiderRest::default(); riders.len()];
        let mut riders = Self { shells: riders.into(), rests, positions: Vec::new() };
        riders.refit(positions);
        riders
    }

    /// Follows points at another rest. Allocates nothing.
    pub(super) fn refit(&mut self, positions: &[Vec3]) {
        if self.shells.is_empty() {
            return;
        }
        self.positions.resize(positions.len(), Vec3::ZERO);
        self.positions.copy_from_slice(positions);
        for (rider, rest) in self.shells.iter().zip(&mut self.rests) {
            let middle = middle(&rider.samples, positions);
            let spread: f64 = rider
                .samples
                .iter()
                .map(|sample| sample.weight * sample.at(positions).distance_squared(middle))
                .sum();
            // A shell that reaches far beyond its samples would make much of little.
            let weight: f64 = rider.samples.iter().map(|sample| sample.weight).sum();
            let reach = |&p: &u32| positions[p as usize].as_dvec3().distance_squared(middle);
            let own = rider.points.iter().map(reach).sum::<f64>() / rider.points.len() as f64;
            let prior = PRIOR * (spread + weight * own);
            *rest = RiderRest { middle, prior: prior.max(f64::MIN_POSITIVE) };
        }
    }

    /// What is bound, as plain arrays. Weights are over their sum, and `λ` with them: the turn is
    /// the same.
    pub(super) fn tables(&self, order: &SlotOrder) -> Vec<RiderTables> {
        let of_rider = |(rider, rest): (&Rider, &RiderRest)| {
            let weight: f64 = rider.samples.iter().map(|sample| sample.weight).sum();
            let arm = |place: DVec3| (place - rest.middle).as_vec3().to_array();
            let place = |&p: &u32| (p, arm(self.positions[p as usize].as_dvec3()));
            let sample = |sample: &Sample| SampleRow {
                corners: sample.corners,
                shares: sample.shares.map(|share| share as f32),
                weight: (sample.weight / weight) as f32,
                arm: arm(sample.at(&self.positions)),
            };
            RiderTables {
                slot: order.slot_of_point()[rider.points[0] as usize],
                prior: (rest.prior / weight) as f32,
                lies_on_others: rider.lies_on_others,
                points: rider.points.iter().map(place).collect(),
                samples: rider.samples.iter().map(sample).collect(),
            }
        };
        self.shells.iter().zip(&self.rests).map(of_rider).collect()
    }

    /// Puts the shells where the others are. What a frame holds stays.
    pub(super) fn place(
        &self,
        (stage, order): (&Stage, &SlotOrder),
        frame: &SpringFrame<'_>,
        out: &mut [Vec3],
    ) {
        for (rider, rest) in self.shells.iter().zip(&self.rests) {
            let slot = order.slot_of_point()[rider.points[0] as usize] as usize;
            let first = DQuat::from_array(stage.rotation[slot].map(f64::from)).normalize();
            let middle = middle(&rider.samples, out);
            if !middle.is_finite() {
                continue;
            }
            let mut turned = DMat3::from_quat(first) * rest.prior;
            for sample in &rider.samples {
                let here = sample.weight * (sample.at(out) - middle);
                let before = sample.at(&self.positions) - rest.middle;
                turned += DMat3::from_cols(here * before.x, here * before.y, here * before.z);
            }
            let turn = rotation(&turned, first);
            for &point in &rider.points {
                let is_free = frame.within.is_none_or(|within| within.region.is_free(point));
                let is_pinned = frame.pins.iter().any(|pin| pin.point == point);
                if is_free && !is_pinned {
                    let arm = self.positions[point as usize].as_dvec3() - rest.middle;
                    out[point as usize] = (middle + turn * arm).as_vec3();
                }
            }
        }
    }
}

/// `Σ w h / Σ w`.
fn middle(samples: &[Sample], positions: &[Vec3]) -> DVec3 {
    let weight: f64 = samples.iter().map(|sample| sample.weight).sum();
    samples.iter().map(|sample| sample.weight * sample.at(positions)).sum::<DVec3>() / weight
}

/// The rotation that is nearest to a matrix, from one that is near.
fn rotation(matrix: &DMat3, near: DQuat) -> DQuat {
    let mut turn = near;
    for _ in 0..TURN_STEPS {
        let now = DMat3::from_quat(turn);
        let [a, b, c] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let torque = now.x_axis.cross(a) + now.y_axis.cross(b) + now.z_axis.cross(c);
        let along = now.x_axis.dot(a) + now.y_axis.dot(b) + now.z_axis.dot(c);
        let step = torque / (along.abs() + f64::MIN_POSITIVE);
        let angle = step.length();
        if !angle.is_finite() || angle < 1e-12 {
            break;
        }
        turn = (DQuat::from_axis_angle(step / angle, angle) * turn).normalize();
    }
    turn
}
