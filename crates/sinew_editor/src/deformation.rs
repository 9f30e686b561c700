//! How a document's skin is made.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinew::Character;
use sinew::attach::AttachSettings;
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};

/// A method, and springs after it if there are any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deformation {
    /// What moves the skin where no springs do.
    pub method: SkinMethod,
    /// Relaxes it; their first stage takes the method's place.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "springs_over_defaults"
    )]
    pub springs: Option<SpringSettings>,
}

impl Default for Deformation {
    /// What a character opens with: linear, as everybody knows it.
    fn default() -> Self {
        Self { method: SkinMethod::Linear, springs: None }
    }
}

impl Deformation {
    /// What it comes to on a character: springs on every mesh that joints can move, in place of the method.
    pub fn on(&self, character: &Character) -> sinew::deform::Deformation {
        match &self.springs {
            Some(springs) => sinew::deform::Deformation::relaxed(springs.clone(), character),
            None => sinew::deform::Deformation::of(self.method),
        }
    }

    /// What does not fit the character.
    pub fn fault(&self, character: &Character) -> Option<String> {
        let springs = self.springs.as_ref()?;
        let num_joints = character.skeleton.len();
        let excluded = &springs.attach.excluded_joints;
        if let Some(joint) = excluded.iter().find(|&&joint| joint as usize >= num_joints) {
            return Some(format!("springs: excluded joint {joint} of {num_joints}"));
        }
        let attach = &springs.attach;
        if let Some((joint, _)) =
            attach.influence_of_joint.iter().find(|(joint, _)| *joint as usize >= num_joints)
        {
            return Some(format!("springs: influence of joint {joint} of {num_joints}"));
        }
        let mut influences =
            attach.influence_of_joint.iter().map(|&(_, scale)| scale).chain([attach.influence]);
        if let Some(scale) = influences.find(|scale| !AttachSettings::INFLUENCES.contains(scale)) {
            let (least, most) = AttachSettings::INFLUENCES.into_inner();
            return Some(format!("springs: influence {scale} is not in {least} to {most}"));
        }
        let c = &springs.coefficients;
        if let Err(error) = c.check() {
            return Some(format!("springs: {error}"));
        }
        if !(0.0..=1.0).contains(&springs.keep_volume) {
            return Some(format!("springs: keep_volume {} is not in 0 to 1", springs.keep_volume));
        }
        let is_threshold = springs.threshold.is_finite() && springs.threshold >= 0.0;
        (!is_threshold).then(|| format!("springs: threshold {} is below zero", springs.threshold))
    }

    pub(crate) fn bytes(&self) -> usize {
        let painted = self.springs.as_ref().map_or(0, |springs| {
            let c = &springs.coefficients;
            let influences = &*springs.attach.influence_of_joint;
            size_of_val(&*c.of_point) + size_of_val(&*c.of_pair) + size_of_val(influences)
        });
        size_of::<Self>() + painted
    }
}

/// Springs as written, over the defaults of *their* model: `{"model": "paper"}` is the paper's springs, not anchored ones by another name.
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
    use sinew::springs::PairScale;

    use super::*;

    #[test]
    fn springs_as_written_lie_over_the_defaults_of_their_own_model() {
        let text =
            r#"{"method": "linear", "springs": {"model": "paper", "coefficients": {"edge": 2.0}}}"#;
        let read: Deformation = serde_json::from_str(text).unwrap();
        let mut expected = SpringSettings::new(SpringModel::Paper);
        expected.coefficients.edge = 2.0;
        assert_eq!(read.springs, Some(expected));
    }

    #[test]
    fn a_mistyped_setting_is_an_error_that_names_it() {
        let text = r#"{"method": "linear", "springs": {"iteration": 20}}"#;
        let error = serde_json::from_str::<Deformation>(text).unwrap_err().to_string();
        assert!(error.contains("iteration"), "{error}");
    }

    #[test]
    fn every_setting_comes_back() {
        let mut springs = SpringSettings::new(SpringModel::DeltaMush);
        springs.coefficients.of_point = vec![0.1, 0.2];
        springs.coefficients.of_pair = vec![
            PairScale::both([3, 4], 0.5),
            PairScale { points: [4, 5], torque: 2.0, edge: 0.0 },
        ];
        springs.coefficients.across_bones_torque = 0.25;
        springs.step_seconds = 0.02;
        springs.attach.excluded_joints = vec![7];
        springs.attach.influence = 0.5;
        springs.attach.influence_of_joint = vec![(3, 0.25)];
        let before = Deformation { method: SkinMethod::CenterOfRotation, springs: Some(springs) };
        let text = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<Deformation>(&text).unwrap(), before);
    }

    #[test]
    fn a_pair_as_older_files_have_it_is_of_both_forces() {
        let text = r#"{"method": "linear", "springs": {"coefficients": {"across_bones": 0.5,
            "of_pair": [[[3, 4], 2.0], {"points": [4, 5], "edge": 3.0}]}}}"#;
        let read: Deformation = serde_json::from_str(text).unwrap();
        let coefficients = read.springs.unwrap().coefficients;
        assert_eq!((coefficients.across_bones, coefficients.across_bones_edge), (0.5, 1.0));
        let apart = PairScale { points: [4, 5], torque: 1.0, edge: 3.0 };
        assert_eq!(coefficients.of_pair, [PairScale::both([3, 4], 2.0), apart]);
    }

    #[test]
    fn an_influence_out_of_range_or_of_no_joint_is_a_fault() {
        let sample = sinew::sample::SampleOptions::new(sinew::sample::SampleKind::Box);
        let character = sinew::sample::build(&sample).unwrap();
        let fault = |change: fn(&mut AttachSettings)| {
            let mut springs = SpringSettings::default();
            change(&mut springs.attach);
            Deformation { method: SkinMethod::Linear, springs: Some(springs) }.fault(&character)
        };
        assert_eq!(fault(|attach| attach.influence = 2.0), None);
        assert!(fault(|attach| attach.influence = 0.0).unwrap().contains("not in 0.1 to 4"));
        assert!(fault(|attach| attach.influence = f32::NAN).is_some());
        let of_none = fault(|attach| attach.influence_of_joint = vec![(99, 1.0)]);
        assert!(of_none.unwrap().contains("joint 99"));
    }
}
