//! `cargo run --release -p sinew_study -- --help`

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use clap::Parser;
use glam::Vec3;
use sinew_io::{PartMaterials, PosedPart, WriteOptions, write_atomically, write_posed};
use sinew_study::layered::sheet::{self, SheetStyle};
use sinew_study::layered::{self, verdict};
use sinew_study::method::Method;
use sinew_study::study::{self, Bench, Filter, Outcome, Skipped};
use sinew_study::subject::{NamedPose, Role, Subject};
use sinew_study::sweep::Motion;
use sinew_study::table::{self, Style, Table};
use sinew_study::weights::{self, Asked};
use sinew_study::{subjects, sweep};
use sinew_view::camera::Size;

/// What is held against linear on layered characters.
const OURS: &str = "anchored";

/// Every skinning method beside every other, on real and procedural characters in hard poses.
#[derive(Debug, Parser)]
#[command(
    after_help = "The rule: constants are chosen by looking at `tuning` alone. `goal` is MakeHuman's body, on which \
    goals are checked; `held-back` is not looked at before the constants stand."
)]
struct Args {
    /// Subjects whose name contains one of these words, or is `=word`.
    #[arg(long, value_delimiter = ',')]
    subject: Vec<String>,
    /// Poses whose name contains one of these words.
    #[arg(long, value_delimiter = ',')]
    pose: Vec<String>,
    /// Methods whose name contains one of these words.
    #[arg(long, value_delimiter = ',')]
    method: Vec<String>,
    /// Springs with these numbers of iterations too, called `anchored@200`.
    #[arg(long, value_delimiter = ',')]
    iterations: Vec<u32>,
    /// Which sets to study: tuning, goal, held-back.
    #[arg(long, value_delimiter = ',', default_value = "tuning,goal", value_parser = role)]
    set: Vec<Role>,
    /// Tables for documents.
    #[arg(long, conflicts_with = "csv")]
    markdown: bool,
    /// Every figure of every cell.
    #[arg(long)]
    csv: bool,
    /// Shortest edges, flipped normals and folds as well.
    #[arg(long)]
    more: bool,
    /// Write every posed shape as OBJ into this folder.
    #[arg(long, value_name = "DIR")]
    obj: Option<PathBuf>,
    /// Count wins, ties and losses of one method against another, by their full names.
    #[arg(long, value_name = "OURS,THEIRS", value_delimiter = ',', num_args = 1..=2)]
    versus: Vec<String>,
    /// Where each shape is worst: joint and place.
    #[arg(long)]
    worst: bool,
    /// Hold the figures against the goals of springs.md.
    #[arg(long)]
    goals: bool,
    /// Only the largest second difference over sweeps from rest to each pose in steps of a degree.
    #[arg(long)]
    sweep: bool,
    /// With --sweep: over each character's own clips (the first eight, 2.5 seconds of each, 60
    /// frames a second) instead.
    #[arg(long, requires = "sweep")]
    clips: bool,
    /// Layered characters instead, in their five poses: tables of means a character, and what
    /// shells.md asks ('Reach') line by line. With --sweep the line about sweeps.
    #[arg(long, conflicts_with_all = ["obj", "versus", "goals"])]
    layered: bool,
    /// Automatic weights beside the artist's: every character of the shared data (--subject picks),
    /// stripped and bound again.
    #[arg(long, conflicts_with_all = ["obj", "versus", "goals", "layered", "sweep"])]
    weights: bool,
    /// With --weights: a folder of weights that another program found
    /// (tools/interop/blender_weights.py), beside ours.
    #[arg(long, value_name = "DIR", requires = "weights")]
    beside: Option<PathBuf>,
    /// With --weights: draw the five nearest and the five furthest into this PNG.
    #[arg(long, value_name = "FILE", requires = "weights")]
    pictures: Option<PathBuf>,
    /// Automatic cages instead: every sample and character of the shared data (--subject picks) at
    /// 120, 300 and 600 faces, checked and timed.
    #[arg(long, conflicts_with_all = ["obj", "versus", "goals", "layered", "sweep", "weights"])]
    cages: bool,
    /// With --layered: draw every character in this pose, a row each, a column a method.
    #[arg(long, value_name = "POSE", requires = "layered", requires = "output")]
    sheet: Option<String>,
    /// The PNG of --sheet.
    #[arg(short, long, value_name = "FILE", requires = "sheet")]
    output: Option<PathBuf>,
    /// From where --sheet looks: yaw and pitch, degrees.
    #[arg(long, value_name = "YAW,PITCH", allow_hyphen_values = true, value_parser = two::<f32>)]
    view: Option<[f32; 2]>,
    /// Pixels of each picture of --sheet.
    #[arg(long, value_name = "WIDTH,HEIGHT", value_parser = two::<u32>)]
    size: Option<[u32; 2]>,
    /// The folder of the shared data; `SINEW_DATA` or `../shared/data` beside the project unless
    /// told.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Seconds to bind and to pose, on stderr.
    #[arg(long)]
    times: bool,
}

