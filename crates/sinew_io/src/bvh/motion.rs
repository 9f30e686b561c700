//! The second half of a file: numbers, frame after frame.

use glam::{DQuat, DVec3};
use sinew::motion::{Channel as TrackChannel, Curve, Track};

use super::FileJoint;
use super::channels::Channel;
use super::euler::about;
use super::words::{Words, place};
use crate::{ReadError, Report};

/// What motions have whose file says no time.
const USUAL_FRAME_SECONDS: f64 = 1.0 / 30.0;

/// A number and a blank.
const LEAST_BYTES_A_NUMBER: usize = 2;

#[derive(Debug)]
pub(super) struct Motion {
    pub(super) frame_seconds: f64,
    pub(super) tracks: Vec<Track>,
}

/// Reads what comes after the word MOTION; `None` where there is nothing.
pub(super) fn read(
    words: &mut Words<'_>,
    joints: &[FileJoint],
    report: &mut Report,
) -> Result<Option<Motion>, ReadError> {
    if words.peek().is_none() {
        report.note(
            "no-motion",
            place(words.line()),
            "the file has a skeleton and no frames",
            "export the motion with it",
        );
        return Ok(None);
    }
    let malformed =
        |words: &Words<'_>, what: String| Err(ReadError::malformed(place(words.line()), what));
    if !words.take_label("Frames") {
        return malformed(words, "after MOTION comes 'Frames:' and their number".into());
    }
    let declared = words.number(|| "the number of frames".into())?;
    if declared < 0.0 || declared.fract() != 0.0 {
        return malformed(words, format!("{declared} is no number of frames"));
    }
    let mut frame_seconds = USUAL_FRAME_SECONDS;
    if words.take_label("Frame Time") {
        let line = words.line();
        let found = words.number(|| "the time of a frame".into())?;
        if found > 0.0 {
            frame_seconds = found;
        } else {
            let what = format!("a frame time of {found} s; 30 frames a second were taken");
            report.warn("no-frame-time", place(line), what, "write the time of a frame in seconds");
        }
    } else {
        let what = "there is no 'Frame Time:'; 30 frames a second were taken";
        report.warn("no-frame-time", place(words.line()), what, "write it after 'Frames:'");
    }
    let num_channels: usize = joints.iter().map(|joint| joint.channels.0.len()).sum();
    let mut moved: Vec<Moved> = Vec::new();
    // More frames than this cannot be in what is left.
    let most = words.num_bytes_left() / (LEAST_BYTES_A_NUMBER * num_channels.max(1)) + 1;
    let capacity = (declared as usize).min(most);
    moved.extend(joints.iter().map(|joint| Moved::new(joint, capacity)));
    let mut num_frames = 0;
    while num_channels > 0 && (num_frames as f64) < declared && words.peek().is_some() {
        if !read_frame(words, joints, &mut moved, num_frames)? {
            break;
        }
        num_frames += 1;
    }
    if num_channels > 0 && (num_frames as f64) < declared {
        let what =
            format!("the motion is truncated: it ends in frame {} of {declared}", num_frames + 1);
        if num_frames == 0 {
            return malformed(words, what);
        }
        let what = format!("{what}; the {num_frames} whole ones were read");
        report.warn("truncated-motion", place(words.line()), what, "export the motion again");
    } else if words.peek().is_some() {
        let what = format!("there is more after the last of {declared} frames, which was left out");
        report.warn("numbers-left-over", place(words.line()), what, "correct 'Frames:'");
    }
    let times: Vec<f64> = (0..num_frames).map(|frame| frame as f64 * frame_seconds).collect();
    let mut tracks = Vec::new();
    let mut added = Vec::new();
    for (index, (joint, moved)) in joints.iter().zip(moved).enumerate() {
        if moved.finish(index as u32, joint, &times, &mut tracks) {
            added.push(joint.name.as_str());
        }
    }
    if let Some(first) = added.first() {
        let what = format!(
            "positions of {} joints lie about zero and not about the OFFSET: they were added to it",
            added.len()
        );
        let mend = "nothing needs to be done, unless the motion is displaced";
        report.note("positions-added", format!("joint '{first}'"), what, mend);
    }
    Ok(Some(Motion { frame_seconds, tracks }))
}

/// Reads a frame; false where the file ends inside it.
fn read_frame(
    words: &mut Words<'_>,
    joints: &[FileJoint],
    moved: &mut [Moved],
    frame: usize,
) -> Result<bool, ReadError> {
    for (joint, moved) in joints.iter().zip(moved) {
        let (mut position, mut rotation) = (joint.offset, DQuat::IDENTITY);
        for channel in &joint.channels.0 {
            if words.peek().is_none() {
                return Ok(false);
            }
            let of = || format!("a number of joint '{}' in frame {}", joint.name, frame + 1);
            let value = words.number(of)?;
            match *channel {
                Channel::Position(axis) => position[axis] = value,
                Channel::Rotation(axis) => rotation *= about(axis, value.to_radians()),
                Channel::Other => {}
            }
        }
        moved.push(joint, position, rotation);
    }
    Ok(true)
}

/// What frames make of a joint.
#[derive(Debug)]
struct Moved {
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl Moved {
    fn new(joint: &FileJoint, capacity: usize) -> Self {
        let of = |is_there: bool| if is_there { capacity } else { 0 };
        Self {
            positions: Vec::with_capacity(of(joint.channels.has_position())),
            rotations: Vec::with_capacity(of(joint.channels.has_rotation())),
        }
    }

    fn push(&mut self, joint: &FileJoint, position: DVec3, rotation: DQuat) {
        if joint.channels.has_position() {
            self.positions.push(position);
        }
        if joint.channels.has_rotation() {
            self.rotations.push(rotation.normalize());
        }
    }

    /// Its tracks, of as many frames as there are whole ones. True if positions were added to the
    /// OFFSET.
    fn finish(
        mut self,
        joint: u32,
        of: &FileJoint,
        times: &[f64],
        tracks: &mut Vec<Track>,
    ) -> bool {
        let mut is_moved_to_offset = false;
        self.positions.truncate(times.len());
        self.rotations.truncate(times.len());
        if !self.positions.is_empty() {
            let named = |axis: usize| of.channels.0.contains(&Channel::Position(axis));
            let offset = DVec3::from_array(
                [0, 1, 2].map(|axis| if named(axis) { of.offset[axis] } else { 0.0 }),
            );
            if is_added(self.positions.iter().copied(), offset) {
                self.positions.iter_mut().for_each(|position| *position += offset);
                is_moved_to_offset = true;
            }
            let channel = TrackChannel::Translation(Curve::linear(times.to_vec(), self.positions));
            tracks.push(Track { joint, channel });
        }
        if !self.rotations.is_empty() {
            let channel = TrackChannel::Rotation(Curve::linear(times.to_vec(), self.rotations));
            tracks.push(Track { joint, channel });
        }
        is_moved_to_offset
    }
}

/// True if a joint's positions are to be added to its OFFSET: see the module.
pub(super) fn is_added(positions: impl Iterator<Item = DVec3>, offset: DVec3) -> bool {
    let excess: f64 = positions.map(|p| (p - 0.5 * offset).dot(offset)).sum();
    excess < 0.0
}
