//! What edits of motions do.

use std::collections::BTreeSet;
use std::sync::Arc;

use sinew::Character;
use sinew::motion::{Address, KeyShape, Layer, Motion};
use sinew::progress::Silent;

use super::keys::{change_keys, move_keys, set_keys, split_rotations, with_handles};
use super::{KeysRef, MotionEdit};
use crate::document::Document;
use crate::edit::EditError;
use crate::motion_text::ChannelText;
use crate::motions::Entry;
use crate::name_ref::MotionRef;
use crate::names;

/// Longer than any motion that anybody plays.
pub(super) const MAX_SECONDS: f64 = 100_000.0;

/// Frames a second that anybody counts in.
const RATES: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

impl MotionEdit {
    pub(in crate::edit) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        let character = Arc::clone(&document.character);
        match self {
            Self::AddMotion { name, seconds, copy_of } => {
                let motion = match copy_of {
                    Some(of) => {
                        let of = find(document, of)?;
                        let copied = document.motions.motion(&character, of);
                        Motion { name: name.clone(), ..Motion::clone(&copied) }
                    }
                    None => Motion::new(name.clone(), checked_length(*seconds)?),
                };
                checked_name(document, name, None)?;
                let motions = Arc::make_mut(&mut document.motions);
                motions.entries.push(Entry::Own(Arc::new(motion)));
                Ok(())
            }
            Self::DeleteMotion { motion } => {
                let at = find(document, motion)?;
                Arc::make_mut(&mut document.motions).entries.remove(at);
                Ok(())
            }
            Self::RenameMotion { motion, name } => {
                let at = find(document, motion)?;
                checked_name(document, name, Some(at))?;
                change(document, motion, |motion, _| {
                    motion.name.clone_from(name);
                    Ok(())
                })
            }
            Self::SetMotionLength { motion, seconds } => change(document, motion, |motion, _| {
                motion.length_seconds = checked_length(*seconds)?;
                Ok(())
            }),
            Self::SetMotionRate { motion, frames_per_second } => {
                if frames_per_second.is_some_and(|rate| !RATES.contains(&rate)) {
                    let fault = "must be within 1 and 1000, or left out";
                    return Err(EditError::value("frames_per_second", fault));
                }
                change(document, motion, |motion, _| {
                    motion.frames_per_second = *frames_per_second;
                    Ok(())
                })
            }
            Self::SetKeys { motion, layer, channels } => {
                known_handles(document, channels)?;
                change(document, motion, |motion, character| {
                    set_keys(motion, layer.as_deref(), channels, character)
                })
            }
            Self::MoveKeys { motion, layer, keys, by_seconds } => {
                let to = |seconds: f64| seconds + by_seconds;
                move_keys(document, motion, layer.as_deref(), keys, to)
            }
            Self::ScaleKeys { motion, layer, keys, about_seconds, factor } => {
                if !(*factor > 0.0 && factor.is_finite()) {
                    return Err(EditError::value("factor", "must be above zero and finite"));
                }
                let to = |seconds: f64| about_seconds + (seconds - about_seconds) * factor;
                move_keys(document, motion, layer.as_deref(), keys, to)
            }
            Self::DeleteKeys { motion, layer, keys } => {
                change_keys(document, motion, layer.as_deref(), keys, |keys, times| {
                    Ok(keys.without_keys(times))
                })
            }
            Self::ShapeKeys { motion, layer, keys, span, tangents } => {
                let shape = KeyShape { span: *span, tangents: *tangents };
                change_keys(document, motion, layer.as_deref(), keys, |keys, times| {
                    Ok(keys.with_keys_shaped(times, shape))
                })
            }
            Self::SetHandles { motion, layer, keys, incoming, outgoing } => {
                let keys = std::slice::from_ref(keys);
                change_keys(document, motion, layer.as_deref(), keys, |keys, times| {
                    with_handles(keys, times, *incoming, *outgoing)
                })
            }
            Self::SetOutside { motion, layer, channels, before, after } => {
                let all: Vec<KeysRef> = (channels.iter())
                    .map(|channel| KeysRef { channel: channel.clone(), seconds: Vec::new() })
                    .collect();
                change_keys(document, motion, layer.as_deref(), &all, |keys, _| {
                    let mut keys = keys.clone();
                    keys.set_outside(*before, *after);
                    Ok(keys)
                })
            }
            Self::SplitRotation { motion, layer, joints } => {
                change(document, motion, |motion, character| {
                    split_rotations(motion, layer.as_deref(), joints, character)
                })
            }
            Self::AddLayer { motion, name, mode } => change(document, motion, |motion, _| {
                checked_layer_name(motion, name, None)?;
                motion.layers.push(Layer::new(name.clone(), *mode));
                Ok(())
            }),
            Self::DeleteLayer { motion, layer } => change(document, motion, |motion, _| {
                let at = find_layer(motion, Some(layer))?;
                if motion.layers.len() == 1 {
                    return Err(EditError::value("layer", "a motion keeps its last one"));
                }
                motion.layers.remove(at);
                Ok(())
            }),
            Self::SetLayer { motion, .. } => {
                change(document, motion, |motion, character| self.set_layer(motion, character))
            }
            Self::ResampleMotion { motion, per_second } => {
                replace(document, motion, |motion, character| {
                    retimed(motion.resampled(&character.skeleton, *per_second))
                })
            }
            Self::ReduceMotion { motion, metres } => {
                if !(*metres > 0.0 && metres.is_finite()) {
                    return Err(EditError::value("metres", "must be above zero and finite"));
                }
                replace(document, motion, |motion, character| {
                    let reduced = motion.reduced(character, *metres, &Silent);
                    let fault = |error: sinew::frame::PlanError| {
                        EditError::value("reduce-motion", error.to_string())
                    };
                    Ok(reduced.map_err(fault)?.motion)
                })
            }
            Self::WarpMotion { motion, times } => replace(document, motion, |motion, character| {
                let pairs: Vec<(f64, f64)> = times.iter().map(|&[to, from]| (to, from)).collect();
                retimed(motion.warped(&character.skeleton, &pairs))
            }),
            Self::TrimMotion { motion, from, to } => {
                replace(document, motion, |motion, character| {
                    retimed(motion.trimmed(&character.skeleton, *from, *to))
                })
            }
            Self::LoopMotion { motion, seconds } => {
                replace(document, motion, |motion, character| {
                    retimed(motion.loop_blended(&character.skeleton, *seconds))
                })
            }
        }
    }

    fn set_layer(&self, motion: &mut Motion, character: &Character) -> Result<(), EditError> {
        let Self::SetLayer { layer, name, mode, weight, muted, mask, place, .. } = self else {
            return Ok(());
        };
        let at = find_layer(motion, Some(layer))?;
        if let Some(name) = name {
            checked_layer_name(motion, name, Some(at))?;
            motion.layers[at].name.clone_from(name);
        }
        let changed = &mut motion.layers[at];
        changed.mode = mode.unwrap_or(changed.mode);
        changed.is_muted = muted.unwrap_or(changed.is_muted);
        if let Some(weight) = *weight {
            if !(0.0..=1.0).contains(&weight) {
                return Err(EditError::value("weight", "must be within 0 and 1"));
            }
            changed.weight = weight;
        }
        if let Some(mask) = mask {
            let joints: Result<BTreeSet<u32>, String> =
                mask.iter().map(|joint| joint.resolve(&character.skeleton)).collect();
            let joints = joints.map_err(EditError::Unknown)?;
            changed.mask = (!joints.is_empty()).then_some(joints);
        }
        if let Some(place) = *place {
            let layer = motion.layers.remove(at);
            motion.layers.insert(place.min(motion.layers.len()), layer);
        }
        Ok(())
    }
}

