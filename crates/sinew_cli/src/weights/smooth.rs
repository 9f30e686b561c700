//! `sinew smooth`: weights more like their neighbours'.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use sinew::mesh::Adjacency;
use sinew::weights::clean;

use super::KeepArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::numbers::{finite, whole};
use crate::text::counted;

/// More sweeps than anybody waits for.
const MOST_TIMES: usize = 1000;

/// Smooth weights: bring each point nearer to its neighbours
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew smooth hero.glb -o soft.glb --times 5\n  \
    sinew smooth hero.glb -o soft.glb --joint elbow_l --joint forearm_l")]
pub(crate) struct SmoothArgs {
    /// A character with weights
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: .glb or .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// How many rounds of smoothing
    #[arg(long, value_name = "N", default_value = "3", value_parser = whole)]
    times: usize,

    /// How far a point goes towards the mean of its neighbours in a round, 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = finite)]
    share: f64,

    /// Smooth only points that this joint moves; may repeat
    #[arg(long, value_name = "JOINT")]
    joint: Vec<String>,

    #[command(flatten)]
    keep: KeepArgs,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SmoothArgs, console: &Console) -> Result<(), Failure> {
    super::check_output(&args.output)?;
    if !(0.0..=1.0).contains(&args.share) || args.times > MOST_TIMES {
        let words = format!("--share must be within 0 and 1, --times at most {MOST_TIMES}");
        return Err(Failure::Usage(words));
    }
    let mut character = super::read(&args.file, console)?;
    super::check_weights(&args.file, &character)?;
    let rules = args.keep.rules(&character)?;
    let joints: Vec<u32> =
        (args.joint.iter()).map(|name| super::joint(&character, name)).collect::<Result<_, _>>()?;
    let rows: Vec<_> = (character.parts.iter())
        .map(|part| {
            let Some(weights) = &part.weights else { return Vec::new() };
            let adjacency = Adjacency::of(&part.mesh);
            let moved = |point: &u32| {
                weights.row(*point as usize).iter().any(|i| joints.contains(&i.joint))
            };
            let points: Vec<u32> = (0..weights.num_points() as u32).filter(moved).collect();
            let points = (!joints.is_empty()).then_some(points.as_slice());
            clean::smooth(weights, &adjacency, points, args.times, args.share, &rules)
        })
        .collect();
    let changed = super::put(&mut character, &rows);
    super::write(&args.output, &character, console)?;
    if args.json {
        let file = args.output.display().to_string();
        console.json(&json!({ "file": file, "changed": changed }))?;
    }
    let points = counted(changed, "point");
    console.say(&format!("wrote {}: {points} changed", args.output.display()));
    Ok(())
}
