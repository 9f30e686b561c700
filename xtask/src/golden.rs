//! The golden pictures of `crates/sinew_view/tests/golden`: compared, or kept anew after a change
//! that is meant.

use crate::Failure;
use crate::run::{cargo, expect_success, succeeds};

/// What to do with a picture that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Report every picture that differs.
    Compare,
    /// Keep it in the place of the old one.
    Bless,
}

const TEST: &[&str] = &["test", "--package", "sinew_view", "--test", "golden"];

pub(crate) fn run(mode: Mode) -> Result<(), Failure> {
    if mode == Mode::Compare {
        return expect_success(cargo(TEST));
    }
    let mut blessing = cargo(TEST);
    blessing.env("SINEW_BLESS", "1");
    // A run that keeps pictures always fails, so that no test run does it unseen.
    if succeeds(blessing) {
        return Err("SINEW_BLESS=1 should make the golden test fail after it has kept the pictures; it passed".into());
    }
    expect_success(cargo(TEST))?;
    println!(
        "kept; look at every changed picture (git diff --stat crates/sinew_view/tests/golden) before you commit"
    );
    Ok(())
}
