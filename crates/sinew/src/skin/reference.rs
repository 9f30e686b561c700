//! The slow, obvious f64 evaluation of every method: what the fast paths are tested against.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::bone_smooth::KEEP_VOLUME;
use super::{BindError, BlendMethod, BoneSmoothRig, SkinInput, SkinMethod, bone_smooth_rig};
use super::{centers_of_rotation, rigid};
use crate::progress::Silent;
use crate::skeleton::Palette;
use crate::weights::{Influence, SkinWeights};

/// The f64 twin of [`super::Skin`]: every point by its definition.
pub struct ReferenceSkin<'a> {
    input: SkinInput<'a>,
    form: Form,
}

enum Form {
    Blended { method: BlendMethod, weights: SkinWeights, centers: Vec<Option<DVec3>> },
    BoneSmooth { rig: Box<BoneSmoothRig>, point_of_position: Vec<u32> },
}

impl<'a> ReferenceSkin<'a> {
    /// Binds `input` for `method`.
    pub fn bind(method: SkinMethod, input: &SkinInput<'a>) -> Result<Self, BindError> {
        input.validate()?;
        let blended =
            |method, weights: SkinWeights, centers| Form::Blended { method, weights, centers };
        let weights = || input.weights.clone();
        let form = match method {
            SkinMethod::Rigid => {
                blended(BlendMethod::Linear, rigid::dominant(input.weights), Vec::new())
            }
            SkinMethod::Linear => blended(BlendMethod::Linear, weights(), Vec::new()),
            SkinMethod::DualQuat => blended(BlendMethod::DualQuat, weights(), Vec::new()),
            SkinMethod::CenterOfRotation => {
                let centers = centers_of_rotation(input, &Silent)?;
                blended(BlendMethod::CenterOfRotation, weights(), centers)
            }
            SkinMethod::BoneSmooth => {
                let (rig, point_of_position) = bone_smooth_rig(input, &Silent)?;
                Form::BoneSmooth { rig: Box::new(rig), point_of_position }
            }
        };
        Ok(Self { input: *input, form })
    }

    /// The deformed positions.
    ///
    /// # Panics
    /// If the palette is of another skeleton.
    pub fn positions(&self, palette: &Palette) -> Vec<DVec3> {
        let deform = |(index, rest): (usize, &glam::Vec3)| match &self.form {
            Form::Blended { method, weights, centers } => {
                let center = centers.get(index).copied().flatten();
                position(*method, palette, weights.row(index), rest.as_dvec3(), center)
            }
            Form::BoneSmooth { rig, point_of_position } => {
                rig.reference(point_of_position[index] as usize, palette, KEEP_VOLUME).target
            }
        };
        self.input.positions.iter().enumerate().map(deform).collect()
    }

    /// A point deformed from another rest, its centre of rotation there too, without a rounding to
    /// f32; `None` for bone-smooth, which thinks in all points.
    ///
    /// # Panics
    /// If the palette is of another skeleton, or there is no such point.
    pub fn position_from(
        &self,
        palette: &Palette,
        point: usize,
        [rest, center]: [DVec3; 2],
    ) -> Option<DVec3> {
        let Form::Blended { method, weights, centers } = &self.form else { return None };
        let center = centers.get(point).copied().flatten().map(|_| center);
        Some(position(*method, palette, weights.row(point), rest, center))
    }

    /// The deformed unit normals: what the deformation's linear part does to them, with the blend's
    /// own variation from point to point left out, as every engine does.
    ///
    /// # Panics
    /// If the palette is of another skeleton.
    pub fn normals(&self, palette: &Palette) -> Vec<DVec3> {
        let turn = |(index, rest): (usize, &glam::Vec3)| match &self.form {
            Form::Blended { method, weights, .. } => {
                normal(*method, palette, weights.row(index), rest.as_dvec3())
            }
            Form::BoneSmooth { rig, point_of_position } => {
                let point = point_of_position[index] as usize;
                let staged = rig.reference(point, palette, KEEP_VOLUME);
                (staged.rotation * (cofactors(staged.stretch) * rest.as_dvec3()))
                    .normalize_or_zero()
            }
        };
        self.input.normals.iter().enumerate().map(turn).collect()
    }
}

