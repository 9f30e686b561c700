//! Half-edges as sliced-ELL rows: eight points side by side, their first neighbours in one row,
//! their second in the next.
//!
//! A slice holds [`LANES`] consecutive slots of a [`SlotOrder`] and as many rows as the longest of
//! their one-rings. A shorter ring repeats its last neighbour, whose values a model sets so that it
//! adds nothing; a point without neighbours repeats itself. The order keeps like valences together,
//! so this padding is a few percent.

use super::order::SlotOrder;
use crate::mesh::Adjacency;

/// Points in a slice: a register of AVX2, two of NEON or SSE.
pub const LANES: usize = 8;

/// One value a lane.
pub type Lanes = [f32; LANES];

/// Floats in a row of positions: `xyz` and one more.
pub const POSITION_FLOATS: usize = 4;

/// Who a half-edge runs to, and whether it is there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfEdge {
    /// From the first point to the second.
    Real([u32; 2]),
    /// A repetition that must add nothing.
    Padding([u32; 2]),
}

/// One-rings of all points, slice by slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Where each slice's rows begin, and where the last one's end.
    starts: Vec<u32>,
    /// The neighbours' slots.
    neighbours: Vec<[u32; LANES]>,
    /// Points of lanes and their neighbours.
    half_edges: Vec<[HalfEdge; LANES]>,
}

impl Rows {
    /// The rows of a mesh in an order of its points.
    ///
    /// # Panics
    /// If the order is of another number of points.
    pub fn new(order: &SlotOrder, adjacency: &Adjacency) -> Self {
        assert_eq!(order.num_points(), adjacency.num_points(), "an order of these points");
        let mut rows = Self { starts: vec![0], neighbours: Vec::new(), half_edges: Vec::new() };
        for (slice, points) in order.point_of_slot().chunks_exact(LANES).enumerate() {
            // Padding slots repeat the last point, but have no neighbours of their own.
            let ring = |lane: usize| match slice * LANES + lane < order.num_points() {
                true => adjacency.ring(points[lane] as usize),
                false => &[],
            };
            let longest = (0..LANES).map(|lane| ring(lane).len()).max().unwrap_or(0);
            for row in 0..longest {
                let half_edges: [HalfEdge; LANES] = std::array::from_fn(|lane| {
                    let (point, ring) = (points[lane], ring(lane));
                    match ring.get(row) {
                        Some(&neighbour) => HalfEdge::Real([point, neighbour]),
                        None => HalfEdge::Padding([point, ring.last().copied().unwrap_or(point)]),
                    }
                });
                rows.neighbours.push(half_edges.map(|half_edge| {
                    let (HalfEdge::Real([_, to]) | HalfEdge::Padding([_, to])) = half_edge;
                    order.slot_of_point()[to as usize]
                }));
                rows.half_edges.push(half_edges);
            }
            rows.starts.push(rows.neighbours.len() as u32);
        }
        rows
    }

    /// Number of slices.
    pub fn num_slices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of rows of all slices.
    pub fn num_rows(&self) -> usize {
        self.neighbours.len()
    }

    /// Where each slice's rows begin, and where the last one's end.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The slots that the half-edges run to, row by row.
    pub fn neighbours(&self) -> &[[u32; LANES]] {
        &self.neighbours
    }

    /// The half-edges, row by row.
    pub fn half_edges(&self) -> &[[HalfEdge; LANES]] {
        &self.half_edges
    }

    /// Half-edges of the mesh over lanes of the rows: 1 is no padding at all.
    pub fn fill_ratio(&self) -> f64 {
        let real = self
            .half_edges
            .as_flattened()
            .iter()
            .filter(|h| matches!(h, HalfEdge::Real(_)))
            .count();
        real as f64 / (self.num_rows() * LANES).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};

    #[test]
    fn every_half_edge_is_there_once_in_the_lane_of_its_point() {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        let adjacency = Adjacency::of(&character.parts[0].mesh);
        let order = SlotOrder::new(&adjacency);
        let rows = Rows::new(&order, &adjacency);
        let mut found = Vec::new();
        for (slice, span) in rows.starts().windows(2).enumerate() {
            for row in span[0] as usize..span[1] as usize {
                for lane in 0..LANES {
                    let HalfEdge::Real([from, to]) = rows.half_edges()[row][lane] else { continue };
                    assert_eq!(order.slot_of_point()[from as usize] as usize, slice * LANES + lane);
                    assert_eq!(order.slot_of_point()[to as usize], rows.neighbours()[row][lane]);
                    found.push([from, to]);
                }
            }
        }
        found.sort_unstable();
        let mut expected: Vec<[u32; 2]> =
            adjacency.edges().iter().flat_map(|e| [e.points, [e.points[1], e.points[0]]]).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn padding_is_a_few_percent_on_tubes_corners_and_bodies() {
        for kind in [SampleKind::Cylinder, SampleKind::Plus, SampleKind::Chibi] {
            let character = build(&SampleOptions::new(kind)).unwrap();
            for part in &character.parts {
                let adjacency = Adjacency::of(&part.mesh);
                let rows = Rows::new(&SlotOrder::new(&adjacency), &adjacency);
                assert!(rows.fill_ratio() > 0.9, "{}: {}", kind.name(), rows.fill_ratio());
            }
        }
    }

    #[test]
    fn points_without_neighbours_have_no_rows() {
        let adjacency = Adjacency::of_triangles(9, &[]);
        let rows = Rows::new(&SlotOrder::new(&adjacency), &adjacency);
        assert_eq!((rows.num_slices(), rows.num_rows()), (2, 0));
    }
}
