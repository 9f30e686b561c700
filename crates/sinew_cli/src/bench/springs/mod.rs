//! The paper's Table 1 on this machine: five meshes in a hard pose at 25, 50 and 100 iterations,
//! and the time until no point is further than 1e-3 of the smallest side of the rest bounds from
//! where the springs come to rest.
//!
//! The paper's figures are of a GeForce GTX 1070 (Toothman and Neff 2019, Table 1) and of the
//! paper's own forces; its armadillo has as many points and bones as the giant.

mod args;
mod table;

pub(crate) use args::SpringBenchArgs;
pub(crate) use table::{as_json, as_text};

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{DVec3, Vec3};
use sinew::Character;
use sinew::mesh::Adjacency;
use sinew::progress::{Progress, Silent};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Palette, Pose};
use sinew::skin::{Skin, SkinInput, SkinMethod};
use sinew::springs::{SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings};

use super::limit::{self, Bytes};
use super::timing::{Timing, summary, time};
use crate::exit::Failure;

/// The paper's columns.
pub(crate) const ITERATIONS: [u32; 3] = [25, 50, 100];

/// A mesh of the table.
#[derive(Clone, Copy, Debug)]
struct Subject {
    name: &'static str,
    kind: SampleKind,
    /// What turns: the beginnings of joint names, an axis, degrees.
    hard_pose: &'static [(&'static str, DVec3, f64)],
    /// The paper's milliseconds, in the order of [`ITERATIONS`].
    paper_ms: [f64; 3],
}

/// One line a mesh.
const SUBJECTS: [Subject; 5] = [
    subject("chibi", SampleKind::Chibi, SQUAT, [0.53, 0.91, 1.78]),
    subject("box", SampleKind::Box, CURL, [0.28, 0.54, 1.10]),
    subject("plus", SampleKind::Plus, CURL, [0.34, 0.59, 1.27]),
    subject("human", SampleKind::Human, SQUAT, [0.42, 0.84, 1.50]),
    subject("giant", SampleKind::Giant, SQUAT, [0.77, 1.59, 3.04]),
];

/// The mesh that more threads are tried on: the only one of a size where they are used.
const THREADS_SUBJECT: usize = 4;

/// The human's line.
const HUMAN: usize = 3;

/// A deep squat with raised and twisted arms. +X folds a limb, +Y is its bone.
const SQUAT: &[(&str, DVec3, f64)] = &[
    ("spine", DVec3::X, 20.0),
    ("thigh_l", DVec3::X, 110.0),
    ("thigh_r", DVec3::X, 110.0),
    ("shin", DVec3::X, 120.0),
    ("upper_arm_l", DVec3::X, 80.0),
    ("upper_arm_r", DVec3::X, 80.0),
    ("forearm_l", DVec3::X, 90.0),
    ("forearm_r", DVec3::X, 90.0),
    ("hand", DVec3::Y, 60.0),
];

/// Every bone but the first bent and twisted against the one before.
const CURL: &[(&str, DVec3, f64)] = &[
    ("bone_1", DVec3::X, 60.0),
    ("bone_2", DVec3::X, 60.0),
    ("bone_3", DVec3::Y, 90.0),
    ("up", DVec3::X, 30.0),
    ("left", DVec3::X, 30.0),
    ("down", DVec3::X, 30.0),
    ("right", DVec3::Y, 30.0),
];

const fn subject(
    name: &'static str,
    kind: SampleKind,
    hard_pose: &'static [(&'static str, DVec3, f64)],
    paper_ms: [f64; 3],
) -> Subject {
    Subject { name, kind, hard_pose, paper_ms }
}

/// 'Near enough', over the smallest side of the rest bounds.
const NEAR: f32 = 1e-3;

/// Iterations after which a convex model has come to rest: 1e-3 takes a tenth of them.
const ITERATIONS_TO_REST: u32 = 2_000;

/// Bytes that an iteration of the anchored model streams for a half-edge, and writes for a point.
const BYTES_A_HALF_EDGE: usize = 28;
const BYTES_A_POINT: usize = 16;

/// Frames before it is the other pool's turn.
const FRAMES_A_TURN: usize = 3;

/// A model on a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    model: SpringModel,
    subject: usize,
    /// One thread against all, not the table's row.
    is_threads: bool,
}

impl Case {
    /// The paper's milliseconds, in the order of [`ITERATIONS`].
    pub(crate) fn paper_ms(self) -> [f64; 3] {
        SUBJECTS[self.subject].paper_ms
    }

