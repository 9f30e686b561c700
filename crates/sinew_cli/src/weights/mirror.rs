//! `sinew mirror`: the weights of one side on the other.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use sinew::skeleton::Side;
use sinew::weights::mirror::{MirrorBy, MirrorSettings, mirror};

use super::KeepArgs;
use crate::console::Console;
use crate::exit::Failure;
use crate::text::counted;

/// Give one side of a character the weights of the other
///
/// A joint's partner is found by its name (arm_l and arm_r, LeftArm and RightArm), a point's by its
/// place at rest, or by its triangles where one side was moved.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew mirror hero.glb -o even.glb\n  \
    sinew mirror hero.glb -o even.glb --from right --by topology")]
pub(crate) struct MirrorArgs {
    /// A character with weights
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: .glb or .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// The side to copy from
    #[arg(long, value_enum, default_value_t = From::Left)]
    from: From,

    /// How a point's partner is found
    #[arg(long, value_enum, default_value_t = By::Position)]
    by: By,

    #[command(flatten)]
    keep: KeepArgs,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum From {
    /// The character's own left
    Left,
    /// The character's own right
    Right,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// By its place at rest
    Position,
    /// By its triangles
    Topology,
}

pub(crate) fn run(args: &MirrorArgs, console: &Console) -> Result<(), Failure> {
    super::check_output(&args.output)?;
    let mut character = super::read(&args.file, console)?;
    let settings = MirrorSettings {
        from: match args.from {
            From::Left => Side::Left,
            From::Right => Side::Right,
        },
        by: match args.by {
            By::Position => MirrorBy::Position,
            By::Topology => MirrorBy::Topology,
        },
        rules: args.keep.rules(&character)?,
    };
    let found = mirror(&character, &settings)
        .map_err(|error| Failure::Input(format!("'{}': {error}", args.file.display())))?;
    let changed = super::put(&mut character, &found.of_part);
    super::write(&args.output, &character, console)?;
    if args.json {
        console.json(&json!({
            "file": args.output.display().to_string(),
            "mirrored": found.num_mirrored,
            "changed": changed,
            "by_position_for_want_of_a_partner": found.num_by_position,
            "worst_distance": found.worst_distance,
        }))?;
    }
    let points = counted(found.num_mirrored, "point");
    console.say(&format!("wrote {}: {points} mirrored, {changed} changed", args.output.display()));
    if found.num_by_position > 0 {
        let points = counted(found.num_by_position, "point");
        console.say(&format!("{points} had no partner by triangles; they went by position"));
    }
    Ok(())
}
