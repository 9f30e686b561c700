//! The proper rotation that carries one cloud of points onto another best.
//!
//! Of all rotations `R`, the one with the largest `Σ w·q·(R p)` is the eigenvector of the largest
//! eigenvalue of a symmetric 4 × 4 matrix made of `H = Σ w q pᵀ` (Davenport 1968, Horn 1987). It
//! never mirrors, and flat or thin clouds, where a polar decomposition fails, are no special case.
//! The eigenvalue comes from Newton's method on the characteristic polynomial and the vector from a
//! column of the adjugate (Theobald 2005); where two eigenvalues nearly meet and that loses its
//! digits, from Jacobi's method.

use glam::{DMat3, DQuat};

/// The adjugate's trace, over the matrix's norm cubed, below which its columns are no longer
/// trusted: at a gap between eigenvalues of 1e-4, rounding of 1e-16 in the polynomial is 1e-8 in
/// the vector.
const LEAST_ADJUGATE: f64 = 1e-4;

/// Newton's steps: from above it comes down monotonically, halving at worst and squaring its error
/// near the end.
const MAX_NEWTON_STEPS: usize = 40;

/// Sweeps of Jacobi's method: its error squares with each, and five are enough for f64.
const MAX_SWEEPS: usize = 12;

/// The best rotation for `q_from_p = Σ w q pᵀ`, both clouds about their own centres. The identity
/// for a zero matrix.
pub(super) fn best_rotation(q_from_p: &DMat3) -> DQuat {
    let a = davenport(q_from_p);
    let [x, y, z, w] = by_adjugate(&a, q_from_p.determinant()).unwrap_or_else(|| by_jacobi(a));
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// The symmetric matrix whose quadratic form of a quaternion is its rotation's fit, in the order x,
/// y, z, w.
fn davenport(q_from_p: &DMat3) -> [[f64; 4]; 4] {
    // Entry (row, column) of H, rows of the posed cloud.
    let h = q_from_p.transpose();
    let [xx, xy, xz] = h.x_axis.to_array();
    let [yx, yy, yz] = h.y_axis.to_array();
    let [zx, zy, zz] = h.z_axis.to_array();
    [
        [xx - yy - zz, xy + yx, xz + zx, zy - yz],
        [xy + yx, yy - xx - zz, yz + zy, xz - zx],
        [xz + zx, yz + zy, zz - xx - yy, yx - xy],
        [zy - yz, xz - zx, yx - xy, xx + yy + zz],
    ]
}

/// The largest eigenvector, not normalised; `None` where the largest two eigenvalues are too near.
fn by_adjugate(a: &[[f64; 4]; 4], determinant_of_h: f64) -> Option<[f64; 4]> {
    let norm_squared: f64 = a.iter().flatten().map(|x| x * x).sum();
    let norm = norm_squared.sqrt();
    // λ⁴ + c2·λ² + c1·λ + c0 without a cubic term, the trace being zero.
    let c2 = -0.5 * norm_squared;
    let c1 = -8.0 * determinant_of_h;
    let c0 = adjugate_column(a, 0).iter().zip(a[0]).map(|(x, y)| x * y).sum::<f64>();
    let mut lambda = norm;
    for _ in 0..MAX_NEWTON_STEPS {
        let squared = lambda * lambda;
        let value = (squared + c2) * squared + c1 * lambda + c0;
        let slope = (4.0 * squared + 2.0 * c2) * lambda + c1;
        if slope <= 0.0 {
            break;
        }
        let step = value / slope;
        lambda -= step;
        if step.abs() <= 1e-15 * norm {
            break;
        }
    }
    let mut shifted = *a;
    for (k, row) in shifted.iter_mut().enumerate() {
        row[k] -= lambda;
    }
    // The adjugate is a multiple of v vᵀ: the column with the largest diagonal entry has the most
    // digits.
    let columns: [[f64; 4]; 4] = std::array::from_fn(|k| adjugate_column(&shifted, k));
    let mut best = 0;
    for k in 1..4 {
        if columns[k][k].abs() > columns[best][best].abs() {
            best = k;
        }
    }
    (columns[best][best].abs() > LEAST_ADJUGATE * norm * norm_squared).then_some(columns[best])
}

/// Column `k` of the adjugate of a symmetric matrix: the cofactors of its row `k`.
fn adjugate_column(a: &[[f64; 4]; 4], k: usize) -> [f64; 4] {
    let others = |k: usize| -> [usize; 3] { std::array::from_fn(|i| i + usize::from(i >= k)) };
    let [r0, r1, r2] = others(k).map(|row| a[row]);
    std::array::from_fn(|column| {
        let [x, y, z] = others(column);
        let minor = r0[x] * (r1[y] * r2[z] - r1[z] * r2[y])
            - r0[y] * (r1[x] * r2[z] - r1[z] * r2[x])
            + r0[z] * (r1[x] * r2[y] - r1[y] * r2[x]);
        if (k + column).is_multiple_of(2) { minor } else { -minor }
    })
}

/// The largest eigenvector, whatever the matrix.
fn by_jacobi(mut a: [[f64; 4]; 4]) -> [f64; 4] {
    let mut vectors = [[0.0; 4]; 4];
    for (k, row) in vectors.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    let size: f64 = a.iter().flatten().map(|x| x * x).sum();
    for _ in 0..MAX_SWEEPS {
        let off: f64 =
            (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        if off <= 1e-30 * size {
            break;
        }
        for p in 0..3 {
            for q in p + 1..4 {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let mut best = 3;
    for k in 0..3 {
        if a[k][k] > a[best][best] {
            best = k;
        }
    }
    vectors[best]
}

/// Brings entry (p, q) to zero; `vectors` keeps an eigenvector a row.
fn rotate(a: &mut [[f64; 4]; 4], vectors: &mut [[f64; 4]; 4], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..4 {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        (vectors[p][k], vectors[q][k]) =
            (c * vectors[p][k] - s * vectors[q][k], s * vectors[p][k] + c * vectors[q][k]);
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;

    fn outer(q: DVec3, p: DVec3) -> DMat3 {
        DMat3::from_cols(q * p.x, q * p.y, q * p.z)
    }

    proptest! {
        #[test]
        fn a_turned_cloud_gives_back_its_turn(
            axis in prop::array::uniform3(-1.0..1.0f64),
            radians in -3.1..3.1f64,
            flat in prop::bool::ANY,
        ) {
            let axis = DVec3::from(axis);
            prop_assume!(axis.length() > 0.1);
            let turn = DQuat::from_axis_angle(axis.normalize(), radians);
            let cloud = [(1.0, 0.2, 0.0), (-0.4, 1.0, 0.3), (-0.6, -1.2, -0.3)];
            let h = cloud.iter().fold(DMat3::ZERO, |h, &(x, y, z)| {
                let p = DVec3::new(x, y, if flat { 0.0 } else { z });
                h + outer(turn * p, p)
            });
            prop_assert!(best_rotation(&h).dot(turn).abs() > 1.0 - 1e-12);
        }
    }

    proptest! {
        #[test]
        fn both_ways_to_the_eigenvector_agree(h in prop::array::uniform9(-1.0..1.0f64)) {
            let h = DMat3::from_cols_array(&h);
            let a = davenport(&h);
            if let Some(fast) = by_adjugate(&a, h.determinant()) {
                let [fast, slow] = [fast, by_jacobi(a)].map(|v| DQuat::from_array(v).normalize());
                prop_assert!(fast.dot(slow).abs() > 1.0 - 1e-12);
            }
        }
    }

    #[test]
    fn a_cloud_without_a_best_rotation_gets_one_of_the_best() {
        // On a line every turn about it is as good; mirrored, the largest two eigenvalues meet.
        let line = outer(DVec3::Y, DVec3::X);
        assert!((best_rotation(&line) * DVec3::X).distance(DVec3::Y) < 1e-12);
        assert!(best_rotation(&-DMat3::IDENTITY).is_normalized());
    }

    #[test]
    fn a_mirrored_cloud_gets_a_rotation_all_the_same() {
        let h = DMat3::from_diagonal(DVec3::new(2.0, 1.5, -1.0));
        assert!(best_rotation(&h).dot(DQuat::IDENTITY).abs() > 1.0 - 1e-12);
    }

    #[test]
    fn no_cloud_at_all_is_not_turned() {
        assert_eq!(best_rotation(&DMat3::ZERO), DQuat::IDENTITY);
    }
}
