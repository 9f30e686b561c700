//! The loop at one pose, from how the rest cage moves to how the posed one does (eq. 16–19): a
//! linear map, whatever the method.
//!
//! Joints go with the rest cage, and what they do to the skin with them. Down the tree, with `A`
//! the linear parts and `e_j = ψ_j ∂C` a joint's own move: its place in the pose moves by `o_j =
//! o_parent + A_parent (e_j − e_parent)` and its translation by `G_j = o_j − A_j e_j`; no inverse
//! of a topology matrix is needed. Then, sample by sample, `∂x' = X φ ∂C + P λ ∂C + Σ_j B_j G_j`.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};

use super::blend::{Blend, JointForms, Map};
use super::{Coupling, Sample, fit_to};
use crate::linalg::Dense;
use crate::skeleton::{Palette, Pose, Skeleton};

/// How much of a flat part is kept as if it were round, where what it does is nearly taken back.
const ROUNDED: f64 = 1e-4;

/// The loop at a pose.
#[derive(Clone, Debug)]
pub(super) struct PosedLoop {
    samples: Arc<Vec<Sample>>,
    fit: Arc<Dense>,
    joint_rows: Arc<Vec<f64>>,
    num_handles: usize,
    joints: Vec<PosedJoint>,
    /// What is done to each sample and to its centre, and nearly takes the first back.
    maps: Vec<(Map, DMat3)>,
    /// Of each sample what joints' translations are multiplied with, one after the other.
    terms: Vec<(u32, DMat3)>,
    /// How many terms each sample has.
    num_terms: Vec<usize>,
}

/// What turns a joint's move at rest into one in the pose.
#[derive(Clone, Copy, Debug)]
struct PosedJoint {
    parent: Option<usize>,
    /// What the rest does to an offset in the space of the rest points: as
    /// `Skeleton::move_joints`.
    at_rest: DMat3,
    /// What an offset from the parent, in the space of the rest, becomes.
    from_parent: DMat3,
    /// What the joint does to the skin.
    linear: DMat3,
}

impl PosedLoop {
    pub(super) fn new(
        coupling: &Coupling,
        skeleton: &Skeleton,
        pose: &Pose,
        palette: &Palette,
    ) -> Self {
        let mut forms = JointForms::with_capacity(skeleton.len());
        forms.update(palette);
        let joint = |(joint, of_joint): (usize, &crate::skeleton::Joint)| PosedJoint {
            parent: of_joint.parent.map(|parent| parent as usize),
            at_rest: skeleton.rest_model_from_joint()[joint].matrix3
                * skeleton.joint_from_model()[joint].matrix3,
            from_parent: joint_frame(skeleton, pose, palette.model_from_joint(), joint),
            linear: palette.model_from_rest()[joint].matrix3,
        };
        let joints = skeleton.joints().iter().enumerate().map(joint).collect();
        let samples = &coupling.samples;
        let mut terms = Vec::new();
        let (mut maps, mut num_terms) = (Vec::new(), Vec::new());
        for sample in samples.iter() {
            let before = terms.len();
            let map =
                sample.blend.map(&sample.influences, &forms, |joint, by| terms.push((joint, by)));
            num_terms.push(terms.len() - before);
            maps.push((map, nearly_inverse(map.of_point)));
        }
        Self {
            samples: Arc::clone(samples),
            fit: Arc::clone(&coupling.fit),
            joint_rows: Arc::clone(&coupling.joint_rows),
            num_handles: coupling.num_handles(),
            joints,
            maps,
            terms,
            num_terms,
        }
    }

    pub(super) fn num_handles(&self) -> usize {
        self.num_handles
    }

