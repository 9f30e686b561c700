//! A number that is being typed in the middle of a drag.

use std::fmt;

use super::Key;

/// Digits so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed(String);

/// Strikes a key in a number that may have begun. False, and nothing done, if it is no part of one;
/// nothing is taken from a number that was not begun.
pub(super) fn type_into(typed: &mut Option<Typed>, key: Key) -> bool {
    let mut next = typed.clone().unwrap_or_default();
    if (typed.is_none() && key == Key::Backspace) || !next.take(key) {
        return false;
    }
    *typed = Some(next);
    true
}

impl Typed {
    /// False if the key is no part of a number.
    fn take(&mut self, key: Key) -> bool {
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
