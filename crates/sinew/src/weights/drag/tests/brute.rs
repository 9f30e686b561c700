//! What the solvers must find, by looking everywhere.

use glam::DVec3;

/// Gaussian elimination with full pivoting; `None` if singular.
fn solve_dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))?;
        if a[pivot][column].abs() < 1e-13 {
            return None;
        }
        a.swap(pivot, column);
        b.swap(pivot, column);
        for row in column + 1..n {
            let by = a[row][column] / a[column][column];
            let pivot_row = a[column].clone();
            for (cell, from) in a[row].iter_mut().zip(&pivot_row) {
                *cell -= by * from;
            }
            b[row] -= by * b[column];
        }
    }
    for row in (0..n).rev() {
        for k in row + 1..n {
            b[row] -= a[row][k] * b[k];
        }
        b[row] /= a[row][row];
    }
    Some(b)
}

pub(super) fn objective(gram: &[f64], linear: &[f64], weights: &[f64]) -> f64 {
    let n = weights.len();
    let row = |i: usize| -> f64 { (0..n).map(|j| gram[i * n + j] * weights[j]).sum() };
    (0..n).map(|i| weights[i] * (0.5 * row(i) - linear[i])).sum()
}

/// The least value over all sets of weights that are not nothing.
pub(super) fn least_over_supports(gram: &[f64], linear: &[f64]) -> f64 {
    let n = linear.len();
    let mut least = f64::INFINITY;
    for bits in 1u32..1 << n {
        let set: Vec<usize> = (0..n).filter(|&j| bits >> j & 1 == 1).collect();
        let m = set.len();
        let mut a = vec![vec![0.0; m + 1]; m + 1];
        let mut b = vec![0.0; m + 1];
        for (i, &from) in set.iter().enumerate() {
            for (j, &to) in set.iter().enumerate() {
                a[i][j] = gram[from * n + to];
            }
            (a[i][m], a[m][i], b[i]) = (1.0, 1.0, linear[from]);
        }
        b[m] = 1.0;
        let Some(found) = solve_dense(a, b) else { continue };
        if found[..m].iter().all(|&weight| weight >= 0.0) {
            let mut weights = vec![0.0; n];
            set.iter().zip(&found).for_each(|(&j, &weight)| weights[j] = weight);
            least = least.min(objective(gram, linear, &weights));
        }
    }
    least
}

/// The paper's own projection: onto faces, edges and corners, all of them.
pub(super) fn distance_to_hull(places: &[DVec3], goal: DVec3) -> f64 {
    let n = places.len();
    let mut least = f64::INFINITY;
    for bits in 1u32..1 << n {
        let set: Vec<DVec3> = (0..n).filter(|&j| bits >> j & 1 == 1).map(|j| places[j]).collect();
        if set.len() > 4 {
            continue;
        }
        let from = set[0];
        let arms: Vec<DVec3> = set[1..].iter().map(|&place| place - from).collect();
        let a = arms.iter().map(|x| arms.iter().map(|y| x.dot(*y)).collect()).collect();
        let b = arms.iter().map(|x| x.dot(goal - from)).collect();
        let Some(found) = solve_dense(a, b) else { continue };
        let sum: f64 = found.iter().sum();
        if sum <= 1.0 + 1e-12 && found.iter().all(|&weight| weight >= -1e-12) {
            let at = from + arms.iter().zip(&found).map(|(&arm, &w)| arm * w).sum::<DVec3>();
            least = least.min(at.distance(goal));
        }
    }
    least
}

/// The least sum of changes over all vertices of the program: a few weights free, every other one
/// where it was or nothing.
pub(super) fn least_change(places: &[DVec3], start: &[f64], reached: &[f64]) -> f64 {
    let n = places.len();
    let goal: DVec3 = places.iter().zip(reached).map(|(&place, &w)| place * w).sum();
    let mut least = f64::INFINITY;
    for bits in 0u32..1 << n {
        let free: Vec<usize> = (0..n).filter(|&j| bits >> j & 1 == 1).collect();
        let fixed: Vec<usize> = (0..n).filter(|&j| bits >> j & 1 == 0).collect();
        if free.len() > 4 {
            continue;
        }
        for zeros in 0u32..1 << fixed.len() {
            let mut weights = vec![0.0; n];
            for (at, &j) in fixed.iter().enumerate() {
                weights[j] = if zeros >> at & 1 == 1 { 0.0 } else { start[j] };
            }
            let sum: f64 = weights.iter().sum();
            let at: DVec3 = places.iter().zip(&weights).map(|(&place, &w)| place * w).sum();
            let left = goal - at;
            // Least squares over the free columns (place, one).
            let column = |j: usize| [places[j].x, places[j].y, places[j].z, 1.0];
            let right = [left.x, left.y, left.z, 1.0 - sum];
            let dot = |a: [f64; 4], b: [f64; 4]| (0..4).map(|k| a[k] * b[k]).sum::<f64>();
            let a = free
                .iter()
                .map(|&i| free.iter().map(|&j| dot(column(i), column(j))).collect())
                .collect();
            let b = free.iter().map(|&i| dot(column(i), right)).collect();
            let Some(found) = solve_dense(a, b) else { continue };
            free.iter().zip(&found).for_each(|(&j, &weight)| weights[j] = weight);
            let at: DVec3 = places.iter().zip(&weights).map(|(&place, &w)| place * w).sum();
            let is_there = at.distance(goal) < 1e-7
                && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-7
                && weights.iter().all(|&weight| weight > -1e-7);
            if is_there {
                let change = weights.iter().zip(start).map(|(w, s)| (w - s).abs()).sum();
                least = least.min(change);
            }
        }
    }
    least
}
