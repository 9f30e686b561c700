//! Writing BVH: one skeleton, one clip, sampled at even times.
//!
//! BVH has no rest rotations. Each joint gets a frame that is the model's own at rest:
//! `B_j = R_j · R_j(rest)⁻¹`, with `R` the rotation in model space, and its channels are
//! `B_parent⁻¹ · B_j`. Read again, joints lie where they lay, with other frames of their own.

use std::io::{self, Write};

use glam::{DQuat, DVec3};
use sinew::Character;
use sinew::motion::{Channel as TrackChannel, Clip, Placed};
use sinew::skeleton::Skeleton;

use super::CARRIED_FORMAT;
use super::channels::{Channel, Channels};
use super::euler::angles;
use super::motion::is_added;
use super::sampling::Frames;
use crate::{Report, WriteError};

/// What most programs write.
const USUAL_ORDER: [usize; 3] = [2, 0, 1];
/// A joint that leaves its place by less than this share of the skeleton's size does not leave it.
const STILL: f64 = 1e-9;
/// Decimals of a degree.
const ANGLE_DECIMALS: usize = 10;
/// Digits of a length.
const LENGTH_DIGITS: i32 = 12;

/// A file that can be written.
pub(crate) struct Prepared {
    text: Vec<u8>,
    /// What is lost.
    pub(crate) report: Report,
}

impl Prepared {
    pub(crate) fn write(&self, file: &mut impl Write) -> io::Result<()> {
        file.write_all(&self.text)
    }
}

/// The skeleton with a clip, or with one frame at rest.
pub(crate) fn prepare(character: &Character, clip: Option<&Clip>) -> Result<Prepared, WriteError> {
    let skeleton = &character.skeleton;
    if skeleton.is_empty() {
        let what = "has no joints, and a BVH holds nothing else";
        return Err(WriteError::unwritable(format!("character '{}'", character.name), what));
    }
    let (known_seconds, known_channels) = carried(character);
    let frames = clip.map_or(Ok(Frames::REST), |clip| Frames::of(clip, known_seconds))?;
    let mut report = Report::default();
    if let Some(clip) = clip {
        tell_losses(clip, &frames, &mut report);
    }
    let sheet = Sheet::of(skeleton, clip, &frames)?;
    let mut writer = Writer {
        skeleton,
        layouts: layouts(skeleton, &sheet, &known_channels),
        sheet,
        text: Vec::new(),
    };
    // Writing to memory does not fail.
    let _ = writer.hierarchy();
    let _ = writer.motion(&frames);
    Ok(Prepared { text: writer.text, report })
}

/// Frame time and channels of the file that a character came from.
fn carried(character: &Character) -> (Option<f64>, Vec<Channels>) {
    let carried = character.carried.as_ref().filter(|carried| carried.format == CARRIED_FORMAT);
    let Some(carried) = carried else { return (None, Vec::new()) };
    let mut lines = carried.text.lines();
    let seconds = lines.next().and_then(|line| line.parse::<f64>().ok());
    let channels = lines.map(|line| Channels::parse(line).unwrap_or_default()).collect();
    (seconds, channels)
}

fn tell_losses(clip: &Clip, frames: &Frames, report: &mut Report) {
    let place = || format!("clip '{}'", clip.name);
    let scaled = clip.tracks.iter().filter(|t| matches!(t.channel, TrackChannel::Scale(_))).count();
    if scaled > 0 {
        let what = format!("{scaled} joints have curves of scale, which a BVH does not hold");
        report.warn("scale-left-out", place(), what, "keep the motion in a .glb");
    }
    if !clip.shape_tracks.is_empty() {
        let what = "has curves of blend shapes, which a BVH does not hold";
        report.warn("shapes-left-out", place(), what, "keep the motion in a .glb");
    }
    if !frames.hits_all_keys {
        let what = format!(
            "keys are not evenly spaced: it was sampled {:.0} times a second",
            1.0 / frames.seconds
        );
        report.note("resampled", place(), what, "nothing, unless keys lie nearer to one another");
    }
}

/// Positions and rotations of all frames, as BVH has them: in the parent's frame.
struct Sheet {
    /// At rest.
    offsets: Vec<DVec3>,
    tails: Vec<DVec3>,
    /// Frame after frame, one a joint.
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
    /// From the nearest to the furthest joint at rest.
    size: f64,
}

