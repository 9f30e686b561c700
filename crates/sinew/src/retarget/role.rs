//! What a joint is in a body.

use super::{names, structure};
use crate::skeleton::{Side, Skeleton};

/// A finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finger {
    /// The first.
    Thumb,
    /// The second.
    Index,
    /// The third.
    Middle,
    /// The fourth.
    Ring,
    /// The fifth.
    Little,
}

/// What a joint is in a body, as VRM's humanoid has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Where the legs and the trunk meet.
    Hips,
    /// Between trunk and head: the first joint of the neck.
    Neck,
    /// The head.
    Head,
    /// The collar bone.
    Shoulder(Side),
    /// From the shoulder to the elbow.
    UpperArm(Side),
    /// From the elbow to the wrist.
    LowerArm(Side),
    /// From the wrist on.
    Hand(Side),
    /// A joint of a finger, counted from the palm, from 1.
    Finger(Side, Finger, u8),
    /// From the hip to the knee.
    UpperLeg(Side),
    /// From the knee to the ankle.
    LowerLeg(Side),
    /// From the ankle on.
    Foot(Side),
    /// From the ball of the foot on.
    Toes(Side),
}

impl Role {
    /// The role whose joint is at the end of this one's limb.
    pub fn next(self) -> Option<Self> {
        Some(match self {
            Self::UpperArm(side) => Self::LowerArm(side),
            Self::LowerArm(side) => Self::Hand(side),
            Self::UpperLeg(side) => Self::LowerLeg(side),
            Self::LowerLeg(side) => Self::Foot(side),
            Self::Foot(side) => Self::Toes(side),
            Self::Hand(side) => Self::Finger(side, Finger::Middle, 1),
            Self::Finger(side, finger, joint @ 1..=2) => Self::Finger(side, finger, joint + 1),
            _ => return None,
        })
    }

    /// True for the bones of arms and legs, whose direction is what one sees of a pose.
    pub fn is_limb(self) -> bool {
        matches!(
            self,
            Self::UpperArm(_) | Self::LowerArm(_) | Self::UpperLeg(_) | Self::LowerLeg(_)
        )
    }
}

/// The joints of a skeleton that have a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roles {
    joints: Vec<(Role, u32)>,
}

impl Roles {
    /// By names, then by structure.
    pub fn of(skeleton: &Skeleton) -> Self {
        Self::named(skeleton, &[])
    }

    /// By names alone: for bodies of any build, animals and robots too.
    pub fn of_names(skeleton: &Skeleton) -> Self {
        let mut roles = Self::default();
        names::find(skeleton.joints().iter().map(|joint| Some(joint.name.as_str())), &mut roles);
        roles
    }

    /// As [`Roles::of`], with other names for some joints; where there are any, only those count.
    pub fn named(skeleton: &Skeleton, names: &[(u32, String)]) -> Self {
        let mut roles = Self::default();
        if names.is_empty() {
            roles = Self::of_names(skeleton);
        } else {
            let name = |joint: usize| {
                let own = names.iter().find(|(known, _)| *known as usize == joint);
                own.map(|(_, name)| name.as_str())
            };
            names::find((0..skeleton.len()).map(name), &mut roles);
        }
        structure::complete(skeleton, &mut roles);
        roles
    }

    /// The joint of a role.
    pub fn joint(&self, role: Role) -> Option<u32> {
        self.joints.iter().find(|(known, _)| *known == role).map(|(_, joint)| *joint)
    }

    /// The role of a joint.
    pub fn role(&self, joint: u32) -> Option<Role> {
        self.joints.iter().find(|(_, known)| *known == joint).map(|(role, _)| *role)
    }

    /// Every role with its joint.
    pub fn iter(&self) -> impl Iterator<Item = (Role, u32)> + '_ {
        self.joints.iter().copied()
    }

    pub(super) fn set(&mut self, role: Role, joint: u32) {
        self.joints.retain(|&(known, other)| known != role && other != joint);
        self.joints.push((role, joint));
    }

    pub(super) fn remove(&mut self, role: Role) {
        self.joints.retain(|&(known, _)| known != role);
    }
}
