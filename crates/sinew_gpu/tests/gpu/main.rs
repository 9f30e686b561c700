//! Tests that need a device. Without an adapter each is reported as ignored, unless
//! `SINEW_REQUIRE_GPU` is set, as `cargo xtask test` does after it has installed a software driver:
//! then there being none is a failure.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use sinew_gpu::Gpu;

mod character;
mod conformance;
mod device;
mod normals;
mod palette;
mod pick;
mod render;
mod scenes;
mod springs;

/// A test's name, and the test, which panics where it fails.
type Test = (&'static str, fn(&Gpu));

/// All tests of this binary, by module.
const TESTS: &[(&str, &[Test])] = &[
    ("character", character::TESTS),
    ("conformance", conformance::TESTS),
    ("device", device::TESTS),
    ("normals", normals::TESTS),
    ("palette", palette::TESTS),
    ("pick", pick::TESTS),
    ("render", render::TESTS),
    ("springs", springs::TESTS),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let gpu = Gpu::headless();
    let is_required = std::env::var_os("SINEW_REQUIRE_GPU").is_some();
    let trial = |module: &str, (name, test): Test| {
        let gpu = gpu.clone();
        let is_ignored = gpu.is_err() && !is_required;
        let run = move || {
            test(&gpu.map_err(|error| Failed::from(error.to_string()))?);
            Ok(())
        };
        Trial::test(format!("{module}::{name}"), run).with_ignored_flag(is_ignored)
    };
    let trials = TESTS
        .iter()
        .flat_map(|&(module, tests)| tests.iter().map(move |&test| (module, test)))
        .map(|(module, test)| trial(module, test))
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
