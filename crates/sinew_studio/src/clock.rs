//! The one clock of a studio: the system's own, or a test's.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sinew_editor::seam::{Clock, SystemClock};

/// Tells a studio the time; clones tell the same.
#[derive(Clone)]
pub struct StudioClock(Arc<dyn Clock>);

impl StudioClock {
    /// By another's clock.
    pub fn new(clock: impl Clock + 'static) -> Self {
        Self(Arc::new(clock))
    }

    /// Milliseconds since a moment of the same clock.
    pub(crate) fn ms_since(&self, start: Duration) -> f64 {
        1e3 * self.since(start).as_secs_f64()
    }

    /// Time since a moment of the same clock.
    pub(crate) fn since(&self, start: Duration) -> Duration {
        self.now().saturating_sub(start)
    }
}

impl Clock for StudioClock {
    fn now(&self) -> Duration {
        self.0.now()
    }
}

impl Default for StudioClock {
    fn default() -> Self {
        Self::new(SystemClock::default())
    }
}

impl fmt::Debug for StudioClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StudioClock").field(&self.now()).finish()
    }
}
