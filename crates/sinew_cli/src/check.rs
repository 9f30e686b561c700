//! `sinew check`: what is wrong with a character, where, and how to mend it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sinew::check::{CheckOptions, Finding, Severity, check_with};
use sinew_io::Loaded;

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::text::counted;

/// Say what is wrong with a character: what, where, and how to mend it
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew check hero.glb\n  \
    sinew check hero.glb --fail-on warning --max-influences 8\n  \
    sinew check hero.glb --json | jq '.findings[].code'")]
pub(crate) struct CheckArgs {
    /// The character
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Report points that more joints move than this (most engines take 4, some 8)
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    max_influences: u16,

    /// Exit with code 1 if something this bad is found
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Error)]
    fail_on: FailOn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A warning or an error
    Warning,
    /// An error
    Error,
    /// Nothing: only report
    Never,
}

impl FailOn {
    fn fails(self, severity: Severity) -> bool {
        match self {
            Self::Warning => severity >= Severity::Warning,
            Self::Error => severity >= Severity::Error,
            Self::Never => false,
        }
    }
}

pub(crate) fn run(args: &CheckArgs, console: &Console) -> Result<(), Failure> {
    let Loaded { character, report, .. } = files::load(&args.file)?;
    // What the reader had to repair is as wrong as what it could not.
    let mut findings: Vec<Finding> = report.warnings.into_iter().map(Finding::from).collect();
    let options = CheckOptions { max_influences: args.max_influences.into() };
    findings.extend(check_with(&character, &options));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let num_of = |severity| findings.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings) = (num_of(Severity::Error), num_of(Severity::Warning));
    let failed = findings.iter().any(|finding| args.fail_on.fails(finding.severity));
    if args.json {
        console.json(&json!({
            "file": args.file.display().to_string(),
            "errors": errors,
            "warnings": warnings,
            "infos": num_of(Severity::Info),
            "passed": !failed,
            "findings": findings.iter().map(as_json).collect::<Vec<_>>(),
        }))?;
    } else {
        console.data(&findings.iter().map(as_text).collect::<String>())?;
    }
    let summary = format!("{} and {}", counted(errors, "error"), counted(warnings, "warning"));
    if failed {
        return Err(Failure::CheckFailed(format!("'{}' has {summary}", args.file.display())));
    }
    console.say(&format!("{}: {summary}", args.file.display()));
    Ok(())
}

fn as_json(finding: &Finding) -> Value {
    json!({
        "severity": finding.severity.name(),
        "code": finding.code,
        "what": finding.what,
        "where": finding.place,
        "mend": finding.mend,
        "count": finding.count,
    })
}

fn as_text(finding: &Finding) -> String {
    format!(
        "{}[{}]: {}\n  where: {}\n  mend:  {}\n",
        finding.severity.name(),
        finding.code,
        finding.what,
        finding.place,
        finding.mend,
    )
}
