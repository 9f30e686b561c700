//! What holds of every row that is written: weights sum to one, there are no more than the budget,
//! locked joints keep theirs to the bit.

use super::{Influence, SkinWeights};

/// Weights below this are none: what rounding of a 32-bit one is.
const LEAST_WEIGHT: f64 = 1e-7;

/// Nothing is left for free joints below this: rounding of 32-bit sums.
const LEAST_REST: f64 = 1e-6;

/// What must hold of every row after a tool has been at it.
#[derive(Clone, Debug, PartialEq)]
pub struct RowRules {
    /// The most influences of a point, from 1. Locked joints come first, even if they are more.
    pub max_influences: usize,
    /// For each joint: true if its weights stay as they are. May be shorter; the others are free.
    pub locked: Vec<bool>,
}

impl Default for RowRules {
    fn default() -> Self {
        Self { max_influences: 4, locked: Vec::new() }
    }
}

impl RowRules {
    /// True if a joint's weights stay as they are.
    pub fn is_locked(&self, joint: u32) -> bool {
        self.locked.get(joint as usize).copied().unwrap_or(false)
    }

    /// What locked joints leave to the others of a point.
    pub fn free_share(&self, before: &[Influence]) -> f64 {
        let locked = before.iter().filter(|i| self.is_locked(i.joint));
        (1.0 - locked.map(|i| f64::from(i.weight)).sum::<f64>()).max(0.0)
    }

    /// The row that is written where `wanted` is asked for and `before` was: locked joints as they
    /// were, the largest of the others within the budget, `kept` among them, filling what is left.
    /// The row from before where nothing wanted can be had.
    pub fn finish(
        &self,
        before: &[Influence],
        wanted: &[(u32, f64)],
        kept: Option<u32>,
    ) -> Vec<Influence> {
        let mut row: Vec<Influence> =
            before.iter().copied().filter(|i| self.is_locked(i.joint)).collect();
        let share = self.free_share(before);
        if share <= LEAST_REST {
            return before.to_vec();
        }
        let mut free: Vec<(u32, f64)> = Vec::with_capacity(wanted.len());
        for &(joint, weight) in wanted {
            if self.is_locked(joint) || !weight.is_finite() || weight <= 0.0 {
                continue;
            }
            match free.iter_mut().find(|(other, _)| *other == joint) {
                Some((_, sum)) => *sum += weight,
                None => free.push((joint, weight)),
            }
        }
        let is_kept = |joint: u32| kept == Some(joint);
        free.sort_by(|a, b| {
            is_kept(b.0).cmp(&is_kept(a.0)).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0))
        });
        free.truncate(self.max_influences.saturating_sub(row.len()).max(1));
        let sum: f64 = free.iter().map(|&(_, weight)| weight).sum();
        free.retain(|&(_, weight)| weight >= LEAST_WEIGHT * sum);
        let sum: f64 = free.iter().map(|&(_, weight)| weight).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return before.to_vec();
        }
        let locked_sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
        let mut left = 1.0 - locked_sum;
        let first = row.len();
        for &(joint, weight) in &free {
            let weight = (weight / sum * share) as f32;
            left -= f64::from(weight);
            row.push(Influence { joint, weight });
        }
        // What rounding left over goes to the largest, where it is the smallest change.
        if let Some(largest) = row[first..].iter_mut().max_by(|a, b| a.weight.total_cmp(&b.weight))
        {
            largest.weight = (f64::from(largest.weight) + left) as f32;
        }
        row.retain(|influence| influence.weight > 0.0);
        row.sort_by_key(|influence| influence.joint);
        row
    }

    /// The row in which one joint has another weight; the other free ones fill what is left, in
    /// the proportions that they have. A joint that is the only free one keeps what is left.
    pub fn with_weight(&self, before: &[Influence], joint: u32, weight: f64) -> Vec<Influence> {
        if self.is_locked(joint) || !weight.is_finite() {
            return before.to_vec();
        }
        let share = self.free_share(before);
        let weight = weight.clamp(0.0, share);
        let others: Vec<(u32, f64)> = before
            .iter()
            .filter(|i| i.joint != joint && !self.is_locked(i.joint))
            .map(|i| (i.joint, f64::from(i.weight)))
            .collect();
        let of_others: f64 = others.iter().map(|&(_, weight)| weight).sum();
        let mut wanted = vec![(joint, if of_others > 0.0 { weight } else { share })];
        let scale = (share - weight) / of_others;
        wanted.extend(others.iter().map(|&(other, weight)| (other, weight * scale)));
        self.finish(before, &wanted, (weight > 0.0).then_some(joint))
    }
}

/// A point and its row.
pub type PointRow = (u32, Vec<Influence>);

impl SkinWeights {
    /// The points whose rows are others in `after`, ascending; `None` if it has another number of
    /// points.
    pub fn changed_rows(&self, after: &Self) -> Option<Vec<u32>> {
        if self.num_points() != after.num_points() {
            return None;
        }
        let pairs = (0u32..).zip(self.rows().zip(after.rows()));
        Some(pairs.filter(|(_, (a, b))| a != b).map(|(point, _)| point).collect())
    }

