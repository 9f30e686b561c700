//! The proper rotation that carries one cloud of points onto another best.
//!
//! Of all rotations `R`, the one with the largest `Σ w·q·(R p)` is the eigenvector of the largest eigenvalue of a
//! symmetric 4 × 4 matrix made of `H = Σ w q pᵀ` (Davenport 1968, Horn 1987). It never mirrors, and flat or thin
//! clouds, where a polar decomposition fails, are no special case. The eigenvector comes from Jacobi's method.

use glam::{DMat3, DQuat};

/// Sweeps of Jacobi's method: its error squares with each, and five are enough for f64.
const MAX_SWEEPS: usize = 12;

/// The best rotation for `q_from_p = Σ w q pᵀ`, both clouds about their own centres. The identity for a zero matrix.
pub(super) fn best_rotation(q_from_p: &DMat3) -> DQuat {
    // Entry (row, column) of H, rows of the posed cloud.
    let h = q_from_p.transpose();
    let [xx, xy, xz] = h.x_axis.to_array();
    let [yx, yy, yz] = h.y_axis.to_array();
    let [zx, zy, zz] = h.z_axis.to_array();
    // In the order x, y, z, w.
    let mut a = [
        [xx - yy - zz, xy + yx, xz + zx, zy - yz],
        [xy + yx, yy - xx - zz, yz + zy, xz - zx],
        [xz + zx, yz + zy, zz - xx - yy, yx - xy],
        [zy - yz, xz - zx, yx - xy, xx + yy + zz],
    ];
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
    let [x, y, z, w] = vectors[best];
    DQuat::from_xyzw(x, y, z, w).normalize()
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
            radians in -3.14..3.14f64,
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
