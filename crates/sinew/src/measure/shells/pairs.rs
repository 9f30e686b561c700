//! Points and the triangles of other shells beside them.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::Row;
use crate::mesh::{Components, Hit, ShellTree};

/// A neighbour is within this over the diagonal.
const NEAR_OVER_DIAGONAL: f64 = 0.02;
/// Weights that overlap by this much are meant to move together.
const TIED_OVERLAP: f64 = 0.5;
/// Deeper than this over the diagonal is inside.
const SUNK_OVER_DIAGONAL: f64 = 0.002;
/// What is further from its place than this over the diagonal has gone elsewhere.
const BESIDE_OVER_DIAGONAL: f64 = 0.03;
/// A triangle whose height is below this over its longest side has no frame.
const FLAT: f64 = 1e-6;

/// A point, and the closest point of another shell.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) point: u32,
    pub(super) is_tied: bool,
    /// What of the surface the point stands for, square metres.
    area: f64,
    corners: [u32; 3],
    shares: [f64; 3],
    /// The corners about their middle, in the plane of the triangle.
    rest_corners: [DVec2; 3],
    /// From the triangle to the point, in the triangle's frame; the last is along its normal.
    rest_offset: DVec3,
}

/// What a pose did to a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// How much the offset has changed in the triangle's frame, metres.
    pub(super) gap: f64,
    /// Along the triangle's normal, metres; negative is inside.
    height: f64,
    /// From the place on the triangle, metres.
    distance: f64,
}

/// Of the area of all pairs, what sinks and is still beside its neighbour.
pub(super) fn crossed_area(found: &[(&Pair, Change)], diagonal: f64) -> Option<f64> {
    let [mut crossed, mut all] = [0.0; 2];
    for (pair, change) in found {
        let is_beside = change.distance <= BESIDE_OVER_DIAGONAL * diagonal;
        crossed += if is_beside && pair.has_sunk(change, diagonal) { pair.area } else { 0.0 };
        all += pair.area;
    }
    (all > 0.0).then(|| crossed / all)
}

/// All pairs, by their points.
#[derive(Clone, Debug)]
pub(super) struct Pairs(Vec<Pair>);

impl Pairs {
    /// No rows tie every pair.
    pub(super) fn bind(
        points: &[DVec3],
        triangles: &[[u32; 3]],
        rows: &[Row],
        components: &Components,
        diagonal: f64,
    ) -> Self {
        let is_one = |t: &[u32; 3]| {
            components.of_point()[t[0] as usize] == components.of_point()[triangles[0][0] as usize]
        };
        if triangles.iter().all(is_one) {
            return Self(Vec::new());
        }
        let tree = ShellTree::new(points, triangles, components.of_point());
        let mut is_used = vec![false; points.len()];
        triangles.iter().flatten().for_each(|&point| is_used[point as usize] = true);
        let areas = areas(points, triangles);
        let pair = |point: u32| {
            let place = points[point as usize];
            let own = components.of_point()[point as usize];
            let [hit] = tree.closest_of_others::<1>(place, own, NEAR_OVER_DIAGONAL * diagonal);
            let Hit { triangle, shares, .. } = hit?;
            let corners = triangles[triangle as usize];
            let frame = Frame::of(corners.map(|corner| points[corner as usize]))?;
            let is_tied = rows.is_empty() || overlap(rows, point, corners, shares) >= TIED_OVERLAP;
            Some(Pair {
                point,
                is_tied,
                area: areas[point as usize],
                corners,
                shares,
                rest_corners: frame.corners,
                rest_offset: frame.local(place - frame.at(shares)),
            })
        };
        let used: Vec<u32> = (0..points.len() as u32).filter(|&p| is_used[p as usize]).collect();
        Self(used.into_par_iter().with_min_len(256).filter_map(pair).collect())
    }

