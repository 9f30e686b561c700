//! The inside of a body as cells, and the way through it. Islands of cells (a floating hat, a hand
//! beside a sleeve) are joined to the nearest others, over twice the gap (`islands`).

mod islands;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use glam::{DVec3, IVec3};

use super::pieces::Pieces;

/// About this many cells around the body.
const NUM_CELLS: f64 = 60_000.0;

/// Cells of the box around a body: those on its surface and inside of it are solid.
pub(super) struct Solid {
    origin: DVec3,
    cell: f64,
    size: IVec3,
    is_solid: Vec<bool>,
    /// Ways over gaps, from either side: a cell, and how long the way to it is.
    gaps: HashMap<u32, Vec<(u32, f32)>>,
}

impl Solid {
    pub(super) fn of(pieces: &Pieces) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for point in &pieces.points {
            (low, high) = (low.min(*point), high.max(*point));
        }
        let extent = (high - low).max(DVec3::splat(1e-3 * pieces.diagonal.max(1e-9)));
        let cell = (extent.element_product() / NUM_CELLS).cbrt();
        // Thin bodies have long boxes: never more than so many along a side.
        let cell = cell.max(extent.max_element() / 400.0);
        let size = (extent / cell).ceil().as_ivec3() + IVec3::splat(3);
        let origin = low - DVec3::splat(1.5 * cell);
        let num = (size.x * size.y * size.z) as usize;
        let is_solid = vec![false; num];
        let mut solid = Self { origin, cell, size, is_solid, gaps: HashMap::new() };
        for triangle in &pieces.triangles {
            solid.mark(triangle.map(|corner| pieces.points[corner as usize]));
        }
        solid.fill();
        solid.gaps = islands::gaps(&solid);
        solid
    }

    /// The cells around one, with how far they are.
    fn steps(&self) -> Vec<(IVec3, f32)> {
        let cell = self.cell as f32;
        (0..27)
            .map(|i| IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1))
            .filter(|&step| step != IVec3::ZERO)
            .map(|step| (step, cell * (step.length_squared() as f32).sqrt()))
            .collect()
    }

    fn at(&self, place: DVec3) -> IVec3 {
        ((place - self.origin) / self.cell).floor().as_ivec3()
    }

    fn index(&self, at: IVec3) -> Option<usize> {
        let is_inside = at.cmpge(IVec3::ZERO).all() && at.cmplt(self.size).all();
        is_inside.then(|| ((at.z * self.size.y + at.y) * self.size.x + at.x) as usize)
    }

    fn place(&self, index: usize) -> IVec3 {
        let (x, y) = (self.size.x as usize, self.size.y as usize);
        IVec3::new((index % x) as i32, (index / x % y) as i32, (index / (x * y)) as i32)
    }

    /// The cells of a triangle, by samples that are half a cell apart.
    fn mark(&mut self, [a, b, c]: [DVec3; 3]) {
        let longest = (b - a).length().max((c - a).length()).max((c - b).length());
        let steps = ((2.0 * longest / self.cell).ceil() as usize).clamp(1, 1000);
        for i in 0..=steps {
            for j in 0..=steps - i {
                let (u, v) = (i as f64 / steps as f64, j as f64 / steps as f64);
                if let Some(index) = self.index(self.at(a + u * (b - a) + v * (c - a))) {
                    self.is_solid[index] = true;
                }
            }
        }
    }

    /// What no way from outside leads to is inside.
    fn fill(&mut self) {
        let mut is_outside = vec![false; self.is_solid.len()];
        let mut open = vec![IVec3::ZERO];
        is_outside[0] = true;
        while let Some(at) = open.pop() {
            for step in [IVec3::X, IVec3::Y, IVec3::Z, -IVec3::X, -IVec3::Y, -IVec3::Z] {
                if let Some(index) = self.index(at + step)
                    && !is_outside[index]
                    && !self.is_solid[index]
                {
                    is_outside[index] = true;
                    open.push(at + step);
                }
            }
        }
        for (is_solid, is_outside) in self.is_solid.iter_mut().zip(is_outside) {
            *is_solid = !is_outside;
        }
    }

    /// The shortest way from some segments through the solid to every cell; infinite where there
    /// is none.
    pub(super) fn ways_from(&self, segments: &[[DVec3; 2]]) -> Vec<f32> {
        let mut ways = vec![f32::INFINITY; self.is_solid.len()];
        let mut open = BinaryHeap::new();
        for &[from, to] in segments {
            let steps = ((2.0 * from.distance(to) / self.cell).ceil() as usize).clamp(1, 2000);
            for step in 0..=steps {
                let place = from.lerp(to, step as f64 / steps as f64);
                if let Some(index) = self.index(self.at(place))
                    && self.is_solid[index]
                    && ways[index] > 0.0
                {
                    ways[index] = 0.0;
                    open.push(Reverse((0u32, index as u32)));
                }
            }
        }
        let steps = self.steps();
        while let Some(Reverse((way, index))) = open.pop() {
            let way = f32::from_bits(way);
            if way > ways[index as usize] {
                continue;
            }
            let mut reach = |next: usize, length: f32| {
                if way + length < ways[next] {
                    ways[next] = way + length;
                    // Bits of positive floats are in their order.
                    open.push(Reverse(((way + length).to_bits(), next as u32)));
                }
            };
            let at = self.place(index as usize);
            for &(step, length) in &steps {
                if let Some(next) = self.index(at + step)
                    && self.is_solid[next]
                {
                    reach(next, length);
                }
            }
            for &(next, length) in self.gaps.get(&index).into_iter().flatten() {
                reach(next as usize, length);
            }
        }
        ways
    }

    /// The way to a place, of those from some segments.
    pub(super) fn way_to(&self, ways: &[f32], place: DVec3) -> f64 {
        self.index(self.at(place)).map_or(f64::INFINITY, |index| f64::from(ways[index]))
    }
}
