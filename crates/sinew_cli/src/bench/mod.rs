//! `sinew bench`: how fast the methods are on this machine, and how near to its limits.
//!
//! Limits are measured in the same run: what a machine can do is not on its label, and other people
//! use it too.

mod cages;
mod card;
mod cases;
mod character;
mod files;
mod frame;
mod items;
mod limit;
mod scaling;
mod sketch;
mod springs;
mod strokes;
mod studio;
mod timing;
mod weights;

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use self::cases::{Case, Fixtures};
use self::limit::{Bandwidth, Bytes, bandwidth};
use self::timing::{Timing, time};
use crate::args::Device;
use crate::console::Console;
use crate::exit::Failure;
use crate::numbers::not_negative;
use crate::text::{Table, count, duration_ns};
use sinew::progress::Progress as _;
use sinew_gpu::Gpu;

/// Time every method on this machine, beside the limit of its memory
///
/// Each case runs for a fixed time and is compared with a loop that only moves the same bytes,
/// timed in the same run: at 1.0 memory cannot do better.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew bench\n  \
    sinew bench --filter 'linear 100k'\n  \
    sinew bench --filter springs\n  \
    sinew bench --filter frame\n  \
    sinew bench --filter cages\n  \
    sinew bench --filter weights\n  \
    sinew bench --filter sketch\n  \
    sinew bench --springs anchored --filter giant --iterations 20,50 --stats\n  \
    sinew bench --device gpu\n  \
    sinew bench --json --threads 2 > bench.json\n\n\
    Keys of the JSON: docs/bench.md")]
pub(crate) struct BenchArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Only cases whose name has every one of these words
    #[arg(long, value_name = "WORD")]
    filter: Option<String>,

    /// Threads of the kernels
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// What computes; gpu times frames on the graphics card, with dispatch, compute and read-back
    /// apart
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    device: Device,

    /// Seconds for each measurement
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3, value_parser = not_negative)]
    budget: f64,

    #[command(flatten)]
    springs: springs::SpringBenchArgs,
}

/// Bytes that each bandwidth measurement touches: in the second-level cache, in the third, in
/// memory.
const BANDWIDTH_BYTES: [usize; 3] = [384 << 10, 4 << 20, 96 << 20];

struct Row {
    name: String,
    items: usize,
    bytes: Option<Bytes>,
    timing: Timing,
    limit: Option<Timing>,
}

impl Row {
    fn ns_per_item(&self, ns: f64) -> f64 {
        ns / self.items as f64
    }

    fn ratio(&self) -> Option<f64> {
        self.limit.map(|limit| self.timing.best_ns / limit.best_ns)
    }
}

fn pool_of(threads: u16) -> Result<rayon::ThreadPool, Failure> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
    let failed = |error| Failure::Machine(format!("cannot start {threads} threads: {error}"));
    builder.build().map_err(failed)
}

