//! Tests of which it is known at run time only whether they can run: ignored where they cannot,
//! never passed.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Runs them, or reports them as ignored.
pub(crate) fn run(is_ignored: bool, tests: &[(&str, fn())]) -> ExitCode {
    let trial = |&(name, test): &(&str, fn())| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_ignored)
    };
    libtest_mimic::run(&Arguments::from_args(), tests.iter().map(trial).collect()).exit_code()
}