    /// How the posed cage moves with the rest cage.
    pub(super) fn apply(&self, rest_offsets: &[DVec3], out: &mut [DVec3]) {
        let mut places: Vec<DVec3> = Vec::with_capacity(self.joints.len());
        let mut own: Vec<DVec3> = Vec::with_capacity(self.joints.len());
        let mut translations: Vec<DVec3> = Vec::with_capacity(self.joints.len());
        for (joint, row) in self.joints.iter().zip(self.joint_rows.chunks(self.num_handles)) {
            let by = product(row, rest_offsets);
            let from_rest = joint.at_rest * by;
            let place = match joint.parent {
                None => from_rest,
                Some(parent) => {
                    let of_parent = self.joints[parent].at_rest * own[parent];
                    places[parent] + joint.from_parent * (from_rest - of_parent)
                }
            };
            places.push(place);
            own.push(by);
            translations.push(place - joint.linear * by);
        }
        let mut terms = self.terms.iter();
        let of_sample = |((sample, (map, _)), &count): ((&Sample, &(Map, DMat3)), &usize)| {
            let of_joints = terms.by_ref().take(count);
            let mut moved: DVec3 =
                of_joints.map(|&(joint, by)| by * translations[joint as usize]).sum();
            moved += map.of_point * product(&sample.row, rest_offsets);
            if let Blend::Center { row, .. } = &sample.blend {
                moved += map.of_center * product(row, rest_offsets);
            }
            moved
        };
        let samples = self.samples.iter().zip(&self.maps).zip(&self.num_terms);
        let posed: Vec<DVec3> = samples.map(of_sample).collect();
        fit_to(&self.fit, &posed, out);
    }

    /// How the rest cage would have to move if joints stayed where they are: what nearly takes
    /// [`Self::apply`] back.
    pub(super) fn nearly_take_back(&self, posed_offsets: &[DVec3], out: &mut [DVec3]) {
        let of_sample = |(sample, (_, inverse)): (&Sample, &(Map, DMat3))| {
            *inverse * product(&sample.row, posed_offsets)
        };
        let at_rest: Vec<DVec3> = self.samples.iter().zip(&self.maps).map(of_sample).collect();
        fit_to(&self.fit, &at_rest, out);
    }

    /// The map as a matrix, three rows and columns a handle.
    pub(super) fn matrix(&self) -> Dense {
        let num_handles = self.num_handles;
        let moves = self.joint_moves();
        // A row a sample, nine entries a handle.
        let mut changes = Dense::zeros(self.samples.len(), 9 * num_handles);
        let mut blocks = vec![DMat3::ZERO; num_handles];
        let mut terms = self.terms.iter();
        for (index, (sample, (map, _))) in self.samples.iter().zip(&self.maps).enumerate() {
            blocks.fill(DMat3::ZERO);
            for &(joint, by) in terms.by_ref().take(self.num_terms[index]) {
                let start = joint as usize * num_handles;
                for (block, of_joint) in blocks.iter_mut().zip(&moves[start..]) {
                    *block += by * *of_joint;
                }
            }
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
        Dense::from_fn(n, n, |row, column| {
            // Column-major three by three blocks.
            fitted.at(row / 3, 9 * (column / 3) + 3 * (column % 3) + row % 3)
        })
    }

    /// How each joint's translation changes with each handle: a block a joint and handle.
    fn joint_moves(&self) -> Vec<DMat3> {
        let num_handles = self.num_handles;
        // How a joint's place in the pose changes.
        let mut places = vec![DMat3::ZERO; self.joints.len() * num_handles];
        let mut moves = places.clone();
        for (index, joint) in self.joints.iter().enumerate() {
            for handle in 0..num_handles {
                let at = |joint: usize| joint * num_handles + handle;
                let own = self.joint_rows[at(index)];
                let by = joint.at_rest * own;
                let place = match joint.parent {
                    None => by,
                    Some(parent) => {
                        let of_parent = self.joints[parent].at_rest * self.joint_rows[at(parent)];
                        places[at(parent)] + joint.from_parent * (by - of_parent)
                    }
                };
                places[at(index)] = place;
                moves[at(index)] = place - joint.linear * own;
            }
        }
        moves
    }
}

fn product(row: &[f64], offsets: &[DVec3]) -> DVec3 {
    row.iter().zip(offsets).map(|(&share, &by)| share * by).sum()
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

/// `(XᵀX + ε)⁻¹ Xᵀ`: the inverse, but for what is all but flat.
fn nearly_inverse(map: DMat3) -> DMat3 {
    let square = map.transpose() * map;
    let size = square.x_axis.x + square.y_axis.y + square.z_axis.z;
    let inverse = (square + DMat3::IDENTITY * (ROUNDED * size / 3.0)).inverse() * map.transpose();
    // What has no size at all is not taken back.
    if inverse.is_finite() { inverse } else { DMat3::ZERO }
}
