//! Coordinates of points in a cage: `x = Σ φ_k c_k`, `Σ φ_k = 1`. One file a kind.
//!
//! Whatever the kind, a row is then made precise by `affine_fix`, and what it missed before is
//! what tells a good cage from one with a hole in it.

mod affine;
mod green;
mod harmonic;
mod loaded;
mod mean_value;
mod parts;

pub(super) use affine::affine_fix;
pub use green::GreenCage;
pub use harmonic::Harmonic;
pub use loaded::Loaded;
pub(super) use mean_value::prior;
pub use mean_value::{MeanValue, QuadMeanValue};
pub use parts::Parts;
pub(super) use parts::WithPoints;

use glam::DVec3;
use rayon::prelude::*;

use super::{Cage, CageError};
use crate::progress::Progress;

/// Points between two looks at the progress.
const CHUNK_POINTS: usize = 1024;

/// A row may miss its point by this over the diagonal, after the fix.
pub const PRECISION_LIMIT: f64 = 1e-9;

/// Coordinates past this make a cage that jumps: faces go through one another, or the point is far
/// outside.
pub const LARGE_COORDINATE: f64 = 3.0;

/// A way to find coordinates, bound to a cage.
pub trait Coordinates: Send + Sync {
    /// The name at the command line and in files.
    fn name(&self) -> &'static str;

    /// What a row may miss its point by over the diagonal *before* it is made precise. More means
    /// that the cage is not what it should be.
    fn raw_limit(&self) -> f64;

    /// The rows of some points, one after the other, `num_handles` entries each. `first` is the
    /// index of the first point.
    fn rows(&self, first: usize, points: &[DVec3], out: &mut [f64]);

    /// These, if they are of a cage in pieces, whose rows need not hold their points wholly.
    fn parts(&self) -> Option<&Parts> {
        None
    }
}

/// Every kind there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum CoordinateKind {
    /// Mean value, with quads split along one diagonal.
    MeanValue,
    /// Mean value, with quads as the average of both ways to split them: mirrored cages give
    /// mirrored coordinates. The same as mean value where all faces are triangles.
    #[default]
    QuadMeanValue,
    /// Harmonic on a grid: hardly ever negative, and walls keep what is behind them apart.
    Harmonic,
    /// Each closed piece of the cage holds what is in it, points of no face hold the skin around
    /// them, and what nothing holds stays: several cages, partial cages and point handles.
    Parts,
}

impl CoordinateKind {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::MeanValue, Self::QuadMeanValue, Self::Harmonic, Self::Parts];

    /// The name at the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MeanValue => "mean-value",
            Self::QuadMeanValue => "quad-mean-value",
            Self::Harmonic => "harmonic",
            Self::Parts => "parts",
        }
    }

    /// Bound to a cage around points.
    ///
    /// # Errors
    /// If a grid finds nothing inside the cage.
    pub fn bind(self, cage: &Cage, points: &[DVec3]) -> Result<Box<dyn Coordinates>, CageError> {
        Ok(match self {
            Self::MeanValue => Box::new(MeanValue::new(cage)),
            Self::QuadMeanValue => Box::new(QuadMeanValue::new(cage)),
            Self::Harmonic => Box::new(Harmonic::new(cage, harmonic::DEFAULT_CELLS)?),
            Self::Parts => Box::new(Parts::new(cage, points)),
        })
    }
}

/// Coordinates of points, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateRows {
    values: Vec<f64>,
    num_handles: usize,
    /// The largest miss before the fix, over the diagonal.
    raw_error: f64,
    largest: f64,
    /// Rows hold their points wholly, or not.
    is_in_parts: bool,
}

