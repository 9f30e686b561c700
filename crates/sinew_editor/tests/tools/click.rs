//! Clicks where a gizmo lies over a bone.

use sinew::glam::Vec2;
use sinew_editor::Selection;
use sinew_editor::tool::{Event, RotateTool, SelectTool};

use crate::common::user::{PLAIN, User};

/// A pixel on another bone that a ring of the chosen joint runs over.
fn ring_over_bone(user: &mut User) -> (Vec2, u32) {
    let num_joints = user.editor.document().character().skeleton.len() as u32;
    let active = user.session.selection.active;
    for joint in (0..num_joints).filter(|&joint| Some(joint) != active) {
        let context = user.session.context(&user.editor);
        let [head, tail] = context.bone_ends(&context.palette(), joint);
        for step in 0..=40 {
            let at = user.pixel(head.lerp(tail, step as f32 / 40.0));
            user.does(Event::Moved { at, modifiers: PLAIN });
            if user.session.tool().is_hovered() {
                return (at, joint);
            }
        }
    }
    panic!("no ring runs over a bone");
}

#[test]
fn a_click_on_a_ring_over_another_bone_chooses_the_bone_and_a_drag_turns() {
    let mut user = User::with(RotateTool::default());
    user.choose("upper_arm_l");
    let before = user.editor.document().clone();
    let (at, _) = ring_over_bone(&mut user);
    user.drag(&[at, at + Vec2::new(1.0, 1.0)], PLAIN);
    let chosen = user.session.selection.clone();
    assert_ne!(chosen, Selection::of(user.joint("upper_arm_l")));
    assert_eq!(chosen.joints.len(), 1);
    assert_eq!(*user.editor.document(), before, "a click is no edit");
    assert_eq!(user.editor.history().done().len(), 0);
    user.choose("upper_arm_l");
    let (at, _) = ring_over_bone(&mut user);
    user.drag(&[at, at + Vec2::new(12.0, -9.0), at + Vec2::new(30.0, -25.0)], PLAIN);
    assert_eq!(user.session.selection, Selection::of(user.joint("upper_arm_l")));
    assert_ne!(*user.editor.document(), before);
    assert_eq!(user.editor.history().done().len(), 1);
}

#[test]
fn of_two_bones_over_each_other_a_click_takes_the_one_in_front() {
    let mut user = User::with(SelectTool::default());
    let shins = ["shin_l", "shin_r"].map(|name| user.joint(name));
    let ends = |user: &User, joint: u32| {
        let context = user.session.context(&user.editor);
        context.bone_ends(&context.palette(), joint)
    };
    let middles = shins.map(|joint| ends(&user, joint)).map(|[head, tail]| head.midpoint(tail));
    user.session.view.camera.target = middles[0].midpoint(middles[1]);
    user.session.view.camera.pitch_radians = 0.0;
    let mut taken = Vec::new();
    for yaw_radians in [0.5, -0.5].map(|share| share * std::f32::consts::PI) {
        user.session.view.camera.yaw_radians = yaw_radians;
        let eye = user.session.view.camera.eye();
        let is_left_near = middles[0].distance(eye) < middles[1].distance(eye);
        let [near, far] = if is_left_near { [0, 1] } else { [1, 0] };
        let [at_near, at_far] = [near, far].map(|side| user.pixel(middles[side]));
        // A little beside both, and nearer to the one behind.
        let at = at_far + 0.1 * (at_far - at_near) + Vec2::new(0.5, 0.0);
        user.drag(&[at, at], PLAIN);
        assert_eq!(user.session.selection, Selection::of(shins[near]));
        taken.push(near);
    }
    assert_ne!(taken[0], taken[1], "from the other side the other one");
    // Behind the body and over nothing else: taken all the same.
    user.session.view.camera.yaw_radians = std::f32::consts::PI;
    let behind = user.joint("toes_l");
    let at = user.pixel(ends(&user, behind)[1]);
    user.drag(&[at, at], PLAIN);
    assert_eq!(user.session.selection, Selection::of(behind));
}
