//! How the sections of a shape have turned: a rotation for each place on the surface, from the two
//! shapes alone.
//!
//! The rotation of a limb at a place is that of its whole section there, the far side included: the
//! skin of an inner elbow that passed through itself turned with nobody, and only the rest of its
//! section says so. So around each *seed* (every point of a small mesh, evenly chosen ones of a
//! large) the best proper rotation is fitted to the piece of surface within a thickness of the
//! limb's middle, near things counting more; the thickness is the distance to the nearest point of
//! the surface that looks the other way from within, but no more than the width of the largest ball
//! inside the limb there (on the cap of an arm, what looks the other way is the other arm's cap),
//! and the middle lies half of it below the seed.

use std::collections::VecDeque;

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

use super::rotation::best_rotation;
use crate::mesh::Adjacency;

/// Seeds of a large mesh: enough for a hand's fingers among a body's points.
const MAX_SEEDS: usize = 2000;

/// Points looked at for the thickness.
const MAX_TARGETS: usize = 4000;

/// Points that a rotation is fitted to.
const MAX_SAMPLES: usize = 200;

/// Normals whose cosine is below this look the other way.
const OPPOSITE: f64 = -0.5;

/// Normals whose cosine is below this are of another side: walls, seen from a cap.
const OTHER_SIDE: f64 = 0.5;

/// How far from a ball's middle, over its radius, points are still of the limb that it fills: the
/// corner of a cube is √3.
const BALL_REACH: f64 = 1.75;

/// Radius of a section's piece about the middle over the thickness: the far side, and nearly as
/// much along the limb.
const REACH: f64 = 1.0;

/// Standard deviation of the samples' weights over the thickness. A strongly twisted limb turns
/// within its thickness: what is far must not outvote what is near.
const SPREAD: f64 = 0.5;

/// The least weight of a sample: only the ring of a mesh coarser than its own thickness lies that
/// far out.
const LEAST_WEIGHT: f64 = 0.1;

/// The thickness of a sheet that has no other side, over the diagonal.
const SHEET_OVER_DIAGONAL: f64 = 0.1;

/// The largest thickness over the diagonal: a torso's. Past it 'the other side' is another limb.
const MOST_OVER_DIAGONAL: f64 = 0.3;

/// Pieces of surface around seeds, found at rest.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    pieces: Vec<Piece>,
    /// Index into `pieces`.
    piece_of_point: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Piece {
    points: Vec<u32>,
    /// Relative to the weighted mean, times the weight.
    weighted_offsets: Vec<DVec3>,
}

impl Sections {
    /// `normals` are of points, unit or zero.
    pub(super) fn bind(rest: &[DVec3], normals: &[DVec3], adjacency: &Adjacency) -> Self {
        let usable: Vec<u32> = (0..rest.len() as u32)
            .filter(|&p| rest[p as usize].is_finite() && normals[p as usize] != DVec3::ZERO)
            .collect();
        let seeds = evenly(&usable, MAX_SEEDS);
        let targets = evenly(&usable, MAX_TARGETS);
        let low = usable.iter().fold(DVec3::INFINITY, |low, &p| low.min(rest[p as usize]));
        let high = usable.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(rest[p as usize]));
        let diagonal = (high - low).length();
        let balls: Vec<Ball> = seeds
            .par_iter()
            .filter_map(|&seed| Ball::below(rest, normals, seed, &targets))
            .collect();
        let pieces = seeds
            .par_iter()
            .map_init(Visited::default, |visited, &seed| {
                let found = thickness(rest, normals, seed, &targets)
                    .map(|thickness| thickness.min(width(&balls, rest[seed as usize])));
                let thickness = found
                    .unwrap_or(SHEET_OVER_DIAGONAL * diagonal)
                    .min(MOST_OVER_DIAGONAL * diagonal);
                // A sheet has no middle but itself.
                let depth = if found.is_some() { 0.5 * thickness } else { 0.0 };
                let middle = rest[seed as usize] - normals[seed as usize] * depth;
                Piece::around(rest, adjacency, (seed, middle, thickness), visited)
            })
            .collect();
        Self { pieces, piece_of_point: nearest_seeds(adjacency, &seeds) }
    }

    /// The rotation of the section at each piece, for [`Self::piece_at`].
    pub(super) fn rotations(&self, posed: &[DVec3]) -> Vec<DQuat> {
        self.pieces.par_iter().with_min_len(64).map(|piece| piece.rotation(posed)).collect()
    }

    /// The piece that a point belongs to; `None` where no seed is connected to it.
    pub(super) fn piece_at(&self, point: u32) -> Option<usize> {
        Some(self.piece_of_point[point as usize]).filter(|&p| p != u32::MAX).map(|p| p as usize)
    }
}

