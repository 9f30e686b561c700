//! `--dynamics`: a clip played from its start, so that springs have inertia.

use clap::Args;
use sinew::springs::{DynamicsSettings, SpringModel};

use crate::exit::Failure;
use crate::numbers::finite;

/// What a clip's keys and most films are made for.
const DEFAULT_FRAMES_PER_SECOND: f64 = 30.0;

/// The library takes a frame of more than a quarter of a second for a pause.
const MIN_FRAMES_PER_SECOND: f64 = 4.0;

/// As the library's.
const MAX_FRAMES_PER_SECOND: f64 = 10_000.0;

/// More frames than this (nine hours at the default rate) are a typing error.
const MAX_FRAMES: f64 = 1e6;

/// Inertia.
#[derive(Args, Debug)]
#[command(next_help_heading = "Springs")]
pub(crate) struct DynamicsArgs {
    /// Run the clip from its start to --time with inertia: the skin lags, overshoots and settles
    /// (anchored and paper)
    #[arg(long, requires = "clip")]
    pub(crate) dynamics: bool,

    /// With --dynamics, how often a second a point swings about its place on the bone, 0.1 to 60
    /// [default: 3]
    #[arg(long, value_name = "HZ", requires = "dynamics", allow_negative_numbers = true, value_parser = frequency_hz)]
    frequency: Option<f32>,

    /// With --dynamics, how soon a point settles, 0 to 10: with 0 it swings for ever, with 1 it
    /// comes back without overshooting [default: 0.2]
    #[arg(long, value_name = "RATIO", requires = "dynamics", allow_negative_numbers = true, value_parser = damping_ratio)]
    damping: Option<f32>,

    /// With --dynamics, how far a point may lag, as a multiple of its distance to its bone, 0 to
    /// 100: with 0 it goes with the bone, 4 looks like a cartoon [default: 1]
    #[arg(long, value_name = "SHARE", requires = "dynamics", allow_negative_numbers = true, value_parser = most_lag)]
    lag: Option<f32>,
}

/// The moments at which a clip is looked at, after its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frames {
    until_seconds: f64,
    per_second: f64,
}

fn frequency_hz(text: &str) -> Result<f32, String> {
    within(text, DynamicsSettings::FREQUENCIES_HZ)
}

fn damping_ratio(text: &str) -> Result<f32, String> {
    within(text, DynamicsSettings::DAMPING_RATIOS)
}

fn most_lag(text: &str) -> Result<f32, String> {
    within(text, DynamicsSettings::LAGS)
}

fn within(text: &str, range: std::ops::RangeInclusive<f32>) -> Result<f32, String> {
    match finite(text)? as f32 {
        value if range.contains(&value) => Ok(value),
        _ => Err(format!("not between {} and {}", range.start(), range.end())),
    }
}

pub(crate) fn frames_per_second(text: &str) -> Result<f64, String> {
    match finite(text)? {
        rate if (MIN_FRAMES_PER_SECOND..=MAX_FRAMES_PER_SECOND).contains(&rate) => Ok(rate),
        _ => Err(format!("not between {MIN_FRAMES_PER_SECOND} and {MAX_FRAMES_PER_SECOND}")),
    }
}

impl DynamicsArgs {
    /// How the skin swings: what was given, over what there is.
    pub(crate) fn over(&self, own: &DynamicsSettings) -> DynamicsSettings {
        DynamicsSettings {
            frequency_hz: self.frequency.unwrap_or(own.frequency_hz),
            damping_ratio: self.damping.unwrap_or(own.damping_ratio),
            most_lag: self.lag.unwrap_or(own.most_lag),
            ..*own
        }
    }

    /// The frames to run, `None` if the pose is looked at on its own.
    pub(crate) fn frames(
        &self,
        model: Option<SpringModel>,
        until_seconds: f64,
        frames_per_second: Option<f64>,
    ) -> Result<Option<Frames>, Failure> {
        if !self.dynamics {
            return Ok(None);
        }
        let usage = |words: String| Err(Failure::Usage(words));
        match model {
            Some(SpringModel::Anchored | SpringModel::Paper) => {}
            Some(SpringModel::DeltaMush) => {
                return usage(
                    "delta-mush has no forces, and so no inertia; use --springs anchored or paper, or leave --dynamics out"
                        .into(),
                );
            }
            None => {
                return usage(
                    "--dynamics needs springs; add --springs anchored or paper, or leave it out"
                        .into(),
                );
            }
        }
        if until_seconds < 0.0 {
            return usage(format!(
                "--dynamics runs the clip from its start, and --time {until_seconds} is before it; give a --time from 0 on"
            ));
        }
        let per_second = frames_per_second.unwrap_or(DEFAULT_FRAMES_PER_SECOND);
        if until_seconds * per_second > MAX_FRAMES {
            return usage(format!(
                "--time {until_seconds} is more than {MAX_FRAMES} frames from the clip's start; give an earlier --time or a lower --fps"
            ));
        }
        Ok(Some(Frames { until_seconds, per_second }))
    }
}

impl Frames {
    pub(crate) fn num(&self) -> u32 {
        // A hair off, so that a whole number of frames does not end with an empty one.
        (self.until_seconds * self.per_second - 1e-6).ceil().max(0.0) as u32
    }

    /// When a frame is, counted from 1; the last one is as early as it has to be.
    pub(crate) fn seconds(&self, frame: u32) -> f64 {
        (f64::from(frame) / self.per_second).min(self.until_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_evenly_spaced_and_the_last_one_is_shorter() {
        let seconds = |until_seconds: f64, per_second: f64| -> Vec<f64> {
            let frames = Frames { until_seconds, per_second };
            (1..=frames.num()).map(|frame| frames.seconds(frame)).collect()
        };
        assert!(seconds(0.0, 30.0).is_empty());
        assert_eq!(seconds(0.5, 4.0), [0.25, 0.5]);
        assert_eq!(seconds(0.6, 4.0), [0.25, 0.5, 0.6]);
        assert_eq!(seconds(0.1, 30.0).len(), 3, "0.1 * 30 is a hair above 3");
    }

    #[test]
    fn a_swing_that_the_library_would_refuse_is_none() {
        assert_eq!((frequency_hz("2.5"), damping_ratio("0")), (Ok(2.5), Ok(0.0)));
        for bad in ["0", "-1", "61", "nan", "x"] {
            assert!(frequency_hz(bad).is_err(), "{bad}");
        }
        assert!(damping_ratio("-0.1").is_err() && damping_ratio("11").is_err());
        assert!(most_lag("0").is_ok() && most_lag("-1").is_err());
    }

    #[test]
    fn a_rate_that_the_library_would_not_follow_is_none() {
        assert_eq!(frames_per_second("24"), Ok(24.0));
        for bad in ["0", "-30", "3.9", "10001", "nan", "x"] {
            assert!(frames_per_second(bad).is_err(), "{bad}");
        }
    }
}