fn retimed(made: Result<Motion, sinew::motion::RetimeError>) -> Result<Motion, EditError> {
    let made = made.map_err(|error| EditError::value("motion", error.to_string()))?;
    checked_length(made.length_seconds)?;
    Ok(made)
}

pub(super) fn checked_length(seconds: f64) -> Result<f64, EditError> {
    if (0.0..=MAX_SECONDS).contains(&seconds) {
        return Ok(seconds);
    }
    Err(EditError::value("seconds", format!("must be within 0 and {MAX_SECONDS}")))
}

fn checked_name(document: &Document, name: &str, own: Option<usize>) -> Result<(), EditError> {
    if name.is_empty() || name.starts_with('#') {
        return Err(EditError::value("name", "a motion needs one that does not begin with #"));
    }
    let motions = &document.motions;
    let is_taken = (0..motions.len())
        .any(|at| Some(at) != own && motions.name(&document.character, at) == name);
    if is_taken {
        let fault = format!("there is a motion '{name}' already; choose another");
        return Err(EditError::value("name", fault));
    }
    Ok(())
}

fn checked_layer_name(motion: &Motion, name: &str, own: Option<usize>) -> Result<(), EditError> {
    let is_taken =
        motion.layers.iter().enumerate().any(|(at, l)| Some(at) != own && l.name == name);
    if name.is_empty() || is_taken {
        let fault = format!("'{name}' is empty, or another layer's; choose another");
        return Err(EditError::value("name", fault));
    }
    Ok(())
}

