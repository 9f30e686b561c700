//! `sinew bind`: automatic weights.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sinew::Character;
use sinew::weights::auto::{AutoError, AutoMethod, AutoSettings, AutoWeights, auto_weights};
use sinew_editor::names;
use sinew_io::{Format, WriteOptions};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::numbers::whole;
use crate::text::counted;

/// More influences than anybody can play.
const MOST_INFLUENCES: usize = 64;
/// So many joints that were left out are named; the others are counted.
const MOST_NAMED: usize = 8;

/// Give a mesh weights for its skeleton
///
/// All meshes are bound as one body, whatever weights they have. Points in the same place get the
/// same weights; buttons and buckles follow what they lie on; a piece that one joint moves for the
/// most part follows that joint alone. Joints that only pose others (IK, poles, controls, tips) get
/// no weights: --deform and --leave-out overrule that.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew bind scan.glb -o bound.glb\n  \
    sinew bind scan.glb -o bound.glb --influences 8 --leave-out hat_bone\n  \
    sinew bind scan.glb -o bound.glb --weights distance --json")]
pub(crate) struct BindArgs {
    /// A character with a mesh and a skeleton
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: .glb or .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Where weights come from: auto (heat through the body, loose pieces follow what they lie on),
    /// heat (each piece by itself), distance (1/d⁴ to the bones), voxel (the way through the body),
    /// geodesic (the way along the surface), envelope (capsules around the bones), biharmonic
    /// (smoother than auto, and slower), springs (fitted to what springs do in a range of motion),
    /// motion (fitted to what springs do in the file's clips)
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    weights: WeightMethod,

    /// How many joints may move a point, at the most
    #[arg(long, value_name = "N", default_value = "4", value_parser = whole)]
    influences: usize,

    /// Give this joint weights, whatever its name says; may repeat
    #[arg(long, value_name = "JOINT")]
    deform: Vec<String>,

    /// Give this joint no weights; may repeat
    #[arg(long, value_name = "JOINT")]
    leave_out: Vec<String>,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

/// A method by its name.
#[derive(Clone, Copy, Debug)]
struct WeightMethod(AutoMethod);

impl ValueEnum for WeightMethod {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [WeightMethod; AutoMethod::ALL.len()] = [
            WeightMethod(AutoMethod::Auto),
            WeightMethod(AutoMethod::Heat),
            WeightMethod(AutoMethod::Distance),
            WeightMethod(AutoMethod::Voxel),
            WeightMethod(AutoMethod::Geodesic),
            WeightMethod(AutoMethod::Envelope),
            WeightMethod(AutoMethod::Biharmonic),
            WeightMethod(AutoMethod::Springs),
            WeightMethod(AutoMethod::Motion),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

pub(crate) fn run(args: &BindArgs, console: &Console) -> Result<(), Failure> {
    files::check_output(&args.output)?;
    if !matches!(Format::of_path(&args.output), Some(Format::Glb | Format::Gltf)) {
        return Err(Failure::Usage("weights need .glb or .gltf; OUT has another ending".into()));
    }
    if !(1..=MOST_INFLUENCES).contains(&args.influences) {
        let words = format!("--influences must be within 1 and {MOST_INFLUENCES}");
        return Err(Failure::Usage(words));
    }
    let mut character = files::read(&args.file, console)?;
    let mut decided = Vec::new();
    for (list, deforms) in [(&args.deform, true), (&args.leave_out, false)] {
        for name in list {
            decided.push((joint(&character, name)?, deforms));
        }
    }
    let settings =
        AutoSettings { method: args.weights.0, max_influences: args.influences, decided };
    let bar = console.bar();
    let found = auto_weights(&character, &settings, &bar).map_err(|error| match error {
        AutoError::Cancelled => Failure::Interrupted,
        error => Failure::Input(format!("'{}': {error}", args.file.display())),
    })?;
    drop(bar);
    let report = as_json(args, &character, &found);
    tell_left_out(&character, &found, console);
    for (part, weights) in character.parts.iter_mut().zip(found.of_part) {
        part.weights = Some(weights);
    }
    files::write(&args.output, &character, &WriteOptions::default(), console)?;
    if args.json {
        console.json(&report)?;
    }
    let meshes = counted(character.parts.len(), "mesh");
    let points = counted(character.num_points(), "point");
    console.say(&format!("wrote {}: {meshes}, {points} bound", args.output.display()));
    Ok(())
}

fn joint(character: &Character, name: &str) -> Result<u32, Failure> {
    let names = character.skeleton.joints().iter().map(|joint| joint.name.as_str());
    let unknown = || Failure::Usage(names::unknown("joint", name, names));
    character.skeleton.find(name).ok_or_else(unknown)
}

fn tell_left_out(character: &Character, found: &AutoWeights, console: &Console) {
    if found.left_out.is_empty() {
        return;
    }
    let name = |joint: u32| character.skeleton.joints()[joint as usize].name.clone();
    let mut names: Vec<String> =
        found.left_out.iter().take(MOST_NAMED).map(|left| name(left.joint)).collect();
    let more = found.left_out.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    console.say(&format!("without weights (--deform JOINT gives some): {}", names.join(", ")));
}

fn as_json(args: &BindArgs, character: &Character, found: &AutoWeights) -> Value {
    let name = |joint: u32| character.skeleton.joints()[joint as usize].name.clone();
    let left_out: Vec<Value> = found
        .left_out
        .iter()
        .map(|left| json!({ "joint": name(left.joint), "reason": left.reason }))
        .collect();
    let meshes: Vec<Value> = character
        .parts
        .iter()
        .zip(&found.of_part)
        .map(|(part, weights)| {
            json!({
                "name": part.mesh.name(),
                "points": weights.num_points(),
                "max_influences": weights.max_influences(),
                "joints_used": weights.num_joints_used(),
            })
        })
        .collect();
    json!({
        "file": args.output.display().to_string(),
        "weights": args.weights.0.name(),
        "influences": args.influences,
        "left_out": left_out,
        "rigid_pieces": found.num_rigid,
        "meshes": meshes,
    })
}
