//! `cargo xtask mutants --count N`: as many broken files through every reader of `sinew_io`, in the
//! release build, with how far they got.

use crate::Failure;
use crate::run::cargo;

/// Runs the test of the mutants with that many.
pub(crate) fn run(count: &str) -> Result<(), Failure> {
    let count: u64 =
        count.parse().map_err(|_| format!("'{count}' is no number of mutants; write 1000000"))?;
    let test = ["test", "--release", "--package", "sinew_io", "--test", "mutants"];
    let mut command = cargo(&test);
    command.args(["--", "--nocapture", "--test-threads", "1"]);
    command.env("SINEW_MUTANTS", count.to_string());
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("a mutant did what none may".into()) }
}
