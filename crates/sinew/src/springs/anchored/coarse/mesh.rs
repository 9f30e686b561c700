//! The coarse mesh: seeds spread evenly over the surface, and a triangle wherever three of their
//! cells meet.
//!
//! Seeds are taken greedily in the solver's order; one keeps others out of a
//! [`radius`](Lengths::radius) along the edges. A point's cell is that of its nearest seed
//! (Voronoi's, along the edges), and the corners of a fine triangle in three cells join their
//! seeds: the dual, Delaunay's. Where a limb is so thin that a cell closes around it no three cells
//! meet, which is why the radius is bounded by the distance to the bone.
//!
//! Lengths are whole numbers of a small part of the mesh's mean edge: a mesh and the same one
//! turned or scaled then have the same seeds, although their lengths are rounded differently, and
//! equal paths are told apart by number alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::AnchoredInput;
use crate::mesh::Adjacency;
use crate::springs::order::SlotOrder;

/// Over the mean edge at a seed: how far others stay away. At 2 twice as many points gain a tenth,
/// at 4 half of them lose a quarter.
const RADIUS_OVER_EDGE: u64 = 3;

/// Over the distance to the bone: four cells go around a limb at the least.
const RADIUS_OVER_ARM: f64 = 1.0;

/// Whole numbers in the mesh's mean edge.
const UNITS_AN_EDGE: f64 = 256.0;

/// The cell of a point that no seed is joined to.
pub(in super::super) const NO_CELL: u32 = u32::MAX;

/// Seeds and what joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct CoarseMesh {
    /// Points of the fine mesh.
    pub(in super::super) seeds: Vec<u32>,
    /// By point of the fine mesh: its seed's number, or [`NO_CELL`].
    pub(in super::super) cell_of_point: Vec<u32>,
    /// Over the seeds' numbers.
    pub(in super::super) triangles: Vec<[u32; 3]>,
}

impl CoarseMesh {
    pub(in super::super) fn new(input: &AnchoredInput<'_>, order: &SlotOrder) -> Self {
        let lengths = Lengths::new(input);
        let seeds = seeds(&lengths, &order.point_of_slot()[..order.num_points()]);
        let cell_of_point = cells(&lengths, &seeds);
        let mut triangles: Vec<[u32; 3]> = input
            .triangles
            .iter()
            .map(|triangle| triangle.map(|point| cell_of_point[point as usize]))
            .filter(|&[a, b, c]| a != b && b != c && c != a && a.max(b).max(c) != NO_CELL)
            .map(|[a, b, c]| {
                // The smallest number first: the same triangle twice is then found, and its other
                // side is another.
                if a < b && a < c {
                    [a, b, c]
                } else if b < c {
                    [b, c, a]
                } else {
                    [c, a, b]
                }
            })
            .collect();
        triangles.sort_unstable();
        triangles.dedup();
        Self { seeds, cell_of_point, triangles }
    }
}

/// Edges in whole numbers.
struct Lengths<'a> {
    input: &'a AnchoredInput<'a>,
    adjacency: &'a Adjacency,
    units_a_metre: f64,
}

impl<'a> Lengths<'a> {
    fn new(input: &'a AnchoredInput<'a>) -> Self {
        let edges = input.adjacency.edges();
        let length = |[a, b]: [u32; 2]| {
            let [a, b] = [a, b].map(|point| input.positions[point as usize].as_dvec3());
            a.distance(b)
        };
        let finite: Vec<f64> =
            edges.iter().map(|edge| length(edge.points)).filter(|l| l.is_finite()).collect();
        let total: f64 = finite.iter().sum();
        let units_a_metre =
            if total > 0.0 { UNITS_AN_EDGE * finite.len() as f64 / total } else { 0.0 };
        Self { input, adjacency: input.adjacency, units_a_metre }
    }

    /// `None` where an end is not a number.
    fn of(&self, from: u32, to: u32) -> Option<u64> {
        let [a, b] = [from, to].map(|point| self.input.positions[point as usize].as_dvec3());
        let units = a.distance(b) * self.units_a_metre;
        units.is_finite().then(|| units.round() as u64)
    }

    /// Within which a seed is alone; `None` for what is no seed: points without neighbours and what
    /// is not a number.
    fn radius(&self, point: u32) -> Option<u64> {
        let ring = self.adjacency.ring(point as usize);
        let lengths = || ring.iter().filter_map(|&other| self.of(point, other));
        let num_edges = lengths().count() as u64;
        let of_edges = (RADIUS_OVER_EDGE * lengths().sum::<u64>()).checked_div(num_edges)?;
        let arm = self.input.attachment_distance[point as usize] * self.units_a_metre;
        // What is not a number becomes 0.
        Some(of_edges.min((RADIUS_OVER_ARM * arm).round() as u64))
    }
}

/// Points that are further from each other than their radii.
fn seeds(lengths: &Lengths<'_>, order: &[u32]) -> Vec<u32> {
    let mut is_covered = vec![false; order.len()];
    let mut distances = vec![u64::MAX; order.len()];
    let mut reached = Vec::new();
    let mut front = BinaryHeap::new();
    let mut seeds = Vec::new();
    for &seed in order {
        let Some(radius) = lengths.radius(seed).filter(|_| !is_covered[seed as usize]) else {
            continue;
        };
        seeds.push(seed);
        distances[seed as usize] = 0;
        reached.push(seed);
        front.push(Reverse((0, seed)));
        while let Some(Reverse((distance, point))) = front.pop() {
            if distance > distances[point as usize] {
                continue;
            }
            is_covered[point as usize] = true;
            for &next in lengths.adjacency.ring(point as usize) {
                let Some(length) = lengths.of(point, next) else { continue };
                let further = distance + length;
                if further <= radius && further < distances[next as usize] {
                    distances[next as usize] = further;
                    reached.push(next);
                    front.push(Reverse((further, next)));
                }
            }
        }
        for point in reached.drain(..) {
            distances[point as usize] = u64::MAX;
        }
    }
    seeds
}

/// Each point's nearest seed, by number.
fn cells(lengths: &Lengths<'_>, seeds: &[u32]) -> Vec<u32> {
    let mut cell_of_point = vec![NO_CELL; lengths.input.positions.len()];
    let mut front: BinaryHeap<Reverse<(u64, u32, u32)>> =
        (0..).zip(seeds).map(|(cell, &seed)| Reverse((0, cell, seed))).collect();
    while let Some(Reverse((distance, cell, point))) = front.pop() {
        if cell_of_point[point as usize] != NO_CELL {
            continue;
        }
        cell_of_point[point as usize] = cell;
        for &next in lengths.adjacency.ring(point as usize) {
            if cell_of_point[next as usize] == NO_CELL
                && let Some(length) = lengths.of(point, next)
            {
                front.push(Reverse((distance + length, cell, next)));
            }
        }
    }
    cell_of_point
}
