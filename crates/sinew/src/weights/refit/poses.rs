//! Poses that show what a joint's weight is worth: the character's own clips, and turns of every
//! joint.

use std::f64::consts::TAU;

use glam::{DAffine3, DQuat, DVec3};

use crate::motion::Clip;
use crate::skeleton::{Joint, JointPose, Palette, Pose, Skeleton};

/// Poses taken from clips, all of them together: what the character is seen to do counts most.
const NUM_CLIP_POSES: usize = 24;
/// Poses in which every joint is turned: what it could do counts too, and there may be no clip.
const NUM_TURNED_POSES: usize = 40;
/// The farthest that a joint is turned from its rest: elbows and knees in ordinary motion.
const MAX_TURN_RADIANS: f64 = TAU / 6.0;
/// Of a joint's turn in a curling limb, what is not its parent's: fingers, spines and tails bend as
/// a whole.
const OWN_SHARE_OF_A_CURL: f64 = 0.3;

/// What each joint does to a rest point, in poses that a skeleton is likely to take.
#[derive(Clone, Debug)]
pub struct SampledPoses {
    /// Pose after pose, one a joint.
    model_from_rest: Vec<Vec<DAffine3>>,
}

impl SampledPoses {
    /// Poses at even times of all clips, then such where every joint is turned by up to 60° about
    /// an axis of its own. Always the same for the same input.
    pub fn of(skeleton: &Skeleton, clips: &[Clip]) -> Self {
        let turned = range_poses(skeleton, NUM_TURNED_POSES);
        let model_from_rest = clip_poses(skeleton, clips)
            .into_iter()
            .chain(turned)
            // A file's clip may hold anything: what is not finite says nothing.
            .map(|pose| Palette::new(skeleton, &pose).model_from_rest().to_vec())
            .filter(|transforms| transforms.iter().all(|transform| transform.is_finite()))
            .collect();
        Self { model_from_rest }
    }

    /// Number of poses.
    pub fn len(&self) -> usize {
        self.model_from_rest.len()
    }

    /// True for no poses.
    pub fn is_empty(&self) -> bool {
        self.model_from_rest.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[DAffine3]> {
        self.model_from_rest.iter().map(Vec::as_slice)
    }
}

/// Poses at even times of all clips; none without clips.
pub(in crate::weights) fn clip_poses(skeleton: &Skeleton, clips: &[Clip]) -> Vec<Pose> {
    let pose = |(clip, time_seconds): (&Clip, f64)| clip.pose_at(skeleton, time_seconds);
    clip_times(clips).into_iter().map(pose).collect()
}

/// Poses in which every joint is turned.
pub(in crate::weights) fn range_poses(skeleton: &Skeleton, number: usize) -> Vec<Pose> {
    (0..number).map(|index| turned_pose(skeleton, index)).collect()
}

/// Times at even distances in the clips laid end to end.
fn clip_times(clips: &[Clip]) -> Vec<(&Clip, f64)> {
    let duration = |clip: &Clip| {
        let seconds = clip.duration_seconds();
        if seconds.is_finite() { seconds } else { 0.0 }
    };
    let total: f64 = clips.iter().map(duration).sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut start = 0.0;
    let mut times = Vec::with_capacity(NUM_CLIP_POSES);
    for clip in clips {
        let end = start + duration(clip);
        while times.len() < NUM_CLIP_POSES {
            // The middles of even pieces: ends are often the rest pose.
            let at = total * (times.len() as f64 + 0.5) / NUM_CLIP_POSES as f64;
            if at >= end {
                break;
            }
            times.push((clip, at - start));
        }
        start = end;
    }
    times
}

/// In every other pose each joint is turned on its own; in the others limbs curl: a joint goes on
/// with its parent's turn.
fn turned_pose(skeleton: &Skeleton, index: usize) -> Pose {
    let curls = !index.is_multiple_of(2);
    let mut turns: Vec<DVec3> = Vec::with_capacity(skeleton.len());
    for (number, joint) in skeleton.joints().iter().enumerate() {
        let own = even_turn(index * skeleton.len() + number + 1);
        turns.push(match joint.parent {
            Some(parent) if curls => turns[parent as usize].lerp(own, OWN_SHARE_OF_A_CURL),
            _ => own,
        });
    }
    let pose_of = |(turn, joint): (&DVec3, &Joint)| {
        JointPose::REST.with_rotation(DQuat::from_scaled_axis(*turn), joint.bone_axis())
    };
    Pose { joints: turns.iter().zip(skeleton.joints()).map(pose_of).collect() }
}

/// The n-th of turns spread evenly over axes and angles, as axis times radians: Kronecker sequences
/// of the plastic number's powers and the golden ratio.
fn even_turn(n: usize) -> DVec3 {
    let even = |ratio: f64| (0.5 + ratio * n as f64).fract();
    let height = 2.0 * even(0.754_877_666_246_692_7) - 1.0;
    let around = TAU * even(0.569_840_290_998_053_2);
    let radius = (1.0 - height * height).max(0.0).sqrt();
    let axis = DVec3::new(radius * around.cos(), height, radius * around.sin());
    axis * MAX_TURN_RADIANS * even(0.618_033_988_749_894_9)
}
