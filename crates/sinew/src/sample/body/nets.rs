//! The first mesh of the clay: naive surface nets on a sparse uniform grid (Gibson 1998), left half
//! only.
//!
//! Cells are centred on `x = 0`, so that by symmetry the net's points of the first column lie on
//! the mirror plane: the half mesh ends in a clean seam at exactly `x = 0`. Blocks of 4³ cells that
//! the surface cannot reach are skipped, and a block knows the few brushes that matter in it; later
//! projections ask the same blocks.
//!
//! A cell through which two sheets pass would pinch the surface: such cells are filled first,
//! sample by sample, until in every cell inside and outside are each in one piece. The net is then
//! two-manifold.

use glam::DVec3;
use rayon::prelude::*;

use super::field::Field;

/// Cells a side of a block, and blocks a side of a coarse block.
const BLOCK: usize = 4;
const COARSE: usize = 4;
const NONE: u32 = u32::MAX;
/// How far beyond its half diagonal a block looks for the surface: first-order distances overshoot.
const MARGIN: f64 = 1.7;

/// The grid, with the brushes that matter in each block.
pub(super) struct Nets<'a> {
    field: &'a Field,
    low: DVec3,
    cell: f64,
    blocks: [usize; 3],
    brushes: Vec<Block>,
    all: Vec<u16>,
}

