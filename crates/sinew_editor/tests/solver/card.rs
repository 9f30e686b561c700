//! A solver whose frames are made elsewhere: what it asks of a card, and what it does where the
//! card cannot.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use sinew::frame::{Controls, Frame, Plan, Scratch};
use sinew::mesh::Aabb;
use sinew::sample::SampleKind;
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_editor::seam::{SystemClock, Threads};
use sinew_editor::solver::{Answer, Card, Job, OnCard, Read, Solver};

use super::{HANGS, directly, job, sample, shaped, skin, springs};

/// What a card was asked.
#[derive(Clone, Debug, PartialEq)]
enum Asked {
    Made,
    Replaced,
    Faded(f32),
    Requested,
}

/// A card that is none: it makes frames here, and hands them out only when it is asked twice.
#[derive(Default)]
struct Fake {
    made: Option<(Scratch, Frame)>,
    /// The plan that it is of.
    plan: Option<u64>,
    requested: Option<(u32, Frame)>,
    is_lost: bool,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Fake {
    fn note(&self, asked: Asked) {
        self.log.lock().unwrap().push(asked);
    }

    fn run(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String> {
        if controls.step_seconds.is_some() {
            return Err("no time here".into());
        }
        if self.plan.replace(plan.revision()[0]) != Some(plan.revision()[0]) {
            self.made = Some((plan.scratch(), plan.frame()));
        }
        let (scratch, frame) = self.made.as_mut().unwrap();
        plan.run(controls, scratch, frame);
        Ok(())
    }
}

impl Card for Fake {
    fn make(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String> {
        self.note(Asked::Made);
        self.run(plan, controls)
    }

    fn replace(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String> {
        self.note(Asked::Replaced);
        self.run(plan, controls)
    }

    fn fade(&mut self, share: f32) {
        self.note(Asked::Faded(share));
    }

    fn frame(&self) -> (Frame, Aabb) {
        let mut frame = self.made.as_ref().unwrap().1.clone();
        let bounds = frame.bounds();
        for part in 0..frame.parts().len() {
            frame.fill_part(part, [0, 0], None, |_, _| {});
        }
        (frame, bounds)
    }

    fn skin(&self) -> OnCard {
        OnCard(Arc::new("somewhere"))
    }

    fn request(&mut self) -> Result<(), String> {
        self.note(Asked::Requested);
        self.requested = Some((2, self.made.as_ref().unwrap().1.clone()));
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Frame>, String> {
        if self.is_lost {
            return Err("it went away".into());
        }
        let (left, frame) = self.requested.as_mut().unwrap();
        *left -= 1;
        Ok((*left == 0).then(|| frame.clone()))
    }
}

/// A solver with such a card.
struct Watched {
    solver: Solver,
    woken: Receiver<()>,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Watched {
    fn new(card: Fake) -> Self {
        let (wake, woken) = channel();
        let log = Arc::clone(&card.log);
        let clock = Box::new(SystemClock::default());
        let wake = move || _ = wake.send(());
        let solver = Solver::start_on(&Threads, clock, Some(Box::new(card)), wake);
        Self { solver, woken, log }
    }

    fn next<T>(&self, take: impl Fn(&Solver) -> Option<T>) -> T {
        loop {
            if let Some(found) = take(&self.solver) {
                return found;
            }
            self.woken.recv_timeout(HANGS).expect("the solver hangs");
        }
    }

    fn answer(&self, job: &Job) -> Answer {
        self.solver.ask(job.clone());
        self.next(Solver::take)
    }

    fn read(&self) -> Read {
        self.next(Solver::take_read)
    }

    fn asked(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }
}

#[test]
fn a_card_makes_the_frames_and_nothing_is_read_that_nobody_wants() {
    let character = sample(SampleKind::Arm, 600);
    let watched = Watched::new(Fake::default());
    for degrees in [10.0, 20.0] {
        let job = job(&character, &springs(SpringModel::Anchored, 8), degrees);
        let answer = watched.answer(&job);
        assert!(answer.on_card.is_some() && answer.why_here.is_none() && answer.is_final);
        assert!(answer.points()[0].is_empty() && !answer.bounds.is_empty());
        assert_eq!(answer.frame.palette().len(), character.skeleton.len());
    }
    assert!(!watched.solver.is_busy());
    assert_eq!(watched.asked(), [Asked::Made, Asked::Made]);
}

#[test]
fn points_and_figures_come_after_the_answer_and_are_its_own() {
    let character = sample(SampleKind::Arm, 600);
    let watched = Watched::new(Fake::default());
    let posed = job(&character, &skin(SkinMethod::Linear), 30.0);
    let wanted = Job { measures: true, points: true, ..posed.clone() };
    let answer = watched.answer(&wanted);
    assert!(answer.points()[0].is_empty() && answer.measures.is_none());
    let read = watched.read();
    assert_eq!(read.number, answer.number);
    assert_eq!(read.frame.parts()[0].points(), directly(&posed)[0]);
    assert!(read.measures.is_some());
    assert!(!watched.solver.is_busy());
}

#[test]
fn what_the_card_cannot_is_made_here_and_says_why() {
    let character = sample(SampleKind::Arm, 600);
    let watched = Watched::new(Fake::default());
    let still = job(&character, &springs(SpringModel::Anchored, 8), 30.0);
    let swinging = Controls { step_seconds: Some(0.02), ..Controls::clone(&still.controls) };
    let answer = watched.answer(&Job { controls: Arc::new(swinging), ..still.clone() });
    assert!(answer.on_card.is_none() && !answer.points()[0].is_empty());
    assert_eq!(answer.why_here.as_deref(), Some("no time here"));
    assert!(watched.answer(&still).on_card.is_some(), "the next is the card's again");
}

#[test]
fn a_card_that_went_away_leaves_its_frames_to_the_processor() {
    let character = sample(SampleKind::Arm, 600);
    let watched = Watched::new(Fake { is_lost: true, ..Fake::default() });
    let wanted = Job { points: true, ..job(&character, &skin(SkinMethod::Linear), 30.0) };
    assert!(watched.answer(&wanted).on_card.is_some());
    let here = watched.next(Solver::take);
    assert_eq!(here.why_here.as_deref(), Some("it went away"));
    assert_eq!(here.points(), directly(&wanted));
    assert!(!watched.solver.is_busy());
}

#[test]
fn a_refit_settles_on_the_card_and_fades_there() {
    let character = shaped();
    let watched = Watched::new(Fake::default());
    let rig = springs(SpringModel::Anchored, 8);
    assert!(watched.answer(&job(&character, &rig, 20.0)).is_final);
    let mut moved = job(&character, &rig, 20.0);
    moved.controls = Arc::new(Controls::clone(&moved.controls).with_shapes(&[vec![0.5]]));
    moved.base = Arc::clone(&moved.controls);
    let mut answer = watched.answer(&moved);
    assert!(!answer.is_final, "a refit comes again");
    while !answer.is_final {
        answer = watched.next(Solver::take);
        assert!(answer.on_card.is_some());
    }
    let asked = watched.asked();
    assert_eq!(asked.iter().filter(|asked| **asked == Asked::Replaced).count(), 1);
    let faded: Vec<f32> = asked
        .iter()
        .filter_map(|asked| match asked {
            Asked::Faded(share) => Some(*share),
            Asked::Made | Asked::Replaced | Asked::Requested => None,
        })
        .collect();
    assert!(faded.len() > 1 && faded.is_sorted_by(|a, b| a >= b), "{faded:?}");
    assert_eq!(faded.last(), Some(&0.0));
}
