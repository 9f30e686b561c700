//! Bones in a pose, and the first of the two stages (section 3.2): `a' = p' + t(c' − p')`,
//! `v' = a' + R(p) s`.
//!
//! `p'` is where the joint of the *attached* bone puts its head and `c'` where the child is, which
//! a pose may have moved: the bone is then longer, shorter or turned, and attachments are spread
//! along it. `R(p)` is the rotation alone; a joint's scale moves `c'`, and does nothing to `s`.
//! Skin weights have no say in it, so that a mesh without them can be bound.

use glam::{DAffine3, DQuat, DVec3, Vec3};

use super::PaperSprings;
use crate::skeleton::Palette;
use crate::springs::ScaleEdit;

/// A joint's bone in a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PosedBone {
    pub model_from_rest: DAffine3,
    /// `R(p)`.
    pub rotation: DQuat,
    /// From where the joint alone would put the bone's end to the child that it ends at.
    pub gap: DVec3,
    /// Unit vector from head to child; zero for none.
    pub direction: DVec3,
}

impl PosedBone {
    /// As it rests.
    pub(crate) const REST: Self = Self {
        model_from_rest: DAffine3::IDENTITY,
        rotation: DQuat::IDENTITY,
        gap: DVec3::ZERO,
        direction: DVec3::Y,
    };

    /// Where the place at `along` of the bone goes: `M·place + t·gap` is `p' + t(c' − p')`.
    pub(crate) fn attachment(&self, place: DVec3, along: f64) -> DVec3 {
        self.model_from_rest.transform_point3(place) + along * self.gap
    }
}

/// A place on a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    pub joint: u32,
    pub along: f64,
    /// At rest, model space.
    pub place: DVec3,
}

impl PaperSprings {
    /// Where a point holds on to its bone at rest, model space.
    pub(crate) fn hold_of(&self, point: u32) -> DVec3 {
        self.attachments[self.row_of_point[point as usize] as usize].place
    }

    /// The bones of a pose. Allocates nothing.
    ///
    /// # Panics
    /// If there is not one a joint.
    pub(crate) fn pose_bones(&self, palette: &Palette, bones: &mut [PosedBone]) {
        assert_eq!(bones.len(), self.bone_lengths.len(), "one bone a joint");
        for (joint, (bone, &length)) in bones.iter_mut().zip(&self.bone_lengths).enumerate() {
            let model_from_rest = palette.model_from_rest()[joint];
            let gap = palette.spans()[joint].gap;
            let axis = model_from_rest.transform_vector3(palette.turns()[joint].twist_axis);
            // Not scaled where there is no gap: the axis at rest is then the bound one's to the
            // last bit.
            let along = if gap == DVec3::ZERO { axis } else { axis * length + gap };
            *bone = PosedBone {
                model_from_rest,
                rotation: palette.model_rotations()[joint],
                gap,
                direction: along.normalize_or_zero(),
            };
        }
    }

    /// Every point rigidly with the bone that it is attached to; handles with their alternate scale
    /// vectors.
    ///
    /// # Panics
    /// If the bones or `out` are not of what was bound.
    pub(crate) fn first_stage(&self, bones: &[PosedBone], edits: &[ScaleEdit], out: &mut [Vec3]) {
        assert_eq!(out.len(), self.row_of_point.len(), "one output a bound point");
        let posed = |row: u32| {
            let held = &self.attachments[row as usize];
            let bone = &bones[held.joint as usize];
            (bone, held, bone.attachment(held.place, held.along))
        };
        for (out, &row) in out.iter_mut().zip(&self.row_of_point) {
            let (bone, held, attachment) = posed(row);
            let s = self.rest[row as usize].as_dvec3() - held.place;
            *out = (attachment + bone.rotation * s).as_vec3();
        }
        for edit in edits {
            let (bone, _, attachment) = posed(self.row_of_point[edit.point as usize]);
            let out = &mut out[edit.point as usize];
            let s = out.as_dvec3() - attachment;
            let direction = match edit.unit_direction() {
                Some(direction) => bone.rotation * direction.as_dvec3(),
                None => s.normalize_or_zero(),
            };
            *out = (attachment + s.length() * f64::from(edit.factor()) * direction).as_vec3();
        }
    }
}
