//! Joints that go along with a rest shape that has moved: another chain of bones, with the same
//! frames and the same pose.
//!
//! With `d` a joint's offset in the space of the rest points and `L` the linear part of its
//! `rest · bind⁻¹`:
//!
//! ```text
//! joint_from_model' = joint_from_model · T(−d)      rest_model_from_joint' = T(L d) · rest_model_from_joint
//! ```
//!
//! so that `rest · bind⁻¹` is what it was, and the palette of the rest pose with it. Every joint
//! keeps its orientation and its scale.

use glam::{DMat3, DVec3};

use super::Skeleton;

impl Skeleton {
    /// Puts the joints' heads where `from` has them, moved by `offsets` in the space of the rest
    /// points. A bone's tail follows the joint that it ends at ([`Self::next_joint`], or, of a
    /// twist joint's bone, the sibling that it reaches to), and where there is none its own head.
    /// `self` is a clone of `from`, moved before or not. Allocates nothing; offsets of zero give
    /// what `from` is, to the last bit.
    ///
    /// # Panics
    /// If `self` has another number of joints than `from`, or there is not one offset a joint.
    pub fn move_joints(&mut self, from: &Self, offsets: &[DVec3]) {
        assert_eq!(self.len(), from.len(), "a clone of the skeleton that is moved");
        assert_eq!(offsets.len(), from.len(), "one offset a joint");
        let rest_offset = |joint: usize| {
            let to_joint = from.joint_from_model[joint].matrix3;
            from.rest_model_from_joint[joint].matrix3 * (to_joint * offsets[joint])
        };
        for (index, joint) in self.joints.iter_mut().enumerate() {
            let before = &from.joints[index];
            let offset = offsets[index];
            let in_joint = from.joint_from_model[index].matrix3;
            let to_rest = &mut self.joint_from_model[index];
            *to_rest = from.joint_from_model[index];
            to_rest.translation = moved(to_rest.translation, -(in_joint * offset));
            let in_model = rest_offset(index);
            self.rest_model_from_joint[index].translation =
                moved(from.rest_model_from_joint[index].translation, in_model);

            joint.rest.translation = match joint.parent.map(|parent| parent as usize) {
                None => moved(before.rest.translation, in_model),
                Some(parent) => {
                    let in_parent = from.rest_model_from_joint[parent].matrix3;
                    let by = solved(in_parent, in_model - rest_offset(parent));
                    moved(before.rest.translation, by)
                }
            };
            let tail_offset = from.tail_joints[index].map_or(offset, |next| offsets[next as usize]);
            joint.tail_in_joint = moved(before.tail_in_joint, in_joint * (tail_offset - offset));
            let [head, tail] = from.bind_bones[index];
            self.bind_bones[index] = [moved(head, offset), moved(tail, tail_offset)];
        }
    }

    /// Puts the joints where `from` has them. `self` is a clone of it, moved. Allocates nothing.
    pub(crate) fn rest_as(&mut self, from: &Self) {
        for (joint, before) in self.joints.iter_mut().zip(&from.joints) {
            joint.rest = before.rest;
            joint.tail_in_joint = before.tail_in_joint;
        }
        self.joint_from_model.copy_from_slice(&from.joint_from_model);
        self.rest_model_from_joint.copy_from_slice(&from.rest_model_from_joint);
        self.bind_bones.copy_from_slice(&from.bind_bones);
    }
}

/// Adding zero would take the sign off another zero.
fn moved(place: DVec3, by: DVec3) -> DVec3 {
    if by == DVec3::ZERO { place } else { place + by }
}

