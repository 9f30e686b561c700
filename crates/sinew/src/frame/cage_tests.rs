//! A cage in a frame: rest, joints, centres, and the cage that follows.

use std::sync::Arc;

use glam::{DVec3, UVec3, Vec3};

use super::{CageRig, Controls, Plan, PlanError, Rig};
use crate::Character;
use crate::cage::coordinates::Loaded;
use crate::cage::{Cage, CoordinateKind, CoordinateRows};
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skin::SkinMethod;
use crate::springs::SpringModel;
use crate::weights::SkinWeights;

fn boxed(kind: SampleKind) -> (Arc<Character>, Cage) {
    let character = Arc::new(build(&SampleOptions::new(kind)).unwrap());
    let bounds = character.bounds();
    let margin = 0.08 * f64::from(bounds.diagonal());
    let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
    (character, Cage::lattice(low, high, UVec3::new(1, 3, 1)).unwrap())
}

fn swollen(cage: &Cage) -> Vec<DVec3> {
    cage.points().iter().map(|&p| DVec3::new(1.5 * p.x, p.y + 0.1, 1.2 * p.z)).collect()
}

#[test]
fn a_cage_that_has_not_moved_changes_no_bit_of_a_frame() {
    let (character, cage) = boxed(SampleKind::Cylinder);
    let mut rig = Rig::of(SkinMethod::DualQuat);
    let mut controls = Controls::rest(&character);
    controls.pose.joints[1].twist_radians = 1.0;
    let points = |rig: &Rig, controls: &Controls| {
        let plan = Plan::bind(&character, rig, &Silent).unwrap();
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        plan.run(controls, &mut scratch, &mut frame);
        frame
    };
    let without = points(&rig, &controls);
    assert!(without.posed_cage().is_empty());
    rig.cage = Some(CageRig::new(cage.clone()));
    let with = points(&rig, &controls);
    assert_eq!(with.all_points(), without.all_points());
    controls.cage = cage.points().to_vec();
    assert_eq!(points(&rig, &controls).all_points(), without.all_points());
    assert_eq!(with.rest_cage(), cage.points());
    assert_ne!(with.posed_cage(), cage.points(), "it follows the twist");
}

#[test]
fn a_frame_with_a_moved_cage_is_that_of_a_character_that_was_made_so() {
    for method in SkinMethod::ALL {
        let (character, cage) = boxed(SampleKind::Cylinder);
        let mut rig = Rig::of(method);
        rig.cage = Some(CageRig::new(cage.clone()));
        let plan = Plan::bind(&character, &rig, &Silent).unwrap();
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        let mut controls = Controls::rest(&character);
        controls.cage = swollen(&cage);
        plan.run(&controls, &mut scratch, &mut frame);
        // The cage is moved affinely, and so is everything.
        let moved = |p: Vec3| Vec3::new(1.5 * p.x, p.y + 0.1, 1.2 * p.z);
        for (found, &rest) in frame.all_rest().iter().zip(character.parts[0].mesh.points()) {
            assert!(found.distance(moved(rest)) < 1e-5, "{method:?}");
        }
        for joint in 0..character.skeleton.len() as u32 {
            let head = character.skeleton.bind_bone(joint)[0].as_vec3();
            let found = frame.skeleton().bind_bone(joint)[0].as_vec3();
            assert!(found.distance(moved(head)) < 1e-5, "{method:?} joint {joint}");
        }
        for (rest, posed) in frame.rest_cage().iter().zip(frame.posed_cage()) {
            assert!(rest.distance(*posed) < 1e-9, "{method:?}");
        }
        // Binding at that rest gives the same frame where a refit is exact.
        controls.pose.joints[1].twist_radians = 1.2;
        controls.pose.joints[1] =
            controls.pose.joints[1].rotated(DVec3::X, 0.8, character.skeleton.pose_axis(1));
        plan.run(&controls, &mut scratch, &mut frame);
        let bound = Plan::bind_at(&character, &rig, &controls, &Silent).unwrap();
        let (mut other_scratch, mut other) = (bound.scratch(), bound.frame());
        bound.run(&controls, &mut other_scratch, &mut other);
        let near = if plan.is_exact(&controls) { 1e-5 } else { 0.05 };
        for (a, b) in frame.all_points().iter().zip(other.all_points()) {
            assert!(a.distance(b) < near, "{method:?}: {a} {b}");
        }
        assert!(bound.is_exact(&controls));
    }
}

