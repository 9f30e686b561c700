//! `sinew skin`: the character in one pose, as a file.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use glam::Vec3;
use serde_json::json;
use sinew::Character;
use sinew::progress::Progress as _;
use sinew::skeleton::Palette;
use sinew::skin::SkinMethod;
use sinew_io::{Format, PosedPart};

use crate::args::{DeformArgs, Method, PoseArgs};
use crate::console::Console;
use crate::deform::{BoundPoints, NormalSource, posed_normals};
use crate::exit::Failure;
use crate::files;
use crate::numbers::not_negative;
use crate::text::{counted, duration_ns};

/// Write the character in one pose, as OBJ, PLY or GLB
///
/// OBJ has one `v` line a welded point, in the same order whatever the pose or method, so that two results can be
/// compared line by line.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew skin box.glb -o bent.obj --rotate bone_1:x:90\n  \
    sinew skin human.glb -o wave.glb --clip wave --time 0.5 --method dual-quat\n  \
    sinew skin cylinder.glb -o twisted.ply --rotate bone_1:twist:720 --stats")]
pub(crate) struct SkinArgs {
    /// The character
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: .obj, .ply or .glb
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// How the joints move the skin
    #[arg(long, value_enum, value_name = "METHOD", default_value = "linear")]
    method: Method,

    #[command(flatten)]
    deform: DeformArgs,

    #[command(flatten)]
    pose: PoseArgs,

    /// Where the normals come from
    #[arg(long, value_enum, default_value_t = Normals::Transformed, help_heading = "Output")]
    normals: Normals,

    /// With recomputed normals, edges sharper than this at rest stay sharp [default: 40]
    #[arg(
        long,
        value_name = "DEGREES",
        allow_negative_numbers = true,
        value_parser = not_negative,
        help_heading = "Output"
    )]
    crease: Option<f64>,

    /// Write the vertices as they are split at seams, not the welded points (OBJ and PLY)
    #[arg(long, help_heading = "Output")]
    render_vertices: bool,

    /// Print times for bind and deform, points and joints
    #[arg(long, help_heading = "Output")]
    stats: bool,

    /// Print the stats as JSON
    #[arg(long, requires = "stats", help_heading = "Output")]
    json: bool,
}

/// Edges of a character that are sharper than this are meant to be.
const DEFAULT_CREASE_DEGREES: f64 = 40.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Normals {
    /// The file's own, moved by the method
    Transformed,
    /// From the posed surface
    Recomputed,
}

/// One entry a mesh.
struct Posed {
    points: Vec<Vec<Vec3>>,
    normals: Vec<Vec<Vec3>>,
    bind_ns: f64,
    deform_ns: f64,
}

pub(crate) fn run(args: &SkinArgs, console: &Console) -> Result<(), Failure> {
    files::check_output(&args.output)?;
    if args.crease.is_some() && args.normals != Normals::Recomputed {
        let words = "--crease is of recomputed normals; add --normals recomputed or leave it out";
        return Err(Failure::Usage(words.into()));
    }
    let character = files::read(&args.file, console)?;
    if character.parts.is_empty() {
        let file = args.file.display();
        return Err(Failure::Input(format!(
            "'{file}' has no mesh, so that there is nothing to pose; `sinew info` lists what is in it"
        )));
    }
    let posed = pose_character(args, &character, console)?;
    let parts: Vec<PosedPart<'_>> = character
        .parts
        .iter()
        .zip(posed.points.iter().zip(&posed.normals))
        .map(|(part, (points, vertex_normals))| PosedPart {
            mesh: &part.mesh,
            points,
            vertex_normals,
        })
        .collect();
    console.check_interrupted()?;
    files::write_posed(&args.output, &character.name, &parts, args.render_vertices)?;

    let method = args.method.0;
    console.say(&format!(
        "wrote {}: {}, {}, {}",
        args.output.display(),
        counted(character.num_points(), "point"),
        counted(character.num_triangles(), "triangle"),
        method.name(),
    ));
    if !args.stats {
        return Ok(());
    }
    let (points, joints) = (character.num_points(), character.skeleton.len());
    if args.json {
        return console.json(&json!({
            "method": method.name(),
            "points": points,
            "joints": joints,
            "bind_ms": posed.bind_ns * 1e-6,
            "deform_ms": posed.deform_ns * 1e-6,
            "deform_ns_per_point": posed.deform_ns / points as f64,
        }));
    }
    console.data(&format!(
        "method  {}\npoints  {points}\njoints  {joints}\nbind    {}\ndeform  {}\n",
        method.name(),
        duration_ns(posed.bind_ns),
        duration_ns(posed.deform_ns),
    ))
}

fn pose_character(
    args: &SkinArgs,
    character: &Character,
    console: &Console,
) -> Result<Posed, Failure> {
    let method: SkinMethod = args.method.0;
    let pose = args.pose.resolve(character, console)?;
    let palette = Palette::new(&character.skeleton, &pose);
    let bar = console.bar();
    bar.report("binding", 0.0);
    let start = Instant::now();
    let bound = BoundPoints::bind(character, method, &bar)?;
    let bind_ns = start.elapsed().as_nanos() as f64;

    bar.report("deforming", 0.0);
    let start = Instant::now();
    let points = bound.deform(&palette);
    let deform_ns = start.elapsed().as_nanos() as f64;

    let source = match args.normals {
        Normals::Transformed => NormalSource::Transformed(method),
        Normals::Recomputed => {
            let crease_degrees = args.crease.unwrap_or(DEFAULT_CREASE_DEGREES);
            NormalSource::Recomputed { crease_radians: crease_degrees.to_radians() as f32 }
        }
    };
    // OBJ and PLY of welded points have none: a point at a seam has several.
    let has_normals = args.render_vertices || Format::of_path(&args.output) == Some(Format::Glb);
    if !has_normals && args.normals == Normals::Recomputed {
        console.warn("welded points have no normals; add --render-vertices or write a .glb");
    }
    let mut normals = vec![Vec::new(); character.parts.len()];
    if has_normals {
        for ((part, points), normals) in character.parts.iter().zip(&points).zip(&mut normals) {
            *normals = posed_normals((part, &character.skeleton), points, &palette, source, &bar)?;
        }
    }
    Ok(Posed { points, normals, bind_ns, deform_ns })
}
