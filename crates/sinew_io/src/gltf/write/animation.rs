//! Writing clips: one sampler and one channel a track, times shared where they are equal. Step
//! curves stay steps and cubic ones keep their tangents.

use std::collections::HashMap;

use glam::{DQuat, DVec3};
use sinew::Character;
use sinew::motion::{Channel, Clip, Curve, Interpolation, ShapeTrack, Tangents, Track};

use super::super::json::{Animation, AnimationChannel, AnimationSampler, AnimationTarget};
use super::Writer;
use crate::WriteError;

/// A track that is about to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// Place of the clip, and of the channel to be in its animation.
    pub(super) clip: usize,
    pub(super) channel: usize,
    pub(super) node: usize,
    pub(super) path: &'static str,
    pub(super) moved: MovedRef<'a>,
}

/// What it moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum MovedRef<'a> {
    Joint(&'a Track),
    Shapes(&'a ShapeTrack),
}

/// Adds all clips. Tracks without keys, of joints or parts that are not there, or overruled by a
/// later one are left out, and so is a clip with no track at all, which glTF does not have. `kept`
/// has the sampler of a track that need not be made anew.
pub(super) fn add_clips(
    writer: &mut Writer,
    character: &Character,
    mut kept: impl FnMut(&mut Writer, Asked<'_>) -> Option<AnimationSampler>,
) -> Result<(), WriteError> {
    let mut accessor_of_times = HashMap::new();
    for (clip_index, clip) in character.clips.iter().enumerate() {
        let mut adder = Adder {
            writer: &mut *writer,
            clip,
            accessor_of_times: &mut accessor_of_times,
            animation: Animation { name: Some(clip.name.clone()), ..Animation::default() },
        };
        let mut last_of_target = HashMap::new();
        for (index, track) in clip.tracks.iter().enumerate() {
            last_of_target.insert((track.joint, path(&track.channel)), index);
        }
        for (index, track) in clip.tracks.iter().enumerate() {
            let is_last = last_of_target.get(&(track.joint, path(&track.channel))) == Some(&index);
            if !is_last || track.joint as usize >= character.skeleton.len() {
                continue;
            }
            let node = adder.writer.node_of_joint[track.joint as usize];
            let target = (node, path(&track.channel));
            let moved = MovedRef::Joint(track);
            if adder.keep(clip_index, target, moved, &mut kept) {
                continue;
            }
            match &track.channel {
                Channel::Translation(curve) | Channel::Scale(curve) => {
                    adder.add(target, curve, 1, "VEC3", |v: DVec3| v.as_vec3().to_array())?;
                }
                Channel::Rotation(curve) => {
                    // Values are unit; tangents are of any length.
                    adder.add(target, curve, 1, "VEC4", |q: DQuat| q.as_quat().to_array())?;
                }
            }
        }
        for (index, track) in clip.shape_tracks.iter().enumerate() {
            let is_overruled = clip.shape_tracks[index + 1..].iter().any(|t| t.part == track.part);
            let part = track.part as usize;
            let has_shapes =
                character.parts.get(part).is_some_and(|p| p.shapes.len() == track.num_shapes);
            let node = adder.writer.node_of_part.get(part).copied().flatten();
            if let (Some(node), true, false) = (node, has_shapes, is_overruled) {
                let width = track.num_shapes;
                let moved = MovedRef::Shapes(track);
                if adder.keep(clip_index, (node, "weights"), moved, &mut kept) {
                    continue;
                }
                adder.add((node, "weights"), &track.weights, width, "SCALAR", |w| [w])?;
            }
        }
        // One a clip, also without channels: the writer may have some of the source's to add, or
        // leaves it out.
        let animation = adder.animation;
        writer.root.animations.push(animation);
    }
    Ok(())
}

fn path(channel: &Channel) -> &'static str {
    match channel {
        Channel::Translation(_) => "translation",
        Channel::Rotation(_) => "rotation",
        Channel::Scale(_) => "scale",
    }
}

/// Adds the channels of one clip.
struct Adder<'a> {
    writer: &'a mut Writer,
    clip: &'a Clip,
    accessor_of_times: &'a mut HashMap<Vec<u32>, usize>,
    animation: Animation,
}

