//! Hard poses of bodies with two arms and two legs, one description for every rig.
//!
//! Directions are in the body's own frame: `left` from the right to the left shoulder, `up` +Y,
//! `front` across both.

mod recipes;
mod rigs;

use glam::DVec3;
use sinew::skeleton::{Pose, Skeleton};

use crate::poser::{PoseError, Poser};
use crate::subject::NamedPose;
use Side::Left;

pub use rigs::*;

/// The five poses of a body: a deep squat with raised arms, crossed arms with twisted forearms, a
/// high kick, arms up with twisted forearms, a run.
pub fn hard_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 5] = [
        ("squat", recipes::squat),
        ("arms crossed", recipes::arms_crossed),
        ("high kick", recipes::high_kick),
        ("arms up", recipes::arms_up),
        ("run", recipes::run),
    ];
    named(rig, skeleton, &poses)
}

/// Further than a body goes by itself: thighs to the chest, a leg to the ear, arms beside the head.
/// What the shoulders' and hips' skin must give there has no goal of its own; the tables show what
/// becomes of it.
pub fn furthest_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 3] = [
        ("deepest squat", recipes::deepest_squat),
        ("highest kick", recipes::highest_kick),
        ("arms overhead", recipes::arms_overhead),
    ];
    named(rig, skeleton, &poses)
}

/// The three poses that springs.md has goals for, arms no higher than the shoulders' own range;
/// and, without a goal, arms up, which draws every rig's armpits out.
pub fn goal_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 4] = [
        ("squat", recipes::squat_arms_forward),
        ("reach", recipes::reach),
        ("run", recipes::run),
        ("arms up", recipes::arms_up),
    ];
    named(rig, skeleton, &poses)
}

/// The five poses of the study of layered characters: what armour, clothes and props are put
/// through.
pub fn layered_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 5] = [
        ("arms up", recipes::arms_up),
        ("squat", recipes::squat_arms_forward),
        ("elbow 140", recipes::elbow_140),
        ("run", recipes::run),
        ("twist", recipes::twist),
    ];
    named(rig, skeleton, &poses)
}

/// The same of an animal on four legs: it rears, crouches, lifts a foot, runs, turns.
pub fn animal_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 5] = [
        ("arms up", recipes::rear),
        ("squat", recipes::animal_crouch),
        ("elbow 140", recipes::lift_foot),
        ("run", recipes::gallop),
        ("twist", recipes::animal_twist),
    ];
    named(rig, skeleton, &poses)
}

/// The three of them that a body without arms has.
pub fn walker_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 3] = [
        ("squat", recipes::walker_crouch),
        ("run", recipes::walker_run),
        ("twist", recipes::walker_twist),
    ];
    named(rig, skeleton, &poses)
}

