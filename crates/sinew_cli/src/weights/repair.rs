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
/// Each mend goes by the code of its finding; `--only` chooses. What is whole is left as it is. A
/// skeleton that rests elsewhere than it was bound (`rest-is-not-bind`) is mended only if it is
/// named: it may be meant.
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
    let mends = match only.is_empty() {
        true => Mend::ALL.into_iter().filter(|mend| mend.is_of_weights()).collect(),
        false => only,
    };
    let (mended, done) = repair(&character, &mends, &rules, &console.bar());
    console.check_interrupted()?;
    super::write(&args.output, &mended, console)?;
    let name = |part: Option<usize>| part.map(|part| mended.parts[part].mesh.name());
    if args.json {
        let done: Vec<_> = (done.iter())
            .map(|d| match name(d.part) {
                Some(mesh) => json!({ "code": d.mend.code(), "mesh": mesh, "points": d.count }),
                None => json!({ "code": d.mend.code(), "joints": d.count }),
            })
            .collect();
        let file = args.output.display().to_string();
        console.json(&json!({ "file": file, "mended": done }))?;
    }
    for mended in &done {
        let of = match name(mended.part) {
            Some(mesh) => format!("{} of mesh '{mesh}'", counted(mended.count, "point")),
            None => counted(mended.count, "joint"),
        };
        console.say(&format!("{}: {of}", mended.mend.code()));
    }
    let number = counted(done.len(), "mend");
    console.say(&format!("wrote {}: {number}", args.output.display()));
    Ok(())
}
