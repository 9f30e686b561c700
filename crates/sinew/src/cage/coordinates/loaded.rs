//! Coordinates that come from elsewhere: a file, another program.

use std::sync::Arc;

use glam::DVec3;

use super::super::CageError;
use super::Coordinates;

/// What six digits a coordinate leave of a point, over the diagonal, with room for a hundred
/// handles; what is of another character misses by far more.
const RAW_LIMIT: f64 = 1e-3;

/// Coordinates that were found elsewhere. Copies share them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "LoadedText", into = "LoadedText")
)]
pub struct Loaded {
    values: Arc<Vec<f64>>,
    num_handles: usize,
}

/// Coordinates as a text has them: row after row.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadedText {
    num_handles: usize,
    values: Vec<f64>,
}

#[cfg(feature = "serde")]
impl From<Loaded> for LoadedText {
    fn from(loaded: Loaded) -> Self {
        Self { num_handles: loaded.num_handles, values: loaded.values.to_vec() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<LoadedText> for Loaded {
    type Error = CageError;

    fn try_from(text: LoadedText) -> Result<Self, CageError> {
        let LoadedText { num_handles, values } = text;
        let past = values.len().checked_rem(num_handles).unwrap_or(values.len());
        if past != 0 {
            let expected = values.len() - past;
            return Err(CageError::Count {
                what: "coordinates in whole rows",
                expected,
                found: values.len(),
            });
        }
        Ok(Self { values: Arc::new(values), num_handles })
    }
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
        Ok(Self { values: Arc::new(values), num_handles })
    }

    /// Refuses to be those of other handles or points.
    ///
    /// # Errors
    /// Says of how many they are.
    pub fn check(&self, num_handles: usize, num_points: usize) -> Result<(), CageError> {
        let handles = ("handles with coordinates", num_handles, self.num_handles);
        let points = ("points with coordinates", num_points, self.num_points());
        match [handles, points].into_iter().find(|(_, expected, found)| expected != found) {
            Some((what, expected, found)) => Err(CageError::Count { what, expected, found }),
            None => Ok(()),
        }
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
            Some(values) if values.len() == out.len() => out.copy_from_slice(values),
            // Another number of points or handles: refused, for being no numbers.
            _ => out.fill(f64::NAN),
        }
    }
}
