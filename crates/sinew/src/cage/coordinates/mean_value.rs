//! Mean value coordinates of closed triangle meshes (Ju, Schaefer and Warren 2005), and of quads as
//! the mean of both ways to split them.
//!
//! Seen from `x`, a triangle is a spherical triangle with corners `u_i` and mean vector
//! `m = ½ Σ θ_i n_i` (`θ` and `n` the angles and unit normals of its sides). Its weights solve
//! `Σ w_i d_i u_i = m`; all mean vectors of a closed mesh cancel, so the weights are precise. Sides
//! are shared by two faces and looked at once.

use glam::DVec3;

use super::super::{Cage, CageFace};
use super::Coordinates;

/// A corner this near (over the diagonal) is the point.
const AT_CORNER: f64 = 1e-14;
/// A triple product of unit vectors below this: the point is in the triangle's plane.
const IN_PLANE: f64 = 1e-11;
/// How much less than a full turn the angles of a triangle around a point in it may sum to.
const AROUND: f64 = 1e-5;

/// Mean value, with quads split along one diagonal.
#[derive(Clone, Debug)]
pub struct MeanValue {
    surface: Surface,
}

impl MeanValue {
    /// Of a cage.
    pub fn new(cage: &Cage) -> Self {
        let triangles = cage.triangles().map(|triangle| (triangle, 1.0));
        Self { surface: Surface::new(cage.points(), triangles) }
    }
}

impl Coordinates for MeanValue {
    fn name(&self) -> &'static str {
        "mean-value"
    }

    fn raw_limit(&self) -> f64 {
        RAW_LIMIT
    }

    fn rows(&self, _first: usize, points: &[DVec3], out: &mut [f64]) {
        self.surface.rows(points, out);
    }
}

/// Mean value, with quads as the mean of both ways to split them.
#[derive(Clone, Debug)]
pub struct QuadMeanValue {
    surface: Surface,
}

impl QuadMeanValue {
    /// Of a cage.
    pub fn new(cage: &Cage) -> Self {
        let triangles = cage.faces().iter().flat_map(|face| match *face {
            CageFace::Triangle(corners) => vec![(corners, 1.0)],
            CageFace::Quad([a, b, c, d]) => {
                [[a, b, c], [a, c, d], [a, b, d], [b, c, d]].map(|t| (t, 0.5)).to_vec()
            }
        });
        Self { surface: Surface::new(cage.points(), triangles) }
    }
}

impl Coordinates for QuadMeanValue {
    fn name(&self) -> &'static str {
        "quad-mean-value"
    }

    fn raw_limit(&self) -> f64 {
        RAW_LIMIT
    }

    fn rows(&self, _first: usize, points: &[DVec3], out: &mut [f64]) {
        self.surface.rows(points, out);
    }
}

/// On a face, where the formula is worst, a good cage misses by up to 1e-8; a missing face by 1e-2.
const RAW_LIMIT: f64 = 1e-6;

/// Weighted triangles over points, with each side once.
#[derive(Clone, Debug)]
struct Surface {
    points: Vec<DVec3>,
    sides: Vec<[u32; 2]>,
    triangles: Vec<Triangle>,
    diagonal: f64,
}

#[derive(Clone, Copy, Debug)]
struct Triangle {
    corners: [u32; 3],
    /// The side opposite each corner, and whether it is run along backwards.
    sides: [(u32, f64); 3],
    weight: f64,
}

/// What is found of each corner and side, seen from a point.
struct Seen {
    directions: Vec<DVec3>,
    distances: Vec<f64>,
    /// `u_a × u_b`, and `θ n`.
    sides: Vec<(DVec3, DVec3, f64)>,
}

impl Surface {
    fn new(points: &[DVec3], triangles: impl Iterator<Item = ([u32; 3], f64)>) -> Self {
        let mut known = std::collections::HashMap::new();
        let mut sides = Vec::new();
        let triangles = triangles
            .map(|(corners, weight)| {
                let side = |i: usize| {
                    let (a, b) = (corners[(i + 1) % 3], corners[(i + 2) % 3]);
                    let index = *known.entry([a.min(b), a.max(b)]).or_insert_with_key(|&side| {
                        sides.push(side);
                        sides.len() as u32 - 1
                    });
                    (index, if a < b { 1.0 } else { -1.0 })
                };
                Triangle { corners, sides: [0, 1, 2].map(side), weight }
            })
            .collect();
        let diagonal = super::super::shape::diagonal(points);
        Self { points: points.to_vec(), sides, triangles, diagonal }
    }

