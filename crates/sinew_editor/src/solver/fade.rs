//! From a shape that was nearly right to the right one, without a jump.

use std::sync::Arc;
use std::time::Duration;

use sinew::frame::{Apart, Frame};

/// Long enough not to be seen as a jump, short enough not to be waited for.
const FADE: Duration = Duration::from_millis(250);
/// Between two pictures of it.
const STEP: Duration = Duration::from_millis(16);

/// What is left of the shape before, going away.
pub(super) struct Fade {
    apart: Apart,
    began: Duration,
    pub(super) next: Duration,
}

impl Fade {
    /// From `before` to `after`; `None` if they are the same.
    pub(super) fn between(before: &Frame, after: &Frame, now: Duration) -> Option<Self> {
        Some(Self { apart: after.apart(before)?, began: now, next: now })
    }

    /// A frame with what is left; `None` if nothing is.
    pub(super) fn over(&mut self, frame: &Frame, now: Duration) -> Option<Arc<Frame>> {
        let passed = now.saturating_sub(self.began).as_secs_f32() / FADE.as_secs_f32();
        if passed >= 1.0 {
            return None;
        }
        self.next = now + STEP;
        // Begins and ends without a kink.
        let share = 1.0 - passed * passed * (3.0 - 2.0 * passed);
        Some(Arc::new(frame.towards(&self.apart, share)))
    }
}
