//! `sinew skin`: the character in one pose, as a file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::json;
use sinew::Character;
use sinew::frame::{Normals, Rig};
use sinew::progress::Progress as _;
use sinew::skin::SkinMethod;
use sinew_gpu::Gpu;
use sinew_io::Format;

use crate::args::{DeformArgs, Device, Method, PoseArgs};
use crate::console::Console;
use crate::dynamics::{DynamicsArgs, Frames, frames_per_second};
use crate::exit::Failure;
use crate::files;
use crate::numbers::not_negative;
use crate::on_card::CardTimes;
use crate::runner::Runner;
use crate::spring_args::Springs;
use crate::spring_edits::SpringEdits;
use crate::text::{counted, duration_ns};

/// Write the character in one pose, as OBJ, PLY or glTF
///
/// An OBJ has one `v` line for each point of the surface, with seams joined, in the same order
/// whatever the pose or method, so that two results can be compared line by line.
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

    /// Where to write: .obj, .ply, .glb or .gltf
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// How the joints move the skin; springs start from it [default: linear, or the springs' own]
    #[arg(long, value_enum, value_name = "METHOD")]
    method: Option<Method>,

    /// Relax the skin with springs
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

    /// Where the normals come from [default: transformed; recomputed with springs or bone-smooth,
    /// or if the file has none]
    #[arg(long, value_enum, help_heading = "Output")]
    normals: Option<NormalsFlag>,

    /// With recomputed normals, keep only those edges sharp that are sharper than this at rest
    /// [default: the file's hard edges, or 40 where it has no normals]
    #[arg(
        long,
        value_name = "DEGREES",
        allow_negative_numbers = true,
        value_parser = not_negative,
        help_heading = "Output"
    )]
    crease: Option<f64>,

    /// Write vertices split at seams, as engines have them, instead of joined points (OBJ and PLY)
    #[arg(long, help_heading = "Output")]
    render_vertices: bool,

    /// Print how many points and joints there are, how long binding and a frame took, and the
    /// springs' iterations and residual (how far points still moved in the last one, over the
    /// shortest side of the box at rest); with --dynamics the sub-steps of all frames instead
    #[arg(long, help_heading = "Output")]
    stats: bool,

    /// Print the stats as JSON
    #[arg(long, requires = "stats", help_heading = "Output")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NormalsFlag {
    /// The normals of the file, moved by the method
    Transformed,
    /// Computed from the posed surface
    Recomputed,
}

/// What came of it, beside the runner's last frame.
struct Posed {
    runner: Runner,
    /// Of springs; with inertia the sub-steps of all frames.
    iterations: Option<u32>,
    /// `None` without springs, and for a skin in motion: that has not come to rest, nor should it.
    residual: Option<f32>,
    bind_ns: f64,
    deform_ns: f64,
}

impl SkinArgs {
    /// Where the normals come from: an answer that fits what was asked for.
    fn normals(&self, console: &Console) -> Result<Normals, Failure> {
        let usage = |words: &str| Err(Failure::Usage(words.into()));
        let moves_none = match (self.springs.0, self.method) {
            (Some(_), _) => Some("a relaxed skin"),
            (None, Some(Method(SkinMethod::BoneSmooth))) => Some("bone-smooth"),
            (None, _) => None,
        };
        if let (Some(what), Some(NormalsFlag::Transformed)) = (moves_none, self.normals) {
            return usage(&format!(
                "no joint moves the normals of {what}; --normals recomputed takes them from the surface"
            ));
        }
        let is_recomputed = match self.normals {
            Some(normals) => normals == NormalsFlag::Recomputed,
            None => moves_none.is_some(),
        };
        if self.crease.is_some() && !is_recomputed {
            return usage(
                "--crease is for recomputed normals; add --normals recomputed or leave it out",
            );
        }
        // OBJ and PLY of welded points have none: a point at a seam has several.
        let is_gltf = matches!(Format::of_path(&self.output), Some(Format::Glb | Format::Gltf));
        if !self.render_vertices && !is_gltf {
            if self.normals == Some(NormalsFlag::Recomputed) {
                console
                    .warn("welded points have no normals; add --render-vertices or write a .glb");
            }
            return Ok(Normals::Off);
        }
        Ok(match (self.normals, self.crease) {
            (None, None) => Normals::Auto,
            (Some(NormalsFlag::Transformed), _) => Normals::Transformed,
            (_, crease) => {
                Normals::Recomputed { crease_degrees: crease.map(|degrees| degrees as f32) }
            }
        })
    }
}

