//! From a drag of the posed cage to the rest cage (eq. 16–19), exact for every method.
//!
//! Joints go with the rest cage, and what they do to the skin with them. Down the tree, with `A`
//! the linear parts and `e_j = ψ_j ∂C` a joint's own move: its place in the pose moves by `o_j =
//! o_parent + A_parent (e_j − e_parent)` and its translation by `G_j = o_j − A_j e_j`; no inverse
//! of a topology matrix is needed. Then, sample by sample, `∂x' = X φ ∂C + P λ ∂C + Σ_j B_j G_j`.

use glam::{DAffine3, DMat3, DVec3};

use super::Coupling;
use super::blend::{Blend, JointForms};
use crate::linalg::{Dense, DenseLu};
use crate::skeleton::{Palette, Pose, Skeleton};

/// A rest cage that moves more than this many times as far as the posed one was dragged: the pose
/// has all but flattened the skin there.
pub const LARGE_GAIN: f64 = 20.0;

/// Why a drag has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReverseError {
    /// The pose flattens the skin: half of one joint and half of another that is turned around.
    #[error(
        "no rest cage gives that: in this pose the skin is flat under the cage; untwist the joint, or use dual quaternions"
    )]
    Flat,
}

/// The loop of one pose, factored: a drag is then one solve.
#[derive(Clone, Debug)]
pub struct Reverse {
    factor: DenseLu,
    num_handles: usize,
}

/// What a drag does to the rest cage.
#[derive(Clone, Debug, PartialEq)]
pub struct Reversed {
    /// How far each handle of the rest cage moves.
    pub offsets: Vec<DVec3>,
    /// The largest of them over the largest drag; past [`LARGE_GAIN`] the pose hardly allows it.
    pub gain: f64,
}

impl Coupling {
    /// Factors the loop of a pose. `skeleton` is as it was bound, moved or not: only its linear
    /// parts count. `pose` and `palette` are the same.
    ///
    /// # Panics
    /// If anything is of another skeleton.
    pub fn reverse(&self, skeleton: &Skeleton, pose: &Pose, palette: &Palette) -> Reverse {
        let num_handles = self.num_handles();
        let mut forms = JointForms::with_capacity(skeleton.len());
        forms.update(palette);
        let moves = self.joint_moves(skeleton, pose, palette);
        // A row a sample, nine entries a handle.
        let mut changes = Dense::zeros(self.samples.len(), 9 * num_handles);
        let mut blocks = vec![DMat3::ZERO; num_handles];
        for (index, sample) in self.samples.iter().enumerate() {
            blocks.fill(DMat3::ZERO);
            let map = sample.blend.map(&sample.influences, &forms, |joint, by| {
                let start = joint as usize * num_handles;
                for (block, of_joint) in blocks.iter_mut().zip(&moves[start..]) {
                    *block += by * *of_joint;
                }
            });
            for (handle, (block, &phi)) in blocks.iter_mut().zip(&sample.row).enumerate() {
                *block += map.of_point * phi;
                if let Blend::Center { row, .. } = &sample.blend {
                    *block += map.of_center * row[handle];
                }
                for (entry, value) in block.to_cols_array().into_iter().enumerate() {
                    *changes.at_mut(index, 9 * handle + entry) = value;
                }
            }
        }
        let fitted = self.fit.times(&changes);
        let n = 3 * num_handles;
        let matrix = Dense::from_fn(n, n, |row, column| {
            // Column-major three by three blocks.
            fitted.at(row / 3, 9 * (column / 3) + 3 * (column % 3) + row % 3)
        });
        Reverse { factor: DenseLu::factor(&matrix), num_handles }
    }

    /// How each joint's translation changes with each handle: a block a joint and handle.
    fn joint_moves(&self, skeleton: &Skeleton, pose: &Pose, palette: &Palette) -> Vec<DMat3> {
        let num_handles = self.num_handles();
        let joints = skeleton.joints();
        // How a joint's place in the pose changes.
        let mut places = vec![DMat3::ZERO; joints.len() * num_handles];
        let mut moves = places.clone();
        // What the rest does to an offset in the space of the rest points: as
        // `Skeleton::move_joints`.
        let rest_linear = |joint: usize| {
            skeleton.rest_model_from_joint()[joint].matrix3
                * skeleton.joint_from_model()[joint].matrix3
        };
        for (joint, of_joint) in joints.iter().enumerate() {
            let own = self.joint_row(joint);
            let own_rest = rest_linear(joint);
            let linear = palette.model_from_rest()[joint].matrix3;
            let from_parent = joint_frame(skeleton, pose, palette.model_from_joint(), joint);
            for handle in 0..num_handles {
                let by = own_rest * own[handle];
                let place = match of_joint.parent.map(|parent| parent as usize) {
                    None => by,
                    Some(parent) => {
                        let of_parent = rest_linear(parent) * self.joint_row(parent)[handle];
                        places[parent * num_handles + handle] + from_parent * (by - of_parent)
                    }
                };
                places[joint * num_handles + handle] = place;
                moves[joint * num_handles + handle] = place - linear * own[handle];
            }
        }
        moves
    }
}

/// What a joint's offset from its parent, in the space of the rest, becomes in the pose.
fn joint_frame(
    skeleton: &Skeleton,
    pose: &Pose,
    model_from_joint: &[DAffine3],
    joint: usize,
) -> DMat3 {
    let Some(parent) = skeleton.joints()[joint].parent else { return DMat3::IDENTITY };
    let stretch = pose.joints[parent as usize].stretch_along(skeleton.pose_axis(parent));
    let rest = skeleton.rest_model_from_joint()[parent as usize].matrix3.inverse();
    // Where a parent has flattened space, no translation leads anywhere.
    let rest = if rest.is_finite() { rest } else { DMat3::ZERO };
    model_from_joint[parent as usize].matrix3 * stretch * rest
}

impl Reverse {
    /// How the rest cage must move for the posed one to move by `posed_offsets`.
    ///
    /// # Errors
    /// If no rest cage gives that.
    ///
    /// # Panics
    /// If there is not one offset a handle.
    pub fn solve(&self, posed_offsets: &[DVec3]) -> Result<Reversed, ReverseError> {
        assert_eq!(posed_offsets.len(), self.num_handles, "one offset a handle");
        let mut values: Vec<f64> = posed_offsets.iter().flat_map(DVec3::to_array).collect();
        self.factor.solve(&mut values);
        let offsets: Vec<DVec3> =
            values.chunks_exact(3).map(|v| DVec3::new(v[0], v[1], v[2])).collect();
        if offsets.iter().any(|offset| !offset.is_finite()) {
            return Err(ReverseError::Flat);
        }
        let longest =
            |offsets: &[DVec3]| offsets.iter().fold(0.0f64, |longest, o| longest.max(o.length()));
        let dragged = longest(posed_offsets);
        let gain = if dragged > 0.0 { longest(&offsets) / dragged } else { 0.0 };
        // An answer that is a thousand diagonals away is none.
        if gain > 1e8 {
            return Err(ReverseError::Flat);
        }
        Ok(Reversed { offsets, gain })
    }
}
