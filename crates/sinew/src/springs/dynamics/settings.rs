//! How the skin swings.

use std::ops::RangeInclusive;

use crate::springs::DynamicsError;

/// How the skin swings: what a user sets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct DynamicsSettings {
    /// How often a second a point swings about its place on the bone, within
    /// [`Self::FREQUENCIES_HZ`].
    pub frequency_hz: f32,
    /// 0 swings on for ever, 1 comes back without passing; within [`Self::DAMPING_RATIOS`].
    pub damping_ratio: f32,
    /// Sub-steps in a thirtieth of a second, at the most, within [`Self::SUBSTEPS`]. Points whose
    /// springs need more get more mass, and swing more slowly.
    pub max_substeps: u32,
    /// How far a point may lag behind its bone, over its distance to it, within [`Self::LAGS`]:
    /// 0 goes with the bone. Beside shells that keep their shapes it may lag by less.
    pub most_lag: f32,
}

impl Default for DynamicsSettings {
    fn default() -> Self {
        Self { frequency_hz: 3.0, damping_ratio: 0.2, max_substeps: 32, most_lag: 1.0 }
    }
}

impl DynamicsSettings {
    /// Slower is a skin that floats off; faster than a frame rate shows is rigid.
    pub const FREQUENCIES_HZ: RangeInclusive<f32> = 0.1..=60.0;

    /// From none to where nothing swings.
    pub const DAMPING_RATIOS: RangeInclusive<f32> = 0.0..=10.0;

    /// More take longer than anyone waits.
    pub const SUBSTEPS: RangeInclusive<u32> = 1..=1024;

    /// From none to what flies off as if nothing held it.
    pub const LAGS: RangeInclusive<f32> = 0.0..=100.0;

    /// Whether all are within their ranges.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), DynamicsError> {
        let out_of = |what, value, range: &RangeInclusive<f32>| DynamicsError::BadSetting {
            what,
            value,
            least: *range.start(),
            most: *range.end(),
        };
        if !Self::FREQUENCIES_HZ.contains(&self.frequency_hz) {
            return Err(out_of("frequency_hz", self.frequency_hz, &Self::FREQUENCIES_HZ));
        }
        if !Self::DAMPING_RATIOS.contains(&self.damping_ratio) {
            return Err(out_of("damping_ratio", self.damping_ratio, &Self::DAMPING_RATIOS));
        }
        if !Self::LAGS.contains(&self.most_lag) {
            return Err(out_of("most_lag", self.most_lag, &Self::LAGS));
        }
        if !Self::SUBSTEPS.contains(&self.max_substeps) {
            let (least, most) = (*Self::SUBSTEPS.start() as f32, *Self::SUBSTEPS.end() as f32);
            return Err(out_of("max_substeps", self.max_substeps as f32, &(least..=most)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let default = DynamicsSettings::default();
        assert_eq!(default.check(), Ok(()));
        let bad = [
            (DynamicsSettings { frequency_hz: 0.0, ..default }, "frequency_hz"),
            (DynamicsSettings { frequency_hz: f32::NAN, ..default }, "frequency_hz"),
            (DynamicsSettings { damping_ratio: -0.1, ..default }, "damping_ratio"),
            (DynamicsSettings { most_lag: -0.1, ..default }, "most_lag"),
            (DynamicsSettings { max_substeps: 0, ..default }, "max_substeps"),
        ];
        for (settings, name) in bad {
            let words = settings.check().unwrap_err().to_string();
            assert!(words.contains(name), "{words}");
        }
    }
}
