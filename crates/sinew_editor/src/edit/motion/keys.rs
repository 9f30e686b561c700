//! What edits do to the keys of a motion.

use sinew::Character;
use sinew::motion::{Address, JointProperty, Keys, Motion, MotionChannel};

use super::KeysRef;
use super::apply::{MAX_SECONDS, change, checked_length, find_layer};
use crate::document::Document;
use crate::edit::EditError;
use crate::motion_text::{ChannelText, HandleText, ValueText, handle_of_kind, name_of};
use crate::name_ref::{JointRef, MotionRef};

/// A motion is as long as its last key says, at least.
fn lengthen(motion: &mut Motion) -> Result<(), EditError> {
    let last = motion.last_key_seconds().unwrap_or(0.0);
    motion.length_seconds = checked_length(motion.length_seconds.max(last))?;
    Ok(())
}

pub(super) fn set_keys(
    motion: &mut Motion,
    layer: Option<&str>,
    channels: &[ChannelText],
    character: &Character,
) -> Result<(), EditError> {
    let at = find_layer(motion, layer)?;
    for text in channels {
        let (address, keys) = text.resolve(character)?;
        let known = motion.layers[at].channel(address);
        let set = match known {
            Some(channel) => channel.keys().with_keys_set(&keys).unwrap_or(keys),
            None => keys.settled(),
        };
        motion.layers[at].put(MotionChannel::new(address, set, &character.skeleton));
    }
    lengthen(motion)
}

/// Changes the chosen keys of each channel; a channel that is not there is said.
pub(super) fn change_keys(
    document: &mut Document,
    motion: &MotionRef,
    layer: Option<&str>,
    keys: &[KeysRef],
    act: impl Fn(&Keys, &[f64]) -> Result<Keys, EditError>,
) -> Result<(), EditError> {
    change(document, motion, |motion, character| {
        let at = find_layer(motion, layer)?;
        for chosen in keys {
            let address = chosen.channel.resolve(character)?;
            let channel = motion.layers[at].channel(address).ok_or_else(|| {
                let what = name_of(character, address);
                let layer = &motion.layers[at].name;
                EditError::Unknown(format!("layer '{layer}' has no keys of {what}; set some first"))
            })?;
            let all: Vec<f64>;
            let times = match chosen.seconds.is_empty() {
                true => {
                    all = channel.keys().times_seconds().collect();
                    &all
                }
                false => &chosen.seconds,
            };
            let changed = act(channel.keys(), times)?;
            motion.layers[at].put(MotionChannel::new(address, changed, &character.skeleton));
        }
        lengthen(motion)
    })
}

pub(super) fn move_keys(
    document: &mut Document,
    motion: &MotionRef,
    layer: Option<&str>,
    keys: &[KeysRef],
    to: impl Fn(f64) -> f64,
) -> Result<(), EditError> {
    change_keys(document, motion, layer, keys, |keys, times| {
        if times.iter().any(|&time| !(-MAX_SECONDS..=MAX_SECONDS).contains(&to(time))) {
            let fault = format!("keys would leave the times within {MAX_SECONDS} s");
            return Err(EditError::value("keys", fault));
        }
        Ok(keys.with_keys_moved(times, &to))
    })
}

pub(super) fn with_handles(
    keys: &Keys,
    times: &[f64],
    incoming: Option<HandleText>,
    outgoing: Option<HandleText>,
) -> Result<Keys, EditError> {
    Ok(match keys {
        Keys::Scalar(curve) => {
            let of = |text| handle_of_kind(text, ValueText::number);
            let (a, b) = (incoming.map(of).transpose()?, outgoing.map(of).transpose()?);
            Keys::Scalar(curve.with_handles(times, a, b))
        }
        Keys::Vector(curve) => {
            let of = |text| handle_of_kind(text, ValueText::vector);
            let (a, b) = (incoming.map(of).transpose()?, outgoing.map(of).transpose()?);
            Keys::Vector(curve.with_handles(times, a, b))
        }
        Keys::Rotation(curve) => {
            let of = |text| handle_of_kind(text, ValueText::quaternion);
            let (a, b) = (incoming.map(of).transpose()?, outgoing.map(of).transpose()?);
            Keys::Rotation(curve.with_handles(times, a, b))
        }
    })
}

pub(super) fn split_rotations(
    motion: &mut Motion,
    layer: Option<&str>,
    joints: &[JointRef],
    character: &Character,
) -> Result<(), EditError> {
    let at = find_layer(motion, layer)?;
    for joint in joints {
        let joint = joint.resolve(&character.skeleton).map_err(EditError::Unknown)?;
        let address = Address::joint(joint, JointProperty::Rotation);
        let split = motion.layers[at].channel(address);
        let Some(split) = split.and_then(|channel| channel.split(&character.skeleton)) else {
            continue;
        };
        motion.layers[at].remove(address);
        for channel in split {
            motion.layers[at].put(channel);
        }
    }
    Ok(())
}
