//! Points in a cage, whatever moves them afterwards: their coordinates, and how the posed cage is
//! found from a few of them.
//!
//! Nothing of it depends on weights, joints or the method, and finding it is what takes long: it is
//! kept while those change ([`Coupling`](super::Coupling)).

use std::sync::Arc;

use glam::DVec3;

use super::coordinates::Parts;
use super::{Cage, CageError, CoordinateRows, Coordinates, Selection};
use crate::linalg::Dense;
use crate::progress::Progress;

/// A condition past this leaves too few digits: the fit is regularised.
const MAX_CONDITION: f64 = 1e4;
/// The pull towards the skinned handles, over the squared size of `Φ̃`.
const REGULARIZATION: f64 = 1e-4;

/// Points in a cage.
#[derive(Clone, Debug)]
pub struct CagedPoints {
    cage: Cage,
    rows: CoordinateRows,
    selection: Selection,
    /// Of a cage in pieces.
    pieces: Option<Parts>,
    condition: f64,
    /// `P`, with a column a point of the selection; then one a handle where it is regularised.
    fit: Arc<Dense>,
    /// Of each handle the point that is nearest to it; empty where the fit is exact.
    nearest: Vec<u32>,
}

impl CagedPoints {
    /// Finds coordinates, the points that stand for all, and the fit to them.
    ///
    /// # Errors
    /// As [`CoordinateRows::bind`]; and if there is no point to stand for any.
    pub fn bind(
        cage: &Cage,
        coordinates: &dyn Coordinates,
        points: &[DVec3],
        progress: &dyn Progress,
    ) -> Result<Self, CageError> {
        let rows = CoordinateRows::bind(cage, coordinates, points, progress)?;
        let selection = Selection::of(&rows, |point| rows.is_whole(point));
        if selection.points.is_empty() {
            return Err(CageError::NoPoints);
        }
        let num_handles = cage.points().len();
        let square = selection.matrix(&rows);
        let condition = match selection.points.len() == num_handles {
            true => square.condition(),
            false => f64::INFINITY,
        };
        let exact = (condition <= MAX_CONDITION).then(|| exact_fit(&selection, &square)).flatten();
        let (fit, nearest) = match exact {
            Some(fit) => (fit, Vec::new()),
            None => {
                let fit = regularized_fit(&selection, &rows).ok_or(CageError::NoPoints)?;
                (fit, cage.points().iter().map(|&place| nearest(points, place)).collect())
            }
        };
        let (cage, pieces) = (cage.clone(), coordinates.parts().cloned());
        Ok(Self { cage, rows, selection, pieces, condition, fit: Arc::new(fit), nearest })
    }

    /// The cage.
    pub fn cage(&self) -> &Cage {
        &self.cage
    }

    /// The coordinates.
    pub fn rows(&self) -> &CoordinateRows {
        &self.rows
    }

    /// Which points stand for all.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The condition of `Φ̃`; infinite where handles move nothing.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    pub(super) fn pieces(&self) -> Option<&Parts> {
        self.pieces.as_ref()
    }

    pub(super) fn fit(&self) -> &Arc<Dense> {
        &self.fit
    }

    /// Of each handle the point that is nearest to it; empty where the fit is exact.
    pub(super) fn nearest(&self) -> &[u32] {
        &self.nearest
    }
}

fn nearest(points: &[DVec3], place: DVec3) -> u32 {
    let mut nearest = (f64::INFINITY, 0);
    for (point, at) in (0u32..).zip(points) {
        let distance = at.distance_squared(place);
        if distance < nearest.0 {
            nearest = (distance, point);
        }
    }
    nearest.1
}

/// `Φ̃⁻¹`, with rows in the handles' order.
fn exact_fit(selection: &Selection, square: &Dense) -> Option<Dense> {
    let inverse = square.inverse()?;
    let n = square.num_rows();
    let mut fit = Dense::zeros(n, n);
    for (row, &handle) in selection.handles.iter().enumerate() {
        for column in 0..n {
            *fit.at_mut(handle as usize, column) = inverse.at(row, column);
        }
    }
    Some(fit)
}

/// `(Φ̃ᵀΦ̃ + μI)⁻¹ [Φ̃ᵀ, μI]`.
fn regularized_fit(selection: &Selection, rows: &CoordinateRows) -> Option<Dense> {
    let (num_points, num_handles) = (selection.points.len(), rows.num_handles());
    let at = |point: usize, handle: usize| rows.row(selection.points[point] as usize)[handle];
    let chosen = Dense::from_fn(num_points, num_handles, at);
    let transposed = chosen.transposed();
    let mut normal = transposed.times(&chosen);
    let size = (0..num_handles).map(|k| normal.at(k, k)).sum::<f64>() / num_handles as f64;
    let mu = REGULARIZATION * size;
    for k in 0..num_handles {
        *normal.at_mut(k, k) += mu;
    }
    let inverse = normal.inverse()?;
    let of_points = inverse.times(&transposed);
    Some(Dense::from_fn(num_handles, num_points + num_handles, |row, column| {
        match column.checked_sub(num_points) {
            None => of_points.at(row, column),
            Some(handle) => mu * inverse.at(row, handle),
        }
    }))
}
