//! Joints and points: what a click would take, what is chosen, and by which keys.

use eframe::egui::{self, Key, Modifiers};
use sinew_studio::Command;

use crate::common::User;

#[test]
fn the_pointer_says_what_a_click_would_take() {
    let mut user = User::new();
    let at = user.bone("upper_arm_l");
    user.harness.hover_at(at);
    user.settle();
    assert_eq!(user.studio().hovered_name().as_deref(), Some("upper_arm_l"));
    user.click_at(at);
    assert_eq!(user.studio().chosen_joints(), [user.joint("upper_arm_l")]);
    let corner = user.studio().first_view_rect().min + egui::vec2(20.0, 20.0);
    user.harness.hover_at(corner);
    user.settle();
    assert_eq!(user.studio().hovered_name(), None);
}

#[test]
fn a_look_around_leaves_what_is_chosen_and_a_click_beside_chooses_nothing() {
    let mut user = User::new();
    user.click("Joint upper_arm_l");
    let head = user.bone("head");
    let corner = user.studio().first_view_rect().min + egui::vec2(30.0, 30.0);
    user.drag(corner, corner + egui::vec2(120.0, 20.0));
    assert_ne!(user.bone("head"), head);
    assert_eq!(user.studio().chosen_joints(), [user.joint("upper_arm_l")]);
    user.click_at(corner);
    assert!(user.studio().chosen_joints().is_empty());
}

#[test]
fn points_are_chosen_by_a_box_in_sight_or_through_and_grow() {
    let mut user = User::new();
    user.menu("Edit", "Select: Points");
    let view = user.studio().first_view_rect();
    let (from, to) = (view.min + egui::vec2(5.0, 5.0), view.max - egui::vec2(5.0, 5.0));
    user.drag(from, to);
    let in_sight = user.studio().num_chosen_points();
    let all = user.studio().document().character().num_points();
    assert!(in_sight > 0 && in_sight < all, "{in_sight} of {all}");
    user.menu("Edit", "Select Through");
    user.drag(from, to);
    assert!(user.studio().num_chosen_points() > in_sight);
    user.press(Modifiers::COMMAND, Key::Z);
    user.menu("Edit", "Select None");
    user.menu("Edit", "Select Through");
    let at = user.bone("spine");
    user.click_at(at);
    assert_eq!(user.studio().num_chosen_points(), 1);
    user.menu("Edit", "Grow Points");
    let grown = user.studio().num_chosen_points();
    assert!(grown > 3);
    // The same by keys, in both habits.
    for keys in [Command::KeysIndustry, Command::KeysBlender] {
        user.studio_mut().queue(keys);
        user.settle();
        user.press(Modifiers::SHIFT, Key::Period);
        assert!(user.studio().num_chosen_points() > grown);
        user.press(Modifiers::SHIFT, Key::Comma);
        assert_eq!(user.studio().num_chosen_points(), grown);
    }
    user.press(Modifiers::COMMAND, Key::L);
    assert!(user.studio().num_chosen_points() > 10 * grown);
}

#[test]
fn keys_choose_box_or_lasso_and_joints_or_points() {
    let mut user = User::new();
    user.press(Modifiers::NONE, Key::F9);
    let view = user.studio().first_view_rect();
    // A way around three sides of the body: a box around it holds all, a lasso only what is inside.
    let corner = |x: f32, y: f32| view.min + egui::vec2(x * view.width(), y * view.height());
    let way = [corner(0.05, 0.05), corner(0.95, 0.05), corner(0.95, 0.95)];
    let num_taken = [Key::L, Key::B].map(|key| {
        user.press(Modifiers::NONE, key);
        user.drag_along(&way);
        user.studio().num_chosen_points()
    });
    assert!(num_taken[0] > 0 && num_taken[0] < num_taken[1], "{num_taken:?}");
    user.press(Modifiers::NONE, Key::F8);
    let at = user.bone("head");
    user.click_at(at);
    assert_eq!(user.studio().chosen_joints(), [user.joint("head")]);
}
