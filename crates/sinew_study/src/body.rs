//! Hard poses of bodies with two arms and two legs, one description for every rig.
//!
//! Directions are in the body's own frame: `left` from the right to the left shoulder, `up` +Y, `front` across both.

use glam::DVec3;
use sinew::skeleton::{Pose, Skeleton};

use crate::poser::{PoseError, Poser};
use crate::subject::NamedPose;

/// What a rig calls its joints; pairs are left and right. Optional joints are `None` where a rig has none.
#[derive(Clone, Copy, Debug)]
pub struct BodyRig {
    /// From the hips up, without the hips.
    pub spine: &'static [&'static str],
    /// Collar bones.
    pub clavicle: Option<[&'static str; 2]>,
    /// Shoulder to elbow.
    pub upper_arm: [&'static str; 2],
    /// Elbow to wrist.
    pub forearm: [&'static str; 2],
    /// The half of the forearm that shares the hand's twist.
    pub forearm_twist: Option<[&'static str; 2]>,
    /// Wrist to knuckles.
    pub hand: Option<[&'static str; 2]>,
    /// Hip to knee.
    pub thigh: [&'static str; 2],
    /// Knee to ankle.
    pub shin: [&'static str; 2],
    /// Ankle to ball.
    pub foot: Option<[&'static str; 2]>,
    /// A head wider than the shoulders on limbs shorter than it: arms raised further than the head allows would be inside it.
    pub is_stubby: bool,
}

/// The sample `human`.
pub const HUMAN: BodyRig = BodyRig {
    spine: &["spine_1", "spine_2", "spine_3"],
    clavicle: Some(["clavicle_l", "clavicle_r"]),
    upper_arm: ["upper_arm_l", "upper_arm_r"],
    forearm: ["forearm_l", "forearm_r"],
    forearm_twist: Some(["forearm_twist_l", "forearm_twist_r"]),
    hand: Some(["hand_l", "hand_r"]),
    thigh: ["thigh_l", "thigh_r"],
    shin: ["shin_l", "shin_r"],
    foot: Some(["foot_l", "foot_r"]),
    is_stubby: false,
};

/// The sample `chibi`.
pub const CHIBI: BodyRig =
    BodyRig { spine: &["spine", "chest"], forearm_twist: None, is_stubby: true, ..HUMAN };

/// The sample `giant`.
pub const GIANT: BodyRig = BodyRig { spine: &["spine", "chest"], forearm_twist: None, ..HUMAN };

/// MakeHuman's default rig.
pub const MAKEHUMAN: BodyRig = BodyRig {
    spine: &["spine04", "spine03", "spine02"],
    clavicle: Some(["clavicle.L", "clavicle.R"]),
    upper_arm: ["upperarm01.L", "upperarm01.R"],
    forearm: ["lowerarm01.L", "lowerarm01.R"],
    forearm_twist: Some(["lowerarm02.L", "lowerarm02.R"]),
    hand: Some(["wrist.L", "wrist.R"]),
    thigh: ["upperleg01.L", "upperleg01.R"],
    shin: ["lowerleg01.L", "lowerleg01.R"],
    foot: Some(["foot.L", "foot.R"]),
    is_stubby: false,
};

/// MakeHuman's rig for game engines.
pub const MAKEHUMAN_GAME: BodyRig = BodyRig {
    spine: &["spine_01", "spine_02", "spine_03"],
    clavicle: Some(["clavicle_l", "clavicle_r"]),
    upper_arm: ["upperarm_l", "upperarm_r"],
    forearm: ["lowerarm_l", "lowerarm_r"],
    forearm_twist: None,
    hand: Some(["hand_l", "hand_r"]),
    thigh: ["thigh_l", "thigh_r"],
    shin: ["calf_l", "calf_r"],
    foot: Some(["foot_l", "foot_r"]),
    is_stubby: false,
};

/// Khronos' CesiumMan.
pub const CESIUM_MAN: BodyRig = BodyRig {
    spine: &["Skeleton_torso_joint_2", "torso_joint_3"],
    clavicle: None,
    upper_arm: ["Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_R"],
    forearm: ["Skeleton_arm_joint_L__3_", "Skeleton_arm_joint_R__2_"],
    forearm_twist: None,
    hand: Some(["Skeleton_arm_joint_L__2_", "Skeleton_arm_joint_R__3_"]),
    thigh: ["leg_joint_L_1", "leg_joint_R_1"],
    shin: ["leg_joint_L_2", "leg_joint_R_2"],
    foot: Some(["leg_joint_L_3", "leg_joint_R_3"]),
    is_stubby: false,
};

/// Khronos' RiggedFigure.
pub const RIGGED_FIGURE: BodyRig = BodyRig {
    spine: &["torso_joint_2", "torso_joint_3"],
    clavicle: None,
    upper_arm: ["arm_joint_L_1", "arm_joint_R_1"],
    forearm: ["arm_joint_L_2", "arm_joint_R_2"],
    forearm_twist: None,
    hand: Some(["arm_joint_L_3", "arm_joint_R_3"]),
    thigh: ["leg_joint_L_1", "leg_joint_R_1"],
    shin: ["leg_joint_L_2", "leg_joint_R_2"],
    foot: Some(["leg_joint_L_3", "leg_joint_R_3"]),
    is_stubby: false,
};

/// Rigs from Mixamo.
pub const MIXAMO: BodyRig = BodyRig {
    spine: &["mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"],
    clavicle: Some(["mixamorig:LeftShoulder", "mixamorig:RightShoulder"]),
    upper_arm: ["mixamorig:LeftArm", "mixamorig:RightArm"],
    forearm: ["mixamorig:LeftForeArm", "mixamorig:RightForeArm"],
    forearm_twist: None,
    hand: Some(["mixamorig:LeftHand", "mixamorig:RightHand"]),
    thigh: ["mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"],
    shin: ["mixamorig:LeftLeg", "mixamorig:RightLeg"],
    foot: Some(["mixamorig:LeftFoot", "mixamorig:RightFoot"]),
    is_stubby: false,
};

/// KayKit's characters.
pub const KAYKIT: BodyRig = BodyRig {
    spine: &["spine", "chest"],
    clavicle: None,
    upper_arm: ["upperarm.l", "upperarm.r"],
    forearm: ["lowerarm.l", "lowerarm.r"],
    forearm_twist: None,
    hand: Some(["wrist.l", "wrist.r"]),
    thigh: ["upperleg.l", "upperleg.r"],
    shin: ["lowerleg.l", "lowerleg.r"],
    foot: Some(["foot.l", "foot.r"]),
    is_stubby: false,
};

/// VRM avatars with Unity's names in words.
pub const VRM: BodyRig = BodyRig {
    spine: &["Spine", "Chest"],
    clavicle: Some(["Left shoulder", "Right shoulder"]),
    upper_arm: ["Left arm", "Right arm"],
    forearm: ["Left elbow", "Right elbow"],
    forearm_twist: None,
    hand: Some(["Left wrist", "Right wrist"]),
    thigh: ["Left leg", "Right leg"],
    shin: ["Left knee", "Right knee"],
    foot: Some(["Left ankle", "Right ankle"]),
    is_stubby: false,
};

/// The five poses of a body: a deep squat with raised arms, crossed arms with twisted forearms, a high kick, arms up with
/// twisted forearms, a run.
pub fn hard_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 5] = [
        ("squat", squat),
        ("arms crossed", arms_crossed),
        ("high kick", high_kick),
        ("arms up", arms_up),
        ("run", run),
    ];
    named(rig, skeleton, &poses)
}

/// Further than a body goes by itself: thighs to the chest, a leg to the ear, arms beside the head. What the shoulders' and hips' skin must
/// give there has no goal of its own; the tables show what becomes of it.
pub fn furthest_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 3] = [
        ("deepest squat", deepest_squat),
        ("highest kick", highest_kick),
        ("arms overhead", arms_overhead),
    ];
    named(rig, skeleton, &poses)
}

/// The three poses that springs.md has goals for, arms no higher than the shoulders' own range; and, without a goal, arms
/// up, which draws every rig's armpits out.
pub fn goal_poses(rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    let poses: [Recipe<'_>; 4] =
        [("squat", squat_arms_forward), ("reach", reach), ("run", run), ("arms up", arms_up)];
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

use Side::{Left, Right};

/// A body being posed. Directions are `(out, up, front)`: `out` is away from the middle on either side.
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
    }

    /// Thigh and shin; the foot stays as it was, unless it hangs from the shin.
    fn leg(&mut self, side: Side, thigh: (f64, f64, f64), shin: (f64, f64, f64)) {
        self.aim(self.rig.thigh, side, thigh);
        self.aim(self.rig.shin, side, shin);
    }

    fn flat_foot(&mut self, side: Side) {
        if let Some(foot) = self.rig.foot {
            self.poser.keep(foot[side as usize]);
        }
    }

    /// Bends the spine forwards, sidewards to the left, and turns it to the left, shared among its joints.
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

    /// Twists the hand against the elbow, half of it in the forearm where the rig has a joint for that; a rig without
    /// hands has all of it in the forearm.
    fn twist_hand(&mut self, side: Side, degrees: f64) {
        let index = side as usize;
        let degrees = if side == Left { degrees } else { -degrees };
        match (self.rig.forearm_twist, self.rig.hand) {
            (Some(fore), Some(hand)) => {
                self.poser.twist(fore[index], degrees / 2.0);
                // In a chain the hand has the forearm's half already; beside it, it needs the whole.
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

fn squat(body: &mut Body<'_>) {
    crouch(body);
    for side in [Left, Right] {
        if body.rig.is_stubby {
            body.arm(side, (0.60, 0.25, 0.75), (0.20, 0.40, 0.90));
        } else {
            body.shrug(side, 12.0);
            body.arm(side, (0.80, 0.90, 0.20), (0.05, 0.97, 0.22));
        }
    }
}

fn deepest_squat(body: &mut Body<'_>) {
    body.spine(35.0, 0.0, 0.0);
    for side in [Left, Right] {
        body.leg(side, (0.42, 0.12, 0.90), (0.02, -0.86, -0.51));
        body.flat_foot(side);
        body.shrug(side, 20.0);
        body.arm(side, (0.30, 0.90, 0.30), (0.05, 0.97, 0.22));
    }
}

fn squat_arms_forward(body: &mut Body<'_>) {
    crouch(body);
    for side in [Left, Right] {
        body.arm(side, (0.30, 0.10, 0.95), (-0.10, 0.35, 0.93));
    }
}

fn crouch(body: &mut Body<'_>) {
    body.spine(35.0, 0.0, 0.0);
    for side in [Left, Right] {
        if body.rig.is_stubby {
            body.leg(side, (0.40, -0.35, 0.85), (0.05, -0.93, -0.35));
        } else {
            body.leg(side, (0.42, 0.12, 0.90), (0.02, -0.86, -0.51));
        }
        body.flat_foot(side);
    }
}

fn arms_crossed(body: &mut Body<'_>) {
    body.spine(8.0, 0.0, 10.0);
    for (side, raise) in [(Left, 0.05), (Right, 0.30)] {
        body.arm(side, (0.10, -0.55 + raise, 0.80), (-0.92, 0.15 + raise, 0.30));
        body.twist_hand(side, 80.0);
    }
    body.leg(Left, (0.10, -1.0, 0.05), (0.0, -1.0, -0.05));
}

fn high_kick(body: &mut Body<'_>) {
    if body.rig.is_stubby {
        kick(body, (0.12, 0.10, 0.95), (0.10, 0.30, 0.90));
    } else {
        kick(body, (0.12, 0.40, 0.68), (0.10, 0.80, 0.58));
    }
}

fn highest_kick(body: &mut Body<'_>) {
    kick(body, (0.12, 0.72, 0.68), (0.10, 0.80, 0.58));
}

fn kick(body: &mut Body<'_>, thigh: (f64, f64, f64), shin: (f64, f64, f64)) {
    body.spine(-12.0, -12.0, 25.0);
    body.leg(Left, thigh, shin);
    body.leg(Right, (0.10, -0.98, 0.05), (0.05, -0.97, -0.22));
    body.arm(Left, (0.85, -0.10, -0.50), (0.70, 0.55, 0.30));
    body.arm(Right, (0.25, -0.25, 0.93), (-0.35, 0.75, 0.55));
    body.twist_hand(Right, -60.0);
}

fn arms_up(body: &mut Body<'_>) {
    body.spine(-10.0, 0.0, 0.0);
    for (side, fore) in [(Left, (-0.10, 0.99, 0.0)), (Right, (-0.75, 0.15, -0.65))] {
        if body.rig.is_stubby {
            body.arm(side, (0.90, 0.45, 0.10), (0.85, 0.55, 0.0));
        } else {
            body.shrug(side, 20.0);
            body.arm(side, (0.85, 0.98, 0.10), fore);
        }
        body.twist_hand(side, 90.0);
    }
}

fn arms_overhead(body: &mut Body<'_>) {
    body.spine(-10.0, 0.0, 0.0);
    for (side, fore) in [(Left, (-0.10, 0.99, 0.0)), (Right, (-0.75, 0.15, -0.65))] {
        body.shrug(side, 28.0);
        body.arm(side, (0.15, 0.98, -0.05), fore);
        body.twist_hand(side, 90.0);
    }
}

fn run(body: &mut Body<'_>) {
    body.spine(18.0, 0.0, 25.0);
    body.leg(Left, (0.05, -0.10, 0.99), (0.0, -0.80, -0.60));
    body.leg(Right, (0.05, -0.82, -0.57), (0.0, -0.10, -0.99));
    body.arm(Left, (0.25, -0.55, -0.80), (0.10, -0.55, 0.83));
    body.arm(Right, (0.15, -0.75, 0.65), (-0.20, 0.70, 0.69));
}

fn reach(body: &mut Body<'_>) {
    body.spine(15.0, 18.0, 40.0);
    body.shrug(Right, 25.0);
    body.arm(Right, (0.30, 0.40, 0.87), (0.05, 0.60, 0.80));
    body.twist_hand(Right, 70.0);
    body.arm(Left, (-0.15, -0.75, 0.65), (-0.75, -0.20, 0.63));
    body.twist_hand(Left, -60.0);
    body.leg(Left, (0.20, -0.80, 0.55), (0.05, -0.96, -0.25));
    body.flat_foot(Left);
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