impl Sheet {
    fn of(skeleton: &Skeleton, clip: Option<&Clip>, frames: &Frames) -> Result<Self, WriteError> {
        let rest = Placed::rest(skeleton);
        let joints = skeleton.joints();
        let parent_of = |joint: usize| joints[joint].parent.map(|parent| parent as usize);
        let offset = |joint: usize| {
            let place = rest.positions[joint];
            parent_of(joint).map_or(place, |parent| place - rest.positions[parent])
        };
        let tail = |joint: usize| {
            let [head, tail] = skeleton.rest_bone(joint as u32);
            tail - head
        };
        let low = rest.positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = rest.positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let mut sheet = Self {
            offsets: (0..joints.len()).map(offset).collect(),
            tails: (0..joints.len()).map(tail).collect(),
            positions: Vec::new(),
            rotations: Vec::new(),
            size: (high - low).length().max(low.abs().max(high.abs()).max_element()),
        };
        for frame in 0..frames.number {
            let seconds = frame as f64 * frames.seconds;
            let placed =
                clip.map_or_else(|| rest.clone(), |clip| Placed::at(skeleton, clip, seconds));
            // How each joint is turned from its rest, in the model.
            let turned: Vec<DQuat> = placed
                .rotations
                .iter()
                .zip(&rest.rotations)
                .map(|(now, rest)| *now * rest.inverse())
                .collect();
            for joint in 0..joints.len() {
                let place = placed.positions[joint];
                let (position, rotation) = match parent_of(joint) {
                    Some(parent) => {
                        let back = turned[parent].inverse();
                        (back * (place - placed.positions[parent]), back * turned[joint])
                    }
                    None => (place, turned[joint]),
                };
                if !(position.is_finite() && rotation.is_finite()) {
                    let what = format!("is nowhere in frame {}", frame + 1);
                    return Err(WriteError::unwritable(
                        format!("joint '{}'", joints[joint].name),
                        what,
                    ));
                }
                sheet.positions.push(position);
                sheet.rotations.push(rotation);
            }
        }
        Ok(sheet)
    }

    fn positions_of(&self, joint: usize) -> impl Iterator<Item = DVec3> + '_ {
        self.positions.iter().skip(joint).step_by(self.offsets.len()).copied()
    }
}

/// How a joint is written.
struct Layout {
    channels: Channels,
    order: [usize; 3],
    /// Subtracted from its positions.
    zero: DVec3,
}

fn layouts(skeleton: &Skeleton, sheet: &Sheet, known: &[Channels]) -> Vec<Layout> {
    let is_known = known.len() == skeleton.len();
    (0..skeleton.len())
        .map(|joint| {
            let known = known.get(joint).filter(|_| is_known);
            let offset = sheet.offsets[joint];
            let is_away = |p: DVec3| p.distance(offset) > STILL * sheet.size;
            let has_position = skeleton.joints()[joint].parent.is_none()
                || known.is_some_and(Channels::has_position)
                || sheet.positions_of(joint).any(is_away);
            let known_order = known.and_then(Channels::rotation_order);
            let order = known_order.unwrap_or(USUAL_ORDER);
            let mut channels = Channels::new(has_position, order);
            if let Some(known) =
                known.filter(|known| known_order.is_some() && !known.0.contains(&Channel::Other))
            {
                let num_positions = known.0.len() - 3;
                if num_positions == if has_position { 3 } else { 0 } {
                    channels = known.clone();
                }
            }
            let is_added = has_position && is_added(sheet.positions_of(joint), offset);
            Layout { channels, order, zero: if is_added { offset } else { DVec3::ZERO } }
        })
        .collect()
}

struct Writer<'a> {
    skeleton: &'a Skeleton,
    sheet: Sheet,
    layouts: Vec<Layout>,
    text: Vec<u8>,
}