pub(crate) fn run(args: &BenchArgs, console: &Console) -> Result<(), Failure> {
    let words: Vec<&str> = args.filter.as_deref().unwrap_or("").split_whitespace().collect();
    if args.springs.springs_off() {
        return Err(Failure::Usage(
            "--springs off times no springs; leave it out, or name models".into(),
        ));
    }
    if let Some(gpu) = args.device.gpu()? {
        if let Some(flag) = args.springs.given() {
            return Err(Failure::Usage(format!(
                "{flag} is for times of the processor; leave out {flag} or --device gpu"
            )));
        }
        return on_card(args, &gpu, &words, console);
    }
    if words.contains(&"cages") {
        let pool = pool_of(args.threads)?;
        let budget = Duration::from_secs_f64(args.budget);
        return cages::run(&words, (args.json, budget), &pool, console);
    }
    if words.contains(&"strokes") {
        return strokes::run((args.json, Duration::from_secs_f64(args.budget)), console);
    }
    if words.contains(&"sketch") {
        let pool = pool_of(args.threads)?;
        let budget = Duration::from_secs_f64(args.budget);
        return sketch::run(&words, (args.json, budget), &pool, console);
    }
    if words.contains(&"weights") {
        let pool = pool_of(args.threads)?;
        let budget = Duration::from_secs_f64(args.budget);
        return weights::run(&words, (args.json, budget), &pool, console);
    }
    let cases: Vec<Case> = cases::all()
        .into_iter()
        .filter(|case| {
            !args.springs.is_springs_only() && words.iter().all(|word| case.name.contains(word))
        })
        .collect();
    let scaling_cases: Vec<_> = scaling::names()
        .into_iter()
        .filter(|(name, ..)| {
            !args.springs.is_springs_only() && words.iter().all(|word| name.contains(word))
        })
        .collect();
    let spring_cases: Vec<_> = springs::all()
        .into_iter()
        .filter(|case| {
            args.springs.takes(*case) && words.iter().all(|word| case.name().contains(word))
        })
        .collect();
    let frame_cases: Vec<_> = frame::all()
        .into_iter()
        .filter(|case| {
            !args.springs.is_springs_only() && words.iter().all(|word| case.name().contains(word))
        })
        .collect();
    if let (Some(flag), true) = (args.springs.given(), spring_cases.is_empty()) {
        return Err(Failure::Usage(format!(
            "{flag} needs springs, and no case of springs is chosen; leave {flag} or --filter out"
        )));
    }
    let num_before_frames = cases.len() + scaling_cases.len() + spring_cases.len() + 1;
    if num_before_frames + frame_cases.len() == 1 {
        return Err(no_case(&words));
    }
    let pool = pool_of(args.threads)?;
    let budget = Duration::from_secs_f64(args.budget);
    let bar = console.bar();
    let num_cases = cases.len();
    let num_before_springs = num_cases + scaling_cases.len() + 1;
    let num_steps = (num_before_frames + frame_cases.len()) as f32;

    bar.report("memory bandwidth", 0.0);
    let bandwidths = BANDWIDTH_BYTES.map(|bytes| bandwidth(bytes, budget));
    let mut fixtures = Fixtures::default();
    let mut rows = Vec::with_capacity(cases.len());
    for (index, case) in cases.into_iter().enumerate() {
        console.check_interrupted()?;
        bar.report(&case.name, (index + 1) as f32 / num_steps);
        let mut prepared = (case.prepare)(&mut fixtures);
        let limit = case.bytes.map(|bytes| limit::stream(prepared.items, bytes, budget));
        let timing = pool.install(|| time(budget, &mut prepared.run));
        rows.push(Row { name: case.name, items: prepared.items, bytes: case.bytes, timing, limit });
    }
    let mut scalings = Vec::with_capacity(scaling_cases.len());
    let all_cores = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|error| Failure::Machine(format!("cannot start a thread a core: {error}")))?;
    for (index, case) in scaling_cases.into_iter().enumerate() {
        console.check_interrupted()?;
        bar.report(&case.0, (num_cases + index + 1) as f32 / num_steps);
        scalings.push(all_cores.install(|| scaling::measure(case, &mut fixtures, budget)));
    }
    let mut rigs = springs::Rigs::new(&args.springs);
    let mut spring_rows = Vec::with_capacity(spring_cases.len());
    for (index, case) in spring_cases.into_iter().enumerate() {
        console.check_interrupted()?;
        bar.report(&case.name(), (num_before_springs + index) as f32 / num_steps);
        match springs::measure((case, &args.springs), &mut rigs, (&pool, &all_cores), budget, &bar)?
        {
            springs::Outcome::Row(row) => spring_rows.push(*row),
            springs::Outcome::Threads(scaling) => scalings.push(scaling),
        }
    }
    let mut frame_rows = Vec::with_capacity(frame_cases.len());
    for (index, case) in frame_cases.into_iter().enumerate() {
        console.check_interrupted()?;
        bar.report(&case.name(), (num_before_frames + index) as f32 / num_steps);
        frame_rows.push(frame::measure(case, (&mut fixtures, &mut rigs), &pool, budget, &bar)?);
    }
    drop(bar);
    if args.json {
        let mut json = as_json(args, &bandwidths, &rows);
        json["scaling"] = scaling::as_json(&scalings, all_cores.current_num_threads());
        json["springs"] = springs::as_json(&spring_rows);
        json["frame"] = frame::as_json(&frame_rows);
        console.json(&json)
    } else {
        let mut text = as_text(args, &bandwidths, &rows);
        if !spring_rows.is_empty() {
            text.push('\n');
            text.push_str(&springs::as_text(&args.springs, &spring_rows));
        }
        if !frame_rows.is_empty() {
            text.push('\n');
            text.push_str(&frame::as_text(&frame_rows));
        }
        if !scalings.is_empty() {
            text.push('\n');
            text.push_str(&scaling::as_text(&scalings, all_cores.current_num_threads()));
        }
        console.data(&text)
    }
}

fn no_case(words: &[&str]) -> Failure {
    Failure::Usage(format!(
        "no case has all of '{}' in its name; `sinew bench` without --filter lists them",
        words.join(" ")
    ))
}

