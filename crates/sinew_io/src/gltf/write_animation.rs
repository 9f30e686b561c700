//! Writing clips: one sampler and one channel a track, times shared where they are equal.

use std::collections::HashMap;

use sinew::Character;
use sinew::motion::{Channel, Interpolation, Track};

use super::json::{Animation, AnimationChannel, AnimationSampler, AnimationTarget};
use super::write::Writer;
use crate::WriteError;

/// Adds all clips. Tracks without keys, of joints that are not there, or overruled by a later one are left
/// out, and so is a clip with no track at all, which glTF does not have.
pub(super) fn add_clips(writer: &mut Writer, character: &Character) -> Result<(), WriteError> {
    let mut accessor_of_times = HashMap::new();
    for clip in &character.clips {
        let mut animation = Animation { name: Some(clip.name.clone()), ..Animation::default() };
        let mut last_of_target = HashMap::new();
        for (index, track) in clip.tracks.iter().enumerate() {
            last_of_target.insert((track.joint, path(&track.channel)), index);
        }
        for (index, track) in clip.tracks.iter().enumerate() {
            let is_last = last_of_target.get(&(track.joint, path(&track.channel))) == Some(&index);
            if !is_last || track.joint as usize >= character.skeleton.len() {
                continue;
            }
            let keys = written_keys(track);
            if keys.is_empty() {
                continue;
            }
            if keys[0].1 < 0.0 {
                let what = "has keys before time 0, which glTF does not allow; move the clip";
                return Err(WriteError::unwritable(format!("clip '{}'", clip.name), what));
            }
            let times: Vec<[f32; 1]> = keys.iter().map(|&(_, time)| [time]).collect();
            let bits: Vec<u32> = times.iter().map(|[time]| time.to_bits()).collect();
            let input = *accessor_of_times.entry(bits).or_insert_with(|| {
                let accessor = writer.add_floats("SCALAR", None, &times);
                writer.set_bounds(accessor, &times);
                accessor
            });
            let output = add_values(writer, track, &keys);
            let interpolation = match track.interpolation {
                Interpolation::Linear => None,
                Interpolation::Step => Some("STEP".to_owned()),
            };
            animation.samplers.push(AnimationSampler { input, output, interpolation });
            let node = Some(writer.node_of_joint[track.joint as usize]);
            animation.channels.push(AnimationChannel {
                sampler: animation.samplers.len() - 1,
                target: AnimationTarget { node, path: path(&track.channel).to_owned() },
            });
        }
        // One a clip, also without channels: the writer may have some of the source's to add, or leaves it out.
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

/// Keys whose times still ascend in f32, with those times.
fn written_keys(track: &Track) -> Vec<(usize, f32)> {
    let mut latest = f32::NEG_INFINITY;
    let num_keys = track.times_seconds.len().min(track.channel.len());
    (0..num_keys)
        .filter_map(|key| {
            let time = track.times_seconds[key] as f32;
            if !time.is_finite() || time <= latest {
                return None;
            }
            latest = time;
            Some((key, time))
        })
        .collect()
}

fn add_values(writer: &mut Writer, track: &Track, keys: &[(usize, f32)]) -> usize {
    match &track.channel {
        Channel::Translation(values) | Channel::Scale(values) => {
            let values: Vec<[f32; 3]> =
                keys.iter().map(|&(key, _)| values[key].as_vec3().to_array()).collect();
            writer.add_floats("VEC3", None, &values)
        }
        Channel::Rotation(values) => {
            let values: Vec<[f32; 4]> =
                keys.iter().map(|&(key, _)| values[key].normalize().as_quat().to_array()).collect();
            writer.add_floats("VEC4", None, &values)
        }
    }
}
