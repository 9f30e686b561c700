//! The axes that a joint is turned about by name: by hand, at the command line, in a pose file.

use glam::DVec3;

use super::{Joint, JointPose};

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
}

impl Axis {
    /// As typed: `x`, `y`, `z` or `twist`.
    ///
    /// # Errors
    /// A sentence that says what may be typed.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "x" => Ok(Self::X),
            "y" => Ok(Self::Y),
            "z" => Ok(Self::Z),
            "twist" => Ok(Self::Twist),
            _ => Err(format!("axis '{text}' is none of x, y, z, twist")),
        }
    }

    /// Turns a joint further about this axis of its own frame.
    #[must_use]
    pub fn turn(self, pose: JointPose, joint: &Joint, degrees: f64) -> JointPose {
        let bone_axis = joint.bone_axis();
        let axis = match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
            Self::Twist => bone_axis,
        };
        pose.rotated(axis, degrees.to_radians(), bone_axis)
    }
}
