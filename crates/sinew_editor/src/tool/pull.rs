//! A whole body that is pulled at one joint: limbs follow, what is pinned stays.
//!
//! - An end of a limb (a hand, a foot, a head): its limb reaches for it ([`reach_by`]). Where
//!   something is pinned and the limb is too short, the hips follow by what is missing.
//! - A knee or an elbow: the limb swings about the line from its first joint to its end, which
//!   stays: a pole.
//! - The hips: they go where they are pulled, as far as the pinned limbs let them.
//! - What is pinned keeps its place and its turn; a foot that is pulled keeps its turn, too.

use std::collections::BTreeSet;

use glam::{DQuat, DVec3};
use sinew::posing::Hinges;
use sinew::retarget::{Role, Roles};
use sinew::skeleton::{JointPose, Pose, Skeleton};

use super::frames::Frames;
use super::limb::limb_ends;
use super::two_bones::reach_by;

/// Times that hips and limbs are brought together at the most.
const ROUNDS: usize = 12;

/// Nearer than this over a body's height is there.
const THERE: f64 = 1e-5;

/// How the reaching tool works: nobody's work is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReachWork {
    /// Joints that stay where they are while others are pulled.
    pub pins: BTreeSet<u32>,
}

/// What a pull needs to know of a skeleton.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) hips: Option<u32>,
    feet: Vec<u32>,
    ends: Vec<bool>,
}

impl Body {
    pub(super) fn of(skeleton: &Skeleton) -> Self {
        let roles = Roles::of_names(skeleton);
        let feet = roles.iter().filter(|(role, _)| matches!(role, Role::Foot(_)));
        Self {
            hips: roles.joint(Role::Hips),
            feet: feet.map(|(_, joint)| joint).collect(),
            ends: limb_ends(skeleton),
        }
    }

    /// The end of the limb that a joint is the middle of: a hand's, for an elbow.
    fn end_after(&self, skeleton: &Skeleton, middle: u32) -> Option<u32> {
        let has_first = skeleton.joints()[middle as usize].parent.is_some();
        skeleton.children(middle).find(|&child| has_first && self.ends[child as usize])
    }
}

/// One pull.
pub(super) struct Pull<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) start: &'a Pose,
    pub(super) body: &'a Body,
    pub(super) work: &'a ReachWork,
    pub(super) hinges: Option<&'a Hinges>,
}

impl Pull<'_> {
    /// The joints that move for one to come to a place in the model, or as near as it can.
    pub(super) fn to(&self, joint: u32, target: DVec3) -> Vec<(u32, JointPose)> {
        if !target.is_finite() {
            return Vec::new();
        }
        let mut pose = self.start.clone();
        let is_root = self.skeleton.joints()[joint as usize].parent.is_none();
        if self.body.hips == Some(joint) || is_root {
            let by = target - self.place(&pose, joint);
            self.move_hips(&mut pose, joint, by);
        } else if let Some(end) = self.body.end_after(self.skeleton, joint) {
            self.swing(&mut pose, (joint, end), target);
        } else {
            self.reach(&mut pose, joint, target);
            let hips = self.body.hips.filter(|&hips| self.is_above(hips, joint));
            if let Some(hips) = hips.filter(|_| self.pins(joint).next().is_some()) {
                for _ in 0..ROUNDS {
                    let missing = target - self.place(&pose, joint);
                    if missing.length() < self.near() {
                        break;
                    }
                    self.move_hips(&mut pose, hips, missing);
                    self.reach(&mut pose, joint, target);
                }
            }
            if self.body.feet.contains(&joint) {
                self.turn_back(&mut pose, joint);
            }
        }
        let moved = (0u32..).zip(pose.joints.iter().zip(&self.start.joints));
        moved.filter(|(_, (now, old))| now != old).map(|(joint, (now, _))| (joint, *now)).collect()
    }

    /// What is pinned, but for what is pulled.
    fn pins(&self, joint: u32) -> impl Iterator<Item = u32> + '_ {
        let num_joints = self.skeleton.len() as u32;
        self.work.pins.iter().copied().filter(move |&pin| pin != joint && pin < num_joints)
    }

    fn place(&self, pose: &Pose, joint: u32) -> DVec3 {
        Frames::new(self.skeleton, pose).place(joint)
    }

    /// A length that nobody sees.
    fn near(&self) -> f64 {
        let places = self.skeleton.rest_model_from_joint().iter().map(|m| m.translation);
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = places.fold(start, |(low, high), p| (low.min(p), high.max(p)));
        THERE * low.distance(high)
    }

    fn is_above(&self, above: u32, joint: u32) -> bool {
        let mut at = self.skeleton.joints()[joint as usize].parent;
        while let Some(joint) = at.filter(|&joint| joint != above) {
            at = self.skeleton.joints()[joint as usize].parent;
        }
        at == Some(above)
    }

    fn reach(&self, pose: &mut Pose, end: u32, target: DVec3) {
        for (joint, posed) in reach_by(self.skeleton, pose, (end, target), self.hinges) {
            pose.joints[joint as usize] = posed;
        }
    }

    /// Gives a joint the turn in the model that it had at the start.
    fn turn_back(&self, pose: &mut Pose, joint: u32) {
        let before = Frames::new(self.skeleton, self.start).rotation(joint);
        let frames = Frames::new(self.skeleton, pose);
        let turn = before * frames.rotation(joint).inverse();
        let turned = frames.turned(joint, turn.normalize());
        pose.joints[joint as usize] = turned;
    }

    /// Moves the hips, and brings what is pinned back to where it was; where limbs are too short
    /// for it, the hips come back by what is missing.
    fn move_hips(&self, pose: &mut Pose, hips: u32, by: DVec3) {
        let mut by = by;
        for _ in 0..ROUNDS {
            let moved = Frames::new(self.skeleton, pose).moved(hips, by);
            pose.joints[hips as usize] = moved;
            by = DVec3::ZERO;
            for pin in self.pins(hips) {
                let wanted = self.place(self.start, pin);
                self.reach(pose, pin, wanted);
                self.turn_back(pose, pin);
                let missing = wanted - self.place(pose, pin);
                if missing.length() > by.length() {
                    by = missing;
                }
            }
            if by.length() < self.near() {
                break;
            }
        }
    }

    /// Turns a limb about the line between its ends, so that its middle looks to the target.
    fn swing(&self, pose: &mut Pose, (middle, end): (u32, u32), target: DVec3) {
        let Some(first) = self.skeleton.joints()[middle as usize].parent else { return };
        let frames = Frames::new(self.skeleton, pose);
        let (a, b, c) = (frames.place(first), frames.place(middle), frames.place(end));
        let Some(axis) = (c - a).try_normalize() else { return };
        let [now, wanted] = [b - a, target - a].map(|arm| arm.reject_from_normalized(axis));
        if now.length() < self.near() || wanted.length() < self.near() {
            return;
        }
        let angle = axis.dot(now.cross(wanted)).atan2(now.dot(wanted));
        let turned = frames.turned(first, DQuat::from_axis_angle(axis, angle));
        pose.joints[first as usize] = turned;
        self.turn_back(pose, end);
    }
}

