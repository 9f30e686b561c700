//! Poses by what one sees: bones pointed at directions of the model, turns about its axes.
//!
//! Which local axis bends which joint depends on the rig; where an upper arm points does not. So
//! one description of a squat fits every body.

use glam::{DQuat, DVec3};
use sinew::skeleton::{JointPose, JointTransform, Pose, Skeleton};

/// Why a pose cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoseError {
    /// A name that the skeleton does not have.
    #[error("no joint is called '{name}'; the names of the rig and of the file must be the same")]
    NoJoint {
        /// The name.
        name: String,
    },
}

/// Builds a pose joint by joint, parents first.
#[derive(Clone, Debug)]
pub struct Poser<'a> {
    skeleton: &'a Skeleton,
    pose: Pose,
    missing: Option<String>,
}

impl<'a> Poser<'a> {
    /// From rest.
    pub fn new(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, pose: Pose::rest(skeleton), missing: None }
    }

    /// The pose, if every joint was there.
    pub fn finish(self) -> Result<Pose, PoseError> {
        match self.missing {
            Some(name) => Err(PoseError::NoJoint { name }),
            None => Ok(self.pose),
        }
    }

    /// Swings a joint so that its bone points along `direction` of the model, its parents posed as
    /// they are by now. The shortest way, so without twist.
    pub fn aim(&mut self, joint: &str, direction: DVec3) -> &mut Self {
        if let Some(joint) = self.find(joint) {
            self.aim_joint(joint, direction);
        }
        self
    }

    /// Points a joint's bone where it points at rest, whatever its parents do.
    pub fn keep(&mut self, joint: &str) -> &mut Self {
        if let Some(joint) = self.find(joint) {
            let [head, tail] = self.skeleton.rest_bone(joint);
            self.aim_joint(joint, tail - head);
        }
        self
    }

    /// Takes a joint along with another that is not above it, as if it hung from that: feet on
    /// targets of their own. A joint that does hang from it stays as it is.
    pub fn carry(&mut self, joint: &str, by: &str) -> &mut Self {
        if let (Some(joint), Some(by)) = (self.find(joint), self.find(by)) {
            let joints = self.skeleton.joints();
            let above = |at: &u32| joints[*at as usize].parent;
            if std::iter::successors(Some(joint), above).any(|at| at == by) {
                return self;
            }
            let mut placed = Vec::new();
            self.pose.model_from_joint(self.skeleton, &mut placed);
            let rest = self.skeleton.rest_model_from_joint();
            let goal = placed[by as usize] * rest[by as usize].inverse() * rest[joint as usize];
            let own = &joints[joint as usize];
            let in_parent = own.parent.map_or(goal, |p| placed[p as usize].inverse() * goal);
            let (scale, rotation, translation) = in_parent.to_scale_rotation_translation();
            let local = JointTransform { translation, rotation, scale };
            self.pose.joints[joint as usize] = JointPose::from_local(own, &local, 0.0);
        }
        self
    }

    /// Turns a joint about an axis of the model at rest; parents carry the axis along.
    pub fn turn(&mut self, joint: &str, axis: DVec3, degrees: f64) -> &mut Self {
        if let Some(joint) = self.find(joint) {
            let in_joint = self.skeleton.rest_model_from_joint()[joint as usize]
                .inverse()
                .transform_vector3(axis)
                .normalize_or(DVec3::X);
            let bone_axis = self.skeleton.joints()[joint as usize].bone_axis();
            let posed = &mut self.pose.joints[joint as usize];
            let turn = DQuat::from_axis_angle(in_joint, degrees.to_radians());
            *posed = posed.with_rotation(turn * posed.rotation(bone_axis), bone_axis);
        }
        self
    }

    /// Twists a joint further about its bone.
    pub fn twist(&mut self, joint: &str, degrees: f64) -> &mut Self {
        if let Some(joint) = self.find(joint) {
            self.pose.joints[joint as usize].twist_radians += degrees.to_radians();
        }
        self
    }

    fn find(&mut self, name: &str) -> Option<u32> {
        let found = self.skeleton.find(name);
        if found.is_none() {
            self.missing.get_or_insert_with(|| name.to_owned());
        }
        found
    }

    fn aim_joint(&mut self, index: u32, direction: DVec3) {
        let mut placed = Vec::new();
        self.pose.model_from_joint(self.skeleton, &mut placed);
        let joint = &self.skeleton.joints()[index as usize];
        let in_parent = match joint.parent {
            Some(parent) => placed[parent as usize].inverse().transform_vector3(direction),
            None => direction,
        };
        let in_rest = (joint.rest.rotation.inverse() * in_parent).normalize_or(joint.bone_axis());
        let posed = &mut self.pose.joints[index as usize];
        *posed =
            JointPose { swing: DQuat::from_rotation_arc(joint.bone_axis(), in_rest), ..*posed };
    }
}

