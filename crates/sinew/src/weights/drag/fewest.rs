//! The paper's own choice among weights that reach the same point: least change in the sense of
//! `Σ|w − w₀|`, which changes few weights (section 4.2).
//!
//! A linear program over `w = w₀ + p − q`, `p ≥ 0`, `0 ≤ q ≤ w₀`, `A(p − q) = b`, the rows of `A`
//! the coordinates in each pose and the sum. Solved exactly by the simplex method on a small dense
//! tableau; Bland's rule, so that it ends.

/// Rows that say what others say, to this share of the largest, are left out.
const RANK_SHARE: f64 = 1e-10;
/// Costs and entries below this are rounding. Rows are orthonormal and weights at most one.
const TOLERANCE: f64 = 1e-11;

/// Moves `weights`, which reach their point, to those nearest to `start` by the sum of changes
/// that reach the same point. `rows` are coordinates, one entry a weight each.
pub(super) fn fewest(rows: &[Vec<f64>], start: &[f64], weights: &mut [f64]) {
    let n = weights.len();
    let basis = orthonormal(rows, n);
    let wanted: Vec<f64> = basis
        .iter()
        .map(|row| row.iter().zip(weights.iter().zip(start)).map(|(a, (w, s))| a * (w - s)).sum())
        .collect();
    let mut tableau = Tableau::new(&basis, &wanted, start);
    if !tableau.minimise() {
        return;
    }
    let change = tableau.change(n);
    let found: Vec<f64> = start.iter().zip(&change).map(|(s, c)| (s + c).max(0.0)).collect();
    let sum: f64 = found.iter().sum();
    // What rounding has led astray is not better than what was there.
    if (sum - 1.0).abs() < 1e-9 {
        weights.iter_mut().zip(&found).for_each(|(weight, found)| *weight = found / sum);
    }
}

/// The space that the rows and the row of ones span, as orthonormal rows.
fn orthonormal(rows: &[Vec<f64>], n: usize) -> Vec<Vec<f64>> {
    let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let unit = 1.0 / (n as f64).sqrt();
    let mut basis = vec![vec![unit; n]];
    let mut left: Vec<Vec<f64>> = rows.to_vec();
    let largest = left.iter().map(|row| length(row)).fold(0.0, f64::max);
    while !left.is_empty() {
        for row in &mut left {
            for own in &basis {
                let along: f64 = row.iter().zip(own).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(own).for_each(|(a, b)| *a -= along * b);
            }
        }
        // The longest first: what is left of the others is then most certain.
        let Some((at, most)) = (left.iter().map(|row| length(row)).enumerate())
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|&(_, most)| most > RANK_SHARE * largest)
        else {
            break;
        };
        let mut row = left.swap_remove(at);
        row.iter_mut().for_each(|x| *x /= most);
        basis.push(row);
    }
    basis
}

/// The program in standard form. Columns: `p` and `q` of each weight, room of each `q`, one
/// artificial a row of `A`, the right-hand side.
struct Tableau {
    /// Row by row; the last row is the cost.
    cells: Vec<f64>,
    width: usize,
    basic: Vec<usize>,
    num_weights: usize,
    first_artificial: usize,
}

impl Tableau {
    fn new(basis: &[Vec<f64>], wanted: &[f64], start: &[f64]) -> Self {
        let n = start.len();
        let num_rows = basis.len() + n;
        let first_artificial = 3 * n;
        let width = first_artificial + basis.len() + 1;
        let mut cells = vec![0.0; (num_rows + 1) * width];
        let mut basic = Vec::with_capacity(num_rows);
        for (at, (row, &wanted)) in basis.iter().zip(wanted).enumerate() {
            // Right-hand sides are not negative.
            let sign = if wanted < 0.0 { -1.0 } else { 1.0 };
            let cells = &mut cells[at * width..(at + 1) * width];
            for (j, &a) in row.iter().enumerate() {
                (cells[j], cells[n + j]) = (sign * a, -sign * a);
            }
            cells[first_artificial + at] = 1.0;
            cells[width - 1] = sign * wanted;
            basic.push(first_artificial + at);
        }
        for (j, &room) in start.iter().enumerate() {
            let row = basis.len() + j;
            let cells = &mut cells[row * width..(row + 1) * width];
            (cells[n + j], cells[2 * n + j], cells[width - 1]) = (1.0, 1.0, room);
            basic.push(2 * n + j);
        }
        Self { cells, width, basic, num_weights: n, first_artificial }
    }

