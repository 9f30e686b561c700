//! `sinew convert`: between every format read and every format written.

use std::path::PathBuf;

use clap::Args;

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::text::counted;

/// Convert a character between formats, saying what is lost
///
/// The formats follow from the endings. Read: .glb, .gltf, .vrm, .obj, .ply. Written: .glb, .obj, .ply.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew convert hero.gltf hero.glb\n  \
    sinew convert hero.glb hero.obj")]
pub(crate) struct ConvertArgs {
    /// What to read
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// What to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

pub(crate) fn run(args: &ConvertArgs, console: &Console) -> Result<(), Failure> {
    files::check_output(&args.output)?;
    let character = files::read(&args.input, console)?;
    console.check_interrupted()?;
    files::write(&args.output, &character, console)?;
    console.say(&format!(
        "wrote {}: {}, {}",
        args.output.display(),
        counted(character.num_points(), "point"),
        counted(character.num_triangles(), "triangle"),
    ));
    Ok(())
}
