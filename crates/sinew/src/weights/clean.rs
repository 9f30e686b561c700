//! Clean-up of weights: prune, limit, smooth, fill from around. Each gives the rows that change,
//! and keeps sums, budget and locks.

use std::collections::BTreeSet;

use super::paint::toward_ring;
use super::rules::{PointRow, RowRules};
use super::{Influence, SkinWeights};
use crate::mesh::Adjacency;

/// Sweeps of a fill: a hole of a hundred points across is even after that many.
const FILL_SWEEPS: usize = 200;
/// A fill that changes no weight by more is done.
const FILL_DONE: f64 = 1e-6;

fn all_or(points: Option<&[u32]>, weights: &SkinWeights) -> Vec<u32> {
    points.map_or_else(|| (0..weights.num_points() as u32).collect(), <[u32]>::to_vec)
}

fn changed_only(weights: &SkinWeights, rows: impl Iterator<Item = PointRow>) -> Vec<PointRow> {
    rows.filter(|(point, row)| row != weights.row(*point as usize)).collect()
}

/// Takes away influences below a weight, those of some joints, and those beyond the budget, of some
/// points or of all.
///
/// # Panics
/// If a point is not there.
pub fn prune(
    weights: &SkinWeights,
    points: Option<&[u32]>,
    (least, without): (f64, &[u32]),
    rules: &RowRules,
) -> Vec<PointRow> {
    let row = |point: u32| {
        let before = weights.row(point as usize);
        let is_kept = |i: &&Influence| f64::from(i.weight) >= least && !without.contains(&i.joint);
        if before.len() <= rules.max_influences && before.iter().all(|i| is_kept(&i)) {
            return (point, before.to_vec());
        }
        let kept = before.iter().filter(is_kept).map(|i| (i.joint, f64::from(i.weight)));
        (point, rules.finish(before, &kept.collect::<Vec<_>>(), None))
    };
    changed_only(weights, all_or(points, weights).into_iter().map(row))
}

/// Makes rows more like their neighbours', so many times, by a share each time.
///
/// # Panics
/// If a point is not there.
pub fn smooth(
    weights: &SkinWeights,
    adjacency: &Adjacency,
    points: Option<&[u32]>,
    times: usize,
    share: f64,
    rules: &RowRules,
) -> Vec<PointRow> {
    let points = all_or(points, weights);
    let mut now = weights.clone();
    for _ in 0..times {
        let row = |&point: &u32| (point, toward_ring(&now, adjacency, point, share, rules));
        let rows: Vec<PointRow> = points.iter().map(row).collect();
        now = now.with_rows(&rows);
    }
    let row = |point: u32| (point, now.row(point as usize).to_vec());
    changed_only(weights, points.into_iter().map(row))
}

/// Gives points the weights of what is around them: what the rows outside come to where every one
/// inside is the mean of its neighbours. Points that nothing is around stay as they are. Riggers
/// call it the weight hammer.
///
/// # Panics
/// If a point is not there.
pub fn fill(
    weights: &SkinWeights,
    adjacency: &Adjacency,
    points: &[u32],
    rules: &RowRules,
) -> Vec<PointRow> {
    type Row = Vec<(u32, f64)>;
    let inside: BTreeSet<u32> = points.iter().copied().collect();
    let mut rows: std::collections::BTreeMap<u32, Row> =
        inside.iter().map(|&point| (point, Row::new())).collect();
    for _ in 0..FILL_SWEEPS {
        let mut most = 0.0f64;
        for &point in &inside {
            let mut sum = Row::new();
            let mut number = 0.0;
            for &next in adjacency.ring(point as usize) {
                let mut add = |joint: u32, weight: f64| match sum.iter_mut().find(|e| e.0 == joint)
                {
                    Some(entry) => entry.1 += weight,
                    None => sum.push((joint, weight)),
                };
                match rows.get(&next) {
                    // Not reached yet.
                    Some(row) if row.is_empty() => continue,
                    Some(row) => row.iter().for_each(|&(joint, weight)| add(joint, weight)),
                    None => {
                        let row = weights.row(next as usize).iter();
                        row.for_each(|i| add(i.joint, f64::from(i.weight)));
                    }
                }
                number += 1.0;
            }
            sum.iter_mut().for_each(|entry| entry.1 /= number);
            if let Some(row) = rows.get_mut(&point) {
                let before = |joint: u32| row.iter().find(|e| e.0 == joint).map_or(0.0, |e| e.1);
                let change = sum.iter().map(|&(joint, w)| (w - before(joint)).abs());
                most = change.fold(most, f64::max);
                *row = sum;
            }
        }
        if most < FILL_DONE {
            break;
        }
    }
    let finished = rows.into_iter().map(|(point, row)| {
        let before = weights.row(point as usize);
        (point, rules.finish(before, &row, None))
    });
    changed_only(weights, finished)
}

