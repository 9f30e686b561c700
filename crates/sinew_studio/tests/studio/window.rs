//! The window: panels that fold, menus under the pointer, the start page, and all of it without a
//! mouse.

use std::collections::BTreeSet;

use eframe::egui;
use sinew_editor::PoseEdit;
use sinew_studio::{Menu, StudioOptions};

use crate::common::User;

/// What a laptop or half a screen has room for.
const SMALL: [f32; 2] = [1000.0, 700.0];

/// Of a small window, what must be left to the view.
const LEAST_VIEW: [f32; 2] = [0.45, 0.5];

fn view_of(user: &User<'_>) -> egui::Rect {
    user.studio().first_view_rect()
}

#[test]
fn a_small_window_leaves_room_for_the_character_and_shows_every_tool() {
    let user = User::of_size(SMALL, StudioOptions::default());
    let window = egui::Rect::from_min_size(egui::Pos2::ZERO, SMALL.into());
    let view = view_of(&user);
    assert!(view.width() >= LEAST_VIEW[0] * SMALL[0], "{view:?}");
    assert!(view.height() >= LEAST_VIEW[1] * SMALL[1], "{view:?}");
    for (_, name, rect) in user.controls() {
        let Some(name) = name.filter(|name| name.starts_with("Toolbar: ")) else { continue };
        assert!(window.contains_rect(rect), "'{name}' at {rect:?}");
    }
}

#[test]
fn panels_fold_away_for_the_view_and_come_back_and_that_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let mut user = User::at_home(folder.path());
    let before = view_of(&user);
    user.click("Panel: Lists");
    user.click("Panel: Settings");
    user.menu("View", "Timeline Below");
    assert!(!user.has("Search") && !user.has("Method") && !user.has("Time ruler"));
    let folded = view_of(&user);
    assert!(folded.width() > 1.3 * before.width() && folded.height() > before.height());
    drop(user);

    let mut user = User::at_home(folder.path());
    assert!(!user.has("Search") && !user.has("Method") && !user.has("Time ruler"));
    user.click("Panel: Lists");
    user.press(egui::Modifiers::NONE, egui::Key::F7);
    user.menu("View", "Timeline Below");
    assert!(user.has("Search") && user.has("Method") && user.has("Time ruler"));
}

#[test]
fn a_right_click_on_a_joint_chooses_it_and_offers_what_can_be_done_with_it() {
    let mut user = User::new();
    let at = user.control("Joint upper_arm_l").rect().center();
    user.click_with(at, egui::PointerButton::Secondary);
    let joint = user.joint("upper_arm_l");
    assert_eq!(user.studio().chosen_joints(), [joint]);
    assert!(user.has("Reset Chosen Joints") && user.has("Add Twist Joints"));
    user.click("Select Parent");
    assert_ne!(user.studio().chosen_joints(), [joint]);
}

#[test]
fn a_right_click_in_the_view_offers_the_pose_and_a_drag_of_it_orbits_as_before() {
    let mut user = User::new();
    let middle = view_of(&user).center();
    user.click_with(middle, egui::PointerButton::Secondary);
    assert!(user.has("Mirror Pose") && user.has("Frame All"));
    user.press(egui::Modifiers::NONE, egui::Key::Escape);
    assert!(!user.has("Mirror Pose"));
}

#[test]
fn undo_and_redo_say_what_they_take_back_and_bring_again() {
    let mut user = User::new();
    user.studio_mut().edit(PoseEdit::MirrorPose {});
    user.settle();
    user.click("Edit");
    let shown = user.shown_text("Undo");
    assert!(shown.starts_with("Undo: ") && shown.len() > "Undo: ".len(), "{shown}");
}

#[test]
fn the_start_page_has_recent_files_samples_and_three_things_to_try() {
    let options = || StudioOptions { shows_start: true, ..StudioOptions::default() };
    let mut user = User::with(options());
    for name in
        ["Start with human", "See springs beside linear blending", "Open your own character"]
    {
        assert!(user.has(name), "{name}");
    }
    user.click("Start with cylinder");
    assert_eq!(user.studio().document().source().name(), "cylinder");
    assert!(!user.has("Start with human"), "it closes by what was chosen");
    user.menu("Help", "Start Page");
    user.click("See springs beside linear blending");
    assert!(user.has("Method of view 2"));
    assert!(user.studio().is_playing());
}

/// Names of what has the keyboard, Tab after Tab, until it comes round.
fn tab_order(user: &mut User<'_>) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    // More than there are controls.
    for _ in 0..600 {
        user.harness.key_press(egui::Key::Tab);
        user.harness.run_steps(2);
        let Some(name) = user.focused() else { continue };
        if order.first() == Some(&name) && order.len() > 1 {
            break;
        }
        order.push(name);
    }
    order
}

#[test]
fn tab_goes_through_every_control_of_every_panel_from_the_menus_on() {
    let mut user = User::of_size([1400.0, 1900.0], StudioOptions::default());
    user.choose("Method", "Springs");
    user.click("Figures");
    user.click("History");
    user.click("Joint upper_arm_l");
    let order = tab_order(&mut user);
    let reached: BTreeSet<&str> = order.iter().map(String::as_str).collect();
    let names = user.controls().into_iter().filter_map(|(_, name, _)| name);
    let missing: Vec<String> = names.filter(|name| !reached.contains(&**name)).collect();
    // What cannot be done now takes no keyboard.
    let disabled = user.disabled();
    let missing: Vec<&String> = missing.iter().filter(|name| !disabled.contains(*name)).collect();
    assert!(missing.is_empty(), "Tab does not reach {missing:?}");
    let place = |name: &str| order.iter().position(|known| known == name);
    let panels = ["File", "Toolbar: Select Tool", "Search", "Method"].map(place);
    assert!(panels.iter().all(Option::is_some), "{panels:?}");
    let num_menus = Menu::ALL.len();
    assert!(place("Toolbar: Select Tool") >= place("File").map(|file| file + num_menus));
}

#[test]
fn everything_that_takes_the_keyboard_or_a_click_has_a_role_and_a_name() {
    let mut user = User::of_size([1400.0, 1900.0], StudioOptions::default());
    user.click("Joint upper_arm_l");
    user.menu("Play", "Key Sheet");
    let nameless = user.nameless();
    assert!(nameless.is_empty(), "{nameless:?}");
}
