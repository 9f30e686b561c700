//! Joints by their bones' ends and the way they fold, left side only; the right side is the mirror
//! image.
//!
//! Every joint has its bone along its own +Y, and a positive turn about its +X folds the bone
//! towards `fold`: knees backwards, elbows and hips forwards, fingers into the palm, the jaw open;
//! the same on both sides.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::skeleton::{Joint, JointTransform, Skeleton, SkeletonError};

/// A joint as it is described: in model space.
#[derive(Clone, Debug)]
pub(super) struct RigJoint {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) head: DVec3,
    pub(super) tail: DVec3,
    fold: DVec3,
    is_left: bool,
}

/// Central and left joints, parents before children.
#[derive(Clone, Debug, Default)]
pub(super) struct Rig {
    pub(super) joints: Vec<RigJoint>,
}

/// A finished skeleton and who mirrors whom.
pub(super) struct Rigged {
    pub(super) skeleton: Skeleton,
    /// The mirror joint of each; itself in the middle.
    pub(super) mirror_of: Vec<u32>,
}

fn mirrored(v: DVec3) -> DVec3 {
    DVec3::new(-v.x, v.y, v.z)
}

impl Rig {
    /// A joint in the middle.
    pub(super) fn center(&mut self, name: &str, parent: &str, ends: [DVec3; 2], fold: DVec3) {
        self.push(name.to_owned(), parent, ends, fold, false);
    }

    /// A joint on the left, `name_l`; the right one, `name_r`, follows from it. The parent is a
    /// left joint's base name or a central joint.
    pub(super) fn left(&mut self, name: &str, parent: &str, ends: [DVec3; 2], fold: DVec3) {
        self.push(format!("{name}_l"), parent, ends, fold, true);
    }

    fn push(&mut self, name: String, parent: &str, ends: [DVec3; 2], fold: DVec3, is_left: bool) {
        let parent = self.find(parent).or_else(|| self.find(&format!("{parent}_l")));
        self.joints.push(RigJoint { name, parent, head: ends[0], tail: ends[1], fold, is_left });
    }

    /// The central or left joint of that full name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The joints of these names, central or left; names that are not there are passed over.
    pub(super) fn find_all(&self, names: &[&str]) -> Vec<usize> {
        names
            .iter()
            .filter_map(|name| self.find(name).or_else(|| self.find(&format!("{name}_l"))))
            .collect()
    }

    /// Both sides: the described joints first, then the right ones.
    pub(super) fn finish(&self) -> Result<Rigged, SkeletonError> {
        let num_described = self.joints.len();
        let mut right_of: Vec<usize> = (0..num_described).collect();
        let mut next = num_described;
        for (index, joint) in self.joints.iter().enumerate() {
            if joint.is_left {
                right_of[index] = next;
                next += 1;
            }
        }
        let mut mirror_of = vec![0; next];
        for (index, &right) in right_of.iter().enumerate() {
            mirror_of[index] = right as u32;
            mirror_of[right] = index as u32;
        }
        let mut all = self.joints.clone();
        all.extend(self.joints.iter().filter(|joint| joint.is_left).map(|joint| RigJoint {
            name: format!("{}_r", joint.name.trim_end_matches("_l")),
            parent: joint.parent.map(|p| right_of[p]),
            head: mirrored(joint.head),
            tail: mirrored(joint.tail),
            fold: mirrored(joint.fold),
            is_left: false,
        }));

        let model_from_joint: Vec<(DQuat, DVec3)> = all
            .iter()
            .map(|joint| {
                let y = (joint.tail - joint.head).normalize();
                let z = joint.fold.reject_from_normalized(y).normalize();
                (DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize(), joint.head)
            })
            .collect();
        let joints = all
            .iter()
            .enumerate()
            .map(|(index, joint)| {
                let (rotation, head) = model_from_joint[index];
                let (parent_rotation, parent_head) =
                    joint.parent.map_or((DQuat::IDENTITY, DVec3::ZERO), |p| model_from_joint[p]);
                let parent_from_model =
                    DAffine3::from_rotation_translation(parent_rotation, parent_head).inverse();
                Joint {
                    name: joint.name.clone(),
                    parent: joint.parent.map(|p| p as u32),
                    rest: JointTransform {
                        translation: parent_from_model.transform_point3(head),
                        rotation: (parent_rotation.inverse() * rotation).normalize(),
                        scale: DVec3::ONE,
                    },
                    tail_in_joint: DVec3::Y * joint.head.distance(joint.tail),
                }
            })
            .collect();
        Ok(Rigged { skeleton: Skeleton::new(joints)?, mirror_of })
    }
}
