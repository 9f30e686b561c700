//! The solver's thread: what it answers, in which order, and how it is stopped. Watched from its own wake-ups, so that nothing here
//! depends on how fast the machine is.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod export;
mod stopping;

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use sinew::Character;
use sinew::deform::BoundCharacter;
use sinew::glam::{DVec3, Vec3};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::shape::BlendShape;
use sinew::skeleton::{JointPose, Palette, Pose};
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::Deformation;
use sinew_editor::solver::{Answer, Job, Solver, Status};

/// Longer than any machine takes: past it something hangs.
const HANGS: Duration = Duration::from_secs(240);

/// What the solver said at one wake-up.
#[derive(Debug)]
struct Word {
    status: Status,
    answer: Option<Answer>,
}

/// A solver whose every word is heard.
struct Watched {
    solver: &'static Solver,
    words: Receiver<Word>,
}

impl Watched {
    fn new() -> Self {
        Self::hooked(|_, _| {})
    }

    /// `hook` runs on the solver's own thread at every wake-up: what it does falls at exactly that point of the work.
    fn hooked(hook: impl Fn(&Solver, &Status) + Send + 'static) -> Self {
        let (sender, words) = channel();
        let slot: Arc<OnceLock<&'static Solver>> = Arc::default();
        let of_thread = Arc::clone(&slot);
        let talk = Mutex::new((sender, hook));
        let solver = Solver::start(move || {
            let solver: &Solver = of_thread.get().unwrap();
            let (sender, hook) = &*talk.lock().unwrap();
            let word = Word { status: solver.status(), answer: solver.take() };
            hook(solver, &word.status);
            _ = sender.send(word);
        });
        // Kept for good: its own thread looks at it.
        let solver: &'static Solver = Box::leak(Box::new(solver));
        assert!(slot.set(solver).is_ok());
        Self { solver, words }
    }

    fn word(&self) -> Word {
        self.words.recv_timeout(HANGS).expect("the solver hangs")
    }

    /// The next answer, and what was said before it.
    fn answer(&self) -> (Answer, Vec<Status>) {
        let mut said = Vec::new();
        loop {
            let word = self.word();
            if let Some(answer) = word.answer {
                assert_eq!(word.status, Status::Idle);
                return (answer, said);
            }
            assert!(!matches!(word.status, Status::Failed(_)), "{:?}", word.status);
            said.push(word.status);
        }
    }

    /// The words of the next failure, and what was said before it.
    fn failure(&self) -> (String, Vec<Status>) {
        let mut said = Vec::new();
        loop {
            let word = self.word();
            assert!(word.answer.is_none());
            if let Status::Failed(words) = word.status {
                return (words, said);
            }
            said.push(word.status);
        }
    }
}

fn begins_binding(status: &Status) -> bool {
    matches!(status, Status::Binding { what, .. } if what == "binding")
}

fn sample(kind: SampleKind, points: usize) -> Arc<Character> {
    Arc::new(build(&SampleOptions { points: Some(points), ..SampleOptions::new(kind) }).unwrap())
}

fn skin(method: SkinMethod) -> Arc<Deformation> {
    Arc::new(Deformation { method, springs: None })
}

fn springs(model: SpringModel, iterations: u32) -> Arc<Deformation> {
    let springs = SpringSettings { iterations, ..SpringSettings::new(model) };
    Arc::new(Deformation { method: SkinMethod::Linear, springs: Some(springs) })
}

fn job(character: &Arc<Character>, deformation: &Arc<Deformation>, degrees: f64) -> Job {
    let mut pose = Pose::rest(&character.skeleton);
    for (pose, joint) in pose.joints.iter_mut().zip(character.skeleton.joints()) {
        *pose = JointPose::REST.rotated(DVec3::X, degrees.to_radians(), joint.bone_axis());
    }
    let weights = character.parts.iter().map(sinew::Part::rest_shape_weights).collect();
    Job {
        character: Arc::clone(character),
        deformation: Arc::clone(deformation),
        pose: Arc::new(pose),
        shape_weights: Arc::new(weights),
        measures: false,
    }
}

/// The same, with no thread.
fn directly(job: &Job) -> Vec<Vec<Vec3>> {
    let mut character = Character::clone(&job.character);
    for (part, weights) in character.parts.iter_mut().zip(&*job.shape_weights) {
        *part = part.shaped(weights);
    }
    let deformation = job.deformation.on(&character);
    let bound = BoundCharacter::bind(&character, &deformation, &Silent).unwrap();
    let mut points = bound.rest_points();
    let palette = Palette::new(&character.skeleton, &job.pose);
    bound.deform(&palette, &mut bound.scratch(), &mut points);
    points
}