/// `m⁻¹ v`; nothing where a parent has flattened space, since then no translation leads there.
fn solved(m: DMat3, v: DVec3) -> DVec3 {
    if v == DVec3::ZERO {
        return v;
    }
    let solution = m.inverse() * v;
    if solution.is_finite() { solution } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat};

    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skeleton::{Joint, JointTransform, Palette, Pose};

    /// Products of f64 down a chain.
    const TOLERANCE: f64 = 1e-12;

    fn offsets(skeleton: &Skeleton) -> Vec<DVec3> {
        let at = |joint: usize| joint as f64;
        (0..skeleton.len())
            .map(|joint| 0.1 * DVec3::new(at(joint).sin(), (2.0 * at(joint)).cos(), 0.3))
            .collect()
    }

    /// Turned, scaled and bound in another pose than it rests in.
    fn bound_elsewhere() -> Skeleton {
        let joint = |parent, turn: f64| Joint {
            name: String::new(),
            parent,
            rest: JointTransform {
                translation: DVec3::new(0.2, 1.0, -0.1),
                rotation: DQuat::from_rotation_z(turn),
                scale: DVec3::new(1.0, 2.0, 1.5),
            },
            tail_in_joint: DVec3::Y * 0.7,
        };
        let joints = vec![joint(None, 0.3), joint(Some(0), -1.0), joint(Some(1), 0.8)];
        let bind = |turn: f64| {
            let turned = DQuat::from_rotation_x(turn);
            DAffine3::from_rotation_translation(turned, DVec3::new(turn, -turn, 1.0)).inverse()
        };
        Skeleton::with_inverse_bind(joints, vec![bind(0.1), bind(0.9), bind(-0.4)]).unwrap()
    }

    #[test]
    fn offsets_of_zero_give_the_same_skeleton() {
        let human = build(&SampleOptions::new(SampleKind::Human)).unwrap().skeleton;
        for skeleton in [human, bound_elsewhere()] {
            let mut moved = skeleton.clone();
            moved.move_joints(&skeleton, &offsets(&skeleton));
            assert_ne!(moved, skeleton);
            moved.move_joints(&skeleton, &vec![DVec3::ZERO; skeleton.len()]);
            // Debug shows every digit, and the sign of a zero.
            assert_eq!(format!("{moved:?}"), format!("{skeleton:?}"));
        }
    }

    #[test]
    fn at_rest_the_palette_is_that_of_the_skeleton_that_was_moved() {
        let human = build(&SampleOptions::new(SampleKind::Human)).unwrap().skeleton;
        for skeleton in [human, bound_elsewhere()] {
            let mut moved = skeleton.clone();
            moved.move_joints(&skeleton, &offsets(&skeleton));
            let [before, after] =
                [&skeleton, &moved].map(|skeleton| Palette::new(skeleton, &Pose::rest(skeleton)));
            for (before, after) in before.model_from_rest().iter().zip(after.model_from_rest()) {
                assert!(before.abs_diff_eq(*after, TOLERANCE), "{before} {after}");
            }
        }
    }

    #[test]
    fn chain_inverse_bind_and_bones_agree_and_heads_are_where_they_should_be() {
        let human = build(&SampleOptions::new(SampleKind::Human)).unwrap().skeleton;
        for skeleton in [human, bound_elsewhere()] {
            let offsets = offsets(&skeleton);
            let mut moved = skeleton.clone();
            moved.move_joints(&skeleton, &offsets);
            let inverse_bind = moved.joint_from_model().to_vec();
            let again = Skeleton::with_inverse_bind(moved.joints().to_vec(), inverse_bind).unwrap();
            for joint in 0..skeleton.len() as u32 {
                let index = joint as usize;
                let placed = moved.rest_model_from_joint()[index];
                assert!(placed.abs_diff_eq(again.rest_model_from_joint()[index], TOLERANCE));
                for (end, found) in moved.bind_bone(joint).iter().zip(again.bind_bone(joint)) {
                    assert!(end.abs_diff_eq(found, TOLERANCE), "{end} {found}");
                }
                let head = skeleton.bind_bone(joint)[0] + offsets[index];
                assert!(moved.bind_bone(joint)[0].abs_diff_eq(head, TOLERANCE));
                if let Some(next) = skeleton.next_joint(joint) {
                    assert_eq!(again.next_joint(joint), Some(next), "bones still meet");
                }
            }
        }
    }

    #[test]
    fn a_twist_joints_bone_still_reaches_to_the_sibling_that_it_reached_to() {
        let skeleton = build(&SampleOptions::new(SampleKind::Human)).unwrap().skeleton;
        let mut moved = skeleton.clone();
        moved.move_joints(&skeleton, &offsets(&skeleton));
        let [twist, shin] = ["thigh_twist_l", "shin_l"].map(|name| moved.find(name).unwrap());
        assert_eq!(skeleton.next_joint(twist), None);
        let [_, tail] = moved.bind_bone(twist);
        assert!(tail.abs_diff_eq(moved.bind_bone(shin)[0], TOLERANCE));
    }
}
