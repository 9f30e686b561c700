//! Poses in JSON files: `{"joints": {"NAME": {"rotate": [["x", 30]], …}}}`; see
//! `docs/pose-files.md`.
//!
//! Joints that the file does not name rest. Within a joint `rotation` is set first, then every
//! `rotate` turns further. A key that is not known is an error that names it: a mistyped one would
//! silently pose nothing.

use glam::{DQuat, DVec3};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use sinew::Character;
use sinew::skeleton::{JointPose, Pose};

use crate::text::refuse_crowds;
use crate::{json_keys, names};
use sinew::skeleton::Axis;

/// Quaternions further from unit length than this are not rounded ones but wrong ones.
const UNIT_TOLERANCE: f64 = 1e-2;

/// A pose file's content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseFile {
    #[serde(deserialize_with = "json_keys::once")]
    joints: Vec<(String, JointEntry)>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct JointEntry {
    rotate: Vec<Turn>,
    rotation: Option<[f64; 4]>,
    translation: Option<[f64; 3]>,
    scale: Option<[f64; 3]>,
    stretch: Option<f64>,
}

/// `["x", 30]`.
#[derive(Debug, Deserialize)]
struct Turn(#[serde(deserialize_with = "axis")] Axis, f64);

impl PoseFile {
    /// Of a file's text.
    ///
    /// # Errors
    /// Says what is wrong, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        // Serde would take a list of the fields as well, which nobody means.
        if !text.trim_start().starts_with('{') {
            return Err(r#"not a JSON object; a pose is {"joints": {"NAME": {...}}}"#.into());
        }
        refuse_crowds(text.as_bytes())?;
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The pose on a character's skeleton.
    ///
    /// # Errors
    /// Names the joint that is not there, with its nearest, or the value that cannot be.
    pub fn pose(&self, character: &Character) -> Result<Pose, String> {
        let skeleton = &character.skeleton;
        let mut pose = Pose::rest(skeleton);
        for (name, entry) in &self.joints {
            let Some(index) = skeleton.find(name) else {
                let all = skeleton.joints().iter().map(|joint| joint.name.as_str());
                return Err(names::unknown("joint", name, all));
            };
            let joint = &skeleton.joints()[index as usize];
            let mut posed = JointPose::REST;
            if let Some(rotation) = entry.rotation {
                let rotation =
                    unit(rotation).map_err(|error| format!("joint '{name}': {error}"))?;
                posed = posed.with_rotation(rotation, joint.bone_axis());
            }
            for &Turn(axis, degrees) in &entry.rotate {
                posed = axis.turn(posed, character, index, degrees);
            }
            if let Some(translation) = entry.translation {
                posed.translation = DVec3::from_array(translation);
            }
            if let Some(scale) = entry.scale {
                posed.scale = DVec3::from_array(scale);
            }
            if let Some(stretch) = entry.stretch {
                posed.stretch = stretch_factor(Some(stretch))
                    .map_err(|error| format!("joint '{name}': {stretch} {error}"))?;
            }
            pose.joints[index as usize] = posed;
        }
        Ok(pose)
    }
}

/// A length of a bone over its rest length: above zero.
///
/// # Errors
/// Says what a stretch is.
pub fn stretch_factor(factor: Option<f64>) -> Result<f64, &'static str> {
    match factor {
        Some(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("is no stretch; give a number above zero, the length over that at rest"),
    }
}

fn unit(xyzw: [f64; 4]) -> Result<DQuat, String> {
    let rotation = DQuat::from_array(xyzw);
    let length = rotation.length();
    if (length - 1.0).abs() <= UNIT_TOLERANCE {
        Ok(rotation.normalize())
    } else {
        Err(format!(
            "rotation {xyzw:?} has length {length}; a rotation is a unit quaternion x, y, z, w"
        ))
    }
}

fn axis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Axis, D::Error> {
    let text = String::deserialize(deserializer)?;
    Axis::parse(&text).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, TAU};

    use sinew::skeleton::{Joint, JointTransform, Skeleton};

    use super::*;

    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent| Joint {
            name: name.into(),
            parent,
            rest: JointTransform::IDENTITY,
            tail_in_joint: DVec3::Y,
        };
        Skeleton::new(vec![joint("root", None), joint("elbow", Some(0))]).unwrap()
    }

    fn pose(text: &str) -> Result<Pose, String> {
        PoseFile::parse(text)?.pose(&Character { skeleton: skeleton(), ..Character::default() })
    }

    #[test]
    fn every_key_reaches_the_joint() {
        let text = r#"{"joints": {"elbow": {
            "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476],
            "rotate": [["twist", 720]], "translation": [1, 2, 3], "scale": [1, 2, 1],
            "stretch": 1.5}}}"#;
        let posed = pose(text).unwrap().joints[1];
        assert!((posed.twist_radians - 2.0 * TAU).abs() < 1e-12);
        assert!((posed.swing.to_axis_angle().1 - FRAC_PI_2).abs() < 1e-12);
        assert_eq!(posed.translation, DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(posed.scale, DVec3::new(1.0, 2.0, 1.0));
        assert_eq!(posed.stretch, 1.5);
    }

    #[test]
    fn joints_that_are_not_named_rest() {
        assert_eq!(pose(r#"{"joints": {}}"#).unwrap(), Pose::rest(&skeleton()));
    }

    #[test]
    fn unknown_keys_are_errors_that_name_the_key() {
        for (text, key) in [
            (r#"{"joints": {"elbow": {"rotte": []}}}"#, "rotte"),
            (r#"{"joints": {}, "clip": "walk"}"#, "clip"),
            ("[]", r#"{"joints""#),
            (r#"[{"root": {}}]"#, "not a JSON object"),
            ("", "not a JSON object"),
            (r#"{"joints": {"elbow": {"rotate": [["w", 1]]}}}"#, "'w'"),
            (r#"{"joints": {"elbw": {}}}"#, "'elbow'"),
            (r#"{"joints": {"root": {}, "root": {}}}"#, "twice"),
            (r#"{"joints": {"root": {"rotation": [0, 0, 0, 0]}}}"#, "unit quaternion"),
            (r#"{"joints": {"root": {"stretch": 0}}}"#, "'root': 0 is no stretch"),
            (r#"{"joints": {"root": {"stretch": [1, 2, 1]}}}"#, "expected f64"),
        ] {
            let error = pose(text).unwrap_err();
            assert!(error.contains(key), "{text}: {error}");
        }
    }
}