    /// The same with other rows for some points. Rows must be what rows are: sorted by joint, each
    /// once, positive, summing to one. Of a point that is named twice, the last counts.
    ///
    /// # Panics
    /// If a point is not there.
    #[must_use]
    pub fn with_rows(&self, changed: &[PointRow]) -> Self {
        let mut of_point: Vec<&PointRow> = changed.iter().collect();
        of_point.sort_by_key(|(point, _)| *point);
        assert!(
            of_point.last().is_none_or(|(point, _)| (*point as usize) < self.num_points()),
            "every point is there"
        );
        let mut out = Self {
            row_starts: Vec::with_capacity(self.row_starts.len()),
            influences: Vec::with_capacity(self.influences.len() + 4 * changed.len()),
        };
        out.row_starts.push(0);
        let mut next = 0;
        let copy_to = |out: &mut Self, from: usize, to: usize| {
            let (start, end) = (self.row_starts[from], self.row_starts[to]);
            let first = out.influences.len() as u32;
            out.influences.extend_from_slice(&self.influences[start as usize..end as usize]);
            let starts = &self.row_starts[from + 1..=to];
            out.row_starts.extend(starts.iter().map(|at| first + (at - start)));
        };
        for (at, (point, row)) in of_point.iter().enumerate() {
            if of_point.get(at + 1).is_some_and(|(other, _)| other == point) {
                continue;
            }
            copy_to(&mut out, next, *point as usize);
            out.influences.extend_from_slice(row);
            out.row_starts.push(out.influences.len() as u32);
            next = *point as usize + 1;
        }
        copy_to(&mut out, next, self.num_points());
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(weights: &[(u32, f32)]) -> Vec<Influence> {
        SkinWeights::from_rows([weights.iter().copied()], 16).0.row(0).to_vec()
    }

    #[test]
    fn a_weight_that_is_set_leaves_the_others_in_proportion() {
        let before = row(&[(0, 0.2), (1, 0.6), (2, 0.2)]);
        let after = RowRules::default().with_weight(&before, 2, 0.6);
        let weights: Vec<f32> = after.iter().map(|i| i.weight).collect();
        for (found, expected) in weights.iter().zip([0.1, 0.3, 0.6]) {
            assert!((found - expected).abs() < 1e-6, "{weights:?}");
        }
    }

    #[test]
    fn the_only_influence_cannot_be_taken_away() {
        let before = row(&[(3, 1.0)]);
        assert_eq!(RowRules::default().with_weight(&before, 3, 0.2), before);
    }

    #[test]
    fn a_painted_joint_comes_into_a_full_row_and_the_smallest_leaves() {
        let before = row(&[(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)]);
        let after = RowRules::default().with_weight(&before, 7, 0.05);
        let joints: Vec<u32> = after.iter().map(|i| i.joint).collect();
        assert_eq!(joints, [0, 1, 2, 7]);
        assert!((after[3].weight - 0.05).abs() < 0.006, "{after:?}");
    }

    proptest! {
        #[test]
        fn every_finished_row_keeps_sums_budget_and_locks(
            before in prop::collection::vec((0u32..12, 0.001f32..1.0), 1..4),
            wanted in prop::collection::vec((0u32..12, -0.2f64..1.0), 0..9),
            locked in prop::collection::vec(any::<bool>(), 0..12),
            max_influences in 1usize..6,
        ) {
            let before = row(&before);
            let rules = RowRules { max_influences, locked };
            let after = rules.finish(&before, &wanted, None);
            let sum: f64 = after.iter().map(|i| f64::from(i.weight)).sum();
            prop_assert!((sum - 1.0).abs() <= 1.5e-7, "{sum}");
            let num_locked = before.iter().filter(|i| rules.is_locked(i.joint)).count();
            if after != before {
                prop_assert!(after.len() <= max_influences.max(num_locked + 1));
            }
            prop_assert!(after.is_sorted_by(|a, b| a.joint < b.joint));
            let locks = |row: &[Influence]| -> Vec<Influence> {
                row.iter().copied().filter(|i| rules.is_locked(i.joint)).collect()
            };
            prop_assert_eq!(locks(&after), locks(&before));
        }

        #[test]
        fn rows_put_in_are_there_and_the_others_are_as_they_were(
            points in prop::collection::vec(0u32..20, 0..12),
        ) {
            let rows = (0..20u32).map(|p| (0..=p % 3).map(move |j| (j, 1.0 + (p * j) as f32)));
            let (weights, _) = SkinWeights::from_rows(rows, 16);
            let new = |at: usize| row(&[(at as u32 % 16, 1.0), (15, 0.5)]);
            let changed: Vec<PointRow> =
                points.iter().enumerate().map(|(at, &point)| (point, new(at))).collect();
            let after = weights.with_rows(&changed);
            for point in 0..20 {
                let last = changed.iter().rev().find(|(other, _)| *other == point);
                let expected = last.map_or(weights.row(point as usize), |(_, row)| row);
                prop_assert_eq!(after.row(point as usize), expected);
            }
        }
    }
}
