//! The first mesh of the clay: naive surface nets on a sparse uniform grid (Gibson 1998), left half only.
//!
//! Cells are centred on `x = 0`, so that by symmetry the net's points of the first column lie on the mirror plane:
//! the half mesh ends in a clean seam at exactly `x = 0`. Blocks of 8³ cells that the surface cannot reach are skipped,
//! and a block knows the few brushes that matter in it; later projections ask the same blocks.

use glam::DVec3;
use rayon::prelude::*;

use super::field::Field;

const BLOCK: usize = 8;
const NONE: u32 = u32::MAX;

/// The grid, with the brushes that matter in each block.
pub(super) struct Nets<'a> {
    field: &'a Field,
    low: DVec3,
    cell: f64,
    blocks: [usize; 3],
    brushes: Vec<Option<Vec<u16>>>,
    all: Vec<u16>,
}

/// A bare triangle mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Net {
    pub(super) points: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl<'a> Nets<'a> {
    /// A grid of `cell` metres over `0 ≤ x ≤ high.x` and `low..high` else.
    pub(super) fn new(field: &'a Field, low: DVec3, high: DVec3, cell: f64) -> Self {
        let low = DVec3::new(-0.5 * cell, low.y, low.z);
        let span = (high - low) / (cell * BLOCK as f64);
        let blocks = span.to_array().map(|s| s.ceil() as usize);
        let radius = cell * BLOCK as f64 * 0.5 * 3f64.sqrt();
        let all = field.all();
        let grid = Self { field, low, cell, blocks, brushes: Vec::new(), all };
        let brushes = (0..blocks.iter().product())
            .into_par_iter()
            .map(|index| {
                let center = grid.block_center(index);
                // As in `Field::near`: first-order distances overshoot, so look half again as far.
                let value = field.value(center, &grid.all);
                (value.abs() < 2.2 * radius).then(|| field.near(center, radius + cell))
            })
            .collect();
        Self { brushes, ..grid }
    }

    fn block_at(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.blocks;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    fn block_center(&self, index: usize) -> DVec3 {
        let at = self.block_at(index).map(|b| (b as f64 + 0.5) * BLOCK as f64 * self.cell);
        self.low + DVec3::from_array(at)
    }

    /// The brushes that matter near `p`.
    pub(super) fn brushes_at(&self, p: DVec3) -> &[u16] {
        let p = super::field::folded(p);
        let at = ((p - self.low) / (self.cell * BLOCK as f64)).floor();
        let at = [at.x, at.y, at.z].map(|x| x.max(0.0) as usize);
        if (0..3).any(|i| at[i] >= self.blocks[i]) {
            return &self.all;
        }
        let index = at[0] + self.blocks[0] * (at[1] + self.blocks[1] * at[2]);
        self.brushes[index].as_deref().unwrap_or(&self.all)
    }

    /// The field.
    pub(super) fn field(&self) -> &Field {
        self.field
    }

    /// The point on the surface that Newton steps along the gradient reach, and the unit normal there.
    pub(super) fn project(&self, p: DVec3, on_seam: bool) -> (DVec3, DVec3) {
        let mut p = p;
        let mut normal = DVec3::Y;
        for _ in 0..3 {
            let (value, mut gradient) = self.field.value_and_gradient(p, self.brushes_at(p));
            if on_seam {
                gradient.x = 0.0;
            }
            let squared = gradient.length_squared();
            if !value.is_finite() || squared < 1e-8 {
                break;
            }
            normal = gradient / squared.sqrt();
            // A step no longer than two cells: where the field is far from a distance, Newton could leap away.
            let step = (value / squared.sqrt()).clamp(-2.0 * self.cell, 2.0 * self.cell);
            p -= normal * step;
            if step.abs() < 1e-5 {
                break;
            }
        }
        (p, normal)
    }

    /// The surface's left half, its seam at exactly `x = 0`.
    pub(super) fn extract(&self) -> Net {
        let samples = self.blocks.map(|b| b * BLOCK + 1);
        let sample_index = |at: [usize; 3]| at[0] + samples[0] * (at[1] + samples[1] * at[2]);
        const SIDE: usize = BLOCK + 1;
        let values: Vec<Option<Vec<f64>>> = (0..self.brushes.len())
            .into_par_iter()
            .map(|index| {
                let brushes = self.brushes[index].as_ref()?;
                let base = self.block_at(index).map(|b| b * BLOCK);
                let mut out = Vec::with_capacity(SIDE * SIDE * SIDE);
                for k in 0..SIDE {
                    for j in 0..SIDE {
                        for i in 0..SIDE {
                            let p = self.corner([base[0] + i, base[1] + j, base[2] + k]);
                            out.push(self.field.value(p, brushes));
                        }
                    }
                }
                Some(out)
            })
            .collect();

        let mut inside = vec![false; samples.iter().product()];
        for (index, block) in values.iter().enumerate() {
            let base = self.block_at(index).map(|b| b * BLOCK);
            let whole =
                block.is_none() && self.field.value(self.block_center(index), &self.all) < 0.0;
            for k in 0..SIDE {
                for j in 0..SIDE {
                    for i in 0..SIDE {
                        let at = sample_index([base[0] + i, base[1] + j, base[2] + k]);
                        match block {
                            Some(v) => inside[at] = v[i + SIDE * (j + SIDE * k)] < 0.0,
                            None => inside[at] |= whole,
                        }
                    }
                }
            }
        }

        let mut net = Net::default();
        let mut point_of_cell = vec![NONE; inside.len()];
        for (index, block) in values.iter().enumerate() {
            let Some(v) = block else { continue };
            let base = self.block_at(index).map(|b| b * BLOCK);
            for k in 0..BLOCK {
                for j in 0..BLOCK {
                    for i in 0..BLOCK {
                        let corners: [f64; 8] = std::array::from_fn(|c| {
                            v[i + (c & 1) + SIDE * (j + (c >> 1 & 1) + SIDE * (k + (c >> 2)))]
                        });
                        let Some(offset) = cell_point(&corners) else { continue };
                        let at = [base[0] + i, base[1] + j, base[2] + k];
                        let mut p = self.corner(at) + offset * self.cell;
                        if at[0] == 0 {
                            p.x = 0.0;
                        }
                        point_of_cell[sample_index(at)] = net.points.len() as u32;
                        net.points.push(p);
                    }
                }
            }
        }

        for (index, block) in values.iter().enumerate() {
            if block.is_none() {
                continue;
            }
            let base = self.block_at(index).map(|b| b * BLOCK);
            for n in 0..BLOCK * BLOCK * BLOCK {
                let at = [
                    base[0] + n % BLOCK,
                    base[1] + n / BLOCK % BLOCK,
                    base[2] + n / (BLOCK * BLOCK),
                ];
                for axis in 0..3 {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    // The first plane of samples is the mirror image of the second: its quads are not ours.
                    if at[u] == 0 || at[v] == 0 || (axis == 0 && at[0] == 0) {
                        continue;
                    }
                    let mut beyond = at;
                    beyond[axis] += 1;
                    let (a, b) = (inside[sample_index(at)], inside[sample_index(beyond)]);
                    if a == b {
                        continue;
                    }
                    let cell = |du: usize, dv: usize| {
                        let mut c = at;
                        c[u] -= du;
                        c[v] -= dv;
                        point_of_cell[sample_index(c)]
                    };
                    let mut quad = [cell(1, 1), cell(0, 1), cell(0, 0), cell(1, 0)];
                    if quad.contains(&NONE) {
                        continue;
                    }
                    if b {
                        quad.reverse();
                    }
                    net.push_quad(quad);
                }
            }
        }
        net
    }

    fn corner(&self, at: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(at[0] as f64, at[1] as f64, at[2] as f64) * self.cell
    }
}

impl Net {
    fn push_quad(&mut self, [a, b, c, d]: [u32; 4]) {
        let p = |i: u32| self.points[i as usize];
        if p(a).distance_squared(p(c)) <= p(b).distance_squared(p(d)) {
            self.triangles.extend([[a, b, c], [a, c, d]]);
        } else {
            self.triangles.extend([[b, c, d], [b, d, a]]);
        }
    }
}

/// Mean of the crossings on the cell's edges, in cells; `None` where the surface does not pass.
fn cell_point(corners: &[f64; 8]) -> Option<DVec3> {
    let mut sum = DVec3::ZERO;
    let mut count = 0.0;
    for c in 0..8 {
        for axis in 0..3 {
            let other = c | 1 << axis;
            if other == c || (corners[c] < 0.0) == (corners[other] < 0.0) {
                continue;
            }
            let mut p = DVec3::new((c & 1) as f64, (c >> 1 & 1) as f64, (c >> 2 & 1) as f64);
            p[axis] = corners[c] / (corners[c] - corners[other]);
            sum += p;
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}
