//! How a posed bone reaches: from where its joint puts its head to where its child is.
//!
//! A pose may move a child away from its parent's end (a translated joint, a limb stretched by
//! hand). The skin between the two is then spread along the bone: the place at `t` goes to
//! `M·place + t·gap`.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::Skeleton;

/// A bone in a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSpan {
    /// From where the joint moves the bone's end to where the child is that the bone ends at; zero
    /// without one.
    pub gap: DVec3,
    /// How much longer the bone has become than it has become wide.
    pub stretch: f64,
    /// What the joint's scale does to vectors from the bone to the skin, before its rotation: all
    /// of it but what only lengthens the bone, since the places that the vectors start from have
    /// moved along already.
    pub limb: DMat3,
}

/// Stretches this near to one are rounding.
const STRETCH_TOLERANCE: f64 = 1e-6;

impl BoneSpan {
    /// A bone as long as it rests.
    pub const REST: Self = Self { gap: DVec3::ZERO, stretch: 1.0, limb: DMat3::IDENTITY };

    /// True if the bone is neither longer nor shorter than its width asks for.
    pub fn is_rest(&self) -> bool {
        self.gap == DVec3::ZERO && self.stretch == 1.0
    }

    pub(super) fn of_palette(
        skeleton: &Skeleton,
        model_from_rest: &[DAffine3],
        model_rotations: &[DQuat],
        out: &mut Vec<Self>,
    ) {
        out.clear();
        for (joint, moved) in model_from_rest.iter().enumerate() {
            let [head, tail] = skeleton.bind_bone(joint as u32);
            let length = head.distance(tail);
            let along = moved.transform_vector3(tail - head);
            let mut gap = match skeleton.next_joint(joint as u32) {
                Some(next) => {
                    let [child, _] = skeleton.bind_bone(next);
                    model_from_rest[next as usize].transform_point3(child)
                        - moved.transform_point3(tail)
                }
                None => DVec3::ZERO,
            };
            // What two chains of f64 products, or a file's f32 translations, differ by.
            if gap.length() <= STRETCH_TOLERANCE * length {
                gap = DVec3::ZERO;
            }
            let axial = along.length() / length;
            // Volume over length is the section's area; its root the width.
            let width = (moved.matrix3.determinant().abs() / axial).sqrt();
            let stretch = (along + gap).length() / (length * width);
            let is_plain = !stretch.is_finite() || (stretch - 1.0).abs() <= STRETCH_TOLERANCE;
            // A bone flattened to nothing, or a thousand times its length, says nothing about its
            // skin.
            let stretch = if is_plain { 1.0 } else { stretch.clamp(1e-3, 1e3) };
            let whole = DMat3::from_quat(model_rotations[joint]).transpose() * moved.matrix3;
            let excess = 1.0 - width / axial;
            let limb = if excess.is_finite() && excess.abs() > STRETCH_TOLERANCE {
                let axis = (tail - head) / length;
                let along_bone = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
                let undone = whole * (DMat3::IDENTITY - along_bone * excess);
                (undone + undone.transpose()) * 0.5
            } else {
                (whole + whole.transpose()) * 0.5
            };
            let span = Self { gap, stretch, limb };
            out.push(if gap.is_finite() && limb.is_finite() { span } else { Self::REST });
        }
    }
}
