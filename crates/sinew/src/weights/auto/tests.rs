//! Weights of samples stripped of theirs, beside those that they had.

use super::*;
use crate::progress::{Progress, Silent};
use crate::sample::{SampleKind, SampleOptions, build};

fn bound(kind: SampleKind, method: AutoMethod) -> (Character, AutoWeights) {
    let character = build(&SampleOptions::new(kind)).unwrap();
    let settings = AutoSettings { method, ..AutoSettings::default() };
    let weights = auto_weights(&character, &settings, &Silent).unwrap();
    (character, weights)
}

/// Half the mean difference to the weights that the sample had: 0 is the same, 1 another joint.
fn difference(character: &Character, found: &AutoWeights) -> f64 {
    let (mut sum, mut num) = (0.0, 0);
    for (part, found) in character.parts.iter().zip(&found.of_part) {
        let Some(own) = &part.weights else { continue };
        for point in 0..found.num_points() {
            let mut joints: Vec<u32> =
                own.row(point).iter().chain(found.row(point)).map(|i| i.joint).collect();
            joints.sort_unstable();
            joints.dedup();
            let of = |weights: &SkinWeights, joint: u32| -> f64 {
                let row = weights.row(point).iter().filter(|i| i.joint == joint);
                row.map(|influence| f64::from(influence.weight)).sum()
            };
            let apart = joints.iter().map(|&j| (of(own, j) - of(found, j)).abs()).sum::<f64>();
            sum += 0.5 * apart;
            num += 1;
        }
    }
    sum / f64::from(num)
}

#[test]
fn every_point_has_weights_within_the_budget() {
    for method in AutoMethod::ALL {
        // What has no clip has nothing to learn motion from.
        let first = match method {
            AutoMethod::Motion => SampleKind::Human,
            _ => SampleKind::Cylinder,
        };
        for kind in [first, SampleKind::Chibi] {
            let (character, found) = bound(kind, method);
            assert_eq!(found.of_part.len(), character.parts.len());
            for (part, weights) in character.parts.iter().zip(&found.of_part) {
                assert_eq!(weights.num_points(), part.mesh.points().len());
                assert!(weights.max_influences() <= 4, "{method:?}");
                for row in weights.rows() {
                    let sum: f32 = row.iter().map(|influence| influence.weight).sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{method:?}: {row:?}");
                }
            }
        }
    }
}

#[test]
fn the_recipe_is_nearer_to_the_artists_weights_than_distance() {
    for kind in [SampleKind::Human, SampleKind::Chibi, SampleKind::Soldier] {
        let (character, recipe) = bound(kind, AutoMethod::Auto);
        let (_, plain) = bound(kind, AutoMethod::Distance);
        let [recipe, plain] = [&recipe, &plain].map(|found| difference(&character, found));
        eprintln!("{}: {recipe:.3} (distance {plain:.3})", kind.name());
        assert!(recipe < plain, "{}: {recipe:.3} of {plain:.3}", kind.name());
    }
}

#[test]
fn what_lies_on_one_another_has_the_same_weights() {
    let (mut character, _) = bound(SampleKind::Cylinder, AutoMethod::Auto);
    let twin = character.parts[0].clone();
    character.parts.push(twin);
    let found = auto_weights(&character, &AutoSettings::default(), &Silent).unwrap();
    assert_eq!(found.of_part[0], found.of_part[1]);
}

#[test]
fn controls_tips_and_roots_are_left_out_unless_it_was_decided() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let mut joints = human.skeleton.joints().to_vec();
    let rename = |joints: &mut Vec<crate::skeleton::Joint>, from: &str, to: &str| {
        let at = human.skeleton.find(from).unwrap();
        joints[at as usize].name = to.into();
        at
    };
    let pole = rename(&mut joints, "hand_l", "knee_pole.L");
    let tip = rename(&mut joints, "toes_l", "mixamorig:LeftToe_End");
    let kept = rename(&mut joints, "spine_2", "backend");
    let roots = ["hips", "spine_1"].map(|name| rename(&mut joints, name, "Root"));
    joints[roots[0] as usize].name = "CharacterArmature".into();
    let skeleton = crate::skeleton::Skeleton::new(joints).unwrap();
    let out = left_out(&skeleton, &[]);
    let is_out = |joint: u32| out.iter().any(|left| left.joint == joint);
    assert!(is_out(pole) && is_out(tip) && !is_out(kept), "{out:?}");
    assert!(roots.into_iter().all(is_out), "{out:?}");
    let decided = left_out(&skeleton, &[(pole, true), (kept, false)]);
    let is_out = |joint: u32| decided.iter().any(|left| left.joint == joint);
    assert!(!is_out(pole) && is_out(tip) && is_out(kept), "{decided:?}");
}

