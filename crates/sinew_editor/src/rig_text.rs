//! Rigs as text: what is left out, and what older projects have in another place.

use serde::Deserialize;
use serde_json::Value;
use sinew::Character;
use sinew::frame::Rig;
use sinew::springs::{SpringModel, SpringSettings};

/// A rig as written, its springs over the defaults of *their* model.
///
/// # Errors
/// Names what is unknown or cannot be.
pub fn rig_over_defaults<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Rig, D::Error> {
    use serde::de::Error;
    let mut written = serde_json::Map::<String, Value>::deserialize(deserializer)?;
    let springs = written.remove("springs").unwrap_or(Value::Null);
    let springs = springs_over_defaults(springs).map_err(D::Error::custom)?;
    let rig = Rig::deserialize(Value::Object(written)).map_err(D::Error::custom)?;
    Ok(Rig { springs, ..rig })
}

/// Older springs had one painted list for all meshes. It goes to the meshes that have as many
/// points and nothing of their own; says of a list that fits none that it is left out. Stiffnesses
/// of pairs serve one mesh alone.
pub(crate) fn move_painted(rig: &mut Rig, character: &Character) -> Vec<String> {
    let mut dropped = Vec::new();
    let Some(springs) = &mut rig.springs else { return dropped };
    let painted = std::mem::take(&mut springs.coefficients.of_point);
    if character.parts.len() > 1 && !springs.coefficients.of_pair.is_empty() {
        let found = springs.coefficients.of_pair.len();
        springs.coefficients.of_pair.clear();
        dropped.push(format!(
            "{found} stiffnesses of pairs of points are left out: they do not say of which mesh they are"
        ));
    }
    if painted.is_empty() {
        return dropped;
    }
    let num_points = |part: &sinew::Part| part.mesh.points().len();
    let fits: Vec<usize> = (0..character.parts.len())
        .filter(|&part| num_points(&character.parts[part]) == painted.len())
        .collect();
    for &part in &fits {
        let own = rig.part_mut(part);
        if own.stiffness.is_empty() {
            own.stiffness.clone_from(&painted);
        }
    }
    if fits.is_empty() {
        let sizes = character.parts.iter();
        let sizes = sizes.map(|part| format!("'{}' has {}", part.mesh.name(), num_points(part)));
        dropped.push(format!(
            "{} painted stiffnesses are left out: no mesh has as many points ({}); paint it again",
            painted.len(),
            sizes.collect::<Vec<_>>().join(", ")
        ));
    }
    dropped
}

/// Springs as written, over the defaults of *their* model: `{"model": "paper"}` is the paper's
/// springs, not anchored ones by another name.
pub(crate) fn springs_over_defaults<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SpringSettings>, D::Error> {
    use serde::de::Error;
    let Some(written) = Option::<serde_json::Map<String, Value>>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let model = match written.get("model") {
        Some(model) => SpringModel::deserialize(model).map_err(D::Error::custom)?,
        None => SpringModel::Anchored,
    };
    let mut all = serde_json::to_value(SpringSettings::new(model)).map_err(D::Error::custom)?;
    lay_over(&mut all, Value::Object(written));
    SpringSettings::deserialize(all).map(Some).map_err(D::Error::custom)
}

fn lay_over(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                lay_over(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, over) => *base = over,
    }
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};
    use sinew::skin::SkinMethod;
    use sinew::springs::PairScale;

    use super::*;

    fn read(text: &str) -> Result<Rig, serde_json::Error> {
        rig_over_defaults(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn springs_as_written_lie_over_the_defaults_of_their_own_model() {
        let text =
            r#"{"method": "linear", "springs": {"model": "paper", "coefficients": {"edge": 2.0}}}"#;
        let mut expected = SpringSettings::new(SpringModel::Paper);
        expected.coefficients.edge = 2.0;
        assert_eq!(read(text).unwrap(), Rig::relaxed(expected));
    }

    #[test]
    fn a_mistyped_setting_is_an_error_that_names_it() {
        let error = read(r#"{"method": "linear", "springs": {"iteration": 20}}"#).unwrap_err();
        assert!(error.to_string().contains("iteration"), "{error}");
        let error = read(r#"{"methd": "linear"}"#).unwrap_err();
        assert!(error.to_string().contains("methd"), "{error}");
    }

    #[test]
    fn every_setting_comes_back() {
        let mut springs = SpringSettings::new(SpringModel::DeltaMush);
        springs.coefficients.of_pair = vec![
            PairScale::both([3, 4], 0.5),
            PairScale { points: [4, 5], torque: 2.0, edge: 0.0 },
        ];
        springs.coefficients.across_bones_torque = 0.25;
        springs.step_seconds = 0.02;
        springs.attach.excluded_joints = vec![7];
        springs.attach.influence = 0.5;
        springs.attach.influence_of_joint = vec![(3, 0.25)];
        let mut before = Rig { method: SkinMethod::CenterOfRotation, ..Rig::relaxed(springs) };
        before.part_mut(1).stiffness = vec![0.1, 0.2];
        before.part_mut(0).relaxes = Some(false);
        before.dynamics.frequency_hz = 5.5;
        before.normals = sinew::frame::Normals::RECOMPUTED;
        let text = serde_json::to_string(&before).unwrap();
        assert_eq!(read(&text).unwrap(), before);
    }

    #[test]
    fn a_pair_as_older_files_have_it_is_of_both_forces() {
        let text = r#"{"method": "linear", "springs": {"coefficients": {"across_bones": 0.5,
            "of_pair": [[[3, 4], 2.0], {"points": [4, 5], "edge": 3.0}]}}}"#;
        let coefficients = read(text).unwrap().springs.unwrap().coefficients;
        assert_eq!((coefficients.across_bones, coefficients.across_bones_edge), (0.5, 1.0));
        let apart = PairScale { points: [4, 5], torque: 1.0, edge: 3.0 };
        assert_eq!(coefficients.of_pair, [PairScale::both([3, 4], 2.0), apart]);
    }

    #[test]
    fn one_painted_list_for_all_goes_to_the_meshes_that_it_fits() {
        let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
        let num_points = character.num_points();
        let painted = |count: usize| {
            let mut springs = SpringSettings::new(SpringModel::Anchored);
            springs.coefficients.of_point = vec![0.5; count];
            let mut rig = Rig::relaxed(springs);
            let dropped = move_painted(&mut rig, &character);
            assert!(rig.check(&character).is_ok());
            (rig.part(0).map_or(0, |own| own.stiffness.len()), dropped)
        };
        assert_eq!(painted(num_points), (num_points, Vec::new()));
        let (kept, dropped) = painted(3);
        assert_eq!(kept, 0);
        let mesh = character.parts[0].mesh.name();
        assert!(dropped[0].contains("3 painted") && dropped[0].contains(mesh), "{dropped:?}");
    }
}
