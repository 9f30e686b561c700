//! Coordinates that come from elsewhere: a file, another program.

use glam::DVec3;

use super::super::CageError;
use super::Coordinates;

/// What six digits a coordinate leave of a point, over the diagonal, with room for a hundred
/// handles; what is of another character misses by far more.
const RAW_LIMIT: f64 = 1e-3;

/// Coordinates that were found elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    values: Vec<f64>,
    num_handles: usize,
}

impl Loaded {
    /// Takes `(handle, point, coordinate)` triplets, as SuperCages writes them; what is not named
    /// is zero.
    ///
    /// # Errors
    /// If a triplet names a handle or a point that is not there.
    pub fn from_triplets(
        num_handles: usize,
        num_points: usize,
        triplets: impl IntoIterator<Item = (u32, u32, f64)>,
    ) -> Result<Self, CageError> {
        let mut values = vec![0.0; num_handles * num_points];
        for (handle, point, value) in triplets {
            let (k, i) = (handle as usize, point as usize);
            for (what, expected, found) in
                [("handles", num_handles, k + 1), ("points", num_points, i + 1)]
            {
                if found > expected {
                    return Err(CageError::Count { what, expected, found });
                }
            }
            values[i * num_handles + k] = value;
        }
        Ok(Self { values, num_handles })
    }

    /// How many points have coordinates.
    pub fn num_points(&self) -> usize {
        self.values.len() / self.num_handles.max(1)
    }
}

impl Coordinates for Loaded {
    fn name(&self) -> &'static str {
        "loaded"
    }

    fn raw_limit(&self) -> f64 {
        RAW_LIMIT
    }

    fn rows(&self, first: usize, points: &[DVec3], out: &mut [f64]) {
        let start = first * self.num_handles;
        match self.values.get(start..start + points.len() * self.num_handles) {
            Some(values) => out.copy_from_slice(values),
            // Another number of points: refused as imprecise.
            None => out.fill(f64::NAN),
        }
    }
}
