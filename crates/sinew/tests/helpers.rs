//! What docs/guide/drivers.md says of one-click helpers and correctives, in figures of the human.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../examples/correctives.rs"]
#[allow(dead_code, reason = "the example has a table of its own")]
mod correctives;

use std::sync::Arc;

use sinew::Character;
use sinew::frame::{Controls, Plan, Rig};
use sinew::glam::DQuat;
use sinew::measure::{CharacterMeasure, CharacterMeasures};
use sinew::progress::Silent;
use sinew::rigging::{add_half_way, add_twist_joints};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Palette;
use sinew::skin::SkinMethod;

/// What one click each is to keep of a joint's section twisted by half a turn; without it next to
/// nothing is left.
const KEPT_OF_A_TWIST: f64 = 0.9;

fn human() -> Character {
    build(&SampleOptions::new(SampleKind::Human)).unwrap()
}

/// Under linear blending, with one joint turned.
fn measured(character: &Character, joint: &str, swing: f64, twist: f64) -> CharacterMeasures {
    let shared = Arc::new(character.clone());
    let plan = Plan::bind(&shared, &Rig::of(SkinMethod::Linear), &Silent).unwrap();
    let joint = character.skeleton.find(joint).unwrap() as usize;
    let mut controls = Controls::rest(character);
    controls.pose.joints[joint].swing = DQuat::from_rotation_x(swing.to_radians());
    controls.pose.joints[joint].twist_radians = twist.to_radians();
    let frame = plan.frame_of(&controls);
    let palette = Palette::new(&character.skeleton, &frame.controls().pose);
    CharacterMeasure::bind(character).evaluate(&frame.all_points(), &palette)
}

/// Of a half-way helper and twist joints, one click each.
fn helped(joint: &str) -> Character {
    let with_helper = {
        let plain = human();
        let joint = plain.skeleton.find(joint).unwrap();
        add_half_way(&plain, joint).unwrap()
    };
    let joint = with_helper.skeleton.find(joint).unwrap();
    add_twist_joints(&with_helper, joint, 5).unwrap()
}

#[test]
fn helpers_keep_the_volume_of_an_elbow_and_a_knee_bent_by_120_degrees() {
    let plain = human();
    for joint in ["forearm_l", "shin_l"] {
        let lost = |character: &Character| {
            let measures = measured(character, joint, 120.0, 0.0);
            1.0 - measures.surface.volume_ratio.unwrap()
        };
        let (before, after) = (lost(&plain), lost(&helped(joint)));
        assert!(before > 0.001, "{joint}: linear blending loses volume, {before}");
        assert!(after < 0.6 * before, "{joint}: {before} to {after}");
    }
}

#[test]
fn twist_joints_keep_a_limb_full_that_is_twisted_by_half_a_turn() {
    let plain = human();
    for joint in ["forearm_l", "shin_l"] {
        let kept = |character: &Character| {
            let measures = measured(character, joint, 0.0, 180.0);
            (measures.rig.min_attachment_ratio.unwrap(), measures.surface.inverted_triangles)
        };
        let (before, after) = (kept(&plain), kept(&helped(joint)));
        assert!(before.0 < 0.2 && before.1 > 0, "{joint}: linear blending collapses, {before:?}");
        assert!(after.0 > KEPT_OF_A_TWIST && after.1 == 0, "{joint}: {before:?} to {after:?}");
    }
}

#[test]
fn correctives_of_three_poses_bring_linear_blending_to_the_springs() {
    // Between the examples, where nothing was taken from.
    for (joint, sweep) in [("forearm_l", [60.0, 100.0]), ("shin_l", [60.0, 100.0])] {
        for row in correctives::swept(2_500, joint, &sweep).unwrap() {
            let correctives::Row { degrees, linear, corrected } = row;
            assert!(linear > 4.0, "{joint} at {degrees}: there is something to mend, {linear} %");
            assert!(corrected <= 2.0, "{joint} at {degrees}: {linear} % to {corrected} %");
        }
    }
}
