//! Distances to a surface on a grid, with what cannot be reached from outside as inside.

use glam::{DVec3, IVec3};

use crate::mesh::closest_shares;

/// More nodes than this take longer than the rest together.
const MAX_NODES: f64 = 3e6;

/// Distance minus offset at the nodes of a grid: negative inside.
pub(super) struct Field {
    pub(super) origin: DVec3,
    pub(super) cell: f64,
    pub(super) size: IVec3,
    pub(super) values: Vec<f64>,
    /// The smallest offset of any point.
    pub(super) least_offset: f64,
}

/// Cells that an offset has at least.
const LEAST_CELLS: f64 = 1.4;

const NEIGHBORS: [IVec3; 6] =
    [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z];

impl Field {
    /// Of a surface; of a mirrored one the half from the plane on, which is the first plane of
    /// nodes. Points may have smaller offsets of their own.
    pub(super) fn new(
        points: &[DVec3],
        triangles: &[[u32; 3]],
        (offset, own): (f64, Option<&[f64]>),
        cells: f64,
        mirror: Option<f64>,
    ) -> Self {
        let low = points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
        let high = points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
        let extent = high - low + 2.0 * offset;
        let mut cell = (extent.max_element() / cells).min(0.7 * offset);
        let num_nodes = |cell: f64| (extent / cell + 6.0).element_product();
        while num_nodes(cell) > MAX_NODES {
            cell *= 1.1;
        }
        let margin = offset + 2.5 * cell;
        let mut origin = low - margin;
        if let Some(plane) = mirror {
            origin.x = plane;
        }
        let size = ((high + margin - origin) / cell).ceil().as_ivec3() + 1;
        let mut field = Self { origin, cell, size, values: Vec::new(), least_offset: offset };
        // No surface is to slip through between nodes.
        let least = LEAST_CELLS * cell;
        let of_point = |point: usize| own.map_or(offset, |own| own[point].max(least).min(offset));
        field.least_offset = (0..points.len()).map(of_point).fold(offset, f64::min);
        field.values = field.distances(points, triangles, &of_point, offset, mirror);
        for value in &mut field.values {
            // A node on the surface would make triangles without area.
            if value.abs() < 1e-6 * cell {
                *value = 1e-6 * cell;
            }
        }
        field.fill_cavities();
        field
    }

    pub(super) fn index(&self, node: IVec3) -> Option<usize> {
        let inside = node.cmpge(IVec3::ZERO).all() && node.cmplt(self.size).all();
        inside.then(|| self.at(node))
    }

    pub(super) fn at(&self, node: IVec3) -> usize {
        (node.x + self.size.x * (node.y + self.size.y * node.z)) as usize
    }

    pub(super) fn place(&self, node: IVec3) -> DVec3 {
        self.origin + self.cell * node.as_dvec3()
    }

    fn node(&self, index: usize) -> IVec3 {
        let i = index as i32;
        IVec3::new(
            i % self.size.x,
            (i / self.size.x) % self.size.y,
            i / (self.size.x * self.size.y),
        )
    }

    /// Distances less the offset. Exact next to the surface; further away each node takes the
    /// triangle that is nearest to a neighbour, which is nearest to it too, or nearly.
    fn distances(
        &self,
        points: &[DVec3],
        triangles: &[[u32; 3]],
        of_point: &dyn Fn(usize) -> f64,
        offset: f64,
        mirror: Option<f64>,
    ) -> Vec<f64> {
        let far = 3.0 * self.cell;
        let num_nodes = self.size.as_i64vec3().element_product() as usize;
        let mut distances = vec![far; num_nodes];
        let mut nearest = vec![u32::MAX; num_nodes];
        let shape = |t: &[u32; 3]| {
            let own = t.iter().map(|&corner| of_point(corner as usize));
            let own = own.fold(offset, f64::min);
            (t.map(|corner| points[corner as usize]), own)
        };
        let mut shapes: Vec<([DVec3; 3], f64)> = triangles.iter().map(shape).collect();
        let mut is_used = vec![false; points.len()];
        triangles.iter().flatten().for_each(|&corner| is_used[corner as usize] = true);
        // A point of no triangle is one by itself.
        let alone = (0..points.len()).filter(|&point| !is_used[point]);
        shapes.extend(alone.map(|point| ([points[point]; 3], of_point(point))));
        if let Some(plane) = mirror {
            // The other half counts as well: the character may be a little out of symmetry.
            let image = |p: DVec3| DVec3::new(2.0 * plane - p.x, p.y, p.z);
            let reach = plane - offset - far;
            let images: Vec<([DVec3; 3], f64)> =
                shapes.iter().map(|(t, own)| (t.map(image), *own)).collect();
            shapes.extend(images);
            shapes.retain(|(t, _)| t.iter().any(|p| p.x >= reach));
        }
        for (index, (t, own)) in (0u32..).zip(&shapes) {
            let low = (t[0].min(t[1]).min(t[2]) - self.origin) / self.cell;
            let high = (t[0].max(t[1]).max(t[2]) - self.origin) / self.cell;
            let (low, high) = (low.floor().as_ivec3(), high.ceil().as_ivec3());
            let (low, high) = (low.max(IVec3::ZERO), high.min(self.size - 1));
            for z in low.z..=high.z {
                for y in low.y..=high.y {
                    for x in low.x..=high.x {
                        let node = IVec3::new(x, y, z);
                        let at = self.at(node);
                        let distance = distance(self.place(node), t) - own;
                        if distance < distances[at] {
                            (distances[at], nearest[at]) = (distance, index);
                        }
                    }
                }
            }
        }
        // Layer after layer.
        let mut layer: Vec<usize> = (0..num_nodes).filter(|&at| nearest[at] != u32::MAX).collect();
        while !layer.is_empty() {
            let mut next = Vec::new();
            for &at in &layer {
                let shape = nearest[at];
                let node = self.node(at);
                for step in NEIGHBORS {
                    let Some(other) = self.index(node + step) else { continue };
                    if nearest[other] == shape {
                        continue;
                    }
                    let (t, own) = &shapes[shape as usize];
                    let distance = distance(self.place(node + step), t) - own;
                    if distance < distances[other] - 1e-9 * self.cell {
                        (distances[other], nearest[other]) = (distance, shape);
                        next.push(other);
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            layer = next;
        }
        distances
    }

    /// What is outside but cannot be reached becomes inside.
    fn fill_cavities(&mut self) {
        let mut is_reached = vec![false; self.values.len()];
        // The far corner is outside everything, in a half too.
        let start = self.at(self.size - 1);
        is_reached[start] = true;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let node = self.node(at);
            for step in NEIGHBORS {
                let Some(other) = self.index(node + step) else { continue };
                if !is_reached[other] && self.values[other] > 0.0 {
                    is_reached[other] = true;
                    open.push(other);
                }
            }
        }
        for (value, reached) in self.values.iter_mut().zip(is_reached) {
            if !reached && *value > 0.0 {
                *value = -*value;
            }
        }
    }
}

fn distance(place: DVec3, t: &[DVec3; 3]) -> f64 {
    if t[0] == t[1] && t[1] == t[2] {
        return place.distance(t[0]);
    }
    let shares = closest_shares(place, t);
    let nearest: DVec3 = t.iter().zip(shares).map(|(&p, share)| share * p).sum();
    place.distance(nearest)
}
