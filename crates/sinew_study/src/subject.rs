//! A subject: a character with named poses to measure it in.

use std::sync::Arc;

use sinew::Character;
use sinew::skeleton::Pose;

use crate::rings::Rings;

/// What a subject may be used for. The rule: constants of methods are chosen by looking at
/// [`Self::Tuning`] alone. [`Self::Goal`] is looked at to see whether the goals are met. Nothing in
/// [`Self::HeldBack`] may be looked at while tuning: it is run once the constants stand, to see
/// whether they hold elsewhere, and its figures are published as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Constants may be chosen by it.
    Tuning,
    /// Goals are checked on it; no constant is chosen by it.
    Goal,
    /// Not looked at before the constants stand.
    HeldBack,
}

impl Role {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Tuning, Self::Goal, Self::HeldBack];

    /// The name at the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::Goal => "goal",
            Self::HeldBack => "held-back",
        }
    }
}

/// A pose with its name.
#[derive(Clone, Debug)]
pub struct NamedPose {
    /// As the tables have it.
    pub name: String,
    /// Of the subject's skeleton.
    pub pose: Pose,
    /// True for a twist of a straight limb, of which the rings can tell what is kept.
    pub is_twist: bool,
}

impl NamedPose {
    /// A pose that is not a pure twist.
    pub fn new(name: impl Into<String>, pose: Pose) -> Self {
        Self { name: name.into(), pose, is_twist: false }
    }
}

/// A character with named poses.
#[derive(Clone, Debug)]
pub struct Subject {
    /// As the tables have it.
    pub name: String,
    /// What it may be used for.
    pub role: Role,
    /// The character at rest.
    pub character: Arc<Character>,
    /// In the tables' order.
    pub poses: Vec<NamedPose>,
    /// Cross-sections of the first part, where it has some that are known.
    pub rings: Option<Rings>,
}
