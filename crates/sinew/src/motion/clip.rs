//! Clips: keyed curves of joint transforms, absolute in the parent as files have them.

use glam::{DQuat, DVec3};

use crate::skeleton::{JointPose, JointTransform, Pose, Skeleton, nearest_turn, swing_twist};

/// How a curve runs between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// Holds the earlier key.
    Step,
    /// Straight between keys; rotations take the shorter arc.
    Linear,
}

/// What a curve moves, with one value a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// In the parent's frame.
    Translation(Vec<DVec3>),
    /// Unit quaternions, in the parent's frame.
    Rotation(Vec<DQuat>),
    /// Along the joint's own axes.
    Scale(Vec<DVec3>),
}

impl Channel {
    /// Number of keys.
    pub fn len(&self) -> usize {
        match self {
            Self::Translation(values) | Self::Scale(values) => values.len(),
            Self::Rotation(values) => values.len(),
        }
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One curve of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Index into the skeleton.
    pub joint: u32,
    /// Seconds, ascending, one a key.
    pub times_seconds: Vec<f64>,
    /// The keys.
    pub channel: Channel,
    /// Between keys.
    pub interpolation: Interpolation,
}

/// A named motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// As the file has it.
    pub name: String,
    /// At most one of each kind a joint; a later one wins.
    pub tracks: Vec<Track>,
}

impl Clip {
    /// The time of the last key.
    pub fn duration_seconds(&self) -> f64 {
        self.tracks
            .iter()
            .filter_map(|track| track.times_seconds.last())
            .copied()
            .fold(0.0, f64::max)
    }

    /// The pose at a time; before the first key and after the last the curve holds. Joints without a curve
    /// rest. Twists are unwrapped from key to key, so that turns in a clip add up.
    ///
    /// Tracks of joints that the skeleton does not have are passed over.
    pub fn pose_at(&self, skeleton: &Skeleton, time_seconds: f64) -> Pose {
        let mut locals: Vec<JointTransform> = skeleton.joints().iter().map(|j| j.rest).collect();
        let mut twists = vec![0.0; skeleton.len()];
        for track in &self.tracks {
            let Some(local) = locals.get_mut(track.joint as usize) else { continue };
            let Some((key, fraction)) = track.locate(time_seconds) else { continue };
            match &track.channel {
                Channel::Translation(v) => local.translation = mix(v, key, fraction),
                Channel::Scale(v) => local.scale = mix(v, key, fraction),
                Channel::Rotation(v) => {
                    local.rotation = slerp(v, key, fraction);
                    let joint = &skeleton.joints()[track.joint as usize];
                    let twist_of = |q: DQuat| {
                        swing_twist(joint.rest.rotation.inverse() * q, joint.bone_axis()).1
                    };
                    twists[track.joint as usize] =
                        v[..=key].iter().fold(0.0, |near, &q| nearest_turn(twist_of(q), near));
                }
            }
        }
        let joints = skeleton
            .joints()
            .iter()
            .zip(&locals)
            .zip(&twists)
            .map(|((joint, local), &near)| JointPose::from_local(joint, local, near))
            .collect();
        Pose { joints }
    }
}

impl Track {
    /// The key at or before a time, and how far it is to the next; `None` without keys. Times that do not ascend give some key
    /// and a share within 0..=1, never NaN.
    fn locate(&self, time_seconds: f64) -> Option<(usize, f64)> {
        let num_keys = self.times_seconds.len().min(self.channel.len());
        let times = &self.times_seconds[..num_keys];
        let after = times.partition_point(|&t| t <= time_seconds);
        if num_keys == 0 {
            return None;
        }
        if after == 0 || after == num_keys || self.interpolation == Interpolation::Step {
            return Some((after.saturating_sub(1), 0.0));
        }
        let (start, end) = (times[after - 1], times[after]);
        let fraction = (time_seconds - start) / (end - start);
        Some((after - 1, if (0.0..=1.0).contains(&fraction) { fraction } else { 0.0 }))
    }
}

