//! A motion of one skeleton on another.
//!
//! Joints get roles ([`Role`]) by their names and, where those do not tell, by where they are
//! ([`Roles::of`]). Each joint `j` with a partner `s` is then turned in model space as its partner
//! has turned from its rest, after its limb was laid along the partner's at rest:
//!
//! ```text
//! W_j(t) = A · W_s(t) · W_s(rest)⁻¹ · A⁻¹ · C_j · W_j(rest)
//! ```
//!
//! `A` brings the source's up and side to the target's; `C_j` is the shortest turn from the
//! target's limb at rest to the source's (arms, legs and fingers; feet only about the vertical, so
//! that soles stay flat; trunk and head not at all, so that a posture stays its own). Spines of
//! other lengths share their bend along the way. The hips move as the source's, times the ratio of
//! the legs' lengths. Feet stay where they stand. Joints between the ends of a limb take
//! their share of its twist.

mod body;
mod feet;
mod measure;
mod names;
mod role;
mod sampled;
mod shapes;
mod structure;
#[cfg(test)]
mod tests;
mod transfer;

pub use measure::RetargetFigures;
pub use role::{Finger, Role, Roles};
pub use shapes::{CarriedShapes, carry_shapes};

use crate::motion::Clip;
use crate::skeleton::Skeleton;

/// Why a motion cannot be put on a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RetargetError {
    /// Nothing of the one was found in the other.
    #[error(
        "no joint of the motion has a partner among the character's joints; name some in a mapping file"
    )]
    NoPartners,
    /// Without hips nothing says where the body is.
    #[error("the {of} has no joint that is known as its hips; name it in a mapping file")]
    NoHips {
        /// `motion` or `character`.
        of: &'static str,
    },
    /// The clip does not move.
    #[error("clip '{name}' has no keys")]
    NoKeys {
        /// Its name.
        name: String,
    },
    /// A mapping names a joint that is not there.
    #[error("the mapping names joint '{name}', which the {of} does not have")]
    UnknownJoint {
        /// The name.
        name: String,
        /// `motion` or `character`.
        of: &'static str,
    },
}

/// A correction of what names and structure tell: a joint of the motion, and its partner or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// A joint of the motion.
    pub source: String,
    /// Its partner among the character's joints; `None` if it is to have none.
    pub target: Option<String>,
}

/// How to retarget.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetOptions {
    /// What names and structure tell wrongly.
    pub corrections: Vec<Correction>,
    /// Other names for joints of the motion, by which they are known: what its file calls them.
    pub source_names: Vec<(u32, String)>,
    /// And for joints of the character.
    pub target_names: Vec<(u32, String)>,
    /// Keep feet where they stand.
    pub keeps_feet: bool,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        Self {
            corrections: Vec::new(),
            source_names: Vec::new(),
            target_names: Vec::new(),
            keeps_feet: true,
        }
    }
}

/// Two joints that move alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Index into the motion's skeleton.
    pub source: u32,
    /// Index into the character's skeleton.
    pub target: u32,
    /// What both are; `None` where only a correction says so.
    pub role: Option<Role>,
}

/// A motion on another skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Retargeted {
    /// Of the character's joints.
    pub clip: Clip,
    /// Who moves as whom.
    pub pairs: Vec<Pair>,
    /// Joints of the motion that move and have no partner.
    pub lost: Vec<u32>,
    /// Joints of the character that nothing moves, twist helpers aside.
    pub still: Vec<u32>,
    /// The character's legs over the motion's.
    pub scale: f64,
    /// How well it went.
    pub figures: RetargetFigures,
}

/// Puts a clip of `source` on `target`.
pub fn retarget(
    source: &Skeleton,
    clip: &Clip,
    target: &Skeleton,
    options: &RetargetOptions,
) -> Result<Retargeted, RetargetError> {
    let source_roles = Roles::named(source, &options.source_names);
    let target_roles = Roles::named(target, &options.target_names);
    let pairs = pairs(source, &source_roles, target, &target_roles, &options.corrections)?;
    if pairs.is_empty() {
        return Err(RetargetError::NoPartners);
    }
    let transfer = transfer::Transfer::new(source, clip, target, pairs)?;
    let mut frames = transfer.frames();
    let stances = feet::stances(&transfer, &frames);
    if options.keeps_feet {
        feet::keep(&transfer, &mut frames, &stances);
    }
    let figures = measure::figures(&transfer, &frames, &stances);
    let clip = transfer.clip(&frames, &clip.name);
    let is_paired = |joint: u32| transfer.pairs.iter().any(|pair| pair.source == joint);
    let mut lost: Vec<u32> =
        transfer.moving_source_joints().into_iter().filter(|&joint| !is_paired(joint)).collect();
    lost.retain(|&joint| !transfer.is_in_source_trunk(joint));
    let moved: Vec<u32> = clip.tracks.iter().map(|track| track.joint).collect();
    let still = (0..target.len() as u32).filter(|joint| !moved.contains(joint)).collect();
    let scale = transfer.scale;
    Ok(Retargeted { clip, pairs: transfer.pairs, lost, still, scale, figures })
}

/// Joints of one role, as corrected.
fn pairs(
    source: &Skeleton,
    source_roles: &Roles,
    target: &Skeleton,
    target_roles: &Roles,
    corrections: &[Correction],
) -> Result<Vec<Pair>, RetargetError> {
    let mut pairs: Vec<Pair> = source_roles
        .iter()
        .filter_map(|(role, source)| {
            let target = target_roles.joint(role)?;
            Some(Pair { source, target, role: Some(role) })
        })
        .collect();
    for correction in corrections {
        let unknown = |name: &str, of| RetargetError::UnknownJoint { name: name.to_owned(), of };
        let name = correction.source.as_str();
        let joint = source.find(name).ok_or_else(|| unknown(name, "motion"))?;
        let known = pairs.iter().position(|pair| pair.source == joint);
        let role = known.and_then(|at| pairs[at].role).or_else(|| source_roles.role(joint));
        if let Some(at) = known {
            pairs.remove(at);
        }
        if let Some(name) = &correction.target {
            let other = target.find(name).ok_or_else(|| unknown(name, "character"))?;
            pairs.retain(|pair| pair.target != other);
            let role = role.or_else(|| target_roles.role(other));
            pairs.retain(|pair| role.is_none() || pair.role != role);
            pairs.push(Pair { source: joint, target: other, role });
        }
    }
    pairs.sort_by_key(|pair| pair.target);
    Ok(pairs)
}
