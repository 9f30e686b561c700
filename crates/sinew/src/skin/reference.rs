//! The slow, obvious f64 evaluation of every method: what the fast paths are tested against.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::SkinMethod;
use crate::skeleton::Palette;
use crate::weights::Influence;

/// One point by its definition, in f64. `center` is the point's centre of rotation, if it has one.
///
/// # Panics
/// If there is no influence, or the palette lacks a joint of them.
pub fn reference_deform(
    method: SkinMethod,
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
        SkinMethod::Linear => linear(rest),
        SkinMethod::Rigid => {
            let dominant = influences.iter().rev().max_by(|a, b| a.weight.total_cmp(&b.weight));
            dominant.map_or(rest, |i| transforms[i.joint as usize].transform_point3(rest))
        }
        SkinMethod::DualQuat => {
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
        SkinMethod::CenterOfRotation => {
            let Some(center) = center else { return linear(rest) };
            let parts = weighted_parts(palette, influences);
            blend_rotation(&parts) * (blend_stretch(&parts) * (rest - center)) + linear(center)
        }
    }
}

/// One normal by its definition, in f64: what the deformation's linear part does to it, with the blend's own variation
/// from point to point left out, as every engine does.
///
/// # Panics
/// As [`reference_deform`].
pub fn reference_normal(
    method: SkinMethod,
    palette: &Palette,
    influences: &[Influence],
    rest: DVec3,
) -> DVec3 {
    let transforms = palette.model_from_rest();
    let cofactors = |m: DMat3| {
        DMat3::from_cols(
            m.y_axis.cross(m.z_axis),
            m.z_axis.cross(m.x_axis),
            m.x_axis.cross(m.y_axis),
        )
    };
    let turned = match method {
        SkinMethod::Rigid => {
            let dominant = influences.iter().rev().max_by(|a, b| a.weight.total_cmp(&b.weight));
            dominant.map_or(rest, |i| cofactors(transforms[i.joint as usize].matrix3) * rest)
        }
        SkinMethod::Linear => influences
            .iter()
            .map(|i| f64::from(i.weight) * (cofactors(transforms[i.joint as usize].matrix3) * rest))
            .sum(),
        SkinMethod::DualQuat | SkinMethod::CenterOfRotation => {
            let parts = weighted_parts(palette, influences);
            blend_rotation(&parts) * (cofactors(blend_stretch(&parts)) * rest)
        }
    };
    turned.normalize_or_zero()
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
