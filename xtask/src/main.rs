//! The project's own chores: `cargo xtask CHORE`.
//!
//! Exit codes: 0 done, 1 a chore found something wrong, 2 bad usage. `bench` passes on the
//! command's own.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a terminal program: what it has to say, it prints"
)]

mod bench;
mod deny;
mod dist;
mod files;
mod golden;
mod install;
mod layers;
mod mutants;
mod run;
mod site;
mod soak;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
The project's own chores.

usage: cargo xtask CHORE

  test [--quick]   install what the tests need, then run every check and every test; --quick leaves out the docs
  layers           no crate depends on what its layer must not know (ARCHITECTURE.md)
  files            source files short enough, lines narrow enough, links in *.md files whole
  site             docs/ as a site, target/site/index.html; every page reached, every link whole
  dist [--binary FILE]  build for release (or take FILE) and pack for Linux: target/dist/sinew-*.tar.gz and .deb
  golden [--bless] compare the golden pictures; --bless keeps what is drawn now: look at every one before you commit
  bench [ARGS]     build for release and run `sinew bench ARGS`
  mutants --count N  so many broken files through every reader, in release, with how far they got
  soak --minutes N random edits, undo, saves, kills, full disks and two studios against the editor; prints its counts
  deny             licences, bans, sources and advisories of all dependencies, by cargo-deny (deny.toml)
";

/// What went wrong, for people: chores end at the first failure, nothing handles it.
type Failure = String;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["test"] => test::run(test::Extent::Everything),
        ["test", "--quick"] => test::run(test::Extent::Quick),
        ["layers"] => layers::run(),
        ["files"] => files::run(),
        ["site"] => site::run(),
        ["dist"] => dist::run(None),
        ["dist", "--binary", binary] => dist::run(Some(binary)),
        ["golden"] => golden::run(golden::Mode::Compare),
        ["golden", "--bless"] => golden::run(golden::Mode::Bless),
        ["bench", ref rest @ ..] => return bench::run(rest),
        ["mutants", "--count", count] => mutants::run(count),
        ["soak", "--minutes", minutes] => soak::run(minutes),
        ["deny"] => deny::run(),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
