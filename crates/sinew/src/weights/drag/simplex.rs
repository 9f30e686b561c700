//! `min ½ wᵀG w − cᵀw` over the simplex `w ≥ 0, Σw = 1`, exactly, for a handful of weights.
//!
//! A primal active-set method: on the free weights the minimum under `Σw = 1` is two triangular
//! solves; where it leaves the simplex, the first weight that becomes nothing is fixed; where a
//! fixed one pulls inwards, it is freed. `G` is positive definite, so every step lowers the
//! objective and the number of steps is finite.

/// Joints that one point can be dragged between: more than any file was seen to have twice over.
pub(super) const MAX_JOINTS: usize = 32;

/// Multipliers below this share of the problem's size are rounding.
const MULTIPLIER_SHARE: f64 = 1e-14;

/// Moves `weights`, which must lie on the simplex, to the minimum. `gram` is row by row.
///
/// # Panics
/// If there are more than [`MAX_JOINTS`] weights, or the lengths are not theirs.
pub(super) fn minimise(gram: &[f64], linear: &[f64], weights: &mut [f64]) {
    assert_eq!(gram.len(), weights.len() * weights.len(), "a square of weights");
    assert_eq!(linear.len(), weights.len(), "one term a weight");
    match weights.len() {
        0 | 1 => {}
        2..=4 => solve::<4>(gram, linear, weights),
        5..=8 => solve::<8>(gram, linear, weights),
        9..=16 => solve::<16>(gram, linear, weights),
        _ => solve::<MAX_JOINTS>(gram, linear, weights),
    }
}

/// A second step from the weights of a first, held to them and not to the start: what the hold cost
/// in thin directions of the hull (its share over the thickness squared) is then squared. Among
/// weights that reach the same place nothing changes.
pub(super) fn refine(gram: &[f64], plain_linear: &[f64], keep: f64, weights: &mut [f64]) {
    let mut linear = [0.0; MAX_JOINTS];
    let linear = &mut linear[..weights.len()];
    for (sum, (plain, weight)) in linear.iter_mut().zip(plain_linear.iter().zip(&*weights)) {
        *sum = plain + keep * weight;
    }
    minimise(gram, linear, weights);
}

fn solve<const N: usize>(gram: &[f64], linear: &[f64], weights: &mut [f64]) {
    let n = weights.len();
    let mut free = [0usize; N];
    let mut num_free = 0;
    for (index, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            free[num_free] = index;
            num_free += 1;
        }
    }
    let size = (0..n).fold(0.0, |most: f64, j| most.max(gram[j * n + j]).max(linear[j].abs()));
    let tolerance = MULTIPLIER_SHARE * size;
    let mut is_barred = [false; N];
    let mut best = [0.0; N];
    // Each step fixes or frees one weight; more than this is rounding going in circles, and the
    // weights are a minimum but for rounding.
    for _ in 0..8 * n + 8 {
        let free_now = &free[..num_free];
        let multiplier = equality_minimum::<N>(gram, n, linear, free_now, &mut best);
        let mut step = 1.0;
        let mut blocking = None;
        for (at, &index) in free_now.iter().enumerate() {
            if best[at] <= 0.0 {
                let weight = weights[index];
                let ratio = if weight > 0.0 { weight / (weight - best[at]) } else { 0.0 };
                if ratio < step || blocking.is_none() {
                    (step, blocking) = (ratio.min(step), Some(at));
                }
            }
        }
        for (at, &index) in free_now.iter().enumerate() {
            weights[index] += step * (best[at] - weights[index]);
        }
        if let Some(at) = blocking {
            let index = free[at];
            weights[index] = 0.0;
            // One that was freed and would not move is at its bound but for rounding.
            is_barred[index] = step <= 0.0;
            free.copy_within(at + 1..num_free, at);
            num_free -= 1;
            continue;
        }
        let mut freed = None;
        let mut least = -tolerance;
        for j in 0..n {
            if is_barred[j] || free[..num_free].contains(&j) {
                continue;
            }
            let slope: f64 =
                (free[..num_free].iter()).map(|&k| gram[j * n + k] * weights[k]).sum::<f64>()
                    - linear[j]
                    + multiplier;
            if slope < least {
                (least, freed) = (slope, Some(j));
            }
        }
        let Some(index) = freed else { break };
        free[num_free] = index;
        num_free += 1;
    }
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

/// The minimum over the free weights under `Σw = 1` alone, into `best`; gives its multiplier.
fn equality_minimum<const N: usize>(
    gram: &[f64],
    n: usize,
    linear: &[f64],
    free: &[usize],
    best: &mut [f64; N],
) -> f64 {
    let m = free.len();
    let mut lower = [[0.0; N]; N];
    let mut ones = [0.0; N];
    // Factor, and solve for both right-hand sides on the way down.
    for (row, &i) in free.iter().enumerate() {
        let (above, own) = lower.split_at_mut(row);
        let own = &mut own[0];
        for (column, &j) in free[..row].iter().enumerate() {
            let mut sum = gram[i * n + j];
            for k in 0..column {
                sum -= own[k] * above[column][k];
            }
            // The diagonal holds its reciprocal: one division a column.
            own[column] = sum * above[column][column];
        }
        let mut pivot = gram[i * n + i];
        let (mut b, mut one) = (linear[i], 1.0);
        for k in 0..row {
            pivot -= own[k] * own[k];
            b -= own[k] * best[k];
            one -= own[k] * ones[k];
        }
        // Rounding may eat what the penalty adds; nothing less than the smallest share of it.
        let inverse = 1.0 / pivot.max(f64::EPSILON * gram[i * n + i]).sqrt();
        own[row] = inverse;
        best[row] = b * inverse;
        ones[row] = one * inverse;
    }
    for row in (0..m).rev() {
        for k in row + 1..m {
            best[row] -= lower[k][row] * best[k];
            ones[row] -= lower[k][row] * ones[k];
        }
        best[row] *= lower[row][row];
        ones[row] *= lower[row][row];
    }
    let of_linear: f64 = best[..m].iter().sum();
    let of_ones: f64 = ones[..m].iter().sum();
    let multiplier = (of_linear - 1.0) / of_ones;
    for (weight, one) in best[..m].iter_mut().zip(&ones) {
        *weight -= multiplier * one;
    }
    multiplier
}
