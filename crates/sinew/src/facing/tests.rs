use glam::DQuat;

use super::*;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::Skeleton;

fn human() -> Character {
    build(&SampleOptions::new(SampleKind::Human)).unwrap()
}

fn degrees_off(found: Vec3, expected_degrees: f64) -> f32 {
    let (sin, cos) = (expected_degrees.to_radians() as f32).sin_cos();
    found.angle_between(Vec3::new(sin, 0.0, cos)).to_degrees()
}

/// Its joints rest turned about the upright axis; where the skin was bound stays.
fn turned(mut character: Character, degrees: f64) -> Character {
    let turn = DQuat::from_rotation_y(degrees.to_radians());
    let mut joints = character.skeleton.joints().to_vec();
    for joint in joints.iter_mut().filter(|joint| joint.parent.is_none()) {
        joint.rest.rotation = turn * joint.rest.rotation;
        joint.rest.translation = turn * joint.rest.translation;
    }
    let joint_from_model = character.skeleton.joint_from_model().to_vec();
    character.skeleton = Skeleton::with_inverse_bind(joints, joint_from_model).unwrap();
    character
}

/// Names that say nothing.
fn unnamed(mut character: Character) -> Character {
    let mut joints = character.skeleton.joints().to_vec();
    for (index, joint) in joints.iter_mut().enumerate() {
        joint.name = format!("joint{index}");
    }
    let joint_from_model = character.skeleton.joint_from_model().to_vec();
    character.skeleton = Skeleton::with_inverse_bind(joints, joint_from_model).unwrap();
    character
}

#[test]
fn a_sample_faces_the_front_however_it_is_turned() {
    for kind in [SampleKind::Human, SampleKind::Chibi] {
        let character = build(&SampleOptions::new(kind)).unwrap();
        for degrees in [0.0, 90.0, 180.0, 270.0, 37.0] {
            let found = facing(&turned(character.clone(), degrees));
            let off = degrees_off(found.forward, degrees);
            assert!(off < 2.0, "{kind:?} turned by {degrees}: {off} off, by {:?}", found.told_by);
            assert_ne!(found.told_by, ToldBy::Convention);
        }
    }
}

#[test]
fn feet_and_symmetry_tell_where_names_do_not() {
    let character = unnamed(human());
    for degrees in [0.0, 90.0, 180.0, 270.0, 37.0] {
        let found = facing(&turned(character.clone(), degrees));
        let off = degrees_off(found.forward, degrees);
        assert!(off < 2.0, "turned by {degrees}: {off} off, by {:?}", found.told_by);
        assert_eq!(found.told_by, ToldBy::Feet);
    }
}

#[test]
fn a_mesh_without_joints_has_feet_too() {
    let mut character = human();
    character.skeleton = Skeleton::default();
    for part in &mut character.parts {
        part.weights = None;
    }
    let found = facing(&character);
    assert_eq!((found.forward, found.told_by), (Vec3::Z, ToldBy::Feet));
}

#[test]
fn feet_outvote_names_that_were_mixed_up_and_the_file_outvotes_names() {
    let mut character = turned(unnamed(human()), 180.0);
    let off = degrees_off(facing(&character).forward, 180.0);
    assert!(off < 2.0);
    // Names that say the opposite of what the feet do.
    let mut joints = character.skeleton.joints().to_vec();
    for (joint, named) in joints.iter_mut().zip(human().skeleton.joints()) {
        joint.name = match crate::skeleton::Side::of_name(&named.name) {
            Some((_, other)) => other,
            None => named.name.clone(),
        };
    }
    let joint_from_model = character.skeleton.joint_from_model().to_vec();
    character.skeleton = Skeleton::with_inverse_bind(joints, joint_from_model).unwrap();
    assert!(degrees_off(facing(&character).forward, 180.0) < 2.0);
    let mut vrm = human();
    vrm.forward = Some(Vec3::NEG_Z);
    for part in &mut vrm.parts {
        part.weights = None;
    }
    vrm.skeleton = Skeleton::default();
    assert_eq!(facing(&vrm), Facing { forward: Vec3::NEG_Z, told_by: ToldBy::File });
}

#[test]
fn what_has_no_front_faces_as_the_convention_is() {
    for kind in [SampleKind::Cylinder, SampleKind::Box, SampleKind::Plus] {
        let found = facing(&build(&SampleOptions::new(kind)).unwrap());
        assert_eq!((found.forward, found.told_by), (Vec3::Z, ToldBy::Convention), "{kind:?}");
    }
    for kind in SampleKind::ALL {
        let expected = if kind == SampleKind::Snake { Vec3::X } else { Vec3::Z };
        assert_eq!(
            facing(&build(&SampleOptions::new(kind)).unwrap()).forward,
            expected,
            "{kind:?}"
        );
    }
    assert_eq!(facing(&Character::default()).told_by, ToldBy::Convention);
}

#[test]
fn helpers_move_no_skin_and_the_joints_above_skin_are_none() {
    let character = human();
    let moves = character.joints_that_move_skin();
    let mut joints = character.skeleton.joints().to_vec();
    assert!(moves[0], "the root carries the rest");
    let mut pole = joints[0].clone();
    pole.name = "pole_target".into();
    joints.push(pole);
    let helped = Character { skeleton: Skeleton::new(joints).unwrap(), ..character.clone() };
    let with_pole = helped.joints_that_move_skin();
    assert_eq!(with_pole[..moves.len()], moves[..]);
    assert!(!with_pole[moves.len()]);
    let mut bare = character;
    for part in &mut bare.parts {
        part.weights = None;
    }
    assert!(bare.joints_that_move_skin().iter().all(|&moves| moves));
}

#[test]
fn a_bone_at_the_end_is_as_long_as_the_skin_that_it_moves() {
    let character = human();
    let shares = character.bone_shares();
    for (joint, share) in shares.iter().enumerate() {
        let is_end = character.skeleton.next_joint(joint as u32).is_none();
        assert!((0.1..=1.0).contains(share) && (is_end || *share == 1.0), "{joint}: {share}");
    }
    // Tails that reach far past the skin.
    let mut joints = character.skeleton.joints().to_vec();
    for (joint, _) in joints.iter_mut().zip(&shares) {
        joint.tail_in_joint *= 4.0;
    }
    let long = Character { skeleton: Skeleton::new(joints).unwrap(), ..character.clone() };
    let toes = character.skeleton.find("toes_l").unwrap() as usize;
    assert!(long.bone_shares()[toes] < 0.5, "{}", long.bone_shares()[toes]);
}
