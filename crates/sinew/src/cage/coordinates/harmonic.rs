//! Harmonic coordinates on a grid (Joshi et al. 2007): each handle's hat on the cage, continued
//! inwards without extremes.
//!
//! Nodes within half a cell of a face have the value of the nearest place on it; those behind are
//! found by a sparse Cholesky of the grid's Laplacian, all handles at once. Between nodes rows are
//! interpolated; [`super::affine_fix`] makes them precise, so that they stay linear in the cage.
//! A point that is not inside gets its mean value coordinates.

use glam::{DVec3, IVec3};

use super::super::{Cage, CageError};
use super::{Coordinates, QuadMeanValue};
use crate::linalg::SparseCholesky;
use crate::mesh::closest_shares;

/// Along the longest side of the cage, where nothing else is asked for.
pub(super) const DEFAULT_CELLS: u32 = 48;

/// More unknowns than this take more than a second and a gigabyte; a coarser grid serves.
const MAX_UNKNOWNS: usize = 16_000;

/// The nearest place on the cage counts for nodes up to this many cells away: a cell's diagonal.
const BAND_CELLS: f64 = 1.75;
/// Nodes this near are on the cage: of each grid edge through a face at least one end is.
const WALL_CELLS: f64 = 0.51;

/// Harmonic coordinates, bound to a cage.
pub struct Harmonic {
    outside: QuadMeanValue,
    grid: Grid,
    /// The row of each node; `NONE` for one without.
    row_of_node: Vec<u32>,
    rows: Vec<f64>,
    num_handles: usize,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Grid {
    origin: DVec3,
    cell: f64,
    size: IVec3,
}

impl Grid {
    fn around(cage: &Cage, cells: u32) -> Self {
        let low = cage.points().iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
        let high = cage.points().iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
        let cell = (high - low).max_element() / f64::from(cells.max(4));
        let size = ((high - low) / cell).ceil().as_ivec3() + IVec3::splat(6);
        Self { origin: low - DVec3::splat(3.0 * cell), cell, size }
    }

    fn num_nodes(&self) -> usize {
        self.size.as_uvec3().element_product() as usize
    }

    fn index(&self, node: IVec3) -> Option<usize> {
        let inside = node.cmpge(IVec3::ZERO).all() && node.cmplt(self.size).all();
        inside.then(|| {
            let n = node.as_uvec3();
            let s = self.size.as_uvec3();
            (n.x + s.x * (n.y + s.y * n.z)) as usize
        })
    }

    fn node(&self, index: usize) -> IVec3 {
        let s = self.size;
        let i = index as i32;
        IVec3::new(i % s.x, (i / s.x) % s.y, i / (s.x * s.y))
    }

    fn place(&self, node: IVec3) -> DVec3 {
        self.origin + self.cell * node.as_dvec3()
    }
}

const NEIGHBORS: [IVec3; 6] =
    [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z];

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    Unknown,
    Wall,
    Outside,
}

/// The nearest place on the cage, as far as it is near.
#[derive(Clone, Copy)]
struct Nearest {
    distance: f64,
    corners: [u32; 3],
    shares: [f64; 3],
}

impl Harmonic {
    /// Solves the grid of a cage.
    ///
    /// # Errors
    /// If nothing of the grid is inside.
    pub fn new(cage: &Cage, cells: u32) -> Result<Self, CageError> {
        let mut cells = cells;
        loop {
            let grid = Grid::around(cage, cells);
            let nearest = nearest_places(cage, &grid);
            let nodes = classify(&grid, &nearest);
            let num_unknowns = nodes.iter().filter(|&&node| node == Node::Unknown).count();
            if num_unknowns == 0 {
                return Err(CageError::NothingInside { cells });
            }
            if num_unknowns > MAX_UNKNOWNS {
                let ratio = (MAX_UNKNOWNS as f64 / num_unknowns as f64).cbrt();
                cells = ((f64::from(cells) * ratio * 0.97) as u32).clamp(4, cells - 1);
                continue;
            }
            return Self::solve(cage, grid, &nearest, &nodes)
                .ok_or(CageError::NothingInside { cells });
        }
    }

