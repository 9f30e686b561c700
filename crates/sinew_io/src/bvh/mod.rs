//! BVH (Biovision hierarchy): a skeleton and its motion, without a mesh. In and out.
//!
//! A joint's channels are applied in the order of the file: `Zrotation Yrotation Xrotation` is
//! `R_z · R_y · R_x`, in degrees. There is no rest rotation: at rest every joint's frame is the
//! file's own. Units and the axis that points up are not said either, and are taken as they are.
//!
//! Whether a position stands for the joint's OFFSET or is added to it differs from program to
//! program. The motion tells: positions that lie nearer to the OFFSET than to zero stand for it
//! (`mean(p)·o ≥ |o|²/2`), others are added to it. The writer keeps to the same rule.

mod channels;
mod euler;
mod hierarchy;
mod motion;
mod sampling;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub(crate) use write::prepare;

use std::sync::Arc;

use sinew::Character;
use sinew::carried::Carried;
use sinew::motion::Clip;
use sinew::skeleton::{Joint, JointTransform, Skeleton};

use self::channels::Channels;
use self::words::Words;
use crate::{Loaded, ReadError, Report};

/// What [`Carried::format`] is of characters from BVH: a line with the frame time, then one a joint
/// with its channels.
const CARRIED_FORMAT: &str = "bvh";

/// A joint of the file.
#[derive(Debug)]
struct FileJoint {
    name: String,
    parent: Option<u32>,
    offset: glam::DVec3,
    end_site: Option<glam::DVec3>,
    channels: Channels,
}

/// Reads a file; the clip is called as the file is.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut report = Report::default();
    let mut words = Words::new(bytes);
    let joints = hierarchy::read(&mut words, &mut report)?;
    let motion = motion::read(&mut words, &joints, &mut report)?;
    let frame_time = motion.as_ref().map_or(0.0, |motion| motion.frame_seconds);
    let carried = carry(frame_time, &joints);
    let clips = motion.map(|motion| Clip::new(name, motion.tracks));
    let character = Character {
        name: name.to_owned(),
        skeleton: skeleton(joints)?,
        clips: clips.into_iter().filter(|clip| !clip.tracks.is_empty()).collect(),
        carried: Some(Arc::new(carried)),
        ..Character::default()
    };
    Ok(Loaded { character, report, extensions: Vec::new(), cage: None })
}

fn skeleton(file_joints: Vec<FileJoint>) -> Result<Skeleton, ReadError> {
    let mut has_child = vec![false; file_joints.len()];
    for parent in file_joints.iter().filter_map(|joint| joint.parent) {
        has_child[parent as usize] = true;
    }
    let ends: Vec<_> = file_joints.iter().map(|joint| joint.end_site).collect();
    let mut joints: Vec<Joint> = file_joints
        .into_iter()
        .map(|joint| Joint {
            name: joint.name,
            parent: joint.parent,
            rest: JointTransform { translation: joint.offset, ..JointTransform::IDENTITY },
            tail_in_joint: glam::DVec3::Y,
        })
        .collect();
    Skeleton::infer_tails(&mut joints);
    for ((joint, end), has_child) in joints.iter_mut().zip(ends).zip(has_child) {
        if let Some(end) = end.filter(|end| !has_child && end.length_squared() > 0.0) {
            joint.tail_in_joint = end;
        }
    }
    Ok(Skeleton::new(joints)?)
}

/// What a skeleton and its curves do not say: the order of channels and the exact frame time.
fn carry(frame_seconds: f64, joints: &[FileJoint]) -> Carried {
    let mut text = frame_seconds.to_string();
    for joint in joints {
        text.push('\n');
        text.push_str(&joint.channels.to_string());
    }
    Carried { format: CARRIED_FORMAT, text, blobs: Vec::new() }
}