#[test]
fn a_dragged_posed_cage_is_where_it_was_dragged_to_with_springs_too() {
    for rig in [
        Rig::of(SkinMethod::Linear),
        Rig::of(SkinMethod::DualQuat),
        Rig::of(SkinMethod::CenterOfRotation),
        Rig::of_model(SpringModel::Anchored),
    ] {
        let (character, cage) = boxed(SampleKind::Box);
        let rig = Rig { cage: Some(CageRig::new(cage)), ..rig };
        let plan = Plan::bind(&character, &rig, &Silent).unwrap();
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        let mut controls = Controls::rest(&character);
        for joint in 1..3 {
            controls.pose.joints[joint] =
                controls.pose.joints[joint].rotated(DVec3::X, 0.7, DVec3::Y);
        }
        controls.pose.joints[2].stretch = 1.2;
        plan.run(&controls, &mut scratch, &mut frame);
        let before = frame.posed_cage().to_vec();
        let mut by = vec![DVec3::ZERO; before.len()];
        (by[0], by[5]) = (DVec3::new(0.1, -0.05, 0.02), DVec3::new(0.0, 0.1, 0.1));
        let coupling = plan.cage().unwrap().coupling();
        let reverse = coupling.reverse(frame.skeleton(), frame.pose(), frame.palette());
        let reversed = reverse.solve(&by).unwrap();
        controls.cage = frame.rest_cage().to_vec();
        for (handle, offset) in controls.cage.iter_mut().zip(&reversed.offsets) {
            *handle += *offset;
        }
        plan.run(&controls, &mut scratch, &mut frame);
        for ((now, before), by) in frame.posed_cage().iter().zip(&before).zip(&by) {
            assert!(now.distance(*before + *by) < 1e-11, "{}", rig.label());
        }
        assert!(frame.all_points().iter().all(|p| p.is_finite()));
    }
}

#[test]
fn coming_and_going_gives_the_same_bits_and_another_part_count_is_no_trap() {
    let (character, cage) = boxed(SampleKind::Cylinder);
    let mut rig = Rig::of(SkinMethod::CenterOfRotation);
    rig.cage = Some(CageRig::new(cage.clone()));
    let plan = Plan::bind(&character, &rig, &Silent).unwrap();
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    let mut moved = Controls::rest(&character);
    moved.pose.joints[1].twist_radians = 2.0;
    moved.cage = swollen(&cage);
    plan.run(&moved, &mut scratch, &mut frame);
    let first = frame.all_points();
    let mut home = moved.clone();
    home.cage.clear();
    plan.run(&home, &mut scratch, &mut frame);
    assert_ne!(frame.all_points(), first);
    for parts in [moved.parts.clone(), Vec::new(), moved.parts.clone()] {
        moved.parts = parts;
        plan.run(&moved, &mut scratch, &mut frame);
        assert_eq!(frame.all_points(), first);
    }
}

#[test]
fn a_cage_that_cannot_be_bound_is_an_error_that_says_why() {
    let (character, cage) = boxed(SampleKind::Cylinder);
    let faces = cage.faces()[1..].to_vec();
    let open = Cage::new(cage.points().to_vec(), faces).unwrap();
    let rig = Rig { cage: Some(CageRig::new(open)), ..Rig::default() };
    let error = Plan::bind(&character, &rig, &Silent).unwrap_err();
    assert!(error.to_string().contains("open at edges"), "{error}");
}

