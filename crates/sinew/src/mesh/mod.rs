//! Triangle meshes: render vertices over the welded points they share.
//!
//! Files split vertices at UV and normal seams. What thinks in neighbours (springs, smoothing,
//! normals, cages) works on welded points; only upload and export see render vertices.

mod adjacency;
mod bounds;
mod components;
mod joined;
mod near;
mod normals;
mod segment_tree;
mod shell_tree;
mod wedges;
mod weld;

pub use adjacency::{Adjacency, Edge};
pub use bounds::Aabb;
pub use components::Components;
pub(crate) use joined::Joined;
pub use normals::{NormalTables, SurfaceNormals};
pub(crate) use segment_tree::SegmentTree;
pub(crate) use shell_tree::{Hit, ShellTree, closest_shares};
pub use wedges::Creases;
pub use weld::{RawMesh, RawShape, WeldReport, Welded};

use std::sync::Arc;

use glam::{Vec2, Vec3};

/// A named run of triangles: a material slot, an OBJ group, a glTF primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// As the file has it; may be empty.
    pub name: String,
    /// The triangles of it.
    pub triangles: std::ops::Range<u32>,
}

/// Why arrays are not a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A stream has another length than the positions.
    #[error(
        "mesh '{mesh}' has {found} {stream} for {expected} vertices; every stream needs one entry a vertex"
    )]
    StreamLength {
        /// The mesh's name.
        mesh: String,
        /// `normals`, `uvs`, `weights` or a shape's name.
        stream: String,
        /// The number of positions.
        expected: usize,
        /// The length of the stream.
        found: usize,
    },
    /// A triangle names a vertex that is not there.
    #[error(
        "triangle {triangle} of mesh '{mesh}' uses vertex {vertex}, but there are only {num_vertices}"
    )]
    VertexOutOfRange {
        /// The mesh's name.
        mesh: String,
        /// Which triangle.
        triangle: usize,
        /// The vertex that it names.
        vertex: u32,
        /// How many there are.
        num_vertices: usize,
    },
    /// A position is NaN or infinite.
    #[error(
        "vertex {vertex} of mesh '{mesh}' has a position that is not finite; repair it in the file"
    )]
    NotFinite {
        /// The mesh's name.
        mesh: String,
        /// Which vertex.
        vertex: usize,
    },
    /// A group reaches past the triangles.
    #[error(
        "group '{group}' of mesh '{mesh}' spans triangles {start}..{end}, but there are only {num_triangles}"
    )]
    GroupOutOfRange {
        /// The mesh's name.
        mesh: String,
        /// The group's name.
        group: String,
        /// First triangle of the group.
        start: u32,
        /// One past its last.
        end: u32,
        /// How many there are.
        num_triangles: usize,
    },
    /// More vertices than a `u32` counts.
    #[error("mesh '{mesh}' has {num_vertices} vertices; at most 4,294,967,295 can be indexed")]
    TooLarge {
        /// The mesh's name.
        mesh: String,
        /// How many it has.
        num_vertices: usize,
    },
}

/// A surface in model space at rest. Made by [`RawMesh::weld`], which is the only way to one, so
/// that every mesh has its welded points and every index is in range.
///
/// A copy shares everything with its original: an editor keeps hundreds of characters that differ
/// in their weights alone.
#[derive(Clone, Debug)]
pub struct Mesh(Arc<Tables>);

/// What a mesh is made of.
#[derive(Clone, Debug, PartialEq)]
struct Tables {
    name: String,
    points: Vec<Vec3>,
    point_of_vertex: Vec<u32>,
    vertex_positions: Vec<Vec3>,
    vertex_normals: Vec<Vec3>,
    vertex_uvs: Vec<Vec2>,
    triangles: Vec<[u32; 3]>,
    point_triangles: Vec<[u32; 3]>,
    groups: Vec<Group>,
}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        self.is_shared_with(other) || self.0 == other.0
    }
}

