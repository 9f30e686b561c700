//! Which triangles and points look the wrong way.
//!
//! A triangle is inverted if its posed normal opposes its rest normal, carried along by the best proper rotation of its
//! neighbourhood: all triangles that share a point with it. A point's normal (the area-weighted sum over its
//! triangles) is flipped if it opposes the rest one carried by the rotation of all triangles that share a point with one
//! of its own. The rotation fits the corners of those triangles, each weighted by the triangle's area at rest.

use std::collections::BTreeSet;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::rotation::best_rotation;
use crate::mesh::Adjacency;

/// Normals shorter than this over the longest side squared have no side to show: f32 positions of a collapsed triangle
/// are noise about 1e-7 of the side.
const FLAT: f64 = 1e-7;

/// Items a worker takes at a time.
const CHUNK: usize = 1024;

/// Neighbourhoods and rest normals, found once.
#[derive(Clone, Debug)]
pub(super) struct Orientation {
    triangles: Vec<[u32; 3]>,
    rest: Vec<Moments>,
    rest_normals: Vec<DVec3>,
    around_triangle: Rows,
    fans: Rows,
    around_point: Rows,
}

/// Sums over a triangle's corners, weighted with its rest area: `[weight, Σp, Σq, Σq pᵀ]`.
#[derive(Clone, Copy, Debug)]
struct Moments {
    weight: f64,
    rest: DVec3,
    posed: DVec3,
    posed_by_rest: DMat3,
}

impl Moments {
    const ZERO: Self =
        Self { weight: 0.0, rest: DVec3::ZERO, posed: DVec3::ZERO, posed_by_rest: DMat3::ZERO };
}

/// Lists of triangles, one a row.
#[derive(Clone, Debug)]
struct Rows {
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Rows {
    fn collect<I: IntoIterator<Item = u32>>(rows: impl Iterator<Item = I>) -> Self {
        let mut collected = Self { starts: vec![0], triangles: Vec::new() };
        for row in rows {
            collected.triangles.extend(row);
            collected.starts.push(collected.triangles.len() as u32);
        }
        collected
    }

    fn row(&self, index: usize) -> &[u32] {
        &self.triangles[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

fn area_vector(points: &[DVec3], triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|p| points[p as usize]);
    (b - a).cross(c - a) * 0.5
}

impl Orientation {
    pub(super) fn bind(rest: &[DVec3], triangles: &[[u32; 3]], adjacency: &Adjacency) -> Self {
        let fan_of_all = |points: &[u32]| -> BTreeSet<u32> {
            points.iter().flat_map(|&p| adjacency.fan(p as usize)).copied().collect()
        };
        let around_triangle = Rows::collect(triangles.iter().map(|t| fan_of_all(t)));
        let num_points = adjacency.num_points();
        let fans = Rows::collect((0..num_points).map(|p| adjacency.fan(p).iter().copied()));
        let around_point = Rows::collect((0..num_points).map(|p| fan_of_all(adjacency.ring(p))));
        let rest_normals: Vec<DVec3> = triangles.iter().map(|&t| area_vector(rest, t)).collect();
        let moments = triangles
            .iter()
            .zip(&rest_normals)
            .map(|(t, normal)| {
                let area = normal.length();
                let weight = if area.is_finite() { area } else { 0.0 };
                let sum: DVec3 = t.iter().map(|&p| rest[p as usize]).sum();
                let rest = if sum.is_finite() { sum * weight } else { DVec3::ZERO };
                Moments { weight, rest, ..Moments::ZERO }
            })
            .collect();
        Self {
            triangles: triangles.to_vec(),
            rest: moments,
            rest_normals,
            around_triangle,
            fans,
            around_point,
        }
    }

    /// Numbers of inverted triangles and of points with flipped normals. What has a corner that is not finite takes no
    /// part.
    pub(super) fn count(&self, rest: &[DVec3], posed: &[DVec3]) -> (usize, usize) {
        let moments: Vec<Moments> = self
            .triangles
            .par_iter()
            .with_min_len(CHUNK)
            .zip(&self.rest)
            .map(|(t, of_rest)| {
                if !t.iter().all(|&p| posed[p as usize].is_finite()) || of_rest.weight == 0.0 {
                    return Moments::ZERO;
                }
                let mut m = *of_rest;
                for &p in t {
                    let (p, q) = (rest[p as usize], posed[p as usize]);
                    m.posed += q * m.weight;
                    m.posed_by_rest += DMat3::from_cols(q * p.x, q * p.y, q * p.z) * m.weight;
                }
                m
            })
            .collect();
        let is_flipped = |members: &[u32], around: &[u32]| {
            let (mut rest_normal, mut posed_normal, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0f64);
            for &t in members.iter().filter(|&&t| moments[t as usize].weight > 0.0) {
                let triangle = self.triangles[t as usize];
                rest_normal += self.rest_normals[t as usize];
                posed_normal += area_vector(posed, triangle);
                let [a, b, c] = triangle.map(|p| posed[p as usize]);
                let longest = (b - a).length_squared().max((c - b).length_squared());
                size = size.max(longest.max((a - c).length_squared()));
            }
            if rest_normal == DVec3::ZERO || posed_normal.length() <= FLAT * size {
                return false;
            }
            let carried = best_rotation(&covariance(&moments, around)) * rest_normal;
            carried.dot(posed_normal) < 0.0
        };
        let inverted = (0..self.triangles.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .filter(|&t| is_flipped(&[t as u32], self.around_triangle.row(t)))
            .count();
        let flipped = (0..self.fans.len())
            .into_par_iter()
            .with_min_len(CHUNK)
            .filter(|&p| is_flipped(self.fans.row(p), self.around_point.row(p)))
            .count();
        (inverted, flipped)
    }
}

/// `Σ w (q − q̄)(p − p̄)ᵀ` over the corners of some triangles.
fn covariance(moments: &[Moments], triangles: &[u32]) -> DMat3 {
    let mut sum = Moments::ZERO;
    for &t in triangles {
        let m = &moments[t as usize];
        sum.weight += m.weight;
        sum.rest += m.rest;
        sum.posed += m.posed;
        sum.posed_by_rest += m.posed_by_rest;
    }
    if sum.weight == 0.0 {
        return DMat3::ZERO;
    }
    // Each triangle counted its weight once but has three corners.
    let (q, p) = (sum.posed, sum.rest / (3.0 * sum.weight));
    sum.posed_by_rest - DMat3::from_cols(q * p.x, q * p.y, q * p.z)
}
