//! `sinew measure`: figures of two meshes, of one pose, or over a range of motion.

mod figures;

use std::path::{Path, PathBuf};

use clap::Args;
use glam::Vec3;
use serde_json::{Value, json};
use sinew::measure::measure;
use sinew::progress::Progress as _;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::SkinMethod;
use sinew_io::write_atomically;

use self::figures::{RigMeasure, Row, row_of, summary, to_csv, to_text};
use crate::args::{DeformArgs, Method, PoseArgs};
use crate::console::Console;
use crate::deform::BoundPoints;
use crate::diff::Difference;
use crate::exit::Failure;
use crate::joint_spec::SweepSpec;
use crate::pairing::pair;
use crate::{files, pose};

/// Measure a deformation: volume, stretch, inversion, collapse
///
/// Two files: POSED against REST, of the same topology. One file: the pose of the flags against rest, or with --sweep
/// every step of a range of motion, as CSV or JSON.
#[derive(Args, Debug)]
#[command(
    override_usage = "sinew measure REST POSED [--json]\n       \
        sinew measure FILE --sweep JOINT:AXIS:FROM..TO:STEP [--method METHOD,...] [POSE] [--json]\n       \
        sinew measure FILE [--method METHOD,...] [POSE] [--json]",
    after_help = "Examples:\n  \
    sinew measure rest.obj posed.obj --json\n  \
    sinew measure cylinder.glb --sweep bone_1:twist:0..180:5 --method linear,dual-quat\n  \
    sinew measure box.glb --rotate bone_1:x:90 --method dual-quat"
)]
pub(crate) struct MeasureArgs {
    /// REST and POSED, or one character
    #[arg(value_name = "FILE", required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,

    /// Measure every step of this motion, on top of the pose
    #[arg(long, value_name = "JOINT:AXIS:FROM..TO:STEP")]
    sweep: Option<SweepSpec>,

    /// How the joints move the skin; several with commas [default: linear]
    #[arg(long, value_enum, value_name = "METHOD", value_delimiter = ',')]
    method: Vec<Method>,

    #[command(flatten)]
    deform: DeformArgs,

    #[command(flatten)]
    pose: PoseArgs,

    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

impl MeasureArgs {
    /// The methods to compare, each once.
    fn methods(&self) -> Vec<SkinMethod> {
        let mut methods = Vec::new();
        for &Method(method) in &self.method {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        if methods.is_empty() { vec![SkinMethod::Linear] } else { methods }
    }
}

pub(crate) fn run(args: &MeasureArgs, console: &Console) -> Result<(), Failure> {
    match args.files.as_slice() {
        [rest, posed]
            if args.sweep.is_none() && args.method.is_empty() && !args.pose.is_given() =>
        {
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
    let paired = pair(&files::read(rest, console)?, &files::read(posed, console)?);
    let paired = paired.map_err(|difference| {
        Failure::Input(format!(
            "'{}' and '{}' are not of the same topology: {difference}",
            rest.display(),
            posed.display()
        ))
    })?;
    Ok(row_of(&measure(&paired.a, &paired.b, &paired.triangles)))
}

fn one_file(args: &MeasureArgs, file: &Path, console: &Console) -> Result<(), Failure> {
    let character = files::read(file, console)?;
    let base_pose = args.pose.resolve(&character, console)?;
    let mut poses: Vec<(Option<f64>, Pose)> = Vec::new();
    match &args.sweep {
        None => poses.push((None, base_pose)),
        Some(sweep) => {
            pose::warn_if_ambiguous(&character, &sweep.joint, console);
            for degrees in sweep.degrees() {
                let mut posed = base_pose.clone();
                pose::turn(&character, &mut posed, &sweep.joint, sweep.axis, degrees)?;
                poses.push((Some(degrees), posed));
            }
        }
    }
    let methods = args.methods();
    let bar = console.bar();
    bar.report("preparing", 0.0);
    let rig = RigMeasure::bind(&character);
    let mut rows = Vec::with_capacity(poses.len() * methods.len());
    let num_rows = (poses.len() * methods.len()) as f32;
    for &method in &methods {
        let bound = BoundPoints::bind(&character, method, &bar)?;
        let mut previous: Option<Vec<Vec3>> = None;
        for (degrees, pose) in &poses {
            console.check_interrupted()?;
            bar.report(method.name(), rows.len() as f32 / num_rows);
            let palette = Palette::new(&character.skeleton, pose);
            let posed = bound.deform(&palette).concat();
            let mut row = Row::from_iter([("method".to_owned(), json!(method.name()))]);
            if let Some(degrees) = degrees {
                row.insert("degrees".into(), json!(degrees));
            }
            row.extend(rig.row(&posed, &palette));
            if degrees.is_some() {
                let jump = previous.map(|previous| Difference::between(&previous, &posed).max);
                row.insert("max_jump".into(), json!(jump));
            }
            rows.push(row);
            previous = Some(posed);
        }
    }
    drop(bar);
    emit(args, console, &rendered(args, rows, console))
}

fn rendered(args: &MeasureArgs, mut rows: Vec<Row>, console: &Console) -> String {
    if args.sweep.is_none() && rows.len() == 1 {
        let row = rows.remove(0);
        return if args.json { pretty(&row.into()) } else { to_text(&row) };
    }
    let mut summaries = Vec::new();
    if args.sweep.is_some() {
        for method in args.methods() {
            let name = method.name();
            let own: Vec<&Row> = rows.iter().filter(|row| row["method"] == name).collect();
            let summary = summary(name, &own);
            if let (Some(jump), Some(degrees)) =
                (summary["largest_jump"].as_f64(), summary["largest_jump_degrees"].as_f64())
            {
                console.say(&format!("{name}: largest jump {jump:.6} m, on the way to {degrees}°"));
            }
            summaries.push(summary);
        }
    }
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
    write_atomically(path, |file| std::io::Write::write_all(file, text.as_bytes()))
        .map_err(|error| Failure::Write(format!("cannot write '{}': {error}", path.display())))?;
    console.say(&format!("wrote {}", path.display()));
    Ok(())
}
