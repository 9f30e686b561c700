//! `sinew measure`: figures of two meshes, of one pose, or over a range of motion.

pub(crate) mod figures;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use glam::Vec3;
use serde_json::{Value, json};
use sinew::frame::{Controls, Normals, Rig};
use sinew::measure::{ShellMeasure, measure};
use sinew::progress::Progress as _;
use sinew::{Character, Part};

use self::figures::{RigMeasure, Row, part_row, row_of, shell_row, summary, to_csv, to_text};
use crate::args::{DeformArgs, Method, PoseArgs};
use crate::console::Console;
use crate::diff::Difference;
use crate::dynamics::frames_per_second;
use crate::exit::Failure;
use crate::joint_spec::SweepSpec;
use crate::pairing::pair;
use crate::runner::Runner;
use crate::spring_args::Springs;
use crate::spring_edits::SpringEdits;
use crate::{files, pose};

/// What a table of figures can be read of.
const MAX_FRAMES: f64 = 100_000.0;

/// Measure a deformation: volume, stretch, inversion, collapse
///
/// With two files it compares POSED with REST, which have the same points. With one file it
/// compares the pose of the flags with the rest pose. --sweep measures every step of a range of
/// motion, and --clip without --time every frame of a clip, as CSV or JSON.
#[derive(Args, Debug)]
#[command(
    override_usage = "sinew measure REST POSED [--json]\n       \
        sinew measure FILE --sweep JOINT:AXIS:FROM..TO:STEP [--method METHOD,...] [--springs MODEL,...] [POSE] [--json]\n       \
        sinew measure FILE --clip NAME [--fps N] [--method METHOD,...] [--springs MODEL,...] [POSE] [--json]\n       \
        sinew measure FILE [--method METHOD,...] [--springs MODEL,...] [POSE] [--json]",
    after_help = "Examples:\n  \
    sinew measure rest.obj posed.obj --json\n  \
    sinew measure cylinder.glb --sweep bone_1:twist:0..180:5 --method linear,dual-quat\n  \
    sinew measure cylinder.glb --sweep bone_1:x:0..135:5 --method linear,dual-quat --springs off,anchored\n  \
    sinew measure human.glb --clip walk --method linear,dual-quat\n  \
    sinew measure box.glb --rotate bone_1:x:90 --method dual-quat"
)]
pub(crate) struct MeasureArgs {
    /// REST and POSED, or one character
    #[arg(value_name = "FILE", required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,

    /// Measure every step of this motion, on top of the pose
    #[arg(long, value_name = "JOINT:AXIS:FROM..TO:STEP")]
    sweep: Option<SweepSpec>,

    /// Frames a second, where a whole clip is measured [default: 30]
    #[arg(long, value_name = "N", requires = "clip", conflicts_with_all = ["sweep", "time"], value_parser = frames_per_second)]
    fps: Option<f64>,

    /// How the joints move the skin; several with commas. If --springs is given without `off`, the
    /// springs start from these methods [default: linear, or the springs' own]
    #[arg(long, value_enum, value_name = "METHOD", value_delimiter = ',')]
    method: Vec<Method>,

    /// Relax the skin with springs; several with commas. With `off` among them every method is
    /// measured without springs, too [default: off]
    #[arg(long, value_enum, value_name = "MODEL", value_delimiter = ',')]
    springs: Vec<Springs>,

    #[command(flatten)]
    deform: DeformArgs,

    #[command(flatten)]
    pose: PoseArgs,

    /// Add the volume of each mesh, as `volume_ratio NAME`
    #[arg(long, help_heading = "Output")]
    parts: bool,

    /// Add the springs' iterations and residual, and the time of each frame
    #[arg(long, help_heading = "Output")]
    stats: bool,

    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

impl MeasureArgs {
    /// What is compared, each once. `off` has every method as it is, and each model beside them
    /// once, from its own first stage; without `off` it is as in `skin`: each model starts from
    /// each method.
    fn rigs(&self, character: &Character, edits: &SpringEdits) -> Result<Vec<Rig>, Failure> {
        let methods: Vec<_> = self.method.iter().map(|&Method(method)| Some(method)).collect();
        let methods = if methods.is_empty() { vec![None] } else { methods };
        let models: Vec<_> = self.springs.iter().map(|&Springs(model)| model).collect();
        let models = if models.is_empty() { vec![None] } else { models };
        self.deform.springs.check_used(&models)?;

        let has_off = models.contains(&None);
        let mut rigs: Vec<Rig> = Vec::new();
        for &model in &models {
            let starts = if has_off && model.is_some() { &[None][..] } else { &methods };
            for &method in starts {
                let rig = self.deform.springs.rig(character, method, model)?;
                // Figures are of points.
                let mut rig = rig.with_normals(Normals::Off);
                edits.give_rig(character, &mut rig)?;
                if !rigs.contains(&rig) {
                    rigs.push(rig);
                }
            }
        }
        Ok(rigs)
    }