    pub(crate) fn is_threads(self) -> bool {
        self.is_threads
    }

    pub(crate) fn name(self) -> String {
        let threads = if self.is_threads { "threads " } else { "" };
        format!("{threads}springs {} {}", self.model.name(), SUBJECTS[self.subject].name)
    }
}

/// Every case in the order of the table.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for model in SpringModel::ALL {
        let row = |subject| Case { model, subject, is_threads: false };
        cases.extend((0..SUBJECTS.len()).map(row));
        cases.push(Case { model, subject: THREADS_SUBJECT, is_threads: true });
    }
    cases
}

/// A model on the human.
pub(crate) fn human(model: SpringModel) -> Case {
    Case { model, subject: HUMAN, is_threads: false }
}

/// What a case came to.
pub(crate) enum Outcome {
    Row(Box<Row>),
    Threads(super::scaling::Scaling),
}

/// A line of the table.
pub(crate) struct Row {
    case: Case,
    num_points: usize,
    num_half_edges: usize,
    bind_ns: f64,
    first_stage: Timing,
    /// Linear blend skinning of the same mesh in the same pose: the paper's yardstick.
    linear: Timing,
    /// Iterations, time, and the largest last step over the smallest side of the rest bounds.
    frames: Vec<(u32, Timing, f32)>,
    /// Iterations and time to [`NEAR`]; `None` for a model without one answer to be near to.
    near: Option<(u32, Timing)>,
    /// Of an iteration; `None` for a model that streams other bytes.
    limit: Option<Timing>,
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        // The middle column: 50 iterations in the paper's.
        let &(iterations, timing, _) = self.frames.get(self.frames.len() / 2)?;
        self.limit.map(|limit| timing.best_ns / (f64::from(iterations) * limit.best_ns))
    }
}

/// A mesh bound by a model.
pub(crate) struct Bound {
    pub(crate) character: Character,
    pub(crate) pose: Pose,
    pub(crate) palette: Palette,
    pub(crate) rig: SpringRig,
    bind_ns: f64,
}

/// Rigs that several cases share, made when first asked for.
#[derive(Default)]
pub(crate) struct Rigs {
    bound: HashMap<(SpringModel, usize), Arc<Bound>>,
    /// Of every bone; `None` leaves them as they are.
    stretch: Option<f64>,
}

impl Rigs {
    pub(crate) fn new(args: &SpringBenchArgs) -> Self {
        Self { stretch: args.stretch, ..Self::default() }
    }

    pub(crate) fn get(
        &mut self,
        case: Case,
        progress: &dyn Progress,
    ) -> Result<Arc<Bound>, Failure> {
        let key = (case.model, case.subject);
        if let Some(bound) = self.bound.get(&key) {
            return Ok(Arc::clone(bound));
        }
        let subject = SUBJECTS[case.subject];
        let character = build(&SampleOptions::new(subject.kind))
            .map_err(|error| Failure::Input(error.to_string()))?;
        let mut pose = hard_pose(&subject, &character);
        for joint in &mut pose.joints {
            joint.stretch *= self.stretch.unwrap_or(1.0);
        }
        let palette = Palette::new(&character.skeleton, &pose);
        let start = Instant::now();
        // No threshold: as many iterations as the column says, as in the paper.
        let settings = SpringSettings { threshold: 0.0, ..SpringSettings::new(case.model) };
        let rig = bind(&character, &settings, progress)?;
        let bind_ns = start.elapsed().as_nanos() as f64;
        let bound = Arc::new(Bound { character, pose, palette, rig, bind_ns });
        self.bound.insert(key, Arc::clone(&bound));
        Ok(bound)
    }
}

fn bind(
    character: &Character,
    settings: &SpringSettings,
    progress: &dyn Progress,
) -> Result<SpringRig, Failure> {
    SpringRig::bind(&SpringInput::of(character, 0), settings, progress).map_err(|error| match error
    {
        sinew::springs::SpringBindError::Cancelled => Failure::Interrupted,
        error => Failure::Input(error.to_string()),
    })
}

impl Bound {
    pub(crate) fn rig_of(&self, iterations: u32) -> Result<SpringRig, Failure> {
        if let Some(rig) = self.rig.clone().with_iterations(iterations) {
            return Ok(rig);
        }
        bind(
            &self.character,
            &SpringSettings { iterations, ..self.rig.settings().clone() },
            &Silent,
        )
    }
}

