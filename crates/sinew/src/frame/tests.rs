//! The rules of a frame, each as a fact.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::{Controls, FrameStart, Normals, Plan, Rig, RigError};
use crate::Character;
use crate::conformance::{TROUPE_CLIP, troupe, troupe_pose};
use crate::progress::{Progress, Silent};
use crate::skin::SkinMethod;
use crate::springs::{Pin, SpringModel, SpringSettings};
use crate::weights::Influence;

const BODY: usize = 0;
const FLOOR: usize = 3;

fn character() -> Arc<Character> {
    Arc::new(troupe().unwrap())
}

fn bind(character: &Arc<Character>, rig: &Rig) -> Plan {
    Plan::bind(character, rig, &Silent).unwrap()
}

fn hard(character: &Arc<Character>) -> Controls {
    Controls::posed(character, troupe_pose(character))
}

/// Every method, and every model after its own first stage.
fn rigs() -> Vec<Rig> {
    let methods = SkinMethod::ALL.map(Rig::of);
    methods.into_iter().chain(SpringModel::ALL.map(Rig::of_model)).collect()
}

fn furthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn the_rest_pose_gives_the_rest_points() {
    let character = character();
    for rig in rigs() {
        let frame = bind(&character, &rig).frame_of(&Controls::rest(&character));
        for (part, of_frame) in character.parts.iter().zip(frame.parts()) {
            let error = furthest(part.mesh.points(), of_frame.points());
            // Springs iterate in f32 around the body's middle.
            assert!(error < 2e-5, "{}: {} is {error} off", rig.label(), part.mesh.name());
            assert_eq!(of_frame.rest(), part.mesh.points());
        }
    }
}

#[test]
fn a_mesh_without_weights_stays_beside_meshes_that_have_some_and_it_is_said() {
    let character = character();
    for rig in rigs() {
        let plan = bind(&character, &rig);
        let frame = plan.frame_of(&hard(&character));
        assert_eq!(frame.parts()[FLOOR].points(), character.parts[FLOOR].mesh.points());
        assert_eq!(plan.notes().len(), 1, "{:?}", plan.notes());
        assert!(plan.notes()[0].words.contains("'Floor' has no weights"));
        assert_ne!(frame.parts()[BODY].points(), character.parts[BODY].mesh.points());
    }
}

#[test]
fn where_no_mesh_has_weights_all_follow_by_distance_and_none_fails() {
    let mut bare = troupe().unwrap();
    bare.parts.truncate(2);
    bare.parts.iter_mut().for_each(|part| part.weights = None);
    let bare = Arc::new(bare);
    for rig in rigs() {
        let plan = bind(&bare, &rig);
        let frame = plan.frame_of(&hard(&bare));
        assert_eq!(plan.notes().len(), 2, "{}: {:?}", rig.label(), plan.notes());
        assert!(plan.notes()[0].words.contains("nearest bone"), "{:?}", plan.notes());
        for (part, of_frame) in bare.parts.iter().zip(frame.parts()) {
            assert!(of_frame.points().iter().all(|p| p.is_finite()));
            assert_ne!(of_frame.points(), part.mesh.points(), "{}", rig.label());
        }
    }
}

#[test]
fn normals_are_unit_and_one_a_render_vertex_unless_they_are_off() {
    let character = character();
    for rig in rigs() {
        for normals in [Normals::Auto, Normals::Transformed, Normals::RECOMPUTED, Normals::Off] {
            let rig = rig.clone().with_normals(normals);
            let frame = bind(&character, &rig).frame_of(&hard(&character));
            for (part, of_frame) in character.parts.iter().zip(frame.parts()) {
                let expected = if normals == Normals::Off { 0 } else { part.mesh.num_vertices() };
                assert_eq!(of_frame.normals().len(), expected);
                let is_unit = |n: &Vec3| (n.length() - 1.0).abs() < 1e-4;
                assert!(of_frame.normals().iter().all(is_unit), "{} {normals:?}", rig.label());
            }
        }
    }
}

