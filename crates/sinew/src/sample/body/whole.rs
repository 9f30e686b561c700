//! The whole body from its left half, and its render vertices.
//!
//! Points of the half come first, seam points among them, then the mirror images of the others. UVs
//! unroll each region around an axis of its own, every region and side in a cell of the atlas;
//! where a chart ends or an unrolled region closes, a point has several render vertices, which weld
//! back to it.

use std::f64::consts::{PI, TAU};

use glam::{DVec3, Vec2};

use super::bind::Region;
use super::nets::{Net, Nets};
use crate::mesh::RawMesh;
use crate::weights::SkinWeights;

/// The mirrored body, still without render vertices.
pub(super) struct Whole {
    pub(super) points: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The mirror image of each point; itself on the seam.
    pub(super) mirror: Vec<u32>,
    /// Points of the left half, which come first.
    pub(super) num_half: usize,
    /// Region of each point of the left half.
    pub(super) region_of_half: Vec<u16>,
}

impl Whole {
    pub(super) fn new(half: &Net, nets: &Nets<'_>) -> Self {
        let num_half = half.points.len();
        let mut points = half.points.clone();
        let mut mirror: Vec<u32> = (0..num_half as u32).collect();
        for (index, p) in half.points.iter().enumerate() {
            if p.x != 0.0 {
                mirror[index] = points.len() as u32;
                mirror.push(index as u32);
                points.push(DVec3::new(-p.x, p.y, p.z));
            }
        }
        let mut triangles = half.triangles.clone();
        triangles
            .extend(half.triangles.iter().map(|&[a, b, c]| [a, c, b].map(|p| mirror[p as usize])));
        let region_of_half =
            half.points.iter().map(|&p| nets.field().region_at(p, nets.brushes_at(p))).collect();
        Self { points, triangles, mirror, num_half, region_of_half }
    }

    /// Render vertices with normals, UVs and weights.
    pub(super) fn into_raw(
        self,
        name: &str,
        regions: &[Region],
        rows: &[Vec<(u32, f32)>],
        num_joints: usize,
    ) -> RawMesh {
        let normals = self.normals();
        let num_cells = regions.len() * 2;
        let columns = (num_cells as f64).sqrt().ceil() as usize;
        let num_half_triangles = self.triangles.len() / 2;

        // (chart, turns) of each corner, then the distinct ones of each point in order.
        let mut keys: Vec<[(u16, i8); 3]> = Vec::with_capacity(self.triangles.len());
        for (t, corners) in self.triangles.iter().enumerate() {
            let is_right = t >= num_half_triangles;
            let region = self.majority_region(corners);
            let axis = &regions[region as usize].chart_axis;
            let side = if is_right { -1.0 } else { 1.0 };
            let p = corners.map(|c| self.points[c as usize]);
            let middle = unrolled((p[0] + p[1] + p[2]) / 3.0, axis, side).0;
            let chart = region * 2 + u16::from(is_right);
            keys.push(p.map(|p| {
                let angle = unrolled(p, axis, side).0;
                (chart, (-((angle - middle) / TAU).round()) as i8)
            }));
        }
        let mut keys_of_point: Vec<Vec<(u16, i8)>> = vec![Vec::new(); self.points.len()];
        for (corners, keys) in self.triangles.iter().zip(&keys) {
            for (&corner, &key) in corners.iter().zip(keys) {
                let of_point = &mut keys_of_point[corner as usize];
                if !of_point.contains(&key) {
                    of_point.push(key);
                }
            }
        }
        let mut raw = RawMesh { name: name.to_owned(), ..RawMesh::default() };
        let mut first_vertex = Vec::with_capacity(self.points.len());
        let mut point_of_vertex = Vec::new();
        let spans: Vec<[f64; 2]> = regions.iter().map(|r| self.span_along(r, regions)).collect();
        for (point, of_point) in keys_of_point.iter().enumerate() {
            first_vertex.push(raw.positions.len() as u32);
            for &(chart, turns) in of_point {
                let region = &regions[chart as usize / 2];
                let side = if chart % 2 == 1 { -1.0 } else { 1.0 };
                let (angle, along) = unrolled(self.points[point], &region.chart_axis, side);
                let [low, high] = spans[chart as usize / 2];
                // A tenth of margin: triangles across the closing edge reach past half a turn.
                let u = (0.5 + 0.9 * (angle + f64::from(turns) * TAU) / TAU * 0.9).clamp(0.0, 1.0);
                // The angle runs to the right as seen from inside: turned round, the left half's
                // chart reads from outside, and its mirror image already does.
                let u = if side > 0.0 { 1.0 - u } else { u };
                let v = 0.05 + 0.9 * ((along - low) / (high - low).max(1e-6)).clamp(0.0, 1.0);
                let cell = DVec3::new(
                    (chart as usize % columns) as f64 + u,
                    (chart as usize / columns) as f64 + v,
                    0.0,
                ) / columns as f64;
                raw.uvs.push(Vec2::new(cell.x as f32, cell.y as f32));
                raw.positions.push(self.points[point].as_vec3());
                raw.normals.push(normals[point].as_vec3().normalize_or_zero());
                point_of_vertex.push(point as u32);
            }
        }
        raw.triangles = self
            .triangles
            .iter()
            .zip(&keys)
            .map(|(corners, keys)| {
                std::array::from_fn(|c| {
                    let point = corners[c] as usize;
                    let at = keys_of_point[point].iter().position(|k| *k == keys[c]).unwrap_or(0);
                    first_vertex[point] + at as u32
                })
            })
            .collect();
        let (weights, _) = SkinWeights::from_rows(rows.iter().cloned(), num_joints);
        raw.weights = Some(weights.select_rows(&point_of_vertex));
        raw
    }

    fn majority_region(&self, corners: &[u32; 3]) -> u16 {
        let region = corners.map(|c| {
            let mirror = self.mirror[c as usize];
            self.region_of_half[c.min(mirror) as usize]
        });
        if region[1] == region[2] { region[1] } else { region[0] }
    }

    fn span_along(&self, region: &Region, regions: &[Region]) -> [f64; 2] {
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        for (p, &of) in self.region_of_half.iter().enumerate() {
            if std::ptr::eq(&regions[of as usize], region) {
                let along = unrolled(self.points[p], &region.chart_axis, 1.0).1;
                span = [span[0].min(along), span[1].max(along)];
            }
        }
        span
    }

    fn normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.points.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|p| self.points[p as usize]);
            let normal = (b - a).cross(c - a);
            for &p in t {
                normals[p as usize] += normal;
            }
        }
        // Both sides have the bits of the left one: their sums run in another order.
        for p in 0..self.num_half {
            let mirror = self.mirror[p] as usize;
            if mirror == p {
                normals[p].x = 0.0;
            }
            let normal = normals[p].normalize_or_zero();
            normals[p] = normal;
            if mirror != p {
                normals[mirror] = DVec3::new(-normal.x, normal.y, normal.z);
            }
        }
        normals
    }
}

/// Angle around an axis, zero in front, in −π..π, and the distance along it; `side` −1 mirrors.
fn unrolled(p: DVec3, axis: &[DVec3; 2], side: f64) -> (f64, f64) {
    let p = DVec3::new(p.x * side, p.y, p.z);
    let along = (axis[1] - axis[0]).normalize();
    let front = if along.z.abs() < 0.9 { DVec3::Z } else { DVec3::Y };
    let front = front.reject_from_normalized(along).normalize();
    let q = p - axis[0];
    let angle = q.dot(front.cross(along)).atan2(q.dot(front));
    (angle.clamp(-PI, PI), q.dot(along))
}