    fn solve(cage: &Cage, grid: Grid, nearest: &[Option<Nearest>], nodes: &[Node]) -> Option<Self> {
        let num_handles = cage.points().len();
        let mut row_of_node = vec![NONE; nodes.len()];
        let mut unknowns = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if *node == Node::Unknown {
                row_of_node[index] = unknowns.len() as u32;
                unknowns.push(index);
            }
        }
        let mut lower = Vec::with_capacity(4 * unknowns.len());
        let mut columns = vec![vec![0.0; unknowns.len()]; num_handles];
        for (row, &index) in unknowns.iter().enumerate() {
            lower.push((row as u32, row as u32, 6.0));
            for step in NEIGHBORS {
                let other = grid.index(grid.node(index) + step)?;
                let of_other = row_of_node[other];
                match nodes[other] {
                    Node::Unknown if of_other < row as u32 => {
                        lower.push((row as u32, of_other, -1.0));
                    }
                    Node::Unknown => {}
                    // Walls: nothing unknown is beside what is outside.
                    Node::Wall | Node::Outside => {
                        let on_cage = nearest[other]?;
                        for (corner, share) in on_cage.corners.iter().zip(on_cage.shares) {
                            columns[*corner as usize][row] += share;
                        }
                    }
                }
            }
        }
        SparseCholesky::factor(unknowns.len(), &lower).ok()?.solve(&mut columns);
        let mut rows = vec![0.0; unknowns.len() * num_handles];
        for (k, column) in columns.iter().enumerate() {
            for (row, &value) in column.iter().enumerate() {
                rows[row * num_handles + k] = value;
            }
        }
        for (index, on_cage) in nearest.iter().enumerate() {
            let (true, Some(on_cage)) = (row_of_node[index] == NONE, on_cage) else { continue };
            row_of_node[index] = (rows.len() / num_handles) as u32;
            rows.resize(rows.len() + num_handles, 0.0);
            let start = rows.len() - num_handles;
            for (corner, share) in on_cage.corners.iter().zip(on_cage.shares) {
                rows[start + *corner as usize] += share;
            }
        }
        Some(Self { outside: QuadMeanValue::new(cage), grid, row_of_node, rows, num_handles })
    }

    /// Interpolates the eight nodes around a point; false if one of them has no row.
    fn interpolate(&self, point: DVec3, out: &mut [f64]) -> bool {
        let at = (point - self.grid.origin) / self.grid.cell;
        let base = at.floor();
        let share = at - base;
        out.fill(0.0);
        for corner in 0..8 {
            let step = IVec3::new(corner & 1, (corner >> 1) & 1, corner >> 2);
            let row = self.grid.index(base.as_ivec3() + step).map(|node| self.row_of_node[node]);
            let Some(row) = row.filter(|&row| row != NONE) else { return false };
            let along = step.as_dvec3() * share + (1.0 - step.as_dvec3()) * (1.0 - share);
            let weight = along.element_product();
            let start = row as usize * self.num_handles;
            let row = &self.rows[start..start + self.num_handles];
            for (out, value) in out.iter_mut().zip(row) {
                *out += weight * value;
            }
        }
        true
    }
}

impl Coordinates for Harmonic {
    fn name(&self) -> &'static str {
        "harmonic"
    }

    /// Interpolation leaves a cell's share; what is worse is not inside.
    fn raw_limit(&self) -> f64 {
        0.1
    }

    fn rows(&self, first: usize, points: &[DVec3], out: &mut [f64]) {
        for (index, (&point, row)) in
            points.iter().zip(out.chunks_exact_mut(self.num_handles)).enumerate()
        {
            if !self.interpolate(point, row) {
                self.outside.rows(first + index, &[point], row);
            }
        }
    }
}

fn nearest_places(cage: &Cage, grid: &Grid) -> Vec<Option<Nearest>> {
    let mut nearest: Vec<Option<Nearest>> = vec![None; grid.num_nodes()];
    let reach = BAND_CELLS * grid.cell;
    for corners in cage.triangles() {
        let t = corners.map(|corner| cage.points()[corner as usize]);
        let low = (t[0].min(t[1]).min(t[2]) - reach - grid.origin) / grid.cell;
        let high = (t[0].max(t[1]).max(t[2]) + reach - grid.origin) / grid.cell;
        let (low, high) = (low.ceil().as_ivec3(), high.floor().as_ivec3());
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let node = IVec3::new(x, y, z);
                    let Some(index) = grid.index(node) else { continue };
                    let place = grid.place(node);
                    let shares = closest_shares(place, &t);
                    let there: DVec3 = t.iter().zip(shares).map(|(&p, share)| share * p).sum();
                    let distance = there.distance(place);
                    let known = nearest[index].map_or(reach, |known| known.distance);
                    if distance < known {
                        nearest[index] = Some(Nearest { distance, corners, shares });
                    }
                }
            }
        }
    }
    nearest
}

/// Walls, and what is behind them.
fn classify(grid: &Grid, nearest: &[Option<Nearest>]) -> Vec<Node> {
    let wall = WALL_CELLS * grid.cell;
    let mut nodes: Vec<Node> = nearest
        .iter()
        .map(|nearest| match nearest {
            Some(nearest) if nearest.distance <= wall => Node::Wall,
            _ => Node::Unknown,
        })
        .collect();
    // The first node is three cells from everything.
    nodes[0] = Node::Outside;
    let mut open = vec![0usize];
    while let Some(index) = open.pop() {
        for step in NEIGHBORS {
            let Some(other) = grid.index(grid.node(index) + step) else { continue };
            if nodes[other] == Node::Unknown {
                nodes[other] = Node::Outside;
                open.push(other);
            }
        }
    }
    nodes
}