#[test]
fn points_are_the_same_bits_whatever_normals_are_wanted() {
    let character = character();
    for rig in rigs() {
        let of = |normals| {
            let rig = rig.clone().with_normals(normals);
            bind(&character, &rig).frame_of(&hard(&character)).all_points()
        };
        assert_eq!(of(Normals::Auto), of(Normals::Off), "{}", rig.label());
        assert_eq!(of(Normals::RECOMPUTED), of(Normals::Off), "{}", rig.label());
    }
}

#[test]
fn a_frame_does_not_depend_on_the_frames_before_it() {
    let character = character();
    let clip = character.clip(TROUPE_CLIP).unwrap();
    let at = |seconds: f64| {
        let weights = clip.shape_weights_at(BODY, &character.parts[BODY], seconds);
        let pose = clip.pose_at(&character.skeleton, seconds);
        Controls::posed(&character, pose).with_shapes(&[weights])
    };
    for rig in rigs() {
        let plan = bind(&character, &rig);
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        for seconds in [0.0, 0.7, 0.7, 0.3, 0.0, 1.0] {
            plan.run(&at(seconds), &mut scratch, &mut frame);
            let alone = plan.frame_of(&at(seconds));
            for (part, (found, expected)) in frame.parts().iter().zip(alone.parts()).enumerate() {
                let name = format!("{} mesh {part} at {seconds} s", rig.label());
                assert_eq!(found.points(), expected.points(), "{name}");
                assert_eq!(found.rest(), expected.rest(), "{name}");
                assert_eq!(found.normals(), expected.normals(), "{name}");
            }
        }
    }
}

#[test]
fn shapes_under_linear_skinning_are_exact_without_a_bind() {
    let character = character();
    let shaped = hard(&character).with_shapes(&[vec![1.3, -0.4]]);
    for method in [SkinMethod::Rigid, SkinMethod::Linear, SkinMethod::DualQuat] {
        let rig = Rig::of(method);
        let refitted = bind(&character, &rig);
        assert!(refitted.is_exact(&shaped));
        let bound = Plan::bind_at(&character, &rig, &shaped, &Silent).unwrap();
        let (a, b) = (refitted.frame_of(&shaped), bound.frame_of(&shaped));
        assert_eq!(a.all_points(), b.all_points(), "{}", method.name());
        assert_eq!(a.parts()[BODY].normals(), b.parts()[BODY].normals(), "{}", method.name());
        assert_ne!(a.all_rest(), bound.frame_of(&hard(&character)).all_rest());
    }
    let springs = bind(&character, &Rig::of_model(SpringModel::Anchored));
    assert!(!springs.is_exact(&shaped));
    assert!(springs.is_exact(&hard(&character)));
}

#[test]
fn moved_joints_turn_the_skin_about_their_new_place() {
    let character = character();
    let plan = bind(&character, &Rig::of(SkinMethod::Rigid));
    let mut controls = hard(&character);
    let before = plan.frame_of(&controls);
    controls.joint_offsets = vec![DVec3::new(0.3, 0.0, 0.0); character.skeleton.len()];
    let after = plan.frame_of(&controls);
    assert_ne!(before.all_points(), after.all_points());
    let still = Controls { joint_offsets: controls.joint_offsets, ..Controls::rest(&character) };
    let error = furthest(&plan.frame_of(&still).all_points(), &before.all_rest());
    assert!(error < 1e-6, "joints that have not turned move nothing: {error}");
}