impl CoordinateRows {
    /// Finds the coordinates of points and checks them.
    ///
    /// # Errors
    /// If the cage has errors ([`Cage::check_topology`]), a row is not precise or not finite, or
    /// someone asked to stop.
    pub fn bind(
        cage: &Cage,
        coordinates: &dyn Coordinates,
        points: &[DVec3],
        progress: &dyn Progress,
    ) -> Result<Self, CageError> {
        let report = cage.check_topology();
        if report.has_errors() {
            return Err(CageError::Faults(report));
        }
        let num_handles = cage.points().len();
        let mut values = vec![0.0; points.len() * num_handles];
        let done = std::sync::atomic::AtomicUsize::new(0);
        let diagonal = cage.diagonal();
        let of_chunk = |(chunk, out): (usize, &mut [f64])| {
            if progress.is_cancelled() {
                return Err(CageError::Cancelled);
            }
            let first = chunk * CHUNK_POINTS;
            let of_points = &points[first..points.len().min(first + CHUNK_POINTS)];
            coordinates.rows(first, of_points, out);
            let mut worst = Worst { fixes: coordinates.parts().is_none(), ..Worst::default() };
            for (offset, row) in out.chunks_exact_mut(num_handles).enumerate() {
                worst.look_at(cage, diagonal, first + offset, of_points[offset], row)?;
            }
            let before = done.fetch_add(of_points.len(), std::sync::atomic::Ordering::Relaxed);
            let share = (before + of_points.len()) as f32 / points.len() as f32;
            progress.report("cage coordinates", share);
            Ok(worst)
        };
        let worst = values
            .par_chunks_mut((CHUNK_POINTS * num_handles).max(1))
            .enumerate()
            .map(of_chunk)
            .try_reduce(Worst::default, |a, b| Ok(a.worse(b)))?;
        for (found, limit) in [(worst.raw, coordinates.raw_limit()), (worst.fixed, PRECISION_LIMIT)]
        {
            let (error, point) = found;
            // What is not a number was refused row by row.
            if error > limit {
                return Err(CageError::NotPrecise { point, error, limit });
            }
        }
        let is_in_parts = coordinates.parts().is_some();
        let (raw_error, largest) = (worst.raw.0, worst.largest);
        Ok(Self { values, num_handles, raw_error, largest, is_in_parts })
    }

    /// True if the handles move a point as much as they move: only then it may stand for others.
    pub(super) fn is_whole(&self, point: usize) -> bool {
        !self.is_in_parts || Parts::is_whole(self.row(point))
    }

    /// The coordinates of a point.
    pub fn row(&self, point: usize) -> &[f64] {
        &self.values[point * self.num_handles..(point + 1) * self.num_handles]
    }

    /// All of them, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.num_handles).unwrap_or(0)
    }

    /// True for no points.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many handles there are.
    pub fn num_handles(&self) -> usize {
        self.num_handles
    }

    /// The largest miss before rows were made precise, over the diagonal.
    pub fn raw_error(&self) -> f64 {
        self.raw_error
    }

    /// The largest coordinate without its sign; past [`LARGE_COORDINATE`] a cage jumps.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// `Σ φ_k c_k` of a point.
    pub fn place(&self, point: usize, cage_points: &[DVec3]) -> DVec3 {
        self.row(point).iter().zip(cage_points).map(|(&phi, &c)| phi * c).sum()
    }
}

/// The largest misses of some rows, and whose.
#[derive(Clone, Copy, Default)]
struct Worst {
    /// Rows are made precise.
    fixes: bool,
    raw: (f64, usize),
    fixed: (f64, usize),
    largest: f64,
}

impl Worst {
    /// Takes a row in, and makes it precise.
    fn look_at(
        &mut self,
        cage: &Cage,
        diagonal: f64,
        index: usize,
        point: DVec3,
        row: &mut [f64],
    ) -> Result<(), CageError> {
        let miss = |row: &[f64]| {
            let place: DVec3 =
                row.iter().zip(cage.points()).map(|(&phi, &c)| phi * (c - point)).sum();
            let sum: f64 = row.iter().sum();
            place.length() / diagonal + (sum - 1.0).abs()
        };
        let raw = miss(row);
        if !raw.is_finite() {
            return Err(CageError::NoCoordinates { point: index });
        }
        if !self.fixes {
            self.largest = row.iter().fold(self.largest, |largest, phi| largest.max(phi.abs()));
            return Ok(());
        }
        affine_fix(cage.points(), point, diagonal, row);
        let fixed = miss(row);
        if !fixed.is_finite() {
            return Err(CageError::NoCoordinates { point: index });
        }
        let larger = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 { b } else { a };
        self.raw = larger(self.raw, (raw, index));
        self.fixed = larger(self.fixed, (fixed, index));
        self.largest = row.iter().fold(self.largest, |largest, phi| largest.max(phi.abs()));
        Ok(())
    }

    fn worse(self, other: Self) -> Self {
        let larger = |a: (f64, usize), b: (f64, usize)| {
            if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
        };
        Self {
            fixes: self.fixes || other.fixes,
            raw: larger(self.raw, other.raw),
            fixed: larger(self.fixed, other.fixed),
            largest: self.largest.max(other.largest),
        }
    }
}
