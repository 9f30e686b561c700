//! Cages at the sizes of the coupled paper's Table 1, beside its own numbers, coupled frames beside
//! those of SuperCages, the paper's program, many handles, and cages with springs beside springs
//! alone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{DVec3, UVec3};
use serde_json::{Value, json};
use sinew::Character;
use sinew::cage::coordinates::QuadMeanValue;
use sinew::cage::{Cage, CagedPoints, CoordinateRows, CoupledPart, Coupling, Selection};
use sinew::frame::{CageRig, Controls, Normals, Plan, Rig};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;

use crate::console::Console;
use crate::exit::Failure;
use crate::text::Table;

/// A row of Table 1: points, joints, rings of four handles, and the paper's milliseconds for joint
/// coordinates, selection, reverse, and linear, dual quaternion and centre-of-rotation frames.
struct Size {
    name: &'static str,
    points: usize,
    joints: usize,
    rings: u32,
    paper: [Option<f64>; 6],
}

const fn all(values: [f64; 6]) -> [Option<f64>; 6] {
    let mut paper = [None; 6];
    let mut index = 0;
    while index < 6 {
        paper[index] = Some(values[index]);
        index += 1;
    }
    paper
}

const SIZES: [Size; 11] = [
    Size {
        name: "arm, coarse",
        points: 2089,
        joints: 24,
        rings: 7,
        paper: all([401.0, 5.0, 3.0, 0.88, 1.62, 2.26]),
    },
    Size {
        name: "arm, medium",
        points: 2089,
        joints: 24,
        rings: 15,
        paper: all([417.0, 29.0, 20.0, 1.61, 1.53, 1.63]),
    },
    Size {
        name: "arm, fine",
        points: 2089,
        joints: 24,
        rings: 20,
        paper: all([439.0, 45.0, 40.0, 2.22, 1.84, 2.17]),
    },
    Size {
        name: "Warrok",
        points: 6557,
        joints: 64,
        rings: 26,
        paper: all([2672.0, 106.0, 83.0, 7.81, 7.66, 9.51]),
    },
    Size {
        name: "Ely",
        points: 7512,
        joints: 64,
        rings: 22,
        paper: all([3018.0, 75.0, 56.0, 9.24, 8.73, 9.99]),
    },
    Size {
        name: "airplane",
        points: 41_425,
        joints: 19,
        rings: 17,
        paper: all([3738.0, 44.0, 30.0, 23.7, 21.68, 26.4]),
    },
    Size {
        name: "rattlesnake",
        points: 120_066,
        joints: 98,
        rings: 11,
        paper: all([46_771.0, 32.0, 16.0, 50.03, 39.43, 52.35]),
    },
    // Of SuperCages only the whole frame is known: cage, joints, linear, normals, follow.
    Size {
        name: "SuperCages 2k",
        points: 2000,
        joints: 25,
        rings: 15,
        paper: [None, None, None, Some(0.77), None, None],
    },
    Size {
        name: "SuperCages 33k",
        points: 33_000,
        joints: 25,
        rings: 15,
        paper: [None, None, None, Some(14.3), None, None],
    },
    Size {
        name: "SuperCages 133k",
        points: 133_000,
        joints: 25,
        rings: 15,
        paper: [None, None, None, Some(58.0), None, None],
    },
    Size { name: "500 handles", points: 6000, joints: 25, rings: 125, paper: [None; 6] },
];

/// `reverse` is a drag in a pose that was not there before.
const COLUMNS: [&str; 7] =
    ["coordinates", "joints", "selection", "reverse", "linear", "dual-quat", "cor"];

/// What a frame of springs takes, without a cage and in one.
struct Sprung {
    points: usize,
    handles: usize,
    /// The same frame, springs and all, without a cage.
    without_ms: f64,
    /// With every handle moved.
    with_ms: f64,
}

const SPRUNG: &str = "cages springs human";

/// Which of [`COLUMNS`] is a frame with linear skinning.
const LINEAR: usize = 4;

/// Milliseconds of one size.
struct Row {
    size: &'static Size,
    points: usize,
    handles: usize,
    /// In the order of [`COLUMNS`].
    ms: [f64; 7],
}

