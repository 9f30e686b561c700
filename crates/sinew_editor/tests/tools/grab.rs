//! Turning with no button held, as Blender's R does.

use sinew::glam::{DVec3, Vec2};
use sinew_editor::Axis;
use sinew_editor::tool::{Event, Key, RotateTool};

use crate::common::user::{PLAIN, User, rigs};
use crate::{bone_axis, rigs_turning as users};

/// The picture is flat and the sight is not: off its middle angles are not quite those of the
/// model.
const SEEN_DEGREES: f32 = 3.0;

fn direction(user: &User, joint: &str) -> Vec2 {
    let [head, tail] = user.bone_pixels(joint);
    (tail - head).normalize()
}

#[test]
fn the_bone_follows_the_pointer_round_and_round() {
    for (mut user, joint) in users() {
        let before = user.editor.document().clone();
        let [head, tail] = user.bone_pixels(joint);
        assert!(user.does(Event::Grabbed { at: tail }));
        for step in 1..=80 {
            let turn = Vec2::from_angle(0.1 * step as f32);
            user.moves(head + turn.rotate(tail - head));
            let off = direction(&user, joint).angle_to(turn.rotate((tail - head).normalize()));
            assert!(off.to_degrees().abs() < SEEN_DEGREES, "{joint} {step}: {}", off.to_degrees());
        }
        assert!(user.session.tool().hint().contains("turns"), "{}", user.session.tool().hint());
        user.does(Event::Released { at: tail });
        assert!(user.editor.is_open(), "no button was held");
        user.press(Vec2::new(4.0, 4.0), PLAIN);
        assert_eq!(user.steps(), ["Rotate"]);
        assert!(!user.session.selection.is_empty(), "the click only kept it");
        user.editor.undo();
        assert_eq!(*user.editor.document(), before);
    }
}

#[test]
fn an_axis_key_turns_about_the_joints_own_axis_the_way_that_the_pointer_goes() {
    for (mut user, joint) in users() {
        let index = user.joint(joint) as usize;
        let start = user.pose(joint);
        let character = user.editor.document().character().clone();
        let of_joint = character.skeleton.joints()[index].clone();
        for (key, axis) in [('x', Axis::X), ('y', Axis::Y), ('z', Axis::Z), ('t', Axis::Twist)] {
            let [head, tail] = user.bone_pixels(joint);
            user.does(Event::Grabbed { at: tail });
            // Pixels count downwards: counter-clockwise on the screen.
            let to =
                |degrees: f32| head + Vec2::from_angle(-degrees.to_radians()).rotate(tail - head);
            user.moves(to(25.0));
            user.types(&key.to_string());
            user.moves(to(40.0));
            let ends =
                [40.0, -40.0].map(|degrees| axis.turn(start, &character, index as u32, degrees));
            let near = |pose: &sinew::skeleton::JointPose| {
                let bone_axis = of_joint.bone_axis();
                let apart =
                    pose.rotation(bone_axis).angle_between(user.pose(joint).rotation(bone_axis));
                let off = f64::from(SEEN_DEGREES.to_radians());
                apart < off && (pose.twist_radians - user.twist(joint)).abs() < off
            };
            assert!(ends.iter().any(near), "{joint} {key}");
            // A place beside the axis, on the near side, goes counter-clockwise as the pointer did.
            let context = user.session.context(&user.editor);
            let after = context.palette().model_from_joint()[index];
            user.key(Key::Escape);
            let context = user.session.context(&user.editor);
            let before = context.palette().model_from_joint()[index];
            let went = (after * before.inverse()).matrix3;
            let to_eye = user.session.view.camera.eye().as_dvec3() - before.translation;
            let curl = DVec3::new(
                went.y_axis.z - went.z_axis.y,
                went.z_axis.x - went.x_axis.z,
                went.x_axis.y - went.y_axis.x,
            );
            // Unevenly scaled frames shear: only the others turn as a whole.
            let is_even = (went.determinant() - 1.0).abs() < 1e-6
                && (went.x_axis.length() - 1.0).abs() < 1e-6;
            assert!(!is_even || curl.dot(to_eye) > -1e-9, "{joint} {key}: {curl}");
            assert_eq!(user.pose(joint), start);
        }
    }
}

