//! Who touches whom: one-rings, unique edges with their triangles, boundary, and what is not
//! manifold.

use super::Mesh;

/// No second triangle.
const NONE: u32 = u32::MAX;

/// An edge between two welded points, and the triangles on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The smaller index first.
    pub points: [u32; 2],
    triangles: [u32; 2],
}

impl Edge {
    /// The first one or two triangles on the edge.
    pub fn triangles(&self) -> impl Iterator<Item = u32> {
        self.triangles.into_iter().filter(|&t| t != NONE)
    }

    /// True if only one triangle is on it.
    pub fn is_boundary(&self) -> bool {
        self.triangles[1] == NONE
    }
}

/// Neighbourhoods over welded points. Collapsed triangles take no part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    edges: Vec<Edge>,
    ring_starts: Vec<u32>,
    ring_points: Vec<u32>,
    fan_starts: Vec<u32>,
    fan_triangles: Vec<u32>,
    non_manifold_edges: Vec<[u32; 2]>,
    misoriented_edges: Vec<[u32; 2]>,
}

impl Adjacency {
    /// Of a mesh's welded points.
    pub fn of(mesh: &Mesh) -> Self {
        Self::of_triangles(mesh.points().len(), mesh.point_triangles())
    }

    /// Of bare triangles over `num_points` points.
    ///
    /// # Panics
    /// If a triangle names a point that is not there.
    pub fn of_triangles(num_points: usize, triangles: &[[u32; 3]]) -> Self {
        let is_whole = |[a, b, c]: [u32; 3]| a != b && b != c && c != a;
        let whole = || {
            triangles
                .iter()
                .enumerate()
                .filter(move |(_, t)| is_whole(**t))
                .map(|(i, t)| (i as u32, *t))
        };

        let (fan_starts, fan_triangles) =
            csr(num_points, || whole().flat_map(|(index, t)| t.map(|point| (point, index))));

        // Half-edges in a bucket a smaller point, as (larger point, triangle, runs from the
        // smaller): a bucket holds a handful, and sorting all buckets takes a tenth of the time of
        // sorting all half-edges.
        let (starts, mut half_edges) = csr(num_points, || {
            whole().flat_map(|(index, [a, b, c])| {
                [(a, b), (b, c), (c, a)].map(|(p, q)| (p.min(q), (p.max(q), index, p < q)))
            })
        });
        let mut edges = Vec::with_capacity(half_edges.len() / 2 + 1);
        let mut non_manifold_edges = Vec::new();
        let mut misoriented_edges = Vec::new();
        for (smaller, range) in starts.windows(2).enumerate() {
            let bucket = &mut half_edges[range[0] as usize..range[1] as usize];
            // Sorted, an edge's are together.
            bucket.sort_unstable();
            for on_edge in bucket.chunk_by(|a, b| a.0 == b.0) {
                let points = [smaller as u32, on_edge[0].0];
                let second = on_edge.get(1).map_or(NONE, |half| half.1);
                edges.push(Edge { points, triangles: [on_edge[0].1, second] });
                if on_edge.len() > 2 {
                    non_manifold_edges.push(points);
                } else if on_edge.len() == 2 && on_edge[0].2 == on_edge[1].2 {
                    misoriented_edges.push(points);
                }
            }
        }
        let (ring_starts, ring_points) = csr(num_points, || {
            edges.iter().flat_map(|edge| {
                let [a, b] = edge.points;
                [(a, b), (b, a)]
            })
        });
        Self {
            edges,
            ring_starts,
            ring_points,
            fan_starts,
            fan_triangles,
            non_manifold_edges,
            misoriented_edges,
        }
    }

    /// The same with further edges that no triangle is on; those that are there already stay as
    /// they are.
    ///
    /// # Panics
    /// If a link names a point that is not there.
    pub(crate) fn with_links(&self, links: impl Iterator<Item = [u32; 2]>) -> Self {
        let link = |[a, b]: [u32; 2]| Edge { points: [a.min(b), a.max(b)], triangles: [NONE; 2] };
        let mut edges: Vec<Edge> = self.edges.iter().copied().chain(links.map(link)).collect();
        // Stable: an edge of the surface comes before a link between its ends.
        edges.sort_by_key(|edge| edge.points);
        edges.dedup_by_key(|edge| edge.points);
        let (ring_starts, ring_points) = csr(self.num_points(), || {
            edges.iter().flat_map(|edge| {
                let [a, b] = edge.points;
                [(a, b), (b, a)]
            })
        });
        Self { edges, ring_starts, ring_points, ..self.clone() }
    }

    /// Number of points.
    pub fn num_points(&self) -> usize {
        self.ring_starts.len() - 1
    }

