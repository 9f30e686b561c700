//! Makes a row precise: the nearest one, weighted by what it is, that sums to one and gives its
//! point back.

use glam::{DVec3, DVec4};

/// Entries below this share of the largest may change like entries of that size: a row of fewer
/// than four entries cannot be made precise by itself.
const FLOORS: [f64; 3] = [0.0, 1e-6, 1.0];

/// Changes `row` to `φ_k + a_k (λ · (c_k − x, 1))`, `a_k = |φ_k|`, so that `Σ φ = 1` and
/// `Σ φ_k c_k = x`. A row of zeros is left as it is.
pub(in super::super) fn affine_fix(
    cage_points: &[DVec3],
    point: DVec3,
    diagonal: f64,
    row: &mut [f64],
) {
    let sum: f64 = row.iter().sum();
    let largest = row.iter().fold(0.0f64, |largest, phi| largest.max(phi.abs()));
    if largest == 0.0 || !sum.is_finite() || diagonal <= 0.0 {
        return;
    }
    let arm = |k: usize| ((cage_points[k] - point) / diagonal).extend(1.0);
    for floor in FLOORS {
        let shares: Vec<f64> = row.iter().map(|phi| phi.abs().max(floor * largest)).collect();
        let mut normal = [DVec4::ZERO; 4];
        for (k, &a) in shares.iter().enumerate() {
            let r = arm(k);
            for (column, &share) in normal.iter_mut().zip(r.as_ref()) {
                *column += a * share * r;
            }
        }
        let Some(factor) = factored(normal) else { continue };
        // Each round takes off all but the condition's share of what is missing.
        for _ in 0..4 {
            let found: DVec4 = row.iter().enumerate().map(|(k, &phi)| phi * arm(k)).sum();
            let missing = DVec4::new(0.0, 0.0, 0.0, 1.0) - found;
            if missing.abs().max_element() <= f64::EPSILON {
                break;
            }
            let lambda = solved(&factor, missing);
            for (k, (phi, a)) in row.iter_mut().zip(&shares).enumerate() {
                *phi += a * lambda.dot(arm(k));
            }
        }
        return;
    }
}

/// The Cholesky factor of a symmetric matrix, row after row; `None` where a pivot has lost all but
/// a few of its digits.
fn factored(columns: [DVec4; 4]) -> Option<[[f64; 4]; 4]> {
    let mut lower = [[0.0; 4]; 4];
    let size = (0..4).fold(0.0f64, |size, i| size.max(columns[i][i]));
    for row in 0..4 {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let left = columns[column][row] - known;
            if row != column {
                lower[row][column] = left / lower[column][column];
            } else if left > 1e-11 * size {
                lower[row][row] = left.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(lower)
}

fn solved(lower: &[[f64; 4]; 4], b: DVec4) -> DVec4 {
    let mut x = b.to_array();
    for row in 0..4 {
        let known: f64 = (0..row).map(|k| lower[row][k] * x[k]).sum();
        x[row] = (x[row] - known) / lower[row][row];
    }
    for row in (0..4).rev() {
        let known: f64 = (row + 1..4).map(|k| lower[k][row] * x[k]).sum();
        x[row] = (x[row] - known) / lower[row][row];
    }
    DVec4::from_array(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_any_four_handles_becomes_precise_and_keeps_its_shape() {
        let handles = [
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            DVec3::new(2.0, 3.0, 1.0),
            DVec3::new(-1.0, 0.5, 2.0),
        ];
        let point = DVec3::new(0.3, 0.4, 0.2);
        for row in [[0.3, 0.2, 0.3, 0.1, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.1; 6]] {
            let mut fixed = row;
            affine_fix(&handles, point, 4.0, &mut fixed);
            let place: DVec3 = fixed.iter().zip(handles).map(|(&phi, c)| phi * c).sum();
            assert!((fixed.iter().sum::<f64>() - 1.0).abs() < 1e-13, "{fixed:?}");
            assert!(place.distance(point) < 1e-13, "{fixed:?}");
        }
        let mut precise = [0.1, 0.3, 0.4, 0.2, 0.0, 0.0];
        let before = precise;
        affine_fix(&handles, point, 4.0, &mut precise);
        for (a, b) in precise.iter().zip(before) {
            assert!((a - b).abs() < 1e-13, "{precise:?}");
        }
    }
}
