//! `sinew cage`: a cage around a character, or a report on one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use glam::UVec3;
use serde_json::json;
use sinew::Character;
use sinew::cage::{Cage, CageError, CageSettings, LARGE_COORDINATE};
use sinew::frame::{Normals, Plan, PlanError, Rig};
use sinew::skin::SkinMethod;

use crate::cage_args::{self, Coordinates};
use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::numbers::{finite, whole};
use crate::text::counted;

/// Make a cage around a character, or report on one
///
/// The cage is closed, does not cross itself and encloses every point; a symmetric character gets a
/// symmetric cage. `skin`, `render` and `measure` take it with --cage.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew cage human.glb -o cage.obj --faces 300\n  \
    sinew cage human.glb -o box.obj --lattice 3x6x3\n  \
    sinew cage human.glb --check cage.obj\n  \
    sinew skin human.glb -o fat.obj --cage cage.obj --cage-rest fat_cage.obj\n  \
    sinew render human.glb -o cage.png --cage cage.obj --show cage")]
pub(crate) struct CageVerbArgs {
    /// The character
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write the cage: .obj
    #[arg(short, long, value_name = "CAGE.obj", required_unless_present = "check")]
    output: Option<PathBuf>,

    /// Make about so many triangles, 60 to 1000 [default: 300]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    faces: Option<usize>,

    /// How far from the skin, over the character's diagonal [default: 0.03]
    #[arg(long, value_name = "R", allow_negative_numbers = true, value_parser = finite)]
    offset: Option<f64>,

    /// Do not make the cage of a symmetric character symmetric
    #[arg(long)]
    no_symmetry: bool,

    /// Make a box of quads instead, with so many of them along x, y and z
    #[arg(long, value_name = "XxYxZ", value_parser = lattice, conflicts_with_all = ["faces", "no_symmetry"])]
    lattice: Option<UVec3>,

    /// Report on this cage instead: exit code 1 if it cannot be used
    #[arg(
        long,
        value_name = "CAGE",
        conflicts_with_all = ["output", "faces", "offset", "no_symmetry", "lattice"]
    )]
    check: Option<PathBuf>,

    /// Coordinates for the figures: as --cage-coordinates of `skin`, without greens [default:
    /// quad-mean-value]
    #[arg(long, visible_alias = "cage-coordinates", value_name = "KIND|FILE")]
    coordinates: Option<Coordinates>,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

fn lattice(text: &str) -> Result<UVec3, String> {
    let numbers: Vec<u32> = text.split('x').filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [x, y, z]
            if text.split('x').count() == 3 && [x, y, z].iter().all(|n| (1..=40).contains(n)) =>
        {
            Ok(UVec3::new(x, y, z))
        }
        _ => Err("write three numbers from 1 to 40, such as 3x6x3".into()),
    }
}

impl From<CageError> for Failure {
    fn from(error: CageError) -> Self {
        match error {
            CageError::Cancelled => Self::Interrupted,
            error => Self::Input(error.to_string()),
        }
    }
}

pub(crate) fn run(args: &CageVerbArgs, console: &Console) -> Result<(), Failure> {
    let is_obj = |path: &PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"));
    if let Some(path) = args.output.as_ref().filter(|path| !is_obj(path)) {
        return Err(Failure::Usage(format!(
            "a cage is written as .obj, which keeps its quads; not '{}'",
            path.display()
        )));
    }
    let character = Arc::new(files::read(&args.file, console)?);
    if let Some(path) = &args.check {
        return check(args, &character, path, console);
    }
    let settings = CageSettings {
        faces: args.faces.unwrap_or(CageSettings::default().faces),
        offset: args.offset.unwrap_or(CageSettings::default().offset),
        symmetric: !args.no_symmetry,
    };
    let cage = match args.lattice {
        Some(divisions) => Cage::lattice_around(&character, settings.offset, divisions)?,
        None => {
            let bar = console.bar();
            let (cage, note) = Cage::generate_noting(&character, &settings, &bar)?;
            drop(bar);
            if let Some(note) = note {
                console.warn(&note);
            }
            cage
        }
    };
    let Some(path) = &args.output else { return Ok(()) };
    console.check_interrupted()?;
    files::write_bytes(path, sinew_io::cage_to_obj(&cage).as_bytes(), console)?;
    console.say(&format!(
        "wrote {}: {}, {}",
        path.display(),
        counted(cage.points().len(), "handle"),
        counted(cage.faces().len(), "face")
    ));
    if args.json {
        let figures = Figures::of(args, &character, &cage, console)?;
        return console.json(&figures.json(&cage));
    }
    Ok(())
}

