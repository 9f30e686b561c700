//! `sinew retarget`: a motion on another skeleton.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value, json};
use sinew::Character;
use sinew::motion::Clip;
use sinew::retarget::{
    Correction, RetargetError, RetargetOptions, Retargeted, carry_shapes, retarget,
};
use sinew::skeleton::Skeleton;
use sinew_editor::names;
use sinew_io::{Format, WriteOptions, humanoid_bones};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::text::{counted, rounded};

/// Larger files than this are no mapping.
const MAX_MAP_BYTES: u64 = 1 << 20;

/// Put a motion on another character
///
/// Joints find their partners by name (Mixamo, CMU, Rigify, VRM, Unreal, Biped, our samples and
/// similar names), then by where they are in the body; --map corrects that. Limbs keep their
/// directions, the hips move in proportion to the legs, and standing feet do not slide. OUT is the
/// character with the clip added (.glb, .gltf), or its skeleton with the motion (.bvh).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew retarget walk.bvh hero.glb -o walking.glb\n  \
    sinew retarget dance.fbx hero.vrm -o dancing.glb --map joints.json\n  \
    sinew retarget walk.bvh hero.glb -o walking.glb --json > report.json\n\n\
    A mapping file: {\"joints\": {\"LeftArm\": \"upper_arm_l\", \"LThumb\": null}}; `--json` prints \
    what was found in the same form.")]
pub(crate) struct RetargetArgs {
    /// The file with the motion: .bvh, .fbx, .glb, .gltf, .vrm, .vrma
    #[arg(value_name = "MOTION")]
    motion: PathBuf,

    /// The character that gets it
    #[arg(value_name = "CHARACTER")]
    character: PathBuf,

    /// Where to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// The clip to take [default: all of them]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Partners of joints, as JSON, where names and places do not find them
    #[arg(long, value_name = "FILE.json")]
    map: Option<PathBuf>,

    /// Let feet slide
    #[arg(long)]
    loose_feet: bool,

    /// Print each joint's partner, and the figures, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RetargetArgs, console: &Console) -> Result<(), Failure> {
    files::check_output(&args.output)?;
    let format = Format::of_path(&args.output);
    if !matches!(format, Some(Format::Glb | Format::Gltf | Format::Bvh)) {
        let words = "a motion needs .glb, .gltf or .bvh; OUT has another ending";
        return Err(Failure::Usage(words.into()));
    }
    let corrections = args.map.as_deref().map(read_map).transpose()?.unwrap_or_default();
    let motion = files::read(&args.motion, console)?;
    let mut character = files::read(&args.character, console)?;
    let clips = chosen(&motion, args)?;
    let options = RetargetOptions {
        corrections,
        source_names: humanoid_bones(&motion),
        target_names: humanoid_bones(&character),
        keeps_feet: !args.loose_feet,
    };
    let mut reports = Vec::new();
    let mut first = None;
    for clip in clips {
        console.check_interrupted()?;
        let mut done = retarget(&motion.skeleton, clip, &character.skeleton, &options)
            .map_err(|error| failure(&error, args))?;
        let shapes = carry_shapes(&motion, clip, &character);
        done.clip.shape_tracks = shapes.tracks;
        if !shapes.lost.is_empty() {
            let lost = listed(shapes.lost.iter().map(String::as_str));
            console.warn_once(&format!("no shape of the character is called so: {lost}"));
        }
        let name = free_name(&character, &done.clip.name);
        tell(&name, &done, console);
        if reports.is_empty() {
            tell_partners(&motion.skeleton, &character.skeleton, &done, console);
        }
        reports.push(as_json(&name, &motion.skeleton, &character.skeleton, &done));
        first.get_or_insert_with(|| name.clone());
        character.clips.push(Clip { name, ..done.clip });
    }
    let options = WriteOptions {
        clip: first.filter(|_| format == Some(Format::Bvh)),
        ..WriteOptions::default()
    };
    files::write(&args.output, &character, &options, console)?;
    if args.json {
        console.json(&json!({ "file": args.output.display().to_string(), "clips": reports }))?;
    }
    let clips = counted(reports.len(), "clip");
    console.say(&format!("wrote {}: {clips} retargeted", args.output.display()));
    Ok(())
}

