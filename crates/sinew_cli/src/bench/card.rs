//! `sinew bench --device gpu`: frames on the graphics card, with what each part of one takes.
//!
//! *Dispatch* is the processor's work (joints uploaded, passes recorded and submitted), *compute*
//! is by the card's own clock, *read back* is the way home, which a frame that is only shown does
//! not take. The last column is the same frame on the processor, one thread, in the same run.

use std::time::{Duration, Instant};

use glam::Vec3;
use serde_json::{Value, json};
use sinew::progress::Progress;
use sinew::skeleton::Palette;
use sinew::skin::SkinMethod;
use sinew::springs::SpringFrame;
use sinew_gpu::{Gpu, GpuFrame};

use super::cases::Fixtures;
use super::springs::{self, Rigs};
use super::timing::{Timing, summary, time};
use crate::exit::Failure;
use crate::text::{Table, count, duration_ns};

/// Points of the skins; a million take a software driver seconds.
const SIZES: [usize; 2] = [10_000, 100_000];

/// A frame on the card.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Case {
    Skin(SkinMethod, usize),
    Springs(springs::Case),
}

/// A line of the table.
pub(crate) struct Row {
    name: String,
    num_points: usize,
    dispatch: Timing,
    /// `None` where the card shows no clock.
    compute: Option<Timing>,
    read_back: Timing,
    cpu: Timing,
    table: Option<TableRow>,
}

/// A line of the paper's Table 1, on the card and on the processor.
struct TableRow {
    case: springs::Case,
    /// Linear blend skinning of the same mesh.
    linear: Both,
    /// Whole frames of [`springs::ITERATIONS`].
    frames: Vec<Both>,
}

/// A frame on the card, by its own clock or else with all that it takes to get there, and on one
/// thread of the processor.
struct Both {
    card: Timing,
    cpu: Timing,
}

impl Case {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Skin(method, size) => {
                format!("gpu {} {}", method.name(), super::cases::size_name(size))
            }
            Self::Springs(case) => format!("gpu {}", case.name()),
        }
    }
}

/// Every case in the order of the table.
pub(crate) fn all() -> Vec<Case> {
    let skins = SIZES.into_iter().flat_map(|size| SkinMethod::ALL.map(|m| Case::Skin(m, size)));
    let springs = springs::all().into_iter().filter(|case| !case.is_threads());
    skins.chain(springs.map(Case::Springs)).collect()
}

pub(crate) fn measure(
    case: Case,
    gpu: &Gpu,
    (fixtures, rigs): (&mut Fixtures, &mut Rigs),
    budget: Duration,
    progress: &dyn Progress,
) -> Result<Row, Failure> {
    match case {
        Case::Skin(method, size) => {
            let (skin, character) = (fixtures.skin(method, size), fixtures.character(size));
            let palette = character.palette();
            let frame = GpuFrame::new(gpu, &character.skeleton, &skin, None)?;
            let mut positions = vec![Vec3::ZERO; skin.num_points()];
            let cpu = time(budget, || {
                skin.deform_on_one_thread(&palette, &mut positions, &mut []);
                std::hint::black_box(&positions);
            });
            row(case, &frame, &palette, cpu, budget)
        }
        Case::Springs(springs_case) => {
            let bound = rigs.get(springs_case, progress)?;
            let skeleton = &bound.character.skeleton;
            let frame = GpuFrame::with_springs(gpu, skeleton, &bound.rig, None)?;
            let (mut scratch, mut out) =
                (bound.rig.scratch(), vec![Vec3::ZERO; bound.rig.num_points()]);
            let mut table = TableRow {
                case: springs_case,
                linear: linear(gpu, &bound, budget, progress)?,
                frames: Vec::with_capacity(springs::ITERATIONS.len()),
            };
            let one = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .map_err(|error| Failure::Machine(format!("cannot start a thread: {error}")))?;
            let cpu = one.install(|| {
                time(budget, || {
                    bound.rig.deform(&SpringFrame::new(&bound.palette), &mut scratch, &mut out);
                })
            });
            for iterations in springs::ITERATIONS {
                let rig = bound.rig_of(iterations)?;
                let frame = GpuFrame::with_springs(gpu, skeleton, &rig, None)?;
                let mut scratch = rig.scratch();
                let cpu = one.install(|| {
                    time(budget, || {
                        rig.deform(&SpringFrame::new(&bound.palette), &mut scratch, &mut out);
                    })
                });
                let row = row(case, &frame, &bound.palette, cpu, budget)?;
                table.frames.push(Both { card: row.on_card(), cpu });
            }
            Ok(Row { table: Some(table), ..row(case, &frame, &bound.palette, cpu, budget)? })
        }
    }
}

