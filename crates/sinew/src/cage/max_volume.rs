//! Which points stand for all of them: as many rows of `Φ` as there are handles, whose matrix has
//! (nearly) the largest volume. Then no other row is more than 1.05 of any of them:
//! `max |Φ Φ̃⁻¹| ≤ 1.05` (Goreinov et al. 2010), and a cage fitted to them is stable.
//!
//! Elimination with full pivoting over a sample of the rows finds a first choice and the rank;
//! then rows are swapped while that makes the volume larger. Rows outside the sample that would
//! are taken into it, until there are none.

use super::CoordinateRows;
use crate::linalg::Dense;

/// A swap must make the volume larger by this factor.
const GAIN: f64 = 1.05;
/// Pivots below this share of the first are nothing: a handle that moves no point.
const RANK: f64 = 1e-9;
/// Rows in the first sample, for each handle.
const SAMPLE_PER_HANDLE: usize = 16;
/// Rounds of looking at all rows.
const MAX_ROUNDS: usize = 24;

/// Rows that stand for all.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Points, one a handle that moves any.
    pub points: Vec<u32>,
    /// The handles, in the order of the points.
    pub handles: Vec<u32>,
    /// `max |Φ Φ̃⁻¹|` over all points, at most 1.05.
    pub largest_ratio: f64,
}

impl Selection {
    /// Chooses among the rows that `may_stand` keeps.
    pub fn of(rows: &CoordinateRows, may_stand: impl Fn(usize) -> bool) -> Self {
        let num_handles = rows.num_handles();
        let allowed: Vec<u32> =
            (0..rows.len() as u32).filter(|&point| may_stand(point as usize)).collect();
        let mut sample = first_sample(rows, &allowed);
        let mut chosen = Self { points: Vec::new(), handles: Vec::new(), largest_ratio: 0.0 };
        for _ in 0..MAX_ROUNDS {
            let matrix = Dense::from_fn(sample.len(), num_handles, |row, handle| {
                rows.row(sample[row] as usize)[handle]
            });
            let (picked, handles) = eliminate(matrix.clone());
            let picked = swap(&matrix, picked, &handles);
            chosen.points = picked.iter().map(|&row| sample[row]).collect();
            chosen.handles = handles.iter().map(|&handle| handle as u32).collect();
            if chosen.points.is_empty() {
                break;
            }
            let (largest, further) = ratios(rows, &allowed, &chosen);
            chosen.largest_ratio = largest;
            if further.is_empty() {
                break;
            }
            sample.extend(further);
            sample.sort_unstable();
            sample.dedup();
        }
        chosen
    }

    /// The square matrix of the selected rows and handles.
    pub(super) fn matrix(&self, rows: &CoordinateRows) -> Dense {
        Dense::from_fn(self.points.len(), self.handles.len(), |row, column| {
            rows.row(self.points[row] as usize)[self.handles[column] as usize]
        })
    }
}

/// Rows all over, and for each handle the one that has most of it.
fn first_sample(rows: &CoordinateRows, allowed: &[u32]) -> Vec<u32> {
    let wanted = SAMPLE_PER_HANDLE * rows.num_handles();
    let step = allowed.len().div_ceil(wanted.max(1)).max(1);
    let mut sample: Vec<u32> = allowed.iter().copied().step_by(step).collect();
    let mut best: Vec<(f64, u32)> = vec![(0.0, 0); rows.num_handles()];
    for &point in allowed {
        for (best, &phi) in best.iter_mut().zip(rows.row(point as usize)) {
            if phi > best.0 {
                *best = (phi, point);
            }
        }
    }
    sample.extend(best.iter().filter(|best| best.0 > 0.0).map(|best| best.1));
    sample.sort_unstable();
    sample.dedup();
    sample
}

