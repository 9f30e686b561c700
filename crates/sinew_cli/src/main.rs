//! The `sinew` command: a verb runs a command, no verb opens the studio.
//!
//! Data on stdout, words and progress on stderr; exit codes in [`exit`]. `docs/guide/command.md` is
//! the guide.

mod args;
mod bench;
mod bind;
mod cage;
mod cage_args;
mod check;
mod console;
mod contestant;
mod convert;
mod demo;
mod diff;
mod dynamics;
mod edit;
mod exit;
mod files;
mod help;
mod info;
mod joint_spec;
mod measure;
mod memory;
mod numbers;
mod on_card;
mod pairing;
mod pose;
mod progress;
mod render;
mod retarget;
mod runner;
mod sample;
mod shape;
mod skin;
mod spring_args;
mod spring_edits;
mod studio;
mod text;
mod weights;

use std::process::ExitCode;

use clap::Parser as _;
use sinew_editor::names;

use crate::args::{Cli, Verb};
use crate::console::Console;
use crate::exit::Failure;
use crate::studio::StudioArgs;

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return clap_exit(&error),
    };
    let console = Console::new(cli.quiet, cli.force);
    match run(&cli, &console) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::StdoutClosed) {
                Console::error(&failure.to_string());
            }
            ExitCode::from(failure.code())
        }
    }
}

fn run(cli: &Cli, console: &Console) -> Result<(), Failure> {
    match &cli.verb {
        None => studio::run(&StudioArgs::default(), console),
        Some(Verb::Studio(args)) => studio::run(args, console),
        Some(Verb::Sample(args)) => sample::run(args, console),
        Some(Verb::Info(args)) => info::run(args, console),
        Some(Verb::Check(args)) => check::run(args, console),
        Some(Verb::Cage(args)) => cage::run(args, console),
        Some(Verb::Convert(args)) => convert::run(args, console),
        Some(Verb::Retarget(args)) => retarget::run(args, console),
        Some(Verb::Bind(args)) => bind::run(args, console),
        Some(Verb::Transfer(args)) => weights::transfer::run(args, console),
        Some(Verb::Mirror(args)) => weights::mirror::run(args, console),
        Some(Verb::Prune(args)) => weights::prune::run(args, console),
        Some(Verb::Smooth(args)) => weights::smooth::run(args, console),
        Some(Verb::Repair(args)) => weights::repair::run(args, console),
        Some(Verb::Skin(args)) => skin::run(args, console),
        Some(Verb::Measure(args)) => measure::run(args, console),
        Some(Verb::Diff(args)) => diff::run(args, console),
        Some(Verb::Edit(args)) => edit::run(args, console),
        Some(Verb::Render(args)) => render::run(args, console),
        Some(Verb::Demo(args)) => demo::run(args, console),
        Some(Verb::Bench(args)) => bench::run(args, console),
        Some(Verb::Completions(args)) => help::completions(args, console),
        Some(Verb::Man(args)) => help::man(args, console),
    }
}

/// Help and version are data and go to stdout as they are; a mistake is one line on stderr.
fn clap_exit(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print().map_err(|error| console::stdout_failure(&error)) {
            Ok(()) | Err(Failure::StdoutClosed) => ExitCode::SUCCESS,
            Err(failure) => {
                Console::error(&failure.to_string());
                ExitCode::from(failure.code())
            }
        };
    }
    let line = exit::one_line(&error.render().to_string());
    Console::error(&format!("{}; see --help", line.strip_prefix("error: ").unwrap_or(&line)));
    ExitCode::from(Failure::Usage(String::new()).code())
}
