//! Catmull–Clark subdivision of a closed cage of quads, sampled at any number of steps a quad.
//!
//! Face points are means of corners, edge points means of both ends and both face points, and a
//! point of valence n goes to `(F + 2R + (n − 3)P) / n` (Catmull and Clark 1978). Each cage quad is
//! kept as a square grid, so that after the last level it can be sampled evenly at any resolution,
//! not only at powers of two. Values that ride on the points (here the digits' weights) go through
//! the same means, and are as smooth as the surface.

use std::collections::HashMap;

use glam::DVec3;

/// A position with `N` values that are smoothed alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct CagePoint<const N: usize> {
    /// Model space.
    pub(super) position: DVec3,
    /// Further values that are subdivided with the place.
    pub(super) values: [f64; N],
}

impl<const N: usize> CagePoint<N> {
    const ZERO: Self = Self { position: DVec3::ZERO, values: [0.0; N] };

    fn plus(mut self, other: &Self, share: f64) -> Self {
        self.position += other.position * share;
        for (value, other) in self.values.iter_mut().zip(other.values) {
            *value += other * share;
        }
        self
    }
}

/// A closed surface of quads, counter-clockwise from outside.
#[derive(Clone, Debug, Default)]
pub(super) struct Cage<const N: usize> {
    /// Its points.
    pub(super) points: Vec<CagePoint<N>>,
    /// Its quads.
    pub(super) quads: Vec<[u32; 4]>,
}

/// Every cage quad as a grid of `steps + 1` by `steps + 1` indices into shared points; entry
/// `j·(steps + 1) + i` lies `i` steps from corner 0 towards corner 1 and `j` towards corner 3.
pub(super) struct Patches<const N: usize> {
    /// Shared by all grids.
    pub(super) points: Vec<CagePoint<N>>,
    /// Steps along a side.
    pub(super) steps: usize,
    /// One a cage quad.
    pub(super) grids: Vec<Vec<u32>>,
}

impl<const N: usize> Patches<N> {
    /// The cage itself.
    pub(super) fn new(cage: &Cage<N>) -> Self {
        let grids = cage.quads.iter().map(|&[a, b, c, d]| vec![a, b, d, c]).collect();
        Self { points: cage.points.clone(), steps: 1, grids }
    }