    fn rows(&self, points: &[DVec3], out: &mut [f64]) {
        let mut seen = Seen {
            directions: vec![DVec3::ZERO; self.points.len()],
            distances: vec![0.0; self.points.len()],
            sides: vec![(DVec3::ZERO, DVec3::ZERO, 0.0); self.sides.len()],
        };
        for (&point, row) in points.iter().zip(out.chunks_exact_mut(self.points.len())) {
            self.row(point, &mut seen, row);
        }
    }

    fn row(&self, point: DVec3, seen: &mut Seen, row: &mut [f64]) {
        row.fill(0.0);
        for (k, &corner) in self.points.iter().enumerate() {
            let towards = corner - point;
            let distance = towards.length();
            if distance <= AT_CORNER * self.diagonal {
                row[k] = 1.0;
                return;
            }
            seen.directions[k] = towards / distance;
            seen.distances[k] = distance;
        }
        for (side, &[a, b]) in seen.sides.iter_mut().zip(&self.sides) {
            *side = seen_side(seen.directions[a as usize], seen.directions[b as usize]);
        }
        let mut faces_through = 0.0;
        for triangle in &self.triangles {
            let [a, b, c] = triangle.corners.map(|corner| corner as usize);
            let directions = [a, b, c].map(|corner| seen.directions[corner]);
            let sides = triangle.sides.map(|(side, sign)| {
                let (cross, turn, angle) = seen.sides[side as usize];
                (sign * cross, sign * turn, angle)
            });
            let det = directions[0].dot(sides[0].0);
            if det.abs() <= IN_PLANE {
                let around: f64 = sides.iter().map(|side| side.2).sum();
                if around > std::f64::consts::TAU - AROUND {
                    if faces_through == 0.0 {
                        row.fill(0.0);
                    }
                    faces_through += triangle.weight;
                    let shares = in_triangle([a, b, c].map(|k| self.points[k] - point));
                    for (k, share) in [a, b, c].into_iter().zip(shares) {
                        row[k] += triangle.weight * share;
                    }
                }
                continue;
            }
            if faces_through > 0.0 {
                continue;
            }
            let mean = 0.5 * (sides[0].1 + sides[1].1 + sides[2].1);
            let scale = triangle.weight / det;
            for (k, side) in [a, b, c].into_iter().zip(&sides) {
                row[k] += scale * side.0.dot(mean) / seen.distances[k];
            }
        }
        let sum = if faces_through > 0.0 { faces_through } else { row.iter().sum::<f64>() };
        if sum != 0.0 {
            row.iter_mut().for_each(|phi| *phi /= sum);
        }
    }
}

/// `u × v`, `θ n` and `θ` of a side.
#[inline]
fn seen_side(u: DVec3, v: DVec3) -> (DVec3, DVec3, f64) {
    let cross = u.cross(v);
    let sine = cross.length();
    let angle = sine.atan2(u.dot(v));
    let turn = if sine > 0.0 { cross * (angle / sine) } else { DVec3::ZERO };
    (cross, turn, angle)
}

/// Barycentric coordinates of the origin in a triangle that it lies in.
fn in_triangle([a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let areas = [b.cross(c), c.cross(a), a.cross(b)].map(|cross| cross.dot(normal));
    let sum: f64 = areas.iter().sum();
    if sum == 0.0 { [1.0 / 3.0; 3] } else { areas.map(|area| area / sum) }
}

/// Mean value weights of a place over a surface, not normalised, of the triangles that `wanted`
/// keeps: added up as `(point, weight)`. `None` where the place is a point of the surface: it is
/// that point alone.
pub(in super::super) fn prior(
    place: DVec3,
    points: &[DVec3],
    triangles: impl Iterator<Item = [u32; 3]>,
    diagonal: f64,
    mut add: impl FnMut(u32, f64),
) -> Option<u32> {
    for corners in triangles {
        let arms = corners.map(|corner| points[corner as usize] - place);
        let distances = arms.map(DVec3::length);
        if let Some(at) = distances.iter().position(|&d| d <= 1e-9 * diagonal) {
            return Some(corners[at]);
        }
        let u = [0, 1, 2].map(|i| arms[i] / distances[i]);
        let sides = [0, 1, 2].map(|i: usize| seen_side(u[(i + 1) % 3], u[(i + 2) % 3]));
        let det = u[0].dot(sides[0].0);
        if det.abs() <= IN_PLANE {
            continue;
        }
        let mean = 0.5 * (sides[0].1 + sides[1].1 + sides[2].1);
        for (i, side) in sides.iter().enumerate() {
            add(corners[i], side.0.dot(mean) / (det * distances[i]));
        }
    }
    None
}
