//! GMRES (Saad and Schultz 1986): `A x = b` for a matrix that is known by its products alone.
//!
//! Step by step `x` is the best in the span of `b, A b, A² b …`. An orthonormal basis of the span
//! is kept, so `k` steps take `k` products and `k²` products of vectors.

/// What was found.
pub(crate) struct Found {
    /// The best that the steps could do.
    pub(crate) x: Vec<f64>,
    /// Products that it took.
    pub(crate) steps: usize,
}

/// At most so many steps, until `|A x − b|` is below a share of `|b|`.
pub(crate) fn gmres(
    mut product: impl FnMut(&[f64], &mut [f64]),
    b: &[f64],
    most_steps: usize,
    share: f64,
) -> Found {
    let size = dot(b, b).sqrt();
    let mut x = vec![0.0; b.len()];
    // Not `size > 0`: what is no number has no answer either.
    if size == 0.0 || !size.is_finite() {
        return Found { x, steps: 0 };
    }
    let mut basis: Vec<Vec<f64>> = vec![b.iter().map(|value| value / size).collect()];
    // Columns of the triangle that rotations make of the products in the basis.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    let mut left = vec![size];
    for step in 0..most_steps.min(b.len()) {
        let mut next = vec![0.0; b.len()];
        product(&basis[step], &mut next);
        let mut column = vec![0.0; step + 2];
        // Twice: once leaves what rounding lost.
        for _ in 0..2 {
            for (entry, vector) in column.iter_mut().zip(&basis) {
                let along = dot(vector, &next);
                *entry += along;
                next.iter_mut().zip(vector).for_each(|(next, value)| *next -= along * value);
            }
        }
        let rest = dot(&next, &next).sqrt();
        column[step + 1] = rest;
        for (row, &(cosine, sine)) in rotations.iter().enumerate() {
            let (a, b) = (column[row], column[row + 1]);
            (column[row], column[row + 1]) = (cosine * a + sine * b, cosine * b - sine * a);
        }
        let radius = column[step].hypot(rest);
        if radius == 0.0 || !radius.is_finite() {
            break;
        }
        let (cosine, sine) = (column[step] / radius, rest / radius);
        column[step] = radius;
        column.truncate(step + 1);
        columns.push(column);
        rotations.push((cosine, sine));
        left.push(-sine * left[step]);
        left[step] *= cosine;
        if left[step + 1].abs() <= share * size || rest <= f64::EPSILON * radius {
            break;
        }
        basis.push(next.into_iter().map(|value| value / rest).collect());
    }
    let steps = columns.len();
    let mut shares = left;
    for row in (0..steps).rev() {
        let known: f64 = (row + 1..steps).map(|column| columns[column][row] * shares[column]).sum();
        shares[row] = (shares[row] - known) / columns[row][row];
    }
    for (share, vector) in shares.iter().zip(&basis).take(steps) {
        x.iter_mut().zip(vector).for_each(|(x, value)| *x += share * value);
    }
    Found { x, steps }
}

/// In four sums, which go on beside one another.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, rest_of_a) = a.as_chunks::<4>();
    let (b, rest_of_b) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest = rest_of_a.iter().zip(rest_of_b).map(|(a, b)| a * b);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(matrix: &[[f64; 5]; 5], vector: &[f64], out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(matrix) {
            *out = dot(row, vector);
        }
    }

    #[test]
    fn as_many_steps_as_there_are_rows_solve_anything_that_has_an_answer() {
        let matrix = [
            [4.0, 1.0, 0.0, -2.0, 0.5],
            [0.0, 3.0, 7.0, 0.0, 1.0],
            [1.0, -1.0, 0.2, 0.0, 0.0],
            [0.0, 0.0, 5.0, 1.0, -3.0],
            [2.0, 0.0, 0.0, 1.0, 1.0],
        ];
        let wanted = [1.0, -2.0, 0.5, 3.0, 0.1];
        let mut b = [0.0; 5];
        times(&matrix, &wanted, &mut b);
        let found = gmres(|v, out| times(&matrix, v, out), &b, 60, 0.0);
        assert_eq!(found.steps, 5);
        for (found, wanted) in found.x.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
        }
        let some = gmres(|v, out| times(&matrix, v, out), &b, 2, 0.0);
        assert!((some.x[0] - 1.0).abs() > 1e-3, "two steps are too few");
    }

    #[test]
    fn one_step_solves_a_multiple_of_the_identity_and_nothing_needs_none() {
        let double = |v: &[f64], out: &mut [f64]| {
            out.iter_mut().zip(v).for_each(|(out, v)| *out = 2.0 * v);
        };
        let found = gmres(double, &[1.0, 2.0, 3.0], 60, 1e-12);
        assert_eq!((found.steps, found.x), (1, vec![0.5, 1.0, 1.5]));
        assert_eq!(gmres(double, &[0.0; 3], 60, 1e-12).x, [0.0; 3]);
        let flat = gmres(|_, out: &mut [f64]| out.fill(0.0), &[1.0, 1.0], 60, 1e-12);
        assert_eq!((flat.steps, flat.x), (0, vec![0.0, 0.0]));
    }
}
