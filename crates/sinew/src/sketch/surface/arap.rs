//! As rigid as possible (Sorkine and Alexa 2007): the surface that turns each point's edges as one
//! and stretches them least, with handles and what is outside of the region held.
//!
//! `Σ_i Σ_j w_ij |p'_i − p'_j − R_i (p_i − p_j)|²`, eq. 4: rotations from points, then points from
//! rotations, in turn. The matrix is factored once a region; a drag is back-substitution.

use glam::{DMat3, DQuat, DVec3};

use super::Patch;
use super::stars::Stars;
use crate::linalg::{NotPositive, SparseCholesky};

/// From the smooth start the shape settles to a hundredth of the edit within so many rounds.
const ROUNDS: usize = 12;
/// It has settled when a round moves nothing by more than this share of the edit. From the same
/// start it always does so in the same round: what is replayed has the same bits.
const SETTLED: f64 = 2e-3;

/// A factored region.
pub(super) struct ArapSystem {
    stars: Stars,
    /// Own numbers of the patch.
    unknowns: Vec<u32>,
    /// The other way; `u32::MAX` is held.
    row_of_point: Vec<u32>,
    /// Points whose edges may turn: unknowns, and who touches one.
    turning: Vec<u32>,
    factor: SparseCholesky,
}

/// How the edges around each point have turned so far.
#[derive(Clone, Debug)]
pub(super) struct Turned {
    turns: Vec<DQuat>,
    matrices: Vec<DMat3>,
    /// The longest way of what is held.
    edit: f64,
}

/// No unknown.
const HELD: u32 = u32::MAX;

impl ArapSystem {
    pub(super) fn factor(patch: &Patch) -> Result<Self, NotPositive> {
        let stars = Stars::of(patch);
        let unknowns = patch.passive().to_vec();
        let mut row_of_point = vec![HELD; stars.num_points()];
        for (row, &point) in (0u32..).zip(&unknowns) {
            row_of_point[point as usize] = row;
        }
        let mut lower = Vec::new();
        for (row, &point) in (0u32..).zip(&unknowns) {
            lower.push((row, row, stars.total(point as usize)));
            for &(j, weight) in stars.of_point(point as usize) {
                let column = row_of_point[j as usize];
                if column < row {
                    lower.push((row, column, -weight));
                }
            }
        }
        let touches = |&point: &u32| {
            let is_unknown = |point: u32| row_of_point[point as usize] != HELD;
            is_unknown(point) || stars.of_point(point as usize).iter().any(|&(j, _)| is_unknown(j))
        };
        let turning = (0..stars.num_points() as u32).filter(touches).collect();
        let factor = SparseCholesky::factor(unknowns.len(), &lower)?;
        Ok(Self { stars, unknowns, row_of_point, turning, factor })
    }

    /// Where all points of the patch go if some are somewhere: `at` has the held ones' places, and
    /// gets the others'.
    pub(super) fn solve(&self, at: &mut [DVec3]) {
        let mut turned = self.start(at);
        for _ in 0..ROUNDS {
            if self.round(at, &mut turned) <= SETTLED * turned.edit {
                break;
            }
        }
    }

    /// The smooth start, from which rounds go on.
    pub(super) fn start(&self, at: &mut [DVec3]) -> Turned {
        // The smooth start: displacements without sources.
        let rest = self.stars.places();
        let moved: Vec<DVec3> = at
            .iter()
            .zip(rest)
            .zip(&self.row_of_point)
            .map(|((at, rest), &row)| if row == HELD { *at - *rest } else { DVec3::ZERO })
            .collect();
        let edit = moved.iter().map(|by| by.length_squared()).fold(0.0, f64::max).sqrt();
        let found = self.substitute(|_| DVec3::ZERO, &moved);
        for (&point, moved) in self.unknowns.iter().zip(found) {
            at[point as usize] = rest[point as usize] + moved;
        }
        Turned {
            turns: vec![DQuat::IDENTITY; self.stars.num_points()],
            matrices: vec![DMat3::IDENTITY; self.stars.num_points()],
            edit,
        }
    }

    /// Rotations from points, and points from rotations; how far the farthest went.
    pub(super) fn round(&self, at: &mut [DVec3], turned: &mut Turned) -> f64 {
        let Turned { turns, matrices, .. } = turned;
        for &point in &self.turning {
            let point = point as usize;
            turns[point] = self.stars.turn(point, at, turns[point]);
            matrices[point] = DMat3::from_quat(turns[point]);
        }
        let rest = self.stars.places();
        let source = |point: usize| -> DVec3 {
            // Each edge turns as the mean of both of its ends.
            let (mut own, mut of_others) = (DVec3::ZERO, DVec3::ZERO);
            for &(j, weight) in self.stars.of_point(point) {
                let edge = (0.5 * weight) * (rest[point] - rest[j as usize]);
                own += edge;
                of_others += matrices[j as usize] * edge;
            }
            matrices[point] * own + of_others
        };
        let found = self.substitute(source, at);
        let mut farthest = 0.0f64;
        for (&point, place) in self.unknowns.iter().zip(found) {
            let slot = &mut at[point as usize];
            farthest = farthest.max(slot.distance_squared(place));
            *slot = place;
        }
        farthest.sqrt()
    }

    /// `L x = b` for the unknowns, the held values being what they are.
    fn substitute(&self, source: impl Fn(usize) -> DVec3, held: &[DVec3]) -> Vec<DVec3> {
        let mut columns = [(); 3].map(|()| Vec::with_capacity(self.unknowns.len()));
        for &point in &self.unknowns {
            let mut sum = source(point as usize);
            for &(j, weight) in self.stars.of_point(point as usize) {
                if self.row_of_point[j as usize] == HELD {
                    sum += weight * held[j as usize];
                }
            }
            for (column, value) in columns.iter_mut().zip(sum.to_array()) {
                column.push(value);
            }
        }
        self.factor.solve(&mut columns);
        let [x, y, z] = &columns;
        (0..self.unknowns.len()).map(|row| DVec3::new(x[row], y[row], z[row])).collect()
    }
}
