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
use sinew::springs::SpringStats;
use sinew_gpu::Gpu;
use sinew_io::{Format, PosedPart};

use crate::args::{DeformArgs, Device, Method, PoseArgs};
use crate::console::Console;
use crate::deform::{
    BoundPoints, CardTimes, Deformation, NormalSource, PosedPoints, posed_normals,
};
use crate::dynamics::{DynamicsArgs, Frames, frames_per_second};
use crate::exit::Failure;
use crate::files;
use crate::numbers::not_negative;
use crate::spring_args::Springs;
use crate::text::{counted, duration_ns};

/// Write the character in one pose, as OBJ, PLY or GLB
///
/// OBJ has one `v` line a welded point, in the same order whatever the pose or method, so that two results can be
/// compared line by line.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew skin box.glb -o bent.obj --rotate bone_1:x:90\n  \
    sinew skin human.glb -o wave.glb --clip wave --time 0.5 --method dual-quat\n  \
    sinew skin cylinder.glb -o twisted.ply --rotate bone_1:twist:720 --springs anchored --stats\n  \
    sinew skin human.glb -o swing.glb --clip wave --time 0.5 --springs anchored --dynamics\n  \
    sinew skin box.glb -o long.obj --stretch bone_1:1.5")]
pub(crate) struct SkinArgs {
    /// The character
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write: .obj, .ply or .glb
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// How the joints move the skin; with springs, what they start from [default: linear, or the springs' own]
    #[arg(long, value_enum, value_name = "METHOD")]
    method: Option<Method>,

    /// Relax the skin after the method
    #[arg(long, value_enum, value_name = "MODEL", default_value = "off")]
    springs: Springs,

    #[command(flatten)]
    deform: DeformArgs,

    #[command(flatten)]
    dynamics: DynamicsArgs,

    /// With --dynamics, how often a second the clip is sampled, 4 to 10000 [default: 30]
    #[arg(
        long,
        value_name = "N",
        requires = "dynamics",
        allow_negative_numbers = true,
        value_parser = frames_per_second,
        help_heading = "Springs"
    )]
    fps: Option<f64>,

    #[command(flatten)]
    pose: PoseArgs,

    /// Where the normals come from [default: transformed; recomputed with springs or bone-smooth]
    #[arg(long, value_enum, help_heading = "Output")]
    normals: Option<Normals>,

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

    /// Print times for bind and deform, points and joints, and the springs' iterations and residual (the largest last step
    /// over the smallest side of the rest bounds); with --dynamics the sub-steps of all frames, and no residual
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
    springs: Option<SpringStats>,
    /// `None` without springs, and for a skin in motion: that has not come to rest, nor should it.
    residual: Option<f32>,
    bind_ns: f64,
    deform_ns: f64,
    /// `None` on the processor.
    card: Option<CardTimes>,
}

impl SkinArgs {
    /// Where the normals come from: an answer that fits what was asked for.
    fn normals(&self) -> Result<Normals, Failure> {
        let has_springs = self.springs.0.is_some();
        let is_bone_smooth = self.method == Some(Method(SkinMethod::BoneSmooth));
        let normals = match self.normals {
            Some(Normals::Transformed) if has_springs => {
                let words = "no joint moves the normals of a relaxed skin; --normals recomputed takes them from the surface";
                return Err(Failure::Usage(words.into()));
            }
            Some(normals) => normals,
            None if has_springs || is_bone_smooth => Normals::Recomputed,
            None => Normals::Transformed,
        };
        if self.crease.is_some() && normals != Normals::Recomputed {
            let words =
                "--crease is of recomputed normals; add --normals recomputed or leave it out";
            return Err(Failure::Usage(words.into()));
        }
        Ok(normals)
    }
}

pub(crate) fn run(args: &SkinArgs, console: &Console) -> Result<(), Failure> {
    files::check_output(&args.output)?;
    args.normals()?;
    args.deform.springs.check_used(&[args.springs.0])?;
    let frames = args.dynamics.frames(args.springs.0, args.pose.time, args.fps)?;
    if frames.is_some() && args.deform.device == Device::Gpu {
        let words = "--dynamics runs on the processor only; leave --device gpu out";
        return Err(Failure::Usage(words.into()));
    }
    let gpu = args.deform.device.gpu()?;
    let character = files::read(&args.file, console)?;
    if character.parts.is_empty() {
        let file = args.file.display();
        return Err(Failure::Input(format!(
            "'{file}' has no mesh, so that there is nothing to pose; `sinew info` lists what is in it"
        )));
    }
    if frames.is_some() && args.pose.moves_shapes(&character) {
        console.warn("with --dynamics shapes do not move: they are as at --time");
    }
    let character = args.pose.shaped(character)?;
    let method = args.method.map(|Method(method)| method);
    let deformation = args.deform.springs.deformation(&character, method, args.springs.0)?;
    let posed = pose_character(args, &character, &deformation, (frames, gpu.as_ref()), console)?;
    let parts = PosedPart::of_character(&character, &posed.points, &posed.normals);
    console.check_interrupted()?;
    files::write_posed(&args.output, &character.name, &parts, args.render_vertices)?;

    console.say(&format!(
        "wrote {}: {}, {}, {}",
        args.output.display(),
        counted(character.num_points(), "point"),
        counted(character.num_triangles(), "triangle"),
        deformation.label(),
    ));
    if args.stats { print_stats(args, &character, &deformation, &posed, console) } else { Ok(()) }
}

