//! Real files, where the machine has them: `../shared/data` beside the project, or what
//! `SINEW_DATA` names. Where a folder of them is missing, its tests are reported as ignored.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod attack;
#[path = "../common/bounds.rs"]
mod bounds;
mod bvh;
mod cage;
mod carried;
#[path = "../common/mod.rs"]
mod common;
mod evaluation;
#[path = "../common/faults.rs"]
mod faults;
mod fbx;
mod invalid;
mod loading;
#[path = "../common/plain.rs"]
mod plain;
#[path = "../raw/mod.rs"]
mod raw;
#[path = "../common/trips.rs"]
mod trips;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// A test's name, and the test, which panics where it fails and is given the folder that it is of.
type Test = (&'static str, fn(&Path));

/// Folders of the shared data with the tests of what is in them.
const TESTS: &[(&str, &[Test])] = &[
    ("gltf", loading::GLTF),
    ("gltf", evaluation::TESTS),
    ("gltf", carried::TESTS),
    ("gltf", carried::STABLE),
    ("layered", carried::STABLE),
    ("invalid", carried::STABLE),
    ("mesh", carried::STABLE),
    ("attack", attack::TESTS),
    ("bvh", bvh::TESTS),
    ("cage", cage::TESTS),
    ("fbx", fbx::TESTS),
    ("invalid", loading::INVALID),
    ("invalid", invalid::TESTS),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The memory that reading takes is measured of the whole process.
    arguments.test_threads = Some(1);
    let trial = |name: &'static str, (test_name, test): Test| {
        let folder = common::data::folder(name);
        let is_ignored = folder.is_none();
        let run = move || {
            let missing = || Failed::from(format!("there is no {name} in the shared data"));
            test(&folder.ok_or_else(missing)?);
            Ok(())
        };
        Trial::test(format!("{name}::{test_name}"), run).with_ignored_flag(is_ignored)
    };
    let trials = TESTS
        .iter()
        .flat_map(|&(folder, tests)| tests.iter().map(move |&test| trial(folder, test)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
