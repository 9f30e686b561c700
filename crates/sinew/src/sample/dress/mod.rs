//! Dressed characters: the sample human in clothes, armour and with props, as artists make them:
//! many shells in several meshes, held together by nothing but their weights.
//!
//! Cloth is cut from the skin and has its weights (`cloth`); sheets (capes, skirts, tails) have the
//! weights of the skin that is nearest, mixed with what they hang from; plates, buttons, pouches,
//! glasses and props have one row each (`solids`). Skin below cloth is left out, as in games.

mod cloth;
mod drape;
mod form;
mod piece;
mod soldier;
mod solids;
mod suit;

use glam::{DAffine3, DVec3};

use self::form::Form;
use self::piece::Wardrobe;
use self::soldier::basis;
use self::solids::{disc, rod};
use crate::character::Character;
use crate::motion::Clip;
use crate::sample::{SampleError, body};
use crate::skeleton::Skeleton;

pub(super) use self::soldier::soldier;
pub(super) use self::suit::suit;

/// Points of the body below the clothes, unless told otherwise.
const BODY_POINTS: f64 = 5_000.0;
/// Points of the whole with it.
pub(super) const SOLDIER_POINTS: usize = 15_612;
pub(super) const SUIT_POINTS: usize = 13_572;
/// Points more of the whole for one more of the body: what is cut from the skin has its points.
const POINTS_OVER_BODY: f64 = 1.43;

/// The sample human with as many points as the whole needs.
fn human_for(num_points: usize, default_points: usize) -> Character {
    let more = (num_points as f64 - default_points as f64) / POINTS_OVER_BODY;
    body::human((BODY_POINTS + more).max(2_000.0) as usize)
}

/// A form in its clothes.
fn dressed(
    name: &str,
    form: Form,
    wardrobe: Wardrobe,
    clips: fn(&Skeleton) -> Vec<Clip>,
) -> Result<Character, SampleError> {
    let (parts, materials) = wardrobe.into_parts(form.skeleton.len())?;
    let clips = clips(&form.skeleton);
    Ok(Character {
        name: name.to_owned(),
        parts,
        skeleton: form.skeleton,
        clips,
        materials,
        ..Character::default()
    })
}

/// The right hand closed around a shaft: joints by their names' beginnings, degrees about +X.
const FIST: [(&str, f64); 15] = [
    ("index_1_r", 62.0),
    ("index_2_r", 72.0),
    ("index_3_r", 30.0),
    ("middle_1_r", 66.0),
    ("middle_2_r", 72.0),
    ("middle_3_r", 30.0),
    ("ring_1_r", 68.0),
    ("ring_2_r", 72.0),
    ("ring_3_r", 30.0),
    ("pinky_1_r", 68.0),
    ("pinky_2_r", 70.0),
    ("pinky_3_r", 30.0),
    ("thumb_1_r", 14.0),
    ("thumb_2_r", 30.0),
    ("thumb_3_r", 34.0),
];

/// The joint on the other side; itself in the middle.
fn mirror_of(form: &Form, joint: u32) -> u32 {
    let name = &form.skeleton.joints()[joint as usize].name;
    let other = match (name.strip_suffix("_l"), name.strip_suffix("_r")) {
        (Some(stem), _) => format!("{stem}_r"),
        (_, Some(stem)) => format!("{stem}_l"),
        _ => return joint,
    };
    form.joint(&other)
}

/// Irises and brows: small shells on the face.
fn face(form: &Form, wardrobe: &mut Wardrobe) {
    let iris = wardrobe.color("iris", 0x32_28_22);
    let brow = wardrobe.color("brow", 0x46_30_22);
    for side in ["l", "r"] {
        let [eye, front] = form.skeleton.rest_bone(form.joint(&format!("eye_{side}")));
        let look = (front - eye).normalize();
        let frame = DAffine3::from_mat3_translation(basis(look, DVec3::Y), eye + look * 0.0128);
        let row = form.rigid(&format!("eye_{side}"));
        wardrobe.add("face", iris, disc(&frame, 0.0060, 0.0022, 14).rigid(&row));
        let [inner, outer] =
            ["brow_inner", "brow_outer"].map(|name| form.head(&format!("{name}_{side}")));
        let path: Vec<(DVec3, f64)> = (0..=6)
            .map(|step| {
                let t = f64::from(step) / 6.0;
                let along = inner.lerp(outer, 1.25 * t - 0.05) + DVec3::Z * 0.05;
                let place = form.nearest(along + DVec3::Y * 0.004 * (3.0 * t).sin());
                (place.point + place.normal * 0.0005, 0.0034 * (1.0 - 0.55 * t))
            })
            .collect();
        wardrobe.add("face", brow, rod(&path, 8).with_rows(|p| form.copied(p)));
    }
}

#[cfg(test)]
mod tests;
