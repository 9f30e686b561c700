//! Welding: vertices at one place, with equal weights and equal shapes, become one point.
//!
//! A file splits a vertex where UVs or normals differ; those halves must move as one. Two vertices
//! that merely coincide at rest but move apart (lips, a shirt hem on a belt) are a real gap and
//! stay two points: position alone does not decide.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::near::EarlierNear;
use super::{Aabb, Group, Mesh, MeshError, Tables};
use crate::character::Part;
use crate::shape::BlendShape;
use crate::weights::SkinWeights;

/// Vertices this near, over the bounding-box diagonal, are at one place. Exporters write both
/// halves of a seam with the same bits or, after a transform, a few ulps apart.
const WELD_TOLERANCE_OVER_DIAGONAL: f32 = 1e-6;

/// Weights this near are equal: both halves of a seam were rounded to the same 8 bits or computed
/// apart.
const EQUAL_WEIGHT_TOLERANCE: f32 = 1e-5;

/// Smaller meshes take less time than it takes to wake a second thread.
const MIN_PARALLEL_VERTICES: usize = 1 << 14;
/// Triangles a task.
const MIN_PER_TASK: usize = 1 << 14;

/// A shape target as a file has it: one displacement a *render vertex*.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawShape {
    /// As the file has it.
    pub name: String,
    /// One displacement a vertex.
    pub deltas: Vec<Vec3>,
}

/// Arrays as a file or a generator has them, one entry a render vertex. Optional streams may be
/// empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawMesh {
    /// As the file has it.
    pub name: String,
    /// Model space, at rest.
    pub positions: Vec<Vec3>,
    /// Empty or one a vertex.
    pub normals: Vec<Vec3>,
    /// Empty or one a vertex.
    pub uvs: Vec<Vec2>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Named runs of triangles.
    pub groups: Vec<Group>,
    /// One row a vertex.
    pub weights: Option<SkinWeights>,
    /// Targets with one displacement a vertex.
    pub shapes: Vec<RawShape>,
}

/// What welding found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeldReport {
    /// Render vertices that share their point with an earlier one.
    pub welded_vertices: usize,
    /// Vertices that lie on a point but stayed apart since their weights differ.
    pub seams_with_differing_weights: Vec<u32>,
    /// Vertices that lie on a point but stayed apart since their shapes differ.
    pub seams_with_differing_shapes: Vec<u32>,
    /// Triangles that welding (or the file) left with fewer than three distinct points.
    pub collapsed_triangles: Vec<u32>,
}

/// A welded mesh with what is bound to its points, and what welding found.
#[derive(Clone, Debug, PartialEq)]
pub struct Welded {
    /// The mesh, its weights and shapes over welded points.
    pub part: Part,
    /// What welding found.
    pub report: WeldReport,
}

impl RawMesh {
    /// Welds within a millionth of the diagonal.
    pub fn weld(self) -> Result<Welded, MeshError> {
        let diagonal = Aabb::around(self.positions.iter().copied()).diagonal();
        self.weld_within(diagonal * WELD_TOLERANCE_OVER_DIAGONAL)
    }

    /// Welds vertices not further apart than `tolerance`, in metres. Zero, or less, welds exact
    /// copies.
    pub fn weld_within(mut self, tolerance: f32) -> Result<Welded, MeshError> {
        let weights = self.weights.take();
        self.weld_within_with(tolerance, || weights)
    }

    /// [`RawMesh::weld`] with weights that are made while vertices at one place are looked for: of
    /// a large mesh each takes milliseconds.
    pub fn weld_with(
        self,
        weights: impl FnOnce() -> Option<SkinWeights> + Send,
    ) -> Result<Welded, MeshError> {
        let diagonal = Aabb::around(self.positions.iter().copied()).diagonal();
        self.weld_within_with(diagonal * WELD_TOLERANCE_OVER_DIAGONAL, weights)
    }

    fn weld_within_with(
        mut self,
        tolerance: f32,
        weights: impl FnOnce() -> Option<SkinWeights> + Send,
    ) -> Result<Welded, MeshError> {
        self.validate()?;
        let tolerance = tolerance.max(0.0);
        let positions = &self.positions;
        let (near, weights) = if positions.len() < MIN_PARALLEL_VERTICES {
            (EarlierNear::new(positions, tolerance), weights())
        } else {
            rayon::join(|| EarlierNear::new(positions, tolerance), weights)
        };
        self.weights = weights;
        self.check_weights()?;
        let mut report = WeldReport::default();
        let (point_of_vertex, vertex_of_point) = self.find_points(&near, tolerance, &mut report);
        Ok(self.build(point_of_vertex, &vertex_of_point, report))
    }

