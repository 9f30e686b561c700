//! Which points stand for all of them: as many rows of `Φ` as there are handles, whose matrix has
//! (nearly) the largest volume. Then no other row is more than 1.05 of any of them:
//! `max |Φ Φ̃⁻¹| ≤ 1.05` (Goreinov et al. 2010), and a cage fitted to them is stable.
//!
//! Elimination with full pivoting over a sample of the rows finds a first choice and the rank;
//! then rows are swapped while that makes the volume larger. Rows outside the sample that would
//! are taken into it, until there are none.

use fearless_simd::{Level, Simd, dispatch};

use super::CoordinateRows;
use crate::linalg::Dense;

/// A swap must make the volume larger by this factor.
const GAIN: f64 = 1.05;
/// What is more than this is looked at again: a little less than the promise, so that rounding
/// keeps it.
const NEARLY: f64 = 1.0 + 0.95 * (GAIN - 1.0);
/// Pivots below this share of the first are nothing: a handle that moves no point.
const RANK: f64 = 1e-9;
/// Rows in the first sample, for each handle.
const SAMPLE_PER_HANDLE: usize = 16;
/// Rounds of looking at all rows.
const MAX_ROUNDS: usize = 24;
/// Entries of an inverse past this leave f32 too few digits to find the largest ratios with.
const MAX_NARROW: f64 = 1e4;

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
            let matrix = Table::of(num_handles, &sample, |point| rows.row(point as usize));
            let place = |point: &u32| sample.binary_search(point).ok();
            let kept: Option<Vec<usize>> = chosen.points.iter().map(place).collect();
            // With as many rows as there are handles, swaps alone lead on from the last choice.
            let (picked, handles) = match kept.filter(|kept| kept.len() == num_handles) {
                Some(kept) => (kept, chosen.handles.iter().map(|&k| k as usize).collect()),
                None => eliminate(matrix.clone()),
            };
            let picked = swap(&matrix, picked, &handles);
            chosen.points = picked.iter().map(|&row| sample[row]).collect();
            chosen.handles = handles.iter().map(|&handle| handle as u32).collect();
            if chosen.points.is_empty() {
                break;
            }
            let (largest, further) = ratios(rows, &allowed, &chosen);
            chosen.largest_ratio = largest;
            let before = sample.len();
            sample.extend(further);
            sample.sort_unstable();
            sample.dedup();
            if sample.len() == before {
                break;
            }
        }
        chosen
    }

    /// The condition of the selected rows; infinite where not every handle has one.
    pub fn condition(&self, rows: &CoordinateRows) -> f64 {
        match self.points.len() == rows.num_handles() {
            true => self.matrix(rows).condition(),
            false => f64::INFINITY,
        }
    }

    /// The square matrix of the selected rows and handles.
    pub(super) fn matrix(&self, rows: &CoordinateRows) -> Dense {
        Dense::from_fn(self.points.len(), self.handles.len(), |row, column| {
            rows.row(self.points[row] as usize)[self.handles[column] as usize]
        })
    }
}

/// Rows one after the other.
#[derive(Clone)]
struct Table {
    values: Vec<f64>,
    width: usize,
}

impl Table {
    fn of<'a>(width: usize, sample: &[u32], row: impl Fn(u32) -> &'a [f64]) -> Self {
        Self { values: sample.iter().flat_map(|&point| row(point)).copied().collect(), width }
    }

    fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..(row + 1) * self.width]
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.values.chunks_exact_mut(self.width.max(1))
    }
}