#[test]
fn an_answer_is_what_the_library_gives_to_the_last_bit() {
    let character = sample(SampleKind::Arm, 900);
    let watched = Watched::new();
    let mut deformations: Vec<_> = SkinMethod::ALL.into_iter().map(skin).collect();
    deformations.extend(SpringModel::ALL.into_iter().map(|model| springs(model, 12)));
    for deformation in &deformations {
        for degrees in [0.0, 25.0] {
            let job = Job { measures: true, ..job(&character, deformation, degrees) };
            watched.solver.ask(job.clone());
            let (answer, _) = watched.answer();
            assert_eq!(answer.points, directly(&job), "{deformation:?}");
            assert!(Arc::ptr_eq(&answer.job.pose, &job.pose));
            assert_eq!(answer.springs.is_some(), deformation.springs.is_some());
            assert_eq!(answer.surfaces.len(), character.parts.len());
            assert!(answer.measures.is_some());
            assert!(!watched.solver.is_busy());
        }
    }
}

#[test]
fn the_newest_job_wins() {
    let character = sample(SampleKind::Cylinder, 400);
    let watched = Watched::new();
    let linear = skin(SkinMethod::Linear);
    let jobs: Vec<Job> = (0..300).map(|n| job(&character, &linear, f64::from(n))).collect();
    for job in &jobs {
        watched.solver.ask(job.clone());
    }
    let place = |answer: &Answer| {
        jobs.iter().position(|job| Arc::ptr_eq(&job.pose, &answer.job.pose)).unwrap()
    };
    let (mut last, mut num_answers) = (0, 0);
    while last + 1 < jobs.len() {
        let (answer, _) = watched.answer();
        assert!(num_answers == 0 || place(&answer) > last, "answers go forward");
        (last, num_answers) = (place(&answer), num_answers + 1);
    }
    assert_eq!(watched.solver.status(), Status::Idle);
    assert!(!watched.solver.is_busy());
    assert!(watched.words.recv_timeout(Duration::from_millis(200)).is_err(), "nothing is left");
}

#[test]
fn other_iterations_and_other_poses_do_not_bind_again() {
    let character = sample(SampleKind::Arm, 900);
    let watched = Watched::new();
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        watched.solver.ask(job(&character, &springs(model, 20), 10.0));
        let (first, said) = watched.answer();
        assert!(said.iter().any(begins_binding));
        for (iterations, degrees) in [(20, 30.0), (3, 30.0), (41, 5.0)] {
            let job = job(&character, &springs(model, iterations), degrees);
            watched.solver.ask(job.clone());
            let (answer, said) = watched.answer();
            assert!(!said.iter().any(begins_binding), "{said:?}");
            assert_eq!(answer.bind_ms, first.bind_ms);
            assert_eq!(answer.points, directly(&job));
        }
    }
    // Delta mush is bound with its iterations.
    for iterations in [4, 9] {
        let job = job(&character, &springs(SpringModel::DeltaMush, iterations), 20.0);
        watched.solver.ask(job.clone());
        assert_eq!(watched.answer().0.points, directly(&job));
    }
}

#[test]
fn the_weights_of_shapes_are_applied_and_only_what_they_change_is_bound_anew() {
    let mut character = Character::clone(&sample(SampleKind::Cylinder, 400));
    let num_points = character.num_points();
    let deltas = (0..num_points).map(|n| Vec3::new(0.01 * (n % 7) as f32, 0.0, 0.02)).collect();
    character.parts[0].shapes = vec![BlendShape { name: "puff".into(), deltas, rest_weight: 0.25 }];
    let character = Arc::new(character);
    let watched = Watched::new();
    for deformation in [skin(SkinMethod::DualQuat), springs(SpringModel::Anchored, 10)] {
        let at_rest = job(&character, &deformation, 20.0);
        assert_eq!(*at_rest.shape_weights, [[0.25]]);
        let mut found = Vec::new();
        for weight in [0.25, 1.0, 0.0, 0.25] {
            let job = Job { shape_weights: Arc::new(vec![vec![weight]]), ..at_rest.clone() };
            watched.solver.ask(job.clone());
            let (answer, said) = watched.answer();
            assert_eq!(answer.points, directly(&job), "{weight}");
            assert_eq!(said.iter().any(begins_binding), found.is_empty());
            found.push(answer.points);
        }
        assert_eq!(found[0], found[3]);
        assert_ne!(found[0], found[1]);
    }
}

#[test]
fn another_character_is_another_skin() {
    let watched = Watched::new();
    let linear = skin(SkinMethod::Linear);
    for kind in [SampleKind::Cylinder, SampleKind::Arm, SampleKind::Cylinder] {
        let job = Job { measures: true, ..job(&sample(kind, 400), &linear, 15.0) };
        watched.solver.ask(job.clone());
        assert_eq!(watched.answer().0.points, directly(&job));
    }
}
