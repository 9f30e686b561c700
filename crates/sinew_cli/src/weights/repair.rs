//! `sinew repair`: what `check` finds in weights, mended.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use sinew::weights::repair::{Mend, repair};

use super::KeepArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::text::counted;

/// Mend what `sinew check` finds in the weights
///
/// Each repair has the code of the finding that it mends; `--only` chooses some. All else stays as
/// it is.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew repair hero.glb -o whole.glb\n  \
    sinew repair hero.glb -o whole.glb --only seam-weights-differ --only too-many-influences")]
pub(crate) struct RepairArgs {
    /// A character
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: .glb or .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Mend only this finding; may repeat
    #[arg(long, value_name = "CODE", value_enum)]
    only: Vec<Code>,

    #[command(flatten)]
    keep: KeepArgs,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

/// A mend by the code of its finding.
#[derive(Clone, Copy, Debug)]
struct Code(Mend);

impl ValueEnum for Code {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Code; Mend::ALL.len()] = {
            let mut all = [Code(Mend::UnweightedMesh); Mend::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index] = Code(Mend::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.code()))
    }
}

pub(crate) fn run(args: &RepairArgs, console: &Console) -> Result<(), Failure> {
    super::check_output(&args.output)?;
    let character = super::read(&args.file, console)?;
    let rules = args.keep.rules(&character)?;
    let only: Vec<Mend> = args.only.iter().map(|code| code.0).collect();
    let mends = if only.is_empty() { &Mend::ALL[..] } else { &only };
    let (mended, done) = repair(&character, mends, &rules, &console.bar());
    console.check_interrupted()?;
    super::write(&args.output, &mended, console)?;
    let name = |part: usize| mended.parts[part].mesh.name();
    if args.json {
        let done: Vec<_> = (done.iter())
            .map(|d| json!({ "code": d.mend.code(), "mesh": name(d.part), "points": d.count }))
            .collect();
        let file = args.output.display().to_string();
        console.json(&json!({ "file": file, "mended": done }))?;
    }
    for mended in &done {
        let points = counted(mended.count, "point");
        console.say(&format!("{}: {points} of mesh '{}'", mended.mend.code(), name(mended.part)));
    }
    let number = counted(done.len(), "mend");
    console.say(&format!("wrote {}: {number}", args.output.display()));
    Ok(())
}
