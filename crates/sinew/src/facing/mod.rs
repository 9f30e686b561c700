//! Which way a character faces, so that a picture can show its front.
//!
//! What its file says, what the names of its joints say of left and right, where its feet and its
//! face point: each is a vote, a vector along the ground whose length is how sure it is (1 is
//! sure).
//! The votes are counted along the plane that the body is the mirror image of itself across, which
//! the names, or else the points, tell. Where nothing tells, it is +Z, as glTF has it.

mod evidence;
mod symmetry;

use glam::Vec3;

use crate::Character;
use evidence::Evidence;

/// A direction, and what told it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facing {
    /// Of unit length, along the ground.
    pub forward: Vec3,
    /// The strongest of what agrees with it.
    pub told_by: ToldBy,
}

/// What tells where the front is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldBy {
    /// The file's own word ([`Character::forward`]).
    File,
    /// Joints that are named left and right.
    Sides,
    /// Soles before ankles, toes before heels.
    Feet,
    /// Head and tail of a long body, eyes and jaw of a face.
    Head,
    /// Nothing: +Z.
    Convention,
}

impl ToldBy {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "the file",
            Self::Sides => "its left and right joints",
            Self::Feet => "its feet",
            Self::Head => "its head",
            Self::Convention => "convention",
        }
    }
}

/// Fewer votes than this are noise.
const LEAST_VOTES: f32 = 0.25;

/// Nearer to one of the ground's axes than this (cosine), it is meant: nobody turns a character by
/// ten degrees, but one in the middle of a step is not quite its own mirror image.
const MEANT_AXIS_COSINE: f32 = 0.97;

/// Which way a character faces as it rests.
pub fn facing(character: &Character) -> Facing {
    let evidence = Evidence::of(character);
    let votes = evidence.votes(character);
    // Votes count along the body's own plane; without one, together as they are.
    let sum: Vec3 = votes.iter().map(|(_, vote)| *vote).sum();
    let ahead = match evidence.lateral() {
        Some(lateral) => {
            let axis = lateral.cross(Vec3::Y);
            axis * votes.iter().map(|(_, vote)| vote.dot(axis)).sum::<f32>()
        }
        None => sum,
    };
    // What looks the same from behind has no front, whatever its parts are called.
    let says_file = votes.iter().any(|(by, _)| *by == ToldBy::File);
    if !says_file && ahead.try_normalize().is_some_and(|axis| evidence.is_same_from_behind(axis)) {
        return Facing { forward: Vec3::Z, told_by: ToldBy::Convention };
    }
    // Votes that contradict each other leave less than the least, and so does a doubtful one.
    if !ahead.is_finite() || ahead.length() < LEAST_VOTES {
        return Facing { forward: Vec3::Z, told_by: ToldBy::Convention };
    }
    let forward = meant(ahead.normalize());
    let strongest = votes.iter().max_by(|(_, a), (_, b)| a.dot(forward).total_cmp(&b.dot(forward)));
    Facing { forward, told_by: strongest.map_or(ToldBy::Convention, |(by, _)| *by) }
}

/// An axis of the ground, where the direction is near to one.
fn meant(direction: Vec3) -> Vec3 {
    let axes = [Vec3::Z, Vec3::X, Vec3::NEG_Z, Vec3::NEG_X];
    axes.into_iter().find(|axis| axis.dot(direction) > MEANT_AXIS_COSINE).unwrap_or(direction)
}

#[cfg(test)]
mod tests;