/// Gives points one row: the mean of theirs.
///
/// # Panics
/// If a point is not there.
pub fn average(weights: &SkinWeights, points: &[u32], rules: &RowRules) -> Vec<PointRow> {
    let mut mean: Vec<(u32, f64)> = Vec::new();
    for influence in points.iter().flat_map(|&point| weights.row(point as usize)) {
        match mean.iter_mut().find(|entry| entry.0 == influence.joint) {
            Some(entry) => entry.1 += f64::from(influence.weight),
            None => mean.push((influence.joint, f64::from(influence.weight))),
        }
    }
    let row = |&point: &u32| (point, rules.finish(weights.row(point as usize), &mean, None));
    changed_only(weights, points.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of points; triangles to its middle, the last point.
    fn wheel() -> (Adjacency, SkinWeights) {
        let triangles: Vec<[u32; 3]> = (0..8).map(|p| [p, (p + 1) % 8, 8]).collect();
        let rows = (0..9u32).map(|p| [(if p == 8 { 3 } else { p / 4 }, 1.0)]);
        (Adjacency::of_triangles(9, &triangles), SkinWeights::from_rows(rows, 4).0)
    }

    #[test]
    fn a_stray_point_is_filled_from_around() {
        let (adjacency, weights) = wheel();
        let rows = fill(&weights, &adjacency, &[8], &RowRules::default());
        assert_eq!(rows.len(), 1);
        let row = &rows[0].1;
        assert_eq!(row.iter().map(|i| i.joint).collect::<Vec<_>>(), [0, 1]);
        assert!((row[0].weight - 0.5).abs() < 1e-6);
        // All of a mesh has nothing around it.
        let all: Vec<u32> = (0..9).collect();
        assert_eq!(fill(&weights, &adjacency, &all, &RowRules::default()), []);
    }

    #[test]
    fn pruning_takes_small_ones_and_those_beyond_the_budget() {
        let (weights, _) = SkinWeights::from_rows(
            [vec![(0, 0.5), (1, 0.3), (2, 0.19), (3, 0.01)], vec![(1, 1.0)]],
            4,
        );
        let rules = RowRules { max_influences: 2, locked: Vec::new() };
        let rows = prune(&weights, None, (0.05, &[]), &rules);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].1.iter().map(|i| i.joint).collect::<Vec<_>>(), [0, 1]);
        let gentle = RowRules::default();
        assert_eq!(prune(&weights, None, (0.05, &[]), &gentle)[0].1.len(), 3);
        assert_eq!(prune(&weights, Some(&[1]), (0.05, &[]), &gentle), []);
        // Joints are taken whatever they weigh; the only one of a point stays.
        let rows = prune(&weights, None, (0.0, &[1]), &gentle);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].1.iter().map(|i| i.joint).collect::<Vec<_>>(), [0, 2, 3]);
    }

    #[test]
    fn smoothing_brings_rows_together_and_averaging_makes_them_one() {
        let (adjacency, weights) = wheel();
        let rules = RowRules::default();
        let spread = |weights: &SkinWeights| {
            (0..9).filter(|&p| !weights.rows_equal(p, (p + 1) % 9, 0.2)).count()
        };
        let rows = smooth(&weights, &adjacency, None, 20, 0.5, &rules);
        assert!(spread(&weights.with_rows(&rows)) < spread(&weights));
        let one = weights.with_rows(&average(&weights, &[0, 5, 8], &rules));
        assert!(one.rows_equal(0, 5, 0.0) && one.rows_equal(0, 8, 0.0));
        assert_eq!(one.row(0).len(), 3);
    }
}
