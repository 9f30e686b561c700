//! Folds: edges across which the surface was nearly flat at rest and has turned back on itself.
//!
//! A second opinion on inverted triangles that needs no rotation of the limb: an inverted patch has
//! a fold around it.

use glam::{DVec3, Vec3};

/// Normals nearer than this at rest (the cosine of 25°) are of a flat surface; box edges are none.
const FLAT_COSINE: f64 = 0.9;
/// Normals further apart than this (the cosine of 101°) are of a fold; a bend that a mesh can show
/// is below 90° an edge.
const FOLDED_COSINE: f64 = -0.2;

/// Pairs of triangles that share an edge and are nearly flat at rest.
#[derive(Clone, Debug)]
pub struct Folds {
    flat_pairs: Vec<[[u32; 3]; 2]>,
}

impl Folds {
    /// Takes the rest shape.
    pub fn bind(rest: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut first_of_edge = std::collections::HashMap::new();
        let mut flat_pairs = Vec::new();
        for &[a, b, c] in triangles {
            for edge in [[a, b], [b, c], [c, a]] {
                let key = [edge[0].min(edge[1]), edge[0].max(edge[1])];
                // Of a third triangle on an edge only the pair with the second counts.
                if let Some(first) = first_of_edge.insert(key, [a, b, c])
                    && cosine(rest, first, [a, b, c]).is_some_and(|cosine| cosine > FLAT_COSINE)
                {
                    flat_pairs.push([first, [a, b, c]]);
                }
            }
        }
        Self { flat_pairs }
    }

    /// How many of them have folded.
    pub fn count(&self, posed: &[Vec3]) -> usize {
        self.flat_pairs
            .iter()
            .filter(|[a, b]| cosine(posed, *a, *b).is_some_and(|cosine| cosine < FOLDED_COSINE))
            .count()
    }
}

/// Between the normals; `None` if one of the triangles has none.
fn cosine(points: &[Vec3], a: [u32; 3], b: [u32; 3]) -> Option<f64> {
    let normal = |t: [u32; 3]| {
        let [p, q, r] = t.map(|index| points[index as usize].as_dvec3());
        (q - p).cross(r - p).try_normalize()
    };
    let (a, b): (DVec3, DVec3) = (normal(a)?, normal(b)?);
    Some(a.dot(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_pulled_over_its_edge_is_a_fold_and_a_right_angle_is_none() {
        let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
        let folds = Folds::bind(&rest, &[[0, 1, 2], [1, 3, 2]]);
        assert_eq!(folds.count(&rest), 0);
        let mut posed = rest;
        posed[3] = Vec3::new(0.5, 0.5, 0.7);
        assert_eq!(folds.count(&posed), 0, "bent up at a right angle");
        posed[3] = Vec3::new(0.1, 0.1, 0.01);
        assert_eq!(folds.count(&posed), 1, "pulled over the edge");
    }

    #[test]
    fn an_edge_that_is_sharp_at_rest_does_not_count() {
        let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.5, 0.5, 0.7)];
        let folds = Folds::bind(&rest, &[[0, 1, 2], [1, 3, 2]]);
        assert!(folds.flat_pairs.is_empty());
    }
}