/// What is known of a block.
enum Block {
    /// The surface passes not; true if all of it is clay.
    Plain(bool),
    /// The brushes that matter.
    Surface(Vec<u16>),
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
        let span = (high - low) / (cell * (BLOCK * COARSE) as f64);
        let coarse = span.to_array().map(|s| s.ceil() as usize);
        let blocks = coarse.map(|c| c * COARSE);
        let all = field.all();
        let mut grid = Self { field, low, cell, blocks, brushes: Vec::new(), all };
        let half_diagonal = cell * BLOCK as f64 * 0.5 * 3f64.sqrt();
        let classify = |center: DVec3, radius: f64, brushes: &[u16]| {
            let value = field.value(center, brushes);
            if value.abs() < MARGIN * radius {
                Block::Surface(field.near(center, radius + cell, brushes))
            } else {
                Block::Plain(value < 0.0)
            }
        };
        let coarse_blocks: Vec<Block> = (0..coarse.iter().product())
            .into_par_iter()
            .map(|index: usize| {
                let at =
                    unpacked(index, coarse).map(|c| (c as f64 + 0.5) * (BLOCK * COARSE) as f64);
                let center = low + DVec3::from_array(at) * cell;
                classify(center, half_diagonal * COARSE as f64, &grid.all)
            })
            .collect();
        let brushes = (0..blocks.iter().product())
            .into_par_iter()
            .map(|index: usize| {
                let [x, y, z] = unpacked(index, blocks).map(|b| b / COARSE);
                match &coarse_blocks[x + coarse[0] * (y + coarse[1] * z)] {
                    Block::Plain(is_clay) => Block::Plain(*is_clay),
                    Block::Surface(brushes) => {
                        classify(grid.block_center(index), half_diagonal, brushes)
                    }
                }
            })
            .collect();
        grid.brushes = brushes;
        grid
    }

    fn block_center(&self, index: usize) -> DVec3 {
        let at = unpacked(index, self.blocks).map(|b| (b as f64 + 0.5) * BLOCK as f64 * self.cell);
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
        match &self.brushes[at[0] + self.blocks[0] * (at[1] + self.blocks[1] * at[2])] {
            Block::Surface(brushes) => brushes,
            Block::Plain(_) => &self.all,
        }
    }

    /// The field.
    pub(super) fn field(&self) -> &Field {
        self.field
    }

    /// The point on the surface that Newton steps along the gradient reach, and the unit normal
    /// there.
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
            // A step no longer than two cells: where the field is far from a distance, Newton could
            // leap away.
            let step = (value / squared.sqrt()).clamp(-2.0 * self.cell, 2.0 * self.cell);
            p -= normal * step;
            if step.abs() < 3e-5 {
                break;
            }
        }
        (p, normal)
    }

    /// The surface's left half, its seam at exactly `x = 0`.
    pub(super) fn extract(&self) -> Net {
        let mut samples = self.sample();
        samples.fill_pinched_cells();
        let mut net = Net::default();
        let mut point_of_cell = vec![NONE; samples.values.len()];
        let surface = |index: &usize| matches!(self.brushes[*index], Block::Surface(_));
        let active: Vec<usize> = (0..self.brushes.len()).filter(surface).collect();
        for &index in &active {
            for at in self.cells_of(index) {
                let Some(offset) = cell_point(&samples.corners(at)) else { continue };
                let mut p = self.corner(at) + offset * self.cell;
                if at[0] == 0 {
                    p.x = 0.0;
                }
                point_of_cell[samples.index(at)] = net.points.len() as u32;
                net.points.push(p);
            }
        }
        for &index in &active {
            for at in self.cells_of(index) {
                for axis in 0..3 {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    // The first plane of samples is the mirror image of the second: its quads are
                    // not ours.
                    if at[u] == 0 || at[v] == 0 || (axis == 0 && at[0] == 0) {
                        continue;
                    }
                    let mut beyond = at;
                    beyond[axis] += 1;
                    let (a, b) = (samples.is_inside(at), samples.is_inside(beyond));
                    if a == b {
                        continue;
                    }
                    let cell = |du: usize, dv: usize| {
                        let mut c = at;
                        c[u] -= du;
                        c[v] -= dv;
                        point_of_cell[samples.index(c)]
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

    fn cells_of(&self, block: usize) -> impl Iterator<Item = [usize; 3]> + use<> {
        let base = unpacked(block, self.blocks).map(|b| b * BLOCK);
        (0..BLOCK * BLOCK * BLOCK).map(move |n| {
            let [x, y, z] = unpacked(n, [BLOCK; 3]);
            [base[0] + x, base[1] + y, base[2] + z]
        })
    }

    fn sample(&self) -> Samples {
        const SIDE: usize = BLOCK + 1;
        let values: Vec<Vec<f32>> = self
            .brushes
            .par_iter()
            .enumerate()
            .map(|(index, block)| {
                let base = unpacked(index, self.blocks).map(|b| b * BLOCK);
                let corner = |n: usize| {
                    let [x, y, z] = unpacked(n, [SIDE; 3]);
                    self.corner([base[0] + x, base[1] + y, base[2] + z])
                };
                let all = 0..SIDE * SIDE * SIDE;
                match block {
                    Block::Plain(false) => Vec::new(),
                    Block::Plain(true) => vec![f32::MIN; all.len()],
                    Block::Surface(brushes) => {
                        all.map(|n| self.field.value(corner(n), brushes) as f32).collect()
                    }
                }
            })
            .collect();
        let size = self.blocks.map(|b| b * BLOCK + 1);
        let mut samples =
            Samples { size, values: vec![f32::MAX; size.iter().product()], active: Vec::new() };
        // Plain blocks first: what a surface block knows of a shared sample is better.
        for surface in [false, true] {
            for (index, block) in self.brushes.iter().enumerate() {
                if matches!(block, Block::Surface(_)) != surface {
                    continue;
                }
                let base = unpacked(index, self.blocks).map(|b| b * BLOCK);
                for (n, &value) in values[index].iter().enumerate() {
                    let [x, y, z] = unpacked(n, [SIDE; 3]);
                    let at = samples.index([base[0] + x, base[1] + y, base[2] + z]);
                    samples.values[at] = value;
                }
                if surface {
                    samples.active.extend(self.cells_of(index));
                }
            }
        }
        samples
    }

    fn corner(&self, at: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(at[0] as f64, at[1] as f64, at[2] as f64) * self.cell
    }
}

/// Values at all corners of the grid; only those of blocks with surface are distances.
struct Samples {
    size: [usize; 3],
    values: Vec<f32>,
    active: Vec<[usize; 3]>,
}

impl Samples {
    fn index(&self, at: [usize; 3]) -> usize {
        at[0] + self.size[0] * (at[1] + self.size[1] * at[2])
    }

    fn is_inside(&self, at: [usize; 3]) -> bool {
        self.values[self.index(at)] < 0.0
    }

    fn corner_index(&self, at: [usize; 3], corner: usize) -> usize {
        self.index([at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)])
    }

    fn corners(&self, at: [usize; 3]) -> [f32; 8] {
        std::array::from_fn(|corner| self.values[self.corner_index(at, corner)])
    }

    /// Fills, in every cell whose inside or outside is in pieces, the outside corner nearest to the
    /// surface; each fill makes one more sample clay, so it ends.
    fn fill_pinched_cells(&mut self) {
        let mut cells = self.active.clone();
        while !cells.is_empty() {
            let mut touched = Vec::new();
            for &at in &cells {
                let corners = self.corners(at);
                if !is_pinched(&corners) {
                    continue;
                }
                let nearest = (0..8)
                    .filter(|&c| corners[c] >= 0.0)
                    .min_by(|&a, &b| corners[a].total_cmp(&corners[b]));
                let Some(corner) = nearest else { continue };
                let filled =
                    [at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)];
                // The first two planes of samples mirror each other.
                let planes: &[usize] = if filled[0] < 2 { &[0, 1] } else { &[filled[0]] };
                for &x in planes {
                    let index = self.index([x, filled[1], filled[2]]);
                    self.values[index] = -1e-6;
                    for n in 0..8 {
                        let [dx, dy, dz] = unpacked(n, [2; 3]);
                        let cell = [
                            x.checked_sub(dx),
                            filled[1].checked_sub(dy),
                            filled[2].checked_sub(dz),
                        ];
                        if let [Some(cx), Some(cy), Some(cz)] = cell
                            && cx + 1 < self.size[0]
                            && cy + 1 < self.size[1]
                            && cz + 1 < self.size[2]
                        {
                            touched.push([cx, cy, cz]);
                        }
                    }
                }
            }
            cells = touched;
        }
    }
}

fn unpacked(index: usize, size: [usize; 3]) -> [usize; 3] {
    [index % size[0], index / size[0] % size[1], index / (size[0] * size[1])]
}

/// True if the inside or the outside corners of a cell are in several pieces, joined along edges.
fn is_pinched(corners: &[f32; 8]) -> bool {
    let inside = (0..8).filter(|&c| corners[c] < 0.0).fold(0u8, |mask, c| mask | 1 << c);
    if inside == 0 || inside == 0xff {
        return false;
    }
    let in_one_piece = |mask: u8| {
        let mut reached = 1u8 << mask.trailing_zeros();
        loop {
            let mut next = reached;
            for c in 0..8 {
                if reached >> c & 1 == 1 {
                    next |= (1 << (c ^ 1) | 1 << (c ^ 2) | 1 << (c ^ 4)) & mask;
                }
            }
            if next == reached {
                return reached == mask;
            }
            reached = next;
        }
    };
    // A face with two clay corners across its diagonal makes an edge of four triangles even where
    // the cell's inside is joined around it.
    let has_checkered_face = (0..3).any(|axis| {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        [0, 1 << axis].into_iter().any(|base: usize| {
            let bit = |c: usize| inside >> c & 1 == 1;
            bit(base) == bit(base | u | v)
                && bit(base | u) == bit(base | v)
                && bit(base) != bit(base | u)
        })
    });
    has_checkered_face || !in_one_piece(inside) || !in_one_piece(!inside)
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
fn cell_point(corners: &[f32; 8]) -> Option<DVec3> {
    let mut sum = DVec3::ZERO;
    let mut count = 0.0;
    for c in 0..8 {
        for axis in 0..3 {
            let other = c | 1 << axis;
            if other == c || (corners[c] < 0.0) == (corners[other] < 0.0) {
                continue;
            }
            let mut p = DVec3::new((c & 1) as f64, (c >> 1 & 1) as f64, (c >> 2 & 1) as f64);
            p[axis] = f64::from(corners[c]) / (f64::from(corners[c]) - f64::from(corners[other]));
            sum += p;
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}