    /// Welds as the source says, for files that know their own points: vertices with one label are
    /// one point, wherever they lie. Points are numbered in the order in which the vertices first
    /// name them; of several vertices the first gives weights and shapes.
    pub fn weld_by(self, label_of_vertex: &[u32]) -> Result<Welded, MeshError> {
        self.validate()?;
        self.check_weights()?;
        if label_of_vertex.len() != self.positions.len() {
            return Err(MeshError::StreamLength {
                mesh: self.name,
                stream: "point labels".to_owned(),
                expected: self.positions.len(),
                found: label_of_vertex.len(),
            });
        }
        let (point_of_vertex, vertex_of_point) = points_of_labels(label_of_vertex);
        Ok(self.build(point_of_vertex, &vertex_of_point, WeldReport::default()))
    }

    /// The mesh of validated arrays whose points are known.
    fn build(
        self,
        point_of_vertex: Vec<u32>,
        vertex_of_point: &[u32],
        mut report: WeldReport,
    ) -> Welded {
        let gather = |of_vertex: &[Vec3]| -> Vec<Vec3> {
            vertex_of_point.iter().map(|&v| of_vertex[v as usize]).collect()
        };
        let points = gather(&self.positions);
        let shapes = self
            .shapes
            .iter()
            .map(|shape| BlendShape {
                name: shape.name.clone(),
                deltas: gather(&shape.deltas).into(),
                rest_weight: 0.0,
            })
            .collect();
        // Without a seam every vertex is a point, in order.
        let has_seams = points.len() < point_of_vertex.len();
        let mut weights = self.weights;
        let mut keep_rows = || {
            if let Some(weights) = weights.as_mut().filter(|_| has_seams) {
                weights.keep_rows(vertex_of_point);
            }
        };
        let over_points = || -> Vec<[u32; 3]> {
            let triangles = self.triangles.par_iter().with_min_len(MIN_PER_TASK);
            triangles.map(|t| t.map(|v| point_of_vertex[v as usize])).collect()
        };
        let ((), point_triangles) = if point_of_vertex.len() < MIN_PARALLEL_VERTICES {
            (keep_rows(), over_points())
        } else {
            rayon::join(keep_rows, over_points)
        };
        report.collapsed_triangles = point_triangles
            .iter()
            .enumerate()
            .filter(|(_, [a, b, c])| a == b || b == c || c == a)
            .map(|(index, _)| index as u32)
            .collect();
        report.welded_vertices = point_of_vertex.len() - points.len();

        let mesh = Mesh(Arc::new(Tables {
            name: self.name,
            points,
            point_of_vertex,
            vertex_positions: self.positions,
            vertex_normals: self.normals,
            vertex_uvs: self.uvs,
            triangles: self.triangles,
            point_triangles,
            groups: self.groups,
        }));
        Welded { part: Part { mesh, weights, shapes, materials: Vec::new() }, report }
    }

    fn validate(&self) -> Result<(), MeshError> {
        let mesh = || self.name.clone();
        let num_vertices = self.positions.len();
        if u32::try_from(num_vertices).is_err() {
            return Err(MeshError::TooLarge { mesh: mesh(), num_vertices });
        }
        let check_length = |stream: &str, found: usize, optional: bool| {
            if found == num_vertices || (optional && found == 0) {
                return Ok(());
            }
            Err(MeshError::StreamLength {
                mesh: mesh(),
                stream: stream.to_owned(),
                expected: num_vertices,
                found,
            })
        };
        check_length("normals", self.normals.len(), true)?;
        check_length("uvs", self.uvs.len(), true)?;
        for shape in &self.shapes {
            check_length(
                &format!("displacements of shape '{}'", shape.name),
                shape.deltas.len(),
                false,
            )?;
        }
        // The largest of all is found many at a time, the first that is too large only where there
        // is one.
        let largest = self.triangles.as_flattened().iter().fold(0, |most, &v| most.max(v));
        if largest as usize >= num_vertices {
            let corners = self.triangles.as_flattened();
            if let Some(corner) = corners.iter().position(|&v| v as usize >= num_vertices) {
                return Err(MeshError::VertexOutOfRange {
                    mesh: mesh(),
                    triangle: corner / 3,
                    vertex: corners[corner],
                    num_vertices,
                });
            }
        }
        for group in &self.groups {
            let range = &group.triangles;
            if range.start > range.end || range.end as usize > self.triangles.len() {
                return Err(MeshError::GroupOutOfRange {
                    mesh: mesh(),
                    group: group.name.clone(),
                    start: range.start,
                    end: range.end,
                    num_triangles: self.triangles.len(),
                });
            }
        }
        // As above: no branch a vertex.
        if self.positions.iter().fold(true, |all, p| all & p.is_finite()) {
            return Ok(());
        }
        match self.positions.iter().position(|p| !p.is_finite()) {
            Some(vertex) => Err(MeshError::NotFinite { mesh: mesh(), vertex }),
            None => Ok(()),
        }
    }

