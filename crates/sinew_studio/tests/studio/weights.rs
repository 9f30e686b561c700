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

/// Weights of the shown character, of all meshes.
fn rows(user: &User<'_>) -> Vec<Option<sinew::weights::SkinWeights>> {
    let parts = &user.studio().document().character().parts;
    parts.iter().map(|part| part.weights.clone()).collect()
}

/// To within what the sums of a file's own layers are rounded by.
fn is_near(
    a: &[Option<sinew::weights::SkinWeights>],
    b: &[Option<sinew::weights::SkinWeights>],
) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (Some(a), Some(b)) => {
            a.num_points() == b.num_points()
                && (0..a.num_points()).all(|p| {
                    let one = a.select_rows(&[p as u32]);
                    let other = b.row(p);
                    let of = |joint: u32| {
                        one.row(0).iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
                    };
                    other.iter().all(|i| (of(i.joint) - i.weight).abs() < 1e-4)
                })
        }
        (None, None) => true,
        _ => false,
    })
}

const FLOOD: &str = r##"{"edit": "flood-weights", "mesh": "#0", "joint": "head",
    "brush": "replace"}"##;

#[test]
fn weights_are_exported_imported_and_taken_from_another_character() {
    let folder = tempfile::tempdir().unwrap();
    let mut user = user();
    let start = rows(&user);
    for name in ["all.json", "all.tsv", "all.ngskin.json"] {
        let path = folder.path().join(name);
        user.studio_mut().answer_next_dialog(&path);
        user.menu("Weights", "Export Weights…");
        assert!(path.exists(), "{name}: {:?}", user.studio().last_failure());
        edit(&mut user, FLOOD);
        assert!(!is_near(&rows(&user), &start));
        user.studio_mut().answer_next_dialog(&path);
        user.menu("Weights", "Import Weights…");
        assert!(is_near(&rows(&user), &start), "{name}: {:?}", user.studio().last_failure());
        user.menu("Edit", "Undo");
        assert!(!is_near(&rows(&user), &start), "one step");
        user.menu("Edit", "Undo");
        assert!(rows(&user) == start, "{name}");
    }
    // A character of its own: the same body with another number of points.
    let options = sinew::sample::SampleOptions {
        points: Some(3_000),
        ..sinew::sample::SampleOptions::new(sinew::sample::SampleKind::Chibi)
    };
    let other = sinew::sample::build(&options).unwrap();
    let path = folder.path().join("other.glb");
    let bytes = sinew_io::character_to_glb(&other, &sinew_io::WriteOptions::default()).unwrap();
    sinew_io::write_atomically(&path, |file| std::io::Write::write_all(file, &bytes)).unwrap();
    edit(&mut user, FLOOD);
    let flooded = rows(&user);
    user.studio_mut().answer_next_dialog(&path);
    user.menu("Weights", "Transfer Weights from a File…");
    assert_eq!(user.studio().last_failure(), None);
    let taken = rows(&user)[0].clone().unwrap();
    assert!(taken.num_joints_used() > 5 && rows(&user) != flooded);
    user.menu("Edit", "Undo");
    assert!(rows(&user) == flooded);
    // What is no weights says so and changes nothing.
    let broken = folder.path().join("broken.json");
    sinew_io::write_atomically(&broken, |file| std::io::Write::write_all(file, b"{}")).unwrap();
    user.studio_mut().answer_next_dialog(&broken);
    user.menu("Weights", "Import Weights…");
    assert!(user.studio().last_failure().is_some_and(|words| words.contains("broken.json")));
    assert!(rows(&user) == flooded);
}

#[test]
fn brushes_are_commands_with_keys_and_brackets_change_their_size() {
    let mut user = user();
    let command = egui::Modifiers::COMMAND;
    user.press(command, egui::Key::Num6);
    assert_eq!(user.studio().weight_tools().brush, sinew::weights::paint::Brush::Relax);
    user.press(command, egui::Key::Num2);
    assert_eq!(user.studio().weight_tools().brush, sinew::weights::paint::Brush::Subtract);
    let before = user.studio().weight_tools().radius;
    user.press(egui::Modifiers::NONE, egui::Key::CloseBracket);
    user.press(egui::Modifiers::NONE, egui::Key::CloseBracket);
    let larger = user.studio().weight_tools().radius;
    assert!(larger > 1.5 * before, "{larger}");
    user.press(egui::Modifiers::NONE, egui::Key::OpenBracket);
    assert!(user.studio().weight_tools().radius < larger);
    // Without a brush they are the joints' again.
    user.menu("Edit", "Rotate Tool");
    user.press(egui::Modifiers::NONE, egui::Key::CloseBracket);
    assert!((user.studio().weight_tools().radius - larger / 1.25).abs() < 1e-9);
    user.menu("Weights", "Brush: Smooth");
    assert_eq!(user.studio().weight_tools().brush, sinew::weights::paint::Brush::Smooth);
    assert!(user.has("Brush radius"), "the brush is in hand");
}

#[test]
fn joints_that_are_left_out_are_listed_with_ticks_that_decide_otherwise() {
    let mut user = user();
    user.click("Joints that get weights");
    assert!(user.has("Weights for head"));
    user.click("Weights for head");
    user.click("Weights: Bind");
    let head = user.joint("head");
    let has_head = |user: &User<'_>| {
        rows(user).iter().flatten().any(|w| w.rows().flatten().any(|i| i.joint == head))
    };
    assert!(!has_head(&user), "decided");
    user.click("Joints that get weights: by their names");
    user.click("Weights: Bind");
    assert!(has_head(&user));
}

#[test]
fn clean_up_is_about_the_chosen_points_of_all_meshes_and_layers_get_names() {
    let mut user = user();
    let start = rows(&user);
    let hips = user.joint("hips");
    user.studio_mut().choose_points(&[(0, 1), (0, 2), (0, 3)], Some(hips));
    user.settle();
    user.click("Weights: Flood");
    let flooded = rows(&user);
    assert!(flooded != start);
    user.click("Weights: Without");
    let weights = rows(&user)[0].clone().unwrap();
    let of = |point: usize| weights.row(point).iter().any(|i| i.joint == hips);
    assert!([1, 2, 3].into_iter().all(|point| weights.row(point).len() == 1 || !of(point)));
    user.click("Mirror by topology");
    user.click("Weights: Mirror left");
    assert_eq!(user.studio().last_failure(), None);
    user.click("Add weight layer");
    user.click("More of layer Layer 1");
    user.control("Name of layer Layer 1").focus();
    user.settle();
    user.press(egui::Modifiers::COMMAND, egui::Key::A);
    user.control("Name of layer Layer 1").type_text("shoulder");
    user.settle();
    user.press(egui::Modifiers::NONE, egui::Key::Enter);
    assert_eq!(user.studio().document().weight_layers().layers[0].name, "shoulder");
    assert!(user.has("Weight layer shoulder"));
}