fn linear(
    gpu: &Gpu,
    bound: &springs::Bound,
    budget: Duration,
    progress: &dyn Progress,
) -> Result<Both, Failure> {
    let skin = springs::bind_skin(bound, SkinMethod::Linear, progress)?;
    let frame = GpuFrame::new(gpu, &bound.character.skeleton, &skin, None)?;
    let mut out = vec![Vec3::ZERO; skin.num_points()];
    let cpu = time(budget, || {
        skin.deform_on_one_thread(&bound.palette, &mut out, &mut []);
        std::hint::black_box(&out);
    });
    let case = Case::Skin(SkinMethod::Linear, skin.num_points());
    let row = row(case, &frame, &bound.palette, cpu, budget)?;
    Ok(Both { card: row.on_card(), cpu })
}

impl Row {
    fn on_card(&self) -> Timing {
        self.compute.unwrap_or(self.read_back)
    }
}

fn row(
    case: Case,
    frame: &GpuFrame,
    palette: &Palette,
    cpu: Timing,
    budget: Duration,
) -> Result<Row, Failure> {
    let mut positions = vec![Vec3::ZERO; frame.num_points()];
    // The first frame compiles and allocates.
    frame.run(palette)?;
    frame.read(&mut positions, &mut [])?;
    let (mut dispatch, mut compute, mut read_back) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    while dispatch.len() < 2 || start.elapsed() < budget {
        let times = frame.run(palette)?;
        dispatch.push(times.dispatch_ms * 1e6);
        compute.extend(times.compute_ms.map(|ms| ms * 1e6));
        read_back.push(frame.read(&mut positions, &mut [])? * 1e6);
    }
    Ok(Row {
        name: case.name(),
        num_points: frame.num_points(),
        dispatch: summary(dispatch),
        compute: (!compute.is_empty()).then(|| summary(compute)),
        read_back: summary(read_back),
        cpu,
        table: None,
    })
}

pub(crate) fn as_text(gpu: &Gpu, rows: &[Row]) -> String {
    let software = if gpu.is_software() { "; in software: right, not fast" } else { "" };
    let mut table = Table::new(&["case", "points", "dispatch", "compute", "read back", "cpu"]);
    for row in rows {
        table.row([
            row.name.clone(),
            count(row.num_points),
            duration_ns(row.dispatch.median_ns),
            row.compute.map_or("-".into(), |timing| duration_ns(timing.median_ns)),
            duration_ns(row.read_back.median_ns),
            duration_ns(row.cpu.median_ns),
        ]);
    }
    format!("{}{software}\n{table}{}", gpu.name(), table_text(rows))
}

/// The paper's Table 1; nothing where no springs were timed.
fn table_text(rows: &[Row]) -> String {
    let mut heads = vec!["Table 1".to_owned(), "linear".into(), "cpu".into()];
    heads.extend(springs::ITERATIONS.iter().flat_map(|n| [n.to_string(), "cpu".into()]));
    heads.push("paper, GTX 1070".into());
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    let ms = |timing: &Timing| format!("{:.2} ms", timing.median_ns * 1e-6);
    let mut is_empty = true;
    for row in rows.iter().filter_map(|row| row.table.as_ref()) {
        let both = std::iter::once(&row.linear).chain(&row.frames);
        let mut cells = vec![row.case.name()];
        cells.extend(both.flat_map(|both| [ms(&both.card), ms(&both.cpu)]));
        cells.push(row.case.paper_ms().map(|ms| format!("{ms:.2}")).join(" / "));
        table.row(cells);
        is_empty = false;
    }
    if is_empty { String::new() } else { format!("\n{table}") }
}

fn table_json(row: &TableRow) -> Value {
    let both = |both: &Both| json!({ "card_ms": both.card.median_ns * 1e-6, "cpu_ms": both.cpu.median_ns * 1e-6 });
    let frames = springs::ITERATIONS.iter().zip(&row.frames).zip(row.case.paper_ms());
    let frames = frames.map(|((iterations, frame), paper_ms)| {
        let mut value = both(frame);
        value["iterations"] = json!(iterations);
        value["paper_gtx_1070_ms"] = json!(paper_ms);
        value
    });
    json!({ "linear": both(&row.linear), "frames": frames.collect::<Vec<Value>>() })
}

pub(crate) fn as_json(gpu: &Gpu, rows: &[Row]) -> Value {
    let case = |row: &Row| {
        json!({
            "name": row.name,
            "size": row.num_points,
            "runs": row.dispatch.runs,
            "dispatch_ms": row.dispatch.median_ns * 1e-6,
            "compute_ms": row.compute.map(|timing| timing.median_ns * 1e-6),
            "read_back_ms": row.read_back.median_ns * 1e-6,
            "cpu_ms": row.cpu.median_ns * 1e-6,
            "table_1": row.table.as_ref().map(table_json),
        })
    };
    json!({
        "adapter": gpu.name(),
        "is_software": gpu.is_software(),
        "cases": rows.iter().map(case).collect::<Vec<Value>>(),
    })
}