/// What is known of a cage around a character.
struct Figures {
    outside: usize,
    condition: f64,
    largest: f64,
    is_regularized: bool,
}

impl Figures {
    fn of(
        args: &CageVerbArgs,
        character: &Arc<Character>,
        cage: &Cage,
        console: &Console,
    ) -> Result<Self, Failure> {
        let of_cage = cage_args::rig_of(cage.clone(), args.coordinates.as_ref(), character)?;
        let Some(of_cage) = of_cage else {
            return Err(Failure::Usage(
                "the figures are of what a skeleton can be coupled with; leave greens out".into(),
            ));
        };
        let rig = Rig { cage: Some(of_cage), normals: Normals::Off, ..Rig::of(SkinMethod::Linear) };
        let plan = match Plan::bind(character, &rig, &console.bar()) {
            Ok(plan) => plan,
            Err(PlanError::Cage(error)) => return Err(Failure::CheckFailed(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        let points = character.parts.iter().flat_map(|part| part.mesh.points());
        let outside = points.filter(|p| !cage.encloses(p.as_dvec3())).count();
        let (condition, largest, is_regularized) = plan.cage().map_or((1.0, 0.0, false), |bound| {
            let coupling = bound.coupling();
            (coupling.condition(), bound.largest_coordinate(), coupling.is_regularized())
        });
        Ok(Self { outside, condition, largest, is_regularized })
    }

    fn json(&self, cage: &Cage) -> serde_json::Value {
        let faults: Vec<String> = cage.check().faults.iter().map(ToString::to_string).collect();
        json!({
            "handles": cage.points().len(),
            "faces": cage.faces().len(),
            "points_outside": self.outside,
            "condition": self.condition.is_finite().then_some(self.condition),
            "largest_coordinate": self.largest,
            "regularized": self.is_regularized,
            "faults": faults,
        })
    }
}

fn check(
    args: &CageVerbArgs,
    character: &Arc<Character>,
    path: &Path,
    console: &Console,
) -> Result<(), Failure> {
    let cage = cage_args::read(path)?;
    let report = cage.check();
    if report.has_errors() {
        if args.json {
            let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
            console.json(&json!({
                "handles": cage.points().len(),
                "faces": cage.faces().len(),
                "faults": faults,
            }))?;
        }
        return Err(Failure::CheckFailed(format!("'{}' cannot be used: {report}", path.display())));
    }
    let figures = Figures::of(args, character, &cage, console)?;
    if args.json {
        return console.json(&figures.json(&cage));
    }
    let mut lines = vec![
        ("handles", cage.points().len().to_string()),
        ("faces", cage.faces().len().to_string()),
        ("points outside", figures.outside.to_string()),
        ("condition", format!("{:.1}", figures.condition)),
        ("largest coordinate", format!("{:.3}", figures.largest)),
    ];
    lines.extend(report.faults.iter().map(|fault| ("warning", fault.to_string())));
    let num_points = character.num_points();
    if 2 * figures.outside > num_points {
        let words = "most points are outside: this looks like the cage of another character";
        lines.push(("warning", words.into()));
    } else if figures.outside > 0 {
        let words = "points outside follow the cage by extrapolation";
        lines.push(("warning", words.into()));
    }
    if figures.largest > LARGE_COORDINATE {
        let words = "coordinates past 3 make the skin jump; keep the cage clear of itself and around the points";
        lines.push(("warning", words.into()));
    }
    if figures.is_regularized {
        let words = "handles that hardly move a point: the posed cage follows only nearly";
        lines.push(("warning", words.into()));
    }
    let width = lines.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let text: String =
        lines.iter().map(|(key, value)| format!("{key:<width$}  {value}\n")).collect();
    console.data(&text)
}
