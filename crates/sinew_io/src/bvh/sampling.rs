//! A clip at even times: BVH has frames, not keys.

use sinew::motion::Clip;

use crate::WriteError;

/// For clips whose keys are not evenly spaced.
const USUAL_FRAME_SECONDS: f64 = 1.0 / 60.0;
/// Times in files are of f32: keys this near to a multiple of the spacing lie on it.
const SPACING_TOLERANCE: f64 = 0.02;
/// About five hours at 60 frames a second.
const MOST_FRAMES: f64 = 1e6;

/// When a clip is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frames {
    pub(super) number: usize,
    pub(super) seconds: f64,
    /// True if no key lies between two frames.
    pub(super) hits_all_keys: bool,
}

impl Frames {
    /// One frame: a skeleton at rest.
    pub(super) const REST: Self = Self { number: 1, seconds: 1.0 / 30.0, hits_all_keys: true };

    /// The clip's own spacing, where it has one; `known` if that is as good.
    pub(super) fn of(clip: &Clip, known: Option<f64>) -> Result<Self, WriteError> {
        let times = || clip.tracks.iter().map(|track| track.channel.times_seconds());
        let duration = clip.duration_seconds();
        let fits = |seconds: f64| {
            times().flatten().all(|time| {
                let frame = time / seconds;
                (frame - frame.round()).abs() <= SPACING_TOLERANCE
            })
        };
        let densest = times().max_by_key(|times| times.len()).unwrap_or(&[]);
        // From the longest way: a single step has the rounding of f32.
        let own = match densest {
            [first, .., last] => Some((last - first) / (densest.len() - 1) as f64),
            _ => None,
        };
        let spacing = known.into_iter().chain(own).find(|&s| s > 0.0 && s.is_finite() && fits(s));
        let seconds = spacing.unwrap_or(USUAL_FRAME_SECONDS);
        let last = (duration / seconds).round();
        if !(0.0..MOST_FRAMES).contains(&last) {
            let what = format!("lasts {duration} s: too many frames for a BVH; trim it");
            return Err(WriteError::unwritable(format!("clip '{}'", clip.name), what));
        }
        let has_keys = times().any(|times| times.len() > 1);
        Ok(Self {
            number: last as usize + 1,
            seconds,
            hits_all_keys: spacing.is_some() || !has_keys,
        })
    }
}
