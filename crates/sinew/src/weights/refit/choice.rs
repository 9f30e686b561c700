//! The best few of a point's joints, and their shares: a small quadratic programme with a limit on
//! its support.
//!
//! With `dᵢ(p)` the way from where the full weights put the point in pose p to where joint i alone
//! would, new weights w miss by `Σ wᵢ dᵢ(p)`, so that the sum of squares over the poses is `wᵀ G w`
//! with `Gᵢⱼ = Σ dᵢ·dⱼ`. It is minimised over `Σ w = 1`, `w ≥ 0` and at most n joints: joints are
//! dropped one at a time, each time the one that costs least once the others have adapted. Joints
//! that move alike make G singular; a pull to the old weights decides between them.

use crate::linalg::SmallSpd;

/// Joints that are looked at beyond the limit; a row with more loses those that move the point
/// least first.
const NUM_SPARE: usize = 8;
/// The pull to the old weights, of G's largest entry: too weak to cost accuracy, enough to choose
/// between joints that move alike.
const PULL: f64 = 1e-6;

/// The sum of products of ways, square and symmetric.
#[derive(Clone, Debug, Default)]
pub(in crate::weights) struct Gram {
    pub(super) size: usize,
    pub(super) entries: Vec<f64>,
}

impl Gram {
    pub(in crate::weights) fn new(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size] }
    }

    pub(in crate::weights) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    pub(in crate::weights) fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.entries[row * self.size + column]
    }

    /// How strong the pull to the old weights is.
    fn pull(&self) -> f64 {
        let most = (0..self.size).map(|i| self.at(i, i)).fold(0.0, f64::max);
        if most > 0.0 { PULL * most } else { 1.0 }
    }

    /// `wᵀ G w` of weights on some of the joints, and the pull to the old ones.
    fn cost(&self, chosen: &[(usize, f64)], old: &[f64]) -> f64 {
        let products =
            chosen.iter().flat_map(|&(i, a)| chosen.iter().map(move |&(j, b)| (i, j, a * b)));
        let miss = products.map(|(i, j, product)| self.at(i, j) * product).sum::<f64>().max(0.0);
        let unused: f64 = old.iter().map(|weight| weight * weight).sum();
        let moved = chosen.iter().map(|&(i, share)| (share - old[i]).powi(2) - old[i].powi(2));
        miss + self.pull() * (unused + moved.sum::<f64>())
    }
}

/// At most `limit` places in `old` and their new shares, all positive, which sum to one.
pub(in crate::weights) fn choose(gram: &Gram, old: &[f64], limit: usize) -> Vec<(usize, f64)> {
    let mut by_effect: Vec<usize> = (0..old.len()).collect();
    let effect = |i: usize| old[i] * gram.at(i, i).max(0.0).sqrt();
    // Where no joint moves the point, or none differently, the weights themselves decide.
    by_effect.sort_by(|&a, &b| {
        effect(b).total_cmp(&effect(a)).then(old[b].total_cmp(&old[a])).then(a.cmp(&b))
    });
    by_effect.truncate(limit + NUM_SPARE);
    let mut best = shares(gram, old, by_effect);
    while best.len() > limit {
        let without = |place: usize| {
            let support = best.iter().enumerate().filter(|(k, _)| *k != place);
            shares(gram, old, support.map(|(_, &(joint, _))| joint).collect())
        };
        let tried: Vec<Vec<(usize, f64)>> = (0..best.len()).map(without).collect();
        let Some(cheapest) =
            tried.into_iter().min_by(|a, b| gram.cost(a, old).total_cmp(&gram.cost(b, old)))
        else {
            break;
        };
        best = cheapest;
    }
    // Dropping one at a time can miss what cutting off finds.
    let largest = shares(gram, old, largest(old, limit));
    if gram.cost(&largest, old) < gram.cost(&best, old) { largest } else { best }
}

/// The places of the largest weights.
fn largest(old: &[f64], limit: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..old.len()).collect();
    order.sort_by(|&a, &b| old[b].total_cmp(&old[a]).then(a.cmp(&b)));
    order.truncate(limit);
    order
}

