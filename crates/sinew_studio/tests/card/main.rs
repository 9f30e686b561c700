//! A studio that makes its frames on the graphics card, beside one that makes them on the
//! processor. Without an adapter each test is reported as ignored, unless `SINEW_REQUIRE_GPU` is
//! set, as `cargo xtask test` does after it has installed a software driver.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../studio/common.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod common;
mod pair;
mod pictures;
mod reads;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use sinew_gpu::Gpu;

/// A test's name, and the test, which panics where it fails.
type Test = (&'static str, fn());

const TESTS: &[&[Test]] = &[pictures::TESTS, reads::TESTS];

fn main() -> ExitCode {
    let is_required = std::env::var_os("SINEW_REQUIRE_GPU").is_some();
    let is_ignored = !is_required && Gpu::headless().is_err();
    let trial = |&(name, test): &Test| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_ignored)
    };
    let trials = TESTS.concat().iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
