//! A clip at even times: BVH has frames, not keys.

use glam::{DQuat, DVec3};
use sinew::motion::{Channel, Clip};
use sinew::skeleton::{JointTransform, Skeleton};

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

/// Where joints are and how they are turned, in model space. Rotations are products, not taken from
/// matrices: what came from a file goes back without a loss.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) positions: Vec<DVec3>,
    pub(super) rotations: Vec<DQuat>,
}

impl Placed {
    pub(super) fn at(skeleton: &Skeleton, clip: Option<&Clip>, time_seconds: f64) -> Self {
        let mut locals: Vec<JointTransform> = skeleton.joints().iter().map(|j| j.rest).collect();
        for track in clip.into_iter().flat_map(|clip| &clip.tracks) {
            let Some(local) = locals.get_mut(track.joint as usize) else { continue };
            match &track.channel {
                Channel::Translation(curve) => {
                    local.translation = curve.value_at(time_seconds).unwrap_or(local.translation);
                }
                Channel::Rotation(curve) => {
                    local.rotation = curve.value_at(time_seconds).unwrap_or(local.rotation);
                }
                Channel::Scale(curve) => {
                    local.scale = curve.value_at(time_seconds).unwrap_or(local.scale);
                }
            }
        }
        let mut placed = Self { positions: Vec::new(), rotations: Vec::new() };
        let mut matrices: Vec<glam::DAffine3> = Vec::with_capacity(locals.len());
        for (joint, local) in skeleton.joints().iter().zip(&locals) {
            let matrix = local.parent_from_joint();
            let (matrix, rotation) = match joint.parent {
                Some(parent) => {
                    let parent = parent as usize;
                    (matrices[parent] * matrix, placed.rotations[parent] * local.rotation)
                }
                None => (matrix, local.rotation),
            };
            placed.positions.push(matrix.translation);
            placed.rotations.push(rotation.normalize());
            matrices.push(matrix);
        }
        placed
    }
}
