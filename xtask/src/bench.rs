//! `cargo xtask bench ARGS`: the release build's `sinew bench ARGS`.

use std::process::ExitCode;

use crate::run::cargo;

/// Builds, runs, and ends with the command's own exit code.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let mut command = cargo(&["run", "--release", "--package", "sinew_cli", "--", "bench"]);
    command.args(arguments);
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Err(error) => {
            eprintln!("error: cannot run cargo: {error}");
            ExitCode::FAILURE
        }
    }
}
