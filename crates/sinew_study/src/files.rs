//! Subjects from character files: their own clips, seeded random extremes, and hard poses where the
//! names are known.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sinew::Character;
use sinew_io::{ReadError, read_character};

use crate::body;
use crate::poser::PoseError;
use crate::random::{Limits, random_pose};
use crate::subject::{NamedPose, Role, Subject};
use crate::subjects::CharacterFile;

/// Clips that are taken of a file, evenly spread over its list.
const MAX_CLIPS: usize = 3;
/// Where in a clip a pose is taken, over its duration.
const CLIP_TIMES: [f64; 2] = [0.3, 0.7];
/// One random pose each.
const RANDOM_LIMITS: [Limits; 3] = [
    Limits { swing_degrees: 60.0, twist_degrees: 45.0 },
    Limits { swing_degrees: 75.0, twist_degrees: 90.0 },
    Limits { swing_degrees: 90.0, twist_degrees: 90.0 },
];
/// Any number; never chosen by what comes of it.
const FIRST_SEED: u64 = 20_260_701;

/// Folders of the shared data that have characters.
const FOLDERS: [&str; 3] = ["gltf", "layered", "fbx"];

/// Why a file is no subject.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its joints are not called what the rig says.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// It has no part with weights.
    #[error("no mesh of the file has weights; there is nothing to pose")]
    NoWeights,
}

/// The subject of a file below `data`.
pub fn subject(data: &Path, file: &CharacterFile, role: Role) -> Result<Subject, FileError> {
    let character = read_character(&data.join(file.path))?.character;
    if character.parts.iter().all(|part| part.weights.is_none()) {
        return Err(FileError::NoWeights);
    }
    let mut poses = match file.body {
        Some(rig) => body::hard_poses(rig, &character.skeleton)?,
        None => Vec::new(),
    };
    poses.extend(clip_poses(&character));
    poses.extend(RANDOM_LIMITS.into_iter().enumerate().map(|(index, limits)| {
        let pose = random_pose(&character.skeleton, FIRST_SEED + index as u64, limits);
        NamedPose::new(format!("random {}", index + 1), pose)
    }));
    Ok(Subject { name: file.name.into(), role, character: Arc::new(character), poses, rings: None })
}

fn clip_poses(character: &Character) -> Vec<NamedPose> {
    let num_clips = character.clips.len();
    let taken = num_clips.min(MAX_CLIPS);
    let mut poses = Vec::new();
    for index in 0..taken {
        let clip = &character.clips[index * num_clips / taken];
        for share in CLIP_TIMES {
            let time_seconds = clip.duration_seconds() * share;
            let name = clip.name.rsplit('|').next().unwrap_or(&clip.name);
            poses.push(NamedPose::new(
                format!("{name} {:.0}%", share * 100.0),
                clip.pose_at(&character.skeleton, time_seconds),
            ));
        }
    }
    poses
}

/// Every file of the shared data that may be a character, by path.
pub(crate) fn characters_in(data: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.map(|folder| data.join(folder)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["glb", "gltf", "vrm", "fbx"].contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
