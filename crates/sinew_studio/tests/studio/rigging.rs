//! Twist joints, helpers and correctives by one click each, and the panel that shows what they do.

use sinew_studio::StudioOptions;

use crate::common::User;

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
