//! The solver's thread: what it answers, in which order, and how it is stopped. Watched from its
//! own wake-ups, so that nothing here depends on how fast the machine is.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod card;
mod export;
mod stopping;

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use sinew::Character;
use sinew::frame::{Controls, Plan, Rig};
use sinew::glam::{DVec3, Vec3};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::shape::BlendShape;
use sinew::skeleton::{JointPose, Pose};
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};
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

    /// `hook` runs on the solver's own thread at every wake-up: what it does falls at exactly that
    /// point of the work.
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

fn skin(method: SkinMethod) -> Arc<Rig> {
    Arc::new(Rig::of(method))
}

fn springs(model: SpringModel, iterations: u32) -> Arc<Rig> {
    Arc::new(Rig::relaxed(SpringSettings { iterations, ..SpringSettings::new(model) }))
}

fn job(character: &Arc<Character>, rig: &Arc<Rig>, degrees: f64) -> Job {
    let mut pose = Pose::rest(&character.skeleton);
    for (pose, joint) in pose.joints.iter_mut().zip(character.skeleton.joints()) {
        *pose = JointPose::REST.rotated(DVec3::X, degrees.to_radians(), joint.bone_axis());
    }
    let controls = Arc::new(Controls::posed(character, pose));
    Job {
        character: Arc::clone(character),
        rig: Arc::clone(rig),
        base: Arc::clone(&controls),
        controls,
        measures: false,
        points: false,
    }
}

/// The same, with no thread, bound at its own rest.
fn directly(job: &Job) -> Vec<Vec<Vec3>> {
    let plan = Plan::bind_at(&job.character, &job.rig, &job.base, &Silent).unwrap();
    let mut frame = plan.frame();
    plan.run(&job.controls, &mut plan.scratch(), &mut frame);
    frame.parts().iter().map(|part| part.points().to_vec()).collect()
}

#[test]
fn an_answer_is_what_the_library_gives_to_the_last_bit() {
    let character = sample(SampleKind::Arm, 900);
    let watched = Watched::new();
    let mut rigs: Vec<_> = SkinMethod::ALL.into_iter().map(skin).collect();
    rigs.extend(SpringModel::ALL.into_iter().map(|model| springs(model, 12)));
    for rig in &rigs {
        for degrees in [0.0, 25.0] {
            let job = Job { measures: true, ..job(&character, rig, degrees) };
            watched.solver.ask(job.clone());
            let (answer, _) = watched.answer();
            assert_eq!(answer.points(), directly(&job), "{rig:?}");
            assert!(Arc::ptr_eq(&answer.job.controls, &job.controls));
            assert_eq!(answer.frame.springs().is_some(), rig.springs.is_some());
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
        jobs.iter().position(|job| Arc::ptr_eq(&job.controls, &answer.job.controls)).unwrap()
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
            assert_eq!(answer.points(), directly(&job));
        }
    }
    // Nor does a stiffness, or a painted one.
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        watched.solver.ask(job(&character, &springs(model, 20), 10.0));
        watched.answer();
        let mut softer = Rig::clone(&springs(model, 20));
        softer.springs.as_mut().unwrap().coefficients.edge = 0.3;
        softer.part_mut(0).stiffness = vec![0.7; character.num_points()];
        let job = job(&character, &Arc::new(softer), 10.0);
        watched.solver.ask(job.clone());
        let (answer, said) = watched.answer();
        assert!(!said.iter().any(begins_binding), "{said:?}");
        assert_eq!(answer.points(), directly(&job));
    }
    // Delta mush is bound with its iterations.
    for iterations in [4, 9] {
        let job = job(&character, &springs(SpringModel::DeltaMush, iterations), 20.0);
        watched.solver.ask(job.clone());
        assert_eq!(watched.answer().0.points(), directly(&job));
    }
}

/// A cylinder with a shape, and a job of it at a weight.
fn shaped() -> Arc<Character> {
    let mut character = Character::clone(&sample(SampleKind::Cylinder, 400));
    let num_points = character.num_points();
    let deltas = (0..num_points).map(|n| Vec3::new(0.01 * (n % 7) as f32, 0.0, 0.02)).collect();
    character.parts[0].shapes = vec![BlendShape { name: "puff".into(), deltas, rest_weight: 0.25 }];
    Arc::new(character)
}

fn at_weight(job: &Job, weight: f32) -> Job {
    let controls = Arc::new(Controls::clone(&job.controls).with_shapes(&[vec![weight]]));
    Job { base: Arc::clone(&controls), controls, ..job.clone() }
}

#[test]
fn another_rest_is_shown_without_a_bind_and_settles_to_what_a_bind_gives() {
    let character = shaped();
    let watched = Watched::new();
    for rig in [skin(SkinMethod::DualQuat), springs(SpringModel::Anchored, 10)] {
        let at_rest = job(&character, &rig, 20.0);
        assert_eq!(at_rest.controls.parts[0].shape_weights, [0.25]);
        let mut found = Vec::new();
        for weight in [0.25, 1.0, 0.0, 0.25] {
            let job = at_weight(&at_rest, weight);
            watched.solver.ask(job.clone());
            let (mut answer, said) = watched.answer();
            assert_eq!(said.iter().any(begins_binding), found.is_empty(), "{weight}");
            while !answer.is_final {
                assert!(watched.solver.is_busy());
                answer = watched.answer().0;
            }
            assert_eq!(answer.points(), directly(&job), "{weight}");
            assert!(!watched.solver.is_busy());
            found.push(directly(&job));
        }
        assert_eq!(found[0], found[3]);
        assert_ne!(found[0], found[1]);
    }
}

