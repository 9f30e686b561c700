//! How edits and files name joints: by name, or by `#12` where two have the same one.

use serde::{Deserialize, Serialize};
use sinew::skeleton::Skeleton;

use crate::names;

/// A joint's name, or `#` and its place in the skeleton.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JointRef(pub String);

impl JointRef {
    /// The name where only this joint has it, else its number.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn of(skeleton: &Skeleton, joint: u32) -> Self {
        let joints = skeleton.joints();
        let name = &joints[joint as usize].name;
        let is_unique = joints.iter().filter(|other| other.name == *name).count() == 1;
        if is_unique && !name.is_empty() && !name.starts_with('#') {
            return Self(name.clone());
        }
        Self(format!("#{joint}"))
    }

    /// The joint; else what is wrong, with the nearest names.
    pub fn resolve(&self, skeleton: &Skeleton) -> Result<u32, String> {
        let joints = skeleton.joints();
        if let Some(number) = self.0.strip_prefix('#') {
            let found = number.parse::<u32>().ok().filter(|&joint| (joint as usize) < joints.len());
            return found.ok_or_else(|| {
                format!(
                    "there is no joint '{}'; numbers go from #0 to #{}",
                    self.0,
                    joints.len().max(1) - 1
                )
            });
        }
        let mut found = (0..joints.len() as u32).filter(|&j| joints[j as usize].name == self.0);
        match (found.next(), found.next()) {
            (Some(joint), None) => Ok(joint),
            (Some(first), Some(second)) => Err(format!(
                "several joints are called '{}'; say which by number, as in '#{first}' or '#{second}'",
                self.0
            )),
            (None, _) => Err(names::unknown(
                "joint",
                &self.0,
                joints.iter().map(|joint| joint.name.as_str()),
            )),
        }
    }
}

impl From<&str> for JointRef {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}