    /// The corners of every cell, counter-clockwise.
    fn cells(&self) -> impl Iterator<Item = [u32; 4]> + '_ {
        let side = self.steps + 1;
        self.grids.iter().flat_map(move |grid| {
            (0..self.steps).flat_map(move |j| {
                (0..self.steps).map(move |i| {
                    let k = j * side + i;
                    [grid[k], grid[k + 1], grid[k + side + 1], grid[k + side]]
                })
            })
        })
    }

    /// One level finer.
    pub(super) fn subdivided(&self) -> Self {
        let num_old = self.points.len();
        let mean4 = |q: [u32; 4]| {
            q.iter().fold(CagePoint::ZERO, |sum, &p| sum.plus(&self.points[p as usize], 0.25))
        };
        let face_points: Vec<_> = self.cells().map(mean4).collect();

        // Edge points, and for each old point the sums of its rule.
        let mut edge_index: HashMap<(u32, u32), u32> = HashMap::with_capacity(2 * num_old);
        let mut edge_points: Vec<CagePoint<N>> = Vec::with_capacity(2 * num_old);
        let mut valence = vec![0.0f64; num_old];
        let mut faces_sum = vec![CagePoint::ZERO; num_old];
        let mut edges_sum = vec![CagePoint::ZERO; num_old];
        for (cell, face_point) in self.cells().zip(&face_points) {
            for k in 0..4 {
                let (p, q) = (cell[k], cell[(k + 1) % 4]);
                valence[p as usize] += 1.0;
                faces_sum[p as usize] = faces_sum[p as usize].plus(face_point, 1.0);
                let middle = CagePoint::ZERO
                    .plus(&self.points[p as usize], 0.5)
                    .plus(&self.points[q as usize], 0.5);
                // On a closed surface each point has one edge running out a cell: every edge is
                // seen from both ends.
                edges_sum[p as usize] = edges_sum[p as usize].plus(&middle, 1.0);
                let edge = *edge_index.entry((p.min(q), p.max(q))).or_insert_with(|| {
                    edge_points.push(CagePoint::ZERO.plus(&middle, 0.5));
                    edge_points.len() as u32 - 1
                });
                let edge_point = &mut edge_points[edge as usize];
                *edge_point = edge_point.plus(face_point, 0.25);
            }
        }
        let mut points: Vec<_> = (0..num_old)
            .map(|p| {
                let n = valence[p].max(1.0);
                CagePoint::ZERO
                    .plus(&faces_sum[p], 1.0 / (n * n))
                    .plus(&edges_sum[p], 2.0 / (n * n))
                    .plus(&self.points[p], (n - 3.0) / n)
            })
            .collect();
        let first_edge = points.len() as u32;
        points.extend(edge_points);
        let first_face = points.len() as u32;
        points.extend(face_points);

        let (steps, side) = (2 * self.steps, self.steps + 1);
        let cells_per_grid = self.steps * self.steps;
        let edge_of = |p: u32, q: u32| first_edge + edge_index[&(p.min(q), p.max(q))];
        let grids = self
            .grids
            .iter()
            .enumerate()
            .map(|(index, old)| {
                let mut grid = Vec::with_capacity((steps + 1) * (steps + 1));
                for j in 0..=steps {
                    for i in 0..=steps {
                        let k = (j / 2) * side + i / 2;
                        grid.push(match (i % 2, j % 2) {
                            (0, 0) => old[k],
                            (1, 0) => edge_of(old[k], old[k + 1]),
                            (0, _) => edge_of(old[k], old[k + side]),
                            _ => {
                                let cell = (j / 2) * self.steps + i / 2;
                                first_face + (index * cells_per_grid + cell) as u32
                            }
                        });
                    }
                }
                grid
            })
            .collect();
        Self { points, steps, grids }
    }

    /// The same surface at `steps` even steps a side, bilinear between the points of this one.
    pub(super) fn resampled(&self, cage: &Cage<N>, steps: usize) -> Self {
        /// Where a sample lies in the cage: what neighbouring quads share is made once.
        #[derive(PartialEq, Eq, Hash)]
        enum Place {
            Corner(u32),
            Edge(u32, u32, usize),
            Inside(usize, usize, usize),
        }
        let mut index_of: HashMap<Place, u32> = HashMap::new();
        let mut points = Vec::new();
        let mut grids = Vec::with_capacity(self.grids.len());
        for (patch, &[a, b, c, d]) in cage.quads.iter().enumerate() {
            let on_edge = |p: u32, q: u32, k: usize| match k {
                0 => Place::Corner(p),
                k if k == steps => Place::Corner(q),
                k if p < q => Place::Edge(p, q, k),
                k => Place::Edge(q, p, steps - k),
            };
            let mut grid = Vec::with_capacity((steps + 1) * (steps + 1));
            for j in 0..=steps {
                for i in 0..=steps {
                    let place = match (i, j) {
                        (i, 0) => on_edge(a, b, i),
                        (i, j) if j == steps => on_edge(d, c, i),
                        (0, j) => on_edge(a, d, j),
                        (i, j) if i == steps => on_edge(b, c, j),
                        (i, j) => Place::Inside(patch, i, j),
                    };
                    grid.push(*index_of.entry(place).or_insert_with(|| {
                        points.push(self.sample(patch, i, j, steps));
                        points.len() as u32 - 1
                    }));
                }
            }
            grids.push(grid);
        }
        Self { points, steps, grids }
    }

    /// Bilinear at `(i, j)` of `steps`.
    fn sample(&self, patch: usize, i: usize, j: usize, steps: usize) -> CagePoint<N> {
        let locate = |k: usize| {
            let whole = (k * self.steps / steps).min(self.steps - 1);
            (whole, (k * self.steps) as f64 / steps as f64 - whole as f64)
        };
        let ((i, s), (j, t)) = (locate(i), locate(j));
        let at =
            |i: usize, j: usize| &self.points[self.grids[patch][j * (self.steps + 1) + i] as usize];
        CagePoint::ZERO
            .plus(at(i, j), (1.0 - s) * (1.0 - t))
            .plus(at(i + 1, j), s * (1.0 - t))
            .plus(at(i, j + 1), (1.0 - s) * t)
            .plus(at(i + 1, j + 1), s * t)
    }
}
