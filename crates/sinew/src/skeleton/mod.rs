//! Skeletons: joints with parents before children, each with the bone that it moves.
//!
//! All of it is f64: a chain of a hundred joints in f32 drifts past the tolerance that skinning
//! keeps.

mod axis;
mod moved;
mod palette;
mod pose;
mod side;
mod span;
mod swing_twist;
mod turn;

pub use axis::Axis;
pub(crate) use palette::polar;
pub use palette::{JointMatrix, Palette};
pub use pose::{JointPose, NoSuchJoint, Pose};
pub use side::Side;
pub use span::BoneSpan;
pub use swing_twist::{nearest_turn, swing_twist};
pub use turn::JointTurn;

use glam::{DAffine3, DQuat, DVec3};

/// A translation, rotation and scale: `parent_from_joint = T · R · S`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTransform {
    /// In the parent's frame.
    pub translation: DVec3,
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Along the joint's own axes.
    pub scale: DVec3,
}

impl JointTransform {
    /// No motion.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// The transform as a matrix.
    pub fn parent_from_joint(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// A joint at rest, and the bone that it moves: from the joint's origin to `tail_in_joint`.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// As the file has it.
    pub name: String,
    /// Always before this joint; `None` for a root.
    pub parent: Option<u32>,
    /// Where it rests in its parent (a root: in model space).
    pub rest: JointTransform,
    /// Where its bone ends, in its own frame. Leaves have one too.
    pub tail_in_joint: DVec3,
}

impl Joint {
    /// The bone's direction in the joint's frame: the axis of twist. +Y for a bone without length.
    pub fn bone_axis(&self) -> DVec3 {
        self.tail_in_joint.try_normalize().unwrap_or(DVec3::Y)
    }
}

/// Why joints are not a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkeletonError {
    /// A joint comes before its parent, is its own, or names one that is not there.
    #[error("joint {joint} '{name}' has parent {parent}; a parent must come before its children")]
    ParentNotBefore {
        /// Index of the child.
        joint: usize,
        /// Its name.
        name: String,
        /// The parent it names.
        parent: u32,
    },
    /// A rest transform or inverse bind matrix has a NaN or an infinity.
    #[error("joint {joint} '{name}' has a {what} that is not finite; repair it in the file")]
    NotFinite {
        /// Index of the joint.
        joint: usize,
        /// Its name.
        name: String,
        /// Which of its transforms.
        what: &'static str,
    },
    /// The number of inverse bind matrices is not that of the joints.
    #[error(
        "{found} inverse bind matrices for {expected} joints; there must be one a joint, or none"
    )]
    InverseBindCount {
        /// The number of joints.
        expected: usize,
        /// The number of matrices.
        found: usize,
    },
}

/// A child this near to a bone's end, over the bone's length, is where the bone ends.
const BONE_MEETS_CHILD: f64 = 1e-3;

/// Joints, parents before children, with any number of roots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    /// At bind time; what files call the inverse bind matrix.
    joint_from_model: Vec<DAffine3>,
    rest_model_from_joint: Vec<DAffine3>,
    bind_bones: Vec<[DVec3; 2]>,
    next_joints: Vec<Option<u32>>,
    /// The joint at each bone's tail: the next one, or, of a twist joint's bone, the sibling that
    /// it reaches to.
    tail_joints: Vec<Option<u32>>,
    /// What each joint's pose twists about and stretches along, in its frame.
    pose_axes: Vec<DVec3>,
}

/// More siblings than this are no limb, and comparing all with all takes long.
const MOST_SIBLINGS: usize = 64;

