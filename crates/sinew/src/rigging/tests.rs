//! What one click adds, held to what it promises.

use std::sync::Arc;

use glam::{DQuat, Vec3};

use super::*;
use crate::driver::{DriverPlan, ShapeIndex};
use crate::frame::{Controls, Frame, Plan, Rig};
use crate::measure::measure;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::JointPose;
use crate::skin::SkinMethod;
use crate::springs::SpringModel;
use crate::{Character, conformance};

fn human() -> Character {
    build(&SampleOptions { points: Some(4_000), ..SampleOptions::new(SampleKind::Human) }).unwrap()
}

fn frame(character: &Character, rig: &Rig, controls: &Controls) -> Frame {
    let plan = Plan::bind(&Arc::new(character.clone()), rig, &Silent).unwrap();
    let mut frame = plan.frame();
    plan.run(controls, &mut plan.scratch(), &mut frame);
    frame
}

fn linear(character: &Character, controls: &Controls) -> Frame {
    frame(character, &Rig::of(SkinMethod::Linear), controls)
}

fn posed(character: &Character, joint: u32, swing: f64, twist: f64) -> Controls {
    let mut controls = Controls::rest(character);
    controls.pose.joints[joint as usize] = JointPose {
        swing: DQuat::from_rotation_x(swing.to_radians()),
        twist_radians: twist.to_radians(),
        ..JointPose::REST
    };
    controls
}

fn volume_loss(character: &Character, controls: &Controls) -> f64 {
    let found = linear(character, controls);
    let part = &found.parts()[0];
    let figures = measure(part.rest(), part.points(), character.parts[0].mesh.point_triangles());
    (1.0 - figures.volume_ratio.unwrap()).abs()
}

fn rest_is_unchanged(before: &Character, after: &Character) {
    let frame = linear(after, &Controls::rest(after));
    for (part, of_frame) in before.parts.iter().zip(frame.parts()) {
        let off = part.mesh.points().iter().zip(of_frame.points()).map(|(a, b)| a.distance(*b));
        assert!(off.fold(0.0, f32::max) < 1e-6);
    }
    for weights in after.parts.iter().filter_map(|part| part.weights.as_ref()) {
        for row in weights.rows() {
            let sum: f32 = row.iter().map(|i| i.weight).sum();
            assert!((sum - 1.0).abs() < 1e-4 && row.iter().all(|i| i.weight > 0.0));
        }
    }
}

/// The thinnest slice of a joint's limb over what it is at rest: a limb that twists about its own
/// line stays where it is, so that its slices can be told.
fn thinnest(character: &Character, joint: u32, controls: &Controls) -> f32 {
    const SLICES: usize = 16;
    let limb = super::limb::Limb::of(&character.skeleton, joint);
    let [head, end] = limb.line.map(|p| p.as_vec3());
    let (length, axis) = ((end - head).length(), (end - head).normalize());
    let radius = |p: Vec3| (p - head).reject_from_normalized(axis).length();
    let posed = linear(character, controls);
    let (rest, posed) = (posed.parts()[0].rest(), posed.parts()[0].points());
    let mut sums = [[0.0; 2]; SLICES];
    for (rest, posed) in rest.iter().zip(posed) {
        let along = ((*rest - head).dot(axis) / length + 0.1) / 1.15;
        if (0.0..1.0).contains(&along) && radius(*rest) < 0.3 * length {
            let slice = &mut sums[(along * SLICES as f32) as usize];
            slice[0] += radius(*rest);
            slice[1] += radius(*posed);
        }
    }
    let full = sums.iter().filter(|[rest, _]| *rest > 0.0);
    full.map(|[rest, posed]| posed / rest).fold(1.0, f32::min)
}

#[test]
fn twist_joints_keep_a_wrung_limb_full_and_what_hangs_on_it_where_it_is() {
    let before = human();
    for name in ["forearm_l", "shin_l"] {
        let joint = before.skeleton.find(name).unwrap();
        let after = add_twist_joints(&before, joint, 5).unwrap();
        assert_eq!(after.skeleton.len(), before.skeleton.len() + 5);
        assert_eq!(&after.skeleton.joints()[..before.skeleton.len()], before.skeleton.joints());
        rest_is_unchanged(&before, &after);
        let [without, with] =
            [&before, &after].map(|c| thinnest(c, joint, &posed(c, joint, 0.0, 180.0)));
        assert!(without < 0.6 && with > 0.85, "{name}: {with} after {without}");
        assert!(add_twist_joints(&after, joint, 5).is_err(), "not twice");
    }
}

