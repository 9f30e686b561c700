//! How much went to the card and came back: what a frame must not do is counted, not promised.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that crossed between the CPU and the card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Written to buffers on the card.
    pub uploaded: u64,
    /// Copied from the card to be read.
    pub read_back: u64,
}

impl Traffic {
    /// What crossed since an earlier count.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            uploaded: self.uploaded - earlier.uploaded,
            read_back: self.read_back - earlier.read_back,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    uploaded: AtomicU64,
    read_back: AtomicU64,
}

impl Counters {
    pub(crate) fn uploads(&self, num_bytes: u64) {
        self.uploaded.fetch_add(num_bytes, Ordering::Relaxed);
    }

    pub(crate) fn reads_back(&self, num_bytes: u64) {
        self.read_back.fetch_add(num_bytes, Ordering::Relaxed);
    }

    pub(crate) fn so_far(&self) -> Traffic {
        let [uploaded, read_back] =
            [&self.uploaded, &self.read_back].map(|count| count.load(Ordering::Relaxed));
        Traffic { uploaded, read_back }
    }
}
