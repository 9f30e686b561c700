//! How many frames a second a motion is counted in: what was said, or what its keys are on.
//!
//! Files hold seconds. Captures and exports have their keys on frames, so that the rate can be
//! found again; keys set by hand are on few frames, which many rates have, and the first that fits
//! counts.

use super::motion::Motion;

/// Of a motion that no rate can be told of.
pub const DEFAULT_FRAMES_PER_SECOND: f64 = 30.0;

/// Rates that people use, those first that keys of another one seldom fit by chance.
const KNOWN_RATES: [f64; 10] = [30.0, 24.0, 25.0, 15.0, 12.0, 60.0, 50.0, 48.0, 120.0, 100.0];

/// Of a frame: files round times to single numbers, BVH to six digits a frame.
const FRAME_TOLERANCE: f64 = 0.06;

/// Beyond these no file is meant to be counted.
const RATES: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// Times that are looked at; the rest are as these.
const MOST_TIMES: usize = 4000;

impl Motion {
    /// Frames a second: what was said, else what the keys are on.
    pub fn frame_rate(&self) -> f64 {
        self.frames_per_second.unwrap_or_else(|| self.rate_of_keys())
    }

    fn rate_of_keys(&self) -> f64 {
        let channels = self.layers.iter().flat_map(|layer| layer.channels());
        let longest = channels.max_by_key(|channel| channel.keys().len());
        let Some(longest) = longest else { return DEFAULT_FRAMES_PER_SECOND };
        let times: Vec<f64> = longest.keys().times_seconds().take(MOST_TIMES).collect();
        let is_on_frames = |rate: &f64| {
            times.iter().all(|seconds| {
                let frame = seconds * rate;
                (frame - frame.round()).abs() <= FRAME_TOLERANCE
            })
        };
        if let Some(known) = KNOWN_RATES.into_iter().find(is_on_frames) {
            return known;
        }
        let mut steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        steps.sort_by(f64::total_cmp);
        let step = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
        // Three digits: 29.97 is a rate, 29.969999 is how a file wrote it.
        let rate = (step.recip() * 1000.0).round() / 1000.0;
        let is_even = !steps.is_empty() && steps[steps.len() - 1] <= 1.5 * step;
        if is_even && RATES.contains(&rate) { rate } else { DEFAULT_FRAMES_PER_SECOND }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Address, Key, KeyCurve, Keys, MotionChannel, RigSetting, Span};
    use crate::skeleton::Skeleton;

    fn with_keys_at(times: impl IntoIterator<Item = f64>) -> Motion {
        let keys = times.into_iter().map(|seconds| Key::new(seconds, seconds, Span::Linear));
        let keys = Keys::Scalar(KeyCurve::new(keys.collect()));
        let address = Address::Setting(RigSetting::KeepVolume);
        let mut motion = Motion::new("a", 1.0);
        let skeleton = Skeleton::new(Vec::new()).unwrap();
        motion.layers[0].put(MotionChannel::new(address, keys, &skeleton));
        motion
    }

    #[test]
    fn the_rate_of_a_capture_is_found_in_its_keys() {
        for rate in [24.0, 25.0, 30.0, 60.0, 100.0, 120.0, 29.97, 23.976] {
            let of_file = |frame: i32| f64::from((f64::from(frame) / rate) as f32);
            let found = with_keys_at((0..2000).map(of_file)).frame_rate();
            assert!((found - rate).abs() < 2e-3, "{rate}: {found}");
        }
    }

    #[test]
    fn keys_on_few_frames_are_thirty_a_second_and_what_is_said_counts() {
        assert_eq!(Motion::new("empty", 2.0).frame_rate(), DEFAULT_FRAMES_PER_SECOND);
        assert_eq!(with_keys_at([0.0, 0.5, 2.0]).frame_rate(), 30.0);
        assert_eq!(with_keys_at([0.0, 0.137, 1.71]).frame_rate(), 30.0);
        let mut motion = with_keys_at([0.0, 0.5, 2.0]);
        motion.frames_per_second = Some(24.0);
        assert_eq!(motion.frame_rate(), 24.0);
    }
}
