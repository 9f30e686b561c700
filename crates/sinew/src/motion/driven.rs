//! Drivers while a motion is sampled.

use super::address::{Address, JointProperty};
use super::clip::{Channel, Clip, Track};
use super::evaluate::MotionSample;
use super::motion::Motion;
use crate::Character;
use crate::driver::{DriverPlan, driven_addresses};
use crate::frame::{Controls, PartControls};
use crate::skeleton::Skeleton;

/// A character's drivers, with room for what they drive.
pub(super) struct Driven {
    plan: DriverPlan,
    controls: Controls,
    addresses: Vec<Address>,
}

impl Driven {
    /// `None` if nothing is driven, or the drivers cannot be: who binds the character is told.
    pub(super) fn of(character: &Character) -> Option<Self> {
        let plan = DriverPlan::new(character).ok().filter(|plan| !plan.is_empty())?;
        let mut addresses = driven_addresses(&plan);
        addresses.sort_unstable();
        Some(Self { plan, controls: Controls::rest(character), addresses })
    }

    fn has(&self, address: Address) -> bool {
        self.addresses.binary_search(&address).is_ok()
    }

    /// True if one of these is driven; a rotation is where swing or twist is.
    pub(super) fn has_any(&self, addresses: &[Address]) -> bool {
        addresses.iter().any(|&address| match address {
            Address::Joint { joint, property: JointProperty::Rotation } => {
                self.has(Address::joint(joint, JointProperty::Swing))
                    || self.has(Address::joint(joint, JointProperty::Twist))
            }
            other => self.has(other),
        })
    }

    /// True if what a track moves is driven.
    pub(super) fn has_track(&self, skeleton: &Skeleton, track: &Track) -> bool {
        let at = |property| Address::joint(track.joint, property);
        match track.channel {
            Channel::Rotation(_) => self.has_any(&[at(JointProperty::Rotation)]),
            Channel::Scale(_) => self.has(at(JointProperty::Scale)),
            Channel::Translation(_) => {
                // A stretched bone moves what hangs on it.
                let parent = skeleton.joints().get(track.joint as usize).and_then(|j| j.parent);
                self.has(at(JointProperty::Translation))
                    || parent.is_some_and(|parent| {
                        self.has(Address::joint(parent, JointProperty::Stretch))
                    })
            }
        }
    }

    /// True if a shape of a part is driven.
    pub(super) fn has_part(&self, of: u32) -> bool {
        let is_of =
            |address: &Address| matches!(address, Address::Shape { part, .. } if *part == of);
        self.addresses.iter().any(is_of)
    }

    /// Drives a sample.
    pub(super) fn drive(&mut self, skeleton: &Skeleton, sample: &mut MotionSample) {
        self.exchange(sample);
        self.plan.run(skeleton, &mut self.controls);
        self.exchange(sample);
    }

    /// No copies: what a sample has goes in, and comes out again.
    fn exchange(&mut self, sample: &mut MotionSample) {
        let Controls { pose, parts, values, .. } = &mut self.controls;
        std::mem::swap(pose, &mut sample.pose);
        std::mem::swap(values, &mut sample.values);
        parts.resize(sample.shape_weights.len(), PartControls::default());
        for (part, weights) in parts.iter_mut().zip(&mut sample.shape_weights) {
            std::mem::swap(&mut part.shape_weights, weights);
        }
    }
}

impl Clip {
    /// The same clip with what a character's drivers make of it, for programs that have no drivers:
    /// what is driven is sampled, all else stays as it is.
    #[must_use]
    pub fn driven(&self, character: &Character) -> Self {
        let Some(drivers) = Driven::of(character) else { return self.clone() };
        let mut baked = Motion::of_clip(self, &character.skeleton).to_clip(character);
        let is_driven = |track: &Track| drivers.has_track(&character.skeleton, track);
        baked.tracks.retain(is_driven);
        let kept = self.tracks.iter().filter(|track| !is_driven(track)).cloned();
        baked.tracks.extend(kept);
        baked.tracks.sort_by_key(|track| track.joint);
        let has_part = |part: u32| drivers.has_part(part);
        baked.shape_tracks.retain(|track| has_part(track.part));
        let kept = self.shape_tracks.iter().filter(|track| !has_part(track.part)).cloned();
        baked.shape_tracks.extend(kept);
        baked.control_tracks.clone_from(&self.control_tracks);
        baked.handle_tracks.clone_from(&self.handle_tracks);
        baked
    }
}