/// Elimination with full pivoting: rows and columns in the order of the pivots.
fn eliminate(mut matrix: Dense) -> (Vec<usize>, Vec<usize>) {
    let (num_rows, num_columns) = (matrix.num_rows(), matrix.num_columns());
    let mut free_columns: Vec<usize> = (0..num_columns).collect();
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    let mut is_used = vec![false; num_rows];
    let mut first = 0.0;
    while !free_columns.is_empty() {
        let mut best = (0.0f64, 0, 0);
        for row in (0..num_rows).filter(|&row| !is_used[row]) {
            for (place, &column) in free_columns.iter().enumerate() {
                let size = matrix.at(row, column).abs();
                if size > best.0 {
                    best = (size, row, place);
                }
            }
        }
        let (size, pivot_row, place) = best;
        if first == 0.0 {
            first = size;
        }
        if size <= RANK * first || size == 0.0 {
            break;
        }
        let column = free_columns.swap_remove(place);
        is_used[pivot_row] = true;
        let pivot = matrix.at(pivot_row, column);
        let of_pivot: Vec<f64> = free_columns.iter().map(|&c| matrix.at(pivot_row, c)).collect();
        for row in (0..num_rows).filter(|&row| !is_used[row]) {
            let factor = matrix.at(row, column) / pivot;
            if factor != 0.0 {
                for (&c, &value) in free_columns.iter().zip(&of_pivot) {
                    *matrix.at_mut(row, c) -= factor * value;
                }
            }
        }
        rows.push(pivot_row);
        columns.push(column);
    }
    (rows, columns)
}

/// Swaps rows of a matrix while that makes the volume larger by [`GAIN`].
fn swap(matrix: &Dense, mut picked: Vec<usize>, columns: &[usize]) -> Vec<usize> {
    let n = picked.len();
    if n == 0 {
        return picked;
    }
    let of = |row: usize| columns.iter().map(move |&column| matrix.at(row, column));
    let square = Dense::from_fn(n, n, |row, column| matrix.at(picked[row], columns[column]));
    let Some(inverse) = square.inverse() else { return picked };
    let all = Dense::from_fn(matrix.num_rows(), n, |row, column| matrix.at(row, columns[column]));
    let mut ratios = all.times(&inverse);
    debug_assert_eq!(of(0).count(), n);
    for _ in 0..20 * n {
        let mut best = (1.0f64, 0, 0);
        for row in 0..matrix.num_rows() {
            for column in 0..n {
                let size = ratios.at(row, column).abs();
                if size > best.0 {
                    best = (size, row, column);
                }
            }
        }
        let (size, row, column) = best;
        // A little less than the promise, so that rounding keeps it.
        if size <= 1.0 + 0.8 * (GAIN - 1.0) {
            break;
        }
        picked[column] = row;
        // ratios −= ratios[:, column] (ratios[row, :] − e_column) / ratios[row, column]
        let pivot = ratios.at(row, column);
        let mut of_row: Vec<f64> = (0..n).map(|c| ratios.at(row, c)).collect();
        of_row[column] -= 1.0;
        for r in 0..matrix.num_rows() {
            let factor = ratios.at(r, column) / pivot;
            if factor != 0.0 {
                for (c, value) in of_row.iter().enumerate() {
                    *ratios.at_mut(r, c) -= factor * value;
                }
            }
        }
    }
    picked
}

/// `max |Φ Φ̃⁻¹|`, and of each handle the row that is most past [`GAIN`].
fn ratios(rows: &CoordinateRows, allowed: &[u32], chosen: &Selection) -> (f64, Vec<u32>) {
    let Some(inverse) = chosen.matrix(rows).inverse() else { return (f64::INFINITY, Vec::new()) };
    let n = chosen.points.len();
    let mut largest = 0.0f64;
    let mut best: Vec<(f64, u32)> = vec![(GAIN, 0); n];
    for part in allowed.chunks(8192) {
        let of_part = Dense::from_fn(part.len(), n, |row, column| {
            rows.row(part[row] as usize)[chosen.handles[column] as usize]
        });
        let ratios = of_part.times(&inverse);
        for column in 0..n {
            let (best, of_column) = (&mut best[column], ratios.column(column));
            for (&point, ratio) in part.iter().zip(of_column) {
                let size = ratio.abs();
                largest = largest.max(size);
                if size > best.0 {
                    *best = (size, point);
                }
            }
        }
    }
    let further = best.iter().filter(|best| best.0 > GAIN).map(|best| best.1).collect();
    (largest, further)
}