    /// The clip whose every frame is measured.
    fn whole_clip(&self) -> Option<&str> {
        let is_whole = self.sweep.is_none() && self.pose.time.is_none();
        self.pose.clip.as_deref().filter(|_| is_whole)
    }

    fn has_steps(&self) -> bool {
        self.sweep.is_some() || self.whole_clip().is_some()
    }

    /// What a step is told by.
    fn step_name(&self) -> &'static str {
        if self.sweep.is_some() { "degrees" } else { "seconds" }
    }

    /// From the clip's start to its end, which is always there.
    fn frame_times(&self, character: &Character, name: &str) -> Result<Vec<f64>, Failure> {
        let clip = pose::find_clip(character, name)?;
        let (seconds, per_second) = (clip.duration_seconds(), self.fps.unwrap_or(30.0));
        let num_spans = (seconds * per_second).ceil();
        if num_spans > MAX_FRAMES {
            return Err(Failure::Usage(format!(
                "{seconds} s at {per_second} frames a second are more than {MAX_FRAMES} frames; give a lower --fps"
            )));
        }
        let num_spans = num_spans as usize;
        Ok((0..=num_spans).map(|frame| (frame as f64 / per_second).min(seconds)).collect())
    }

    fn is_plain(&self) -> bool {
        self.sweep.is_none()
            && self.method.is_empty()
            && self.springs.is_empty()
            && !self.parts
            && self.deform.springs.given().is_none()
            && !self.pose.is_given()
    }
}

pub(crate) fn run(args: &MeasureArgs, console: &Console) -> Result<(), Failure> {
    match args.files.as_slice() {
        [rest, posed] if args.is_plain() => {
            let row = two_files(rest, posed, console)?;
            emit(args, console, &if args.json { pretty(&row.into()) } else { to_text(&row) })
        }
        [_, _] => Err(Failure::Usage(
            "two files are compared as they are; give one file to pose it with flags".into(),
        )),
        [file, ..] => one_file(args, file, console),
        [] => Err(Failure::Usage("name a file to measure".into())),
    }
}

fn two_files(rest: &Path, posed: &Path, console: &Console) -> Result<Row, Failure> {
    let (a, b) = (files::read(rest, console)?, files::read(posed, console)?);
    let paired = pair(&a, &b).map_err(|difference| {
        Failure::Input(format!(
            "'{}' and '{}' do not have the same points and triangles: {difference}",
            rest.display(),
            posed.display()
        ))
    })?;
    let mut row = row_of(&measure(&paired.a, &paired.b, &paired.triangles));
    let of_points: Vec<_> = a.parts.iter().flat_map(rows_of).collect();
    let mut rows: Vec<_> =
        paired.point_of_a.iter().map(|&point| of_points[point as usize].clone()).collect();
    if rows.iter().all(Vec::is_empty) {
        rows.clear();
    }
    let shells = ShellMeasure::bind(&paired.a, &paired.triangles, &rows);
    row.extend(shell_row(shells.counts(), &shells.evaluate(&paired.b)));
    Ok(row)
}

/// Joints and weights of each point; none where no joint moves the mesh.
fn rows_of(part: &Part) -> Vec<Vec<(u32, f32)>> {
    match &part.weights {
        Some(weights) => {
            weights.rows().map(|row| row.iter().map(|i| (i.joint, i.weight)).collect()).collect()
        }
        None => vec![Vec::new(); part.mesh.points().len()],
    }
}