    fn check_weights(&self) -> Result<(), MeshError> {
        let expected = self.positions.len();
        match self.weights.as_ref().map(SkinWeights::num_points) {
            Some(found) if found != expected => Err(MeshError::StreamLength {
                mesh: self.name.clone(),
                stream: "weights".to_owned(),
                expected,
                found,
            }),
            _ => Ok(()),
        }
    }

    /// The point of each vertex, and for each point the first vertex on it.
    fn find_points(
        &self,
        near: &EarlierNear,
        tolerance: f32,
        report: &mut WeldReport,
    ) -> (Vec<u32>, Vec<u32>) {
        let mut near = near.cursor();
        let mut vertex_of_point: Vec<u32> = Vec::with_capacity(self.positions.len());
        let mut point_of_vertex: Vec<u32> = Vec::with_capacity(self.positions.len());
        for (vertex, &position) in self.positions.iter().enumerate() {
            let vertex = vertex as u32;
            let mut differing_weights = false;
            let mut differing_shapes = false;
            let mut found: Option<u32> = None;
            for earlier in near.earlier(vertex) {
                let point = point_of_vertex[earlier as usize];
                let first = vertex_of_point[point as usize];
                if self.positions[first as usize].distance(position) > tolerance {
                    continue;
                }
                if !self.same_weights(vertex, first) {
                    differing_weights = true;
                } else if !self.same_shapes(vertex, first, tolerance) {
                    differing_shapes = true;
                } else {
                    // Of several the first.
                    found = Some(found.map_or(point, |known| known.min(point)));
                }
            }
            let point = found.unwrap_or_else(|| {
                if differing_weights {
                    report.seams_with_differing_weights.push(vertex);
                } else if differing_shapes {
                    report.seams_with_differing_shapes.push(vertex);
                }
                vertex_of_point.push(vertex);
                vertex_of_point.len() as u32 - 1
            });
            point_of_vertex.push(point);
        }
        (point_of_vertex, vertex_of_point)
    }

    fn same_weights(&self, a: u32, b: u32) -> bool {
        self.weights.as_ref().is_none_or(|weights| {
            weights.rows_equal(a as usize, b as usize, EQUAL_WEIGHT_TOLERANCE)
        })
    }

    fn same_shapes(&self, a: u32, b: u32, tolerance: f32) -> bool {
        self.shapes
            .iter()
            .all(|shape| shape.deltas[a as usize].distance(shape.deltas[b as usize]) <= tolerance)
    }
}

/// Labels that a table may have for each vertex: those of other files go through a hash.
const MAX_TABLE_PER_VERTEX: usize = 4;