pub(crate) fn run(args: &SkinArgs, console: &Console) -> Result<(), Failure> {
    files::check_mesh_output(&args.output)?;
    let normals = args.normals(console)?;
    args.deform.springs.check_used(&[args.springs.0])?;
    let frames = args.dynamics.frames(args.springs.0, args.pose.seconds(), args.fps)?;
    if frames.is_some() && args.deform.device == Device::Gpu {
        let words = "--dynamics runs on the processor only; leave --device gpu out";
        return Err(Failure::Usage(words.into()));
    }
    let gpu = args.deform.device.gpu()?;
    let (character, cage) = files::read_caged(&args.file, console)?;
    let character = Arc::new(character);
    if character.parts.is_empty() {
        let file = args.file.display();
        return Err(Failure::Input(format!(
            "'{file}' has no mesh, so that there is nothing to pose; `sinew info` lists what is in it"
        )));
    }
    let method = args.method.map(|Method(method)| method);
    let rig = args.deform.springs.rig(&character, method, args.springs.0)?.with_normals(normals);
    let mut rig = Rig { dynamics: args.dynamics.over(&rig.dynamics), ..rig };
    let mut edits = args.deform.springs.edits(&character)?;
    let cage = (cage, args.pose.moves_cage(&character));
    edits.cage = args.deform.cage.rig(cage, &character, console)?;
    let rest = (&args.pose.base(&character)?, args.pose.turns_joints());
    edits.rest_offsets = args.deform.cage.green_offsets(&character, rest, console)?;
    edits.give_rig(&character, &mut rig)?;
    let posed = args.pose.controls(&character, edits.cage.as_ref(), console)?;
    edits.rest_cage = args.deform.cage.rest_cage(&character, &rig, &edits.given(posed), console)?;
    let work = (&rig, &edits);
    let posed = pose_character(args, &character, work, (frames, gpu.as_ref()), console)?;
    console.check_interrupted()?;
    let frame = posed.runner.frame();
    files::write_posed(&args.output, &character, frame, args.render_vertices, console)?;

    console.say(&format!(
        "wrote {}: {}, {}, {}",
        args.output.display(),
        counted(character.num_points(), "point"),
        counted(character.num_triangles(), "triangle"),
        rig.label(),
    ));
    if args.stats { print_stats(args, &character, &rig, &posed, console) } else { Ok(()) }
}

fn print_stats(
    args: &SkinArgs,
    character: &Character,
    rig: &Rig,
    posed: &Posed,
    console: &Console,
) -> Result<(), Failure> {
    let (points, joints) = (character.num_points(), character.skeleton.len());
    let (method, springs) = (rig.first_stage().name(), rig.springs_name());
    let card: Option<CardTimes> = posed.runner.card_times();
    if args.json {
        return console.json(&json!({
            "method": method,
            "springs": springs,
            "iterations": posed.iterations,
            "residual": posed.residual,
            "points": points,
            "joints": joints,
            "bind_ms": posed.bind_ns * 1e-6,
            "deform_ms": posed.deform_ns * 1e-6,
            "deform_ns_per_point": posed.deform_ns / points as f64,
            "device": if card.is_some() { "gpu" } else { "cpu" },
            "dispatch_ms": card.map(|card| card.dispatch_ms),
            "compute_ms": card.and_then(|card| card.compute_ms),
            "read_back_ms": card.map(|card| card.read_back_ms),
        }));
    }
    let mut lines = vec![("method", method.to_owned())];
    if let Some(iterations) = posed.iterations {
        lines.extend([("springs", springs.to_owned()), ("iterations", iterations.to_string())]);
    }
    lines.extend(posed.residual.map(|residual| ("residual", format!("{residual:.2e}"))));
    lines.extend([
        ("points", points.to_string()),
        ("joints", joints.to_string()),
        ("bind", duration_ns(posed.bind_ns)),
        ("deform", duration_ns(posed.deform_ns)),
    ]);
    if let Some(card) = card {
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
    character: &Arc<Character>,
    (rig, edits): (&Rig, &SpringEdits),
    (frames, gpu): (Option<Frames>, Option<&Gpu>),
    console: &Console,
) -> Result<Posed, Failure> {
    let base = args.pose.base(character)?;
    let cage = edits.cage.as_ref();
    let controls = edits.given(args.pose.controls(character, cage, console)?);
    let bar = console.bar();
    bar.report("binding", 0.0);
    let start = Instant::now();
    let mut runner = Runner::bind(character, rig, &base, console, &bar)?;
    if let Some(gpu) = gpu {
        runner.upload(gpu)?;
    }
    let bind_ns = start.elapsed().as_nanos() as f64;

    bar.report("deforming", 0.0);
    let start = Instant::now();
    let (iterations, residual) = match &frames {
        None => {
            let springs = runner.run(&controls)?.springs();
            (springs.map(|stats| stats.iterations), springs.map(|stats| stats.residual))
        }
        Some(frames) => {
            let controls_at =
                |seconds: f64| Ok(edits.given(args.pose.controls_at(character, cage, seconds)?));
            (runner.simulate(frames, &controls_at, &mut |_| {}, &bar)?, None)
        }
    };
    let deform_ns = start.elapsed().as_nanos() as f64;
    Ok(Posed { runner, iterations, residual, bind_ns, deform_ns })
}
