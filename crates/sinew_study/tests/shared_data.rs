//! Real characters, where the machine has them (`../shared/data` beside the project). What they
//! show is a bonus: every required fact is tested on procedural ones elsewhere. Without the data
//! each test is reported as ignored. No figure of a held-back character is looked at here.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;
use std::process::ExitCode;

use common::meets_its_goals;
use libtest_mimic::{Arguments, Failed, Trial};
use sinew::skeleton::Pose;
use sinew_study::makehuman::{self, Rig};
use sinew_study::study::Filter;
use sinew_study::subject::Role;
use sinew_study::subjects::{HELD_BACK_FILES, TUNING_FILES, data_folder, load};

/// A test's name, and the test, which panics where it fails and is given the folder of the data.
type Test = (&'static str, fn(&Path));

const TESTS: &[Test] = &[
    (
        "makehumans_body_comes_with_both_rigs_in_metres_and_all_of_it_weighted",
        makehumans_body_comes_with_both_rigs_in_metres_and_all_of_it_weighted,
    ),
    (
        "every_listed_file_is_a_subject_with_poses_that_leave_rest",
        every_listed_file_is_a_subject_with_poses_that_leave_rest,
    ),
    ("makehumans_body_squats_reaches_and_runs", makehumans_body_squats_reaches_and_runs),
];

fn main() -> ExitCode {
    let trial = |&(name, test): &Test| {
        let data = data_folder();
        let is_ignored = data.is_none();
        let run = move || {
            test(&data.ok_or_else(|| Failed::from("there is no shared data"))?);
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(is_ignored)
    };
    libtest_mimic::run(&Arguments::from_args(), TESTS.iter().map(trial).collect()).exit_code()
}

/// Of the group `body` of base.obj.
const MAKEHUMAN_QUADS: usize = 13_378;
/// Metres; an adult.
const MAKEHUMAN_HEIGHT: std::ops::Range<f32> = 1.5..1.9;

fn makehumans_body_comes_with_both_rigs_in_metres_and_all_of_it_weighted(data: &Path) {
    for (rig, num_joints) in [(Rig::Default, 163), (Rig::GameEngine, 53)] {
        let character = makehuman::read(&data.join("makehuman"), rig).unwrap();
        assert_eq!(character.skeleton.len(), num_joints);
        assert_eq!(character.num_triangles(), 2 * MAKEHUMAN_QUADS);
        assert!((13_000..14_000).contains(&character.num_points()), "{}", character.num_points());
        let bounds = character.bounds();
        assert!(MAKEHUMAN_HEIGHT.contains(&(bounds.max.y - bounds.min.y)), "{bounds:?}");
        // A vertex without weights goes to joint 0, the root, where nothing of the skin belongs
        // wholly.
        let weights = character.parts[0].weights.as_ref().unwrap();
        let on_root = weights.rows().filter(|row| row.len() == 1 && row[0].joint == 0).count();
        assert!(on_root < 100, "{rig:?}: {on_root} vertices wholly on the root");
    }
}

fn every_listed_file_is_a_subject_with_poses_that_leave_rest(data: &Path) {
    let (subjects, skipped) = load(&[Role::HeldBack, Role::Goal], &Filter::default(), Some(data));
    assert_eq!(skipped, []);
    assert_eq!(subjects.len(), HELD_BACK_FILES.len() + Rig::ALL.len());
    let names: Vec<String> = TUNING_FILES.iter().map(|file| file.name.to_owned()).collect();
    let filter = Filter { subjects: names, ..Filter::default() };
    let (tuned, skipped) = load(&[Role::Tuning], &filter, Some(data));
    assert_eq!(skipped, []);
    assert_eq!(tuned.len(), TUNING_FILES.len());
    for subject in subjects.iter().chain(&tuned) {
        let rest = Pose::rest(&subject.character.skeleton);
        assert!(subject.poses.len() >= 3, "{}", subject.name);
        for pose in &subject.poses {
            assert_ne!(pose.pose, rest, "{}, {}", subject.name, pose.name);
        }
    }
}

/// What issue 3 asks of the anchored springs; `reach.rs` asks it of procedural bodies.
fn makehumans_body_squats_reaches_and_runs(data: &Path) {
    for rig in Rig::ALL {
        meets_its_goals(makehuman::subject(&data.join("makehuman"), rig).unwrap());
    }
}
