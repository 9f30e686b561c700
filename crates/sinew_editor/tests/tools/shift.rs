//! Moving joints.

use sinew::glam::{DVec3, Vec2};
use sinew_editor::tool::{Event, Key, MoveTool};
use sinew_editor::{PoseEdit, Selection};

use crate::common::user::{CONTROL, PLAIN, User, rigs};

/// The camera is f32: a hair more than a pixel is under the pointer.
const UNDER_PX: f32 = 1.5;
/// Places are f64, through frames of f32 files.
const EXACT: f64 = 1e-9;

/// Both ends of the arrow along an axis on the screen: 0 is X.
fn arrow(user: &User, axis: usize) -> [Vec2; 2] {
    let first = user.session.selection.joints.len();
    user.marks().lines[first + axis].ends.map(|end| user.pixel(end))
}

/// Rigs as they rest, and under a stretched, turned parent.
fn users() -> Vec<(User, &'static str)> {
    let mut users = Vec::new();
    for (document, joint) in rigs() {
        for is_posed in [false, true] {
            let mut document = document.clone();
            if is_posed {
                let joints = document.character().skeleton.joints();
                let index = joints.iter().position(|j| j.name == joint).unwrap();
                let parent = document.joint_ref(joints[index].parent.unwrap());
                let axis = sinew_editor::Axis::Z;
                let joint = parent.clone();
                let turned = PoseEdit::RotateJoint { joint, axis, degrees: 40.0 }.into();
                document.apply(&turned).unwrap();
                let stretched = PoseEdit::StretchJoint { joint: parent, factor: 1.6 };
                document.apply(&stretched.into()).unwrap();
            }
            let mut user = User::on(document, MoveTool::default());
            user.choose(joint);
            users.push((user, joint));
        }
    }
    users
}

#[test]
fn an_arrow_moves_the_joint_along_its_axis_only_and_under_the_pointer() {
    for (mut user, joint) in users() {
        let before = user.editor.document().clone();
        let mut num_seen = 0;
        for (axis, unit) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
            let [middle, tip] = arrow(&user, axis);
            if middle.distance(tip) < 30.0 {
                continue;
            }
            num_seen += 1;
            let along = (tip - middle).normalize();
            let start = user.place(joint);
            let grip = middle.lerp(tip, 0.8);
            let way = [25.0, 60.0, 90.0, 150.0].map(|far| grip + far * along + 9.0 * along.perp());
            user.drag(&[&[grip][..], &way].concat(), PLAIN);
            let moved = user.place(joint) - start;
            assert!(moved.reject_from(unit).length() < EXACT, "{joint} {axis}: {moved}");
            let went = user.pixel(user.place(joint).as_vec3()) - middle;
            assert!((went.dot(along) - 150.0).abs() < UNDER_PX, "{joint} {axis}: {went}");
            assert!(went.dot(along.perp()).abs() < UNDER_PX, "{joint} {axis}: {went}");
            assert_eq!(user.steps(), ["Move"]);
            user.editor.undo();
            assert_eq!(*user.editor.document(), before);
        }
        assert!(num_seen >= 2, "{joint}");
    }
}

#[test]
fn the_middle_moves_the_joint_across_the_view_and_it_stays_under_the_pointer() {
    for (mut user, joint) in users() {
        let start = user.pixel(user.place(joint).as_vec3());
        let depth = |user: &User| {
            let view_from_model = user.session.view.camera.view_from_model();
            view_from_model.transform_point3(user.place(joint).as_vec3()).z
        };
        let start_depth = depth(&user);
        let off = Vec2::new(3.0, -2.0);
        let way = [Vec2::ZERO, Vec2::new(40.0, 30.0), Vec2::new(-160.0, 110.0)];
        user.drag(&way.map(|moved| start + off + moved), PLAIN);
        let end = user.pixel(user.place(joint).as_vec3());
        assert!(end.distance(start + way[2]) < UNDER_PX, "{joint}: {end}");
        assert!((depth(&user) / start_depth - 1.0).abs() < 1e-4, "{joint}");
        assert_eq!(user.steps(), ["Move"]);
    }
}

#[test]
fn typed_metres_are_exact() {
    for (mut user, joint) in users() {
        for (text, expected) in [
            ("x0.25", DVec3::X * 0.25),
            ("y-1.5", DVec3::Y * -1.5),
            ("z.5", DVec3::Z * 0.5),
            // Another axis in the middle of it keeps the number.
            ("x2y", DVec3::Y * 2.0),
            ("x--1", DVec3::ZERO),
        ] {
            let start = user.place(joint);
            user.types(text);
            let moved = user.place(joint) - start;
            assert!(moved.distance(expected) < EXACT, "{joint} {text}: {moved}");
            user.key(Key::Enter);
            assert!(!user.editor.is_open());
            user.editor.undo();
        }
        user.types("x12");
        let start = user.place(joint).x - 12.0;
        user.key(Key::Backspace);
        assert!((user.place(joint).x - start - 1.0).abs() < EXACT);
        user.press(Vec2::new(5.0, 5.0), PLAIN);
        assert_eq!(user.steps().last().unwrap(), "Move", "a click keeps it");
        assert!(!user.session.selection.is_empty(), "and chooses nothing");
    }
}

