//! Rows of points without a match: harmonic over the surface between those that have one.

use glam::DVec3;

use super::TransferError;
use crate::linalg::Laplacian;

/// What holds a matched point to its row, over what its edges do.
const HOLD: f64 = 1e4;
/// The same of one without a match: a piece that has none takes what lies nearest.
const HOLD_LOOSELY: f64 = 1e-6;
/// Smaller than this is nothing.
const LEAST: f64 = 1e-4;

/// What was found for a point.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) row: Vec<(u32, f64)>,
    pub(super) is_matched: bool,
}

pub(super) fn fill(
    points: &[DVec3],
    triangles: &[[u32; 3]],
    known: &[Known],
) -> Result<Vec<Vec<(u32, f64)>>, TransferError> {
    let laplacian = Laplacian::cotangent(points, triangles);
    let mut degree = vec![1e-3; points.len()];
    for &(a, b, weight) in laplacian.edges() {
        degree[a as usize] += weight;
        degree[b as usize] += weight;
    }
    let hold = |at: usize| degree[at] * if known[at].is_matched { HOLD } else { HOLD_LOOSELY };
    let masses: Vec<f64> = (0..points.len()).map(hold).collect();
    let factor = laplacian.factor_screened(&masses).map_err(|_| TransferError::Factor)?;
    let mut joints: Vec<u32> =
        known.iter().flat_map(|known| known.row.iter().map(|entry| entry.0)).collect();
    joints.sort_unstable();
    joints.dedup();
    let mut columns: Vec<Vec<f64>> = joints
        .iter()
        .map(|joint| {
            let own = |known: &Known| known.row.iter().find(|e| e.0 == *joint).map_or(0.0, |e| e.1);
            known.iter().zip(&masses).map(|(known, mass)| mass * own(known)).collect()
        })
        .collect();
    factor.solve(&mut columns);
    let row = |at: usize| -> Vec<(u32, f64)> {
        if known[at].is_matched {
            return known[at].row.clone();
        }
        let values = joints.iter().zip(&columns).map(|(&joint, column)| (joint, column[at]));
        let row: Vec<(u32, f64)> = values.filter(|entry| entry.1 > LEAST).collect();
        if row.is_empty() { known[at].row.clone() } else { row }
    };
    Ok((0..points.len()).map(row).collect())
}
