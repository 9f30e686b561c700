//! `sinew convert`: between every format read and every format written.

use std::path::PathBuf;

use clap::Args;
use sinew_editor::names;
use sinew_io::{Format, WeightsForm, WriteOptions, weights_to_text};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::text::counted;

/// Convert a character between formats, and say what is lost
///
/// The formats follow from the endings. Read: .glb, .gltf, .vrm, .fbx, .obj, .ply, .bvh. Written:
/// .glb, .vrm, .gltf (with its buffer beside it), .obj, .ply, .bvh (skeleton and one clip), and
/// the weights alone as .json or .tsv, or for ngSkinTools as .ngskin.json, which `sinew transfer`
/// puts on a character. From glTF to glTF everything is kept, also what Sinew does not look at:
/// materials, cameras, lights, extensions, the order of nodes (docs/formats.md).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew convert hero.gltf hero.glb\n  \
    sinew convert hero.glb small.glb --quantize --meshopt\n  \
    sinew convert hero.glb full.glb --influences 8\n  \
    sinew convert hero.glb hero.obj\n  \
    sinew convert walk.bvh walk.glb\n  \
    sinew convert hero.glb weights.tsv\n  \
    sinew convert hero.glb run.bvh --clip Run")]
pub(crate) struct ConvertArgs {
    /// What to read
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// What to write
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// glTF: let at most so many joints move a vertex, with weights fitted so that the skin moves
    /// as it did; `all` keeps every influence
    #[arg(long, value_name = "N|all", default_value = "4")]
    influences: Influences,

    /// glTF: write vertices with 16 bits a component (KHR_mesh_quantization): about half the size;
    /// positions are off by up to 1.3e-5 of the box around a mesh
    #[arg(long)]
    quantize: bool,

    /// glTF: compress vertices, indices and keys with meshopt (EXT_meshopt_compression): smaller
    /// without loss, for programs that know the extension
    #[arg(long)]
    meshopt: bool,

    /// BVH: the clip to write, as the format holds one [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
}

/// `all`, or a number above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Influences(Option<usize>);

impl std::str::FromStr for Influences {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self(None)),
            _ => match text.parse() {
                Ok(most @ 1..=64) => Ok(Self(Some(most))),
                _ => Err("write a number from 1 to 64, or all"),
            },
        }
    }
}

pub(crate) fn run(args: &ConvertArgs, console: &Console) -> Result<(), Failure> {
    if let Some(form) = WeightsForm::of_path(&args.output) {
        return write_weights(args, form, console);
    }
    files::check_output(&args.output)?;
    let is_gltf = matches!(Format::of_path(&args.output), Some(Format::Glb | Format::Gltf));
    if (args.quantize || args.meshopt) && !is_gltf {
        let words =
            "--quantize and --meshopt are for glTF; write a .glb or .gltf, or leave them out";
        return Err(Failure::Usage(words.into()));
    }
    let is_motion = Format::of_path(&args.output) == Some(Format::Bvh);
    if args.clip.is_some() && !is_motion {
        let words =
            "--clip is for BVH, which holds one motion; leave it out: other formats get all clips";
        return Err(Failure::Usage(words.into()));
    }
    let character = files::read(&args.input, console)?;
    if let Some(name) = args.clip.as_ref().filter(|name| character.clip(name).is_none()) {
        let names = character.clips.iter().map(|clip| clip.name.as_str());
        return Err(Failure::Input(names::unknown("clip", name, names)));
    }
    console.check_interrupted()?;
    let options = WriteOptions {
        max_influences: args.influences.0,
        quantize: args.quantize,
        meshopt: args.meshopt,
        clip: args.clip.clone(),
        ..WriteOptions::default()
    };
    files::write(&args.output, &character, &options, console)?;
    let what = if character.parts.is_empty() || is_motion {
        let clips = if is_motion { character.clips.len().min(1) } else { character.clips.len() };
        format!("{}, {}", counted(character.skeleton.len(), "joint"), counted(clips, "clip"))
    } else {
        let (points, triangles) = (character.num_points(), character.num_triangles());
        format!("{}, {}", counted(points, "point"), counted(triangles, "triangle"))
    };
    console.say(&format!("wrote {}: {what}", args.output.display()));
    Ok(())
}

/// The weights alone.
fn write_weights(args: &ConvertArgs, form: WeightsForm, console: &Console) -> Result<(), Failure> {
    if args.quantize || args.meshopt || args.clip.is_some() {
        let words =
            "weights alone have no mesh and no clip; leave out --quantize, --meshopt and --clip";
        return Err(Failure::Usage(words.into()));
    }
    let character = files::read(&args.input, console)?;
    if character.parts.iter().all(|part| part.weights.is_none()) {
        let words =
            format!("'{}' has no weights; `sinew bind` gives it some", args.input.display());
        return Err(Failure::Input(words));
    }
    let text = weights_to_text(&character, form).map_err(Failure::Input)?;
    files::write_bytes(&args.output, text.as_bytes(), console)?;
    let points = counted(character.num_points(), "point");
    console.say(&format!("wrote {}: weights of {points}", args.output.display()));
    Ok(())
}
