//! The cage in the window: made, checked, held and moved.

use eframe::egui::{self, Key, Modifiers};
use sinew_studio::Command;

use crate::common::User;

#[test]
fn a_cage_is_made_elsewhere_its_handles_are_dragged_and_undo_takes_each_step_back() {
    let mut user = User::new();
    user.press(Modifiers::NONE, Key::C);
    user.click("Cage: Make a Cage");
    let made = user.studio().document().clone();
    let cage = made.rig().cage.as_ref().expect("a cage").cage.clone();
    assert!(cage.check().is_clean());
    let view = user.studio().first_view_rect();
    let place = |user: &User<'_>, handle: u32| {
        let at = user.studio().cage_handle(handle).expect("on the screen");
        user.studio().place_in_window(&user.harness.ctx, at)
    };
    // One that is in sight, and not in the plane between both sides, which it would not leave.
    let beside = |&handle: &u32| cage.points()[handle as usize].x.abs() > 0.05;
    let handle = (0..cage.points().len() as u32).filter(beside).find(|&handle| {
        let Some(at) = place(&user, handle).filter(|at| view.shrink(60.0).contains(*at)) else {
            return false;
        };
        user.harness.hover_at(at);
        user.settle();
        user.studio().hovered_name() == Some(format!("handle {handle} of the cage"))
    });
    let handle = handle.expect("a handle in sight");
    let from = place(&user, handle).expect("in the window");
    user.drag(from, from + egui::vec2(30.0, 12.0));
    assert_eq!(user.studio().chosen_handles(), [handle]);
    let to = place(&user, handle).expect("in the window");
    assert!(to.distance(from + egui::vec2(30.0, 12.0)) < 1.0, "{to:?}");
    assert_ne!(*user.studio().document(), made);
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(*user.studio().document(), made, "a drag is one step");
    user.press(Modifiers::SHIFT, Key::Period);
    assert!(user.studio().chosen_handles().len() > 2);
    user.click("Cage: Check");
    user.press(Modifiers::COMMAND, Key::Z);
    assert!(user.studio().document().rig().cage.is_none());
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn keys_of_joints_mean_handles_while_the_cage_is_in_hand_and_at_rest_shows_the_rest() {
    let mut user = User::new();
    let make = r#"{"edit": "generate-cage", "faces": 80, "offset": 0.06}"#;
    let bend = r#"{"edit": "rotate-joint", "joint": "upper_arm_l", "axis": "z", "degrees": 50}"#;
    for edit in [make, bend] {
        let edit: sinew_editor::Edit = serde_json::from_str(edit).expect("an edit");
        user.studio_mut().edit(edit);
        user.settle();
    }
    let posed = user.studio().cage_handle(0).expect("shown");
    user.press(Modifiers::NONE, Key::C);
    user.press(Modifiers::COMMAND, Key::A);
    let all = user.studio().chosen_handles().len();
    assert_eq!(all, user.studio().document().rig().cage.as_ref().expect("one").cage.points().len());
    let pose = user.studio().document().pose().clone();
    user.press(Modifiers::NONE, Key::R);
    for key in [Key::X, Key::Num2, Key::Enter] {
        user.press(Modifiers::NONE, key);
    }
    assert_eq!(*user.studio().document().pose(), pose, "no joint was stretched");
    assert!(!user.studio().document().rest_cage().is_empty());
    user.press(Modifiers::COMMAND, Key::Z);
    assert!(user.studio().document().rest_cage().is_empty());
    user.studio_mut().queue(Command::CageAtRest);
    user.settle();
    let bound = user.studio().document().rig().cage.as_ref().expect("one").cage.points()[0];
    let shown = user.studio().cage_handle(0).expect("shown");
    assert!(shown.distance(bound.as_vec3()) < 1e-5, "{shown} {posed}");
    // Again lays it down.
    user.press(Modifiers::NONE, Key::C);
    assert!(user.studio().hint().contains("ring"));
    assert_eq!(user.studio().last_failure(), None);
}
