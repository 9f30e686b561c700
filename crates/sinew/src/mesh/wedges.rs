//! Which triangles around a point are smooth with each other.

use glam::DVec3;

use super::{Adjacency, Joined, Mesh};

/// Normals of a file that differ by less are the same: quantised normals and seams that an exporter
/// did not weld are this far apart, and no eye sees a step of it.
const SAME_DEGREES: f64 = 3.0;

/// Which edges of a surface are sharp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Creases {
    /// Those whose two triangles at rest differ by more than this, in radians.
    Angle(f32),
    /// Those on whose two sides the file has different normals; where it has none, by the angle.
    File {
        /// In radians.
        or_angle: f32,
    },
}

/// Runs of triangles around a point with one normal. See [`super::SurfaceNormals`].
pub(super) struct Wedges {
    /// The wedge of each render vertex.
    pub of_vertex: Vec<u32>,
    point_of_wedge: Vec<u32>,
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Wedges {
    pub(super) fn find(mesh: &Mesh, adjacency: &Adjacency, creases: Creases) -> Self {
        let face_normals: Vec<DVec3> = mesh
            .point_triangles()
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|p| mesh.points()[p as usize].as_dvec3());
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let (by_file, crease_radians) = match creases {
            Creases::Angle(radians) => (false, radians),
            Creases::File { or_angle } => (!mesh.vertex_normals().is_empty(), or_angle),
        };
        let cos_crease = f64::from(crease_radians).cos();
        let is_flat = |a: usize, b: usize| {
            // Both zero for degenerate triangles: those join whatever they touch.
            face_normals[a].dot(face_normals[b]) >= cos_crease
                || face_normals[a] == DVec3::ZERO
                || face_normals[b] == DVec3::ZERO
        };
        let mut wedges = Self {
            of_vertex: vec![u32::MAX; mesh.num_vertices()],
            point_of_wedge: Vec::new(),
            starts: vec![0],
            triangles: Vec::new(),
        };
        let mut group = Joined::default();
        for point in 0..mesh.points().len() {
            let fan = adjacency.fan(point);
            group_fan(mesh, point as u32, fan, &mut group, |a, b| {
                let in_file =
                    if by_file { smooth_in_file(mesh, [a, b], point as u32) } else { None };
                in_file.unwrap_or_else(|| is_flat(a as usize, b as usize))
            });
            for root in 0..fan.len() as u32 {
                if group.root(root) == root {
                    let members = (root..fan.len() as u32).filter(|&i| group.root(i) == root);
                    wedges.push(mesh, point as u32, members.map(|i| fan[i as usize]));
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

    /// One a point, whatever is sharp there.
    pub(super) fn of_points(mesh: &Mesh, adjacency: &Adjacency) -> Self {
        let num_points = mesh.points().len();
        let mut wedges = Self {
            of_vertex: mesh.point_of_vertex().to_vec(),
            point_of_wedge: (0..num_points as u32).collect(),
            starts: vec![0],
            triangles: Vec::with_capacity(3 * mesh.point_triangles().len()),
        };
        for point in 0..num_points {
            wedges.triangles.extend_from_slice(adjacency.fan(point));
            wedges.starts.push(wedges.triangles.len() as u32);
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

    /// The wedge's point, then the points around it in order; the point itself wherever the order
    /// breaks off.
    pub(super) fn fan(&self, mesh: &Mesh, wedge: usize) -> Vec<u32> {
        let point = self.point_of_wedge[wedge];
        let triangles =
            &self.triangles[self.starts[wedge] as usize..self.starts[wedge + 1] as usize];
        // Each triangle as the two points that follow this one in it, by the first of them.
        let mut spans: Vec<[u32; 2]> = triangles
            .iter()
            .map(|&t| {
                let corners = mesh.point_triangles()[t as usize];
                let at = corners.iter().position(|&p| p == point).unwrap_or(0);
                [corners[(at + 1) % 3], corners[(at + 2) % 3]]
            })
            .collect();
        spans.sort_unstable();
        let mut ends: Vec<u32> = spans.iter().map(|span| span[1]).collect();
        ends.sort_unstable();
        // Pieces begin where nothing leads to; what is left then is closed, and begins anywhere.
        let is_open = |span: &[u32; 2]| ends.binary_search(&span[0]).is_err();
        let (open, closed): (Vec<usize>, Vec<usize>) =
            (0..spans.len()).partition(|&index| is_open(&spans[index]));
        let mut is_used = vec![false; spans.len()];
        let mut fan = vec![point];
        for begin in open.into_iter().chain(closed) {
            if is_used[begin] {
                continue;
            }
            if fan.len() > 1 {
                fan.push(point);
            }
            fan.push(spans[begin][0]);
            let mut next = Some(begin);
            while let Some(index) = next {
                is_used[index] = true;
                let end = spans[index][1];
                fan.push(end);
                let first = spans.partition_point(|span| span[0] < end);
                next = (first..spans.len())
                    .take_while(|&index| spans[index][0] == end)
                    .find(|&index| !is_used[index]);
            }
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

/// Whether a file has one normal for two triangles at a point; `None` where it has none for one of
/// them.
fn smooth_in_file(mesh: &Mesh, triangles: [u32; 2], point: u32) -> Option<bool> {
    let [a, b] = triangles.map(|triangle| {
        let vertex = corner_vertex(mesh, triangle, point);
        mesh.vertex_normals()[vertex as usize].as_dvec3().try_normalize()
    });
    // By the chord: the cosine of a small angle has lost its digits.
    Some((a? - b?).length() < SAME_DEGREES.to_radians())
}

/// Joins the triangles of a fan that are smooth with one another, directly or through others.
///
/// Triangles meet in a corner's render vertex or in a point beside this one; sorted by those, who
/// may be together stands together, so that a pole of a hundred thousand triangles costs no more
/// than its share.
fn group_fan(
    mesh: &Mesh,
    point: u32,
    fan: &[u32],
    group: &mut Joined,
    is_smooth: impl Fn(u32, u32) -> bool,
) {
    group.reset(fan.len());
    let mut of_vertex: Vec<(u32, u32)> =
        (0..).zip(fan).map(|(i, &t)| (corner_vertex(mesh, t, point), i)).collect();
    of_vertex.sort_unstable();
    for pair in of_vertex.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        group.join(pair[0].1, pair[1].1);
    }
    let mut of_neighbor: Vec<(u32, u32)> = (0..)
        .zip(fan)
        .flat_map(|(i, &t)| mesh.point_triangles()[t as usize].map(|p| (p, i)))
        .filter(|&(p, _)| p != point)
        .collect();
    of_neighbor.sort_unstable();
    for on_edge in of_neighbor.chunk_by(|a, b| a.0 == b.0) {
        for (index, &(_, i)) in on_edge.iter().enumerate() {
            for &(_, j) in &on_edge[..index] {
                if is_smooth(fan[i as usize], fan[j as usize]) {
                    group.join(i, j);
                }
            }
        }
    }
}