fn role(name: &str) -> Result<Role, String> {
    Role::ALL
        .into_iter()
        .find(|role| role.name() == name)
        .ok_or_else(|| format!("no set is called '{name}'; there are tuning, goal and held-back"))
}

/// Two numbers with a comma.
fn two<T: std::str::FromStr>(text: &str) -> Result<[T; 2], String> {
    let numbers = text
        .split_once(',')
        .and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]));
    numbers.ok_or_else(|| "write two numbers with a comma, as in 30,8".into())
}

impl Args {
    fn motion(&self) -> Motion {
        if self.clips { Motion::Clips } else { Motion::Sweeps }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let start = Instant::now();
    let filter = Filter {
        subjects: args.subject.clone(),
        poses: args.pose.clone(),
        methods: args.method.clone(),
        iterations: args.iterations.clone(),
    };
    let data = args.data.clone().or_else(subjects::data_folder);
    if args.cages {
        let (table, said) = sinew_study::cages::table(data.as_deref(), &args.subject);
        print(&table.render(if args.markdown { Style::Markdown } else { Style::Text }))?;
        for words in said {
            tell(&words);
        }
        tell(&format!("{:.1} s", start.elapsed().as_secs_f64()));
        return Ok(());
    }
    if args.weights {
        let data = data.ok_or("--weights needs the shared data; name its folder by --data")?;
        print(&weights(args, &data)?)?;
        tell(&format!("{:.1} s", start.elapsed().as_secs_f64()));
        return Ok(());
    }
    if args.layered {
        let output = layered(args, &filter, data.as_deref())?;
        print(&output)?;
        tell(&format!("{:.1} s", start.elapsed().as_secs_f64()));
        return Ok(());
    }
    let (subjects, skipped) = subjects::load(&args.set, &filter, data.as_deref());
    tell_skipped(&skipped);
    let style = if args.markdown { Style::Markdown } else { Style::Text };
    let output = if args.sweep {
        let (poppings, skipped) = sweep::run(&subjects, &filter, args.motion());
        tell_skipped(&skipped);
        Table::of_poppings(&poppings).render(style)
    } else {
        let outcome = studied(args, &subjects, &filter)?;
        tell_skipped(&outcome.skipped);
        if args.times {
            tell_times(&outcome);
        }
        if args.csv { table::csv(&outcome.cells) } else { tables(args, &outcome, style)? }
    };
    print(&output)?;
    tell(&format!("{:.1} s", start.elapsed().as_secs_f64()));
    Ok(())
}

/// How near automatic weights come to the artist's.
fn weights(args: &Args, data: &Path) -> Result<String, String> {
    let asked = Asked {
        subjects: args.subject.clone(),
        methods: args.method.clone(),
        beside: args.beside.clone(),
    };
    let outcome = weights::run(data, &asked);
    tell_skipped(&outcome.skipped);
    tell_skipped(&outcome.screened().collect::<Vec<_>>());
    if let Some(file) = &args.pictures {
        let size = args.size.map_or(Size { width: 220, height: 230 }, |[width, height]| Size {
            width: width.max(1),
            height: height.max(1),
        });
        let methods: Vec<&str> = outcome.methods.iter().map(String::as_str).collect();
        let shown = methods.iter().filter(|name| ["auto"].contains(name) || name.contains(' '));
        let shown: Vec<&str> = shown.copied().collect();
        let png = weights::sheet::png(&outcome, &shown, size).map_err(|error| error.to_string())?;
        write_atomically(file, |out| out.write_all(&png))
            .map_err(|error| format!("cannot write '{}': {error}", file.display()))?;
        tell(&format!("wrote {}", file.display()));
    }
    let style = if args.markdown { Style::Markdown } else { Style::Text };
    Ok([outcome.table(), outcome.faults()].map(|table| table.render(style)).join("\n"))
}

fn print(output: &str) -> Result<(), String> {
    match std::io::stdout().lock().write_all(output.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}

fn layered(args: &Args, filter: &Filter, data: Option<&Path>) -> Result<String, String> {
    let (subjects, skipped) = layered::load(&args.set, filter, data);
    tell_skipped(&skipped);
    let methods = layered::methods(filter);
    let style = if args.markdown { Style::Markdown } else { Style::Text };
    if let (Some(pose), Some(file)) = (&args.sheet, &args.output) {
        draw_sheet(args, &subjects, &methods, pose, file)?;
        return Ok(String::new());
    }
    // By their full names: no other method may slip in.
    let names = methods.iter().map(|method| format!("={}", method.name));
    let filter = Filter { methods: names.collect(), ..filter.clone() };
    if args.sweep {
        let (poppings, skipped) = sweep::run(&subjects, &filter, args.motion());
        tell_skipped(&skipped);
        let verdict: Vec<_> = verdict::of_sweeps(&poppings, OURS).into_iter().collect();
        let tables = [Table::of_poppings(&poppings), Table::of_verdicts(&verdict)];
        return Ok(tables.map(|table| table.render(style)).join("\n"));
    }
    let outcome = study::run(&subjects, &filter, &|_, _, _, _, _| {});
    tell_skipped(&outcome.skipped);
    if args.times {
        tell_times(&outcome);
    }
    if args.csv {
        return Ok(table::csv(&outcome.cells));
    }
    let mut output = String::new();
    for role in Role::ALL {
        let cells: Vec<_> =
            outcome.cells.iter().filter(|cell| cell.role == role).cloned().collect();
        if !cells.is_empty() {
            let verdicts = verdict::of_shapes(&cells, OURS);
            let tables = [Table::of_layered(&cells), Table::of_verdicts(&verdicts)];
            let tables = tables.map(|table| table.render(style)).join("\n");
            output.push_str(&format!("{}:\n\n{tables}\n", role.name()));
        }
    }
    Ok(output)
}

fn draw_sheet(
    args: &Args,
    subjects: &[Subject],
    methods: &[Method],
    pose: &str,
    file: &Path,
) -> Result<(), String> {
    let mut style = SheetStyle::default();
    if let Some(view_degrees) = args.view {
        style.view_degrees = view_degrees;
    }
    match args.size {
        Some([width, height]) if width.min(height) > 0 => style.size = Size { width, height },
        Some(_) => return Err("--size takes two numbers above 0: WIDTH,HEIGHT".into()),
        None => {}
    }
    let (png, skipped) =
        sheet::png(subjects, pose, methods, &style).map_err(|error| error.to_string())?;
    tell_skipped(&skipped);
    let png = png.ok_or_else(|| format!("no character has a pose called '{pose}'"))?;
    write_atomically(file, |out| out.write_all(&png))
        .map_err(|error| format!("cannot write '{}': {error}", file.display()))?;
    tell(&format!("wrote {}", file.display()));
    Ok(())
}

fn tables(args: &Args, outcome: &Outcome, style: Style) -> Result<String, String> {
    let mut tables = vec![Table::of_shapes(&outcome.cells), Table::of_rings(&outcome.cells)];
    if args.more {
        tables.push(Table::of_compression(&outcome.cells));
    }
    if args.worst {
        tables.push(Table::of_worst(&outcome.cells));
    }
    if args.goals {
        tables.push(Table::of_goals(&outcome.cells));
    }
    match &args.versus[..] {
        [] => {}
        [ours, theirs] => {
            for name in [ours, theirs] {
                if !outcome.cells.iter().any(|cell| cell.method == *name) {
                    return Err(format!("no method called '{name}' was studied; use a full name"));
                }
            }
            tables.push(Table::of_versus(&outcome.cells, ours, theirs));
        }
        _ => return Err("--versus takes two methods: OURS,THEIRS".into()),
    }
    tables.retain(|table| !table.is_empty());
    let rendered: Vec<String> = tables.iter().map(|table| table.render(style)).collect();
    Ok(rendered.join("\n"))
}

fn studied(args: &Args, subjects: &[Subject], filter: &Filter) -> Result<Outcome, String> {
    let Some(folder) = &args.obj else {
        return Ok(study::run(subjects, filter, &|_, _, _, _, _| {}));
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for subject in subjects.iter().filter(|s| Filter::takes(&filter.subjects, &s.name)) {
        let rest = study::rest_in_parts(&subject.character);
        let rest: Vec<&[Vec3]> = rest.iter().map(Vec::as_slice).collect();
        write_obj(folder, subject, ("rest", "rest"), &rest)?;
    }
    let failed = Mutex::new(Vec::new());
    let watch =
        |subject: &Subject, pose: &NamedPose, method: &str, bench: &Bench<'_>, posed: &[Vec3]| {
            if let Err(why) =
                write_obj(folder, subject, (&pose.name, method), &bench.in_parts(posed))
                && let Ok(mut failed) = failed.lock()
            {
                let what = format!("OBJ of {}, {}, {method}", subject.name, pose.name);
                failed.push(Skipped { what, why });
            }
        };
    let outcome = study::run(subjects, filter, &watch);
    if let Ok(failed) = failed.into_inner() {
        tell_skipped(&failed);
    }
    Ok(outcome)
}

fn write_obj(
    folder: &Path,
    subject: &Subject,
    (pose, method): (&str, &str),
    points: &[&[Vec3]],
) -> Result<(), String> {
    let name = format!("{}-{pose}-{method}", subject.name);
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
    let file: String = name.chars().map(safe).collect();
    let parts = subject.character.parts.iter().zip(points);
    let parts: Vec<PosedPart<'_>> = parts
        .map(|(part, points)| PosedPart {
            mesh: &part.mesh,
            points,
            vertex_normals: &[],
            materials: PartMaterials::default(),
        })
        .collect();
    write_posed(&folder.join(format!("{file}.obj")), &name, &parts, &WriteOptions::default())
        .map_err(|error| error.to_string())
}

fn tell_skipped(skipped: &[Skipped]) {
    for Skipped { what, why } in skipped {
        tell(&format!("skipped {what}: {why}"));
    }
}

fn tell_times(outcome: &Outcome) {
    for (subject, method, [bind, pose]) in &outcome.timings {
        tell(&format!("{subject} {method}: bind {bind:.3} s, poses {pose:.3} s"));
    }
}

/// Words go to stderr: stdout has the tables alone.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
