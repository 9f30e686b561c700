//! Running other programs: always in the workspace's root, never with our standard input.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Failure;

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn workspace_root() -> PathBuf {
    // Baked in at build time: right wherever `cargo xtask` is called from, and a moved clone is
    // rebuilt.
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map_or_else(|| xtask.clone(), PathBuf::from)
}

/// `program` in the workspace's root, with no standard input: a chore never waits for an answer.
pub(crate) fn command(program: impl Into<OsString>) -> Command {
    let mut command = Command::new(program.into());
    command.current_dir(workspace_root()).stdin(Stdio::null());
    command
}

/// The cargo that runs us.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// True if `command` starts and ends well; its output is thrown away.
pub(crate) fn succeeds(mut command: Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs `command` to its end with our output; an error unless it ends well.
pub(crate) fn expect_success(mut command: Command) -> Result<(), Failure> {
    let line = shown(&command);
    let status = command.status().map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// What `command` prints on standard output; an error with what it printed on the other unless it
/// ends well.
pub(crate) fn standard_output(mut command: Command) -> Result<Vec<u8>, Failure> {
    let line = shown(&command);
    let output = command.output().map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let words = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{line}` failed ({}):\n{}", output.status, words.trim_end()))
    }
}

/// As one would type it: the program without its folder.
pub(crate) fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(program.as_os_str()).to_string_lossy()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy()));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_an_error_that_names_it() {
        let failure = expect_success(cargo(&["no-such-verb-of-cargo", "--quiet"])).unwrap_err();
        assert!(failure.contains("cargo no-such-verb-of-cargo --quiet"), "{failure}");
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_not_a_panic() {
        assert!(standard_output(command("sinew-no-such-program")).is_err());
        assert!(!succeeds(command("sinew-no-such-program")));
    }

    #[test]
    fn the_root_is_the_workspaces() {
        assert!(workspace_root().join("crates/sinew/Cargo.toml").is_file());
    }
}