impl Piece {
    fn around(
        rest: &[DVec3],
        adjacency: &Adjacency,
        (seed, center, thickness): (u32, DVec3, f64),
        visited: &mut Visited,
    ) -> Self {
        let reach = REACH * thickness;
        // Only what is connected within the ball: the next finger is another limb.
        visited.clear(rest.len());
        visited.insert(seed);
        let mut found = vec![seed];
        let mut next = 0;
        while next < found.len() {
            for &neighbor in adjacency.ring(found[next] as usize) {
                if rest[neighbor as usize].distance(center) <= reach && visited.insert(neighbor) {
                    found.push(neighbor);
                }
            }
            next += 1;
        }
        // A coarse mesh: at least the ring, else there is nothing to fit.
        if found.len() < 4 {
            found.extend(adjacency.ring(seed as usize).iter().filter(|&&p| visited.insert(p)));
        }
        let points: Vec<u32> = evenly(&found, MAX_SAMPLES)
            .into_iter()
            .filter(|&p| rest[p as usize].is_finite())
            .collect();
        let spread = SPREAD * thickness.max(1e-300);
        let weight = |p: u32| {
            (-0.5 * (rest[p as usize].distance(center) / spread).powi(2)).exp().max(LEAST_WEIGHT)
        };
        let total: f64 = points.iter().map(|&p| weight(p)).sum();
        let mean = points.iter().map(|&p| rest[p as usize] * weight(p)).sum::<DVec3>() / total;
        let weighted_offsets =
            points.iter().map(|&p| (rest[p as usize] - mean) * weight(p)).collect();
        Self { points, weighted_offsets }
    }

    fn rotation(&self, posed: &[DVec3]) -> DQuat {
        // The rest offsets sum to zero, so the posed ones need no mean taken off; one near them
        // keeps the digits.
        let origin = self.points.first().map_or(DVec3::ZERO, |&p| posed[p as usize]);
        let mut q_from_p = DMat3::ZERO;
        for (&point, p) in self.points.iter().zip(&self.weighted_offsets) {
            let q = posed[point as usize] - origin;
            if q.is_finite() {
                q_from_p += DMat3::from_cols(q * p.x, q * p.y, q * p.z);
            }
        }
        best_rotation(&q_from_p)
    }
}

/// A set of points that is emptied in no time.
#[derive(Default)]
struct Visited {
    round_of_point: Vec<u32>,
    round: u32,
}

impl Visited {
    fn clear(&mut self, num_points: usize) {
        self.round_of_point.resize(num_points, 0);
        self.round += 1;
    }

    /// True if it was not there.
    fn insert(&mut self, point: u32) -> bool {
        std::mem::replace(&mut self.round_of_point[point as usize], self.round) != self.round
    }
}

/// At most `most` of them, evenly chosen, the first among them.
fn evenly(items: &[u32], most: usize) -> Vec<u32> {
    let chosen = items.len().min(most);
    (0..chosen).map(|i| items[i * items.len() / chosen]).collect()
}

/// The distance to the nearest target that looks the other way and lies on the inner side.
fn thickness(rest: &[DVec3], normals: &[DVec3], seed: u32, targets: &[u32]) -> Option<f64> {
    let (p, n) = (rest[seed as usize], normals[seed as usize]);
    targets
        .iter()
        .filter(|&&t| normals[t as usize].dot(n) < OPPOSITE && (rest[t as usize] - p).dot(n) < 0.0)
        .map(|&t| rest[t as usize].distance(p))
        .min_by(f64::total_cmp)
}

/// A ball inside the surface.
struct Ball {
    middle: DVec3,
    radius: f64,
}

impl Ball {
    /// The largest that touches the surface in `seed` and has none of its other sides inside;
    /// `None` where there are none.
    fn below(rest: &[DVec3], normals: &[DVec3], seed: u32, targets: &[u32]) -> Option<Self> {
        let (p, n) = (rest[seed as usize], normals[seed as usize]);
        let radius = targets
            .iter()
            .filter(|&&t| normals[t as usize].dot(n) < OTHER_SIDE)
            .filter_map(|&t| {
                let away = p - rest[t as usize];
                let depth = away.dot(n);
                (depth > 0.0).then(|| away.length_squared() / (2.0 * depth))
            })
            .min_by(f64::total_cmp)?;
        Some(Self { middle: p - n * radius, radius })
    }
}

/// The width of the widest ball that fills the limb at a place; infinite where there is none.
fn width(balls: &[Ball], place: DVec3) -> f64 {
    balls
        .iter()
        .filter(|ball| ball.middle.distance(place) <= BALL_REACH * ball.radius)
        .map(|ball| 2.0 * ball.radius)
        .max_by(f64::total_cmp)
        .unwrap_or(f64::INFINITY)
}

/// For each point the seed that is the fewest edges away; the earlier of equals.
fn nearest_seeds(adjacency: &Adjacency, seeds: &[u32]) -> Vec<u32> {
    let mut nearest = vec![u32::MAX; adjacency.num_points()];
    let mut queue = VecDeque::new();
    for (index, &seed) in seeds.iter().enumerate() {
        nearest[seed as usize] = index as u32;
        queue.push_back(seed);
    }
    while let Some(point) = queue.pop_front() {
        for &neighbor in adjacency.ring(point as usize) {
            if nearest[neighbor as usize] == u32::MAX {
                nearest[neighbor as usize] = nearest[point as usize];
                queue.push_back(neighbor);
            }
        }
    }
    nearest
}