fn position(
    method: BlendMethod,
    palette: &Palette,
    influences: &[Influence],
    rest: DVec3,
    center: Option<DVec3>,
) -> DVec3 {
    let transforms = palette.model_from_rest();
    let linear = |p: DVec3| -> DVec3 {
        influences
            .iter()
            .map(|i| f64::from(i.weight) * transforms[i.joint as usize].transform_point3(p))
            .sum()
    };
    match method {
        BlendMethod::Linear => linear(rest),
        BlendMethod::DualQuat => {
            let parts = weighted_parts(palette, influences);
            let stretch = blend_stretch(&parts);
            let pivot = parts[0].1.rotation;
            let mut real = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
            let mut dual = real;
            for (weight, part) in &parts {
                let sign = if part.rotation.dot(pivot) < 0.0 { -1.0 } else { 1.0 };
                let t = DQuat::from_vec4(part.translation.extend(0.0));
                real += part.rotation * (sign * weight);
                dual += (t * part.rotation) * (0.5 * sign * weight);
            }
            let length = real.length();
            let (real, dual) = (real * (1.0 / length), dual * (1.0 / length));
            let translation = (dual * real.conjugate()) * 2.0;
            real * (stretch * rest) + translation.xyz()
        }
        BlendMethod::CenterOfRotation => {
            let Some(center) = center else { return linear(rest) };
            let parts = weighted_parts(palette, influences);
            blend_rotation(&parts) * (blend_stretch(&parts) * (rest - center)) + linear(center)
        }
    }
}

fn normal(method: BlendMethod, palette: &Palette, influences: &[Influence], rest: DVec3) -> DVec3 {
    let transforms = palette.model_from_rest();
    let turned = match method {
        BlendMethod::Linear => influences
            .iter()
            .map(|i| f64::from(i.weight) * (cofactors(transforms[i.joint as usize].matrix3) * rest))
            .sum(),
        BlendMethod::DualQuat | BlendMethod::CenterOfRotation => {
            let parts = weighted_parts(palette, influences);
            blend_rotation(&parts) * (cofactors(blend_stretch(&parts)) * rest)
        }
    };
    turned.normalize_or_zero()
}

fn cofactors(m: DMat3) -> DMat3 {
    DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

fn weighted_parts(palette: &Palette, influences: &[Influence]) -> Vec<(f64, Parts)> {
    let transforms = palette.model_from_rest();
    influences
        .iter()
        .map(|i| (f64::from(i.weight), Parts::of(&transforms[i.joint as usize])))
        .collect()
}

/// The normalised sum of the rotations, each in the first one's hemisphere.
fn blend_rotation(parts: &[(f64, Parts)]) -> DQuat {
    let pivot = parts[0].1.rotation;
    parts
        .iter()
        .fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, (weight, part)| {
            let sign = if part.rotation.dot(pivot) < 0.0 { -1.0 } else { 1.0 };
            sum + part.rotation * (sign * weight)
        })
        .normalize()
}

/// `model_from_rest = T · R · S`.
struct Parts {
    rotation: DQuat,
    translation: DVec3,
    stretch: DMat3,
}

impl Parts {
    fn of(transform: &DAffine3) -> Self {
        let (rotation, stretch) = crate::skeleton::polar(transform.matrix3);
        Self {
            rotation: DQuat::from_mat3(&rotation).normalize(),
            translation: transform.translation,
            stretch,
        }
    }
}

fn blend_stretch(parts: &[(f64, Parts)]) -> DMat3 {
    parts.iter().fold(DMat3::ZERO, |sum, (weight, part)| sum + part.stretch * *weight)
}
