//! `--frame`, `--hide` and `--only`: a part of the character in the picture.

use glam::Vec3;
use sinew::Character;
use sinew::frame::Frame;
use sinew::mesh::Aabb;
use sinew_view::overlay;

use crate::exit::Failure;
use crate::names;

/// Points that a joint moves at least this much are around it.
const LEAST_WEIGHT: f32 = 0.4;

/// Around what a joint moves, over its diagonal; and at least so much, over the character's: a bone
/// alone says little.
const AIR: f32 = 0.18;
const LEAST_AIR: f32 = 0.03;

/// The joints of those names.
pub(super) fn joints(character: &Character, named: &[String]) -> Result<Vec<u32>, Failure> {
    let skeleton = &character.skeleton;
    let find = |name: &String| {
        skeleton.find(name).ok_or_else(|| {
            let all = skeleton.joints().iter().map(|joint| joint.name.as_str());
            Failure::Usage(names::unknown("joint", name, all))
        })
    };
    named.iter().map(find).collect()
}

/// For each mesh: true if it is shown, with those hidden or with those alone.
pub(super) fn shown_meshes(
    character: &Character,
    hide: &[String],
    only: &[String],
) -> Result<Vec<bool>, Failure> {
    let all = || character.parts.iter().map(|part| part.mesh.name());
    for name in hide.iter().chain(only) {
        if !all().any(|known| known == name) {
            return Err(Failure::Usage(names::unknown("mesh", name, all())));
        }
    }
    let is_in = |list: &[String], name: &str| list.iter().any(|known| known == name);
    let is_shown = |name: &str| !is_in(hide, name) && (only.is_empty() || is_in(only, name));
    let shown: Vec<bool> = all().map(is_shown).collect();
    if !shown.contains(&true) {
        return Err(Failure::Usage("every mesh is hidden; show one".into()));
    }
    Ok(shown)
}

/// Corners of a box around what joints move, with some air.
pub(super) fn around(character: &Character, frame: &Frame, joints: &[u32]) -> Vec<Vec3> {
    let mut points = Vec::new();
    for &joint in joints {
        points.extend(overlay::posed_bone(frame.skeleton(), frame.palette(), joint));
        for (part, posed) in character.parts.iter().zip(frame.parts()) {
            let Some(weights) = &part.weights else { continue };
            let is_near = |row: &[sinew::weights::Influence]| {
                row.iter()
                    .any(|influence| influence.joint == joint && influence.weight >= LEAST_WEIGHT)
            };
            let rows = weights.rows().zip(posed.points());
            points.extend(rows.filter(|(row, _)| is_near(row)).map(|(_, point)| *point));
        }
    }
    let bounds = Aabb::around(points.into_iter().filter(|p| p.is_finite()));
    let air = (AIR * bounds.diagonal()).max(LEAST_AIR * character.bounds().diagonal());
    let (least, most) = (bounds.min - Vec3::splat(air), bounds.max + Vec3::splat(air));
    let corner = |index: u32| {
        let pick = |bit: u32, axis: usize| if index & bit == 0 { least[axis] } else { most[axis] };
        Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
    };
    (0..8).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};

    use super::*;

    #[test]
    fn meshes_are_hidden_by_name_and_never_all_of_them() {
        let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
        let name = [character.parts[0].mesh.name().to_owned()];
        assert_eq!(shown_meshes(&character, &[], &[]).unwrap(), [true]);
        assert_eq!(shown_meshes(&character, &[], &name).unwrap(), [true]);
        assert!(shown_meshes(&character, &name, &[]).is_err());
        assert!(shown_meshes(&character, &["coat".to_owned()], &[]).is_err());
    }
}
