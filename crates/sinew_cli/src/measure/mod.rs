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

use self::figures::{RigMeasure, Row, row_of, shell_row, summary, to_csv, to_text};
use crate::args::{DeformArgs, Method, PoseArgs};
use crate::console::Console;
use crate::diff::Difference;
use crate::exit::Failure;
use crate::joint_spec::SweepSpec;
use crate::pairing::pair;
use crate::runner::Runner;
use crate::spring_args::Springs;
use crate::spring_edits::SpringEdits;
use crate::{files, pose};

/// Measure a deformation: volume, stretch, inversion, collapse
///
/// Two files: POSED against REST, of the same topology. One file: the pose of the flags against
/// rest, or with --sweep every step of a range of motion, as CSV or JSON.
#[derive(Args, Debug)]
#[command(
    override_usage = "sinew measure REST POSED [--json]\n       \
        sinew measure FILE --sweep JOINT:AXIS:FROM..TO:STEP [--method METHOD,...] [--springs MODEL,...] [POSE] [--json]\n       \
        sinew measure FILE [--method METHOD,...] [--springs MODEL,...] [POSE] [--json]",
    after_help = "Examples:\n  \
    sinew measure rest.obj posed.obj --json\n  \
    sinew measure cylinder.glb --sweep bone_1:twist:0..180:5 --method linear,dual-quat\n  \
    sinew measure cylinder.glb --sweep bone_1:x:0..135:5 --method linear,dual-quat --springs off,anchored\n  \
    sinew measure box.glb --rotate bone_1:x:90 --method dual-quat"
)]
pub(crate) struct MeasureArgs {
    /// REST and POSED, or one character
    #[arg(value_name = "FILE", required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,

    /// Measure every step of this motion, on top of the pose
    #[arg(long, value_name = "JOINT:AXIS:FROM..TO:STEP")]
    sweep: Option<SweepSpec>,

    /// How the joints move the skin, several with commas; with springs and no `off` among them,
    /// what they start from [default: linear, or the springs' own]
    #[arg(long, value_enum, value_name = "METHOD", value_delimiter = ',')]
    method: Vec<Method>,

    /// Relax the skin; several with commas. `off` measures every method as it is, beside each model
    /// from its own first stage [default: off]
    #[arg(long, value_enum, value_name = "MODEL", value_delimiter = ',')]
    springs: Vec<Springs>,

    #[command(flatten)]
    deform: DeformArgs,

    #[command(flatten)]
    pose: PoseArgs,

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

    fn is_plain(&self) -> bool {
        self.sweep.is_none()
            && self.method.is_empty()
            && self.springs.is_empty()
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
            "'{}' and '{}' are not of the same topology: {difference}",
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
    let character = Arc::new(files::read(file, console)?);
    let base = args.pose.base(&character)?;
    let edits = args.deform.springs.edits(&character)?;
    let controls = edits.given(args.pose.controls(&character, console)?);
    let mut steps: Vec<(Option<f64>, Controls)> = Vec::new();
    match &args.sweep {
        None => steps.push((None, controls)),
        Some(sweep) => {
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
        for (degrees, controls) in &steps {
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
            if let Some(degrees) = degrees {
                row.insert("degrees".into(), json!(degrees));
            }
            row.extend(measure.row(frame));
            if degrees.is_some() {
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
    if args.sweep.is_none()
        && let [(_, rows)] = columns.as_slice()
        && let [row] = rows.as_slice()
    {
        return if args.json { pretty(&row.clone().into()) } else { to_text(row) };
    }
    let mut summaries = Vec::new();
    if args.sweep.is_some() {
        for (rig, rows) in &columns {
            let names = [rig.first_stage().name(), rig.springs_name()];
            let summary = summary(names, rows);
            if let (Some(jump), Some(degrees)) =
                (summary["largest_jump"].as_f64(), summary["largest_jump_degrees"].as_f64())
            {
                let label = rig.label();
                console
                    .say(&format!("{label}: largest jump {jump:.6} m, on the way to {degrees}°"));
            }
            summaries.push(summary);
        }
    }
    let rows: Vec<Row> = columns.into_iter().flat_map(|(_, rows)| rows).collect();
    if !args.json {
        return to_csv(&rows);
    }
    let mut object = json!({ "rows": rows });
    if args.sweep.is_some() {
        object["summary"] = summaries.into();
    }
    pretty(&object)
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