fn on_card(args: &BenchArgs, gpu: &Gpu, words: &[&str], console: &Console) -> Result<(), Failure> {
    let is_wanted = |case: &card::Case| words.iter().all(|word| case.name().contains(word));
    let cases: Vec<_> = card::all().into_iter().filter(is_wanted).collect();
    if cases.is_empty() {
        return Err(no_case(words));
    }
    let (mut fixtures, mut rigs) = (Fixtures::default(), springs::Rigs::default());
    let bar = console.bar();
    let mut rows = Vec::with_capacity(cases.len());
    let (num_cases, budget) = (cases.len(), Duration::from_secs_f64(args.budget));
    for (index, case) in cases.into_iter().enumerate() {
        console.check_interrupted()?;
        bar.report(&case.name(), index as f32 / num_cases as f32);
        rows.push(card::measure(case, gpu, (&mut fixtures, &mut rigs), budget, &bar)?);
    }
    drop(bar);
    if args.json {
        let machine = json!({ "cpu": cpu_name(), "cores": num_cores(), "simd": simd_name() });
        console.json(&json!({
            "machine": machine,
            "budget_seconds": args.budget,
            "gpu": card::as_json(gpu, &rows),
        }))
    } else {
        console.data(&card::as_text(gpu, &rows))
    }
}

fn as_text(args: &BenchArgs, bandwidths: &[Bandwidth], rows: &[Row]) -> String {
    let mut text =
        format!("{}, {}, {} of {} threads\n", cpu_name(), simd_name(), args.threads, num_cores());
    let mut table = Table::new(&["memory", "copy GB/s", "triad GB/s"]);
    for b in bandwidths {
        table.row([
            format!("{} KiB", count(b.total_bytes >> 10)),
            format!("{:.1}", b.copy_gb_per_s),
            format!("{:.1}", b.triad_gb_per_s),
        ]);
    }
    text.push_str(&table.to_string());
    if rows.is_empty() {
        return text;
    }
    text.push('\n');
    let mut table =
        Table::new(&["case", "size", "median", "best", "ns each", "limit ns", "x limit"]);
    for row in rows {
        let or_dash = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.2}"));
        table.row([
            row.name.clone(),
            count(row.items),
            duration_ns(row.timing.median_ns),
            duration_ns(row.timing.best_ns),
            format!("{:.2}", row.ns_per_item(row.timing.median_ns)),
            or_dash(row.limit.map(|limit| row.ns_per_item(limit.best_ns))),
            or_dash(row.ratio()),
        ]);
    }
    text.push_str(&table.to_string());
    text
}

fn as_json(args: &BenchArgs, bandwidths: &[Bandwidth], rows: &[Row]) -> Value {
    let bandwidths: Vec<Value> = bandwidths
        .iter()
        .map(|b| {
            json!({
                "bytes": b.total_bytes,
                "copy_gb_per_s": b.copy_gb_per_s,
                "triad_gb_per_s": b.triad_gb_per_s,
            })
        })
        .collect();
    let cases: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "name": row.name,
                "size": row.items,
                "runs": row.timing.runs,
                "median_ns": row.timing.median_ns,
                "best_ns": row.timing.best_ns,
                "ns_per_vertex": row.ns_per_item(row.timing.median_ns),
                "best_ns_per_vertex": row.ns_per_item(row.timing.best_ns),
                "bytes_per_vertex": row.bytes.map(Bytes::total),
                "limit_ns_per_vertex": row.limit.map(|limit| row.ns_per_item(limit.best_ns)),
                "ratio_to_limit": row.ratio(),
            })
        })
        .collect();
    json!({
        "machine": {
            "cpu": cpu_name(),
            "cores": num_cores(),
            "simd": simd_name(),
            "bandwidth": bandwidths,
        },
        "threads": args.threads,
        "budget_seconds": args.budget,
        "cases": cases,
    })
}

/// For people: the processor, how many of it, and what it does at once.
pub(crate) fn machine_name() -> String {
    format!("{}, {} cores, {}", cpu_name(), num_cores(), simd_name())
}

fn num_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The instructions that the kernels run with: `Avx2`, `Avx512`, `Neon`, …
fn simd_name() -> String {
    let level = format!("{:?}", fearless_simd::Level::new());
    level.split('(').next().unwrap_or_default().to_owned()
}

/// What Linux calls the processor; elsewhere its architecture.
fn cpu_name() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