/// The point of each vertex, and for each point the first vertex on it: points are numbered as
/// labels first come.
fn points_of_labels(label_of_vertex: &[u32]) -> (Vec<u32>, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let mut vertex_of_point = Vec::with_capacity(label_of_vertex.len());
    let largest = label_of_vertex.iter().copied().fold(0, u32::max) as usize;
    let next_point = |point: &mut u32, vertex: usize, vertex_of_point: &mut Vec<u32>| {
        if *point == NONE {
            *point = vertex_of_point.len() as u32;
            vertex_of_point.push(vertex as u32);
        }
        *point
    };
    let labels = label_of_vertex.iter().enumerate();
    let point_of_vertex = if largest / MAX_TABLE_PER_VERTEX <= label_of_vertex.len() {
        let mut table = vec![NONE; largest + 1];
        labels
            .map(|(vertex, &label)| {
                next_point(&mut table[label as usize], vertex, &mut vertex_of_point)
            })
            .collect()
    } else {
        let mut table = HashMap::with_capacity(label_of_vertex.len());
        labels
            .map(|(vertex, &label)| {
                next_point(table.entry(label).or_insert(NONE), vertex, &mut vertex_of_point)
            })
            .collect()
    };
    (point_of_vertex, vertex_of_point)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle_at_one_place() -> RawMesh {
        RawMesh { positions: vec![Vec3::ONE; 3], triangles: vec![[0, 1, 2]], ..RawMesh::default() }
    }

    #[test]
    fn labels_decide_what_is_one_point_and_the_place_does_not() {
        let welded = triangle_at_one_place().weld_by(&[7, 3, 7]).unwrap();
        assert_eq!(welded.part.mesh.point_of_vertex(), [0, 1, 0]);
        assert_eq!(welded.report.collapsed_triangles, [0]);
        let apart = triangle_at_one_place().weld_by(&[0, 1, 2]).unwrap();
        assert_eq!(apart.part.mesh.points().len(), 3);
    }

    /// Two triangles that share an edge, with the edge's vertices split; `gap` apart.
    fn split_edge(gap: f32) -> RawMesh {
        let p = |x: f32, y: f32| Vec3::new(x, y, 0.0);
        RawMesh {
            name: "hem".into(),
            positions: vec![p(0., 0.), p(0., 1.), p(-1., 0.), p(gap, 0.), p(gap, 1.), p(1., 0.)],
            triangles: vec![[0, 1, 2], [3, 5, 4]],
            ..RawMesh::default()
        }
    }

    #[test]
    fn a_seam_becomes_one_edge_and_keeps_its_vertices() {
        let Welded { part, report } = split_edge(0.0).weld().unwrap();
        assert_eq!(part.mesh.point_of_vertex(), [0, 1, 2, 0, 1, 3]);
        assert_eq!(part.mesh.num_vertices(), 6);
        assert_eq!(report.welded_vertices, 2);
    }

    #[test]
    fn vertices_within_the_tolerance_are_one_and_beyond_it_are_two() {
        assert_eq!(split_edge(1e-4).weld_within(2e-4).unwrap().part.mesh.points().len(), 4);
        assert_eq!(split_edge(1e-4).weld_within(5e-5).unwrap().part.mesh.points().len(), 6);
        for none in [0.0, -1.0, f32::NAN] {
            assert_eq!(split_edge(0.0).weld_within(none).unwrap().part.mesh.points().len(), 4);
            assert_eq!(split_edge(1e-10).weld_within(none).unwrap().part.mesh.points().len(), 6);
        }
    }

    #[test]
    fn a_gap_that_will_open_stays_a_gap_and_is_reported() {
        let mut mesh = split_edge(0.0);
        mesh.weights = Some(SkinWeights::rigid(&[0, 0, 0, 1, 1, 1]));
        let Welded { part, report } = mesh.weld().unwrap();
        assert_eq!(part.mesh.points().len(), 6);
        assert_eq!(report.seams_with_differing_weights, [3, 4]);
    }

    #[test]
    fn lips_that_a_shape_parts_stay_two() {
        let mut mesh = split_edge(0.0);
        let open = [Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::X, Vec3::X, Vec3::X];
        mesh.shapes = vec![RawShape { name: "open".into(), deltas: open.to_vec() }];
        let Welded { part, report } = mesh.weld().unwrap();
        assert_eq!(part.mesh.points().len(), 6);
        assert_eq!(report.seams_with_differing_shapes, [3, 4]);
        assert_eq!(part.shapes[0].deltas.of(3), Vec3::X);
    }

    #[test]
    fn what_is_not_a_mesh_is_refused_with_its_place() {
        let mut mesh = split_edge(0.0);
        mesh.triangles[1][2] = 9;
        let message = mesh.clone().weld().unwrap_err().to_string();
        assert_eq!(message, "triangle 1 of mesh 'hem' uses vertex 9, but there are only 6");
        mesh.triangles[1][2] = 4;
        mesh.positions[2].y = f32::NAN;
        assert!(matches!(mesh.weld(), Err(MeshError::NotFinite { vertex: 2, .. })));
    }

    #[test]
    fn labels_near_each_other_and_far_apart_give_the_same_points() {
        let near = [5, 2, 5, 0, 2, 7, 0];
        let expected = (vec![0, 1, 0, 2, 1, 3, 2], vec![0, 1, 3, 5]);
        assert_eq!(points_of_labels(&near), expected);
        assert_eq!(points_of_labels(&near.map(|label| label * 100_000_000)), expected);
        assert_eq!(points_of_labels(&[]), (vec![], vec![]));
    }

    #[test]
    fn labels_must_be_one_a_vertex() {
        assert!(triangle_at_one_place().weld_by(&[0]).is_err());
    }
}