fn hard_pose(subject: &Subject, character: &Character) -> Pose {
    let mut pose = Pose::rest(&character.skeleton);
    for (joint, posed) in character.skeleton.joints().iter().zip(&mut pose.joints) {
        let bone_axis = joint.bone_axis();
        let turns = subject.hard_pose.iter().filter(|(start, ..)| joint.name.starts_with(start));
        for &(_, axis, degrees) in turns {
            let axis = if axis == DVec3::Y { bone_axis } else { axis };
            *posed = posed.rotated(axis, degrees.to_radians(), bone_axis);
        }
    }
    pose
}

/// The largest distance over the smallest side of the rest bounds.
fn distance(a: &[Vec3], b: &[Vec3], smallest_side: f32) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max) / smallest_side
}

/// Times a case; `pool` has the threads that a row runs on, `all_cores` those that it is compared
/// with.
pub(crate) fn measure(
    (case, args): (Case, &SpringBenchArgs),
    rigs: &mut Rigs,
    (pool, all_cores): (&rayon::ThreadPool, &rayon::ThreadPool),
    budget: Duration,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    let bound = rigs.get(case, progress)?;
    if case.is_threads {
        return Ok(Outcome::Threads(threads(case, &bound, all_cores, budget)?));
    }
    let part = &bound.character.parts[0];
    let adjacency = Adjacency::of_triangles(part.mesh.points().len(), part.mesh.point_triangles());
    let num_points = part.mesh.points().len();
    let num_half_edges = 2 * adjacency.edges().len();
    let is_convex = case.model == SpringModel::Anchored;

    let first_stage = pool.install(|| first_stage(&bound, case.model, budget, progress))?;
    let linear = pool.install(|| skin(&bound, SkinMethod::Linear, budget, progress))?;
    let mut frames = Vec::new();
    for iterations in args.columns() {
        if progress.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        let (timing, residual) = pool.install(|| frame(&bound, iterations, budget))?;
        frames.push((iterations, timing, residual));
    }
    let near = if is_convex {
        let iterations = pool.install(|| iterations_to_near(&bound))?;
        Some((iterations, pool.install(|| frame(&bound, iterations, budget))?.0))
    } else {
        None
    };
    let limit = is_convex.then(|| {
        let read = BYTES_A_HALF_EDGE * num_half_edges / num_points.max(1);
        limit::stream(num_points, Bytes { read, written: BYTES_A_POINT }, budget)
    });
    let bind_ns = bound.bind_ns;
    Ok(Outcome::Row(Box::new(Row {
        case,
        num_points,
        num_half_edges,
        bind_ns,
        first_stage,
        linear,
        frames,
        near,
        limit,
    })))
}

/// A frame of a number of iterations, first stage and all, and its residual.
fn frame(bound: &Bound, iterations: u32, budget: Duration) -> Result<(Timing, f32), Failure> {
    let rig = bound.rig_of(iterations)?;
    let mut scratch = rig.scratch();
    let mut out = vec![Vec3::ZERO; rig.num_points()];
    let mut residual = 0.0;
    let timing = time(budget, || {
        residual = rig.deform(&SpringFrame::new(&bound.palette), &mut scratch, &mut out).residual;
        std::hint::black_box(&out);
    });
    Ok((timing, residual))
}

/// The model's first stage by itself: the paper's is a frame of no iterations.
fn first_stage(
    bound: &Bound,
    model: SpringModel,
    budget: Duration,
    progress: &dyn Progress,
) -> Result<Timing, Failure> {
    match model {
        SpringModel::Paper => Ok(frame(bound, 0, budget)?.0),
        SpringModel::Anchored | SpringModel::DeltaMush => {
            skin(bound, model.first_stage(), budget, progress)
        }
    }
}

pub(crate) fn bind_skin(
    bound: &Bound,
    method: SkinMethod,
    progress: &dyn Progress,
) -> Result<Skin, Failure> {
    let part = &bound.character.parts[0];
    let weights = part.weights.as_ref().expect("samples have weights");
    let input = SkinInput {
        positions: part.mesh.points(),
        normals: &[],
        weights,
        triangles: part.mesh.point_triangles(),
        skeleton: &bound.character.skeleton,
    };
    Ok(Skin::bind(method, &input, progress)?)
}