#[test]
fn nothing_to_bind_is_an_error_and_binding_can_be_given_up() {
    struct Stop;
    impl Progress for Stop {
        fn report(&self, _: &str, _: f32) {}
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let mut character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
    let settings = AutoSettings::default();
    assert_eq!(auto_weights(&character, &settings, &Stop), Err(AutoError::Cancelled));
    let whole = character.clone();
    character.parts.clear();
    assert_eq!(auto_weights(&character, &settings, &Silent), Err(AutoError::NoPoints));
    character = whole;
    character.skeleton = crate::skeleton::Skeleton::default();
    assert_eq!(auto_weights(&character, &settings, &Silent), Err(AutoError::NoJoints));
}

#[test]
fn every_method_shares_points_between_bones() {
    let character = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
    for method in AutoMethod::ALL {
        let settings = AutoSettings { method, ..AutoSettings::default() };
        let found = auto_weights(&character, &settings, &Silent).unwrap();
        let weights = &found.of_part[0];
        let is_shared = |row: &&[crate::weights::Influence]| row.len() > 1;
        let num_shared = weights.rows().filter(is_shared).count();
        assert!(num_shared > weights.num_points() / 10, "{}: {num_shared}", method.name());
        assert!(weights.max_influences() <= 4);
    }
}

#[test]
fn without_a_clip_there_is_no_motion_to_learn_from() {
    let mut character = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
    character.clips.clear();
    let settings = AutoSettings { method: AutoMethod::Motion, ..AutoSettings::default() };
    assert_eq!(auto_weights(&character, &settings, &Silent), Err(AutoError::NoClip));
}

/// Root mean square of the distances of linear blending to springs, over poses that were not
/// learned from.
fn apart_from_springs(character: &Character, found: &AutoWeights) -> f64 {
    use crate::frame::{Controls, Plan, Rig};
    use crate::skin::SkinMethod;
    use crate::springs::SpringModel;
    use std::sync::Arc;
    let with = |weights: &AutoWeights| {
        let mut bound = character.clone();
        for (part, weights) in bound.parts.iter_mut().zip(&weights.of_part) {
            part.weights = Some(weights.clone());
        }
        Arc::new(bound)
    };
    let settings = AutoSettings { max_influences: 8, ..AutoSettings::default() };
    let teacher = with(&auto_weights(character, &settings, &Silent).unwrap());
    let learner = with(found);
    let springs = Plan::bind(&teacher, &Rig::of_model(SpringModel::Anchored), &Silent).unwrap();
    let linear = Plan::bind(&learner, &Rig::of(SkinMethod::Linear), &Silent).unwrap();
    let (mut sum, mut number) = (0.0, 0);
    for pose in crate::weights::refit::range_poses(&character.skeleton, 31).into_iter().skip(24) {
        let controls = Controls::posed(character, pose);
        let [(mut a, mut sa), (mut b, mut sb)] =
            [&springs, &linear].map(|plan| (plan.frame(), plan.scratch()));
        springs.run(&controls, &mut sa, &mut a);
        linear.run(&controls, &mut sb, &mut b);
        for (a, b) in a.all_points().iter().zip(b.all_points()) {
            sum += f64::from(a.distance_squared(b));
            number += 1;
        }
    }
    (sum / f64::from(number)).sqrt()
}

#[test]
fn an_arms_weights_learned_from_springs_are_nearer_to_them_in_other_poses_than_the_recipes() {
    let (character, recipe) = bound(SampleKind::Arm, AutoMethod::Auto);
    let (_, learned) = bound(SampleKind::Arm, AutoMethod::Springs);
    let [recipe, learned] = [&recipe, &learned].map(|found| apart_from_springs(&character, found));
    eprintln!("learned {learned:.5}, recipe {recipe:.5}");
    assert!(learned < recipe, "{learned} {recipe}");
}
