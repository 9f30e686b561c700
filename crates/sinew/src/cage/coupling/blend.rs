//! What a method does to one point, as a map that is affine in the point, its centre and the
//! joints' translations, f64: `x' = X x + P p + Σ_j B_j t_j`.
//!
//! - linear: `X = Σ ω_j A_j`, `B_j = ω_j I`;
//! - dual quaternions: `X = R(b) S`, `B_j = (s_j ω_j / |b|²)(w I − [v]×)` with `(w, v) = q_j
//!   conj(b)`, `b = Σ s ω q`, `s` the hemisphere signs of the skinning itself;
//! - centres of rotation: `X = R(b) S`, `P = Σ ω_j A_j − R(b) S`, `B_j = ω_j I`.

use glam::{DMat3, DQuat, DVec3};

use super::CoupledPart;
use crate::skeleton::{Palette, polar};
use crate::skin::SkinMethod;

/// How a sample is skinned.
#[derive(Clone, Debug)]
pub(super) enum Blend {
    /// Nothing moves it.
    AtRest,
    Linear,
    DualQuat,
    Center {
        /// Where its centre of rotation was bound.
        center: DVec3,
        /// How that moves with the handles.
        row: Vec<f64>,
    },
}

/// `x' = of_point · x + of_center · p + …`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    pub(super) of_point: DMat3,
    pub(super) of_center: DMat3,
}

impl Blend {
    pub(super) fn of(part: &CoupledPart<'_>, point: usize, num_handles: usize) -> Self {
        let rows = point * num_handles..(point + 1) * num_handles;
        match (part.method, part.centers.get(point), part.center_rows.get(rows)) {
            (SkinMethod::CenterOfRotation, Some(center), Some(row))
                if part.weights.is_some_and(|weights| weights.row(point).len() > 1) =>
            {
                let row = row.iter().map(|&lambda| f64::from(lambda)).collect();
                Self::Center { center: center.as_dvec3(), row }
            }
            _ => Self::without_center(part),
        }
    }

    pub(super) fn without_center(part: &CoupledPart<'_>) -> Self {
        match (part.weights, part.method) {
            (None, _) => Self::AtRest,
            (Some(_), SkinMethod::DualQuat) => Self::DualQuat,
            (
                Some(_),
                SkinMethod::Rigid
                | SkinMethod::Linear
                | SkinMethod::CenterOfRotation
                | SkinMethod::BoneSmooth,
            ) => Self::Linear,
        }
    }

    /// The map of a point; `of_joint` is given what each joint's translation is multiplied with.
    pub(super) fn map(
        &self,
        influences: &[(u32, f64)],
        forms: &JointForms,
        mut of_joint: impl FnMut(u32, DMat3),
    ) -> Map {
        let linear = || {
            influences
                .iter()
                .fold(DMat3::ZERO, |sum, &(joint, weight)| sum + forms.linear(joint) * weight)
        };
        match self {
            Self::AtRest => Map { of_point: DMat3::IDENTITY, of_center: DMat3::ZERO },
            Self::Linear => {
                for &(joint, weight) in influences {
                    of_joint(joint, DMat3::IDENTITY * weight);
                }
                Map { of_point: linear(), of_center: DMat3::ZERO }
            }
            Self::DualQuat => {
                let blended = forms.blend_rotation(influences);
                let square = blended.length_squared();
                for &(joint, weight) in influences {
                    let own = forms.rotation(joint);
                    let sign = forms.sign(influences, joint);
                    let turn = own * blended.conjugate();
                    let [v, w] = [turn.xyz(), DVec3::splat(turn.w)];
                    let skewed = DMat3::from_diagonal(w) - cross_matrix(v);
                    of_joint(joint, skewed * (sign * weight / square));
                }
                let turned = DMat3::from_quat(blended.normalize());
                Map { of_point: turned * forms.blend_stretch(influences), of_center: DMat3::ZERO }
            }
            Self::Center { .. } => {
                for &(joint, weight) in influences {
                    of_joint(joint, DMat3::IDENTITY * weight);
                }
                let turned = DMat3::from_quat(forms.blend_rotation(influences).normalize());
                let of_point = turned * forms.blend_stretch(influences);
                Map { of_point, of_center: linear() - of_point }
            }
        }
    }
}

/// `[v]×`.
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

/// What each joint does to the skin, in the forms that methods blend, f64.
#[derive(Clone, Debug, Default)]
pub(super) struct JointForms {
    joints: Vec<Form>,
}

#[derive(Clone, Copy, Debug)]
struct Form {
    linear: DMat3,
    translation: DVec3,
    rotation: DQuat,
    stretch: DMat3,
}

impl JointForms {
    pub(super) fn with_capacity(num_joints: usize) -> Self {
        Self { joints: Vec::with_capacity(num_joints) }
    }

    pub(super) fn update(&mut self, palette: &Palette) {
        self.joints.clear();
        self.joints.extend(palette.model_from_rest().iter().map(|transform| {
            let linear = transform.matrix3;
            let (rotation, stretch) = polar(linear);
            let rotation = DQuat::from_mat3(&rotation).normalize();
            Form { linear, translation: transform.translation, rotation, stretch }
        }));
    }

    pub(super) fn linear(&self, joint: u32) -> DMat3 {
        self.joints[joint as usize].linear
    }

    pub(super) fn translation(&self, joint: u32) -> DVec3 {
        self.joints[joint as usize].translation
    }

    fn rotation(&self, joint: u32) -> DQuat {
        self.joints[joint as usize].rotation
    }

    /// −1 where a joint's quaternion is in the other hemisphere than the first influence's.
    fn sign(&self, influences: &[(u32, f64)], joint: u32) -> f64 {
        let pivot = influences.first().map_or(DQuat::IDENTITY, |&(first, _)| self.rotation(first));
        if self.rotation(joint).dot(pivot) < 0.0 { -1.0 } else { 1.0 }
    }

    fn blend_rotation(&self, influences: &[(u32, f64)]) -> DQuat {
        influences.iter().fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &(joint, weight)| {
            sum + self.rotation(joint) * (self.sign(influences, joint) * weight)
        })
    }

    fn blend_stretch(&self, influences: &[(u32, f64)]) -> DMat3 {
        influences.iter().fold(DMat3::ZERO, |sum, &(joint, weight)| {
            sum + self.joints[joint as usize].stretch * weight
        })
    }
}