    /// Every edge once, ordered by its points.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The points that share an edge with `point`, ascending.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn ring(&self, point: usize) -> &[u32] {
        &self.ring_points[self.ring_starts[point] as usize..self.ring_starts[point + 1] as usize]
    }

    /// The triangles on `point`, ascending.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn fan(&self, point: usize) -> &[u32] {
        &self.fan_triangles[self.fan_starts[point] as usize..self.fan_starts[point + 1] as usize]
    }

    /// Edges on which more than two triangles meet.
    pub fn non_manifold_edges(&self) -> &[[u32; 2]] {
        &self.non_manifold_edges
    }

    /// Edges whose two triangles are wound against each other.
    pub fn misoriented_edges(&self) -> &[[u32; 2]] {
        &self.misoriented_edges
    }

    /// True if every edge has two triangles wound alike: the surface has an inside.
    pub fn is_closed(&self) -> bool {
        self.non_manifold_edges.is_empty()
            && self.misoriented_edges.is_empty()
            && self.edges.iter().all(|edge| !edge.is_boundary())
    }
}

/// Compressed rows of `(row, value)` pairs, values in the order given.
fn csr<T: Copy + Default, I: Iterator<Item = (u32, T)>>(
    num_rows: usize,
    pairs: impl Fn() -> I,
) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0u32; num_rows + 1];
    for (row, _) in pairs() {
        starts[row as usize + 1] += 1;
    }
    for row in 0..num_rows {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut values = vec![T::default(); starts[num_rows] as usize];
    for (row, value) in pairs() {
        values[next[row as usize] as usize] = value;
        next[row as usize] += 1;
    }
    (starts, values)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edges_are_those_of_a_sorted_map_with_their_triangles_in_order(
            triangles in prop::collection::vec([0..9_u32, 0..9, 0..9], 0..40),
        ) {
            let mut expected: BTreeMap<[u32; 2], Vec<(u32, bool)>> = BTreeMap::new();
            for (index, &[a, b, c]) in triangles.iter().enumerate() {
                if a != b && b != c && c != a {
                    for (p, q) in [(a, b), (b, c), (c, a)] {
                        let on = expected.entry([p.min(q), p.max(q)]).or_default();
                        on.push((index as u32, p < q));
                    }
                }
            }
            let found = Adjacency::of_triangles(9, &triangles);
            let triangles = |edge: &Edge| edge.triangles().collect::<Vec<_>>();
            let edges: Vec<_> = found.edges().iter().map(|e| (e.points, triangles(e))).collect();
            let firsts = |on: &Vec<(u32, bool)>| {
                on.iter().take(2).map(|half| half.0).collect::<Vec<_>>()
            };
            let expected_edges: Vec<_> =
                expected.iter().map(|(p, on)| (*p, firsts(on))).collect();
            prop_assert_eq!(edges, expected_edges);
            let those = |is: fn(&[(u32, bool)]) -> bool| {
                expected.iter().filter(|(_, on)| is(on)).map(|(p, _)| *p).collect::<Vec<_>>()
            };
            prop_assert_eq!(found.non_manifold_edges(), those(|on| on.len() > 2));
            let misoriented = those(|on| on.len() == 2 && on[0].1 == on[1].1);
            prop_assert_eq!(found.misoriented_edges(), misoriented);
        }
    }

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    #[test]
    fn a_tetrahedron_is_closed_and_everyone_is_a_neighbour() {
        let adjacency = Adjacency::of_triangles(4, &TETRAHEDRON);
        assert!(adjacency.is_closed());
        assert_eq!(adjacency.edges().len(), 6);
        assert_eq!(adjacency.ring(2), [0, 1, 3]);
        assert_eq!(adjacency.fan(3), [1, 2, 3]);
    }

    #[test]
    fn an_open_edge_is_a_boundary() {
        let adjacency = Adjacency::of_triangles(4, &TETRAHEDRON[..3]);
        assert!(!adjacency.is_closed());
        assert_eq!(adjacency.edges().iter().filter(|e| e.is_boundary()).count(), 3);
    }

    #[test]
    fn three_triangles_on_an_edge_are_reported() {
        let fins = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        let adjacency = Adjacency::of_triangles(5, &fins);
        assert_eq!(adjacency.non_manifold_edges(), [[0, 1]]);
    }

    #[test]
    fn triangles_wound_against_each_other_are_reported() {
        let adjacency = Adjacency::of_triangles(4, &[[0, 1, 2], [0, 1, 3]]);
        assert_eq!(adjacency.misoriented_edges(), [[0, 1]]);
    }

    #[test]
    fn collapsed_triangles_and_isolated_points_have_no_neighbours() {
        let adjacency = Adjacency::of_triangles(3, &[[0, 0, 1]]);
        assert!(adjacency.edges().is_empty());
        assert!(adjacency.ring(2).is_empty());
    }
}
