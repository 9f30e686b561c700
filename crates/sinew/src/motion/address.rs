//! What a channel moves: one thing of a character, by its address.
//!
//! A new thing that can change is a new word here, and does not compile until evaluation, edits and
//! files know it.

use crate::frame::Rig;

/// One thing that a channel can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// A property of a joint's pose.
    Joint {
        /// Index into the skeleton.
        joint: u32,
        /// What of it.
        property: JointProperty,
    },
    /// The weight of a shape.
    Shape {
        /// Index into the character's parts.
        part: u32,
        /// Index into the part's shapes.
        shape: u32,
    },
    /// A setting of the rig that needs no bind.
    Setting(RigSetting),
    /// A named control of the character's drivers: index into
    /// [`Drivers::controls`](crate::driver::Drivers).
    Control(u32),
    /// A handle of the cage: how far it is from where it was bound, at rest.
    Handle(u32),
    /// How much of an edit of the surface is there: by its number in the document, which stays
    /// whatever its place in the list.
    Surface(u32),
}

/// What of a joint. All are how far it has left its rest, as in
/// [`JointPose`](crate::skeleton::JointPose).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum JointProperty {
    /// Swing and twist as one unit quaternion, as files have it. Turns are counted from key to key.
    Rotation,
    /// Unit quaternion whose axis is at a right angle to the bone.
    Swing,
    /// Radians about the bone, unwrapped.
    Twist,
    /// Added to the rest translation, in the parent's frame.
    Translation,
    /// Multiplied with the rest scale.
    Scale,
    /// Length of the bone over its length at rest.
    Stretch,
}

/// What kind of number a channel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// One number.
    Scalar,
    /// Three numbers.
    Vector,
    /// A unit quaternion.
    Rotation,
}

impl JointProperty {
    /// Every one of them.
    pub const ALL: [Self; 6] =
        [Self::Rotation, Self::Swing, Self::Twist, Self::Translation, Self::Scale, Self::Stretch];

    /// As edits and panels call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rotation => "rotation",
            Self::Swing => "swing",
            Self::Twist => "twist",
            Self::Translation => "translation",
            Self::Scale => "scale",
            Self::Stretch => "stretch",
        }
    }

    /// The kind of its values.
    pub fn kind(self) -> ValueKind {
        match self {
            Self::Rotation | Self::Swing => ValueKind::Rotation,
            Self::Twist | Self::Stretch => ValueKind::Scalar,
            Self::Translation | Self::Scale => ValueKind::Vector,
        }
    }
}

impl Address {
    /// Of a joint.
    pub fn joint(joint: u32, property: JointProperty) -> Self {
        Self::Joint { joint, property }
    }

    /// The kind of its values.
    pub fn kind(self) -> ValueKind {
        match self {
            Self::Joint { property, .. } => property.kind(),
            Self::Shape { .. } | Self::Setting(_) | Self::Control(_) | Self::Surface(_) => {
                ValueKind::Scalar
            }
            Self::Handle(_) => ValueKind::Vector,
        }
    }

    /// The joint that it is of.
    pub fn joint_index(self) -> Option<usize> {
        match self {
            Self::Joint { joint, .. } => Some(joint as usize),
            Self::Shape { .. }
            | Self::Setting(_)
            | Self::Control(_)
            | Self::Handle(_)
            | Self::Surface(_) => None,
        }
    }
}

/// A number of the rig that can change from frame to frame without a bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum RigSetting {
    /// How stiff surface edges are.
    EdgeStiffness,
    /// How stiff the skin holds its distance to the bone.
    LengthStiffness,
    /// Of the volume that bends have lost, the share that springs give back.
    VolumeShare,
    /// What a stretched bone does to its limb: 1 thins it.
    KeepVolume,
    /// How often a second the skin swings.
    SwingFrequency,
    /// How soon it comes to rest.
    SwingDamping,
}

impl RigSetting {
    /// Every one of them.
    pub const ALL: [Self; 6] = [
        Self::EdgeStiffness,
        Self::LengthStiffness,
        Self::VolumeShare,
        Self::KeepVolume,
        Self::SwingFrequency,
        Self::SwingDamping,
    ];

    /// As edits and panels call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::EdgeStiffness => "edge-stiffness",
            Self::LengthStiffness => "length-stiffness",
            Self::VolumeShare => "volume-share",
            Self::KeepVolume => "keep-volume",
            Self::SwingFrequency => "swing-frequency",
            Self::SwingDamping => "swing-damping",
        }
    }

    /// What a rig has; `None` where it has no springs that would know it.
    pub fn of(self, rig: &Rig) -> Option<f64> {
        let springs = rig.springs.as_ref();
        let value = match self {
            Self::EdgeStiffness => springs?.coefficients.edge,
            Self::LengthStiffness => springs?.coefficients.length,
            Self::VolumeShare => springs?.coefficients.volume,
            Self::KeepVolume => springs?.keep_volume,
            Self::SwingFrequency => rig.dynamics.frequency_hz,
            Self::SwingDamping => rig.dynamics.damping_ratio,
        };
        Some(f64::from(value))
    }

    /// Gives a rig this value, brought into what it may be. A rig without springs stays as it is.
    pub fn set(self, rig: &mut Rig, value: f64) {
        use crate::springs::DynamicsSettings;
        let value = if value.is_finite() { value as f32 } else { return };
        let within =
            |range: std::ops::RangeInclusive<f32>| value.clamp(*range.start(), *range.end());
        match (self, &mut rig.springs) {
            (Self::SwingFrequency, _) => {
                rig.dynamics.frequency_hz = within(DynamicsSettings::FREQUENCIES_HZ);
            }
            (Self::SwingDamping, _) => {
                rig.dynamics.damping_ratio = within(DynamicsSettings::DAMPING_RATIOS);
            }
            (Self::EdgeStiffness, Some(springs)) => springs.coefficients.edge = value.max(0.0),
            (Self::LengthStiffness, Some(springs)) => springs.coefficients.length = value.max(0.0),
            (Self::VolumeShare, Some(springs)) => {
                springs.coefficients.volume = value.clamp(0.0, 1.0);
            }
            (Self::KeepVolume, Some(springs)) => springs.keep_volume = value.clamp(0.0, 1.0),
            (_, None) => {}
        }
    }
}