    fn num_rows(&self) -> usize {
        self.basic.len()
    }

    /// True if the minimum was found.
    fn minimise(&mut self) -> bool {
        // First a solution at all: artificial ones cost one, all else nothing.
        let artificial = self.first_artificial..self.width - 1;
        if !self.run(|column| f64::from(u8::from(artificial.contains(&column)))) {
            return false;
        }
        for row in 0..self.num_rows() {
            // An artificial one that is still basic is nothing: another takes its place.
            if self.basic[row] >= self.first_artificial {
                let own = &self.cells[row * self.width..][..self.first_artificial];
                let entering = (own.iter().enumerate())
                    .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
                    .filter(|(_, cell)| cell.abs() > TOLERANCE);
                if let Some((column, _)) = entering {
                    self.pivot(row, column);
                }
            }
        }
        for row in 0..=self.num_rows() {
            self.cells[row * self.width..][artificial.clone()].fill(0.0);
        }
        let num_changes = 2 * self.num_weights;
        self.run(|column| f64::from(u8::from(column < num_changes)))
    }

    fn run(&mut self, cost: impl Fn(usize) -> f64) -> bool {
        let (width, num_rows) = (self.width, self.num_rows());
        for column in 0..width {
            let own = if column + 1 < width { cost(column) } else { 0.0 };
            let of_basic: f64 = (0..num_rows)
                .map(|row| cost(self.basic[row]) * self.cells[row * width + column])
                .sum();
            self.cells[num_rows * width + column] = own - of_basic;
        }
        // A vertex is not visited twice; the bound is for rounding.
        for _ in 0..64 * width {
            let costs = &self.cells[num_rows * width..][..width - 1];
            let Some(column) = costs.iter().position(|&cost| cost < -TOLERANCE) else {
                return true;
            };
            let mut leaving: Option<(f64, usize)> = None;
            for row in 0..num_rows {
                let cell = self.cells[row * width + column];
                if cell > TOLERANCE {
                    let ratio = self.cells[row * width + width - 1].max(0.0) / cell;
                    let is_less = leaving.is_none_or(|(least, at)| {
                        ratio < least || (ratio == least && self.basic[row] < self.basic[at])
                    });
                    if is_less {
                        leaving = Some((ratio, row));
                    }
                }
            }
            let Some((_, row)) = leaving else { return false };
            self.pivot(row, column);
        }
        false
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.width;
        let inverse = 1.0 / self.cells[row * width + column];
        self.cells[row * width..][..width].iter_mut().for_each(|cell| *cell *= inverse);
        let own: Vec<f64> = self.cells[row * width..][..width].to_vec();
        for other in 0..=self.num_rows() {
            let by = self.cells[other * width + column];
            if other != row && by != 0.0 {
                let cells = &mut self.cells[other * width..][..width];
                cells.iter_mut().zip(&own).for_each(|(cell, own)| *cell -= by * own);
            }
        }
        self.basic[row] = column;
    }

    fn change(&self, n: usize) -> Vec<f64> {
        let mut change = vec![0.0; n];
        for (row, &column) in self.basic.iter().enumerate() {
            let value = self.cells[row * self.width + self.width - 1];
            if column < n {
                change[column] += value;
            } else if column < 2 * n {
                change[column - n] -= value;
            }
        }
        change
    }
}
