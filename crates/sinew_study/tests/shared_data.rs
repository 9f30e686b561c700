//! Real characters, where the machine has them (`../shared/data` beside the project). What they
//! show is a bonus: every required fact is tested on procedural ones elsewhere. Without the data
//! each test is reported as ignored. No figure of a held-back character is looked at here.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use common::meets_its_goals;
use glam::Vec3;
use libtest_mimic::{Arguments, Failed, Trial};
use sinew::Character;
use sinew::frame::{Controls, Plan, Rig as PlanRig};
use sinew::mesh::{Adjacency, Components};
use sinew::progress::Silent;
use sinew::skeleton::Pose;
use sinew::skin::SkinMethod;
use sinew::weights::auto::{AutoSettings, auto_weights};
use sinew_study::makehuman::{self, Rig};
use sinew_study::random::{Limits, random_pose};
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
    (
        "open_floating_and_non_manifold_meshes_are_bound_whole_and_no_seam_of_theirs_opens",
        open_floating_and_non_manifold_meshes_are_bound_whole_and_no_seam_of_theirs_opens,
    ),
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

/// Of the diagonal: what lies on one place, at rest and posed. Skins are of 32 bits.
const ONE_PLACE: f32 = 1e-5;

fn open_floating_and_non_manifold_meshes_are_bound_whole_and_no_seam_of_theirs_opens(data: &Path) {
    let mut characters: Vec<(String, Character)> = Vec::new();
    for folder in ["gltf", "layered", "fbx", "fbx/ufbx"] {
        let mut paths: Vec<_> = std::fs::read_dir(data.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_theirs = name.starts_with("quaternius") || name.contains("kenney_character_7");
            if is_theirs && !name.ends_with(".obj") {
                characters.push((name, sinew_io::read_character(&path).unwrap().character));
            }
        }
    }
    for rig in Rig::ALL {
        let character = makehuman::read(&data.join("makehuman"), rig).unwrap();
        characters.push((format!("MakeHuman {rig:?}"), character));
    }
    assert!(characters.len() >= 18, "{}", characters.len());
    let (mut num_shells, mut num_open, mut num_pairs) = (0, 0, 0);
    for (name, mut character) in characters {
        let found = auto_weights(&character, &AutoSettings::default(), &Silent).unwrap();
        for (part, weights) in character.parts.iter_mut().zip(found.of_part) {
            let adjacency = Adjacency::of(&part.mesh);
            num_open += usize::from(!adjacency.is_closed());
            num_shells +=
                Components::of_triangles(part.mesh.points().len(), part.mesh.point_triangles())
                    .len();
            for (point, row) in weights.rows().enumerate() {
                let sum: f32 = row.iter().map(|influence| influence.weight).sum();
                assert!((sum - 1.0).abs() < 1e-6 && row.len() <= 4, "{name}, {point}: {row:?}");
            }
            part.weights = Some(weights);
        }
        let reach = ONE_PLACE * character.bounds().diagonal();
        let rest: Vec<Vec3> =
            character.parts.iter().flat_map(|part| part.mesh.points()).copied().collect();
        let pairs = pairs_within(&rest, reach);
        num_pairs += pairs.len();
        let limits = Limits { swing_degrees: 45.0, twist_degrees: 30.0 };
        let character = Arc::new(character);
        let plan = Plan::bind(&character, &PlanRig::of(SkinMethod::Linear), &Silent).unwrap();
        for seed in 0..3 {
            let pose = random_pose(&character.skeleton, seed, limits);
            let posed = plan.frame_of(&Controls::posed(&character, pose)).all_points();
            for &[a, b] in &pairs {
                let apart = posed[a].distance(posed[b]) - rest[a].distance(rest[b]);
                assert!(apart <= reach, "{name}: {a} and {b} are {apart} apart");
            }
        }
    }
    // It says something only if there is something to go wrong.
    assert!(
        num_shells > 200 && num_open > 20 && num_pairs > 200,
        "{num_shells} {num_open} {num_pairs}"
    );
}

/// Pairs of points that lie this near to one another.
fn pairs_within(points: &[Vec3], reach: f32) -> Vec<[usize; 2]> {
    let mut cells: HashMap<glam::IVec3, Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (index, &point) in points.iter().enumerate() {
        let at = (point / reach).floor().as_ivec3();
        for step in (0..27).map(|i| glam::IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)) {
            let near = cells.get(&(at + step)).into_iter().flatten();
            let near = near.filter(|&&other| points[other].distance(point) <= reach);
            pairs.extend(near.map(|&other| [other, index]));
        }
        cells.entry(at).or_default().push(index);
    }
    pairs
}
