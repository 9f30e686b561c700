//! Which triangles and points look the wrong way.
//!
//! A triangle is inverted if its posed normal opposes its rest normal, carried along by the
//! rotation of the limb's section there ([`Sections`]); a point's normal, the area-weighted sum
//! over its triangles, is flipped if it does. A pose that turns a limb over, or twists it by any
//! number of turns, inverts nothing.

use glam::DVec3;

use super::section::Sections;
use crate::mesh::Adjacency;

/// Normals shorter than this over the longest side squared have no side to show: f32 positions of a
/// collapsed triangle are noise about 1e-7 of the side.
const FLAT: f64 = 1e-7;

/// Rest normals and sections, found once.
#[derive(Clone, Debug)]
pub(super) struct Orientation {
    triangles: Vec<[u32; 3]>,
    sides: Vec<Option<DVec3>>,
    point_normals: Vec<DVec3>,
    sections: Sections,
}

/// Numbers of inverted triangles and of points with flipped normals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrongWay {
    pub(super) triangles: usize,
    pub(super) points: usize,
}

impl Orientation {
    pub(super) fn bind(rest: &[DVec3], triangles: &[[u32; 3]], adjacency: &Adjacency) -> Self {
        let sides = sides(rest, triangles);
        let point_normals = point_normals(rest.len(), triangles, &sides);
        let unit: Vec<DVec3> = point_normals.iter().map(|n| n.normalize_or_zero()).collect();
        let sections = Sections::bind(rest, &unit, adjacency);
        Self { triangles: triangles.to_vec(), sides, point_normals, sections }
    }

    /// Counts what looks the wrong way. What is flat or has a corner that is not finite takes no
    /// part.
    pub(super) fn count(&self, posed: &[DVec3]) -> WrongWay {
        let rotations = self.sections.rotations(posed);
        let opposes = |point: u32, rest: DVec3, posed: DVec3| {
            self.sections
                .piece_at(point)
                .is_some_and(|piece| (rotations[piece] * rest).dot(posed) < 0.0)
        };
        let sides = sides(posed, &self.triangles);
        let is_inverted =
            |((corners, rest), posed): ((&[u32; 3], &Option<DVec3>), &Option<DVec3>)| {
                rest.zip(*posed).is_some_and(|(rest, posed)| opposes(corners[0], rest, posed))
            };
        let normals = point_normals(posed.len(), &self.triangles, &sides);
        let is_flipped = |(point, (rest, posed)): (usize, (&DVec3, &DVec3))| {
            opposes(point as u32, *rest, *posed)
        };
        WrongWay {
            triangles: self
                .triangles
                .iter()
                .zip(&self.sides)
                .zip(&sides)
                .filter(|&t| is_inverted(t))
                .count(),
            points: self
                .point_normals
                .iter()
                .zip(&normals)
                .enumerate()
                .filter(|&p| is_flipped(p))
                .count(),
        }
    }
}

/// Twice the area vectors; `None` for triangles that show no side.
fn sides(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Option<DVec3>> {
    triangles
        .iter()
        .map(|&t| {
            let [a, b, c] = t.map(|p| points[p as usize]);
            let longest = (b - a).length_squared().max((c - b).length_squared());
            let longest = longest.max((a - c).length_squared());
            let normal = (b - a).cross(c - a);
            (normal.is_finite() && normal.length() > FLAT * longest).then_some(normal)
        })
        .collect()
}

/// The sums of the sides around each point.
fn point_normals(num_points: usize, triangles: &[[u32; 3]], sides: &[Option<DVec3>]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; num_points];
    for (corners, side) in triangles.iter().zip(sides) {
        for &point in corners {
            normals[point as usize] += side.unwrap_or(DVec3::ZERO);
        }
    }
    normals
}