#[test]
fn a_twisted_hand_turns_its_forearm_evenly() {
    let before = human();
    let [forearm, hand] = ["forearm_l", "hand_l"].map(|name| before.skeleton.find(name).unwrap());
    let after = add_twist_joints(&before, forearm, 5).unwrap();
    let mut controls = posed(&after, hand, 0.0, 540.0);
    DriverPlan::new(&after).unwrap().run(&after.skeleton, &mut controls);
    let first = before.skeleton.len();
    let twist = |index: usize| controls.pose.joints[first + index].twist_radians.to_degrees();
    for (index, wanted) in [(0, 0.0), (1, 135.0), (2, 270.0), (3, 405.0), (4, 540.0)] {
        assert!((twist(index) - wanted).abs() < 1e-6, "{} {wanted}", twist(index));
    }
    let [without, with] =
        [&before, &after].map(|c| thinnest(c, forearm, &posed(c, hand, 0.0, 180.0)));
    assert!(with > 0.85 && with > without + 0.1, "{with} after {without}");
}

#[test]
fn a_half_way_helper_keeps_a_bend_full() {
    let before = human();
    for name in ["forearm_l", "shin_r"] {
        let joint = before.skeleton.find(name).unwrap();
        let after = add_half_way(&before, joint).unwrap();
        rest_is_unchanged(&before, &after);
        let [loss, with] = [&before, &after].map(|c| volume_loss(c, &posed(c, joint, 120.0, 0.0)));
        assert!(with < 0.7 * loss, "{name}: {with} of {loss}");
        assert!(add_half_way(&after, joint).is_err(), "not twice");
    }
    assert!(add_half_way(&before, 0).is_err(), "a root has no other side");
}

#[test]
fn helper_and_chain_go_together_in_either_order() {
    let human = human();
    let joint = human.skeleton.find("forearm_l").unwrap();
    let [a, b] = [
        add_twist_joints(&add_half_way(&human, joint).unwrap(), joint, 5).unwrap(),
        add_half_way(&add_twist_joints(&human, joint, 5).unwrap(), joint).unwrap(),
    ];
    for character in [a, b] {
        rest_is_unchanged(&human, &character);
        let helper = character.skeleton.find("forearm_l_half").unwrap();
        let mut controls = posed(&character, joint, 80.0, 180.0);
        DriverPlan::new(&character).unwrap().run(&character.skeleton, &mut controls);
        let pose = controls.pose.joints[helper as usize];
        assert_eq!(pose.twist_radians, 0.0, "the chain begins without a twist");
        let loss = |c: &Character| volume_loss(c, &posed(c, joint, 120.0, 0.0));
        let bend = loss(&character) / loss(&human);
        let twist = thinnest(&character, joint, &posed(&character, joint, 0.0, 180.0));
        assert!(bend < 0.7 && twist > 0.85, "{bend} {twist}");
    }
}

#[test]
fn a_corrective_brings_the_skin_to_where_it_was_moved_and_leaves_the_rest() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let joint = character.skeleton.len() as u32 / 2;
    let controls = posed(&character, joint, 90.0, 20.0);
    let moved: Vec<(u32, Vec3)> =
        (0..40).map(|point| (point * 7, Vec3::new(0.01, -0.02, 0.005))).collect();
    let shape = NewShape { part: 0, name: "bulge", moved: &moved };
    let joints = [joint];
    let after =
        add_corrective(&character, &controls, &Corrective { shape, joints: &joints }).unwrap();
    rest_is_unchanged(&character, &after);
    let mut wanted = linear(&character, &controls).all_points();
    for (point, delta) in &moved {
        wanted[*point as usize] += *delta;
    }
    let found = linear(&after, &controls).all_points();
    let off = wanted.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 2e-5, "{off}");
    // In the same pose more comes on top.
    let again = Corrective { shape, joints: &joints };
    let twice = add_corrective(&after, &controls, &again).unwrap();
    for (point, delta) in &moved {
        wanted[*point as usize] += *delta;
    }
    let found = linear(&twice, &controls).all_points();
    let off = wanted.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 4e-5, "{off}");
    let rest = Controls::rest(&character);
    assert!(add_corrective(&character, &rest, &again).is_err(), "the rest is no pose");
}

#[test]
fn a_corrective_can_be_sculpted_further_in_its_pose_and_not_where_it_is_not_at_work() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let joint = character.skeleton.len() as u32 / 2;
    let controls = posed(&character, joint, 70.0, 0.0);
    assert_eq!(corrective_here(&character, &controls, 0, &[joint]), None);
    let first = [(3, Vec3::new(0.01, 0.0, 0.0))];
    let shape = NewShape { part: 0, name: "bulge", moved: &first };
    let new = Corrective { shape, joints: &[joint] };
    let once = add_corrective(&character, &controls, &new).unwrap();
    let here = corrective_here(&once, &controls, 0, &[joint]).unwrap();
    let more = [(3, Vec3::new(0.0, 0.02, 0.0)), (8, Vec3::new(0.0, 0.0, -0.01))];
    let twice = sculpt_shape(&once, &controls, here, &more).unwrap();
    assert_eq!(twice.parts[0].shapes.len(), 1);
    let mut wanted = linear(&character, &controls).all_points();
    for (point, delta) in first.iter().chain(&more) {
        wanted[*point as usize] += *delta;
    }
    let found = linear(&twice, &controls).all_points();
    let off = wanted.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 2e-5, "{off}");
    let elsewhere = posed(&character, joint, 5.0, 0.0);
    assert_eq!(corrective_here(&once, &elsewhere, 0, &[joint]), None);
    let refused = sculpt_shape(&once, &elsewhere, here, &more).unwrap_err().to_string();
    assert!(refused.contains("'bulge'") && refused.contains("its weight"), "{refused}");
    assert!(sculpt_shape(&once, &controls, here, &[(1 << 30, Vec3::X)]).is_err());
}