#[cfg(test)]
mod tests {
    use sinew::Character;
    use sinew::sample::{SampleKind, SampleOptions, build};

    use super::*;

    /// Metres, of a body of under two: sums of f64 rotations, and where rounds end.
    const STAYS: f64 = 2e-4;

    struct Doll {
        character: Character,
        hinges: Hinges,
        work: ReachWork,
    }

    impl Doll {
        fn pinned(names: &[&str]) -> Self {
            let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
            let pins = names.iter().map(|name| character.skeleton.find(name).unwrap()).collect();
            let hinges = Hinges::of(&character);
            Self { character, hinges, work: ReachWork { pins } }
        }

        fn joint(&self, name: &str) -> u32 {
            self.character.skeleton.find(name).unwrap()
        }

        fn pulled(&self, start: &Pose, name: &str, by: DVec3) -> Pose {
            let skeleton = &self.character.skeleton;
            let body = Body::of(skeleton);
            let (work, hinges) = (&self.work, Some(&self.hinges));
            let pull = Pull { skeleton, start, body: &body, work, hinges };
            let mut pose = start.clone();
            let joint = self.joint(name);
            for (joint, posed) in pull.to(joint, self.place(start, name) + by) {
                pose.joints[joint as usize] = posed;
            }
            pose
        }

        fn rest(&self) -> Pose {
            Pose::rest(&self.character.skeleton)
        }

        fn place(&self, pose: &Pose, name: &str) -> DVec3 {
            Frames::new(&self.character.skeleton, pose).place(self.joint(name))
        }

        fn rotation(&self, pose: &Pose, name: &str) -> DQuat {
            Frames::new(&self.character.skeleton, pose).rotation(self.joint(name))
        }
    }

    #[test]
    fn hips_sink_and_both_pinned_feet_stay_as_they_stand_with_knees_that_bend_forward() {
        let doll = Doll::pinned(&["foot_l", "foot_r"]);
        let rest = doll.rest();
        let low = doll.pulled(&rest, "hips", DVec3::new(0.0, -0.25, 0.0));
        let sunk = doll.place(&rest, "hips") - doll.place(&low, "hips");
        assert!((sunk.y - 0.25).abs() < STAYS, "{sunk}");
        for foot in ["foot_l", "foot_r"] {
            let off = doll.place(&low, foot).distance(doll.place(&rest, foot));
            assert!(off < STAYS, "{foot} {off}");
            let turned = doll.rotation(&low, foot).angle_between(doll.rotation(&rest, foot));
            assert!(turned < 1e-6, "{foot} {turned}");
        }
        for shin in ["shin_l", "shin_r"] {
            let forward = doll.place(&low, shin).z - doll.place(&rest, shin).z;
            assert!(forward > 0.1, "{shin} {forward}");
        }
        // Without pins the feet go along.
        let free = Doll::pinned(&[]).pulled(&rest, "hips", DVec3::new(0.0, -0.25, 0.0));
        assert!(doll.place(&free, "foot_l").y < doll.place(&rest, "foot_l").y - 0.2);
    }

