//! The study as a whole: what must hold of it whatever the methods' figures are.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew_study::procedural;
use sinew_study::study::{Filter, run};
use sinew_study::subject::{NamedPose, Role};
use sinew_study::subjects::{HELD_BACK_FILES, TUNING_FILES, load};
use sinew_study::sweep::{self, Motion};
use sinew_study::table::Table;

/// Rotations of f64 chains, points in f32.
const RIGID_TOLERANCE: f64 = 1e-4;

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn no_file_is_both_tuned_on_and_held_back() {
    for held in HELD_BACK_FILES {
        assert!(TUNING_FILES.iter().all(|tuned| tuned.path != held.path), "{}", held.path);
    }
}

#[test]
fn without_data_the_procedural_subjects_are_there_and_the_gap_is_told() {
    let filter = Filter { subjects: words(&["cylinder 1.8k"]), ..Filter::default() };
    let (subjects, skipped) = load(&Role::ALL, &filter, None);
    assert_eq!(subjects.len(), 1);
    assert!(skipped[0].why.contains("shared/data"), "{skipped:?}");
}

#[test]
fn every_method_leaves_the_rest_pose_alone_and_bends_what_is_bent() {
    let mut subject = procedural::cylinder("cylinder", 1_804).unwrap();
    let rest = sinew::skeleton::Pose::rest(&subject.character.skeleton);
    subject.poses.insert(0, NamedPose { name: "rest".into(), pose: rest, is_twist: true });
    let outcome = run(&[subject], &Filter::default(), &|_, _, _, _, _| {});
    assert_eq!(outcome.skipped, []);
    for cell in &outcome.cells {
        let figures = &cell.figures;
        assert!(figures.measures.finite, "{} {}", cell.method, cell.pose);
        if cell.pose == "rest" {
            let volume = figures.measures.volume_ratio.unwrap();
            assert!((volume - 1.0).abs() < RIGID_TOLERANCE, "{}: {volume}", cell.method);
            assert!((figures.min_ring_area.unwrap() - 1.0).abs() < RIGID_TOLERANCE);
            assert!(figures.twist_kept_degrees.unwrap() < 0.01);
        } else if cell.pose == "bend 90" {
            assert!(figures.measures.max_displacement > 1.0, "{}", cell.method);
        }
    }
}

#[test]
fn linear_blending_is_known_to_wring_a_twisted_limb_and_to_lose_whole_turns() {
    let subject = procedural::cylinder("cylinder", 1_804).unwrap();
    let filter = Filter { methods: words(&["linear"]), ..Filter::default() };
    let outcome = run(&[subject], &filter, &|_, _, _, _, _| {});
    let figures = |pose: &str| outcome.cells.iter().find(|c| c.pose == pose).unwrap().figures;
    // The middle ring blends two rotations 90° apart half and half: cos² 45° of its area.
    assert!((figures("twist 90").min_ring_area.unwrap() - 0.5).abs() < 0.01);
    assert!((figures("twist 90").twist_kept_degrees.unwrap() - 90.0).abs() < 0.1);
    assert!(figures("twist 360").twist_kept_degrees.unwrap() < 0.1);
}

#[test]
fn a_sweep_of_a_rigid_skin_has_the_second_difference_of_its_circle() {
    let subject = procedural::cylinder("cylinder", 1_804).unwrap();
    let filter =
        Filter { poses: words(&["bend 90"]), methods: words(&["rigid"]), ..Filter::default() };
    let diagonal = f64::from(subject.character.bounds().diagonal());
    let (found, _) = sweep::run(&[subject], &filter, Motion::Sweeps);
    // A point at radius r from the axis: r·(2 sin ½°)². The far rim of the limb is at (0.5, 2) from
    // it.
    let expected = 0.5f64.hypot(2.0) * (2.0 * 0.5f64.to_radians().sin()).powi(2) / diagonal;
    assert!((found[0].largest / expected - 1.0).abs() < 0.01, "{} {expected}", found[0].largest);
}

#[test]
fn the_outcome_is_the_same_on_every_run() {
    let subjects = [procedural::curled_box().unwrap()];
    let csv = || {
        let outcome = run(&subjects, &Filter::default(), &|_, _, _, _, _| {});
        sinew_study::table::csv(&outcome.cells)
    };
    let once = csv();
    assert_eq!(once, csv());
    assert!(once.lines().count() > 4);
}

#[test]
fn tables_have_a_row_a_pose_and_rings_only_where_there_are_some() {
    let subjects = [procedural::curled_box().unwrap()];
    let outcome = run(&subjects, &Filter::default(), &|_, _, _, _, _| {});
    let text = Table::of_shapes(&outcome.cells).render(sinew_study::table::Style::Text);
    assert_eq!(text.lines().count(), 1 + subjects[0].poses.len());
    assert!(Table::of_rings(&outcome.cells).is_empty());
}
