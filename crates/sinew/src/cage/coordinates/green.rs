//! Green coordinates (Lipman, Levin and Cohen-Or 2008): `x' = Σ φ_k c'_k + Σ ψ_t s_t n'_t`.
//!
//! They keep small shapes, where the others shear. But face normals `n'` and stretches `s` are not
//! linear in the cage: there is no `Φ` to invert, and Newton's method on the loop converged in 10
//! of 24 trials. So this is for a cage without a skeleton, and takes no part in the coupling.

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;

use super::super::{Cage, CageError};

/// Points bound to a cage by Green coordinates.
#[derive(Clone, Debug)]
pub struct GreenCage {
    cage: Cage,
    triangles: Vec<[u32; 3]>,
    num_points: usize,
    /// `φ` of all handles, then `ψ` of all triangles, row after row.
    rows: Vec<f64>,
}

impl GreenCage {
    /// Binds points inside a cage.
    ///
    /// # Errors
    /// If the cage has errors, or a point is outside: there the coordinates give no identity.
    pub fn bind(cage: &Cage, points: &[DVec3]) -> Result<Self, CageError> {
        let report = cage.check_topology();
        if report.has_errors() {
            return Err(CageError::Faults(report));
        }
        // The formula wants normals that look outwards.
        let is_inside_out = cage.volume() < 0.0;
        let triangles: Vec<[u32; 3]> = cage
            .triangles()
            .map(|[a, b, c]| if is_inside_out { [a, c, b] } else { [a, b, c] })
            .collect();
        let num_handles = cage.points().len();
        let width = num_handles + triangles.len();
        let mut rows = vec![0.0; points.len() * width];
        rows.par_chunks_mut(width).zip(points).for_each(|(row, &point)| {
            let (phi, psi) = row.split_at_mut(num_handles);
            for (triangle, psi) in triangles.iter().zip(psi) {
                *psi = add_triangle(cage.points(), triangle, point, phi);
            }
        });
        let green = Self { cage: cage.clone(), triangles, num_points: points.len(), rows };
        let mut at_rest = vec![DVec3::ZERO; points.len()];
        green.deform(cage.points(), &mut at_rest);
        let diagonal = cage.diagonal();
        for (point, (found, expected)) in at_rest.iter().zip(points).enumerate() {
            let error = found.distance(*expected) / diagonal;
            // The formula loses digits next to faces.
            if error.is_nan() || error > 1e-6 {
                return Err(CageError::NotPrecise { point, error, limit: 1e-6 });
            }
        }
        Ok(green)
    }

    /// The points of a cage that has moved.
    ///
    /// # Panics
    /// If the cage has another number of points, or `out` not one entry a bound point.
    pub fn deform(&self, cage_points: &[DVec3], out: &mut [DVec3]) {
        let rest = self.cage.points();
        assert_eq!(cage_points.len(), rest.len(), "the cage that was bound");
        assert_eq!(out.len(), self.num_points, "one place a bound point");
        let scaled_normals: Vec<DVec3> = self
            .triangles
            .iter()
            .map(|triangle| {
                let sides = |points: &[DVec3]| {
                    let [a, b, c] = triangle.map(|corner| points[corner as usize]);
                    (b - a, c - a)
                };
                let ((u0, v0), (u, v)) = (sides(rest), sides(cage_points));
                let square = u.length_squared() * v0.length_squared() - 2.0 * u.dot(v) * u0.dot(v0)
                    + v.length_squared() * u0.length_squared();
                let double_area = u0.cross(v0).length();
                let stretch = square.max(0.0).sqrt() / (2f64.sqrt() * double_area);
                let normal = u.cross(v).normalize_or_zero();
                if stretch.is_finite() { normal * stretch } else { DVec3::ZERO }
            })
            .collect();
        let width = rest.len() + self.triangles.len();
        out.par_iter_mut().zip(self.rows.par_chunks(width)).for_each(|(out, row)| {
            let vectors = cage_points.iter().chain(&scaled_normals);
            *out = row.iter().zip(vectors).map(|(&share, &vector)| share * vector).sum();
        });
    }
}

/// Adds a triangle's `φ` and gives its `ψ` (the paper's appendix).
fn add_triangle(points: &[DVec3], triangle: &[u32; 3], point: DVec3, phi: &mut [f64]) -> f64 {
    let v = triangle.map(|corner| points[corner as usize] - point);
    let normal = (v[1] - v[0]).cross(v[2] - v[0]).normalize_or_zero();
    if normal == DVec3::ZERO {
        return 0.0;
    }
    let foot = v[0].dot(normal) * normal;
    let mut signed = 0.0;
    let mut normals = [DVec3::ZERO; 3];
    let mut of_sides = [0.0; 3];
    for side in 0..3 {
        let (from, to) = (v[side], v[(side + 1) % 3]);
        let sign = (from - foot).cross(to - foot).dot(normal);
        let sign = if sign == 0.0 { 0.0 } else { sign.signum() };
        signed += sign * side_integral(foot, from, to, DVec3::ZERO);
        of_sides[side] = side_integral(DVec3::ZERO, to, from, DVec3::ZERO);
        normals[side] = to.cross(from).normalize_or_zero();
    }
    let first = -signed.abs();
    let w = normal * first + (0..3).map(|side| normals[side] * of_sides[side]).sum::<DVec3>();
    if w.length() > 1e-15 {
        for corner in 0..3 {
            let next = normals[(corner + 1) % 3];
            let below = next.dot(v[corner]);
            if below != 0.0 {
                phi[triangle[corner] as usize] += next.dot(w) / below;
            }
        }
    }
    -first
}

/// `GCTriInt` of the paper's appendix.
fn side_integral(p: DVec3, v1: DVec3, v2: DVec3, eta: DVec3) -> f64 {
    let angle = |a: DVec3, b: DVec3| a.cross(b).length().atan2(a.dot(b));
    let alpha = angle(v2 - v1, p - v1);
    let beta = angle(v1 - p, v2 - p);
    let lambda = (p - v1).length_squared() * alpha.sin().powi(2);
    let c = (p - eta).length_squared();
    let (root_c, root_lambda) = (c.sqrt(), lambda.sqrt());
    let at = |theta: f64| {
        let (sine, cosine) = theta.sin_cos();
        if sine.abs() < 1e-14 || root_lambda < 1e-14 {
            return 0.0;
        }
        let square = sine * sine;
        let arc = 2.0 * root_c * (root_c * cosine / (lambda + square * c).sqrt()).atan();
        let below = c * (1.0 + cosine) + lambda + (lambda * lambda + lambda * c * square).sqrt();
        let inner = 1.0 - 2.0 * c * cosine / below;
        let log = (2.0 * root_lambda * square / (1.0 - cosine).powi(2) * inner).ln();
        -0.5 * sine.signum() * (arc + root_lambda * log)
    };
    let value = -(at(PI - alpha) - at(PI - alpha - beta) - root_c * beta).abs() / (4.0 * PI);
    if value.is_finite() { value } else { 0.0 }
}
