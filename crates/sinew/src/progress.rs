//! How a long computation tells where it is, and is told to stop.
//!
//! Binding takes a [`Progress`]; what runs each frame takes none. The library never prints: the
//! command draws a bar, the studio a status line, tests pass [`Silent`].

/// Where a long computation reports to, and asks whether to go on.
///
/// Called from worker threads too, hence `Sync`.
pub trait Progress: Sync {
    /// The share of `what` that is done, from 0 to 1.
    fn report(&self, what: &str, fraction: f32);

    /// True once the result is no longer wanted; the computation then ends with its `Cancelled`
    /// error.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Nobody is watching.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _what: &str, _fraction: f32) {}
}