impl Skeleton {
    /// A skeleton bound in its rest pose.
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        let rest = Self::validated_rest(&joints)?;
        let joint_from_model = rest.iter().map(DAffine3::inverse).collect();
        Self::checked(joints, rest, joint_from_model)
    }

    /// The same with more joints after those that are there, each with where it was when the skin
    /// was bound. No joint has another number than before.
    ///
    /// # Errors
    /// As [`Self::with_inverse_bind`].
    pub fn with_more(
        &self,
        more: impl IntoIterator<Item = (Joint, DAffine3)>,
    ) -> Result<Self, SkeletonError> {
        let (mut joints, mut joint_from_model) =
            (self.joints.clone(), self.joint_from_model.clone());
        for (joint, from_model) in more {
            joints.push(joint);
            joint_from_model.push(from_model);
        }
        Self::with_inverse_bind(joints, joint_from_model)
    }

    /// A skeleton whose file says where each joint was when the skin was bound.
    pub fn with_inverse_bind(
        joints: Vec<Joint>,
        joint_from_model: Vec<DAffine3>,
    ) -> Result<Self, SkeletonError> {
        if joint_from_model.len() != joints.len() {
            return Err(SkeletonError::InverseBindCount {
                expected: joints.len(),
                found: joint_from_model.len(),
            });
        }
        let rest = Self::validated_rest(&joints)?;
        Self::checked(joints, rest, joint_from_model)
    }

    fn validated_rest(joints: &[Joint]) -> Result<Vec<DAffine3>, SkeletonError> {
        let mut model_from_joint: Vec<DAffine3> = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            let parent_from_joint = joint.rest.parent_from_joint();
            let placed = match joint.parent {
                None => parent_from_joint,
                Some(parent) if (parent as usize) < index => {
                    model_from_joint[parent as usize] * parent_from_joint
                }
                Some(parent) => {
                    return Err(SkeletonError::ParentNotBefore {
                        joint: index,
                        name: joint.name.clone(),
                        parent,
                    });
                }
            };
            // In model space: scales that are finite one by one may multiply up to infinity.
            if !placed.is_finite() || !joint.tail_in_joint.is_finite() {
                return Err(SkeletonError::NotFinite {
                    joint: index,
                    name: joint.name.clone(),
                    what: "rest transform or tail",
                });
            }
            model_from_joint.push(placed);
        }
        Ok(model_from_joint)
    }

    fn checked(
        joints: Vec<Joint>,
        rest_model_from_joint: Vec<DAffine3>,
        joint_from_model: Vec<DAffine3>,
    ) -> Result<Self, SkeletonError> {
        match joint_from_model.iter().position(|m| !m.is_finite()) {
            Some(joint) => Err(SkeletonError::NotFinite {
                joint,
                name: joints[joint].name.clone(),
                what: "inverse bind matrix",
            }),
            None => {
                let mut skeleton = Self {
                    pose_axes: joints.iter().map(Joint::bone_axis).collect(),
                    joints,
                    joint_from_model,
                    rest_model_from_joint,
                    bind_bones: Vec::new(),
                    next_joints: Vec::new(),
                    tail_joints: Vec::new(),
                };
                skeleton.bind_bones = (0..skeleton.len() as u32)
                    .map(|joint| skeleton.find_bind_bone(joint))
                    .collect();
                skeleton.next_joints = skeleton.find_next_joints();
                skeleton.tail_joints = skeleton.find_tail_joints();
                Ok(skeleton)
            }
        }
    }

    /// What a joint's pose twists about and stretches along, in its frame: the direction of its
    /// bone. Where joints were moved ([`Self::move_joints`]) it is still that of before, so that a
    /// pose turns every joint as it did, and what joints do to the skin is linear in the moves.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn pose_axis(&self, joint: u32) -> DVec3 {
        self.pose_axes[joint as usize]
    }

    /// All joints, parents before children.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// True for a character without a skeleton.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Inverse bind matrices.
    pub fn joint_from_model(&self) -> &[DAffine3] {
        &self.joint_from_model
    }

    /// Where the joints rest in model space.
    pub fn rest_model_from_joint(&self) -> &[DAffine3] {
        &self.rest_model_from_joint
    }

    /// The joint of that name; the first, if several have it.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.joints.iter().position(|joint| joint.name == name).map(|index| index as u32)
    }

    /// Joints whose parent is `joint`, ascending.
    pub fn children(&self, joint: u32) -> impl Iterator<Item = u32> + '_ {
        (joint.saturating_add(1)..self.joints.len() as u32)
            .filter(move |&child| self.joints[child as usize].parent == Some(joint))
    }

    /// Head and tail of a joint's bone at rest, in model space.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn rest_bone(&self, joint: u32) -> [DVec3; 2] {
        let model_from_joint = &self.rest_model_from_joint[joint as usize];
        let tail = self.joints[joint as usize].tail_in_joint;
        [model_from_joint.translation, model_from_joint.transform_point3(tail)]
    }

    /// Head and tail of a joint's bone where the skin was bound to it, in the space of the rest
    /// points. The same as [`Self::rest_bone`] unless the file binds in another pose.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn bind_bone(&self, joint: u32) -> [DVec3; 2] {
        self.bind_bones[joint as usize]
    }

    fn find_bind_bone(&self, joint: u32) -> [DVec3; 2] {
        let model_from_joint = self.joint_from_model[joint as usize].inverse();
        let tail = self.joints[joint as usize].tail_in_joint;
        let bone = [model_from_joint.translation, model_from_joint.transform_point3(tail)];
        // A joint that flattens space has no inverse: where it rests is the best guess.
        if bone.iter().all(|end| end.is_finite()) { bone } else { self.rest_bone(joint) }
    }

    /// The child that a joint's bone ends at, if there is one.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn next_joint(&self, joint: u32) -> Option<u32> {
        self.next_joints[joint as usize]
    }

    fn find_next_joints(&self) -> Vec<Option<u32>> {
        let mut next = vec![None; self.len()];
        for (child, joint) in self.joints.iter().enumerate() {
            let Some(parent) = joint.parent else { continue };
            let [head, tail] = self.bind_bones[parent as usize];
            let [start, _] = self.bind_bones[child];
            let is_there = start.distance(tail) <= BONE_MEETS_CHILD * head.distance(tail);
            if is_there && next[parent as usize].is_none() {
                next[parent as usize] = Some(child as u32);
            }
        }
        next
    }

    fn find_tail_joints(&self) -> Vec<Option<u32>> {
        let mut tails = self.next_joints.clone();
        let mut by_parent: Vec<u32> = (0..self.len() as u32).collect();
        by_parent.sort_by_key(|&joint| self.joints[joint as usize].parent);
        let parent = |joint: &u32| self.joints[*joint as usize].parent;
        for siblings in by_parent.chunk_by(|a, b| parent(a) == parent(b)) {
            let is_limb = parent(&siblings[0]).is_some() && siblings.len() <= MOST_SIBLINGS;
            for &joint in siblings.iter().filter(|_| is_limb) {
                let [head, tail] = self.bind_bones[joint as usize];
                let reach = BONE_MEETS_CHILD * head.distance(tail);
                let is_there =
                    |other: &u32| self.bind_bones[*other as usize][0].distance(tail) <= reach;
                let mut others = siblings.iter().copied().filter(|&other| other != joint);
                let own = &mut tails[joint as usize];
                *own = own.or_else(|| others.find(is_there));
            }
        }
        tails
    }

    /// The direction of [`Self::bind_bone`]: the axis of the joint's twist in the space of the rest
    /// points. +Y for a bone without length.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn bind_axis(&self, joint: u32) -> DVec3 {
        let [head, tail] = self.bind_bone(joint);
        (tail - head).try_normalize().unwrap_or(DVec3::Y)
    }

    /// Tails for joints whose file names none: the single child; of several, the one that continues
    /// the bone's own direction best; for a leaf, as far again as its parent's bone reaches it.
    pub fn infer_tails(joints: &mut [Joint]) {
        // Gathered once: searching the children of each joint takes hours on a file with a million
        // of them.
        let mut towards_children: Vec<Vec<DVec3>> = vec![Vec::new(); joints.len()];
        for joint in joints.iter() {
            let towards = joint.rest.translation;
            if let Some(parent) = joint.parent
                && towards.length_squared() > 0.0
                && let Some(of_parent) = towards_children.get_mut(parent as usize)
            {
                of_parent.push(towards);
            }
        }
        for (index, towards) in towards_children.iter().enumerate() {
            // How the parent's bone arrives here, seen in this joint's frame.
            let arriving = joints[index].rest.rotation.inverse() * joints[index].rest.translation;
            joints[index].tail_in_joint = match towards.as_slice() {
                // The bone ends where `scale · tail` is the arriving one; an axis scaled to nothing
                // ends anywhere.
                [] if arriving.length_squared() > 0.0 => {
                    let scale = joints[index].rest.scale;
                    let is_flat = scale.abs().cmplt(DVec3::splat(1e-9));
                    arriving / DVec3::select(is_flat, DVec3::ONE, scale)
                }
                [] => DVec3::Y * 0.1,
                [only] => *only,
                several => {
                    let straightness = |t: &DVec3| t.normalize().dot(arriving.normalize_or_zero());
                    several
                        .iter()
                        .copied()
                        .reduce(
                            |best, t| if straightness(&t) > straightness(&best) { t } else { best },
                        )
                        .unwrap_or(DVec3::Y)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(parent: Option<u32>, translation: DVec3, scale: DVec3) -> Joint {
        let rest = JointTransform { translation, scale, ..JointTransform::IDENTITY };
        Joint { name: String::new(), parent, rest, tail_in_joint: DVec3::Y }
    }

    #[test]
    fn a_parent_must_come_first() {
        let root = joint(None, DVec3::ZERO, DVec3::ONE);
        for parent in [1, 2, u32::MAX] {
            let joints = vec![root.clone(), joint(Some(parent), DVec3::Y, DVec3::ONE)];
            let found = Skeleton::new(joints);
            assert!(matches!(found, Err(SkeletonError::ParentNotBefore { joint: 1, .. })));
        }
    }

    #[test]
    fn what_is_not_finite_is_refused_even_where_only_the_chain_makes_it_so() {
        let large = joint(None, DVec3::ZERO, DVec3::splat(1e200));
        let child = joint(Some(0), DVec3::Y, DVec3::splat(1e200));
        let bind = vec![DAffine3::IDENTITY; 2];
        let found = Skeleton::with_inverse_bind(vec![large, child], bind);
        assert!(matches!(found, Err(SkeletonError::NotFinite { joint: 1, .. })));
        let flat = joint(None, DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0));
        assert!(matches!(Skeleton::new(vec![flat]), Err(SkeletonError::NotFinite { .. })));
    }

    #[test]
    fn a_leafs_bone_goes_on_as_far_again_whatever_its_scale() {
        for scale in [DVec3::ONE, DVec3::splat(-2.0), DVec3::new(1.0, 0.01, -1.0)] {
            let mut joints =
                vec![joint(None, DVec3::ZERO, DVec3::ONE), joint(Some(0), DVec3::Y * 3.0, scale)];
            Skeleton::infer_tails(&mut joints);
            let [_, tail] = Skeleton::new(joints).unwrap().rest_bone(1);
            assert!(tail.abs_diff_eq(DVec3::Y * 6.0, 1e-12), "{scale}: {tail}");
        }
        let mut joints = vec![
            joint(None, DVec3::ZERO, DVec3::ONE),
            joint(Some(0), DVec3::Y, DVec3::new(1.0, 0.0, 1.0)),
        ];
        Skeleton::infer_tails(&mut joints);
        assert_eq!(joints[1].tail_in_joint, DVec3::Y);
    }

    #[test]
    fn of_several_children_the_straightest_continues_the_bone() {
        let mut joints = vec![
            joint(None, DVec3::ZERO, DVec3::ONE),
            joint(Some(0), DVec3::Y, DVec3::ONE),
            joint(Some(1), DVec3::X, DVec3::ONE),
            joint(Some(1), DVec3::new(0.1, 2.0, 0.0), DVec3::ONE),
        ];
        Skeleton::infer_tails(&mut joints);
        assert_eq!(joints[1].tail_in_joint, DVec3::new(0.1, 2.0, 0.0));
    }
}
