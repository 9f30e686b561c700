//! A number that is being typed in the middle of a drag.

use std::fmt;

use super::Key;

/// Digits so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed(String);

impl Typed {
    /// False if the key is no part of a number.
    pub(super) fn take(&mut self, key: Key) -> bool {
        match key {
            Key::Char(c @ ('0'..='9' | '.' | '-')) => self.0.push(c),
            Key::Backspace => _ = self.0.pop(),
            Key::Char(_) | Key::Enter | Key::Escape => return false,
        }
        true
    }

    /// `None` while it is none: "-" and "." are numbers about to be.
    pub(super) fn number(&self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_", self.0)
    }
}
