//! Single numbers of a joint's pose, as formulas read and set them.

use glam::{DQuat, DVec3};

use crate::skeleton::JointPose;

/// One number of a joint's pose. Angles are degrees, all else is as in [`JointPose`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Property {
    /// How far the bone has swung, whichever way, in degrees. Set, it keeps the way.
    Swing,
    /// The part of the swing about the joint's own x: its axis times its angle, in degrees.
    SwingX,
    /// About y.
    SwingY,
    /// About z.
    SwingZ,
    /// About the bone, unwrapped, in degrees.
    Twist,
    /// Added to the rest translation, in the parent's frame.
    TranslationX,
    /// The same along y.
    TranslationY,
    /// The same along z.
    TranslationZ,
    /// Multiplied with the rest scale: all three, read as their mean.
    Scale,
    /// Along x alone.
    ScaleX,
    /// Along y alone.
    ScaleY,
    /// Along z alone.
    ScaleZ,
    /// Length of the bone over its length at rest.
    Stretch,
}

impl Property {
    /// Every one of them.
    pub const ALL: [Self; 13] = [
        Self::Swing,
        Self::SwingX,
        Self::SwingY,
        Self::SwingZ,
        Self::Twist,
        Self::TranslationX,
        Self::TranslationY,
        Self::TranslationZ,
        Self::Scale,
        Self::ScaleX,
        Self::ScaleY,
        Self::ScaleZ,
        Self::Stretch,
    ];

    /// As edits and panels call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Swing => "swing",
            Self::SwingX => "swing-x",
            Self::SwingY => "swing-y",
            Self::SwingZ => "swing-z",
            Self::Twist => "twist",
            Self::TranslationX => "translation-x",
            Self::TranslationY => "translation-y",
            Self::TranslationZ => "translation-z",
            Self::Scale => "scale",
            Self::ScaleX => "scale-x",
            Self::ScaleY => "scale-y",
            Self::ScaleZ => "scale-z",
            Self::Stretch => "stretch",
        }
    }

    /// The number in a pose.
    pub fn of(self, pose: &JointPose) -> f64 {
        match self {
            Self::Swing => rotation_vector(pose.swing).length().to_degrees(),
            Self::SwingX => rotation_vector(pose.swing).x.to_degrees(),
            Self::SwingY => rotation_vector(pose.swing).y.to_degrees(),
            Self::SwingZ => rotation_vector(pose.swing).z.to_degrees(),
            Self::Twist => pose.twist_radians.to_degrees(),
            Self::TranslationX => pose.translation.x,
            Self::TranslationY => pose.translation.y,
            Self::TranslationZ => pose.translation.z,
            Self::Scale => pose.scale.element_sum() / 3.0,
            Self::ScaleX => pose.scale.x,
            Self::ScaleY => pose.scale.y,
            Self::ScaleZ => pose.scale.z,
            Self::Stretch => pose.stretch,
        }
    }

    /// Gives a pose the number; one that is not finite leaves it alone. What swings about the bone
    /// itself is no swing, and is left out.
    pub(super) fn set(self, pose: &mut JointPose, value: f64, bone_axis: DVec3) {
        if !value.is_finite() {
            return;
        }
        let swing = |pose: &mut JointPose, change: fn(DVec3, f64) -> DVec3| {
            let wanted = change(rotation_vector(pose.swing), value.to_radians());
            let along = wanted.dot(bone_axis);
            // Taking nothing away would take the sign off a zero.
            let wanted = if along == 0.0 { wanted } else { wanted - along * bone_axis };
            pose.swing = DQuat::from_scaled_axis(wanted);
        };
        match self {
            Self::Swing => swing(pose, |v, angle| v.normalize_or_zero() * angle),
            Self::SwingX => swing(pose, |v, angle| v.with_x(angle)),
            Self::SwingY => swing(pose, |v, angle| v.with_y(angle)),
            Self::SwingZ => swing(pose, |v, angle| v.with_z(angle)),
            Self::Twist => pose.twist_radians = value.to_radians(),
            Self::TranslationX => pose.translation.x = value,
            Self::TranslationY => pose.translation.y = value,
            Self::TranslationZ => pose.translation.z = value,
            Self::Scale => pose.scale = DVec3::splat(value),
            Self::ScaleX => pose.scale.x = value,
            Self::ScaleY => pose.scale.y = value,
            Self::ScaleZ => pose.scale.z = value,
            Self::Stretch => pose.stretch = value,
        }
    }
}

/// Axis times angle, the shorter way round; exactly zero of no rotation.
pub(super) fn rotation_vector(rotation: DQuat) -> DVec3 {
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    let sine = rotation.xyz().length();
    if sine == 0.0 {
        return DVec3::ZERO;
    }
    rotation.xyz() / sine * (2.0 * sine.atan2(rotation.w))
}
