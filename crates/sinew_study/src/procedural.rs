//! Procedural subjects: the samples of the library in bends, twists, curls and hard poses.

use std::sync::Arc;

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
/// Of each joint after the root. At 90° each bone's inner side is all in the folds; more must pass
/// through itself.
const BOX_CURLS_DEGREES: [f64; 3] = [45.0, 60.0, 90.0];
/// Of each of the four joints of every arm.
const PLUS_CURLS_DEGREES: [f64; 3] = [30.0, 45.0, 60.0];
/// Of each of the snake's 97 joints: two and a half turns in all, and as much twist again.
const SNAKE_COIL_DEGREES: f64 = 9.3;
const SNAKE_TWIST_DEGREES: f64 = 9.3;
/// Of each joint of a digit.
const FIST_DEGREES: f64 = 80.0;
const ELBOW_DEGREES: f64 = 130.0;
const PRONATION_DEGREES: f64 = 120.0;

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
    Ok(Subject { rings: Some(rings), ..subject(name, character, poses) })
}

/// The box, curled.
pub fn curled_box() -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(SampleKind::Box))?;
    let poses = curls(&character, &BOX_CURLS_DEGREES);
    Ok(subject("box", character, poses))
}

/// The plus, its arms curled.
pub fn curled_plus() -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(SampleKind::Plus))?;
    let poses = curls(&character, &PLUS_CURLS_DEGREES);
    Ok(subject("plus", character, poses))
}

/// Every joint but the root turned.
fn curls(character: &Character, degrees: &[f64]) -> Vec<NamedPose> {
    let curl = |&degrees: &f64| {
        let pose = turned(&character.skeleton, 1..character.skeleton.len(), degrees);
        NamedPose::new(format!("curl {degrees}"), pose)
    };
    degrees.iter().map(curl).collect()
}

/// The arm: elbow, forearm and fist, alone and together.
pub fn arm() -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(SampleKind::Arm))?;
    let skeleton = &character.skeleton;
    let digits: Vec<usize> = (0..skeleton.len())
        .filter(|&joint| skeleton.joints()[joint].name.ends_with(['0', '1']))
        .collect();
    let pronated = |mut pose: Pose| {
        for name in ["fore_arm_twist", "hand"] {
            let joint = skeleton.find(name).ok_or(PoseError::NoJoint { name: name.into() })?;
            pose.joints[joint as usize].twist_radians = (PRONATION_DEGREES / 2.0).to_radians();
        }
        Ok::<Pose, PoseError>(pose)
    };
    let elbow = turned(skeleton, [1], ELBOW_DEGREES);
    let mut fist = turned(skeleton, digits, FIST_DEGREES);
    let mut poses = vec![
        NamedPose::new("elbow", elbow.clone()),
        NamedPose::new("pronation", pronated(Pose::rest(skeleton))?),
        NamedPose::new("fist", fist.clone()),
    ];
    fist.joints[1] = elbow.joints[1];
    poses.push(NamedPose::new("all", pronated(fist)?));
    Ok(subject("arm", character, poses))
}

/// The human in hard poses.
pub fn human() -> Result<Subject, ProceduralError> {
    of_body("human", SampleKind::Human, &body::HUMAN)
}

/// The chibi in hard poses.
pub fn chibi() -> Result<Subject, ProceduralError> {
    of_body("chibi", SampleKind::Chibi, &body::CHIBI)
}

/// The giant in hard poses.
pub fn giant() -> Result<Subject, ProceduralError> {
    of_body("giant", SampleKind::Giant, &body::GIANT)
}

/// The snake, coiled to one side, and twisted along its length.
pub fn snake() -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(SampleKind::Snake))?;
    let skeleton = &character.skeleton;
    let (mut coil, mut wring) = (Pose::rest(skeleton), Pose::rest(skeleton));
    for joint in 1..skeleton.len() {
        coil.joints[joint].swing =
            DQuat::from_axis_angle(DVec3::Z, SNAKE_COIL_DEGREES.to_radians());
        wring.joints[joint].twist_radians = SNAKE_TWIST_DEGREES.to_radians();
    }
    let poses = vec![
        NamedPose::new("coil", coil),
        NamedPose { name: "wring".into(), pose: wring, is_twist: true },
    ];
    Ok(subject("snake", character, poses))
}

fn of_body(name: &str, kind: SampleKind, rig: &BodyRig) -> Result<Subject, ProceduralError> {
    let character = build(&SampleOptions::new(kind))?;
    let mut poses = body::hard_poses(rig, &character.skeleton)?;
    poses.extend(body::furthest_poses(rig, &character.skeleton)?);
    Ok(subject(name, character, poses))
}

fn subject(name: &str, character: Character, poses: Vec<NamedPose>) -> Subject {
    Subject {
        name: name.into(),
        role: Role::Tuning,
        character: Arc::new(character),
        poses,
        rings: None,
    }
}

/// These joints turned about their own +X, at a right angle to their bones.
fn turned(skeleton: &Skeleton, joints: impl IntoIterator<Item = usize>, degrees: f64) -> Pose {
    let mut pose = Pose::rest(skeleton);
    for joint in joints {
        pose.joints[joint].swing = DQuat::from_axis_angle(DVec3::X, degrees.to_radians());
    }
    pose
}
