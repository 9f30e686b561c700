//! Skin weights: which joints move a point, and by what share.
//!
//! Rows hold any number of influences, sorted by joint, each joint once, positive, summing to one.
//! Files keep none of this: [`SkinWeights::from_rows`] establishes it and reports what it had to
//! change.

mod along;
pub mod auto;
pub mod clean;
pub mod drag;
pub mod layers;
pub mod mirror;
pub mod paint;
mod refit;
pub mod repair;
mod rules;
mod surface;
pub mod transfer;
pub mod values;

pub use refit::{Refit, RefitError, SampledPoses, refit};
pub use rules::{PointRow, RowRules};

use std::ops::Range;

/// One joint's share of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Index into the skeleton.
    pub joint: u32,
    /// Its share, in (0, 1].
    pub weight: f32,
}

/// Sums this near to one are left as they are: what eight-bit weights and f32 sums are off by is
/// not worth a line in a report.
const SUM_TOLERANCE: f64 = 1e-3;

/// Fewer rows take less time than it takes to wake a second thread.
const MIN_PARALLEL_POINTS: usize = 1 << 14;

/// Influences of a point to make room for: what nearly all files have.
const EXPECTED_INFLUENCES: usize = 4;

/// What was wrong with rows on reading. Counts are of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightReport {
    /// Points whose weights did not sum to one and were scaled.
    pub rescaled: usize,
    /// The sum furthest from one that was seen.
    pub worst_sum: Option<f64>,
    /// Points with a weight that was negative, and is now zero.
    pub negative: usize,
    /// Points with a weight that was NaN or infinite, and is now zero.
    pub not_finite: usize,
    /// Points that named one joint several times; its weights were added.
    pub repeated_joint: usize,
    /// Points that named a joint that is not there; that influence was dropped.
    pub joint_out_of_range: usize,
    /// Points left with no influence at all: given to joint 0.
    pub unweighted: Vec<u32>,
}

impl WeightReport {
    /// True if the rows were taken as they were.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    fn note_sum(&mut self, sum: f64) {
        if self.worst_sum.is_none_or(|worst| (sum - 1.0).abs() > (worst - 1.0).abs()) {
            self.worst_sum = Some(sum);
        }
    }

    /// Adds what was found of the points that follow.
    fn append(&mut self, next: &Self) {
        self.rescaled += next.rescaled;
        self.negative += next.negative;
        self.not_finite += next.not_finite;
        self.repeated_joint += next.repeated_joint;
        self.joint_out_of_range += next.joint_out_of_range;
        self.unweighted.extend_from_slice(&next.unweighted);
        if let Some(sum) = next.worst_sum {
            self.note_sum(sum);
        }
    }
}

/// The weights of a mesh's points. See the module for what always holds.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinWeights {
    row_starts: Vec<u32>,
    influences: Vec<Influence>,
}

impl SkinWeights {
    /// Takes rows in any order and state. A point left without influence goes to joint 0, and is
    /// reported.
    pub fn from_rows<Row>(
        rows: impl IntoIterator<Item = Row>,
        num_joints: usize,
    ) -> (Self, WeightReport)
    where
        Row: IntoIterator<Item = (u32, f32)>,
    {
        let mut builder = Builder::new(0, num_joints);
        for row in rows {
            builder.push(row);
        }
        (builder.weights, builder.report)
    }

    /// [`SkinWeights::from_rows`] of rows that can be had in any order: on two threads if they are
    /// many, with the same result.
    pub fn from_rows_at<Row>(
        num_points: usize,
        row_at: impl Fn(usize) -> Row + Sync,
        num_joints: usize,
    ) -> (Self, WeightReport)
    where
        Row: IntoIterator<Item = (u32, f32)>,
    {
        let build = |points: Range<usize>, num_expected: usize| {
            let mut builder = Builder::new(points.start, num_joints);
            builder.weights.row_starts.reserve_exact(num_expected);
            builder.weights.influences.reserve(num_expected * EXPECTED_INFLUENCES);
            for point in points {
                builder.push(row_at(point));
            }
            builder
        };
        let middle = if num_points < MIN_PARALLEL_POINTS { num_points } else { num_points / 2 };
        // The first has room for all: only what the second makes is copied.
        let (mut all, rest) = rayon::join(
            || build(0..middle, num_points),
            || build(middle..num_points, num_points - middle),
        );
        all.append(&rest);
        (all.weights, all.report)
    }

