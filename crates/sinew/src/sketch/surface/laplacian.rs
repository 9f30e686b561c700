//! Laplacian surface editing (Sorkine et al. 2004): each point keeps its place among its
//! neighbours, `Σ_i |L(p')_i − R_i δ_i|² / A_i`, with handles and what is outside of the region
//! held.
//!
//! Where the paper finds the local turns within the system, here they come from a first solution
//! without any (Lipman et al. 2004): the matrix is factored once a region, and a drag is
//! back-substitution twice.

use glam::{DQuat, DVec3};

use super::Patch;
use super::stars::Stars;
use crate::linalg::{NotPositive, SparseCholesky};

/// A factored region.
pub(super) struct LaplacianSystem {
    stars: Stars,
    unknowns: Vec<u32>,
    is_unknown: Vec<bool>,
    /// Points whose Laplacian counts: unknowns, and who touches one.
    rows: Vec<u32>,
    factor: SparseCholesky,
}

impl LaplacianSystem {
    pub(super) fn factor(patch: &Patch) -> Result<Self, NotPositive> {
        let stars = Stars::of(patch);
        let unknowns = patch.passive().to_vec();
        let mut is_unknown = vec![false; stars.num_points()];
        let mut row_of_point = vec![0u32; stars.num_points()];
        for (row, &point) in (0u32..).zip(&unknowns) {
            is_unknown[point as usize] = true;
            row_of_point[point as usize] = row;
        }
        let counts = |&point: &u32| {
            let around = stars.of_point(point as usize);
            is_unknown[point as usize] || around.iter().any(|&(j, _)| is_unknown[j as usize])
        };
        let rows: Vec<u32> = (0..stars.num_points() as u32).filter(counts).collect();
        // LᵀA⁻¹L, a row of L after the other.
        let mut lower = Vec::new();
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for &point in &rows {
            entries.clear();
            let point = point as usize;
            let of_unknown = |(j, value): (u32, f64)| {
                is_unknown[j as usize].then(|| (row_of_point[j as usize], value))
            };
            entries.extend(of_unknown((point as u32, stars.total(point))));
            let around = stars.of_point(point).iter().map(|&(j, weight)| (j, -weight));
            entries.extend(around.filter_map(of_unknown));
            let share = 1.0 / stars.area(point);
            for &(a, of_a) in &entries {
                for &(b, of_b) in entries.iter().filter(|&&(b, _)| b <= a) {
                    lower.push((a, b, share * of_a * of_b));
                }
            }
        }
        let factor = SparseCholesky::factor(unknowns.len(), &lower)?;
        Ok(Self { stars, unknowns, is_unknown, rows, factor })
    }

    /// Where all points of the patch go if some are somewhere: `at` has the held ones' places, and
    /// gets the others'.
    pub(super) fn solve(&self, at: &mut [DVec3]) {
        let still = vec![DQuat::IDENTITY; self.stars.num_points()];
        self.substitute(&still, at);
        let mut turns = still;
        for &point in &self.rows {
            let point = point as usize;
            turns[point] = self.stars.turn(point, at, turns[point]);
        }
        self.substitute(&turns, at);
    }

    fn substitute(&self, turns: &[DQuat], at: &mut [DVec3]) {
        let rest = self.stars.places();
        for &point in &self.unknowns {
            at[point as usize] = DVec3::ZERO;
        }
        // What each row of L still misses, taken back through its transpose.
        let mut missing = vec![DVec3::ZERO; self.stars.num_points()];
        for &point in &self.rows {
            let point = point as usize;
            let wanted = turns[point] * self.stars.laplacian(point, rest);
            let of_held = self.stars.laplacian(point, at);
            let share = 1.0 / self.stars.area(point);
            missing[point] = share * (wanted - of_held);
        }
        let mut columns = [(); 3].map(|()| Vec::with_capacity(self.unknowns.len()));
        for &point in &self.unknowns {
            // L is symmetric.
            let sum = self.stars.laplacian(point as usize, &missing);
            for (column, value) in columns.iter_mut().zip(sum.to_array()) {
                column.push(value);
            }
        }
        self.factor.solve(&mut columns);
        let [x, y, z] = &columns;
        for (row, &point) in self.unknowns.iter().enumerate() {
            debug_assert!(self.is_unknown[point as usize]);
            at[point as usize] = DVec3::new(x[row], y[row], z[row]);
        }
    }
}
