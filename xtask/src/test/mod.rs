//! `cargo xtask test`: the one command that installs what the tests need and runs everything, to
//! the first failure.

mod count;

use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::run::{cargo, expect_success, shown, succeeds};
use crate::{files, install, layers, site};
use count::Counts;

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Everything,
    /// All but building the documentation.
    Quick,
}

/// How a step ended, with the tests that it ran; a check has none.
type StepResult = Result<Counts, Failure>;

/// One of the things that must go well.
type Step = fn() -> StepResult;

const STEPS: &[(&str, Step)] = &[
    ("install", || install::run().map(|()| Counts::default())),
    ("fmt", || check(cargo(&["fmt", "--all", "--check"]))),
    ("clippy", || {
        check(cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    }),
    (DOC, || {
        let mut doc = cargo(&["doc", "--workspace", "--no-deps"]);
        doc.env("RUSTDOCFLAGS", "-D warnings");
        check(doc)
    }),
    ("layers", || layers::run().map(|()| Counts::default())),
    ("files", || files::run().map(|()| Counts::default())),
    ("site", || site::run().map(|()| Counts::default())),
    ("tests", unit_and_integration_tests),
    ("doctests", || count_tests(cargo(&["test", "--workspace", "--doc"]))),
];

/// The step that [`Extent::Quick`] leaves out.
const DOC: &str = "doc";

/// Runs the steps in order; ends with a table of times and, as the last line, how many tests
/// passed.
pub(crate) fn run(extent: Extent) -> Result<(), Failure> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut counts = Counts::default();
    let mut failed = None;
    for (name, step) in STEPS {
        if extent == Extent::Quick && *name == DOC {
            continue;
        }
        println!("\n=== {name} ===");
        flush();
        let start = Instant::now();
        let outcome = step();
        times.push((name, start.elapsed()));
        match outcome {
            Ok(counted) => counts += counted,
            Err(failure) => {
                failed = Some((*name, failure));
                break;
            }
        }
    }
    println!("\n=== times ===\n{}", table(&times));
    flush();
    let Some((name, failure)) = failed else {
        println!("\ntest result: ok. {counts}");
        return Ok(());
    };
    println!("\ntest result: FAILED at {name}");
    Err(format!("{name}: {failure}"))
}

/// By nextest where it is installed. Doctests are a step of their own: nextest has none.
fn unit_and_integration_tests() -> StepResult {
    if succeeds(cargo(&["nextest", "--version"])) {
        count_tests(cargo(&["nextest", "run", "--workspace", "--no-fail-fast"]))
    } else {
        let targets = ["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"];
        count_tests(cargo(&targets))
    }
}

fn check(command: Command) -> StepResult {
    println!("$ {}", shown(&command));
    flush();
    expect_success(command).map(|()| Counts::default())
}

/// Runs a test runner, shows what it prints, and adds up the summaries in it.
fn count_tests(mut command: Command) -> StepResult {
    let line = shown(&command);
    println!("$ {line}");
    flush();
    // A driver has been installed: tests that need one must run, not be left out.
    command.env("SINEW_REQUIRE_GPU", "1");
    // And so has the validator of glTF files.
    command.env("SINEW_REQUIRE_VALIDATOR", "1");
    // And a display.
    command.env("SINEW_REQUIRE_WINDOW", "1");
    if std::io::stdout().is_terminal() {
        // Its output goes through us, so it cannot see the terminal itself.
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run `{line}`: {error}"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let counts = std::thread::scope(|scope| {
        let words =
            scope.spawn(|| stderr.map_or(Counts::default(), |s| pass_on(s, std::io::stderr())));
        let data = stdout.map_or(Counts::default(), |s| pass_on(s, std::io::stdout()));
        let mut counts = words.join().unwrap_or_default();
        counts += data;
        counts
    });
    let status = child.wait().map_err(|error| format!("lost sight of `{line}`: {error}"))?;
    if !status.success() {
        return Err(format!("`{line}` failed ({status}): {counts}"));
    }
    Ok(counts)
}

/// Copies a runner's output line by line, and adds up the summaries in it.
fn pass_on(from: impl Read, mut to: impl Write) -> Counts {
    let mut counts = Counts::default();
    for line in BufReader::new(from).split(b'\n') {
        // A reader or writer that breaks ends the copy; the exit code still tells how the tests
        // went.
        let Ok(mut line) = line else { break };
        counts += Counts::in_line(&String::from_utf8_lossy(&line));
        line.push(b'\n');
        if to.write_all(&line).is_err() {
            break;
        }
    }
    counts
}

fn table(times: &[(&str, Duration)]) -> String {
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    let row = |name: &str, time: Duration| format!("{name:<10}{:>8.1} s", time.as_secs_f64());
    let mut rows: Vec<String> = times.iter().map(|&(name, time)| row(name, time)).collect();
    rows.push(row("total", total));
    rows.join("\n")
}

/// Children write to the same stream: what we said before must be out first.
fn flush() {
    let _ = std::io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_runner_prints_is_passed_on_unchanged_and_counted() {
        let text =
            "running 2 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\n\n";
        let mut copy = Vec::new();
        let counts = pass_on(text.as_bytes(), &mut copy);
        assert_eq!(String::from_utf8(copy).unwrap(), text);
        assert_eq!(counts, Counts { passed: 2, failed: 0, ignored: 1 });
    }

    #[test]
    fn the_table_ends_with_the_total() {
        let times = [("fmt", Duration::from_millis(500)), ("tests", Duration::from_secs(12))];
        assert_eq!(
            table(&times).lines().collect::<Vec<_>>(),
            ["fmt            0.5 s", "tests         12.0 s", "total         12.5 s"]
        );
    }

    #[test]
    fn quick_leaves_out_a_step_that_exists() {
        assert_eq!(STEPS.iter().filter(|(name, _)| *name == DOC).count(), 1);
    }
}