    /// Rows as they are, to the bit, where they are what rows must be: sorted by joint, each once
    /// and known, positive, summing to one but for the rounding of 32 bits. `None` if one is not.
    /// Dividing by a sum once more would change last bits of what was saved.
    pub fn from_exact_rows<Row>(
        rows: impl IntoIterator<Item = Row>,
        num_joints: usize,
    ) -> Option<Self>
    where
        Row: IntoIterator<Item = (u32, f32)>,
    {
        let mut weights = Self { row_starts: vec![0], influences: Vec::new() };
        for row in rows {
            let first = weights.influences.len();
            let own = row.into_iter().map(|(joint, weight)| Influence { joint, weight });
            weights.influences.extend(own);
            let row = &weights.influences[first..];
            let sum: f64 = row.iter().map(|influence| f64::from(influence.weight)).sum();
            let rounding = row.len() as f64 * f64::from(f32::EPSILON);
            let is_sorted = row.windows(2).all(|pair| pair[0].joint < pair[1].joint);
            let is_known = row.iter().all(|i| (i.joint as usize) < num_joints && i.weight > 0.0);
            // A sum that is no number is not near.
            if !(is_sorted && is_known && (sum - 1.0).abs() <= rounding) {
                return None;
            }
            weights.row_starts.push(weights.influences.len() as u32);
        }
        Some(weights)
    }

    /// Every point wholly on one joint.
    pub fn rigid(joint_of_point: &[u32]) -> Self {
        Self {
            row_starts: (0..=joint_of_point.len() as u32).collect(),
            influences: joint_of_point
                .iter()
                .map(|&joint| Influence { joint, weight: 1.0 })
                .collect(),
        }
    }

    /// Number of points.
    pub fn num_points(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// The influences of a point, by joint; at least one.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn row(&self, point: usize) -> &[Influence] {
        &self.influences[self.row_starts[point] as usize..self.row_starts[point + 1] as usize]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Influence]> {
        self.row_starts.windows(2).map(|w| &self.influences[w[0] as usize..w[1] as usize])
    }

    /// The largest number of influences of a point.
    pub fn max_influences(&self) -> usize {
        self.rows().map(<[_]>::len).max().unwrap_or(0)
    }

    /// One past the largest joint named.
    pub fn num_joints_used(&self) -> usize {
        self.influences.iter().map(|i| i.joint as usize + 1).max().unwrap_or(0)
    }

    /// The joint with the largest share of a point; the first of equals.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn dominant_joint(&self, point: usize) -> u32 {
        let mut best = self.row(point)[0];
        for &influence in &self.row(point)[1..] {
            if influence.weight > best.weight {
                best = influence;
            }
        }
        best.joint
    }

    /// The rows of some points, in that order: to spread to render vertices, or to gather from
    /// them.
    ///
    /// # Panics
    /// If a point is not there.
    pub fn select_rows(&self, points: &[u32]) -> Self {
        let mut selected = Self { row_starts: vec![0], influences: Vec::new() };
        for &point in points {
            selected.influences.extend_from_slice(self.row(point as usize));
            selected.row_starts.push(selected.influences.len() as u32);
        }
        selected
    }

    /// More rows, after those that are there: another mesh of the same skeleton.
    pub(crate) fn append(&mut self, other: &Self) {
        let before = self.influences.len() as u32;
        self.influences.extend_from_slice(&other.influences);
        self.row_starts.extend(other.row_starts.iter().skip(1).map(|start| before + start));
    }

    /// Keeps the rows of some points, which must ascend, in place: [`SkinWeights::select_rows`]
    /// with no second copy.
    ///
    /// # Panics
    /// If a point is not there, or they do not ascend.
    pub(crate) fn keep_rows(&mut self, points: &[u32]) {
        assert!(points.is_sorted_by(|a, b| a < b), "points ascend");
        let mut kept = 0;
        for (to, &point) in points.iter().enumerate() {
            // Ends are written only behind where they are read.
            let (start, end) =
                (self.row_starts[point as usize], self.row_starts[point as usize + 1]);
            if start != kept {
                self.influences.copy_within(start as usize..end as usize, kept as usize);
            }
            kept += end - start;
            self.row_starts[to + 1] = kept;
        }
        self.influences.truncate(kept as usize);
        self.row_starts.truncate(points.len() + 1);
    }

    /// At most `max_influences` a point: the largest kept, rescaled to sum to one.
    #[must_use]
    pub fn truncated(&self, max_influences: usize) -> Self {
        let num_joints = self.num_joints_used();
        let rows = self.rows().map(|row| {
            let mut row: Vec<_> = row.iter().map(|i| (i.joint, i.weight)).collect();
            row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            row.truncate(max_influences.max(1));
            row
        });
        Self::from_rows(rows, num_joints).0
    }

    /// True if two points have the same influences to within `tolerance`.
    ///
    /// # Panics
    /// If a point is not there.
    pub fn rows_equal(&self, a: usize, b: usize, tolerance: f32) -> bool {
        let weight_in = |row: &[Influence], joint: u32| {
            row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
        };
        let (a, b) = (self.row(a), self.row(b));
        a.iter().all(|i| (i.weight - weight_in(b, i.joint)).abs() <= tolerance)
            && b.iter().all(|i| (i.weight - weight_in(a, i.joint)).abs() <= tolerance)
    }
}