/// Runs the sizes whose names have all words.
pub(super) fn run(
    words: &[&str],
    (as_json, budget): (bool, Duration),
    pool: &rayon::ThreadPool,
    console: &Console,
) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for size in &SIZES {
        let name = format!("cages {}", size.name);
        if words.iter().all(|word| name.contains(word)) {
            console.check_interrupted()?;
            rows.push(pool.install(|| measure(size, budget))?);
        }
    }
    let is_sprung = words.iter().all(|word| SPRUNG.contains(word));
    let sprung = match is_sprung {
        true => Some(pool.install(|| measure_sprung(budget))?),
        false => None,
    };
    if rows.is_empty() && sprung.is_none() {
        return Err(Failure::Usage("no such case of cages; leave further words out".into()));
    }
    if as_json {
        let rows: Vec<Value> = rows.iter().map(Row::json).collect();
        let sprung = sprung.as_ref().map(Sprung::json);
        return console.json(&json!({ "cages": rows, "cage_with_springs": sprung }));
    }
    let table = if rows.is_empty() { String::new() } else { table(&rows, pool) };
    let sprung = sprung.as_ref().map_or_else(String::new, Sprung::words);
    console.data(&format!("{table}{sprung}"))
}

fn table(rows: &[Row], pool: &rayon::ThreadPool) -> String {
    let mut heads = vec!["ms (the paper's)", "points", "joints", "handles"];
    heads.extend(COLUMNS);
    let mut table = Table::new(&heads);
    for row in rows {
        let mut cells = vec![
            row.size.name.to_owned(),
            row.points.to_string(),
            row.size.joints.to_string(),
            row.handles.to_string(),
        ];
        for (index, ms) in row.ms.iter().enumerate() {
            let paper = index.checked_sub(1).and_then(|index| row.size.paper[index]);
            cells.push(match paper {
                Some(paper) => format!("{ms:.2} ({paper})"),
                None => format!("{ms:.2}"),
            });
        }
        table.row(cells);
    }
    let of_program = rows.iter().filter_map(|row| {
        let size = row.size.name.strip_prefix("SuperCages ")?;
        Some(format!("{size} {:.1} ×", row.size.paper[LINEAR - 1]? / row.ms[LINEAR]))
    });
    let of_program: Vec<String> = of_program.collect();
    let faster = match of_program.is_empty() {
        true => String::new(),
        false => format!("faster than SuperCages, linear: {}\n", of_program.join(", ")),
    };
    format!(
        "cages, on {} thread(s); frames: every handle moves, linear with normals\n{table}{faster}",
        pool.current_num_threads()
    )
}

impl Sprung {
    fn slower(&self) -> f64 {
        self.with_ms / self.without_ms - 1.0
    }

    fn json(&self) -> Value {
        json!({
            "points": self.points,
            "handles": self.handles,
            "without_ms": self.without_ms,
            "with_ms": self.with_ms,
            "slower": self.slower(),
        })
    }

    fn words(&self) -> String {
        format!(
            "springs in a cage, human of {} points, {} handles that all move: {:.2} ms, without a cage {:.2} ms: {:+.1} %\n",
            self.points,
            self.handles,
            self.with_ms,
            self.without_ms,
            100.0 * self.slower()
        )
    }
}

impl Row {
    fn json(&self) -> Value {
        let mut row = json!({
            "name": self.size.name,
            "points": self.points,
            "joints": self.size.joints,
            "handles": self.handles,
        });
        for (column, ms) in COLUMNS.iter().zip(self.ms) {
            row[format!("{column}_ms")] = json!(ms);
        }
        row
    }
}

fn measure(size: &'static Size, budget: Duration) -> Result<Row, Failure> {
    let (points, bones) = (Some(size.points), Some(size.joints));
    let options = SampleOptions { points, bones, ..SampleOptions::new(SampleKind::Cylinder) };
    let character = build(&options).map_err(|error| Failure::Input(error.to_string()))?;
    let character = Arc::new(character);
    let bounds = character.bounds();
    let margin = DVec3::splat(0.03 * f64::from(bounds.diagonal()));
    let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
    let cage = Cage::lattice(low, high, UVec3::new(1, size.rings - 1, 1))?;
    let part = &character.parts[0];
    let places: Vec<DVec3> = part.mesh.points().iter().map(|p| p.as_dvec3()).collect();
    let coordinates = QuadMeanValue::new(&cage);
    let (rows, coordinates_ms) =
        once(|| CoordinateRows::bind(&cage, &coordinates, &places, &Silent));
    let rows = rows?;
    let (_, selection_ms) = once(|| Selection::of(&rows, |_| true));
    let coupled = CoupledPart {
        first_point: 0,
        points: &places,
        triangles: part.mesh.point_triangles(),
        weights: part.weights.as_ref(),
        method: SkinMethod::Linear,
        centers: &[],
        center_rows: &[],
    };
    drop(rows);
    let caged = CagedPoints::bind(&cage, &coordinates, &places, &Silent)?;
    let (coupling, joints_ms) = once(|| Coupling::bind(&caged, &[coupled], &character.skeleton));
    let coupling = coupling?;
    let mut ms = [coordinates_ms, joints_ms, selection_ms, 0.0, 0.0, 0.0, 0.0];
    let controls = posed(&character);
    let palette = sinew::skeleton::Palette::new(&character.skeleton, &controls.pose);
    let mut by = vec![DVec3::ZERO; coupling.num_handles()];
    by[0] = DVec3::new(0.01, 0.02, 0.03);
    ms[3] = best(budget, || {
        let reverse = coupling.reverse(&character.skeleton, &controls.pose, &palette);
        let _ = std::hint::black_box(reverse.solve(&by));
    });
    let methods = [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation];
    for (method, ms) in methods.into_iter().zip(&mut ms[4..]) {
        let normals = if method == SkinMethod::Linear { Normals::Auto } else { Normals::Off };
        let cage = Some(CageRig::new(cage.clone()));
        let rig = Rig { cage, normals, ..Rig::of(method) };
        let plan = Plan::bind(&character, &rig, &Silent)?;
        *ms = frame_ms(&plan, controls.clone(), budget);
    }
    Ok(Row { size, points: places.len(), handles: cage.points().len(), ms })
}

