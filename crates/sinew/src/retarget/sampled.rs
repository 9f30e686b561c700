//! Where joints are in model space, at rest and in frames of a clip.

use glam::{DAffine3, DQuat, DVec3};

use crate::motion::{Channel, Clip};
use crate::skeleton::{JointTransform, Skeleton};

/// Joints in model space.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) positions: Vec<DVec3>,
    /// Products of rotations: scales are no part of them.
    pub(super) rotations: Vec<DQuat>,
}

impl Placed {
    pub(super) fn rest(skeleton: &Skeleton) -> Self {
        Self::of(skeleton, |joint| skeleton.joints()[joint].rest)
    }

    pub(super) fn at(skeleton: &Skeleton, clip: &Clip, time_seconds: f64) -> Self {
        let mut locals: Vec<JointTransform> = skeleton.joints().iter().map(|j| j.rest).collect();
        for track in &clip.tracks {
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
        Self::of(skeleton, |joint| locals[joint])
    }

    fn of(skeleton: &Skeleton, local: impl Fn(usize) -> JointTransform) -> Self {
        let mut placed = Self { positions: Vec::new(), rotations: Vec::new() };
        let mut matrices: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let local = local(index);
            let (matrix, rotation) = match joint.parent {
                Some(parent) => {
                    let parent = parent as usize;
                    let matrix = matrices[parent] * local.parent_from_joint();
                    (matrix, placed.rotations[parent] * local.rotation)
                }
                None => (local.parent_from_joint(), local.rotation),
            };
            placed.positions.push(matrix.translation);
            placed.rotations.push(rotation.normalize());
            matrices.push(matrix);
        }
        placed
    }
}

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
