//! From a shape that was nearly right to the right one, without a jump.

use std::time::Duration;

use sinew::frame::Apart;

/// Long enough not to be seen as a jump, short enough not to be waited for.
const FADE: Duration = Duration::from_millis(250);
/// Between two pictures of it.
const STEP: Duration = Duration::from_millis(16);

/// What is left of the shape before, going away.
pub(super) struct Fade {
    /// How far it is; `None` if the card has it.
    pub(super) apart: Option<Apart>,
    began: Duration,
    pub(super) next: Duration,
}

impl Fade {
    pub(super) fn new(apart: Option<Apart>, now: Duration) -> Self {
        Self { apart, began: now, next: now }
    }

    /// The share that is left, from 1 to 0; `None` if nothing is.
    pub(super) fn left(&mut self, now: Duration) -> Option<f32> {
        let passed = now.saturating_sub(self.began).as_secs_f32() / FADE.as_secs_f32();
        if passed >= 1.0 {
            return None;
        }
        self.next = now + STEP;
        // Begins and ends without a kink.
        Some(1.0 - passed * passed * (3.0 - 2.0 * passed))
    }
}
