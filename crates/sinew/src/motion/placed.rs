//! Where joints are in model space, at rest and in frames of a clip, for who moves skeletons and
//! not skins: retargeting, and files that have frames.

use glam::{DAffine3, DQuat, DVec3};

use super::{Channel, Clip};
use crate::skeleton::{JointTransform, Skeleton};

/// Joints in model space.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// One a joint.
    pub positions: Vec<DVec3>,
    /// Products of rotations, not taken from matrices: scales are no part of them, and what came
    /// from a file goes back without a loss.
    pub rotations: Vec<DQuat>,
}

impl Placed {
    /// All joints at rest.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self::of(skeleton, |joint| skeleton.joints()[joint].rest)
    }

    /// At a time of a clip; joints without a curve rest.
    pub fn at(skeleton: &Skeleton, clip: &Clip, time_seconds: f64) -> Self {
        let mut locals: Vec<JointTransform> = skeleton.joints().iter().map(|j| j.rest).collect();
        for track in &clip.tracks {
            let Some(local) = locals.get_mut(track.joint as usize) else { continue };
            match &track.channel {
                Channel::Translation(curve) => {
                    local.translation = curve.value_at(time_seconds).unwrap_or(local.translation);
                }
                Channel::Rotation(curve) => {
                    local.rotation = curve.value_at(time_seconds).unwrap_or(local.rotation);
                }
                Channel::Scale(curve) => {
                    local.scale = curve.value_at(time_seconds).unwrap_or(local.scale);
                }
            }
        }
        Self::of(skeleton, |joint| locals[joint])
    }

    fn of(skeleton: &Skeleton, local: impl Fn(usize) -> JointTransform) -> Self {
        let mut placed = Self { positions: Vec::new(), rotations: Vec::new() };
        let mut matrices: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let local = local(index);
            let (matrix, rotation) = match joint.parent {
                Some(parent) => {
                    let parent = parent as usize;
                    let matrix = matrices[parent] * local.parent_from_joint();
                    (matrix, placed.rotations[parent] * local.rotation)
                }
                None => (local.parent_from_joint(), local.rotation),
            };
            placed.positions.push(matrix.translation);
            placed.rotations.push(rotation.normalize());
            matrices.push(matrix);
        }
        placed
    }
}
