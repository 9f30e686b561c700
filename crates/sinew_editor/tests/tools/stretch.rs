//! Stretching bones.

use sinew::glam::Vec2;
use sinew_editor::tool::{Event, Key, StretchTool};

use crate::common::user::{CONTROL, PLAIN, User, rigs};

const UNDER_PX: f32 = 1.5;

fn users() -> Vec<(User, &'static str)> {
    let hold = |(document, joint)| {
        let mut user = User::on(document, StretchTool::default());
        user.choose(joint);
        (user, joint)
    };
    rigs().into_iter().map(hold).collect()
}

#[test]
fn the_end_of_the_bone_follows_the_pointer_and_the_joint_stays() {
    for (mut user, joint) in users() {
        let before = user.editor.document().clone();
        let start = user.place(joint);
        let [head, tail] = user.bone_pixels(joint);
        let along = (tail - head).normalize();
        let grip = tail + Vec2::new(2.0, -3.0);
        for far in [120.0, 12.0, -0.6 * head.distance(tail)] {
            let aside = 8.0 * along.perp();
            user.drag(&[grip, grip + 0.4 * far * along, grip + far * along + aside], PLAIN);
            let went = user.bone_pixels(joint)[1] - tail;
            assert!((went.dot(along) - far).abs() < UNDER_PX, "{joint} {far}: {went}");
            assert!(went.dot(along.perp()).abs() < UNDER_PX, "{joint} {far}: {went}");
            assert_eq!(user.place(joint), start);
            assert_eq!(user.steps(), ["Stretch"]);
            user.editor.undo();
            assert_eq!(*user.editor.document(), before);
        }
    }
}

#[test]
fn a_typed_factor_is_exact_and_multiplies() {
    let mut user = User::with(StretchTool::default());
    user.choose("forearm_l");
    user.session.selection.toggle(user.joint("shin_r"));
    user.types("2.5");
    user.key(Key::Enter);
    assert_eq!(user.pose("forearm_l").stretch, 2.5);
    assert_eq!(user.pose("shin_r").stretch, 2.5);
    user.types(".5");
    user.key(Key::Enter);
    assert_eq!(user.pose("shin_r").stretch, 1.25);
    assert_eq!(user.steps(), ["Stretch", "Stretch"]);
    for text in ["0", "0.0", "-2", "..", "99999999999999999999"] {
        let before = user.pose("shin_r").stretch;
        user.types(text);
        let stretch = user.pose("shin_r").stretch;
        assert!(stretch > 0.0 && stretch <= 1e3, "{text}: {stretch}");
        user.key(Key::Escape);
        assert_eq!(user.pose("shin_r").stretch, before);
    }
}

#[test]
fn a_bone_keeps_a_length_however_far_it_is_pushed() {
    for (mut user, joint) in users() {
        for _ in 0..12 {
            let [head, tail] = user.bone_pixels(joint);
            let away = (head - tail).normalize_or(Vec2::X);
            for far in [300.0, 1e5] {
                user.drag(&[tail, tail + far * away], PLAIN);
                let stretch = user.pose(joint).stretch;
                assert!(stretch > 0.0 && stretch < 1.0, "{joint}: {stretch}");
            }
        }
        while user.editor.undo() {}
        let [head, tail] = user.bone_pixels(joint);
        user.drag(&[tail, tail + 1e5 * (tail - head).normalize()], PLAIN);
        let stretch = user.pose(joint).stretch;
        assert!(stretch > 2.0 && stretch <= 20.0, "{joint}: {stretch}");
    }
}

#[test]
fn control_goes_in_steps_of_a_twentieth() {
    let mut user = User::with(StretchTool::default());
    user.choose("forearm_l");
    let [head, tail] = user.bone_pixels("forearm_l");
    let mut found = std::collections::BTreeSet::new();
    for far in 1..30 {
        let to = tail + 2.0 * far as f32 * (tail - head).normalize();
        user.drag(&[tail, to], CONTROL);
        let steps = user.pose("forearm_l").stretch * 20.0;
        assert!((steps - steps.round()).abs() < 1e-9, "{steps}");
        found.insert(steps.round() as i64);
        while user.editor.undo() {}
    }
    assert!(found.len() > 5, "{found:?}");
}

#[test]
fn escape_brings_back_the_same_bits_and_what_did_not_move_is_no_step() {
    for (mut user, joint) in users() {
        let before = user.editor.document().clone();
        let tail = user.bone_pixels(joint)[1];
        let far = tail + Vec2::new(-31.0, 55.0);
        user.press(tail, PLAIN);
        user.moves(far);
        assert_ne!(*user.editor.document(), before);
        assert!(user.key(Key::Escape));
        assert_eq!(*user.editor.document(), before);
        assert!(!user.does(Event::Released { at: far }));
        user.drag(&[tail], PLAIN);
        user.drag(&[tail, far, tail], PLAIN);
        user.drag(&[tail, far, tail], CONTROL);
        assert!(user.steps().is_empty());
        assert_eq!(*user.editor.document(), before);
    }
}

#[test]
fn grabbed_twice_as_far_from_the_joint_is_twice_as_long() {
    for (mut user, joint) in users() {
        let head = user.bone_pixels(joint)[0];
        let arm = Vec2::new(90.0, -40.0);
        assert!(user.does(Event::Grabbed { at: head + arm }));
        user.moves(head + 2.0 * arm);
        assert!((user.pose(joint).stretch - 2.0).abs() < 1e-4, "{}", user.pose(joint).stretch);
        assert!(!user.does(Event::Released { at: head }));
        assert!(!user.does(Event::Grabbed { at: head }));
        user.types("3");
        assert_eq!(user.pose(joint).stretch, 3.0);
        assert!(user.session.tool().hint().contains("3_"));
        user.press(head, PLAIN);
        assert_eq!(user.steps(), ["Stretch"]);
        user.editor.undo();
        // On the joint itself no direction is away from it: the bone's own is.
        let [head, tail] = user.bone_pixels(joint);
        user.does(Event::Grabbed { at: head });
        user.moves(head + 25.0 * (tail - head).normalize());
        assert!(user.pose(joint).stretch > 1.02, "{}", user.pose(joint).stretch);
        user.key(Key::Escape);
        assert_eq!(user.pose(joint).stretch, 1.0);
        assert!(user.steps().is_empty());
    }
    let mut user = User::with(StretchTool::default());
    assert!(!user.does(Event::Grabbed { at: Vec2::ZERO }), "nothing is chosen");
    assert!(!user.key(Key::Char('2')));
}
