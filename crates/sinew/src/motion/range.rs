//! A range of motion: every joint in turn bends both ways about both axes across its bone, and
//! twists. What a rigger scrubs through while painting weights.

use std::f64::consts::PI;

use glam::DQuat;

use super::{Address, JointProperty, Key, KeyCurve, Keys, Motion, MotionChannel, Span};
use crate::skeleton::Skeleton;

/// How far a joint bends either way: a shoulder and a hip do; elbows go further one way.
const BEND_RADIANS: f64 = 70.0 * PI / 180.0;
/// How far it twists either way: a forearm does.
const TWIST_RADIANS: f64 = 60.0 * PI / 180.0;
/// From one end of a turn to rest, and from there to the next.
const STEP_SECONDS: f64 = 0.25;
/// Two bends and a twist, each to one side, back, to the other side, and back.
const NUM_STEPS: usize = 12;

/// Seconds that a joint takes.
pub const RANGE_SECONDS_PER_JOINT: f64 = NUM_STEPS as f64 * STEP_SECONDS;

/// A motion in which joints bend and twist one after the other, each from rest and back to it.
/// Joints that are not there are passed over.
pub fn range_of_motion(skeleton: &Skeleton, joints: &[u32], name: &str) -> Motion {
    let known: Vec<u32> =
        joints.iter().copied().filter(|&joint| (joint as usize) < skeleton.len()).collect();
    let mut motion = Motion::new(name, RANGE_SECONDS_PER_JOINT * known.len() as f64);
    for (place, &joint) in known.iter().enumerate() {
        let start = RANGE_SECONDS_PER_JOINT * place as f64;
        let (first, second) = skeleton.joints()[joint as usize].bone_axis().any_orthonormal_pair();
        let at = |step: usize| start + STEP_SECONDS * step as f64;
        let ends = [(1, 1.0), (3, -1.0)];
        let bend = |from: usize, axis| {
            ends.map(|(step, side)| {
                (from + step, DQuat::from_axis_angle(axis, side * BEND_RADIANS))
            })
        };
        let mut swings = vec![(0, DQuat::IDENTITY)];
        for (step, turn) in bend(0, first).into_iter().chain(bend(4, second)) {
            swings.extend([(step, turn), (step + 1, DQuat::IDENTITY)]);
        }
        let mut twists = vec![(8, 0.0)];
        for (step, side) in ends {
            twists.extend([(8 + step, side * TWIST_RADIANS), (8 + step + 1, 0.0)]);
        }
        let swings = swings.into_iter().map(|(step, q)| Key::new(at(step), q, Span::Linear));
        let twists = twists.into_iter().map(|(step, turn)| Key::new(at(step), turn, Span::Linear));
        let mut put = |property, keys| {
            let address = Address::joint(joint, property);
            motion.layers[0].put(MotionChannel::new(address, keys, skeleton));
        };
        put(JointProperty::Swing, Keys::Rotation(KeyCurve::new(swings.collect())));
        put(JointProperty::Twist, Keys::Scalar(KeyCurve::new(twists.collect())));
    }
    motion
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Cursor, MotionSample};
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skeleton::JointPose;

    #[test]
    fn one_joint_moves_at_a_time_and_all_come_back_to_rest() {
        let character = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
        let joints: Vec<u32> = (0..character.skeleton.len() as u32).collect();
        let motion = range_of_motion(&character.skeleton, &joints, "range");
        let (mut cursor, mut sample) = (Cursor::default(), MotionSample::rest(&character));
        let mut moved = vec![0.0f64; joints.len()];
        let steps = (motion.length_seconds / STEP_SECONDS) as usize * 4;
        for step in 0..=steps {
            let seconds = motion.length_seconds * step as f64 / steps as f64;
            motion.evaluate(&character.skeleton, seconds, &mut cursor, &mut sample);
            let turns = sample.pose.joints.iter().map(|pose| {
                let swing = 2.0 * pose.swing.w.abs().min(1.0).acos();
                swing.max(pose.twist_radians.abs())
            });
            let turns: Vec<f64> = turns.collect();
            assert!(turns.iter().filter(|turn| **turn > 1e-6).count() <= 1, "{turns:?}");
            moved.iter_mut().zip(&turns).for_each(|(most, turn)| *most = most.max(*turn));
        }
        assert!(moved.iter().all(|&most| (most - BEND_RADIANS).abs() < 1e-6), "{moved:?}");
        motion.evaluate(&character.skeleton, motion.length_seconds, &mut cursor, &mut sample);
        assert!(sample.pose.joints.iter().all(|pose| *pose == JointPose::REST));
    }
}
