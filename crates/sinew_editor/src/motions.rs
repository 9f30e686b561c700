//! The motions of a document: those of the character's file, until they are edited, and new ones.
//!
//! A clip that nobody has touched stays the file's, to the bit, and costs nothing here; the first
//! edit of its keys makes it a [`Motion`] of the document.

use std::sync::Arc;

use sinew::Character;
use sinew::motion::{Address, Clip, Motion, MotionChannel};

/// One motion.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// As the file has it: the clip at this place.
    OfFile(usize),
    /// The document's own.
    Own(Arc<Motion>),
}

impl PartialEq for Entry {
    /// What two copies share is the same without a look at it.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::OfFile(a), Self::OfFile(b)) => a == b,
            (Self::Own(a), Self::Own(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::OfFile(_), Self::Own(_)) | (Self::Own(_), Self::OfFile(_)) => false,
        }
    }
}

/// The motions of a document, in the order of its lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motions {
    pub(crate) entries: Vec<Entry>,
}

impl Motions {
    /// Takes all keys of handles out of the motions.
    pub(crate) fn forget_cage(&mut self, character: &Character) {
        for entry in &mut self.entries {
            if let Entry::OfFile(clip) = *entry
                && !character.clips[clip].handle_tracks.is_empty()
            {
                let motion = Motion::of_clip(&character.clips[clip], &character.skeleton);
                *entry = Entry::Own(Arc::new(motion));
            }
        }
        self.forget(|address| matches!(address, Address::Handle(_)));
    }

    /// Takes all keys of some addresses out of the motions.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(Address) -> bool) {
        let gone =
            |channel: &Arc<MotionChannel>| is_gone(channel.address()).then_some(channel.address());
        for entry in &mut self.entries {
            let Entry::Own(motion) = entry else { continue };
            let all = motion.layers.iter().flat_map(|layer| layer.channels());
            if !all.clone().any(|channel| gone(channel).is_some()) {
                continue;
            }
            for layer in &mut Arc::make_mut(motion).layers {
                let addresses: Vec<Address> = layer.channels().iter().filter_map(gone).collect();
                addresses.into_iter().for_each(|address| layer.remove(address));
            }
        }
    }

    /// As the file has them.
    pub(crate) fn of_file(character: &Character) -> Self {
        Self { entries: (0..character.clips.len()).map(Entry::OfFile).collect() }
    }

    /// Number of motions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What one is called.
    ///
    /// # Panics
    /// If there is no such motion.
    pub fn name<'a>(&'a self, character: &'a Character, motion: usize) -> &'a str {
        match &self.entries[motion] {
            Entry::OfFile(clip) => &character.clips[*clip].name,
            Entry::Own(motion) => &motion.name,
        }
    }

    /// How long one is.
    ///
    /// # Panics
    /// If there is no such motion.
    pub fn seconds(&self, character: &Character, motion: usize) -> f64 {
        match &self.entries[motion] {
            Entry::OfFile(clip) => character.clips[*clip].duration_seconds(),
            Entry::Own(motion) => motion.length_seconds,
        }
    }

    /// True if it is not as the file has it.
    pub fn is_edited(&self, motion: usize) -> bool {
        matches!(self.entries.get(motion), Some(Entry::Own(_)))
    }

    /// One of them, as what is evaluated and edited. A clip of the file is made one; who asks
    /// often keeps it while [`Self::is_same`].
    ///
    /// # Panics
    /// If there is no such motion.
    pub fn motion(&self, character: &Character, motion: usize) -> Arc<Motion> {
        match &self.entries[motion] {
            Entry::OfFile(clip) => {
                Arc::new(Motion::of_clip(&character.clips[*clip], &character.skeleton))
            }
            Entry::Own(motion) => Arc::clone(motion),
        }
    }

    /// True if a motion of this is the same as one of another list of the same character, without a
    /// look at its keys.
    pub fn is_same(&self, motion: usize, other: &Self) -> bool {
        match (self.entries.get(motion), other.entries.get(motion)) {
            (Some(Entry::OfFile(a)), Some(Entry::OfFile(b))) => a == b,
            (Some(Entry::Own(a)), Some(Entry::Own(b))) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The clips of a file that is written: those of the source as they were, the others as files
    /// can have them.
    pub fn clips(&self, character: &Character) -> Vec<Clip> {
        let clip = |entry: &Entry| match entry {
            Entry::OfFile(clip) => character.clips[*clip].clone(),
            Entry::Own(motion) => motion.to_clip(character),
        };
        self.entries.iter().map(clip).collect()
    }

    /// Bytes that this holds and `other` does not.
    pub(crate) fn bytes_not_shared_with(&self, other: &Self) -> usize {
        let of_motion = |(at, entry): (usize, &Entry)| match entry {
            Entry::Own(motion) if !self.is_same(at, other) => {
                // Channels are shared one by one.
                let shared = other.entries.iter().filter_map(|entry| match entry {
                    Entry::Own(other) => Some(other),
                    Entry::OfFile(_) => None,
                });
                let known: std::collections::HashSet<*const sinew::motion::MotionChannel> = shared
                    .flat_map(|motion| &motion.layers)
                    .flat_map(|layer| layer.channels())
                    .map(Arc::as_ptr)
                    .collect();
                motion
                    .layers
                    .iter()
                    .flat_map(|layer| layer.channels())
                    .filter(|channel| !known.contains(&Arc::as_ptr(channel)))
                    .map(|channel| channel.keys().bytes() + size_of_val(&**channel))
                    .sum()
            }
            Entry::Own(_) | Entry::OfFile(_) => 0,
        };
        let of_entries = self.entries.len() * size_of::<Entry>();
        of_entries + self.entries.iter().enumerate().map(of_motion).sum::<usize>()
    }
}