/// The largest size in a row, and where.
fn largest_of(row: &[f64]) -> (f64, usize) {
    let largest = row.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    (largest, row.iter().position(|value| value.abs() == largest).unwrap_or(0))
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
fn eliminate(mut matrix: Table) -> (Vec<usize>, Vec<usize>) {
    let num_columns = matrix.width;
    // Columns that are done go to the end.
    let mut columns: Vec<usize> = (0..num_columns).collect();
    let mut picked = Vec::new();
    let mut is_used = vec![false; matrix.len()];
    let mut first = 0.0;
    let mut next = (0.0f64, 0, 0);
    for (row, values) in matrix.rows_mut().enumerate() {
        let (size, column) = largest_of(values);
        if size > next.0 {
            next = (size, row, column);
        }
    }
    for num_free in (1..=num_columns).rev() {
        let (size, pivot_row, column) = next;
        if first == 0.0 {
            first = size;
        }
        if size <= RANK * first || size == 0.0 {
            break;
        }
        let last = num_free - 1;
        columns.swap(column, last);
        is_used[pivot_row] = true;
        picked.push(pivot_row);
        let mut of_pivot = matrix.row(pivot_row).to_vec();
        of_pivot.swap(column, last);
        let pivot = of_pivot[last];
        next = (0.0, 0, 0);
        for (row, values) in matrix.rows_mut().enumerate() {
            values.swap(column, last);
            if is_used[row] {
                continue;
            }
            let factor = values[last] / pivot;
            let free = &mut values[..last];
            for (value, of_pivot) in free.iter_mut().zip(&of_pivot) {
                *value -= factor * of_pivot;
            }
            let (size, column) = largest_of(free);
            if size > next.0 {
                next = (size, row, column);
            }
        }
    }
    columns.reverse();
    columns.truncate(picked.len());
    (picked, columns)
}

/// Swaps rows of a matrix while that makes the volume larger by [`GAIN`].
fn swap(matrix: &Table, mut picked: Vec<usize>, columns: &[usize]) -> Vec<usize> {
    let n = picked.len();
    if n == 0 {
        return picked;
    }
    let square = Dense::from_fn(n, n, |row, column| matrix.row(picked[row])[columns[column]]);
    let Some(inverse) = square.inverse() else { return picked };
    let of_columns =
        Dense::from_fn(matrix.len(), n, |row, column| matrix.row(row)[columns[column]]);
    let product = of_columns.times(&inverse);
    let values = (0..matrix.len()).flat_map(|row| (0..n).map(move |column| (row, column)));
    let values = values.map(|(row, column)| product.at(row, column)).collect();
    let mut ratios = Table { values, width: n };
    let mut next = (1.0f64, 0, 0);
    for (row, values) in ratios.rows_mut().enumerate() {
        let (size, column) = largest_of(values);
        if size > next.0 {
            next = (size, row, column);
        }
    }
    for _ in 0..20 * n {
        let (size, row, column) = next;
        // A little less than the promise, so that rounding keeps it.
        if size <= 1.0 + 0.8 * (GAIN - 1.0) {
            break;
        }
        picked[column] = row;
        // ratios −= ratios[:, column] (ratios[row, :] − e_column) / ratios[row, column]
        let mut of_row = ratios.row(row).to_vec();
        let pivot = of_row[column];
        of_row[column] -= 1.0;
        next = (1.0, 0, 0);
        for (row, values) in ratios.rows_mut().enumerate() {
            let factor = values[column] / pivot;
            for (value, of_row) in values.iter_mut().zip(&of_row) {
                *value -= factor * of_row;
            }
            let (size, column) = largest_of(values);
            if size > next.0 {
                next = (size, row, column);
            }
        }
    }
    picked
}

/// `max |Φ Φ̃⁻¹|`, and of each handle the row that is most past [`NEARLY`].
fn ratios(rows: &CoordinateRows, allowed: &[u32], chosen: &Selection) -> (f64, Vec<u32>) {
    let Some(inverse) = chosen.matrix(rows).inverse() else { return (f64::INFINITY, Vec::new()) };
    let n = chosen.points.len();
    // With a row of zeros for each handle that moves nothing.
    let mut wide = Dense::zeros(rows.num_handles(), n);
    for (row, &handle) in chosen.handles.iter().enumerate() {
        for column in 0..n {
            *wide.at_mut(handle as usize, column) = inverse.at(row, column);
        }
    }
    let size = (0..n).flat_map(|column| inverse.column(column)).fold(0.0f64, |a, b| a.max(b.abs()));
    // f32 finds the rows, and f64 says how large they are.
    let best = match size <= MAX_NARROW {
        true => most_in_f32(rows, allowed, &wide),
        false => most(rows, allowed, &wide),
    };
    let mut largest = 0.0f64;
    let mut further = Vec::new();
    for (column, point) in best.into_iter().enumerate() {
        let row = rows.row(point as usize);
        let ratio: f64 = row.iter().zip(wide.column(column)).map(|(phi, entry)| phi * entry).sum();
        largest = largest.max(ratio.abs());
        if ratio.abs() > NEARLY {
            further.push(point);
        }
    }
    (largest, further)
}

/// Of each column of `Φ Φ̃⁻¹` the point that has most of it.
fn most(rows: &CoordinateRows, allowed: &[u32], inverse: &Dense) -> Vec<u32> {
    let n = inverse.num_columns();
    let mut best: Vec<(f64, u32)> = vec![(0.0, allowed.first().copied().unwrap_or(0)); n];
    for part in allowed.chunks(1024) {
        let of_part = Dense::from_fn(part.len(), inverse.num_rows(), |row, handle| {
            rows.row(part[row] as usize)[handle]
        });
        let ratios = of_part.times(inverse);
        for (column, best) in best.iter_mut().enumerate() {
            for (&point, ratio) in part.iter().zip(ratios.column(column)) {
                if ratio.abs() > best.0 {
                    *best = (ratio.abs(), point);
                }
            }
        }
    }
    best.into_iter().map(|(_, point)| point).collect()
}

/// Points whose ratios are found at once.
const LANES: usize = 16;

/// The same in f32, sixteen points at a time.
fn most_in_f32(rows: &CoordinateRows, allowed: &[u32], inverse: &Dense) -> Vec<u32> {
    let (num_handles, n) = (inverse.num_rows(), inverse.num_columns());
    let narrow: Vec<f32> =
        (0..n).flat_map(|column| inverse.column(column)).map(|entry| entry as f32).collect();
    let mut best: Vec<(f32, u32)> = vec![(0.0, allowed.first().copied().unwrap_or(0)); n];
    let mut block = vec![[0.0f32; LANES]; num_handles];
    let mut ratios = vec![[0.0f32; LANES]; n];
    let level = Level::new();
    for points in allowed.chunks(LANES) {
        for lane in 0..LANES {
            // The last one stands where there are no more.
            let point = points[lane.min(points.len() - 1)] as usize;
            for (values, &phi) in block.iter_mut().zip(rows.row(point)) {
                values[lane] = phi as f32;
            }
        }
        dispatch!(level, simd => multiply(simd, &narrow, &block, &mut ratios));
        for (best, ratios) in best.iter_mut().zip(&ratios) {
            let largest = ratios.iter().fold(0.0f32, |largest, ratio| largest.max(ratio.abs()));
            if largest > best.0 {
                let lane = ratios.iter().position(|ratio| ratio.abs() == largest);
                let lane = lane.unwrap_or(0).min(points.len() - 1);
                *best = (largest, points[lane]);
            }
        }
    }
    best.into_iter().map(|(_, point)| point).collect()
}

/// Of each column of a matrix its products with sixteen rows.
#[inline(always)]
fn multiply<S: Simd>(simd: S, columns: &[f32], block: &[[f32; LANES]], out: &mut [[f32; LANES]]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (column, out) in columns.chunks_exact(block.len().max(1)).zip(out) {
                let mut sums = [0.0f32; LANES];
                for (&entry, values) in column.iter().zip(block) {
                    for (sum, &value) in sums.iter_mut().zip(values) {
                        *sum += entry * value;
                    }
                }
                *out = sums;
            }
        },
    );
}
