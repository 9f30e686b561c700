//! Dense matrices over faer: products, LU, inverse and condition. Column after column.

use faer::linalg::solvers::{PartialPivLu, Solve as _};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use glam::DVec3;

/// A dense matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense {
    matrix: Mat<f64>,
}

impl Dense {
    /// Of zeros.
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self { matrix: Mat::zeros(rows, columns) }
    }

    /// Entry by entry.
    pub(crate) fn from_fn(
        rows: usize,
        columns: usize,
        at: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        Self { matrix: Mat::from_fn(rows, columns, at) }
    }

    /// How many rows.
    pub(crate) fn num_rows(&self) -> usize {
        self.matrix.nrows()
    }

    /// How many columns.
    pub(crate) fn num_columns(&self) -> usize {
        self.matrix.ncols()
    }

    /// An entry.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.matrix[(row, column)]
    }

    /// An entry, to be written.
    pub(crate) fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.matrix[(row, column)]
    }

    /// A column.
    pub(crate) fn column(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        self.matrix.col(column).iter().copied()
    }

    /// `self · other`.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut out = Mat::zeros(self.num_rows(), other.num_columns());
        multiply(out.as_mut(), self.matrix.as_ref(), other.matrix.as_ref());
        Self { matrix: out }
    }

    /// `self · vectors`, three columns at once.
    ///
    /// # Panics
    /// If there is not one vector a column, and one in `out` a row.
    pub(crate) fn times_vectors(&self, vectors: &[DVec3], out: &mut [DVec3]) {
        assert_eq!(vectors.len(), self.num_columns(), "one vector a column");
        assert_eq!(out.len(), self.num_rows(), "one vector a row");
        let (rows, columns) = (out.len(), vectors.len());
        let vectors = MatRef::from_row_major_slice(bytemuck::cast_slice(vectors), columns, 3);
        let out = bytemuck::cast_slice_mut(out);
        multiply(MatMut::from_row_major_slice_mut(out, rows, 3), self.matrix.as_ref(), vectors);
    }

    /// `selfᵀ`.
    pub(crate) fn transposed(&self) -> Self {
        Self { matrix: self.matrix.transpose().to_owned() }
    }

    /// The inverse; `None` where an entry of it is not finite.
    pub(crate) fn inverse(&self) -> Option<Self> {
        let n = self.num_rows();
        debug_assert_eq!(n, self.num_columns());
        let mut out = Mat::identity(n, n);
        if n > 0 {
            self.matrix.partial_piv_lu().solve_in_place(out.as_mut());
        }
        let inverse = Self { matrix: out };
        inverse.is_finite().then_some(inverse)
    }

    /// True if every entry is a number.
    pub(crate) fn is_finite(&self) -> bool {
        (0..self.num_columns()).all(|column| self.column(column).all(f64::is_finite))
    }

    /// The largest singular value over the smallest; infinite for a singular matrix.
    pub(crate) fn condition(&self) -> f64 {
        let Ok(values) = self.matrix.singular_values() else { return f64::INFINITY };
        let (Some(largest), Some(smallest)) = (values.first(), values.last()) else { return 1.0 };
        if *smallest > 0.0 { largest / smallest } else { f64::INFINITY }
    }
}

fn multiply(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    faer::linalg::matmul::matmul(out, Accum::Replace, a, b, 1.0, Par::Seq);
}

/// `A = P L U`: factored once, solved many times.
#[derive(Clone, Debug)]
pub(crate) struct DenseLu {
    factor: PartialPivLu<f64>,
    size: usize,
}

impl DenseLu {
    /// Factors a square matrix. A singular one has a factor too; its solutions are not finite.
    pub(crate) fn factor(matrix: &Dense) -> Self {
        Self { factor: matrix.matrix.partial_piv_lu(), size: matrix.num_rows() }
    }

    /// `A⁻¹ b` in place.
    ///
    /// # Panics
    /// If `b` has not one entry a row.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.size, "one entry a row");
        self.factor.solve_in_place(MatMut::from_column_major_slice_mut(b, self.size, 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_vectors_is_three_products() {
        let matrix = Dense::from_fn(2, 3, |row, column| (3 * row + column) as f64);
        let vectors = [DVec3::new(1.0, 2.0, 0.0), DVec3::new(0.0, 1.0, 3.0), DVec3::X];
        let mut out = [DVec3::ONE; 2];
        matrix.times_vectors(&vectors, &mut out);
        assert_eq!(out, [DVec3::new(2.0, 1.0, 3.0), DVec3::new(8.0, 10.0, 12.0)]);
    }

    #[test]
    fn inverse_lu_and_condition_are_of_the_matrix() {
        let at = |row: usize, column: usize| {
            [[2.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.5, 0.0, 4.0]][row][column]
        };
        let matrix = Dense::from_fn(3, 3, at);
        let product = matrix.times(&matrix.inverse().unwrap());
        let mut b = [3.0, 3.0, 4.5];
        DenseLu::factor(&matrix).solve(&mut b);
        for row in 0..3 {
            assert!((b[row] - 1.0).abs() < 1e-14, "{b:?}");
            for column in 0..3 {
                let expected = if row == column { 1.0 } else { 0.0 };
                assert!((product.at(row, column) - expected).abs() < 1e-15);
            }
        }
        assert!((1.0..10.0).contains(&matrix.condition()));
        let singular = Dense::from_fn(2, 2, |_, _| 1.0);
        assert!(singular.condition() > 1e15);
        assert!(singular.inverse().is_none());
    }
}