/// Frames of springs in poses that go on, without a cage and in one whose handles all move: in turn,
/// since what else the machine does is then the same for both.
fn measure_sprung(budget: Duration) -> Result<Sprung, Failure> {
    let character = build(&SampleOptions::new(SampleKind::Human));
    let character = Arc::new(character.map_err(|error| Failure::Input(error.to_string()))?);
    let cage = Cage::lattice_around(&character, 0.03, UVec3::new(3, 6, 2))?;
    let plain = Rig::of_model(SpringModel::Anchored);
    let caged = Rig { cage: Some(CageRig::new(cage.clone())), ..plain.clone() };
    let [plain, caged] = [plain, caged].map(|rig| Plan::bind(&character, &rig, &Silent));
    let (plain, caged) = (plain?, caged?);
    let mut controls = posed(&character);
    let mut moved = controls.clone();
    moved.cage = cage.points().to_vec();
    let (mut of_plain, mut of_caged) = (plain.scratch(), caged.scratch());
    let (mut frame, mut in_cage) = (plain.frame(), caged.frame());
    let (mut without_ms, mut with_ms) = (f64::INFINITY, f64::INFINITY);
    let start = Instant::now();
    let mut turn = 0;
    while start.elapsed() < 2 * budget || turn < 4 {
        turn += 1;
        let sign = if turn % 2 == 0 { 1.0 } else { -1.1 };
        for (index, joint) in (0u32..).zip(&mut controls.pose.joints) {
            *joint = joint.rotated(DVec3::X, 1e-3 * sign, character.skeleton.pose_axis(index));
        }
        moved.pose.clone_from(&controls.pose);
        moved.cage.iter_mut().for_each(|handle| *handle += DVec3::splat(1e-3 * sign));
        without_ms = once(|| plain.run(&controls, &mut of_plain, &mut frame)).1.min(without_ms);
        with_ms = once(|| caged.run(&moved, &mut of_caged, &mut in_cage)).1.min(with_ms);
    }
    let (points, handles) = (character.num_points(), cage.points().len());
    Ok(Sprung { points, handles, without_ms, with_ms })
}

/// Every joint a little bent.
fn posed(character: &Character) -> Controls {
    let mut controls = Controls::rest(character);
    for (index, joint) in (0u32..).zip(&mut controls.pose.joints) {
        *joint = joint.rotated(DVec3::X, 0.02, character.skeleton.pose_axis(index));
    }
    controls
}

/// A frame in which every handle has moved.
fn frame_ms(plan: &Plan, mut controls: Controls, budget: Duration) -> f64 {
    let Some(cage) = plan.cage() else { return 0.0 };
    controls.cage = cage.coupling().cage().points().to_vec();
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    let mut turn = 0;
    best(budget, || {
        turn += 1;
        for handle in &mut controls.cage {
            *handle += DVec3::splat(if turn % 2 == 0 { 1e-3 } else { -1.1e-3 });
        }
        plan.run(&controls, &mut scratch, &mut frame);
    })
}

fn once<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let found = work();
    (found, start.elapsed().as_secs_f64() * 1e3)
}

fn best(budget: Duration, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut best = f64::INFINITY;
    while start.elapsed() < budget || !best.is_finite() {
        best = best.min(once(&mut work).1);
    }
    best
}