/// The pose a share of the way from rest: angles times `share`, twists unwrapped.
#[must_use]
pub fn scaled(pose: &Pose, share: f64) -> Pose {
    Pose {
        joints: pose
            .joints
            .iter()
            .map(|joint| JointPose {
                swing: DQuat::IDENTITY.slerp(joint.swing, share),
                twist_radians: joint.twist_radians * share,
                translation: joint.translation * share,
                scale: DVec3::ONE.lerp(joint.scale, share),
                stretch: 1.0 + (joint.stretch - 1.0) * share,
            })
            .collect(),
    }
}

/// The largest angle that a joint has turned, swing or twist, degrees.
pub fn largest_angle_degrees(pose: &Pose) -> f64 {
    pose.joints
        .iter()
        .map(|joint| {
            let swing = 2.0 * joint.swing.w.abs().min(1.0).acos();
            swing.max(joint.twist_radians.abs()).to_degrees()
        })
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::sample::{SampleKind, SampleOptions, build};

    /// f64 chains of a few joints.
    const TOLERANCE: f64 = 1e-9;

    fn direction(skeleton: &Skeleton, pose: &Pose, name: &str) -> DVec3 {
        let index = skeleton.find(name).unwrap() as usize;
        let mut placed = Vec::new();
        pose.model_from_joint(skeleton, &mut placed);
        placed[index].transform_vector3(skeleton.joints()[index].bone_axis()).normalize()
    }

    #[test]
    fn an_aimed_bone_points_there_whatever_its_parents_do() {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        let goal = DVec3::new(0.3, -0.2, 0.9).normalize();
        let mut poser = Poser::new(&character.skeleton);
        poser.turn("left_0", DVec3::Z, 40.0).twist("left_1", 70.0).aim("left_2", goal);
        let pose = poser.finish().unwrap();
        assert!(direction(&character.skeleton, &pose, "left_2").abs_diff_eq(goal, TOLERANCE));
        let index = character.skeleton.find("left_2").unwrap() as usize;
        assert_eq!(pose.joints[index].twist_radians, 0.0);
    }

    #[test]
    fn a_turn_is_about_the_models_axis() {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        let mut poser = Poser::new(&character.skeleton);
        poser.turn("right_0", DVec3::Z, 90.0);
        let pose = poser.finish().unwrap();
        let found = direction(&character.skeleton, &pose, "right_0");
        assert!(found.abs_diff_eq(DVec3::Y, TOLERANCE), "{found}");
    }

    #[test]
    fn a_carried_joint_keeps_its_place_to_what_carries_it() {
        let skeleton = build(&SampleOptions::new(SampleKind::Plus)).unwrap().skeleton;
        let [by, joint] = ["left_2", "right_1"].map(|name| skeleton.find(name).unwrap() as usize);
        let between = |pose: &Pose| {
            let mut placed = Vec::new();
            pose.model_from_joint(&skeleton, &mut placed);
            placed[by].inverse() * placed[joint]
        };
        let mut poser = Poser::new(&skeleton);
        poser.turn("left_0", DVec3::Z, 40.0).twist("left_2", 70.0).turn("right_0", DVec3::X, 20.0);
        let before = poser.clone().finish().unwrap();
        poser.carry("right_1", "left_2").carry("left_2", "left_0");
        let pose = poser.finish().unwrap();
        let rest = between(&Pose::rest(&skeleton));
        assert!(between(&pose).abs_diff_eq(rest, 1e-6), "{} {rest}", between(&pose));
        assert!(!between(&before).abs_diff_eq(rest, 1e-2));
        assert_eq!(pose.joints[by], before.joints[by]);
    }

    #[test]
    fn a_joint_that_is_not_there_is_named() {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        let mut poser = Poser::new(&character.skeleton);
        poser.twist("tail", 10.0).twist("wing", 10.0);
        assert_eq!(poser.finish(), Err(PoseError::NoJoint { name: "tail".into() }));
    }

    #[test]
    fn half_of_two_turns_is_one_turn() {
        let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let mut poser = Poser::new(&character.skeleton);
        poser.twist("bone_1", 720.0);
        let pose = poser.finish().unwrap();
        assert_eq!(scaled(&pose, 0.5).joints[1].twist_radians, std::f64::consts::TAU);
        assert!((largest_angle_degrees(&pose) - 720.0).abs() < TOLERANCE);
    }
}
