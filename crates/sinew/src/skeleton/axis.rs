//! The axes that a joint is turned about by name: by hand, at the command line, in a pose file.

use glam::{DQuat, DVec3};

use super::{Joint, JointPose};
use crate::Character;
use crate::posing::{Hinge, Hinges};

/// What a rotation turns about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Axis {
    /// The joint's own, already turned, X.
    X,
    /// Its Y.
    Y,
    /// Its Z.
    Z,
    /// Its bone.
    Twist,
    /// Its own hinge: a positive turn closes an elbow or a knee, bows a back.
    Bend,
    /// Across its hinge and its bone: a positive turn takes a limb outward.
    Side,
}

impl Axis {
    /// All of them, with the word for each.
    const WORDS: [(Self, &str); 6] = [
        (Self::X, "x"),
        (Self::Y, "y"),
        (Self::Z, "z"),
        (Self::Twist, "twist"),
        (Self::Bend, "bend"),
        (Self::Side, "side"),
    ];

    /// As typed: `x`, `y`, `z`, `twist`, `bend` or `side`.
    ///
    /// # Errors
    /// A sentence that says what may be typed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::WORDS.into_iter().find(|(_, word)| *word == text);
        let words = Self::WORDS.map(|(_, word)| word).join(", ");
        found.map(|(axis, _)| axis).ok_or_else(|| format!("axis '{text}' is none of {words}"))
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        let found = Self::WORDS.into_iter().find(|(axis, _)| *axis == self);
        found.map_or("", |(_, word)| word)
    }

    /// The axis in the joint's own frame in this pose, a unit vector. A hinge stays where it is
    /// while the bone beyond it twists. It is found out only where it is asked for.
    pub fn in_joint(self, joint: &Joint, pose: &JointPose, hinge: impl FnOnce() -> Hinge) -> DVec3 {
        let bone_axis = joint.bone_axis();
        let untwisted = |axis: DVec3| DQuat::from_axis_angle(bone_axis, -pose.twist_radians) * axis;
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
            Self::Twist => bone_axis,
            Self::Bend => untwisted(hinge().bend),
            Self::Side => untwisted(hinge().side),
        }
    }

    /// Turns a joint of a character further about this axis of its own frame. A joint that is not
    /// there stays as it is.
    #[must_use]
    pub fn turn(
        self,
        pose: JointPose,
        character: &Character,
        joint: u32,
        degrees: f64,
    ) -> JointPose {
        let Some(of_joint) = character.skeleton.joints().get(joint as usize) else { return pose };
        let axis = self.in_joint(of_joint, &pose, || {
            Hinges::of(character).joint(joint).copied().unwrap_or_default()
        });
        pose.rotated(axis, degrees.to_radians(), of_joint.bone_axis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_an_axis_and_another_one_is_answered_with_all_of_them() {
        for (axis, word) in Axis::WORDS {
            assert_eq!((Axis::parse(word), axis.word()), (Ok(axis), word));
        }
        assert!(Axis::parse("roll").unwrap_err().contains("twist, bend, side"));
    }
}
