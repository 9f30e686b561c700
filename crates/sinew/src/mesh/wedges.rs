//! Which triangles around a point are smooth with each other.

use glam::DVec3;

use super::{Adjacency, Mesh};

/// Runs of triangles around a point with one normal. See [`super::SurfaceNormals`].
pub(super) struct Wedges {
    /// The wedge of each render vertex.
    pub of_vertex: Vec<u32>,
    point_of_wedge: Vec<u32>,
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Wedges {
    pub(super) fn find(mesh: &Mesh, adjacency: &Adjacency, crease_radians: f32) -> Self {
        let face_normals: Vec<DVec3> = mesh
            .point_triangles()
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|p| mesh.points()[p as usize].as_dvec3());
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let cos_crease = f64::from(crease_radians).cos();
        let mut wedges = Self {
            of_vertex: vec![u32::MAX; mesh.num_vertices()],
            point_of_wedge: Vec::new(),
            starts: vec![0],
            triangles: Vec::new(),
        };
        let mut group = Vec::new();
        for point in 0..mesh.points().len() {
            let fan = adjacency.fan(point);
            group_fan(mesh, point as u32, fan, &mut group, |a, b| {
                // Both zero for degenerate triangles: those join whatever they touch.
                face_normals[a].dot(face_normals[b]) >= cos_crease
                    || face_normals[a] == DVec3::ZERO
                    || face_normals[b] == DVec3::ZERO
            });
            for root in 0..fan.len() {
                if group[root] == root {
                    let members = (root..fan.len()).filter(|&i| group[i] == root).map(|i| fan[i]);
                    wedges.push(mesh, point as u32, members);
                }
            }
        }
        // A vertex that no whole triangle uses has a wedge of its own, without triangles.
        for vertex in 0..mesh.num_vertices() {
            if wedges.of_vertex[vertex] == u32::MAX {
                wedges.of_vertex[vertex] = wedges.len() as u32;
                wedges.point_of_wedge.push(mesh.point_of_vertex()[vertex]);
                wedges.starts.push(wedges.triangles.len() as u32);
            }
        }
        wedges
    }

    pub(super) fn len(&self) -> usize {
        self.point_of_wedge.len()
    }

    fn push(&mut self, mesh: &Mesh, point: u32, triangles: impl Iterator<Item = u32>) {
        let wedge = self.len() as u32;
        for triangle in triangles {
            self.triangles.push(triangle);
            self.of_vertex[corner_vertex(mesh, triangle, point) as usize] = wedge;
        }
        self.point_of_wedge.push(point);
        self.starts.push(self.triangles.len() as u32);
    }

    /// The wedge's point, then the points around it in order; the point itself wherever the order breaks off.
    pub(super) fn fan(&self, mesh: &Mesh, wedge: usize) -> Vec<u32> {
        let point = self.point_of_wedge[wedge];
        let triangles =
            &self.triangles[self.starts[wedge] as usize..self.starts[wedge + 1] as usize];
        // Each triangle as the two points that follow this one in it.
        let mut spans: Vec<[u32; 2]> = triangles
            .iter()
            .map(|&t| {
                let corners = mesh.point_triangles()[t as usize];
                let at = corners.iter().position(|&p| p == point).unwrap_or(0);
                [corners[(at + 1) % 3], corners[(at + 2) % 3]]
            })
            .collect();
        let mut fan = vec![point];
        let mut end = None;
        while !spans.is_empty() {
            let next = match end {
                Some(end) => spans.iter().position(|span| span[0] == end),
                None => None,
            };
            let next = next.unwrap_or_else(|| {
                if end.is_some() {
                    fan.push(point);
                }
                // Begin where nothing leads to; in a closed fan, anywhere.
                let leads = |start: u32| spans.iter().any(|span| span[1] == start);
                let begin = spans.iter().position(|span| !leads(span[0])).unwrap_or(0);
                fan.push(spans[begin][0]);
                begin
            });
            let [_, to] = spans.remove(next);
            fan.push(to);
            end = Some(to);
        }
        fan
    }
}

/// The render vertex that a triangle has on a point.
fn corner_vertex(mesh: &Mesh, triangle: u32, point: u32) -> u32 {
    let corners = mesh.point_triangles()[triangle as usize];
    let at = corners.iter().position(|&p| p == point).unwrap_or(0);
    mesh.triangles()[triangle as usize][at]
}

/// For each triangle of a fan the first one that it is smooth with, directly or through others.
fn group_fan(
    mesh: &Mesh,
    point: u32,
    fan: &[u32],
    group: &mut Vec<usize>,
    is_smooth: impl Fn(usize, usize) -> bool,
) {
    group.clear();
    group.extend(0..fan.len());
    for i in 0..fan.len() {
        for j in 0..i {
            if group[i] == group[j] {
                continue;
            }
            let (a, b) = (fan[i], fan[j]);
            let shares_edge = || {
                let (a, b) =
                    (mesh.point_triangles()[a as usize], mesh.point_triangles()[b as usize]);
                a.iter().filter(|p| b.contains(p)).count() >= 2
            };
            let together = corner_vertex(mesh, a, point) == corner_vertex(mesh, b, point)
                || (shares_edge() && is_smooth(a as usize, b as usize));
            if together {
                let (keep, merge) = (group[i].min(group[j]), group[i].max(group[j]));
                for member in group.iter_mut().filter(|member| **member == merge) {
                    *member = keep;
                }
            }
        }
    }
}