fn skin(
    bound: &Bound,
    method: SkinMethod,
    budget: Duration,
    progress: &dyn Progress,
) -> Result<Timing, Failure> {
    let skin = bind_skin(bound, method, progress)?;
    let mut out = vec![Vec3::ZERO; skin.num_points()];
    Ok(time(budget, || {
        skin.deform(&bound.palette, &mut out, &mut []);
        std::hint::black_box(&out);
    }))
}

/// The fewest iterations that end within [`NEAR`] of where the springs come to rest, by bisection.
fn iterations_to_near(bound: &Bound) -> Result<u32, Failure> {
    let mut scratch = bound.rig.scratch();
    let mut run = |iterations: u32| {
        let mut out = vec![Vec3::ZERO; bound.rig.num_points()];
        let rig = bound.rig_of(iterations)?;
        rig.deform(&SpringFrame::new(&bound.palette), &mut scratch, &mut out);
        Ok::<_, Failure>(out)
    };
    let at_rest = run(ITERATIONS_TO_REST)?;
    let bounds = sinew::mesh::Aabb::around(bound.character.parts[0].mesh.points().iter().copied());
    let smallest_side = (bounds.max - bounds.min).min_element();
    let mut is_near = |iterations: u32| {
        Ok::<_, Failure>(distance(&run(iterations)?, &at_rest, smallest_side) <= NEAR)
    };
    // Above `far` and up to `near`.
    let (mut far, mut near) = (0, 32);
    while near < ITERATIONS_TO_REST && !is_near(near)? {
        (far, near) = (near, 2 * near);
    }
    while near - far > 1 {
        let middle = far + (near - far) / 2;
        if is_near(middle)? { near = middle } else { far = middle }
    }
    Ok(near)
}

/// The same frame on one thread and on all of them, turn by turn.
fn threads(
    case: Case,
    bound: &Bound,
    all_cores: &rayon::ThreadPool,
    budget: Duration,
) -> Result<super::scaling::Scaling, Failure> {
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|error| Failure::Machine(format!("cannot start a thread: {error}")))?;
    let rig = &bound.rig;
    let mut times = [Vec::new(), Vec::new()];
    let mut scratches = [one.install(|| rig.scratch()), all_cores.install(|| rig.scratch())];
    let mut out = vec![Vec3::ZERO; rig.num_points()];
    let start = Instant::now();
    while start.elapsed() < 2 * budget || times[0].is_empty() {
        for ((pool, scratch), times) in
            [&one, all_cores].into_iter().zip(&mut scratches).zip(&mut times)
        {
            pool.install(|| {
                for turn in 0..FRAMES_A_TURN {
                    let before = Instant::now();
                    rig.deform(&SpringFrame::new(&bound.palette), scratch, &mut out);
                    // A turn's first frame finds the data in another core's cache, and the pool
                    // asleep.
                    if turn > 0 {
                        times.push(before.elapsed().as_nanos() as f64);
                    }
                }
            });
        }
        std::hint::black_box(&out);
    }
    let [alone, together] = times.map(summary);
    Ok(super::scaling::Scaling { name: case.name(), size: rig.num_points(), alone, together })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_the_papers_five_meshes_and_names_tell_cases_apart() {
        let names: Vec<String> = all().into_iter().map(Case::name).collect();
        assert_eq!(names.len(), 6 * SpringModel::ALL.len());
        let different: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(different.len(), names.len());
        assert!(names.contains(&"springs anchored chibi".to_owned()), "{names:?}");
        assert!(names.contains(&"threads springs anchored giant".to_owned()), "{names:?}");
        assert_eq!(human(SpringModel::Anchored).name(), "springs anchored human");
    }

    #[test]
    fn meshes_have_the_papers_points_and_every_turn_of_a_hard_pose_finds_a_joint() {
        // The paper's Table 1: bones and vertices.
        let expected = [(36, 16_314), (4, 1_802), (17, 5_634), (85, 10_774), (19, 90_000)];
        for (subject, (joints, points)) in SUBJECTS.iter().zip(expected) {
            assert_eq!(subject.kind.default_points(), points, "{}", subject.name);
            if subject.name == "giant" {
                continue; // Building it takes a second; the chibi has the same names.
            }
            let character = build(&SampleOptions::new(subject.kind)).unwrap();
            assert_eq!(character.skeleton.len(), joints, "{}", subject.name);
            let pose = hard_pose(subject, &character);
            let turned = pose.joints.iter().filter(|j| **j != sinew::skeleton::JointPose::REST);
            assert!(turned.count() >= joints.min(9) - 1, "{}", subject.name);
        }
    }
}
