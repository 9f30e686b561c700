//! `sinew transfer`: weights from one character to another.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use sinew::weights::transfer::{TransferError, TransferSettings, Transferred, transfer};
use sinew_io::{WeightsForm, read_weights};

use super::KeepArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::numbers::finite;
use crate::text::counted;

/// Copy weights to another character
///
/// The meshes may differ in topology, size and proportions, and the skeletons in joints: joints are
/// matched by name, by their part in the body and by how far along it they are, and bring the
/// source into the target's shape. Points with nothing of the source near them get the weights of
/// the points around them.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew transfer hero.glb coat.glb -o coat-bound.glb\n  \
    sinew transfer hero.glb giant.glb -o giant-bound.glb --influences 8\n  \
    sinew transfer weights.tsv hero.glb -o hero-bound.glb\n  \
    sinew transfer old.glb new.glb -o new-bound.glb --no-fit --mix 0.5")]
pub(crate) struct TransferArgs {
    /// The character that gives its weights, or weights alone: .json or .tsv as `sinew convert`
    /// writes them, .json of ngSkinTools
    #[arg(value_name = "FROM")]
    from: PathBuf,

    /// The character that gets them: meshes with a skeleton
    #[arg(value_name = "TO")]
    to: PathBuf,

    /// Where to write: .glb or .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Leave points unmatched that are further from the source than this share of the target's
    /// diagonal
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = finite)]
    distance: f64,

    /// Leave points unmatched whose normal differs from the source's by more than this
    #[arg(long, value_name = "DEGREES", default_value = "60", value_parser = finite)]
    angle: f64,

    /// Mix the target's own weights (0) and the source's (1)
    #[arg(long, value_name = "SHARE", default_value = "1", value_parser = finite)]
    mix: f64,

    /// Do not fit the source to the target: they lie on one another already
    #[arg(long)]
    no_fit: bool,

    /// Copy only weights of this joint of the target; may repeat
    #[arg(long, value_name = "JOINT")]
    joint: Vec<String>,

    #[command(flatten)]
    keep: KeepArgs,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &TransferArgs, console: &Console) -> Result<(), Failure> {
    super::check_output(&args.output)?;
    if !(0.0..=1.0).contains(&args.mix) || args.distance < 0.0 {
        return Err(Failure::Usage("--mix must be within 0 and 1, --distance not negative".into()));
    }
    if WeightsForm::of_path(&args.from).is_some() {
        return of_file(args, console);
    }
    let from = super::read(&args.from, console)?;
    let mut to = super::read(&args.to, console)?;
    let settings = TransferSettings {
        max_distance: args.distance,
        max_radians: args.angle.to_radians(),
        mix: args.mix,
        fit: !args.no_fit,
        joints: (args.joint.iter())
            .map(|name| super::joint(&to, name))
            .collect::<Result<_, _>>()?,
        rules: args.keep.rules(&to)?,
    };
    let bar = console.bar();
    let found = transfer(&from, &to, &settings, &bar).map_err(|error| match error {
        TransferError::Cancelled => Failure::Interrupted,
        error => {
            let (from, to) = (args.from.display(), args.to.display());
            Failure::Input(format!("'{from}' to '{to}': {error}"))
        }
    })?;
    drop(bar);
    let Transferred { of_part, num_matched, num_filled, map } = found;
    for (part, weights) in to.parts.iter_mut().zip(of_part) {
        part.weights = Some(weights);
    }
    super::write(&args.output, &to, console)?;
    let alike = map.num_alike();
    if args.json {
        let name = |joints: &sinew::skeleton::Skeleton, joint: u32| {
            joints.joints()[joint as usize].name.clone()
        };
        let mapped: serde_json::Map<String, serde_json::Value> = (0..from.skeleton.len() as u32)
            .filter_map(|joint| {
                let target = map.target(joint)?;
                Some((name(&from.skeleton, joint), json!(name(&to.skeleton, target))))
            })
            .collect();
        console.json(&json!({
            "file": args.output.display().to_string(),
            "matched": num_matched,
            "filled": num_filled,
            "joints_alike": alike,
            "joints": mapped,
        }))?;
    }
    let matched = counted(num_matched, "point");
    let joints = counted(alike, "joint");
    console.say(&format!(
        "wrote {}: {matched} matched, {num_filled} filled from around; {joints} alike",
        args.output.display()
    ));
    Ok(())
}

/// Weights of a file of weights, point by point.
fn of_file(args: &TransferArgs, console: &Console) -> Result<(), Failure> {
    if args.mix != 1.0 || !args.joint.is_empty() {
        let words =
            "--mix and --joint are for FROM with meshes, not for weights alone; leave them out";
        return Err(Failure::Usage(words.into()));
    }
    let mut to = super::read(&args.to, console)?;
    let found = read_weights(&args.from, &to)
        .map_err(|error| Failure::Input(format!("'{}': {error}", args.from.display())))?;
    let mut num_points = 0;
    for (part, weights) in to.parts.iter_mut().zip(found.of_part) {
        if let Some(weights) = weights {
            num_points += weights.num_points();
            part.weights = Some(weights);
        }
    }
    for name in &found.unknown_meshes {
        console
            .warn(&format!("left out: mesh '{name}', which '{}' does not have", args.to.display()));
    }
    super::write(&args.output, &to, console)?;
    let report = &found.report;
    if args.json {
        console.json(&json!({
            "file": args.output.display().to_string(),
            "matched": num_points,
            "rescaled": report.rescaled,
            "unweighted": report.unweighted.len(),
        }))?;
    }
    console.say(&format!(
        "wrote {}: {} read; {} scaled to one, {} without weight",
        args.output.display(),
        counted(num_points, "point"),
        report.rescaled,
        report.unweighted.len()
    ));
    Ok(())
}
