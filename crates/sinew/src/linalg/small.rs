//! Dense Cholesky of matrices of a dozen rows. By hand: one is solved many times for each of
//! 100,000 points, and faer's set-up costs more than the arithmetic at this size.

/// `A = L Lᵀ`, row after row.
pub(crate) struct SmallSpd {
    lower: Vec<f64>,
    size: usize,
}

impl SmallSpd {
    /// Factors a symmetric matrix in place; `None` unless it is positive definite.
    pub(crate) fn factor(mut matrix: Vec<f64>, size: usize) -> Option<Self> {
        debug_assert_eq!(matrix.len(), size * size);
        for row in 0..size {
            for column in 0..=row {
                let mut left = matrix[row * size + column];
                for k in 0..column {
                    left -= matrix[row * size + k] * matrix[column * size + k];
                }
                if row != column {
                    matrix[row * size + column] = left / matrix[column * size + column];
                } else if left > 0.0 && left.is_finite() {
                    matrix[row * size + row] = left.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self { lower: matrix, size })
    }

    /// `A⁻¹ b`.
    pub(crate) fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let n = self.size;
        for row in 0..n {
            for k in 0..row {
                b[row] -= self.lower[row * n + k] * b[k];
            }
            b[row] /= self.lower[row * n + row];
        }
        for row in (0..n).rev() {
            for k in row + 1..n {
                b[row] -= self.lower[k * n + row] * b[k];
            }
            b[row] /= self.lower[row * n + row];
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_satisfies_its_equations() {
        let matrix = vec![4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 2.0];
        let x = SmallSpd::factor(matrix.clone(), 3).unwrap().solve(vec![1.0, 2.0, 3.0]);
        for (row, b) in matrix.chunks(3).zip([1.0, 2.0, 3.0]) {
            let product: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((product - b).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_positive_has_no_factor() {
        assert!(SmallSpd::factor(vec![1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(SmallSpd::factor(vec![f64::NAN], 1).is_none());
    }
}