    #[test]
    fn hips_go_no_further_than_pinned_legs_let_them() {
        let doll = Doll::pinned(&["foot_l", "foot_r"]);
        let rest = doll.rest();
        let high = doll.pulled(&rest, "hips", DVec3::new(0.0, 3.0, 0.0));
        for foot in ["foot_l", "foot_r"] {
            let off = doll.place(&high, foot).distance(doll.place(&rest, foot));
            assert!(off < 5e-3, "{foot} {off}");
        }
        assert!(doll.place(&high, "hips").y < doll.place(&rest, "hips").y + 0.3);
    }

    #[test]
    fn a_hand_that_reaches_too_far_takes_the_body_along_while_feet_are_pinned() {
        let doll = Doll::pinned(&["foot_l", "foot_r"]);
        let rest = doll.rest();
        let far = DVec3::new(0.2, -0.6, 0.5);
        let wanted = doll.place(&rest, "hand_l") + far;
        let [pinned, free] =
            [&doll, &Doll::pinned(&[])].map(|doll| doll.pulled(&rest, "hand_l", far));
        let off = |pose: &Pose| doll.place(pose, "hand_l").distance(wanted);
        assert!(off(&pinned) < 0.02, "{}", off(&pinned));
        assert!(off(&free) > 0.05, "its arm alone is too short: {}", off(&free));
        assert_eq!(doll.place(&free, "hips"), doll.place(&rest, "hips"));
        for foot in ["foot_l", "foot_r"] {
            assert!(doll.place(&pinned, foot).distance(doll.place(&rest, foot)) < 5e-3, "{foot}");
        }
    }

    #[test]
    fn a_knee_that_is_bent_backward_is_brought_to_its_own_side_and_closes_no_further_than_knees_do()
    {
        let doll = Doll::pinned(&[]);
        let mut wrong = doll.rest();
        let shin = doll.joint("shin_l");
        let axis = doll.hinges.joint(shin).unwrap().bend;
        let bone = doll.character.skeleton.joints()[shin as usize].bone_axis();
        let posed = &mut wrong.joints[shin as usize];
        *posed = posed.rotated(axis, -0.6, bone);
        let high = doll.pulled(&wrong, "foot_l", DVec3::new(0.0, 0.2, 0.0));
        // The knee lies before the line from hip to ankle.
        let [hip, knee, ankle] =
            ["thigh_l", "shin_l", "foot_l"].map(|name| doll.place(&high, name));
        let line = (ankle - hip).normalize();
        assert!((knee - hip).reject_from_normalized(line).z > 0.02, "{hip} {knee} {ankle}");
        let wanted = doll.place(&wrong, "foot_l") + DVec3::new(0.0, 0.2, 0.0);
        assert!(ankle.distance(wanted) < STAYS, "{ankle} {wanted}");
        // To the hip itself: it stops where a calf meets a thigh.
        let up = doll.place(&doll.rest(), "thigh_l") - doll.place(&doll.rest(), "foot_l");
        let closed = doll.pulled(&doll.rest(), "foot_l", up);
        let [hip, knee, ankle] =
            ["thigh_l", "shin_l", "foot_l"].map(|name| doll.place(&closed, name));
        let bend = 180.0 - (hip - knee).angle_between(ankle - knee).to_degrees();
        assert!((bend - 155.0).abs() < 1.0, "{bend}");
    }

    #[test]
    fn a_knee_swings_about_hip_and_ankle_and_the_foot_stays() {
        let doll = Doll::pinned(&["foot_l", "foot_r"]);
        let low = doll.pulled(&doll.rest(), "hips", DVec3::new(0.0, -0.3, 0.0));
        let out = doll.pulled(&low, "shin_l", DVec3::new(0.3, 0.0, 0.0));
        assert!(doll.place(&out, "shin_l").x > doll.place(&low, "shin_l").x + 0.05);
        assert!(doll.place(&out, "foot_l").distance(doll.place(&low, "foot_l")) < STAYS);
        assert_eq!(doll.place(&out, "hips"), doll.place(&low, "hips"));
        let turned = doll.rotation(&out, "foot_l").angle_between(doll.rotation(&low, "foot_l"));
        assert!(turned < 1e-6, "{turned}");
    }
}
