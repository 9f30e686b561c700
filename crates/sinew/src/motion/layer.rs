//! Layers of a motion: each replaces what is below it or adds to it, as far as its weight goes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::address::Address;
use super::channel::MotionChannel;

/// What a layer does to what is below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum LayerMode {
    /// Takes its place.
    #[default]
    Replace,
    /// Is done on top: rotations turn further, offsets add up, scales are multiplied.
    Add,
}

/// Channels that go together.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Unique in its motion.
    pub name: String,
    /// What it does to what is below.
    pub mode: LayerMode,
    /// How much of it, 0 to 1.
    pub weight: f64,
    /// True if it does nothing.
    pub is_muted: bool,
    /// The joints that it moves, of those that it has channels of; `None` for all. Shapes and
    /// settings have no joint and are not masked.
    pub mask: Option<BTreeSet<u32>>,
    /// By address, each once. Behind `Arc`, so that another copy of a motion costs what was
    /// changed.
    channels: Vec<Arc<MotionChannel>>,
}

impl Layer {
    /// With nothing in it.
    pub fn new(name: impl Into<String>, mode: LayerMode) -> Self {
        Self {
            name: name.into(),
            mode,
            weight: 1.0,
            is_muted: false,
            mask: None,
            channels: Vec::new(),
        }
    }

    /// By address.
    pub fn channels(&self) -> &[Arc<MotionChannel>] {
        &self.channels
    }

    /// What moves one thing.
    pub fn channel(&self, address: Address) -> Option<&Arc<MotionChannel>> {
        self.place(address).ok().map(|at| &self.channels[at])
    }

    /// Puts a channel in, in place of one at its address; one without keys takes it out.
    pub fn put(&mut self, channel: MotionChannel) {
        match (self.place(channel.address()), channel.keys().is_empty()) {
            (Ok(at), true) => _ = self.channels.remove(at),
            (Ok(at), false) => self.channels[at] = Arc::new(channel),
            (Err(_), true) => {}
            (Err(at), false) => self.channels.insert(at, Arc::new(channel)),
        }
    }

    /// Puts a channel in if it has keys.
    pub(super) fn put_keyed(&mut self, channel: MotionChannel) {
        if !channel.keys().is_empty() {
            self.put(channel);
        }
    }

    /// Takes a channel out.
    pub fn remove(&mut self, address: Address) {
        if let Ok(at) = self.place(address) {
            self.channels.remove(at);
        }
    }

    fn place(&self, address: Address) -> Result<usize, usize> {
        self.channels.binary_search_by_key(&address, |channel| channel.address())
    }

    /// True if it moves this.
    pub fn reaches(&self, address: Address) -> bool {
        match (&self.mask, address) {
            (Some(mask), Address::Joint { joint, .. }) => mask.contains(&joint),
            _ => true,
        }
    }

    /// True if it does anything at all.
    pub fn acts(&self) -> bool {
        !self.is_muted && self.weight > 0.0
    }

    /// The time of its last key.
    pub fn last_key_seconds(&self) -> Option<f64> {
        let last = |channel: &Arc<MotionChannel>| channel.keys().times_seconds().next_back();
        self.channels.iter().filter_map(last).reduce(f64::max)
    }
}