/// Linear blending with correctives of three poses against the springs, over a sweep.
#[test]
fn correctives_of_springs_follow_them_over_a_sweep() {
    let mut character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let joint = character.skeleton.len() as u32 / 2;
    let plain = character.clone();
    let rig = Rig::of_model(SpringModel::Anchored);
    for degrees in [40.0, 80.0, 120.0] {
        let controls = posed(&character, joint, degrees, 0.0);
        let shared = Arc::new(character.clone());
        let moved = moved_by_springs(&shared, &rig, &controls, &Silent).unwrap();
        let shape = NewShape { part: 0, name: "springs", moved: &moved[0] };
        let joints = [joint];
        character =
            add_corrective(&character, &controls, &Corrective { shape, joints: &joints }).unwrap();
    }
    assert_eq!(character.drivers.list.len(), 1, "one driver for all of a joint's poses");
    let radius = plain.bounds().diagonal() / 8.0;
    for degrees in [20.0, 40.0, 60.0, 100.0, 120.0] {
        let target = frame(&plain, &rig, &posed(&plain, joint, degrees, 0.0)).all_points();
        let rms = |of: &Character| {
            let found = linear(of, &posed(of, joint, degrees, 0.0)).all_points();
            let squared = found.iter().zip(&target).map(|(a, b)| a.distance_squared(*b));
            (squared.sum::<f32>() / target.len() as f32).sqrt() / radius
        };
        let [without, with] = [&plain, &character].map(rms);
        assert!(with < 0.02 && with < 0.5 * without, "{degrees}°: {with} of {without}");
    }
}

#[test]
fn in_betweens_are_met_and_straight_lines_join_them() {
    let character = conformance::troupe().unwrap();
    let of = ShapeIndex { part: 0, shape: 0 };
    let num_points = character.parts[0].mesh.points().len();
    let place = |weight: f32| Vec3::new(0.0, weight * weight, 0.3 * weight);
    let moved = |weight: f32| -> Vec<(u32, Vec3)> {
        (0..num_points as u32).map(|point| (point, place(weight))).collect()
    };
    let mut character = character;
    for weight in [0.5, 0.25] {
        let all = moved(weight as f32);
        let new = NewShape { part: 0, name: "between", moved: &all };
        character = add_in_between(&character, of, weight, &new).unwrap();
        assert!(add_in_between(&character, of, weight, &new).is_err(), "one a weight");
    }
    let main = character.parts[0].shapes[0].deltas.of(3);
    let at = |weight: f32| {
        let mut weights = character.parts[0].rest_shape_weights();
        weights[0] = weight;
        let controls = Controls::rest(&character).with_shapes(&[weights]);
        linear(&character, &controls).parts()[0].rest()[3] - character.parts[0].mesh.points()[3]
    };
    for (weight, wanted) in [
        (0.0, Vec3::ZERO),
        (0.25, place(0.25)),
        (0.5, place(0.5)),
        (1.0, main),
        (0.125, place(0.25) / 2.0),
        (0.375, (place(0.25) + place(0.5)) / 2.0),
        (0.75, (place(0.5) + main) / 2.0),
    ] {
        assert!(at(weight).distance(wanted) < 1e-5, "{weight}: {} {wanted}", at(weight));
    }
}

#[test]
fn a_combination_is_there_as_far_as_all_of_its_shapes_are() {
    let character = conformance::troupe().unwrap();
    let of = [0, 1].map(|shape| ShapeIndex { part: 0, shape });
    let moved = [(0, Vec3::X)];
    let new = NewShape { part: 0, name: "both", moved: &moved };
    for (how, wanted) in [(Combine::Product, 0.3), (Combine::Min, 0.5)] {
        let with = add_combination(&character, &of, how, &new).unwrap();
        let controls = Controls::rest(&with).with_shapes(&[vec![0.5, 0.6]]);
        let found = linear(&with, &controls).controls().parts[0].shape_weights[2];
        assert!((found - wanted).abs() < 1e-6, "{found}");
    }
    assert!(add_combination(&character, &of[..1], Combine::Min, &new).is_err());
    let past = [(u32::MAX, Vec3::X)];
    assert!(add_shape(&character, &NewShape { moved: &past, ..new }).is_err());
}
