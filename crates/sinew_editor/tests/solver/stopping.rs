//! Giving up, failing, and ending.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sinew::Character;
use sinew::frame::{Controls, Rig};
use sinew::sample::SampleKind;
use sinew::skeleton::{JointPose, Pose, Skeleton};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_editor::solver::{Job, Solver, Status};

use crate::{Watched, begins_binding, directly, job, sample, skin, springs};

/// True in the middle of binding, not only before it.
fn is_in_the_middle(status: &Status) -> bool {
    matches!(status, Status::Binding { what, .. } if what != "binding")
}

/// A solver that does something once, in the middle of its first binding.
fn hooked_once(act: impl Fn(&Solver) + Send + 'static) -> Watched {
    let is_done = AtomicBool::new(false);
    Watched::hooked(move |solver, status| {
        if is_in_the_middle(status) && !is_done.swap(true, Ordering::Relaxed) {
            act(solver);
        }
    })
}

#[test]
fn a_new_rig_gives_the_binding_of_the_old_one_up() {
    let giant = sample(SampleKind::Giant, 20_000);
    let next = job(&giant, &skin(SkinMethod::Linear), 10.0);
    let asked = next.clone();
    let watched = hooked_once(move |solver| solver.ask(asked.clone()));
    watched.solver.ask(job(&giant, &springs(SpringModel::Anchored, 20), 10.0));
    let (answer, said) = watched.answer();
    assert_eq!(answer.job.rig, next.rig, "the first answer is to the second job");
    assert_eq!(said.iter().filter(|status| begins_binding(status)).count(), 2);
    // Given up on the way: its words end before the last part of the work.
    let given_up = said.iter().rposition(is_in_the_middle).unwrap();
    assert!(!said[..=given_up].contains(&Status::Deforming), "{said:?}");
    assert_eq!(answer.points(), directly(&next));
    assert_eq!(watched.solver.status(), Status::Idle);
}

#[test]
fn other_iterations_in_the_middle_of_binding_do_not_begin_it_again() {
    let arm = sample(SampleKind::Arm, 900);
    let next = job(&arm, &springs(SpringModel::Anchored, 7), 10.0);
    let asked = next.clone();
    let watched = hooked_once(move |solver| solver.ask(asked.clone()));
    watched.solver.ask(job(&arm, &springs(SpringModel::Anchored, 20), 10.0));
    let (first, said) = watched.answer();
    assert_eq!(said.iter().filter(|status| begins_binding(status)).count(), 1);
    let (second, said) = watched.answer();
    assert!(!said.iter().any(begins_binding));
    assert_eq!(second.bind_ms, first.bind_ms);
    assert_eq!(second.points(), directly(&next));
}

#[test]
fn what_was_cancelled_is_not_bound_again_by_the_next_pose_but_by_a_retry() {
    let arm = sample(SampleKind::Arm, 900);
    let anchored = springs(SpringModel::Anchored, 10);
    let watched = hooked_once(Solver::cancel);
    watched.solver.ask(job(&arm, &anchored, 10.0));
    let (words, said) = watched.failure();
    assert!(words.contains("cancelled"), "{words}");
    assert!(!said.contains(&Status::Deforming), "{said:?}");
    assert_eq!(watched.solver.status(), Status::Failed(words.clone()));
    watched.solver.ask(job(&arm, &anchored, 20.0));
    let (again, said) = watched.failure();
    assert_eq!(again, words);
    assert!(!said.iter().any(begins_binding), "{said:?}");
    // Something else is bound as ever, and so is this once it is asked for.
    let last = job(&arm, &anchored, 30.0);
    watched.solver.retry(last.clone());
    assert_eq!(watched.answer().0.points(), directly(&last));
    watched.solver.cancel();
    watched.solver.ask(job(&arm, &skin(SkinMethod::Linear), 5.0));
    watched.answer();
    assert_eq!(watched.solver.status(), Status::Idle, "there was nothing to cancel");
}

#[test]
fn what_cannot_be_is_said_and_the_next_method_works() {
    let arm = sample(SampleKind::Arm, 900);
    let mut bare = Character::clone(&arm);
    bare.parts[0].weights = None;
    let bare = Arc::new(bare);
    let watched = Watched::new();
    // A mesh that cannot have what was asked gets less, and says so.
    let paper = job(&bare, &springs(SpringModel::Paper, 10), 10.0);
    watched.solver.ask(paper.clone());
    let (answer, _) = watched.answer();
    assert_eq!(answer.points(), directly(&paper));
    let words = &answer.notes[0].words;
    assert!(words.contains(arm.parts[0].mesh.name()) && words.contains("no weights"), "{words}");
    let anchored = job(&bare, &springs(SpringModel::Anchored, 5), 10.0);
    watched.solver.ask(anchored.clone());
    assert_eq!(watched.answer().0.points(), directly(&anchored));

    let mut painted = Rig::clone(&springs(SpringModel::Anchored, 5));
    painted.part_mut(0).stiffness = vec![1.0; 3];
    watched.solver.ask(job(&arm, &Arc::new(painted), 10.0));
    let (words, _) = watched.failure();
    assert!(words.contains('3') && words.contains(arm.parts[0].mesh.name()), "{words}");
}

#[test]
fn a_mesh_without_a_skeleton_stays_as_it_is_whatever_is_asked() {
    let mut statue = Character::clone(&sample(SampleKind::Arm, 900));
    statue.skeleton = Skeleton::default();
    statue.clips.clear();
    statue.parts[0].weights = None;
    let statue = Arc::new(statue);
    let watched = Watched::new();
    for rig in [skin(SkinMethod::DualQuat), springs(SpringModel::Anchored, 5)] {
        let job = Job { measures: true, ..job(&statue, &rig, 0.0) };
        watched.solver.ask(job);
        let (answer, _) = watched.answer();
        assert_eq!(answer.points()[0], statue.parts[0].mesh.points());
    }
}

#[test]
fn a_fault_in_the_thread_is_told_and_survived() {
    let arm = sample(SampleKind::Arm, 900);
    let watched = Watched::new();
    let good = job(&arm, &skin(SkinMethod::Linear), 10.0);
    let cylinder = sample(SampleKind::Cylinder, 400);
    let foreign = Pose { joints: vec![JointPose::REST; 1 + cylinder.skeleton.len()] };
    let controls = Arc::new(Controls::posed(&arm, foreign));
    watched.solver.ask(Job { controls, ..good.clone() });
    let (words, _) = watched.failure();
    assert!(words.contains("report"), "{words}");
    watched.solver.ask(good.clone());
    assert_eq!(watched.answer().0.points(), directly(&good));
}

#[test]
fn a_solver_that_is_dropped_in_the_middle_of_binding_ends_promptly() {
    let giant = sample(SampleKind::Giant, 90_000);
    let (sender, wakes) = channel();
    let sender = Mutex::new(sender);
    let solver = Solver::start(move || _ = sender.lock().unwrap().send(()));
    solver.ask(job(&giant, &springs(SpringModel::Anchored, 20), 10.0));
    while !is_in_the_middle(&solver.status()) {
        assert!(!matches!(solver.status(), Status::Failed(_)));
        wakes.recv_timeout(crate::HANGS).expect("the solver hangs");
    }
    let start = Instant::now();
    drop(solver);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    // One that has nothing to do ends at once too.
    drop(Solver::start(|| {}));
}
