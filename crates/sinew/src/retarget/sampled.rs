//! The frames of a clip.

use crate::motion::Clip;

/// The times of a clip's frames: those of its densest curve, or even ones that are near enough.
pub(super) fn frame_times(clip: &Clip) -> Vec<f64> {
    /// Faster motion than this is not seen, and slower than that is not smooth.
    const MOST_RATE: f64 = 240.0;
    const LEAST_RATE: f64 = 24.0;
    const MOST_FRAMES: usize = 1 << 20;
    let times = clip.tracks.iter().map(|track| track.channel.times_seconds());
    let densest: &[f64] = times.max_by_key(|times| times.len()).unwrap_or(&[]);
    let duration = clip.duration_seconds();
    let rate = densest.len() as f64 / duration.max(1e-9);
    if densest.len() == 1 || duration <= 0.0 || (LEAST_RATE..=MOST_RATE).contains(&rate) {
        return densest.to_vec();
    }
    let number = (duration * 60.0).ceil().max(1.0) as usize;
    let number = number.min(MOST_FRAMES);
    (0..=number).map(|frame| duration * frame as f64 / number as f64).collect()
}
