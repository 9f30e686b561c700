//! A surface with a row at each point, that can be asked for the row nearest to a place.

use glam::DVec3;

use super::SkinWeights;
use crate::mesh::{Mesh, ShellTree};

/// A corner this near over the distance to the others is the place itself.
const CORNER_SHARE: f64 = 1.0 - 1e-4;

/// Meshes as one surface, with their weights.
pub(super) struct WeightedSurface {
    triangles: Vec<[u32; 3]>,
    points: Vec<DVec3>,
    rows: Vec<Vec<(u32, f64)>>,
    tree: ShellTree,
}

/// What was found at a place.
pub(super) struct Found {
    pub(super) row: Vec<(u32, f64)>,
    pub(super) distance: f64,
    /// Of the triangle, of unit length; nothing where it has no area.
    pub(super) normal: DVec3,
}

impl WeightedSurface {
    /// Of meshes with points and weights, which must fit one another.
    pub(super) fn new<'a>(
        parts: impl IntoIterator<Item = (&'a Mesh, &'a [DVec3], &'a SkinWeights)>,
    ) -> Self {
        let (mut triangles, mut points, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (mesh, places, weights) in parts {
            let first = points.len() as u32;
            points.extend_from_slice(places);
            triangles.extend(mesh.point_triangles().iter().map(|t| t.map(|corner| first + corner)));
            rows.extend(weights.rows().map(|row| -> Vec<(u32, f64)> {
                row.iter().map(|i| (i.joint, f64::from(i.weight))).collect()
            }));
        }
        // Of one shell, and nobody asks from inside of it.
        let tree = ShellTree::new(&points, &triangles, &vec![0; points.len()]);
        Self { triangles, points, rows, tree }
    }

    /// The row at the nearest place of the surface; `None` if there is none.
    pub(super) fn closest(&self, place: DVec3) -> Option<Found> {
        let [hit] = self.tree.closest_of_others::<1>(place, u32::MAX - 1, f64::INFINITY);
        let hit = hit?;
        let corners = self.triangles[hit.triangle as usize];
        let [a, b, c] = corners.map(|corner| self.points[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let mut row: Vec<(u32, f64)> = Vec::new();
        let corner = hit.shares.iter().position(|&share| share > CORNER_SHARE);
        let shares = corner.map_or(hit.shares, |at| {
            let mut only = [0.0; 3];
            only[at] = 1.0;
            only
        });
        for (corner, share) in corners.into_iter().zip(shares) {
            if share == 0.0 {
                continue;
            }
            for &(joint, weight) in &self.rows[corner as usize] {
                match row.iter_mut().find(|entry| entry.0 == joint) {
                    Some(entry) => entry.1 += share * weight,
                    None => row.push((joint, share * weight)),
                }
            }
        }
        Some(Found { row, distance: hit.distance, normal })
    }
}