#[test]
fn typed_degrees_turn_about_the_sight_or_about_an_axis() {
    for (mut user, joint) in users() {
        let before = direction(&user, joint);
        let start = user.pose(joint);
        user.does(Event::Grabbed { at: Vec2::new(10.0, 10.0) });
        user.types("30");
        let seen = direction(&user, joint).angle_to(before).to_degrees();
        assert!((seen - 30.0).abs() < SEEN_DEGREES, "{joint}: {seen}");
        assert!(!user.does(Event::Moved { at: Vec2::new(90.0, 300.0), modifiers: PLAIN }));
        user.types("x45");
        let character = user.editor.document().character();
        let expected = Axis::X.turn(start, character, user.joint(joint), 45.0);
        assert_eq!(user.pose(joint), expected);
        user.key(Key::Enter);
        assert_eq!(user.steps(), ["Rotate"]);
        user.editor.undo();
        // First the axis, then the number.
        user.does(Event::Grabbed { at: Vec2::new(10.0, 10.0) });
        user.types("x45");
        assert_eq!(user.pose(joint), expected);
        user.key(Key::Escape);
        assert_eq!(user.pose(joint), start);
    }
}

#[test]
fn escape_brings_back_the_same_bits_and_what_did_not_turn_is_no_step() {
    for (mut user, joint) in users() {
        // From a pose that a rotation and back would not give to the last bit.
        user.types("x33.3");
        user.key(Key::Enter);
        user.types("t400");
        user.key(Key::Enter);
        let before = user.editor.document().clone();
        let tail = user.bone_pixels(joint)[1];
        let far = tail + Vec2::new(-31.0, 55.0);
        user.does(Event::Grabbed { at: tail });
        assert!(!user.does(Event::Grabbed { at: far }), "it is under way");
        user.moves(far);
        assert_ne!(*user.editor.document(), before);
        assert!(!user.key(Key::Backspace), "no number yet to take from");
        assert!(user.key(Key::Escape));
        assert_eq!(*user.editor.document(), before);
        for axis in ["", "x", "y", "t"] {
            user.does(Event::Grabbed { at: tail });
            user.moves(far);
            user.types(axis);
            user.moves(tail);
            user.press(tail, PLAIN);
            assert_eq!(*user.editor.document(), before, "{joint} '{axis}'");
            assert_eq!(user.steps().len(), 2);
        }
    }
}

#[test]
fn grabbed_on_the_joint_itself_it_turns_from_where_the_pointer_leaves_it() {
    let mut user = User::with(RotateTool::default());
    assert!(!user.does(Event::Grabbed { at: Vec2::ZERO }), "nothing is chosen");
    user.choose("forearm_l");
    let head = user.bone_pixels("forearm_l")[0];
    let before = direction(&user, "forearm_l");
    user.does(Event::Grabbed { at: head });
    user.moves(head + Vec2::new(30.0, 0.0));
    assert_eq!(direction(&user, "forearm_l"), before);
    user.moves(head + Vec2::new(0.0, 30.0));
    let seen = before.angle_to(direction(&user, "forearm_l")).to_degrees();
    assert!((seen - 90.0).abs() < SEEN_DEGREES, "{seen}");
}

#[test]
fn every_chosen_joint_turns_and_the_way_of_the_pointer_does_not_matter() {
    let poses = [3, 40].map(|num_moves| {
        let mut user = User::with(RotateTool::default());
        user.choose("upper_arm_l");
        user.session.selection.toggle(user.joint("forearm_l"));
        let [head, tail] = user.bone_pixels("forearm_l");
        user.does(Event::Grabbed { at: tail });
        for step in 1..=num_moves {
            let turn = Vec2::from_angle(0.9 * (step as f32 / num_moves as f32));
            user.moves(head + turn.rotate(tail - head));
        }
        user.key(Key::Enter);
        user.editor.document().pose().clone()
    });
    assert_eq!(poses[0], poses[1]);
}

#[test]
fn rigs_are_what_the_tests_take_them_for() {
    for ((document, joint), handedness) in rigs().into_iter().zip([1.0, 1.0, 1.0, -1.0]) {
        let user = User::on(document, RotateTool::default());
        let context = user.session.context(&user.editor);
        let linear = context.palette().model_from_joint()[user.joint(joint) as usize].matrix3;
        assert_eq!(linear.determinant().signum(), handedness);
        assert!(bone_axis(&user, joint).is_normalized());
        let [head, tail] = user.bone_pixels(joint);
        assert!(head.distance(tail) > 40.0, "{joint}: {}", head.distance(tail));
    }
}
