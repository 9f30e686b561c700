//! The solver's own order of points: neighbours near each other in memory, points of like valence
//! side by side.
//!
//! Reverse Cuthill-McKee (Cuthill and McKee 1969, George 1971): breadth first from a point at the
//! rim of each piece, a point's neighbours by rising valence, all of it reversed. A neighbour is
//! then at most two levels of the search away, which for a limb is two rings. Within windows of a
//! hundred, points are sorted by valence, so that the slices of [`Rows`](super::rows::Rows) need
//! little padding. The result depends on the connectivity alone and is the same on every machine.
//!
//! A *slot* is a place in that order. Their number is rounded up to whole blocks of [`SLOT_BLOCK`];
//! a slot past the last point stands for that point again.

use crate::mesh::Adjacency;

/// Slots come in whole blocks of this many.
pub const SLOT_BLOCK: usize = 16;

/// Points among which like valences are sought: few enough that a window's positions stay in the
/// first cache.
const WINDOW_POINTS: usize = 128;

/// Searches for the rim of a piece at most this often; the third seldom finds a further point.
const RIM_SEARCHES: usize = 3;

/// Points renumbered for the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotOrder {
    point_of_slot: Vec<u32>,
    slot_of_point: Vec<u32>,
}

impl SlotOrder {
    /// The order for a mesh.
    pub fn new(adjacency: &Adjacency) -> Self {
        let num_points = adjacency.num_points();
        let mut point_of_slot = reverse_cuthill_mckee(adjacency);
        for window in point_of_slot.chunks_mut(WINDOW_POINTS) {
            window.sort_by_key(|&point| adjacency.ring(point as usize).len());
        }
        let mut slot_of_point = vec![0u32; num_points];
        for (slot, &point) in point_of_slot.iter().enumerate() {
            slot_of_point[point as usize] = slot as u32;
        }
        if let Some(&last) = point_of_slot.last() {
            point_of_slot.resize(num_points.next_multiple_of(SLOT_BLOCK), last);
        }
        Self { point_of_slot, slot_of_point }
    }

    /// Number of slots: a multiple of [`SLOT_BLOCK`].
    pub fn num_slots(&self) -> usize {
        self.point_of_slot.len()
    }

    /// Number of points.
    pub fn num_points(&self) -> usize {
        self.slot_of_point.len()
    }

    /// The point of each slot; padding repeats the last one.
    pub fn point_of_slot(&self) -> &[u32] {
        &self.point_of_slot
    }

    /// The slot of each point.
    pub fn slot_of_point(&self) -> &[u32] {
        &self.slot_of_point
    }
}

/// All points, piece by piece.
fn reverse_cuthill_mckee(adjacency: &Adjacency) -> Vec<u32> {
    let num_points = adjacency.num_points();
    let mut search = Search { adjacency, round_of_point: vec![0; num_points], round: 0 };
    let mut placed = vec![false; num_points];
    let mut order = Vec::with_capacity(num_points);
    let mut piece = Vec::new();
    for first in 0..num_points as u32 {
        if placed[first as usize] {
            continue;
        }
        // From the rim the levels are small; each search ends at a point further out than it began.
        let mut start = first;
        let mut depth = 0;
        for _ in 0..RIM_SEARCHES {
            let (found, furthest) = search.run(start, &mut piece);
            if found <= depth {
                break;
            }
            (depth, start) = (found, furthest);
        }
        search.run(start, &mut piece);
        for &point in &piece {
            placed[point as usize] = true;
        }
        order.extend_from_slice(&piece);
    }
    order.reverse();
    order
}

/// Breadth-first searches that need no clearing in between.
struct Search<'a> {
    adjacency: &'a Adjacency,
    round_of_point: Vec<u32>,
    round: u32,
}

impl Search<'_> {
    /// Lists the piece of `start` level by level; returns its depth and, of the last level, the
    /// point of least valence.
    fn run(&mut self, start: u32, piece: &mut Vec<u32>) -> (usize, u32) {
        self.round += 1;
        self.round_of_point[start as usize] = self.round;
        piece.clear();
        piece.push(start);
        let valence = |point: u32| self.adjacency.ring(point as usize).len();
        let (mut depth, mut level) = (0, 0..1);
        loop {
            for at in level.clone() {
                let begin = piece.len();
                for &next in self.adjacency.ring(piece[at] as usize) {
                    let round = &mut self.round_of_point[next as usize];
                    if *round != self.round {
                        *round = self.round;
                        piece.push(next);
                    }
                }
                piece[begin..].sort_by_key(|&point| valence(point));
            }
            if piece.len() == level.end {
                break;
            }
            (depth, level) = (depth + 1, level.end..piece.len());
        }
        let furthest = piece[level].iter().copied().min_by_key(|&point| valence(point));
        (depth, furthest.unwrap_or(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};

    #[test]
    fn every_point_has_its_slot() {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        let mesh = &character.parts[0].mesh;
        let order = SlotOrder::new(&Adjacency::of(mesh));
        assert_eq!(order.num_points(), mesh.points().len());
        assert_eq!(order.num_slots() % SLOT_BLOCK, 0);
        for (point, &slot) in order.slot_of_point().iter().enumerate() {
            assert_eq!(order.point_of_slot()[slot as usize], point as u32);
        }
    }

    #[test]
    fn neighbours_of_a_long_tube_are_a_few_rings_away() {
        let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let adjacency = Adjacency::of(&character.parts[0].mesh);
        let order = SlotOrder::new(&adjacency);
        let furthest = adjacency
            .edges()
            .iter()
            .map(|edge| {
                let [a, b] = edge.points.map(|p| order.slot_of_point()[p as usize]);
                a.abs_diff(b)
            })
            .max();
        // Two levels of at most a hundred points, and the windows that sorting by valence mixes.
        assert!(furthest.is_some_and(|far| far < 4 * WINDOW_POINTS as u32), "{furthest:?}");
    }

    #[test]
    fn points_without_neighbours_and_no_points_at_all_have_an_order() {
        let order = SlotOrder::new(&Adjacency::of_triangles(5, &[[1, 2, 3]]));
        assert_eq!(order.num_slots(), SLOT_BLOCK);
        let mut points = order.point_of_slot()[..5].to_vec();
        points.sort_unstable();
        assert_eq!(points, [0, 1, 2, 3, 4]);
        assert_eq!(SlotOrder::new(&Adjacency::of_triangles(0, &[])).num_slots(), 0);
    }
}