fn one_file(args: &MeasureArgs, file: &Path, console: &Console) -> Result<(), Failure> {
    let gpu = args.deform.device.gpu()?;
    let (character, cage) = files::read_caged(file, console)?;
    let character = Arc::new(character);
    let base = args.pose.base(&character)?;
    let mut edits = args.deform.springs.edits(&character)?;
    let cage = (cage, args.pose.moves_cage(&character));
    edits.cage = args.deform.cage.rig(cage, &character, console)?;
    let turns = args.pose.turns_joints() || args.sweep.is_some() || args.whole_clip().is_some();
    edits.rest_offsets = args.deform.cage.green_offsets(&character, (&base, turns), console)?;
    let controls = edits.given(args.pose.controls(&character, edits.cage.as_ref(), console)?);
    if let Some(rig) = args.rigs(&character, &edits)?.first() {
        edits.rest_cage = args.deform.cage.rest_cage(&character, rig, &controls, console)?;
    }
    let controls = edits.given(controls);
    let mut steps: Vec<(Option<f64>, Controls)> = Vec::new();
    match (&args.sweep, args.whole_clip()) {
        (None, None) => steps.push((None, controls)),
        (None, Some(name)) => {
            for seconds in args.frame_times(&character, name)? {
                let step = args.pose.controls_at(&character, edits.cage.as_ref(), seconds)?;
                steps.push((Some(seconds), edits.given(step)));
            }
        }
        (Some(sweep), _) => {
            pose::warn_if_ambiguous(&character, &sweep.joint, console);
            for degrees in sweep.degrees() {
                let mut step = controls.clone();
                pose::turn(&character, &mut step.pose, &sweep.joint, sweep.axis, degrees)?;
                steps.push((Some(degrees), step));
            }
        }
    }
    let rigs = args.rigs(&character, &edits)?;
    let bar = console.bar();
    bar.report("preparing", 0.0);
    // All steps have the same rest.
    let mut measure: Option<RigMeasure> = None;
    let mut columns: Vec<(Rig, Vec<Row>)> = Vec::with_capacity(rigs.len());
    let num_rows = (steps.len() * rigs.len()) as f32;
    for rig in rigs {
        let mut runner = Runner::bind(&character, &rig, &base, console, &bar)?;
        if let Some(gpu) = &gpu {
            runner.upload(gpu)?;
        }
        let mut rows = Vec::with_capacity(steps.len());
        let mut previous: Option<Vec<Vec3>> = None;
        for (at, controls) in &steps {
            console.check_interrupted()?;
            let num_done = columns.len() * steps.len() + rows.len();
            bar.report(&rig.label(), num_done as f32 / num_rows);
            let start = Instant::now();
            let frame = runner.run(controls)?;
            let deform_ms = start.elapsed().as_secs_f64() * 1e3;
            let measure = measure.get_or_insert_with(|| RigMeasure::bind(&character, frame));
            let mut row = Row::from_iter([
                ("method".to_owned(), json!(rig.first_stage().name())),
                ("springs".to_owned(), json!(rig.springs_name())),
            ]);
            if let Some(at) = at {
                row.insert(args.step_name().into(), json!(at));
            }
            row.extend(measure.row(frame));
            if args.parts {
                row.extend(part_row(&character, frame));
            }
            if at.is_some() {
                let posed = frame.all_points();
                let jump = previous.map(|previous| Difference::between(&previous, &posed).max);
                row.insert("max_jump".into(), json!(jump));
                previous = Some(posed);
            }
            if args.stats {
                let springs = frame.springs();
                row.insert("iterations".into(), json!(springs.map(|stats| stats.iterations)));
                row.insert("residual".into(), json!(springs.map(|stats| stats.residual)));
                row.insert("deform_ms".into(), json!(deform_ms));
            }
            rows.push(row);
        }
        columns.push((rig, rows));
    }
    drop(bar);
    emit(args, console, &rendered(args, columns, console))
}

fn rendered(args: &MeasureArgs, columns: Vec<(Rig, Vec<Row>)>, console: &Console) -> String {
    if !args.has_steps()
        && let [(_, rows)] = columns.as_slice()
        && let [row] = rows.as_slice()
    {
        return if args.json { pretty(&row.clone().into()) } else { to_text(row) };
    }
    let mut summaries = Vec::new();
    if args.has_steps() {
        for (rig, rows) in &columns {
            let names = [rig.first_stage().name(), rig.springs_name()];
            let summary = summary(names, rows, args.step_name());
            say_worst(&rig.label(), &summary, console);
            summaries.push(summary);
        }
    }
    let rows: Vec<Row> = columns.into_iter().flat_map(|(_, rows)| rows).collect();
    if !args.json {
        return to_csv(&rows);
    }
    let mut object = json!({ "rows": rows });
    if args.has_steps() {
        object["summary"] = summaries.into();
    }
    pretty(&object)
}

/// Where the largest jump of a sweep is, and the worst frame of a clip.
fn say_worst(label: &str, summary: &Value, console: &Console) {
    let number = |name: &str| summary[name].as_f64();
    if let (Some(jump), Some(degrees)) = (number("largest_jump"), number("largest_jump_degrees")) {
        console.say(&format!("{label}: largest jump {jump:.6} m, on the way to {degrees}°"));
    }
    if let (Some(stretch), Some(seconds)) = (number("max_stretch"), number("worst_seconds")) {
        console.say(&format!(
            "{label}: worst frame at {seconds:.3} s, where an edge is {stretch:.3} times as long"
        ));
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn emit(args: &MeasureArgs, console: &Console, text: &str) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        return console.data(text);
    };
    files::write_bytes(path, text.as_bytes(), console)?;
    console.say(&format!("wrote {}", path.display()));
    Ok(())
}