fn find(document: &Document, motion: &MotionRef) -> Result<usize, EditError> {
    motion.resolve(document).map_err(EditError::Unknown)
}

/// The lowest if none is named.
pub(super) fn find_layer(motion: &Motion, name: Option<&str>) -> Result<usize, EditError> {
    let Some(name) = name else { return Ok(0) };
    motion.layers.iter().position(|layer| layer.name == name).ok_or_else(|| {
        let known = motion.layers.iter().map(|layer| layer.name.as_str());
        EditError::Unknown(names::unknown("layer", name, known))
    })
}

pub(super) fn change(
    document: &mut Document,
    motion: &MotionRef,
    act: impl FnOnce(&mut Motion, &Arc<Character>) -> Result<(), EditError>,
) -> Result<(), EditError> {
    replace(document, motion, |motion, character| {
        let mut changed = motion.clone();
        act(&mut changed, character)?;
        Ok(changed)
    })
}

/// The only place where a motion changes.
fn replace(
    document: &mut Document,
    motion: &MotionRef,
    act: impl FnOnce(&Motion, &Arc<Character>) -> Result<Motion, EditError>,
) -> Result<(), EditError> {
    let at = find(document, motion)?;
    let before = document.motions.motion(&document.character, at);
    let after = act(&before, &document.character)?;
    // What did not change stays the file's, and in its place in memory.
    if *before != after {
        let motions = Arc::make_mut(&mut document.motions);
        motions.entries[at] = Entry::Own(Arc::new(after));
    }
    Ok(())
}

/// What is wrong with the motions of a document.
pub(in crate::edit) fn broken(document: &Document) -> Option<String> {
    let character = &document.character;
    for entry in &document.motions.entries {
        let motion = match entry {
            Entry::OfFile(clip) if *clip >= character.clips.len() => {
                return Some(format!(
                    "a motion that is clip {clip} of the file, which is not there"
                ));
            }
            Entry::OfFile(_) => continue,
            Entry::Own(motion) => motion,
        };
        let name = &motion.name;
        if !(0.0..=MAX_SECONDS).contains(&motion.length_seconds) {
            return Some(format!("motion '{name}' is {} s long", motion.length_seconds));
        }
        if motion.frames_per_second.is_some_and(|rate| !RATES.contains(&rate)) {
            return Some(format!(
                "motion '{name}': {:?} frames a second",
                motion.frames_per_second
            ));
        }
        if motion.layers.is_empty() {
            return Some(format!("motion '{name}' has no layer"));
        }
        for (at, layer) in motion.layers.iter().enumerate() {
            let is_twice = motion.layers[..at].iter().any(|other| other.name == layer.name);
            if layer.name.is_empty() || is_twice {
                return Some(format!("motion '{name}': two layers '{}', or none", layer.name));
            }
            if !(0.0..=1.0).contains(&layer.weight) {
                return Some(format!("motion '{name}': a layer's weight of {}", layer.weight));
            }
            let is_there = |address: Address| match address {
                Address::Joint { joint, .. } => (joint as usize) < character.skeleton.len(),
                Address::Shape { part, shape } => (character.parts.get(part as usize))
                    .is_some_and(|part| (shape as usize) < part.shapes.len()),
                Address::Setting(_) => true,
                Address::Control(control) => (control as usize) < character.drivers.controls.len(),
                Address::Handle(handle) => (handle as usize) < num_handles(document),
                Address::Surface(number) => document.surface().by_number(number).is_some(),
            };
            if layer.channels().iter().any(|channel| !is_there(channel.address())) {
                return Some(format!("motion '{name}': a channel of what is not there"));
            }
        }
    }
    None
}

fn num_handles(document: &Document) -> usize {
    document.rig.cage.as_ref().map_or(0, |rig| rig.cage.points().len())
}

/// Keys are set of handles that are there.
fn known_handles(document: &Document, channels: &[ChannelText]) -> Result<(), EditError> {
    let num = num_handles(document);
    let mut handles = channels.iter().filter_map(|text| text.channel.handle);
    match handles.find(|&handle| handle as usize >= num) {
        None => Ok(()),
        Some(_) if num == 0 => Err(EditError::value(
            "channel",
            "there is no cage; `set-cage` or `generate-cage` first",
        )),
        Some(handle) => {
            let fault = format!("no handle {handle}; there are {num}, from 0");
            Err(EditError::value("channel", fault))
        }
    }
}
