//! Several cages at once, cages around a part of a character, and point handles, as one cage.
//!
//! Each connected piece of the cage's faces is a cage of its own: what is in it hangs on it by mean
//! value coordinates, and what is outside lets go of it with the distance,
//! `α = (1 − (d/r)²)²` up to `r` = [`REACH`] of the piece's diagonal. Points that no face uses are
//! *point handles*: they move the skin around the point nearest to them, with the same fall over
//! [`POINT_REACH`] of the whole cage's diagonal, and come before cages. A point is then moved by
//! `Σ α_k φ_k (c_k − c0_k)`, and where nothing holds it it stays.
//!
//! The loop with the skeleton is kept by the points that one piece holds wholly: their rows are
//! precise, or those of a point handle alone.

use glam::DVec3;

use super::super::Cage;
use super::{Coordinates, QuadMeanValue, affine_fix};

/// How far a piece reaches beyond its faces, over its own diagonal.
const REACH: f64 = 0.12;
/// How far a point handle reaches, over the diagonal of everything.
const POINT_REACH: f64 = 0.12;

/// A cage in pieces, bound.
#[derive(Clone, Debug)]
pub struct Parts {
    pieces: Vec<Piece>,
    points: Vec<PointHandle>,
    num_handles: usize,
}

/// A connected piece.
#[derive(Clone, Debug)]
struct Piece {
    cage: Cage,
    coordinates: QuadMeanValue,
    /// Which of all handles each of its points is.
    handles: Vec<u32>,
    reach: f64,
}

#[derive(Clone, Copy, Debug)]
struct PointHandle {
    handle: u32,
    /// The point of the skin that it holds.
    holds: DVec3,
    reach: f64,
}

/// How much a piece or a point handle holds a place.
fn falling(distance: f64, reach: f64) -> f64 {
    let left = 1.0 - (distance / reach.max(f64::MIN_POSITIVE)).powi(2);
    if left > 0.0 { left * left } else { 0.0 }
}

impl Parts {
    /// Of a cage around points.
    pub fn new(cage: &Cage, points: &[DVec3]) -> Self {
        let num_handles = cage.points().len();
        let root_of = roots(cage);
        let mut is_used = vec![false; num_handles];
        for &corner in cage.faces().iter().flat_map(|face| face.corners()) {
            is_used[corner as usize] = true;
        }
        let mut roots: Vec<u32> =
            (0..num_handles).filter(|&h| is_used[h]).map(|h| root_of[h]).collect();
        roots.sort_unstable();
        roots.dedup();
        let pieces = roots.iter().filter_map(|&root| Piece::new(cage, &root_of, root)).collect();
        // Of skin and cage: the character alone may be a single point wide.
        let reach = POINT_REACH * super::super::shape::diagonal(&[cage.points(), points].concat());
        let holds = |place: DVec3| {
            let nearest = |a: &&DVec3, b: &&DVec3| {
                a.distance_squared(place).total_cmp(&b.distance_squared(place))
            };
            points.iter().min_by(nearest).copied().unwrap_or(place)
        };
        let point_handle = |handle: usize| PointHandle {
            handle: handle as u32,
            holds: holds(cage.points()[handle]),
            reach,
        };
        let points = (0..num_handles).filter(|&h| !is_used[h]).map(point_handle).collect();
        Self { pieces, points, num_handles }
    }

    /// How a place moves with the handles. With `point_handles` these are counted in, too: joints
    /// go with cages alone.
    pub(in super::super) fn moving_row(
        &self,
        place: DVec3,
        with_points: WithPoints,
        out: &mut [f64],
    ) {
        out.fill(0.0);
        let mut left = 1.0;
        if with_points == WithPoints::Yes {
            let share = |point: &PointHandle| falling(point.holds.distance(place), point.reach);
            let shares: Vec<f64> = self.points.iter().map(share).collect();
            // Two that hold the same point share it.
            let over = shares.iter().sum::<f64>().max(1.0);
            for (point, share) in self.points.iter().zip(shares) {
                out[point.handle as usize] = share / over;
                left -= share / over;
            }
        }
        let shares: Vec<f64> = self.pieces.iter().map(|piece| piece.share(place)).collect();
        let over = shares.iter().sum::<f64>().max(1.0);
        for (piece, share) in self.pieces.iter().zip(shares) {
            if share > 0.0 && left > 0.0 {
                piece.add(place, left * share / over, out);
            }
        }
    }

    /// True if the row moves its point as much as its handles move: it may stand for others.
    pub(in super::super) fn is_whole(row: &[f64]) -> bool {
        (row.iter().sum::<f64>() - 1.0).abs() < 1e-9
    }
}

/// Whether point handles count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum WithPoints {
    Yes,
    No,
}

impl Piece {
    fn new(cage: &Cage, root_of: &[u32], root: u32) -> Option<Self> {
        let handles: Vec<u32> =
            (0..cage.points().len() as u32).filter(|&h| root_of[h as usize] == root).collect();
        let own = |corner: u32| handles.binary_search(&corner).ok().map(|own| own as u32);
        let faces = cage.faces().iter().filter(|face| root_of[face.corners()[0] as usize] == root);
        let faces = faces.map(|face| face.renamed(own)).collect::<Option<Vec<_>>>()?;
        let points = handles.iter().map(|&handle| cage.points()[handle as usize]).collect();
        let cage = Cage::new(points, faces).ok()?;
        let coordinates = QuadMeanValue::new(&cage);
        let reach = REACH * cage.diagonal();
        Some(Self { cage, coordinates, handles, reach })
    }

    fn share(&self, place: DVec3) -> f64 {
        if self.cage.encloses(place) {
            return 1.0;
        }
        falling(self.cage.distance_to(place), self.reach)
    }

    fn add(&self, place: DVec3, share: f64, out: &mut [f64]) {
        let mut row = vec![0.0; self.handles.len()];
        self.coordinates.rows(0, &[place], &mut row);
        affine_fix(self.cage.points(), place, self.cage.diagonal(), &mut row);
        for (&handle, phi) in self.handles.iter().zip(row) {
            out[handle as usize] += share * phi;
        }
    }
}

/// For each point of a cage the first of those that faces join it with.
fn roots(cage: &Cage) -> Vec<u32> {
    let mut root: Vec<u32> = (0..cage.points().len() as u32).collect();
    let find = |root: &mut Vec<u32>, mut at: u32| {
        while root[at as usize] != at {
            root[at as usize] = root[root[at as usize] as usize];
            at = root[at as usize];
        }
        at
    };
    for face in cage.faces() {
        for [a, b] in face.sides() {
            let (a, b) = (find(&mut root, a), find(&mut root, b));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    (0..root.len() as u32).map(|at| find(&mut root, at)).collect()
}

impl Coordinates for Parts {
    fn name(&self) -> &'static str {
        "parts"
    }

    /// A row of a point that is held in part gives the point back in part.
    fn raw_limit(&self) -> f64 {
        f64::INFINITY
    }

    fn rows(&self, _first: usize, points: &[DVec3], out: &mut [f64]) {
        for (&point, row) in points.iter().zip(out.chunks_exact_mut(self.num_handles)) {
            self.moving_row(point, WithPoints::Yes, row);
        }
    }

    fn parts(&self) -> Option<&Parts> {
        Some(self)
    }
}
