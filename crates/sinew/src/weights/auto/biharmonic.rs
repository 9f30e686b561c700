//! Bounded biharmonic weights over the surface: `min ½ wᵀ(L A⁻¹ L + K) w − kᵀw`, `0 ≤ w ≤ 1`, with
//! `K` holding a point to its nearest bone as heat does, by the square: `A (c/d²)²`. Smoother than
//! heat, and slower.
//!
//! On the surface and not in a mesh of tetrahedra, so that it cannot fail: the matrix is positive
//! definite for every input. Bounds by the alternating direction method, with one factor for all
//! joints (after Jacobson et al., *Bounded Biharmonic Weights for Real-Time Deformation*, 2011).

use crate::linalg::{Laplacian, NotPositive, SparseCholesky};

/// What leaving the bounds costs in a step, over what holds a point to its bone. Over the matrix's
/// own diagonal, which grows as meshes get finer, thirty steps ended far from the solution.
const PENALTY: f64 = 1.0;
/// Steps; most joints are within their bounds after a few.
const MOST_STEPS: usize = 30;
/// Weights that are out of bounds by no more are within.
const TOLERANCE: f64 = 2e-3;
/// Points of no area would have no smoothness: over the mean area.
const LEAST_AREA: f64 = 1e-3;

/// The factor that all joints are solved with.
pub(super) struct Bounded {
    factor: SparseCholesky,
    penalty: Vec<f64>,
}

impl Bounded {
    /// `masses` hold points to what is known of them, positive each.
    pub(super) fn of(laplacian: &Laplacian, masses: &[f64]) -> Result<Self, NotPositive> {
        let areas = laplacian.areas();
        let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
        let least = (LEAST_AREA * mean).max(f64::MIN_POSITIVE);
        let mut rows: Vec<Vec<(u32, f64)>> =
            (0..masses.len() as u32).map(|p| vec![(p, 0.0)]).collect();
        for &(a, b, weight) in laplacian.edges() {
            for (own, other) in [(a, b), (b, a)] {
                rows[own as usize][0].1 += weight;
                rows[own as usize].push((other, -weight));
            }
        }
        let mut diagonal = masses.to_vec();
        let mut lower = Vec::with_capacity(13 * masses.len());
        for (middle, row) in rows.iter().enumerate() {
            let area = areas[middle].max(least);
            for &(a, to_a) in row {
                for &(b, to_b) in row {
                    let value = to_a * to_b / area;
                    if a == b {
                        diagonal[a as usize] += value;
                    } else if a > b {
                        lower.push((a, b, value));
                    }
                }
            }
        }
        let penalty: Vec<f64> = masses.iter().map(|mass| PENALTY * mass).collect();
        let on_diagonal = diagonal.iter().zip(&penalty).enumerate();
        lower.extend(on_diagonal.map(|(row, (d, p))| (row as u32, row as u32, d + p)));
        Ok(Self { factor: SparseCholesky::factor(masses.len(), &lower)?, penalty })
    }

    /// From what pulls at each point of each joint to the joint's weights.
    pub(super) fn solve(&self, columns: &mut [Vec<f64>]) {
        let pulls = columns.to_vec();
        let zeros = || vec![vec![0.0; self.penalty.len()]; pulls.len()];
        let (mut bounded, mut owed) = (zeros(), zeros());
        for step in 0..MOST_STEPS {
            for ((column, pull), (bounded, owed)) in
                columns.iter_mut().zip(&pulls).zip(bounded.iter().zip(&owed))
            {
                for (at, value) in column.iter_mut().enumerate() {
                    *value = pull[at] + self.penalty[at] * (bounded[at] - owed[at]);
                }
            }
            self.factor.solve(columns);
            let mut most = 0.0f64;
            for (column, (bounded, owed)) in columns.iter().zip(bounded.iter_mut().zip(&mut owed)) {
                for (at, &value) in column.iter().enumerate() {
                    let wanted = (value + owed[at]).clamp(0.0, 1.0);
                    most = most.max((value - wanted).abs()).max((wanted - bounded[at]).abs());
                    owed[at] += value - wanted;
                    bounded[at] = wanted;
                }
            }
            if most < TOLERANCE && step > 0 {
                break;
            }
        }
        for (column, bounded) in columns.iter_mut().zip(bounded) {
            *column = bounded;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn weights_keep_their_bounds_hold_to_their_bones_and_sum_to_one() {
        // A strip of two by twenty points, held at both ends and a little in between.
        let points: Vec<DVec3> =
            (0..40).map(|p| DVec3::new(f64::from(p / 2), f64::from(p % 2), 0.0)).collect();
        let triangles: Vec<[u32; 3]> = (0..38)
            .map(|p| if p % 2 == 0 { [p, p + 2, p + 1] } else { [p, p + 1, p + 2] })
            .collect();
        let laplacian = Laplacian::cotangent(&points, &triangles);
        let held = |at: usize| if !(6..34).contains(&at) { 10.0 } else { 1e-4 };
        let masses: Vec<f64> = (0..40).map(held).collect();
        let bounded = Bounded::of(&laplacian, &masses).unwrap();
        let column = |joint: bool| -> Vec<f64> {
            (0..40).map(|at| if (at >= 20) == joint { masses[at] } else { 0.0 }).collect()
        };
        let mut columns = vec![column(false), column(true)];
        bounded.solve(&mut columns);
        for (at, (&a, &b)) in columns[0].iter().zip(&columns[1]).enumerate() {
            assert!((0.0..=1.0).contains(&a) && (0.0..=1.0).contains(&b));
            // Bounds act on each joint alone; rows are scaled to one afterwards.
            assert!((a + b - 1.0).abs() < 0.02, "{at}: {a} {b}");
        }
        assert!(columns[0][0] > 0.99 && columns[1][39] > 0.99);
        assert!((columns[0][19] - 0.5).abs() < 0.1, "{}", columns[0][19]);
    }
}