fn print_stats(
    args: &SkinArgs,
    character: &Character,
    deformation: &Deformation,
    posed: &Posed,
    console: &Console,
) -> Result<(), Failure> {
    let (points, joints) = (character.num_points(), character.skeleton.len());
    let (method, springs) = (deformation.method.name(), deformation.springs_name());
    if args.json {
        return console.json(&json!({
            "method": method,
            "springs": springs,
            "iterations": posed.springs.map(|stats| stats.iterations),
            "residual": posed.residual,
            "points": points,
            "joints": joints,
            "bind_ms": posed.bind_ns * 1e-6,
            "deform_ms": posed.deform_ns * 1e-6,
            "deform_ns_per_point": posed.deform_ns / points as f64,
            "device": if posed.card.is_some() { "gpu" } else { "cpu" },
            "dispatch_ms": posed.card.map(|card| card.dispatch_ms),
            "compute_ms": posed.card.and_then(|card| card.compute_ms),
            "read_back_ms": posed.card.map(|card| card.read_back_ms),
        }));
    }
    let mut lines = vec![("method", method.to_owned())];
    if let Some(stats) = posed.springs {
        lines.extend([
            ("springs", springs.to_owned()),
            ("iterations", stats.iterations.to_string()),
        ]);
    }
    lines.extend(posed.residual.map(|residual| ("residual", format!("{residual:.2e}"))));
    lines.extend([
        ("points", points.to_string()),
        ("joints", joints.to_string()),
        ("bind", duration_ns(posed.bind_ns)),
        ("deform", duration_ns(posed.deform_ns)),
    ]);
    if let Some(card) = posed.card {
        lines.push(("dispatch", duration_ns(card.dispatch_ms * 1e6)));
        lines.extend(card.compute_ms.map(|ms| ("compute", duration_ns(ms * 1e6))));
        lines.push(("read back", duration_ns(card.read_back_ms * 1e6)));
    }
    let width = lines.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let text: String =
        lines.iter().map(|(key, value)| format!("{key:<width$}  {value}\n")).collect();
    console.data(&text)
}

fn pose_character(
    args: &SkinArgs,
    character: &Character,
    deformation: &Deformation,
    (frames, gpu): (Option<Frames>, Option<&Gpu>),
    console: &Console,
) -> Result<Posed, Failure> {
    let pose = args.pose.resolve(character, console)?;
    let palette = Palette::new(&character.skeleton, &pose);
    let bar = console.bar();
    bar.report("binding", 0.0);
    let start = Instant::now();
    let mut bound = BoundPoints::bind(character, deformation, &bar)?;
    if let Some(gpu) = gpu {
        bound.upload(gpu, &character.skeleton)?;
    }
    let bind_ns = start.elapsed().as_nanos() as f64;

    bar.report("deforming", 0.0);
    let start = Instant::now();
    let PosedPoints { of_mesh: points, springs, card } = match &frames {
        None => bound.deform(&palette)?,
        Some(frames) => {
            let palette_at = |seconds: f64| {
                let pose = args.pose.resolve_at(character, seconds)?;
                Ok(Palette::new(&character.skeleton, &pose))
            };
            bound.simulate(frames, &palette_at, &mut |_, _| {}, &bar)?
        }
    };
    let residual = springs.filter(|_| frames.is_none()).map(|stats| stats.residual);
    let deform_ns = start.elapsed().as_nanos() as f64;

    let source = match args.normals()? {
        Normals::Transformed => NormalSource::Transformed(deformation.method),
        Normals::Recomputed => {
            let crease_degrees = args.crease.unwrap_or(DEFAULT_CREASE_DEGREES);
            NormalSource::Recomputed { crease_radians: crease_degrees.to_radians() as f32 }
        }
    };
    // OBJ and PLY of welded points have none: a point at a seam has several.
    let has_normals = args.render_vertices || Format::of_path(&args.output) == Some(Format::Glb);
    if !has_normals && args.normals == Some(Normals::Recomputed) {
        console.warn("welded points have no normals; add --render-vertices or write a .glb");
    }
    let mut normals = vec![Vec::new(); character.parts.len()];
    if has_normals {
        for ((part, points), normals) in character.parts.iter().zip(&points).zip(&mut normals) {
            *normals = posed_normals((part, &character.skeleton), points, &palette, source, &bar)?;
        }
    }
    Ok(Posed { points, normals, springs, residual, bind_ns, deform_ns, card })
}