#[test]
fn a_chosen_joint_under_another_goes_with_it_and_not_twice() {
    let mut user = User::with(MoveTool::default());
    let chosen = ["upper_arm_l", "hand_l", "shin_r"];
    user.choose(chosen[0]);
    chosen[1..].iter().for_each(|name| user.session.selection.toggle(user.joint(name)));
    let start = chosen.map(|name| user.place(name));
    user.types("y0.3");
    user.key(Key::Enter);
    for (name, start) in chosen.iter().zip(start) {
        let moved = user.place(name) - start;
        assert!(moved.distance(DVec3::Y * 0.3) < EXACT, "{name}: {moved}");
    }
    assert_eq!(user.pose("hand_l"), sinew::skeleton::JointPose::REST);
}

#[test]
fn control_goes_in_round_steps() {
    let mut user = User::with(MoveTool::default());
    user.choose("forearm_l");
    let height = f64::from(user.editor.document().character().bounds().size().y);
    let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
    let step = steps.into_iter().find(|step| *step >= height / 100.0).unwrap();
    let start = user.place("forearm_l");
    let grip = user.pixel(start.as_vec3());
    let mut lengths = std::collections::BTreeSet::new();
    for far in 1..40 {
        user.drag(&[grip, grip + 3.0 * far as f32 * Vec2::new(1.0, 0.4)], CONTROL);
        let steps = (user.place("forearm_l") - start) / step;
        assert!(steps.distance(steps.round()) < 1e-6, "{steps}");
        lengths.insert(steps.round().x as i64);
        while user.editor.undo() {}
    }
    assert!(lengths.len() > 5, "{lengths:?}");
}

#[test]
fn escape_brings_back_the_same_bits_and_what_did_not_move_is_no_step() {
    for (mut user, joint) in users() {
        let before = user.editor.document().clone();
        let grip = user.pixel(user.place(joint).as_vec3());
        let far = grip + Vec2::new(33.0, 71.0);
        user.press(grip, PLAIN);
        user.moves(far);
        assert_ne!(*user.editor.document(), before);
        assert!(user.key(Key::Escape));
        assert_eq!(*user.editor.document(), before);
        assert!(!user.does(Event::Released { at: far }), "the drag is over");
        user.drag(&[grip], PLAIN);
        user.drag(&[grip, far, grip], PLAIN);
        assert!(user.steps().is_empty());
        assert_eq!(*user.editor.document(), before);
        assert!(!user.editor.is_modified());
    }
}

#[test]
fn grabbed_it_follows_the_pointer_until_a_click_and_an_axis_holds_it() {
    for (mut user, joint) in users() {
        let before = user.editor.document().clone();
        let start = user.place(joint);
        let from = Vec2::new(200.0, 150.0);
        let moved = Vec2::new(70.0, -40.0);
        assert!(user.does(Event::Grabbed { at: from }));
        user.moves(from + moved);
        let seen = user.pixel(user.place(joint).as_vec3()) - user.pixel(start.as_vec3());
        assert!(seen.distance(moved) < UNDER_PX, "{joint}: {seen}");
        assert!(!user.does(Event::Released { at: from }), "no button was held");
        assert!(!user.does(Event::Grabbed { at: from }), "it is under way");
        user.types("y");
        let held = user.place(joint) - start;
        assert!(held.reject_from(DVec3::Y).length() < EXACT && held.y > 0.0, "{joint}: {held}");
        assert!(!user.key(Key::Backspace), "no number yet to take from");
        user.press(from, PLAIN);
        assert_eq!(user.steps(), ["Move"]);
        user.editor.undo();
        assert_eq!(*user.editor.document(), before);
    }
    let mut user = User::with(MoveTool::default());
    assert!(!user.does(Event::Grabbed { at: Vec2::ZERO }), "nothing is chosen");
    assert!(!user.key(Key::Char('x')));
    user.session.selection = Selection::default();
    assert!(!user.editor.is_open());
}

#[test]
fn a_key_that_is_no_part_of_a_number_leaves_the_pointer_in_charge() {
    let mut user = User::with(MoveTool::default());
    user.choose("hand_l");
    let at = user.pixel(user.place("hand_l").as_vec3());
    user.does(Event::Grabbed { at });
    for key in [Key::Char('t'), Key::Backspace] {
        assert!(!user.does(Event::Key(key)), "{key:?}");
    }
    let before = user.place("hand_l");
    user.does(Event::Moved { at: at + Vec2::new(40.0, 0.0), modifiers: PLAIN });
    assert!(user.place("hand_l").distance(before) > 1e-3, "the hand follows");
}
