//! `sinew prune`: without influences that move nothing, within the engine's budget.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use sinew::weights::clean;

use super::KeepArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::numbers::finite;
use crate::text::counted;

/// Remove small influences, and those beyond a point's limit
///
/// The weights that stay are scaled to sum to one. This keeps the largest; `sinew convert
/// --influences` fits the best ones over many poses instead.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew prune hero.glb -o lean.glb\n  \
    sinew prune hero.glb -o lean.glb --least 0.01 --influences 8")]
pub(crate) struct PruneArgs {
    /// A character with weights
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: .glb or .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Remove weights below this
    #[arg(long, value_name = "WEIGHT", default_value = "0.002", value_parser = finite)]
    least: f64,

    #[command(flatten)]
    keep: KeepArgs,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PruneArgs, console: &Console) -> Result<(), Failure> {
    super::check_output(&args.output)?;
    if !(0.0..=1.0).contains(&args.least) {
        return Err(Failure::Usage("--least must be within 0 and 1".into()));
    }
    let mut character = super::read(&args.file, console)?;
    super::check_weights(&args.file, &character)?;
    let rules = args.keep.rules(&character)?;
    let rows: Vec<_> = (character.parts.iter())
        .map(|part| match &part.weights {
            Some(weights) => clean::prune(weights, None, (args.least, &[]), &rules),
            None => Vec::new(),
        })
        .collect();
    let changed = super::put(&mut character, &rows);
    super::write(&args.output, &character, console)?;
    let most = character.parts.iter().filter_map(|part| part.weights.as_ref());
    let most = most.map(sinew::weights::SkinWeights::max_influences).max().unwrap_or(0);
    if args.json {
        console.json(&json!({
            "file": args.output.display().to_string(),
            "changed": changed,
            "max_influences": most,
        }))?;
    }
    let points = counted(changed, "point");
    console.say(&format!("wrote {}: {points} changed", args.output.display()));
    Ok(())
}