fn chosen<'a>(motion: &'a Character, args: &RetargetArgs) -> Result<Vec<&'a Clip>, Failure> {
    if let Some(name) = &args.clip {
        let names = motion.clips.iter().map(|clip| clip.name.as_str());
        let unknown = || Failure::Input(names::unknown("clip", name, names));
        return Ok(vec![motion.clip(name).ok_or_else(unknown)?]);
    }
    if motion.clips.is_empty() {
        let file = args.motion.display();
        return Err(Failure::Input(format!(
            "'{file}' has no motion; `sinew info` lists its clips"
        )));
    }
    Ok(motion.clips.iter().collect())
}

fn failure(error: &RetargetError, args: &RetargetArgs) -> Failure {
    let (motion, character) = (args.motion.display(), args.character.display());
    Failure::Input(format!("'{motion}' on '{character}': {error}"))
}

/// A name that no clip of the character has.
fn free_name(character: &Character, wanted: &str) -> String {
    let wanted = if wanted.is_empty() { "motion" } else { wanted };
    let mut name = wanted.to_owned();
    let mut number = 2;
    while character.clip(&name).is_some() {
        name = format!("{wanted} {number}");
        number += 1;
    }
    name
}

fn read_map(path: &Path) -> Result<Vec<Correction>, Failure> {
    let failed = |what: String| Failure::Input(format!("'{}': {what}", path.display()));
    let length = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if length > MAX_MAP_BYTES {
        return Err(failed(format!("{length} bytes are too many for a mapping")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let form =
        "a mapping is {\"joints\": {\"joint of the motion\": \"joint of the character\" or null}}";
    let joints = value.get("joints").and_then(Value::as_object);
    let joints = joints.ok_or_else(|| failed(form.into()))?;
    let correction = |(source, target): (&String, &Value)| match target {
        Value::Null => Ok(Correction { source: source.clone(), target: None }),
        Value::String(name) => {
            Ok(Correction { source: source.clone(), target: Some(name.clone()) })
        }
        other => Err(failed(format!("joints.{source}: {other} is no name; {form}"))),
    };
    joints.iter().map(correction).collect()
}

fn name_of(skeleton: &Skeleton, joint: u32) -> &str {
    &skeleton.joints()[joint as usize].name
}

fn tell(name: &str, done: &Retargeted, console: &Console) {
    let figures = &done.figures;
    console.say(&format!(
        "{name}: {} partners, legs {} times as long, {}; feet slide {} % of the leg while they stand, limbs are {}° off",
        done.pairs.len(),
        rounded(done.scale),
        counted(figures.num_stances, "stance"),
        rounded(100.0 * figures.slide_over_leg),
        rounded(figures.limb_degrees),
    ));
}

/// The first names of a list, and how many more there are.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let more = names.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names: Vec<&str> = names.take(MOST).collect();
    format!("{}{more}", names.join(", "))
}

fn tell_partners(source: &Skeleton, target: &Skeleton, done: &Retargeted, console: &Console) {
    let listed = |skeleton: &Skeleton, joints: &[u32]| {
        listed(joints.iter().map(|&joint| name_of(skeleton, joint)))
    };
    if !done.lost.is_empty() {
        let names = listed(source, &done.lost);
        console.warn(&format!("joints of the motion without a partner: {names}"));
    }
    if !done.still.is_empty() {
        let names = listed(target, &done.still);
        console.say(&format!("joints of the character that the motion does not move: {names}"));
    }
}

fn as_json(name: &str, source: &Skeleton, target: &Skeleton, done: &Retargeted) -> Value {
    let joints: Map<String, Value> = done
        .pairs
        .iter()
        .map(|pair| (name_of(source, pair.source).to_owned(), json!(name_of(target, pair.target))))
        .collect();
    let names = |skeleton: &Skeleton, joints: &[u32]| -> Vec<String> {
        joints.iter().map(|&joint| name_of(skeleton, joint).to_owned()).collect()
    };
    let figures = &done.figures;
    json!({
        "clip": name,
        "joints": joints,
        "lost": names(source, &done.lost),
        "still": names(target, &done.still),
        "scale": done.scale,
        "stances": figures.num_stances,
        "slide_over_leg": figures.slide_over_leg,
        "limb_degrees": figures.limb_degrees,
        "most_limb_degrees": figures.most_limb_degrees,
    })
}
