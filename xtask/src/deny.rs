//! `cargo xtask deny`: licences, bans, sources and advisories of all dependencies, by cargo-deny.
//!
//! No part of `cargo xtask test`: the advisory database comes over the network, and its news would
//! break a build that nobody changed.

use crate::Failure;
use crate::run::{cargo, expect_success, succeeds};

/// Runs `cargo deny check`, or says how to get it.
pub(crate) fn run() -> Result<(), Failure> {
    if !succeeds(cargo(&["deny", "--version"])) {
        return Err(
            "cargo-deny is not installed; run `cargo install --locked cargo-deny` and try again"
                .into(),
        );
    }
    expect_success(cargo(&["deny", "--all-features", "check"]))
}