impl Mesh {
    /// True if it is a copy of another, or another of it: nothing of it has to be looked at, nor
    /// counted twice.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same mesh with its points elsewhere: vertices move with their points, and each normal
    /// turns as the area-weighted normal of its point does.
    ///
    /// # Panics
    /// If there are not as many points.
    pub(crate) fn with_points(&self, points: Vec<Vec3>) -> Self {
        assert_eq!(points.len(), self.0.points.len(), "one place a point");
        let mut moved = Tables::clone(&self.0);
        for (vertex, &point) in self.0.point_of_vertex.iter().enumerate() {
            let point = point as usize;
            moved.vertex_positions[vertex] += points[point] - self.0.points[point];
        }
        if !self.0.vertex_normals.is_empty() {
            let mut before = vec![Vec3::ZERO; points.len()];
            let mut after = before.clone();
            self.point_normals(&self.0.points, &mut before);
            self.point_normals(&points, &mut after);
            self.turn_normals(&before, &after, &mut moved.vertex_normals);
        }
        moved.points = points;
        Self(Arc::new(moved))
    }

    /// Turns each render vertex's normal as that of its point has turned.
    pub(crate) fn turn_normals(&self, before: &[Vec3], after: &[Vec3], of_vertex: &mut [Vec3]) {
        for (normal, &point) in of_vertex.iter_mut().zip(&self.0.point_of_vertex) {
            let (from, to) = (before[point as usize], after[point as usize]);
            if from != to && from != Vec3::ZERO && to != Vec3::ZERO {
                *normal = turned(from, to, *normal);
            }
        }
    }

    /// Unit normals of points elsewhere, area-weighted; zero where there is no surface.
    pub(crate) fn point_normals(&self, points: &[Vec3], normals: &mut [Vec3]) {
        normals.fill(Vec3::ZERO);
        for triangle in &self.0.point_triangles {
            let [a, b, c] = triangle.map(|point| points[point as usize]);
            for &point in triangle {
                normals[point as usize] += (b - a).cross(c - a);
            }
        }
        normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    }

    /// As the file has it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Welded points, in the order in which the vertices first name them.
    pub fn points(&self) -> &[Vec3] {
        &self.0.points
    }

    /// The welded point under each render vertex.
    pub fn point_of_vertex(&self) -> &[u32] {
        &self.0.point_of_vertex
    }

    /// Number of render vertices.
    pub fn num_vertices(&self) -> usize {
        self.0.point_of_vertex.len()
    }

    /// Rest positions of the render vertices, exactly as given (welding does not move them).
    pub fn vertex_positions(&self) -> &[Vec3] {
        &self.0.vertex_positions
    }

    /// Rest normals of the render vertices; empty if the source had none.
    pub fn vertex_normals(&self) -> &[Vec3] {
        &self.0.vertex_normals
    }

    /// Texture coordinates of the render vertices; empty if the source had none.
    pub fn vertex_uvs(&self) -> &[Vec2] {
        &self.0.vertex_uvs
    }

    /// Triangles over render vertices, counter-clockwise from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.0.triangles
    }

    /// The same triangles over welded points. One that welding collapsed has a repeated index.
    pub fn point_triangles(&self) -> &[[u32; 3]] {
        &self.0.point_triangles
    }

    /// Named runs of triangles.
    pub fn groups(&self) -> &[Group] {
        &self.0.groups
    }

    /// The box around the points.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.0.points.iter().copied())
    }

    /// Writes what each welded point has to each render vertex of it.
    ///
    /// # Panics
    /// If the lengths are not the mesh's own.
    pub fn spread_to_vertices<T: Copy>(&self, of_point: &[T], of_vertex: &mut [T]) {
        assert_eq!(of_point.len(), self.0.points.len(), "one entry a welded point");
        assert_eq!(of_vertex.len(), self.0.point_of_vertex.len(), "one entry a render vertex");
        for (out, &point) in of_vertex.iter_mut().zip(&self.0.point_of_vertex) {
            *out = of_point[point as usize];
        }
    }
}

/// A cosine below this is half a turn: the axis of a sharper one is noise.
const HALF_TURN: f32 = -0.999_999;

/// `v` turned the shortest way from one unit vector to another: `v cos + a × v + a (a · v) / (1 +
/// cos)`, `a = from × to`, which has its digits for small turns, too.
#[inline]
fn turned(from: Vec3, to: Vec3, v: Vec3) -> Vec3 {
    let (axis, cosine) = (from.cross(to), from.dot(to));
    if cosine < HALF_TURN {
        // About anything at a right angle.
        let axis = from.any_orthonormal_vector();
        return 2.0 * axis.dot(v) * axis - v;
    }
    cosine * v + axis.cross(v) + (axis.dot(v) / (1.0 + cosine)) * axis
}
