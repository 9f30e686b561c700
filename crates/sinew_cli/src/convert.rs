//! `sinew convert`: between every format read and every format written.

use std::path::PathBuf;

use clap::Args;
use sinew_io::{Format, WriteOptions};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::text::counted;

/// Convert a character between formats, saying what is lost
///
/// The formats follow from the endings. Read: .glb, .gltf, .vrm, .obj, .ply. Written: .glb, .vrm, .gltf (with its buffer
/// beside it), .obj, .ply. From glTF to glTF everything is kept, also what Sinew does not look at: materials, cameras,
/// lights, extensions, the order of nodes (docs/formats.md).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew convert hero.gltf hero.glb\n  \
    sinew convert hero.glb small.glb --quantize --meshopt\n  \
    sinew convert hero.glb hero.obj")]
pub(crate) struct ConvertArgs {
    /// What to read
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// What to write
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// glTF: vertices of 16 bits a component (KHR_mesh_quantization): about half the size, positions off by up to 1.3e-5
    /// of a mesh's box
    #[arg(long)]
    quantize: bool,

    /// glTF: compress vertices, indices and keys with meshopt (EXT_meshopt_compression): smaller without loss, for
    /// programs that know the extension
    #[arg(long)]
    meshopt: bool,
}

pub(crate) fn run(args: &ConvertArgs, console: &Console) -> Result<(), Failure> {
    files::check_output(&args.output)?;
    let is_gltf = matches!(Format::of_path(&args.output), Some(Format::Glb | Format::Gltf));
    if (args.quantize || args.meshopt) && !is_gltf {
        let words =
            "--quantize and --meshopt are of glTF; write a .glb or .gltf, or leave them out";
        return Err(Failure::Usage(words.into()));
    }
    let character = files::read(&args.input, console)?;
    console.check_interrupted()?;
    let options =
        WriteOptions { quantize: args.quantize, meshopt: args.meshopt, ..WriteOptions::default() };
    files::write(&args.output, &character, &options, console)?;
    console.say(&format!(
        "wrote {}: {}, {}",
        args.output.display(),
        counted(character.num_points(), "point"),
        counted(character.num_triangles(), "triangle"),
    ));
    Ok(())
}
