//! Twist joints, helpers and correctives by one click each, and the panel that shows what they do.

use eframe::egui;
use sinew::driver::{Drive, Input, Property, Share, TurnLimits, Value};
use sinew_editor::SurfaceEdit;
use sinew_studio::StudioOptions;

use crate::common::{User, shaped_file};
use crate::work::drop_file;

#[test]
fn twist_joints_and_a_helper_are_one_click_each_and_one_undo() {
    let mut user = User::of_size([1100.0, 1400.0], StudioOptions::default());
    let before = user.studio().document().character().skeleton.len();
    user.click("Drivers");
    let at = user.bone("upper_arm_l");
    user.click_at(at);
    user.click("Twist joints");
    let character = user.studio().document().character().clone();
    assert_eq!(character.skeleton.len(), before + 5);
    assert!(user.has("Driver upper_arm_l_twist_1 acts"));
    user.menu("Rig", "Add Half-Way Helper");
    let after = user.studio().document().character().clone();
    assert_eq!(after.skeleton.len(), before + 6);
    assert_eq!(after.drivers.list.len(), character.drivers.list.len() + 1);
    user.click("Remove driver upper_arm_l_half");
    let removed = user.studio().document().character().drivers.list.len();
    assert_eq!(removed, after.drivers.list.len() - 1);
    for _ in 0..3 {
        user.menu("Edit", "Undo");
    }
    assert_eq!(user.studio().document().character().skeleton.len(), before);
}

#[test]
fn a_control_is_added_and_taken_away() {
    let mut user = User::of_size([1100.0, 1400.0], StudioOptions::default());
    user.click("Drivers");
    user.control("New control name").focus();
    user.settle();
    user.control("New control name").type_text("mood");
    user.settle();
    user.click("Add control");
    let names = |user: &User<'_>| -> Vec<String> {
        let controls = &user.studio().document().character().drivers.controls;
        controls.iter().map(|control| control.name.clone()).collect()
    };
    assert_eq!(names(&user), ["mood"]);
    assert!(user.has("Control mood"));
    user.click("Remove control mood");
    assert!(names(&user).is_empty());
}

fn type_into(user: &mut User<'_>, field: &str, text: &str) {
    user.click(field);
    user.press(egui::Modifiers::COMMAND, egui::Key::A);
    user.control(field).type_text(text);
    user.press(egui::Modifiers::NONE, egui::Key::Enter);
}

#[test]
fn a_joint_follows_another_by_a_driver_that_was_put_together_in_the_panel() {
    let mut user = User::of_size([1100.0, 1600.0], StudioOptions::default());
    user.click("Drivers");
    user.click("Joint head");
    user.click("Add driver…");
    assert!(user.disabled().contains("Add driver"));
    user.choose("Followed joint", "spine_1");
    type_into(&mut user, "Swing share", "-1");
    user.click("Add driver");
    assert_eq!(user.studio().last_failure(), None);
    let driver = user.studio().document().character().drivers.list[0].clone();
    assert_eq!(driver.name, "head with spine_1");
    let (head, spine) = (user.joint("head"), user.joint("spine_1"));
    let of = vec![Share { joint: spine, swing: Some(-1.0), twist: Some(0.5) }];
    assert_eq!(driver.drive, Drive::Share { joint: head, of, limits: TurnLimits::default() });
    assert!(user.has("Driver head with spine_1 acts"));
    // Round in a circle: it says so, and nothing changes.
    user.click("Joint spine_1");
    user.choose("Followed joint", "head");
    user.click("Add driver");
    assert!(user.studio().last_failure().unwrap().contains("circle"));
    assert_eq!(user.studio().document().character().drivers.list.len(), 1);
    user.press(egui::Modifiers::COMMAND, egui::Key::Z);
    assert!(user.studio().document().character().drivers.list.is_empty());
}

#[test]
fn a_formula_reads_an_angle_and_a_control_and_drives_a_joint() {
    let mut user = User::of_size([1100.0, 1600.0], StudioOptions::default());
    user.click("Drivers");
    type_into(&mut user, "New control name", "strength");
    user.click("Add control");
    user.click("Joint spine_1");
    user.click("Add driver…");
    user.choose("Kind of driver", "Joint by formula");
    user.choose("Driven joint", "hips");
    user.choose("Driven number", "twist");
    type_into(&mut user, "New formula", "angle * strength");
    user.click("Add driver");
    assert_eq!(user.studio().last_failure(), None);
    let driver = user.studio().document().character().drivers.list[0].clone();
    let angle = Input::Joint { joint: user.joint("spine_1"), property: Property::Swing };
    let value = Value::Joint { joint: user.joint("hips"), property: Property::Twist };
    let formula = "angle * strength".to_owned();
    let inputs = [("angle".to_owned(), angle)].into();
    assert_eq!(driver.drive, Drive::Formula { value, formula, inputs });
}

#[test]
fn what_is_pulled_on_the_skin_becomes_an_in_between_and_a_combination() {
    let folder = tempfile::tempdir().unwrap();
    let mut user = User::of_size([1100.0, 1700.0], StudioOptions::default());
    drop_file(&mut user, &shaped_file(folder.path()));
    let mesh = user.studio().document().character().parts[0].mesh.name().to_owned();
    let pull = |user: &mut User<'_>, name: &str| {
        let (mesh, surface) = (mesh.as_str().into(), name.to_owned());
        let moved = vec![(3, 0.0, 0.25, 0.0)];
        user.studio_mut().edit(SurfaceEdit::MoveSurface { mesh, surface, moved });
        user.settle();
    };
    user.click("Drivers");
    user.click("Add shape…");
    pull(&mut user, "bulge");
    user.choose("Kind of shape", "In-between");
    user.choose("In-between of", "puff");
    type_into(&mut user, "In-between at", "0.5");
    user.click("Add shape");
    assert_eq!(user.studio().last_failure(), None);
    let character = user.studio().document().character().clone();
    let shape = character.parts[0].shapes.last().unwrap();
    assert_eq!(shape.name, "bulge");
    assert!(user.studio().document().surface().entries().is_empty());
    // What is missing at .5 is what was pulled, and nothing else.
    for (point, delta) in shape.deltas.iter().enumerate() {
        let wanted = if point == 3 { 0.25 } else { 0.0 };
        assert!((delta.y - wanted).abs() < 1e-6 && delta.x.abs() < 1e-6, "{point}: {delta}");
    }
    pull(&mut user, "both");
    user.choose("Kind of shape", "Combination");
    assert!(user.disabled().contains("Add shape"));
    user.click("Combine puff");
    user.click("Combine dent");
    user.click("Combine by smallest");
    user.click("Add shape");
    let character = user.studio().document().character().clone();
    assert_eq!(character.parts[0].shapes.last().unwrap().name, "both");
    assert_eq!(character.drivers.list.len(), 2);
    for _ in 0..4 {
        user.press(egui::Modifiers::COMMAND, egui::Key::Z);
    }
    assert_eq!(user.studio().document().character().parts[0].shapes.len(), 2);
}
