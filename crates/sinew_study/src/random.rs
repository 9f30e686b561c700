//! Seeded random poses, far beyond what an animator would keep; the same bits on each run.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
use sinew::skeleton::{Pose, Skeleton};

/// Bones shorter than this over the skeleton's extent are left alone: ends, helpers, face.
const SHORT_OVER_EXTENT: f64 = 0.02;

/// How far joints turn at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Of the bone, degrees.
    pub swing_degrees: f64,
    /// About the bone to either side, degrees.
    pub twist_degrees: f64,
}

/// Every joint with a parent and a bone of some length, swung about a random axis and twisted.
pub fn random_pose(skeleton: &Skeleton, seed: u64, limits: Limits) -> Pose {
    let mut random = SplitMix64(seed);
    let heads = skeleton.rest_model_from_joint().iter().map(|m| m.translation);
    let (low, high) =
        heads.fold((DVec3::MAX, DVec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
    let extent = (high - low).length();
    let mut pose = Pose::rest(skeleton);
    for (index, joint) in skeleton.joints().iter().enumerate() {
        // Drawn for every joint, so that one more short bone does not change the others' pose.
        let (around, swing, twist) = (random.unit() * TAU, random.unit(), random.unit());
        let [head, tail] = skeleton.rest_bone(index as u32);
        if joint.parent.is_none() || head.distance(tail) < SHORT_OVER_EXTENT * extent {
            continue;
        }
        let (side, other) = joint.bone_axis().any_orthonormal_pair();
        let axis = side * around.cos() + other * around.sin();
        pose.joints[index].swing =
            DQuat::from_axis_angle(axis, (swing * limits.swing_degrees).to_radians());
        pose.joints[index].twist_radians =
            ((2.0 * twist - 1.0) * limits.twist_degrees).to_radians();
    }
    pose
}

/// Steele, Lea & Flood 2014: small, and the same everywhere.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poser::largest_angle_degrees;
    use sinew::sample::{SampleKind, SampleOptions, build};

    const LIMITS: Limits = Limits { swing_degrees: 60.0, twist_degrees: 45.0 };

    #[test]
    fn a_seed_gives_one_pose_and_another_seed_another() {
        let skeleton = build(&SampleOptions::new(SampleKind::Arm)).unwrap().skeleton;
        let pose = random_pose(&skeleton, 7, LIMITS);
        assert_eq!(pose, random_pose(&skeleton, 7, LIMITS));
        assert_ne!(pose, random_pose(&skeleton, 8, LIMITS));
    }

    #[test]
    fn joints_turn_within_the_limits_and_the_root_not_at_all() {
        let skeleton = build(&SampleOptions::new(SampleKind::Plus)).unwrap().skeleton;
        for seed in 0..20 {
            let pose = random_pose(&skeleton, seed, LIMITS);
            assert_eq!(pose.joints[0], sinew::skeleton::JointPose::REST);
            let largest = largest_angle_degrees(&pose);
            assert!(largest > 30.0 && largest <= 60.0 + 1e-9, "{largest}");
        }
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // The first output for the seed 1234567, as published with the reference code.
        assert_eq!(SplitMix64(1_234_567).next(), 6_457_827_717_110_365_317);
    }
}
