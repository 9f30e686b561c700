//! What follows a rest shape that changed, without binding: the smoothed rest, its frames and what
//! smoothing took off.
//!
//! Topology and the order of the rows stay. Binding itself ends here, so that a refit to the rest
//! that was bound gives the same bits. Nothing is allocated.

use glam::{DVec3, Vec3, Vec3A};

use super::{Delta, DeltaMush, DeltaMushScratch, Tangents, Weighting, edge_weight, ring_tangents};
use crate::mesh::Adjacency;

/// What the rest is followed with.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub adjacency: Adjacency,
    pub smoothed: Vec<DVec3>,
    pub scratch: DeltaMushScratch,
}

impl DeltaMush {
    /// Follows a rest that moved, with the same points.
    ///
    /// # Panics
    /// If the points are not as many as were bound.
    pub(crate) fn refit(&mut self, positions: &[Vec3]) {
        assert_eq!(positions.len(), self.point_of_row.len(), "the bound mesh's points");
        self.rest.positions.copy_from_slice(positions);
        self.fit();
    }

    /// Smooths as often from now on. The rest has to be smoothed as often, which takes about three
    /// frames' time.
    pub(crate) fn set_iterations(&mut self, iterations: u32) {
        self.settings.iterations = iterations;
        self.fit();
    }

    pub(super) fn fit(&mut self) {
        for row in 0..self.point_of_row.len() {
            let point = self.point_of_row[row];
            let ring = self.rest.adjacency.ring(point as usize);
            let weight = |&other: &u32| {
                edge_weight(&self.rest.positions, point, other, self.settings.weighting)
            };
            let total: f64 = ring.iter().map(weight).sum();
            let factor = if total > 0.0 { f64::from(self.settings.factor) / total } else { 0.0 };
            self.factors[row] = factor as f32;
            if self.settings.weighting == Weighting::Length {
                let span = self.starts[row] as usize..self.starts[row + 1] as usize;
                for (kept, other) in self.weights[span].iter_mut().zip(ring) {
                    *kept = weight(other) as f32;
                }
            }
        }
        // Out of the binding for as long as the binding's own functions run over it.
        let mut scratch = std::mem::take(&mut self.rest.scratch);
        self.smooth(&self.rest.positions, &mut scratch, false);
        for (row, &point) in scratch.now.iter().zip(&self.point_of_row) {
            self.rest.smoothed[point as usize] = row.truncate().as_dvec3();
        }
        for row in 0..self.point_of_row.len() {
            self.keep_delta(row, &scratch);
        }
        self.rest.scratch = scratch;
    }

    /// The frame of a row of the smoothed rest, and what smoothing took off in it.
    fn keep_delta(&mut self, row: usize, scratch: &DeltaMushScratch) {
        let Rest { positions, triangles, adjacency, smoothed, .. } = &self.rest;
        let point = self.point_of_row[row] as usize;
        let found = ring_tangents(smoothed, adjacency, triangles, point as u32);
        let span = self.starts[row] as usize..self.starts[row + 1] as usize;
        for (index, other) in span.clone().zip(adjacency.ring(point)) {
            let along = (smoothed[*other as usize] - smoothed[point]).normalize_or_zero();
            let [u, v] = found.map_or([0.0; 2], |(u, v)| [along.dot(u), along.dot(v)]);
            self.tangents[index] =
                Tangents { row: self.neighbours[index], u: u as f32, v: v as f32 };
        }
        let delta = (positions[point].as_dvec3() - smoothed[point]).as_vec3();
        self.deltas[row] = Delta { in_frame: delta, has_frame: found.is_some() };
        if found.is_some() {
            let frame = self.frame(row, &scratch.now);
            self.deltas[row].in_frame = (frame.transpose() * Vec3A::from(delta)).into();
        }
    }
}
