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

/// Everything that the panels can show: springs, a joint, a clip, figures, history, two views.
fn with_all_panels() -> User<'static> {
    let mut user = User::of_size(TALL, StudioOptions::default());
    user.choose("Method", "Springs");
    user.click("Where points hold on");
    user.click("Figures");
    user.click("History");
    user.click("Joint upper_arm_l");
    user.click("Store pose in library");
    user.choose("Clip", "walk");
    user.click("Toolbar: Two Views");
    user
}

/// What can be worked with and was not there before: name and place. All have a name.
fn new_controls(
    user: &User<'_>,
    known: &BTreeSet<(u32, String)>,
) -> Vec<(u32, String, egui::Rect)> {
    let named = |(role, name, rect): (egui::Role, Option<String>, egui::Rect)| {
        let name = name.filter(|name| !name.is_empty());
        (role as u32, name.unwrap_or_else(|| panic!("a {role:?} at {rect:?} has no name")), rect)
    };
    let all = user.controls().into_iter().map(named);
    all.filter(|(role, name, _)| !known.contains(&(*role, name.clone()))).collect()
}

fn shows_tip_at(user: &mut User<'_>, at: egui::Pos2) -> bool {
    user.harness.hover_at(egui::pos2(2.0, TALL[1] - 5.0));
    user.harness.run_steps(2);
    user.harness.hover_at(at);
    user.harness.run_steps(3);
    user.harness.ctx.memory(|memory| {
        let mut layers = memory.areas().visible_layer_ids().into_iter();
        layers.any(|layer| layer.order == egui::Order::Tooltip)
    })
}

#[test]
fn every_control_has_a_name_of_its_own_and_a_tooltip() {
    let mut user = with_all_panels();
    user.harness.ctx.all_styles_mut(|style| {
        style.interaction.tooltip_delay = 0.0;
        style.interaction.show_tooltips_only_when_still = false;
    });
    let mut names = BTreeSet::new();
    let controls = new_controls(&user, &names);
    for (role, name, rect) in &controls {
        // A slider has a field for its number, of the same name.
        assert!(names.insert((*role, name.clone())), "two controls are called '{name}'");
        assert!(shows_tip_at(&mut user, rect.center()), "'{name}' has no tooltip");
    }
    assert!(controls.len() > 80, "only {} controls were seen", controls.len());
    // What menus and lists open.
    let combo_box = egui::Role::ComboBox as u32;
    let lists = controls.iter().filter(|(role, ..)| *role == combo_box).map(|(_, name, _)| &**name);
    let mut num_entries = 0;
    for opener in Menu::ALL.iter().map(|menu| menu.label()).chain(lists) {
        user.click(opener);
        for (_, name, rect) in new_controls(&user, &names) {
            // Under the pointer these open a menu of their own at once, in a tip's place.
            if ["Open Recent", "New from Sample"].contains(&&*name) {
                continue;
            }
            assert!(
                shows_tip_at(&mut user, rect.center()),
                "'{name}' of '{opener}' has no tooltip"
            );
            num_entries += 1;
        }
        user.press(egui::Modifiers::NONE, egui::Key::Escape);
    }
    assert!(num_entries > Command::ALL.len(), "only {num_entries} entries were seen");
}

#[test]
fn every_button_and_list_in_the_panels_can_be_used() {
    let mut user = with_all_panels();
    user.click("Toolbar: Four Views");
    let names: Vec<String> = user.controls().into_iter().filter_map(|control| control.1).collect();
    assert!(names.len() > 60, "{names:?}");
    for name in names {
        // Menus have a test of their own, and so has folding panels away.
        if Menu::ALL.iter().any(|menu| menu.label() == name) || name.starts_with("Panel: ") {
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
        "Paper's springs (for study)",
        "Springs",
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
    for size in [[1280.0, 800.0], [1920.0, 1080.0], [1000.0, 700.0], [820.0, 520.0]] {
        let user = User::of_size(size, StudioOptions::default());
        let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
        for name in
            ["Toolbar: Wipe", "Toolbar: Select Tool", "Method", "Clip", "Time ruler", "Search"]
        {
            let rect = user.control(name).rect();
            assert!(window.contains_rect(rect), "'{name}' at {rect:?} in {size:?}");
        }
        let [last, first] = ["Toolbar: Bones", "Toolbar: One View"].map(|name| user.control(name));
        assert!(!last.rect().intersects(first.rect()), "buttons lie on one another in {size:?}");
    }
}
