//! `sinew sample`: procedural characters with skeleton and weights.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};
use sinew::progress::Progress as _;
use sinew::sample::{SampleError, SampleKind, SampleOptions, build};
use sinew_io::Format;

use crate::console::Console;
use crate::exit::Failure;
use crate::numbers::whole;
use crate::text::{Table, count, counted};
use crate::{files, names};

/// Write a procedural character with skeleton, weights and a clip
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew sample --list\n  \
    sinew sample human -o human.glb\n  \
    sinew sample cylinder -o tube.glb --points 5000 --bones 3")]
pub(crate) struct SampleArgs {
    /// Which character
    #[arg(value_name = "NAME", required_unless_present = "list")]
    name: Option<String>,

    /// Where to write: .glb keeps everything, .obj and .ply only the mesh
    #[arg(short, long, value_name = "FILE", required_unless_present = "list")]
    output: Option<PathBuf>,

    /// Make about this many points
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    points: Option<usize>,

    /// Make this many bones, where the skeleton is not fixed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    bones: Option<usize>,

    /// List the characters instead
    #[arg(long, conflicts_with_all = ["name", "output", "points", "bones"])]
    list: bool,

    /// Print the list as JSON
    #[arg(long, requires = "list")]
    json: bool,
}

pub(crate) fn run(args: &SampleArgs, console: &Console) -> Result<(), Failure> {
    match (&args.name, &args.output) {
        (Some(name), Some(output)) if !args.list => {
            files::check_output(output)?;
            let kind = SampleKind::from_name(name).ok_or_else(|| {
                let all = SampleKind::ALL.map(SampleKind::name);
                Failure::Usage(format!(
                    "{}; `sinew sample --list` describes them",
                    names::unknown("sample", name, all)
                ))
            })?;
            let options = SampleOptions { kind, points: args.points, bones: args.bones };
            let bar = console.bar();
            bar.report(&format!("building {name}"), 0.0);
            // Neither building nor writing asks whether it should stop.
            let built = console.until_interrupted(move || build(&options))?;
            drop(bar);
            let character = built.map_err(|error| match error {
                SampleError::Mesh(_) | SampleError::Skeleton(_) => {
                    Failure::Input(error.to_string())
                }
                asked_wrongly => Failure::Usage(asked_wrongly.to_string()),
            })?;
            let character = Arc::new(character);
            let (shared, path, own) = (Arc::clone(&character), output.clone(), console.clone());
            let options = sinew_io::WriteOptions::default();
            console.until_interrupted(move || files::write(&path, &shared, &options, &own))??;
            let mut written = vec![
                counted(character.num_points(), "point"),
                counted(character.num_triangles(), "triangle"),
            ];
            if Format::of_path(output) == Some(Format::Glb) {
                written.push(counted(character.skeleton.len(), "joint"));
            }
            console.say(&format!("wrote {}: {}", output.display(), written.join(", ")));
            Ok(())
        }
        _ if args.json => {
            console.json(&SampleKind::ALL.iter().map(as_json).collect::<Vec<Value>>().into())
        }
        _ => {
            let mut table = Table::new(&["name", "points", "joints"]).with_words("what");
            for kind in SampleKind::ALL {
                table.row([
                    kind.name().into(),
                    count(kind.default_points()),
                    count(kind.default_bones()),
                    kind.description().into(),
                ]);
            }
            console.data(&table.to_string())
        }
    }
}

fn as_json(kind: &SampleKind) -> Value {
    let bounds = |bounds: std::ops::RangeInclusive<usize>| json!([bounds.start(), bounds.end()]);
    json!({
        "name": kind.name(),
        "description": kind.description(),
        "points": kind.default_points(),
        "joints": kind.default_bones(),
        "point_bounds": bounds(kind.point_bounds()),
        "bone_bounds": kind.bone_bounds().map(bounds),
    })
}