#[test]
fn shapes_of_a_clip_are_refitted_and_nothing_is_bound_for_them() {
    let character = shaped();
    let watched = Watched::new();
    let at_rest = job(&character, &springs(SpringModel::Anchored, 10), 20.0);
    watched.solver.ask(at_rest.clone());
    watched.answer();
    let shown = Job { base: Arc::clone(&at_rest.base), ..at_weight(&at_rest, 1.0) };
    watched.solver.ask(shown.clone());
    let (answer, said) = watched.answer();
    assert!(answer.is_final && !said.iter().any(begins_binding));
    assert_eq!(answer.points(), directly(&shown));
}

#[test]
fn a_rest_that_settles_does_not_jump() {
    let character = shaped();
    let watched = Watched::new();
    let at_rest = job(&character, &springs(SpringModel::Anchored, 10), 20.0);
    watched.solver.ask(at_rest.clone());
    watched.answer();
    watched.solver.ask(at_weight(&at_rest, 1.0));
    let (first, _) = watched.answer();
    assert!(!first.is_final);
    let mut shown = vec![first];
    while !shown[shown.len() - 1].is_final {
        shown.push(watched.answer().0);
    }
    let apart = |a: &Answer, b: &Answer| {
        let points = a.points()[0].iter().zip(b.points()[0]);
        points.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    };
    let whole = apart(&shown[0], &shown[shown.len() - 1]);
    // What is shown first after the bind is what was shown before it, nearly.
    assert!(apart(&shown[0], &shown[1]) <= 0.1 * whole, "{whole}");
}

#[test]
fn a_job_that_comes_while_a_rest_settles_is_answered_first() {
    let character = shaped();
    let next = at_weight(&job(&character, &springs(SpringModel::Anchored, 10), 30.0), 0.5);
    let asked = next.clone();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let watched = Watched::hooked(move |solver, status| {
        let is_first = || !is_done.swap(true, std::sync::atomic::Ordering::Relaxed);
        if matches!(status, Status::Refining { .. }) && is_first() {
            solver.ask(asked.clone());
        }
    });
    let at_rest = job(&character, &springs(SpringModel::Anchored, 10), 20.0);
    watched.solver.ask(at_rest.clone());
    watched.answer();
    watched.solver.ask(at_weight(&at_rest, 1.0));
    let (first, _) = watched.answer();
    assert_eq!(first.job.controls.parts[0].shape_weights, [1.0]);
    let (mut answer, _) = watched.answer();
    assert!(answer.job.is_same(&next), "the settling gave way");
    while !answer.is_final {
        answer = watched.answer().0;
    }
    assert_eq!(answer.points(), directly(&next));
}

#[test]
fn figures_are_against_the_rest_that_is_shown() {
    let character = shaped();
    let watched = Watched::new();
    let still = Job { measures: true, ..job(&character, &skin(SkinMethod::Linear), 0.0) };
    watched.solver.ask(at_weight(&still, 3.0));
    let measures = watched.answer().0.measures.unwrap().surface;
    assert!(measures.max_displacement < 1e-6, "{}", measures.max_displacement);
}

#[test]
fn time_that_a_missed_frame_had_passes_in_the_next() {
    let character = sample(SampleKind::Cylinder, 400);
    let is_busy = Arc::new(std::sync::Barrier::new(2));
    let (of_thread, is_first) = (Arc::clone(&is_busy), std::sync::atomic::AtomicBool::new(true));
    let watched = Watched::hooked(move |_, status| {
        let is_first = || is_first.swap(false, std::sync::atomic::Ordering::Relaxed);
        if begins_binding(status) && is_first() {
            // Both: it is there, and it may go on.
            of_thread.wait();
            of_thread.wait();
        }
    });
    let stepped = |seconds: f32| {
        let job = job(&character, &springs(SpringModel::Anchored, 5), 10.0);
        let controls = Controls::clone(&job.controls);
        Job { controls: Arc::new(Controls { step_seconds: Some(seconds), ..controls }), ..job }
    };
    watched.solver.ask(stepped(0.5));
    is_busy.wait();
    watched.solver.ask(stepped(0.25));
    watched.solver.ask(stepped(0.125));
    is_busy.wait();
    watched.answer();
    assert_eq!(watched.answer().0.job.controls.step_seconds, Some(0.375));
}

#[test]
fn another_character_is_another_skin() {
    let watched = Watched::new();
    let linear = skin(SkinMethod::Linear);
    for kind in [SampleKind::Cylinder, SampleKind::Arm, SampleKind::Cylinder] {
        let job = Job { measures: true, ..job(&sample(kind, 400), &linear, 15.0) };
        watched.solver.ask(job.clone());
        assert_eq!(watched.answer().0.points(), directly(&job));
    }
}