/// A pose's name, and how a body takes it.
type Recipe<'a> = (&'a str, fn(&mut Body<'_>));

fn named(
    rig: &BodyRig,
    skeleton: &Skeleton,
    poses: &[Recipe<'_>],
) -> Result<Vec<NamedPose>, PoseError> {
    poses
        .iter()
        .map(|&(name, make)| Ok(NamedPose::new(name, Body::pose(rig, skeleton, make)?)))
        .collect()
}

/// A side of the body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// A body being posed. Directions are `(out, up, front)`: `out` is away from the middle on either
/// side.
struct Body<'a> {
    rig: BodyRig,
    poser: Poser<'a>,
    left: DVec3,
    up: DVec3,
    front: DVec3,
}

impl<'a> Body<'a> {
    fn pose(
        rig: &BodyRig,
        skeleton: &'a Skeleton,
        make: impl Fn(&mut Self),
    ) -> Result<Pose, PoseError> {
        let head_of = |name: &str| {
            skeleton
                .find(name)
                .map(|joint| skeleton.rest_bone(joint)[0])
                .ok_or_else(|| PoseError::NoJoint { name: name.to_owned() })
        };
        let across = head_of(rig.upper_arm[0])? - head_of(rig.upper_arm[1])?;
        let up = DVec3::Y;
        let left = across.reject_from(up).normalize_or(DVec3::X);
        let front = left.cross(up);
        let mut body = Self { rig: *rig, poser: Poser::new(skeleton), left, up, front };
        make(&mut body);
        body.poser.finish()
    }

    fn direction(&self, side: Side, (out, up, front): (f64, f64, f64)) -> DVec3 {
        let out = if side == Left { out } else { -out };
        self.left * out + self.up * up + self.front * front
    }

    fn aim(&mut self, pair: [&str; 2], side: Side, direction: (f64, f64, f64)) {
        let direction = self.direction(side, direction);
        self.poser.aim(pair[side as usize], direction);
    }

    /// Upper arm and forearm.
    fn arm(&mut self, side: Side, upper: (f64, f64, f64), fore: (f64, f64, f64)) {
        self.aim(self.rig.upper_arm, side, upper);
        self.aim(self.rig.forearm, side, fore);
        self.carry_ends(side);
    }

    /// Thigh and shin; the foot goes along.
    fn leg(&mut self, side: Side, thigh: (f64, f64, f64), shin: (f64, f64, f64)) {
        self.aim(self.rig.thigh, side, thigh);
        self.aim(self.rig.shin, side, shin);
        self.carry_ends(side);
    }

    /// Hand and foot go along with what is above them, where they do not hang from it.
    fn carry_ends(&mut self, side: Side) {
        let (side, rig) = (side as usize, self.rig);
        for (end, by) in [(rig.hand, rig.forearm), (rig.foot, rig.shin)] {
            if let Some(end) = end {
                self.poser.carry(end[side], by[side]);
            }
        }
    }

    fn flat_foot(&mut self, side: Side) {
        if let Some(foot) = self.rig.foot {
            self.poser.keep(foot[side as usize]);
        }
    }

    /// Bends the spine forwards, sidewards to the left, and turns it to the left, shared among its
    /// joints.
    fn spine(&mut self, forward: f64, sideward: f64, turn: f64) {
        let share = 1.0 / self.rig.spine.len() as f64;
        for joint in self.rig.spine {
            self.poser
                .turn(joint, self.up, turn * share)
                .turn(joint, self.front, -sideward * share)
                .turn(joint, self.left, forward * share);
        }
    }

    fn shrug(&mut self, side: Side, degrees: f64) {
        if let Some(clavicle) = self.rig.clavicle {
            let degrees = if side == Left { degrees } else { -degrees };
            self.poser.turn(clavicle[side as usize], self.front, degrees);
        }
    }

    /// Twists the hand against the elbow, half of it in the forearm where the rig has a joint for
    /// that; a rig without hands has all of it in the forearm.
    fn twist_hand(&mut self, side: Side, degrees: f64) {
        let index = side as usize;
        let degrees = if side == Left { degrees } else { -degrees };
        match (self.rig.forearm_twist, self.rig.hand) {
            (Some(fore), Some(hand)) => {
                self.poser.twist(fore[index], degrees / 2.0);
                // In a chain the hand has the forearm's half already; beside it, it needs the
                // whole.
                self.poser.twist(hand[index], degrees / 2.0);
            }
            (_, Some(hand)) => {
                self.poser.twist(self.rig.forearm[index], degrees / 2.0);
                self.poser.twist(hand[index], degrees / 2.0);
            }
            (_, None) => {
                self.poser.twist(self.rig.forearm[index], degrees);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::sample::{SampleKind, SampleOptions, build};

    /// Where a joint's bone begins and ends in a pose.
    fn bone(skeleton: &Skeleton, pose: &Pose, name: &str) -> [DVec3; 2] {
        let index = skeleton.find(name).unwrap() as usize;
        let mut placed = Vec::new();
        pose.model_from_joint(skeleton, &mut placed);
        let tail = skeleton.joints()[index].tail_in_joint;
        [placed[index].translation, placed[index].transform_point3(tail)]
    }

    fn along(skeleton: &Skeleton, pose: &Pose, name: &str) -> DVec3 {
        let [head, tail] = bone(skeleton, pose, name);
        (tail - head).normalize()
    }

    #[test]
    fn the_poses_are_what_they_are_called_on_both_samples() {
        for (kind, rig) in [(SampleKind::Human, HUMAN), (SampleKind::Chibi, CHIBI)] {
            let skeleton = build(&SampleOptions::new(kind)).unwrap().skeleton;
            let poses = hard_poses(&rig, &skeleton).unwrap();
            let pose = |name: &str| &poses.iter().find(|pose| pose.name == name).unwrap().pose;
            let along = |name: &str, joint: &str| along(&skeleton, pose(name), joint);
            for side in ["l", "r"] {
                let (thigh, shin) = (format!("thigh_{side}"), format!("shin_{side}"));
                let knee = along("squat", &thigh).angle_between(along("squat", &shin));
                let deep = if rig.is_stubby { 75.0 } else { 100.0 };
                assert!(knee.to_degrees() > deep, "{kind:?} {side}: knee at {knee}");
                let arm = along("arms up", &format!("upper_arm_{side}"));
                let high = if rig.is_stubby { 0.4 } else { 0.7 };
                assert!(arm.y > high, "{kind:?} {side}: {arm}");
            }
            assert!(along("high kick", "thigh_l").y > if rig.is_stubby { 0.0 } else { 0.4 });
            assert!(along("run", "thigh_l").z > 0.5 && along("run", "thigh_r").z < -0.3);
            // Crossed: each wrist on the other side of its elbow, and past it.
            for (joint, sign) in [("forearm_l", -1.0), ("forearm_r", 1.0)] {
                let forearm = along("arms crossed", joint);
                assert!(forearm.x * sign > 0.7, "{kind:?} {joint}: {forearm}");
            }
        }
    }

    #[test]
    fn a_squat_keeps_the_feet_flat() {
        let skeleton = build(&SampleOptions::new(SampleKind::Human)).unwrap().skeleton;
        let poses = hard_poses(&HUMAN, &skeleton).unwrap();
        let rest = Pose::rest(&skeleton);
        for foot in ["foot_l", "foot_r"] {
            let (posed, rest) =
                (along(&skeleton, &poses[0].pose, foot), along(&skeleton, &rest, foot));
            assert!(posed.abs_diff_eq(rest, 1e-9), "{foot}: {posed} {rest}");
        }
    }
}