impl Writer<'_> {
    fn hierarchy(&mut self) -> io::Result<()> {
        writeln!(self.text, "HIERARCHY")?;
        let joints = self.skeleton.joints();
        let mut has_child = vec![false; joints.len()];
        let mut depth = vec![0; joints.len()];
        for (index, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent {
                has_child[parent as usize] = true;
                depth[index] = depth[parent as usize] + 1;
            }
        }
        let mut num_open = 0;
        for joint in file_order(self.skeleton) {
            let depth = depth[joint];
            self.close(&mut num_open, depth)?;
            let word = if depth == 0 { "ROOT" } else { "JOINT" };
            let name = written_name(&joints[joint].name, joint);
            let tabs = "\t".repeat(depth.min(MOST_TABS));
            writeln!(self.text, "{tabs}{word} {name}\n{tabs}{{")?;
            self.offset(&tabs, self.sheet.offsets[joint])?;
            let channels = &self.layouts[joint].channels;
            writeln!(self.text, "{tabs}\tCHANNELS {} {channels}", channels.0.len())?;
            if !has_child[joint] {
                writeln!(self.text, "{tabs}\tEnd Site\n{tabs}\t{{")?;
                self.offset(&format!("{tabs}\t"), self.sheet.tails[joint])?;
                writeln!(self.text, "{tabs}\t}}")?;
            }
            num_open = depth + 1;
        }
        self.close(&mut num_open, 0)
    }

    fn close(&mut self, num_open: &mut usize, depth: usize) -> io::Result<()> {
        while *num_open > depth {
            *num_open -= 1;
            writeln!(self.text, "{}}}", "\t".repeat((*num_open).min(MOST_TABS)))?;
        }
        Ok(())
    }

    fn offset(&mut self, tabs: &str, offset: DVec3) -> io::Result<()> {
        let decimals = length_decimals(self.sheet.size);
        write!(self.text, "{tabs}\tOFFSET")?;
        for value in offset.to_array() {
            number(&mut self.text, value, decimals)?;
        }
        writeln!(self.text)
    }

    fn motion(&mut self, frames: &Frames) -> io::Result<()> {
        writeln!(self.text, "MOTION\nFrames: {}\nFrame Time: {}", frames.number, frames.seconds)?;
        let num_joints = self.skeleton.len();
        let decimals = length_decimals(self.sheet.size);
        let mut near = vec![[0.0; 3]; num_joints];
        let written = file_order(self.skeleton);
        for frame in 0..frames.number {
            for (place, &joint) in written.iter().enumerate() {
                let at = frame * num_joints + joint;
                let layout = &self.layouts[joint];
                let position = self.sheet.positions[at] - layout.zero;
                near[joint] = angles(self.sheet.rotations[at], layout.order, near[joint]);
                let blank: &[u8] = if place == 0 { b"" } else { b" " };
                let mut line = Vec::new();
                for channel in &layout.channels.0 {
                    match *channel {
                        Channel::Position(axis) => number(&mut line, position[axis], decimals)?,
                        Channel::Rotation(axis) => {
                            let which = layout.order.iter().position(|&a| a == axis).unwrap_or(0);
                            number(&mut line, near[joint][which].to_degrees(), ANGLE_DECIMALS)?;
                        }
                        Channel::Other => {}
                    }
                }
                self.text.extend(blank);
                self.text.extend(line.trim_ascii());
            }
            writeln!(self.text)?;
        }
        Ok(())
    }
}

/// Deeper joints are not set in further.
const MOST_TABS: usize = 64;

/// Joints as they come in the hierarchy: each followed by all below it. Without recursion: a chain
/// may be a million long.
fn file_order(skeleton: &Skeleton) -> Vec<usize> {
    let joints = skeleton.joints();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); joints.len()];
    let mut stack = Vec::new();
    for (index, joint) in joints.iter().enumerate().rev() {
        match joint.parent {
            Some(parent) => children[parent as usize].push(index),
            None => stack.push(index),
        }
    }
    let mut order = Vec::with_capacity(joints.len());
    while let Some(joint) = stack.pop() {
        order.push(joint);
        stack.extend(&children[joint]);
    }
    order
}

/// A name on one line, without braces.
fn written_name(name: &str, joint: usize) -> String {
    let is_bad = |c: char| c.is_control() || matches!(c, '{' | '}');
    let name = name.replace(is_bad, "_");
    let name = name.trim();
    if name.is_empty() { format!("joint {joint}") } else { name.to_owned() }
}

/// So many that the skeleton's size has its digits.
fn length_decimals(size: f64) -> usize {
    let whole = if size > 0.0 { size.log10().ceil() as i32 } else { 0 };
    (LENGTH_DIGITS - whole).clamp(0, 40) as usize
}

/// A blank and a number without zeros at its end.
fn number(out: &mut Vec<u8>, value: f64, decimals: usize) -> io::Result<()> {
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    write!(out, " {}", if text == "-0" { "0" } else { text })
}