/// Weights in the making.
struct Builder {
    weights: SkinWeights,
    report: WeightReport,
    first_point: usize,
    num_joints: usize,
    row: Vec<(u32, f64)>,
}

impl Builder {
    fn new(first_point: usize, num_joints: usize) -> Self {
        let weights = SkinWeights { row_starts: vec![0], influences: Vec::new() };
        let report = WeightReport::default();
        Self { weights, report, first_point, num_joints, row: Vec::new() }
    }

    fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>) {
        let Self { weights, report, row, .. } = self;
        clean_row(entries, self.num_joints, row, report);
        if row.is_empty() {
            report.unweighted.push((self.first_point + weights.num_points()) as u32);
            row.push((0, 1.0));
        }
        let sum: f64 = row.iter().map(|&(_, weight)| weight).sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            report.rescaled += 1;
            report.note_sum(sum);
        }
        // A share too small for an f32 is none.
        weights.influences.extend(
            row.iter()
                .map(|&(joint, weight)| Influence { joint, weight: (weight / sum) as f32 })
                .filter(|influence| influence.weight > 0.0),
        );
        weights.row_starts.push(weights.influences.len() as u32);
    }

    /// Adds the points that follow.
    fn append(&mut self, next: &Self) {
        let before = self.weights.influences.len() as u32;
        self.weights.influences.extend_from_slice(&next.weights.influences);
        let ends = next.weights.row_starts[1..].iter().map(|end| end + before);
        self.weights.row_starts.extend(ends);
        self.report.append(&next.report);
    }
}

