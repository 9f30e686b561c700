//! The pose that the flags ask for: a clip at a time or a pose file, then rotations and stretches
//! on top, in order; and with the shapes the controls of a frame.

use std::path::Path;

use sinew::Character;
use sinew::frame::{CageRig, Controls};
use sinew::motion::Clip;
use sinew::skeleton::Pose;
use sinew_editor::pose_file::PoseFile;

use crate::args::PoseArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::joint_spec::{Axis, RotateSpec, StretchSpec};
use crate::names;

impl PoseArgs {
    /// True if the flags ask for anything but the rest pose.
    pub(crate) fn is_given(&self) -> bool {
        self.clip.is_some()
            || self.pose.is_some()
            || !self.rotate.is_empty()
            || !self.stretch.is_empty()
            || !self.shape.is_empty()
            || !self.control.is_empty()
    }

    /// Where in the clip.
    pub(crate) fn seconds(&self) -> f64 {
        self.time.unwrap_or(0.0)
    }

    /// The controls of a frame: the pose and the shapes, with the clip at `--time`.
    pub(crate) fn controls(
        &self,
        character: &Character,
        cage: Option<&CageRig>,
        console: &Console,
    ) -> Result<Controls, Failure> {
        let rotated = self.rotate.iter().map(|spec| &spec.joint);
        for joint in rotated.chain(self.stretch.iter().map(|spec| &spec.joint)) {
            warn_if_ambiguous(character, joint, console);
        }
        self.controls_at(character, cage, self.seconds())
    }

    /// The controls with the clip at another time than `--time`, without a word to the console.
    pub(crate) fn controls_at(
        &self,
        character: &Character,
        cage: Option<&CageRig>,
        time_seconds: f64,
    ) -> Result<Controls, Failure> {
        let pose = self.pose_at(character, time_seconds)?;
        let weights = self.shape_weights_at(character, time_seconds)?;
        let values = self.control_values_at(character, time_seconds)?;
        let cage = match (&self.clip, cage) {
            (Some(name), Some(rig)) => {
                find_clip(character, name)?.rest_cage_at(rig.cage.points(), time_seconds)
            }
            _ => Vec::new(),
        };
        Ok(Controls { values, cage, ..Controls::posed(character, pose).with_shapes(&weights) })
    }

    /// True if any flag is there to turn joints.
    pub(crate) fn turns_joints(&self) -> bool {
        let is_listed = self.clip.is_some() || self.pose.is_some();
        is_listed || !self.rotate.is_empty() || !self.stretch.is_empty()
    }

    /// True if the clip that is asked for moves handles of the cage in the file.
    pub(crate) fn moves_cage(&self, character: &Character) -> bool {
        let clip = self.clip.as_ref().and_then(|name| character.clip(name));
        clip.is_some_and(|clip| !clip.handle_tracks.is_empty())
    }

    /// What is bound: the shapes that no clip moves. Those of a clip are controls of its frames.
    pub(crate) fn base(&self, character: &Character) -> Result<Controls, Failure> {
        Ok(Controls::rest(character).with_shapes(&self.static_shape_weights(character)?))
    }

    fn pose_at(&self, character: &Character, time_seconds: f64) -> Result<Pose, Failure> {
        let mut pose = match (&self.clip, &self.pose) {
            (Some(name), _) => clip_pose(character, name, time_seconds)?,
            (None, Some(path)) => read_pose(path, character)?,
            (None, None) => Pose::rest(&character.skeleton),
        };
        for RotateSpec { joint, axis, degrees } in &self.rotate {
            turn(character, &mut pose, joint, *axis, *degrees)?;
        }
        for StretchSpec { joint, factor } in &self.stretch {
            // Repeated, stretches multiply, as rotations add up.
            pose.joints[find(character, joint)?].stretch *= factor;
        }
        Ok(pose)
    }
}

/// Says so if several joints have a name that was typed: only the first one moves.
pub(crate) fn warn_if_ambiguous(character: &Character, joint: &str, console: &Console) {
    let joints = character.skeleton.joints();
    let num_named = joints.iter().filter(|other| other.name == joint).count();
    if num_named > 1 {
        console.warn(&format!("{num_named} joints are named '{joint}'; the first one is moved"));
    }
}

/// A joint by name. One that does not exist is bad usage, with the nearest names.
fn find(character: &Character, joint: &str) -> Result<usize, Failure> {
    let skeleton = &character.skeleton;
    skeleton.find(joint).map(|index| index as usize).ok_or_else(|| {
        let all = skeleton.joints().iter().map(|joint| joint.name.as_str());
        Failure::Usage(names::unknown("joint", joint, all))
    })
}

/// Turns a joint by name.
pub(crate) fn turn(
    character: &Character,
    pose: &mut Pose,
    joint: &str,
    axis: Axis,
    degrees: f64,
) -> Result<(), Failure> {
    let index = find(character, joint)?;
    let posed = &mut pose.joints[index];
    *posed = axis.turn(*posed, character, index as u32, degrees);
    Ok(())
}

/// A clip by its name.
pub(crate) fn find_clip<'a>(character: &'a Character, name: &str) -> Result<&'a Clip, Failure> {
    character.clip(name).ok_or_else(|| {
        let all = character.clips.iter().map(|clip| clip.name.as_str());
        Failure::Usage(names::unknown("clip", name, all))
    })
}

fn clip_pose(character: &Character, name: &str, time_seconds: f64) -> Result<Pose, Failure> {
    Ok(find_clip(character, name)?.pose_at(&character.skeleton, time_seconds))
}

fn read_pose(path: &Path, character: &Character) -> Result<Pose, Failure> {
    let at = |error: String| Failure::Input(format!("pose file '{}': {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
    PoseFile::parse(&text).and_then(|file| file.pose(character)).map_err(at)
}
