//! Weights in the window: bound elsewhere, in layers, in numbers, in several poses at once.

use eframe::egui;
use sinew_studio::StudioOptions;

use crate::common::User;

fn user() -> User<'static> {
    let mut user = User::of_size([1300.0, 1500.0], StudioOptions::default());
    user.menu("Edit", "Paint Weights Tool");
    user
}

fn edit(user: &mut User<'_>, text: &str) {
    let edit: sinew_editor::Edit = serde_json::from_str(text).expect("an edit");
    user.studio_mut().edit(edit);
    user.settle();
}

#[test]
fn binding_goes_on_elsewhere_enters_as_one_step_and_can_be_cancelled() {
    let mut user = user();
    let before = user.studio().document().clone();
    user.click("Weights: Bind");
    assert!(!user.studio().has_job(), "settled");
    let bound = user.studio().document().clone();
    assert_ne!(bound, before);
    user.menu("Edit", "Undo");
    assert_eq!(*user.studio().document(), before);
    // Told to stop before it is looked at again.
    user.studio_mut().queue(sinew_studio::Command::BindWeights);
    user.harness.step();
    assert!(user.studio().has_job());
    user.harness.step();
    if user.has("Cancel work") {
        user.click("Cancel work");
        assert_eq!(*user.studio().document(), before);
    }
}

#[test]
fn a_layer_is_added_heard_and_chosen_and_a_table_changes_its_weights() {
    let mut user = user();
    let start = user.studio().document().clone();
    user.click("Add weight layer");
    let layers = user.studio().document().weight_layers().clone();
    assert_eq!(layers.layers.len(), 1);
    let head = user.bone("head");
    user.click_at(head);
    edit(
        &mut user,
        r##"{"edit": "flood-weights", "mesh": "#0", "points": [1, 2], "joint": "hips",
            "keep": {"layer": "Layer 1"}}"##,
    );
    let flooded = user.studio().document().character().clone();
    assert_ne!(flooded, *start.character());
    user.click("Hear layer Layer 1");
    assert_eq!(user.studio().document().character().parts, start.character().parts);
    user.click("Hear layer Layer 1");
    assert_eq!(user.studio().document().character().parts, flooded.parts);
    user.click("Weight layer Base");
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn the_strip_shows_stored_poses_follows_weights_and_pins_them() {
    let mut user = user();
    edit(
        &mut user,
        r#"{"edit": "rotate-joint", "joint": "upper_arm_l", "axis": "z", "degrees": 40}"#,
    );
    edit(&mut user, r#"{"edit": "store-pose", "name": "up"}"#);
    edit(&mut user, r#"{"edit": "reset-pose"}"#);
    user.menu("View", "Pose Strip");
    let shown = user.studio().num_strip_pictures();
    assert!(shown > 0);
    user.click("Pin pose up");
    assert!(user.has("Worth of pose up"));
    edit(
        &mut user,
        r##"{"edit": "flood-weights", "mesh": "#0", "points": [1, 2, 3], "joint": "hips"}"##,
    );
    assert!(user.studio().num_strip_pictures() > shown, "new weights are seen in every pose");
    user.click("Strip: take pose up");
    assert_ne!(
        **user.studio().document().pose(),
        sinew::skeleton::Pose::rest(&user.studio().document().character().skeleton)
    );
    let motions = user.studio().document().motions().len();
    user.click("Strip: Range of Motion");
    assert_eq!(user.studio().document().motions().len(), motions + 1);
    user.menu("View", "Colour: Influences");
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn masks_and_stiffness_are_painted_with_the_same_brush() {
    let mut user = user();
    user.click("Paint target: stiffness");
    let on_body = user.bone("chest");
    // Until it is known what is under the pointer, nothing is painted.
    user.harness.hover_at(on_body);
    user.settle();
    user.drag(on_body, on_body + egui::vec2(12.0, 4.0));
    let rig = user.studio().document().rig().clone();
    let painted = rig.parts.iter().flat_map(|part| &part.stiffness);
    assert!(painted.clone().any(|value| *value > 1.0), "{}", painted.count());
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn faults_are_listed_and_mended_one_by_one() {
    let mut user = user();
    let start = user.studio().document().clone();
    // Of a hand that a foot has a share of, nothing else is wrong with it.
    edit(
        &mut user,
        r##"{"edit": "flood-weights", "mesh": "#0", "points": [40], "joint": "foot_l",
            "brush": "replace", "value": 0.4}"##,
    );
    assert_ne!(*user.studio().document(), start);
    user.click("Weights: Look for faults");
    let mend = ["Mend far-weights", "Mend stray-points"].into_iter().find(|name| user.has(name));
    let broken = user.studio().document().clone();
    user.click(mend.expect("something is wrong"));
    assert_ne!(*user.studio().document(), broken);
    user.menu("Edit", "Undo");
    assert_eq!(*user.studio().document(), broken);
}