/// Sorts by joint, adds repeated joints, drops what is not a positive finite weight of a known
/// joint.
fn clean_row(
    entries: impl IntoIterator<Item = (u32, f32)>,
    num_joints: usize,
    row: &mut Vec<(u32, f64)>,
    report: &mut WeightReport,
) {
    row.clear();
    let (mut negative, mut not_finite, mut out_of_range, mut repeated) =
        (false, false, false, false);
    for (joint, weight) in entries {
        if !weight.is_finite() {
            not_finite = true;
        } else if weight < 0.0 {
            negative = true;
        } else if weight > 0.0 && joint as usize >= num_joints {
            // A zero weight on a joint that is not there is padding, not an error.
            out_of_range = true;
        } else if weight > 0.0 {
            row.push((joint, f64::from(weight)));
        }
    }
    // Most files have each joint once and in order.
    if row.is_sorted_by(|a, b| a.0 < b.0) {
        report.negative += usize::from(negative);
        report.not_finite += usize::from(not_finite);
        report.joint_out_of_range += usize::from(out_of_range);
        return;
    }
    row.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    row.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
            repeated = true;
        }
        same
    });
    report.negative += usize::from(negative);
    report.not_finite += usize::from(not_finite);
    report.joint_out_of_range += usize::from(out_of_range);
    report.repeated_joint += usize::from(repeated);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_are_sorted_merged_and_normalised_and_the_report_says_so() {
        let (weights, report) = SkinWeights::from_rows([vec![(2, 1.0), (0, 0.5), (2, 0.5)]], 3);
        assert_eq!(
            weights.row(0),
            [Influence { joint: 0, weight: 0.25 }, Influence { joint: 2, weight: 0.75 }]
        );
        assert_eq!(report.rescaled, 1);
        assert_eq!(report.worst_sum, Some(2.0));
        assert_eq!(report.repeated_joint, 1);
    }

    #[test]
    fn what_is_not_a_weight_is_dropped_and_counted_once_a_point() {
        let row = vec![(0, f32::NAN), (1, -1.0), (9, 0.5), (1, 1.0), (7, 0.0)];
        let (weights, report) = SkinWeights::from_rows([row], 3);
        assert_eq!(weights.row(0), [Influence { joint: 1, weight: 1.0 }]);
        assert_eq!((report.not_finite, report.negative, report.joint_out_of_range), (1, 1, 1));
        assert_eq!(report.rescaled, 0);
    }

    #[test]
    fn a_point_without_influence_goes_to_the_root_and_is_named() {
        let (weights, report) = SkinWeights::from_rows([vec![(1, 1.0)], vec![]], 2);
        assert_eq!(weights.row(1), [Influence { joint: 0, weight: 1.0 }]);
        assert_eq!(report.unweighted, [1]);
    }

    #[test]
    fn a_share_that_rounds_to_nothing_is_no_influence() {
        let (weights, _) = SkinWeights::from_rows([vec![(0, 1e-30), (1, 1e30)]], 2);
        assert_eq!(weights.row(0), [Influence { joint: 1, weight: 1.0 }]);
    }

    #[test]
    fn clean_rows_leave_a_clean_report() {
        let (_, report) = SkinWeights::from_rows([vec![(0, 0.25), (1, 0.75)]], 2);
        assert!(report.is_clean());
    }

    proptest! {
        #[test]
        fn rows_of_two_threads_are_those_of_one(seed in 0..1000_u64) {
            // Enough for two threads; a few of every fault.
            let row_at = |point: usize| {
                let random = (point as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let weight = match random >> 58 {
                    0 => f32::NAN,
                    1 => -1.0,
                    2 => 2.0,
                    k => k as f32 / 64.0,
                };
                let joint = (random >> 8) as u32 % 5;
                let count = (random >> 16) as usize % 4;
                [(joint, weight), (2, 1.0 - weight), (9, 0.1)].into_iter().take(count)
            };
            let num_points = MIN_PARALLEL_POINTS + seed as usize;
            let (one, found) = SkinWeights::from_rows((0..num_points).map(row_at), 5);
            let (two, found_too) = SkinWeights::from_rows_at(num_points, row_at, 5);
            prop_assert!(!found.is_clean());
            prop_assert_eq!(found, found_too);
            prop_assert_eq!(one, two);
        }

        #[test]
        fn rows_kept_in_place_are_those_selected(
            kept in prop::collection::vec(any::<bool>(), 0..40),
        ) {
            let rows = (0..kept.len()).map(|p| (0..p as u32 % 4).map(|joint| (joint, 1.0)));
            let (mut weights, _) = SkinWeights::from_rows(rows, 4);
            let points: Vec<u32> = (0..kept.len() as u32).filter(|&p| kept[p as usize]).collect();
            let selected = weights.select_rows(&points);
            weights.keep_rows(&points);
            prop_assert_eq!(weights, selected);
        }
    }

    #[test]
    fn truncation_keeps_the_largest_and_sums_to_one() {
        let (weights, _) = SkinWeights::from_rows([vec![(0, 0.1), (1, 0.6), (2, 0.3)]], 3);
        let row = weights.truncated(2);
        assert_eq!(row.row(0).iter().map(|i| i.joint).collect::<Vec<_>>(), [1, 2]);
        assert!((row.row(0).iter().map(|i| i.weight).sum::<f32>() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn rows_that_were_made_are_taken_to_the_bit_and_others_are_not() {
        let thirds = |i: u32| (0..3).map(move |joint| (joint, 1.0 + 0.1 * (i + joint) as f32));
        let (made, _) = SkinWeights::from_rows((0..100).map(thirds), 3);
        let rows = |weights: &SkinWeights| -> Vec<Vec<(u32, f32)>> {
            weights.rows().map(|row| row.iter().map(|i| (i.joint, i.weight)).collect()).collect()
        };
        assert_eq!(SkinWeights::from_exact_rows(rows(&made), 3), Some(made.clone()));
        for wrong in [
            vec![(0, 0.5), (1, 0.4)],
            vec![(1, 0.5), (0, 0.5)],
            vec![(0, 0.5), (0, 0.5)],
            vec![(0, 1.5), (1, -0.5)],
            vec![(0, f32::NAN)],
            vec![(3, 1.0)],
            vec![],
        ] {
            assert_eq!(SkinWeights::from_exact_rows([wrong.clone()], 3), None, "{wrong:?}");
        }
    }
}
