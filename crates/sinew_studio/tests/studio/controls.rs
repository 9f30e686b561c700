//! Every control: it has a name and a tooltip, and using it does no harm.

use std::collections::BTreeSet;

use eframe::egui;
use sinew_studio::{Command, Menu, StudioOptions};

use crate::common::User;

/// Everything fits without scrolling.
const TALL: [f32; 2] = [1400.0, 1900.0];

#[test]
fn every_entry_of_every_menu_can_be_clicked() {
    let folder = tempfile::tempdir().unwrap();
    let mut user = User::at_home(folder.path());
    for menu in Menu::ALL {
        for command in Command::ALL.into_iter().filter(|command| command.menu() == menu) {
            // Closing is tested on its own.
            if command == Command::Quit {
                continue;
            }
            user.click(menu.label());
            assert!(user.has(command.label()), "{command:?} is in its menu");
            user.click(command.label());
            assert_eq!(user.studio().document().broken_invariant(), None, "{command:?}");
            if user.has(command.label()) {
                // Nothing to do: the entry was disabled, and its menu is still open.
                user.press(egui::Modifiers::NONE, egui::Key::Escape);
            }
        }
    }
}

#[test]
fn every_control_has_a_name_of_its_own_and_a_tooltip() {
    let mut user = User::of_size(TALL, StudioOptions::default());
    user.harness.ctx.all_styles_mut(|style| {
        style.interaction.tooltip_delay = 0.0;
        style.interaction.show_tooltips_only_when_still = false;
    });
    // As much as possible on the screen: springs, a joint, a clip, figures, two views.
    user.choose("Method", "Anchored springs");
    user.click("Where points hold on");
    user.click("Joint upper_arm_l");
    user.click("Store pose in library");
    user.choose("Clip", "walk");
    user.click("Toolbar: Two Views");
    let mut names = BTreeSet::new();
    let mut num_seen = 0;
    for (role, name, rect) in user.controls() {
        let name = name.filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| panic!("a {role:?} at {rect:?} has no name"));
        // A slider has a field for its number, of the same name.
        assert!(names.insert((role as u32, name.clone())), "two controls are called '{name}'");
        user.harness.hover_at(egui::pos2(2.0, TALL[1] - 5.0));
        user.harness.run_steps(2);
        user.harness.hover_at(rect.center());
        user.harness.run_steps(3);
        let shows_tip = user.harness.ctx.memory(|memory| {
            let mut layers = memory.areas().visible_layer_ids().into_iter();
            layers.any(|layer| layer.order == egui::Order::Tooltip)
        });
        assert!(shows_tip, "'{name}' has no tooltip");
        num_seen += 1;
    }
    assert!(num_seen > 60, "only {num_seen} controls were seen");
}

#[test]
fn every_button_and_list_in_the_panels_can_be_used() {
    let mut user = User::of_size(TALL, StudioOptions::default());
    user.choose("Method", "Anchored springs");
    user.click("Joint forearm_l");
    user.click("Store pose in library");
    user.choose("Clip", "dance");
    user.click("Toolbar: Four Views");
    let names: Vec<String> = user.controls().into_iter().filter_map(|control| control.1).collect();
    assert!(names.len() > 60, "{names:?}");
    for name in names {
        // Menus have a test of their own.
        if Menu::ALL.iter().any(|menu| menu.label() == name) {
            continue;
        }
        if !user.has(&name) {
            continue;
        }
        user.click(&name);
        user.press(egui::Modifiers::NONE, egui::Key::Escape);
        assert_eq!(user.studio().document().broken_invariant(), None, "after '{name}'");
    }
}

#[test]
fn every_method_and_model_can_be_chosen_and_every_sample_opened() {
    let mut user = User::new();
    for method in [
        "Dual quaternion",
        "Centres of rotation",
        "Bone-smooth",
        "Rigid",
        "Delta mush",
        "Paper's springs",
        "Anchored springs",
        "Linear blend",
    ] {
        user.choose("Method", method);
        assert_eq!(user.studio().last_failure(), None, "{method}");
        assert!(user.studio().shown_points().is_some_and(|points| !points[0].is_empty()));
    }
    for sample in ["cylinder", "box", "arm"] {
        user.click("File");
        user.click("New from Sample");
        user.click(sample);
        if user.has("Discard changes") {
            user.click("Discard changes");
        }
        assert_eq!(user.studio().document().source().name(), sample);
        assert_eq!(user.studio().last_failure(), None, "{sample}");
    }
}

#[test]
fn nothing_is_cut_off_in_a_small_and_in_a_large_window() {
    for size in [[1280.0, 800.0], [1920.0, 1080.0], [820.0, 520.0]] {
        let user = User::of_size(size, StudioOptions::default());
        let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
        for name in
            ["Toolbar: Wipe", "Toolbar: Select Tool", "Method", "Clip", "Time ruler", "Search"]
        {
            let rect = user.control(name).rect();
            assert!(window.contains_rect(rect), "'{name}' at {rect:?} in {size:?}");
        }
    }
}