/// The best shares of these joints; those that would be negative leave, the most negative first.
fn shares(gram: &Gram, old: &[f64], mut support: Vec<usize>) -> Vec<(usize, f64)> {
    let pull = gram.pull();
    loop {
        let n = support.len();
        let mut matrix = Vec::with_capacity(n * n);
        for (row, &i) in support.iter().enumerate() {
            for (column, &j) in support.iter().enumerate() {
                matrix.push(gram.at(i, j) + if row == column { pull } else { 0.0 });
            }
        }
        let solved = SmallSpd::factor(matrix, n).map(|factor| {
            let even = factor.solve(vec![1.0; n]);
            let toward = factor.solve(support.iter().map(|&i| pull * old[i]).collect());
            // The multiplier of `Σ w = 1`.
            let rest = (1.0 - toward.iter().sum::<f64>()) / even.iter().sum::<f64>();
            toward.iter().zip(&even).map(|(t, e)| t + rest * e).collect::<Vec<f64>>()
        });
        // No factor: numbers past f64. The old weights are as good as any.
        let shares = solved.unwrap_or_else(|| {
            let sum: f64 = support.iter().map(|&i| old[i]).sum();
            support.iter().map(|&i| if sum > 0.0 { old[i] / sum } else { 1.0 / n as f64 }).collect()
        });
        let lowest = (0..n).min_by(|&a, &b| shares[a].total_cmp(&shares[b]));
        match lowest {
            Some(lowest) if shares[lowest] <= 0.0 && n > 1 => {
                support.remove(lowest);
            }
            _ => return support.into_iter().zip(shares).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gram(ways: &[[f64; 3]]) -> Gram {
        let mut gram = Gram::new(ways.len());
        for (i, a) in ways.iter().enumerate() {
            for (j, b) in ways.iter().enumerate() {
                gram.entries[i * ways.len() + j] = a.iter().zip(b).map(|(a, b)| a * b).sum();
            }
        }
        gram
    }

    #[test]
    fn of_joints_that_move_alike_one_takes_the_share_of_both() {
        // Joints 1 and 2 move alike; ways are from the target 0.4·a + 0.3·b + 0.3·b.
        let ways = [[0.6, 0.0, 0.0], [-0.4, 0.0, 0.0], [-0.4, 0.0, 0.0]];
        let chosen = choose(&gram(&ways), &[0.4, 0.3, 0.3], 2);
        assert_eq!(chosen.len(), 2);
        assert!(gram(&ways).cost(&chosen, &[0.4, 0.3, 0.3]) < 1e-6, "{chosen:?}");
        let share_of_first = chosen.iter().find(|(joint, _)| *joint == 0).unwrap().1;
        assert!((share_of_first - 0.4).abs() < 1e-4);
    }

    #[test]
    fn shares_are_positive_and_sum_to_one_whatever_the_ways() {
        for seed in 0..200_u32 {
            let number = |k: u32| f64::from((seed * 977 + k * 7919) % 1009) / 504.5 - 1.0;
            let ways: Vec<[f64; 3]> =
                (0..7).map(|k| [number(k), number(k + 50), number(k + 99)]).collect();
            let old: Vec<f64> = (0..7).map(|k| f64::from(k + 1) / 28.0).collect();
            let chosen = choose(&gram(&ways), &old, 4);
            assert!(chosen.len() <= 4);
            assert!(chosen.iter().all(|&(_, share)| share > 0.0), "{chosen:?}");
            assert!((chosen.iter().map(|c| c.1).sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn nothing_that_moves_keeps_the_largest_weights() {
        let chosen = choose(&gram(&[[0.0; 3]; 4]), &[0.1, 0.4, 0.3, 0.2], 2);
        let mut joints: Vec<usize> = chosen.iter().map(|c| c.0).collect();
        joints.sort_unstable();
        assert_eq!(joints, [1, 2]);
    }
}
