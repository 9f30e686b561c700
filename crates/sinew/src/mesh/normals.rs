//! Normals of the deformed surface, with sharp edges kept sharp (spring paper, section 6).
//!
//! Around each welded point the triangles fall into *wedges*: runs of triangles between edges whose dihedral
//! angle at rest is above the threshold. A wedge has one normal, the area-weighted sum of its triangles', and every
//! render vertex belongs to one wedge. Vertices that a file shares across a sharp edge share one wedge: the file
//! asked for smooth there.

use glam::Vec3;

use super::{Adjacency, Mesh};

/// Wedges of a mesh, found once; normals of any deformation of it, every frame.
#[derive(Clone, Debug)]
pub struct SurfaceNormals {
    wedge_of_vertex: Vec<u32>,
    wedge_starts: Vec<u32>,
    wedge_triangles: Vec<[u32; 3]>,
}

impl SurfaceNormals {
    /// Finds the wedges; an edge is sharp if its triangles' normals at rest differ by more than `crease_radians`.
    pub fn bind(mesh: &Mesh, crease_radians: f32) -> Self {
        let adjacency = Adjacency::of(mesh);
        let face_normals: Vec<Vec3> = mesh
            .point_triangles()
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|p| mesh.points()[p as usize]);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let cos_crease = crease_radians.cos();
        let mut wedge_of_vertex = vec![u32::MAX; mesh.num_vertices()];
        let mut wedge_starts = vec![0];
        let mut wedge_triangles = Vec::new();
        for point in 0..mesh.points().len() {
            let fan = adjacency.fan(point);
            let mut group: Vec<usize> = (0..fan.len()).collect();
            let find = |group: &[usize], mut i: usize| {
                while group[i] != i {
                    i = group[i];
                }
                i
            };
            for i in 0..fan.len() {
                for j in 0..i {
                    let (ti, tj) = (fan[i] as usize, fan[j] as usize);
                    let shares =
                        |a: [u32; 3], b: [u32; 3]| a.iter().filter(|v| b.contains(v)).count();
                    let smooth = shares(mesh.point_triangles()[ti], mesh.point_triangles()[tj])
                        >= 2
                        && face_normals[ti].dot(face_normals[tj]) >= cos_crease;
                    let vertex_at = |t: usize| {
                        let corner =
                            mesh.point_triangles()[t].iter().position(|&p| p as usize == point);
                        mesh.triangles()[t][corner.unwrap_or(0)]
                    };
                    if smooth || vertex_at(ti) == vertex_at(tj) {
                        let (ri, rj) = (find(&group, i), find(&group, j));
                        group[ri.max(rj)] = ri.min(rj);
                    }
                }
            }
            for root in 0..fan.len() {
                if group[root] != root {
                    continue;
                }
                let wedge = wedge_starts.len() as u32 - 1;
                for i in root..fan.len() {
                    if find(&group, i) != root {
                        continue;
                    }
                    let t = fan[i] as usize;
                    wedge_triangles.push(mesh.point_triangles()[t]);
                    for corner in 0..3 {
                        if mesh.point_triangles()[t][corner] as usize == point {
                            wedge_of_vertex[mesh.triangles()[t][corner] as usize] = wedge;
                        }
                    }
                }
                wedge_starts.push(wedge_triangles.len() as u32);
            }
        }
        for wedge in &mut wedge_of_vertex {
            // A vertex that no triangle uses has a wedge of its own, without triangles.
            if *wedge == u32::MAX {
                *wedge = wedge_starts.len() as u32 - 1;
                wedge_starts.push(wedge_triangles.len() as u32);
            }
        }
        Self { wedge_of_vertex, wedge_starts, wedge_triangles }
    }

    /// Number of wedges: of normals that [`Self::compute`] writes.
    pub fn num_wedges(&self) -> usize {
        self.wedge_starts.len() - 1
    }

    /// The wedge of each render vertex.
    pub fn wedge_of_vertex(&self) -> &[u32] {
        &self.wedge_of_vertex
    }

    /// Unit normals of all wedges of the deformed `points`; zero where the area is zero.
    ///
    /// # Panics
    /// If `points` are not of the bound mesh or `out` has not one entry a wedge.
    pub fn compute(&self, points: &[Vec3], out: &mut [Vec3]) {
        for (normal, span) in out.iter_mut().zip(self.wedge_starts.windows(2)) {
            *normal = self.wedge_triangles[span[0] as usize..span[1] as usize]
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|p| points[p as usize]);
                    (b - a).cross(c - a)
                })
                .sum::<Vec3>()
                .normalize_or_zero();
        }
    }
}
