//! The cotangent Laplacian of a surface (positive semi-definite) and the lumped areas of its
//! points.
//!
//! Weights are kept positive, `max(½(cot α + cot β), 10⁻³)`, and a corner's cotangent within ±50:
//! with obtuse triangles the plain ones go negative, and diffusion then overshoots its own sources;
//! slivers would make them unbounded.

use glam::DVec3;

use super::{NotPositive, SparseCholesky};

/// Cotangents past this (1.1°) are a sliver's.
const MAX_COTANGENT: f64 = 50.0;
/// What couples points whose triangles are so obtuse that nothing would.
const MIN_WEIGHT: f64 = 1e-3;
/// A point with less area than this over the mean (isolated, or between slivers) counts as having
/// it.
const MIN_AREA_OVER_MEAN: f64 = 1e-6;

/// Edge weights and point areas of a surface.
#[derive(Clone, Debug)]
pub(crate) struct Laplacian {
    /// `(a, b, weight)` with `a < b`, each edge once, ascending.
    edges: Vec<(u32, u32, f64)>,
    /// A third of the triangles around each point.
    areas: Vec<f64>,
}

impl Laplacian {
    /// Of triangles over points.
    ///
    /// # Panics
    /// If a triangle names a point that is not there.
    pub(crate) fn cotangent(points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let mut areas = vec![0.0; points.len()];
        let mut corners: Vec<(u32, u32, f64)> = Vec::with_capacity(3 * triangles.len());
        for triangle in triangles {
            let [a, b, c] = triangle.map(|p| points[p as usize]);
            let double_area = (b - a).cross(c - a).length();
            for corner in 0..3 {
                let [i, j, opposite] = [0, 1, 2].map(|k| triangle[(corner + k) % 3]);
                areas[i as usize] += double_area / 6.0;
                if i == j {
                    continue;
                }
                let at = points[opposite as usize];
                let dot = (points[i as usize] - at).dot(points[j as usize] - at);
                let cotangent = if double_area > 0.0 { dot / double_area } else { 0.0 };
                let weight = 0.5 * cotangent.clamp(-MAX_COTANGENT, MAX_COTANGENT);
                corners.push((i.min(j), i.max(j), weight));
            }
        }
        corners.sort_unstable_by_key(|&(a, b, _)| (a, b));
        let edges = corners
            .chunk_by(|x, y| (x.0, x.1) == (y.0, y.1))
            .map(|on_edge| {
                let weight: f64 = on_edge.iter().map(|corner| corner.2).sum();
                (on_edge[0].0, on_edge[0].1, weight.max(MIN_WEIGHT))
            })
            .collect();
        let total: f64 = areas.iter().sum();
        let least = MIN_AREA_OVER_MEAN * total / points.len().max(1) as f64;
        for area in &mut areas {
            // All points at one place: any area will do.
            *area = if total > 0.0 { area.max(least) } else { 1.0 };
        }
        Self { edges, areas }
    }

    /// The area of each point.
    pub(crate) fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// `(a, b, weight)` with `a < b`, each edge once, ascending.
    pub(crate) fn edges(&self) -> &[(u32, u32, f64)] {
        &self.edges
    }

    /// Factors `L + M`, `M` the diagonal `masses`, positive each.
    pub(crate) fn factor_screened(&self, masses: &[f64]) -> Result<SparseCholesky, NotPositive> {
        let mut diagonal = masses.to_vec();
        let mut lower = Vec::with_capacity(self.edges.len() + masses.len());
        for &(a, b, weight) in &self.edges {
            diagonal[a as usize] += weight;
            diagonal[b as usize] += weight;
            lower.push((b, a, -weight));
        }
        lower.extend(diagonal.iter().enumerate().map(|(row, &v)| (row as u32, row as u32, v)));
        SparseCholesky::factor(masses.len(), &lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_triangle_has_the_weights_of_its_angles() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let laplacian = Laplacian::cotangent(&points, &[[0, 1, 2]]);
        // 45° opposite the legs, 90° opposite the hypotenuse.
        let expected = [(0, 1, 0.5), (0, 2, 0.5), (1, 2, MIN_WEIGHT)];
        for (found, expected) in laplacian.edges.iter().zip(expected) {
            assert_eq!((found.0, found.1), (expected.0, expected.1));
            assert!((found.2 - expected.2).abs() < 1e-12, "{found:?}");
        }
        assert!((laplacian.areas().iter().sum::<f64>() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn diffusion_keeps_a_constant_and_slivers_stay_finite() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, 1e-12, 0.0), DVec3::Y, DVec3::Z];
        let laplacian = Laplacian::cotangent(&points, &[[0, 1, 2], [0, 1, 3], [3, 3, 1]]);
        let masses: Vec<f64> = laplacian.areas().iter().map(|area| area * 4.0).collect();
        let factor = laplacian.factor_screened(&masses).unwrap();
        let mut columns = [masses];
        factor.solve(&mut columns);
        assert!(columns[0].iter().all(|x| (x - 1.0).abs() < 1e-9), "{columns:?}");
    }
}
