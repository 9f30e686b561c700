//! Several cages, partial cages and point handles in a frame.

use std::sync::Arc;

use glam::{DVec3, UVec3, Vec3};

use super::{CageRig, Controls, Frame, Plan, Rig};
use crate::Character;
use crate::cage::{Cage, CoordinateKind};
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skin::SkinMethod;

/// Positions are f32, and sums of a few dozen terms.
const FRAME_TOLERANCE: f32 = 2e-6;
/// Of the diagonal; the loop is f64, and poses have gains up to a hundred.
const LOOP_TOLERANCE: f64 = 1e-9;

/// The arm, a box around its hand, one around its upper end, and a point handle at its elbow.
fn arm_in_pieces() -> (Arc<Character>, Cage, u32) {
    let options = SampleOptions { points: Some(1_500), ..SampleOptions::new(SampleKind::Arm) };
    let arm = Arc::new(build(&options).unwrap());
    let around = |low: f64, high: f64| {
        let (low, high) = (DVec3::new(-0.12, low, -0.12), DVec3::new(0.12, high, 0.12));
        Cage::lattice(low, high, UVec3::new(1, 2, 1)).unwrap()
    };
    let (hand, shoulder) = (around(0.60, 0.95), around(-0.12, 0.12));
    let elbow = DVec3::new(0.0, 0.30, 0.04);
    let cage = hand.joined(Some(&shoulder), &[elbow]).unwrap();
    (arm, cage, hand.points().len() as u32)
}

fn plan(arm: &Arc<Character>, cage: &Cage, method: SkinMethod) -> Plan {
    let rig = CageRig::of(cage.clone(), CoordinateKind::Parts);
    Plan::bind(arm, &Rig { cage: Some(rig), ..Rig::of(method) }, &Silent).unwrap()
}

fn run(plan: &Plan, controls: &Controls) -> Frame {
    let mut frame = plan.frame();
    plan.run(controls, &mut plan.scratch(), &mut frame);
    frame
}

#[test]
fn each_piece_moves_what_is_in_it_and_what_nothing_holds_stays() {
    let (arm, cage, num_hand) = arm_in_pieces();
    let plan = plan(&arm, &cage, SkinMethod::Linear);
    let rest = arm.parts[0].mesh.points();
    let by = DVec3::new(0.05, 0.02, -0.03);
    let mut controls = Controls::rest(&arm);
    controls.cage = cage.points().to_vec();
    controls.cage[..num_hand as usize].iter_mut().for_each(|place| *place += by);
    let moved = run(&plan, &controls).all_points();
    let mut num_between = 0;
    for (now, at) in moved.iter().zip(rest) {
        let miss = |wanted: Vec3| (*now - *at - wanted).length();
        match at.y {
            y if y > 0.601 => assert!(miss(by.as_vec3()) < FRAME_TOLERANCE, "{at}"),
            y if y < 0.50 => assert!(miss(Vec3::ZERO) < FRAME_TOLERANCE, "{at}"),
            _ => num_between += usize::from(miss(Vec3::ZERO) > 1e-4),
        }
    }
    assert!(num_between > 10, "it lets go by and by: {num_between}");

    // The point handle takes the skin at the elbow along, and no hand.
    controls.cage = cage.points().to_vec();
    *controls.cage.last_mut().unwrap() += by;
    let moved = run(&plan, &controls).all_points();
    let elbow = *cage.points().last().unwrap();
    let nearest = (0..rest.len()).min_by(|&a, &b| {
        let far = |point: usize| rest[point].as_dvec3().distance(elbow);
        far(a).total_cmp(&far(b))
    });
    let nearest = nearest.unwrap();
    assert!((moved[nearest] - rest[nearest] - by.as_vec3()).length() < FRAME_TOLERANCE);
    let stays = |now: &Vec3, at: &Vec3| now.distance(*at) < FRAME_TOLERANCE;
    assert!(moved.iter().zip(rest).all(|(now, at)| at.y < 0.6 || stays(now, at)));
}

#[test]
fn joints_go_with_the_piece_that_they_are_in() {
    let (arm, cage, num_hand) = arm_in_pieces();
    let plan = plan(&arm, &cage, SkinMethod::Linear);
    let mut controls = Controls::rest(&arm);
    controls.cage = cage.points().to_vec();
    controls.cage[..num_hand as usize].iter_mut().for_each(|place| *place += DVec3::X);
    let frame = run(&plan, &controls);
    let moved = |name: &str| {
        let joint = arm.skeleton.find(name).unwrap() as usize;
        let place = |skeleton: &crate::skeleton::Skeleton| {
            skeleton.rest_model_from_joint()[joint].translation
        };
        place(frame.skeleton()) - place(&arm.skeleton)
    };
    assert!((moved("index_0") - DVec3::X).length() < 1e-9);
    assert!(moved("fore_arm").length() < 1e-12);
}

#[test]
fn a_drag_in_the_pose_arrives_for_pieces_and_point_handles_with_every_method() {
    let (arm, cage, num_hand) = arm_in_pieces();
    for method in [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation] {
        let plan = plan(&arm, &cage, method);
        let mut controls = Controls::rest(&arm);
        for (joint, radians) in [("fore_arm", 1.2), ("hand", -0.6), ("upper_arm", 0.7)] {
            let joint = arm.skeleton.find(joint).unwrap() as usize;
            controls.pose.joints[joint].swing = glam::DQuat::from_rotation_x(radians);
        }
        let coupling = plan.cage().unwrap().coupling();
        let before = run(&plan, &controls);
        let mut wanted = before.posed_cage().to_vec();
        let last = wanted.len() - 1;
        for (handle, by) in [
            (2, DVec3::new(0.02, 0.01, -0.03)),
            (num_hand as usize + 3, DVec3::new(-0.03, 0.0, 0.01)),
            (last, DVec3::new(0.0, 0.02, 0.04)),
        ] {
            wanted[handle] += by;
        }
        let by: Vec<DVec3> =
            wanted.iter().zip(before.posed_cage()).map(|(&to, &from)| to - from).collect();
        let reverse = coupling.reverse(before.skeleton(), before.pose(), before.palette());
        let offsets = reverse.solve(&by).unwrap().offsets;
        controls.cage = cage.points().iter().zip(&offsets).map(|(&at, &by)| at + by).collect();
        let after = run(&plan, &controls);
        for (found, wanted) in after.posed_cage().iter().zip(&wanted) {
            let miss = found.distance(*wanted) / cage.diagonal();
            assert!(miss < LOOP_TOLERANCE, "{method:?}: {miss}");
        }
    }
}