impl Adder<'_> {
    /// Adds a track with a sampler that is there already, if there is one.
    fn keep(
        &mut self,
        clip: usize,
        (node, path): (usize, &'static str),
        moved: MovedRef<'_>,
        kept: &mut impl FnMut(&mut Writer, Asked<'_>) -> Option<AnimationSampler>,
    ) -> bool {
        let channel = self.animation.channels.len();
        let found = kept(self.writer, Asked { clip, channel, node, path, moved });
        let is_kept = found.is_some();
        if let Some(sampler) = found {
            self.push((node, path), sampler);
        }
        is_kept
    }

    fn push(&mut self, (node, path): (usize, &str), sampler: AnimationSampler) {
        self.animation.samplers.push(sampler);
        self.animation.channels.push(AnimationChannel {
            sampler: self.animation.samplers.len() - 1,
            target: AnimationTarget { node: Some(node), path: path.to_owned() },
        });
    }

    fn add<T: Copy, const N: usize>(
        &mut self,
        (node, path): (usize, &str),
        curve: &Curve<T>,
        width: usize,
        kind: &'static str,
        to_floats: impl Fn(T) -> [f32; N],
    ) -> Result<(), WriteError> {
        let keys = written_keys(curve, width);
        let Some(&(_, first)) = keys.first() else { return Ok(()) };
        if first < 0.0 {
            let what = "has keys before time 0, which glTF does not allow; move the clip";
            return Err(WriteError::unwritable(format!("clip '{}'", self.clip.name), what));
        }
        let times: Vec<[f32; 1]> = keys.iter().map(|&(_, time)| [time]).collect();
        let bits: Vec<u32> = times.iter().map(|[time]| time.to_bits()).collect();
        let writer = &mut *self.writer;
        let input = *self.accessor_of_times.entry(bits).or_insert_with(|| {
            let accessor = writer.add_floats("SCALAR", None, &times);
            writer.set_bounds(accessor, &times);
            accessor
        });
        // A cubic curve has at least two keys: with one, tangents mean nothing.
        let tangents = tangents(curve, width).filter(|_| keys.len() > 1);
        let mut outputs: Vec<[f32; N]> = Vec::with_capacity(keys.len() * width);
        for &(key, _) in &keys {
            let of_key = key * width..(key + 1) * width;
            let values = curve.values[of_key.clone()].iter().map(|&v| to_floats(v));
            match tangents {
                None => outputs.extend(values),
                Some(tangents) => {
                    outputs.extend(tangents[of_key.clone()].iter().map(|t| to_floats(t.incoming)));
                    outputs.extend(values);
                    outputs.extend(tangents[of_key].iter().map(|t| to_floats(t.outgoing)));
                }
            }
        }
        let output = writer.add_floats(kind, None, &outputs);
        let interpolation = match &curve.interpolation {
            Interpolation::Step => Some("STEP"),
            Interpolation::Cubic(_) if tangents.is_some() => Some("CUBICSPLINE"),
            Interpolation::Linear | Interpolation::Cubic(_) => None,
        };
        let interpolation = interpolation.map(str::to_owned);
        self.push((node, path), AnimationSampler { input, output, interpolation });
        Ok(())
    }
}

/// The tangents of a cubic curve that has them all; one without is straight.
fn tangents<T>(curve: &Curve<T>, width: usize) -> Option<&[Tangents<T>]> {
    match &curve.interpolation {
        Interpolation::Cubic(tangents)
            if tangents.len()
                >= curve.times_seconds.len().min(curve.values.len() / width) * width =>
        {
            Some(tangents)
        }
        _ => None,
    }
}

/// Keys whose times still ascend in f32, with those times.
fn written_keys<T>(curve: &Curve<T>, width: usize) -> Vec<(usize, f32)> {
    let mut latest = f32::NEG_INFINITY;
    let num_keys = curve.times_seconds.len().min(curve.values.len() / width.max(1));
    (0..num_keys)
        .filter_map(|key| {
            let time = curve.times_seconds[key] as f32;
            if !time.is_finite() || time <= latest {
                return None;
            }
            latest = time;
            Some((key, time))
        })
        .collect()
}