#[test]
fn live_settings_need_no_bind_and_give_what_a_bind_gives() {
    let character = character();
    let controls = hard(&character).with_shapes(&[vec![0.4]]);
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let mut rig = Rig::of_model(model);
        let mut plan = bind(&character, &rig);
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        plan.run(&controls, &mut scratch, &mut frame);
        let before = frame.all_points();
        let springs = rig.springs.as_mut().unwrap();
        springs.coefficients.length = 0.2;
        springs.coefficients.edge = 3.0;
        springs.iterations = 20;
        rig.part_mut(BODY).stiffness = vec![0.5; character.parts[BODY].mesh.points().len()];
        assert_eq!(plan.adjust(&rig), Ok(true));
        plan.run(&controls, &mut scratch, &mut frame);
        let bound = bind(&character, &rig).frame_of(&controls);
        assert_eq!(frame.all_points(), bound.all_points(), "{}", model.name());
        assert_ne!(frame.all_points(), before, "{}", model.name());
        rig.springs.as_mut().unwrap().attach.smoothings = 1;
        assert_eq!(plan.adjust(&rig), Ok(false));
    }
}

#[test]
fn rebinding_keeps_the_meshes_that_did_not_change() {
    let character = character();
    let rig = Rig::of(SkinMethod::CenterOfRotation);
    let plan = bind(&character, &rig);
    let base = Controls::rest(&character).with_shapes(&[vec![1.0]]);
    let again = Plan::rebind(Some(&plan), &character, &rig, &base, &Silent).unwrap();
    assert!(!std::ptr::eq(plan.part(BODY), again.part(BODY)), "its shapes are others");
    for part in 1..character.parts.len() {
        assert!(std::ptr::eq(plan.part(part), again.part(part)), "mesh {part} is the same");
    }
}

#[test]
fn other_rows_of_weights_are_rebound_to_what_a_bind_gives_to_the_bit() {
    let before = character();
    let mut after = Character::clone(&before);
    let weights = after.parts[BODY].weights.clone().unwrap();
    let strongest = |row: &[Influence]| {
        row.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|influence| influence.joint)
    };
    let is_other = |row: &&[Influence]| {
        [7, 90].iter().all(|&point| strongest(row) != strongest(weights.row(point)))
    };
    // Of another bone: rigid skinning sees that one alone.
    let other = weights.rows().find(is_other).unwrap().to_vec();
    after.parts[BODY].weights = Some(weights.with_rows(&[(7, other.clone()), (90, other)]));
    let after = Arc::new(after);
    let base = Controls::rest(&after);
    for normals in [Normals::Auto, Normals::Off, Normals::Transformed] {
        for rig in rigs() {
            let rig = Rig { normals, ..rig };
            let plan = bind(&before, &rig);
            let again = Plan::rebind(Some(&plan), &after, &rig, &base, &Silent).unwrap();
            let fresh = bind(&after, &rig);
            assert_eq!(again.notes(), fresh.notes());
            let [quick, slow, old] =
                [&again, &fresh, &plan].map(|plan| plan.frame_of(&hard(&after)));
            for (quick, slow) in quick.parts().iter().zip(slow.parts()) {
                assert_eq!(quick.points(), slow.points(), "{}", rig.label());
                assert_eq!(quick.normals(), slow.normals(), "{}", rig.label());
            }
            // Bone-smooth and most springs hold on to bones, and play no weights.
            if rig.springs.is_none() && rig.method != SkinMethod::BoneSmooth {
                let [new, old] = [&quick, &old].map(|frame| frame.parts()[BODY].points());
                assert_ne!(new, old, "{}", rig.label());
            }
        }
    }
}

#[test]
fn springs_begin_where_the_last_frame_ended_if_they_are_told_to() {
    let character = character();
    let with_iterations = |iterations| {
        let mut rig = Rig::of_model(SpringModel::Anchored);
        rig.springs.as_mut().unwrap().iterations = iterations;
        bind(&character, &rig)
    };
    let mut controls = hard(&character);
    // The volume moves the result of every frame by itself: without it, rest is where nothing
    // pulls.
    controls.parts.iter_mut().for_each(|part| part.swell = Some(0.0));
    let at_rest = with_iterations(1_000).frame_of(&controls).all_points();
    let plan = with_iterations(5);
    let from_first_stage = furthest(&plan.frame_of(&controls).all_points(), &at_rest);
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    controls.start = FrameStart::Previous;
    for _ in 0..60 {
        plan.run(&controls, &mut scratch, &mut frame);
    }
    let from_previous = furthest(&frame.all_points(), &at_rest);
    assert!(from_previous < 0.2 * from_first_stage, "{from_previous} of {from_first_stage}");
}

