//! Blend shapes: named displacements of the rest points, `M = M0 + Σ w_k·ΔS_k` (course notes, eq.
//! 11).
//!
//! They act before the skin: what joints move is the shaped mesh. Normals are not part of a shape;
//! who needs them recomputes them from the shaped points.
//!
//! In-betweens and combinations are shapes whose weight another's drives: [`crate::rigging`].

mod deltas;

pub use deltas::Deltas;

use glam::Vec3;

use crate::character::Part;

/// A named target: how far each welded point moves at weight one.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendShape {
    /// As the file has it.
    pub name: String,
    /// One displacement a welded point, model space; only those that move are kept.
    pub deltas: Deltas,
    /// Its weight where nothing else says one; mostly zero.
    pub rest_weight: f32,
}

impl Part {
    /// The weights of its shapes where no clip moves them.
    pub fn rest_shape_weights(&self) -> Vec<f32> {
        self.shapes.iter().map(|shape| shape.rest_weight).collect()
    }

    /// Its welded points under shapes, before any joint moves them. Weights that are missing are
    /// zero.
    pub fn shaped_points(&self, weights: &[f32]) -> Vec<Vec3> {
        let mut points = self.mesh.points().to_vec();
        self.shape_points(weights, &mut points);
        points
    }

    /// The same, into memory that is there.
    ///
    /// # Panics
    /// If `points` has not one entry a welded point.
    pub fn shape_points(&self, weights: &[f32], points: &mut [Vec3]) {
        points.copy_from_slice(self.mesh.points());
        for (shape, &weight) in self.shapes.iter().zip(weights) {
            if weight != 0.0 {
                shape.deltas.add_to(weight, points);
            }
        }
    }

    /// The same part with a mesh that has the shapes in it; each normal turns as far as the surface
    /// at its point does. Its `shapes` are those of the unshaped mesh still.
    #[must_use]
    pub fn shaped(&self, weights: &[f32]) -> Self {
        if self.shapes.iter().zip(weights).all(|(_, &weight)| weight == 0.0) {
            return self.clone();
        }
        Self { mesh: self.mesh.with_points(self.shaped_points(weights)), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{RawMesh, RawShape};

    /// A triangle in the plane z = 0, split at one corner, and a shape that lifts what is on the
    /// right.
    fn part() -> Part {
        let raw = RawMesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X],
            normals: vec![Vec3::Z; 4],
            triangles: vec![[0, 1, 2], [0, 3, 2]],
            shapes: vec![RawShape {
                name: "lift".into(),
                deltas: vec![Vec3::ZERO, Vec3::Z, Vec3::ZERO, Vec3::Z],
            }],
            ..RawMesh::default()
        };
        raw.weld().unwrap().part
    }

    #[test]
    fn weights_add_displacements_and_missing_ones_are_zero() {
        let part = part();
        assert_eq!(part.shaped_points(&[0.5])[1], Vec3::new(1.0, 0.0, 0.5));
        assert_eq!(part.shaped_points(&[]), part.mesh.points());
        assert_eq!(part.shaped(&[0.0]), part);
    }

    #[test]
    fn a_shaped_mesh_moves_every_vertex_of_a_point_and_turns_its_normals() {
        let shaped = part().shaped(&[1.0]);
        let lifted = Vec3::new(1.0, 0.0, 1.0);
        assert_eq!(shaped.mesh.vertex_positions()[1], lifted);
        assert_eq!(shaped.mesh.vertex_positions()[3], lifted);
        let expected = lifted.cross(Vec3::Y).normalize();
        for normal in shaped.mesh.vertex_normals() {
            assert!(normal.distance(expected) < 1e-6, "{normal}");
        }
    }
}
