//! Procedural subjects: the samples of the library in bends, twists, curls and hard poses.

use glam::{DQuat, DVec3};
use sinew::Character;
use sinew::sample::{SampleError, SampleKind, SampleOptions, build};
use sinew::skeleton::{Pose, Skeleton};

use crate::body::{self, BodyRig};
use crate::poser::PoseError;
use crate::rings::Rings;
use crate::subject::{NamedPose, Role, Subject};

/// Of the sample `cylinder`.
const CYLINDER_RADIUS: f64 = 0.5;
const BENDS_DEGREES: [f64; 5] = [45.0, 90.0, 135.0, 170.0, 180.0];
const TWISTS_DEGREES: [f64; 4] = [90.0, 180.0, 360.0, 720.0];
/// Of each joint after the root; linear blending loses as much volume as in springs.md (.574).
const BOX_CURL_DEGREES: f64 = 120.0;
/// Of each of the four joints of an arm.
const PLUS_CURL_DEGREES: f64 = 85.0;

/// Why a procedural subject cannot be made: a fault of the study.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProceduralError {
    /// The sample.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// Its poses.
    #[error(transparent)]
    Pose(#[from] PoseError),
}

/// A cylinder of about that many points.
pub fn cylinder(name: &str, num_points: usize) -> Result<Subject, ProceduralError> {
    let options =
        SampleOptions { points: Some(num_points), ..SampleOptions::new(SampleKind::Cylinder) };
    let character = build(&options)?;
    let skeleton = &character.skeleton;
    let bend = |degrees: f64| {
        let pose = turned(skeleton, [1], degrees);
        NamedPose::new(format!("bend {degrees}"), pose)
    };
    let twist = |degrees: f64| {
        let mut pose = Pose::rest(skeleton);
        pose.joints[1].twist_radians = degrees.to_radians();
        NamedPose { name: format!("twist {degrees}"), pose, is_twist: true }
    };
    let poses = BENDS_DEGREES.map(bend).into_iter().chain(TWISTS_DEGREES.map(twist)).collect();
    let rings = Rings::of_tube(character.parts[0].mesh.points(), CYLINDER_RADIUS);
    Ok(Subject { name: name.into(), role: Role::Tuning, character, poses, rings: Some(rings) })
}

/// The box, curled.
pub fn curled_box() -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(SampleKind::Box))?;
    let joints = 1..character.skeleton.len();
    let poses = [BOX_CURL_DEGREES / 2.0, BOX_CURL_DEGREES]
        .map(|degrees| {
            let pose = turned(&character.skeleton, joints.clone(), degrees);
            NamedPose::new(format!("curl {degrees}"), pose)
        })
        .into();
    Ok(subject("box", character, poses))
}

/// The plus, its arms curled.
pub fn curled_plus() -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(SampleKind::Plus))?;
    let joints = 1..character.skeleton.len();
    let poses = [PLUS_CURL_DEGREES / 2.0, PLUS_CURL_DEGREES]
        .map(|degrees| {
            let pose = turned(&character.skeleton, joints.clone(), degrees);
            NamedPose::new(format!("curl {degrees}"), pose)
        })
        .into();
    Ok(subject("plus", character, poses))
}

/// The human in hard poses.
pub fn human() -> Result<Subject, ProceduralError> {
    of_body("human", SampleKind::Human, &body::HUMAN)
}

/// The chibi in hard poses.
pub fn chibi() -> Result<Subject, ProceduralError> {
    of_body("chibi", SampleKind::Chibi, &body::CHIBI)
}

fn of_body(name: &str, kind: SampleKind, rig: &BodyRig) -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(kind))?;
    let poses = body::hard_poses(rig, &character.skeleton)?;
    Ok(subject(name, character, poses))
}

fn subject(name: &str, character: Character, poses: Vec<NamedPose>) -> Subject {
    Subject { name: name.into(), role: Role::Tuning, character, poses, rings: None }
}

/// These joints turned about their own +X, at a right angle to their bones.
fn turned(skeleton: &Skeleton, joints: impl IntoIterator<Item = usize>, degrees: f64) -> Pose {
    let mut pose = Pose::rest(skeleton);
    for joint in joints {
        pose.joints[joint].swing = DQuat::from_axis_angle(DVec3::X, degrees.to_radians());
    }
    pose
}