    pub(super) fn all(&self) -> &[Pair] {
        &self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn num_tied(&self) -> usize {
        self.0.iter().filter(|pair| pair.is_tied).count()
    }

    /// What a pose did to each; those with a point that is not finite are left out.
    pub(super) fn evaluate(&self, posed: &[DVec3]) -> Vec<(&Pair, Change)> {
        let change = |pair| Some((pair, Pair::change(pair, posed)?));
        self.0.par_iter().with_min_len(1024).filter_map(change).collect()
    }
}

impl Pair {
    fn change(&self, posed: &[DVec3]) -> Option<Change> {
        let corners = self.corners.map(|corner| posed[corner as usize]);
        let point = posed[self.point as usize];
        if !(point.is_finite() && corners.iter().all(|corner| corner.is_finite())) {
            return None;
        }
        match Frame::of(corners) {
            Some(frame) => {
                let frame = frame.turned_to(&self.rest_corners);
                let offset = frame.local(point - frame.at(self.shares));
                let gap = offset.distance(self.rest_offset);
                Some(Change { gap, height: offset.z, distance: offset.length() })
            }
            // A triangle that has collapsed has no frame: only the distance can be told.
            None => {
                let on = corners[0] * self.shares[0]
                    + corners[1] * self.shares[1]
                    + corners[2] * self.shares[2];
                let distance = point.distance(on);
                let gap = (distance - self.rest_offset.length()).abs();
                Some(Change { gap, height: 0.0, distance })
            }
        }
    }

    /// Outside at rest, inside now.
    pub(super) fn has_sunk(&self, change: &Change, diagonal: f64) -> bool {
        self.rest_offset.z >= 0.0 && change.height < -SUNK_OVER_DIAGONAL * diagonal
    }
}

/// A third of a triangle is each corner's.
fn areas(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; points.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        let share = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&corner| areas[corner as usize] += share);
    }
    areas
}

/// `Σ min(w_p, w_q)` of a point's row and of those of a triangle, mixed.
fn overlap(rows: &[Row], point: u32, corners: [u32; 3], shares: [f64; 3]) -> f64 {
    let mixed = |joint: u32| -> f64 {
        let of_corner = |(corner, share): (u32, f64)| {
            let row = rows[corner as usize].iter();
            row.filter(|(j, _)| *j == joint).map(|(_, w)| share * f64::from(*w)).sum::<f64>()
        };
        corners.into_iter().zip(shares).map(of_corner).sum()
    };
    rows[point as usize].iter().map(|&(joint, w)| f64::from(w).min(mixed(joint))).sum()
}

/// A triangle's own axes: two in its plane and its normal.
struct Frame {
    middle: DVec3,
    axes: [DVec3; 3],
    /// About the middle, in the plane.
    corners: [DVec2; 3],
}

impl Frame {
    /// `None` for a triangle without area.
    fn of([a, b, c]: [DVec3; 3]) -> Option<Self> {
        let area = (b - a).cross(c - a);
        let longest = (b - a).length_squared().max((c - b).length_squared());
        let longest = longest.max((a - c).length_squared());
        if area.length() <= FLAT * longest {
            return None;
        }
        let normal = area.normalize();
        let u = (b - a).normalize();
        let v = normal.cross(u);
        let middle = (a + b + c) / 3.0;
        let corners = [a, b, c].map(|p| DVec2::new((p - middle).dot(u), (p - middle).dot(v)));
        Some(Self { middle, axes: [u, v, normal], corners })
    }

    /// The same plane with its axes turned so that they lie to its corners as those of the rest did
    /// to theirs, in the mean: no edge is preferred, so that shear alone is no turn.
    fn turned_to(mut self, rest: &[DVec2; 3]) -> Self {
        let [mut sine, mut cosine] = [0.0; 2];
        for (now, rest) in self.corners.iter().zip(rest) {
            sine += rest.perp_dot(*now);
            cosine += rest.dot(*now);
        }
        let turn = DVec2::new(cosine, sine).normalize_or(DVec2::X);
        let [u, v, normal] = self.axes;
        self.axes = [u * turn.x + v * turn.y, v * turn.x - u * turn.y, normal];
        // What `at` reads is in the plane as it was.
        let back = DVec2::new(turn.x, -turn.y);
        self.corners = self.corners.map(|corner| back.rotate(corner));
        self
    }

    fn at(&self, shares: [f64; 3]) -> DVec3 {
        let flat =
            self.corners[0] * shares[0] + self.corners[1] * shares[1] + self.corners[2] * shares[2];
        self.middle + self.axes[0] * flat.x + self.axes[1] * flat.y
    }

    fn local(&self, offset: DVec3) -> DVec3 {
        DVec3::from(self.axes.map(|axis| axis.dot(offset)))
    }
}