#[test]
fn other_weights_and_methods_find_no_coordinates_again_and_change_no_bit() {
    let (character, cage) = boxed(SampleKind::Cylinder);
    let rig = |method| Rig { cage: Some(CageRig::new(cage.clone())), ..Rig::of(method) };
    let mut painted = Character::clone(&character);
    let own = painted.parts[0].weights.as_ref().unwrap();
    let firmer = own.rows().map(|row| vec![(row[0].joint, 1.0)]).collect::<Vec<_>>();
    let (weights, _) = SkinWeights::from_rows(firmer, painted.skeleton.len());
    painted.parts[0].weights = Some(weights);
    let painted = Arc::new(painted);
    let first = Plan::bind(&character, &rig(SkinMethod::Linear), &Silent).unwrap();
    let mut controls = Controls::rest(&character);
    controls.pose.joints[1].twist_radians = 1.0;
    controls.cage = swollen(&cage);
    for character in [&character, &painted] {
        let base = Controls::rest(character);
        for method in SkinMethod::ALL {
            let rig = rig(method);
            let kept = Plan::rebind(Some(&first), character, &rig, &base, &Silent).unwrap();
            let fresh = Plan::bind(character, &rig, &Silent).unwrap();
            let [a, b] = [&first, &kept].map(|plan| plan.cage().unwrap());
            assert!(a.shares_places(b), "{method:?}");
            assert!(!a.shares_places(fresh.cage().unwrap()));
            let [kept, fresh] = [kept, fresh].map(|plan| plan.frame_of(&controls));
            assert_eq!(kept.all_points(), fresh.all_points(), "{method:?}");
            assert_eq!(kept.posed_cage(), fresh.posed_cage(), "{method:?}");
        }
    }
    // Another cage, other coordinates or other points are found.
    let mut other_kind = rig(SkinMethod::Linear);
    other_kind.cage = Some(CageRig::of(cage.clone(), CoordinateKind::MeanValue));
    let mut other_cage = rig(SkinMethod::Linear);
    other_cage.cage = Some(CageRig::new(cage.with_points(swollen(&cage)).unwrap()));
    let (thin, _) = boxed(SampleKind::Box);
    for (character, rig) in
        [(&character, other_kind), (&character, other_cage), (&thin, rig(SkinMethod::Linear))]
    {
        let base = Controls::rest(character);
        let plan = Plan::rebind(Some(&first), character, &rig, &base, &Silent).unwrap();
        assert!(!first.cage().unwrap().shares_places(plan.cage().unwrap()));
    }
}

#[test]
fn loaded_coordinates_move_the_skin_as_those_that_they_were_loaded_from() {
    let (character, cage) = boxed(SampleKind::Cylinder);
    let points: Vec<DVec3> =
        character.parts[0].mesh.points().iter().map(|p| p.as_dvec3()).collect();
    let kind = CoordinateKind::Harmonic;
    let own = kind.bind(&cage, &points).unwrap();
    let rows = CoordinateRows::bind(&cage, &*own, &points, &Silent).unwrap();
    let num_handles = cage.points().len();
    let triplets = rows.values().iter().enumerate();
    let triplets =
        triplets.map(|(at, &phi)| ((at % num_handles) as u32, (at / num_handles) as u32, phi));
    let loaded = Loaded::from_triplets(num_handles, points.len(), triplets).unwrap();
    let mut controls = Controls::rest(&character);
    controls.cage = cage.points().to_vec();
    controls.cage[3] += 0.2;
    let frame = |rig: CageRig| {
        let rig = Rig { cage: Some(rig), ..Rig::of(SkinMethod::Linear) };
        Ok::<_, PlanError>(Plan::bind(&character, &rig, &Silent)?.frame_of(&controls).all_points())
    };
    let wanted = frame(CageRig::of(cage.clone(), kind)).unwrap();
    let found = frame(CageRig { loaded: Some(loaded), ..CageRig::new(cage.clone()) }).unwrap();
    for (found, wanted) in found.iter().zip(&wanted) {
        assert!(found.distance(*wanted) < 1e-6);
    }
    let others = frame(CageRig::new(cage.clone())).unwrap();
    assert!(others.iter().zip(&wanted).any(|(a, b)| a.distance(*b) > 1e-3), "mean value differs");
    // Those of another mesh or cage are told.
    for (handles, points, words) in
        [(num_handles, points.len() - 1, "points"), (num_handles - 1, points.len(), "handles")]
    {
        let other = Loaded::from_triplets(handles, points, []).unwrap();
        let error = frame(CageRig { loaded: Some(other), ..CageRig::new(cage.clone()) });
        let error = error.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