#[test]
fn pins_hold_their_points_and_a_step_in_time_swings() {
    let character = character();
    let plan = bind(&character, &Rig::of_model(SpringModel::Anchored));
    let mut controls = Controls::rest(&character);
    let place = character.parts[BODY].mesh.points()[40] + Vec3::X * 0.1;
    controls.parts[BODY].pins = vec![Pin::at(40, place)];
    assert_eq!(plan.frame_of(&controls).parts()[BODY].points()[40], place);

    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    let mut moving = Controls { step_seconds: Some(1.0 / 30.0), ..Controls::rest(&character) };
    plan.run(&moving, &mut scratch, &mut frame);
    moving.pose = troupe_pose(&character);
    plan.run(&moving, &mut scratch, &mut frame);
    let still = plan.frame_of(&hard(&character));
    let lag = furthest(frame.parts()[BODY].points(), still.parts()[BODY].points());
    assert!(lag > 0.01, "skin with mass lags behind, by {lag}");
}

#[test]
fn a_part_that_does_not_relax_has_the_first_stage() {
    let character = character();
    let mut rig = Rig::of_model(SpringModel::Anchored);
    rig.part_mut(BODY).relaxes = Some(false);
    let frame = bind(&character, &rig).frame_of(&hard(&character));
    rig.springs.as_mut().unwrap().iterations = 0;
    let first = bind(&character, &rig).frame_of(&hard(&character));
    assert_eq!(frame.parts()[BODY].points(), first.parts()[BODY].points());
    assert_ne!(frame.parts()[1].points(), first.parts()[1].points());
}

#[test]
fn a_kept_buffer_is_not_written_to() {
    let character = character();
    let plan = bind(&character, &Rig::default());
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    plan.run(&hard(&character), &mut scratch, &mut frame);
    let kept = frame.parts()[BODY].shared_points();
    let copy = Vec::clone(&kept);
    plan.run(&Controls::rest(&character), &mut scratch, &mut frame);
    assert_eq!(*kept, copy);
    assert_ne!(frame.parts()[BODY].points(), &kept[..]);
}

#[test]
fn a_rig_of_another_character_is_refused_with_a_reason() {
    let character = character();
    let fault = |change: fn(&mut Rig)| {
        let mut rig = Rig::relaxed(SpringSettings::default());
        change(&mut rig);
        rig.check(&character).unwrap_err()
    };
    assert!(matches!(
        fault(|rig| rig.part_mut(9).relaxes = Some(true)),
        RigError::PartCount { expected: 4, found: 10 }
    ));
    assert!(
        fault(|rig| rig.part_mut(0).stiffness = vec![1.0; 3]).to_string().contains("'Body'"),
        "it names the mesh"
    );
    assert!(matches!(
        fault(|rig| rig.springs.as_mut().unwrap().attach.excluded_joints = vec![99]),
        RigError::NoJoint { joint: 99, .. }
    ));
    for change in [
        (|rig| rig.springs.as_mut().unwrap().coefficients.edge = -1.0) as fn(&mut Rig),
        |rig| rig.springs.as_mut().unwrap().threshold = f32::NAN,
        |rig| rig.springs.as_mut().unwrap().keep_volume = 1.5,
        |rig| rig.springs.as_mut().unwrap().attach.influence = 0.0,
        |rig| rig.normals = Normals::Recomputed { crease_degrees: Some(-1.0) },
    ] {
        assert!(matches!(fault(change), RigError::BadValue { .. }));
    }
}

#[test]
fn binding_can_be_given_up() {
    struct Never;
    impl Progress for Never {
        fn report(&self, _: &str, _: f32) {}
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let error = Plan::bind(&character(), &Rig::of_model(SpringModel::Anchored), &Never);
    assert!(error.unwrap_err().is_cancelled());
}
