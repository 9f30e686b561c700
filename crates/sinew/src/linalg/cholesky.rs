//! Sparse Cholesky: the constructor factors, a method solves.

use faer::linalg::solvers::Solve as _;
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};

/// Why a matrix has no factor: it is not symmetric positive definite, or too large for this
/// machine's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositive;

/// `A = L·Lᵀ` with a fill-reducing order.
pub(crate) struct SparseCholesky {
    factor: Llt<usize, f64>,
    num_rows: usize,
}

impl SparseCholesky {
    /// Factors a symmetric matrix given by the entries `(row, column, value)` of its lower
    /// triangle.
    pub(crate) fn factor(num_rows: usize, lower: &[(u32, u32, f64)]) -> Result<Self, NotPositive> {
        let entries: Vec<_> = lower
            .iter()
            .map(|&(row, column, value)| Triplet::new(row as usize, column as usize, value))
            .collect();
        let matrix =
            SparseColMat::<usize, f64>::try_new_from_triplets(num_rows, num_rows, &entries)
                .map_err(|_| NotPositive)?;
        let factor = matrix.sp_cholesky(Side::Lower).map_err(|_| NotPositive)?;
        Ok(Self { factor, num_rows })
    }

    /// Solves `A·x = b` for each column in place.
    ///
    /// # Panics
    /// If a column has not one entry a row.
    pub(crate) fn solve(&self, columns: &mut [Vec<f64>]) {
        if columns.is_empty() || self.num_rows == 0 {
            return;
        }
        let mut dense =
            Mat::from_fn(self.num_rows, columns.len(), |row, column| columns[column][row]);
        self.factor.solve_in_place(dense.as_mut());
        for (column, values) in columns.iter_mut().enumerate() {
            assert_eq!(values.len(), self.num_rows, "one entry a row");
            for (row, value) in values.iter_mut().enumerate() {
                *value = dense[(row, column)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_system_is_solved_for_several_right_hand_sides() {
        // [4 1 0; 1 3 -1; 0 -1 2]
        let lower = [(0, 0, 4.0), (1, 0, 1.0), (1, 1, 3.0), (2, 1, -1.0), (2, 2, 2.0)];
        let factor = SparseCholesky::factor(3, &lower).unwrap();
        let mut columns = [vec![6.0, 4.0, 4.0], vec![4.0, 1.0, 0.0]];
        factor.solve(&mut columns);
        for (found, expected) in columns.iter().flatten().zip([1.0, 2.0, 3.0, 1.0, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{columns:?}");
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert!(SparseCholesky::factor(2, &[(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)]).is_err());
    }
}