fn mix(values: &[DVec3], key: usize, fraction: f64) -> DVec3 {
    if fraction == 0.0 { values[key] } else { values[key].lerp(values[key + 1], fraction) }
}

fn slerp(values: &[DQuat], key: usize, fraction: f64) -> DQuat {
    if fraction == 0.0 { values[key] } else { values[key].slerp(values[key + 1], fraction) }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use super::*;
    use crate::skeleton::Joint;

    fn one_joint() -> Skeleton {
        Skeleton::new(vec![Joint {
            name: "root".into(),
            parent: None,
            rest: JointTransform::IDENTITY,
            tail_in_joint: DVec3::Y,
        }])
        .unwrap()
    }

    fn clip(interpolation: Interpolation, channel: Channel) -> Clip {
        let times_seconds = (0..channel.len()).map(|key| key as f64).collect();
        Clip {
            name: "clip".into(),
            tracks: vec![Track { joint: 0, times_seconds, channel, interpolation }],
        }
    }

    #[test]
    fn a_turn_keyed_in_quarters_is_kept_as_a_turn() {
        let quarters = (0..=4).map(|k| DQuat::from_rotation_y(f64::from(k) * FRAC_PI_2)).collect();
        let clip = clip(Interpolation::Linear, Channel::Rotation(quarters));
        let twist = |t| clip.pose_at(&one_joint(), t).joints[0].twist_radians;
        assert!((twist(4.0) - TAU).abs() < 1e-9);
        assert!((twist(3.5) - 3.5 * FRAC_PI_2).abs() < 1e-9);
    }

    #[test]
    fn a_curve_holds_outside_its_keys_and_runs_straight_between_them() {
        let clip = clip(Interpolation::Linear, Channel::Translation(vec![DVec3::ZERO, DVec3::X]));
        let x = |t| clip.pose_at(&one_joint(), t).joints[0].translation.x;
        assert_eq!((x(-1.0), x(0.25), x(9.0)), (0.0, 0.25, 1.0));
    }

    #[test]
    fn a_stepped_curve_holds_the_earlier_key() {
        let clip = clip(Interpolation::Step, Channel::Translation(vec![DVec3::ZERO, DVec3::X]));
        let x = |t| clip.pose_at(&one_joint(), t).joints[0].translation.x;
        assert_eq!((x(0.99), x(1.0)), (0.0, 1.0));
    }

    #[test]
    fn times_that_do_not_ascend_still_give_a_value_between_the_keys() {
        let keys = vec![DVec3::ZERO, DVec3::X, DVec3::ZERO, DVec3::X];
        let mut clip = clip(Interpolation::Linear, Channel::Translation(keys));
        let odd = [0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for pattern in 0..odd.len().pow(4) {
            let digit = |place: u32| odd[pattern / odd.len().pow(place) % odd.len()];
            clip.tracks[0].times_seconds = (0..4).map(digit).collect();
            for time_seconds in [-1.0, 0.0, 0.5, 1.0, f64::NAN] {
                let x = clip.pose_at(&one_joint(), time_seconds).joints[0].translation.x;
                assert!((0.0..=1.0).contains(&x), "{:?}", clip.tracks[0].times_seconds);
            }
        }
    }

    #[test]
    fn of_two_keys_at_one_time_the_later_holds_from_there() {
        let keys = vec![DVec3::ZERO, DVec3::X, 3.0 * DVec3::X, 5.0 * DVec3::X];
        let mut clip = clip(Interpolation::Linear, Channel::Translation(keys));
        clip.tracks[0].times_seconds = vec![0.0, 1.0, 1.0, 2.0];
        let x = |t| clip.pose_at(&one_joint(), t).joints[0].translation.x;
        assert_eq!((x(0.5), x(1.0), x(1.5)), (0.5, 3.0, 4.0));
    }

    #[test]
    fn a_curve_without_keys_leaves_the_joint_at_rest() {
        let clip = clip(Interpolation::Linear, Channel::Scale(vec![]));
        assert_eq!(clip.pose_at(&one_joint(), 0.5), Pose::rest(&one_joint()));
    }
}
