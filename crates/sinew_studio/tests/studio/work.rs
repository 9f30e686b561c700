//! What people do with it: pose, undo, compare, save, open again, recover.

use std::sync::Arc;

use eframe::egui::{self, Key, Modifiers};
use sinew::glam::Vec3;
use sinew_studio::{Command, Keymap, StudioOptions};

use crate::common::{User, shaped_file};

fn bits(points: &[&[Vec3]]) -> Vec<[u32; 3]> {
    points.iter().copied().flatten().map(|p| p.to_array().map(f32::to_bits)).collect()
}

pub(crate) fn shown(user: &User<'_>) -> Vec<[u32; 3]> {
    bits(&user.studio().shown_points().expect("a skin on the screen"))
}

/// A drag from a ring of the chosen joint, outwards along the screen.
fn turn(user: &mut User<'_>, joint: &str) {
    let at = user.bone(joint);
    user.click_at(at);
    assert_eq!(user.studio().chosen_joints(), [user.joint(joint)]);
    // The blue ring is seen from the front: its rightmost point is a radius away.
    user.press(Modifiers::NONE, Key::Num1);
    let [head, _] = user.studio().bone_ends(user.joint(joint));
    let center = user.studio().place_in_window(&user.harness.ctx, head).unwrap();
    let on_ring = (40..120)
        .map(|px| center + egui::vec2(0.3 * px as f32, 0.954 * px as f32))
        .find(|&at| {
            user.harness.hover_at(at);
            user.harness.step();
            user.studio().hovers_gizmo()
        })
        .expect("a ring around the joint");
    user.drag(on_ring, on_ring + egui::vec2(60.0, -20.0));
}

#[test]
fn a_joint_turned_by_the_mouse_moves_the_skin_and_undo_brings_back_the_same_bits() {
    let mut user = User::new();
    let before = shown(&user);
    turn(&mut user, "upper_arm_l");
    let after = shown(&user);
    assert_ne!(after, before);
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(shown(&user), before);
    user.press(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(shown(&user), after);
}

#[test]
fn a_number_can_be_typed_instead_of_dragging() {
    let mut user = User::new();
    user.click("Joint upper_arm_l");
    for key in [Key::T, Key::Num7, Key::Num2, Key::Num0, Key::Enter] {
        user.press(Modifiers::NONE, key);
    }
    let joint = user.joint("upper_arm_l") as usize;
    let twist = user.studio().document().pose().joints[joint].twist_radians;
    assert!((twist - 720f64.to_radians()).abs() < 1e-9, "{twist}");
}

#[test]
fn what_is_saved_opens_again_as_the_same_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.sinew");
    let mut user = User::new();
    turn(&mut user, "upper_arm_l");
    user.choose("Method", "Dual quaternion");
    let before = shown(&user);
    user.studio_mut().answer_next_dialog(&path);
    user.menu("File", "Save As…");
    assert!(path.exists());
    assert!(!user.studio().is_modified());
    drop(user);
    let mut other = User::new();
    other.studio_mut().answer_next_dialog(&path);
    other.menu("File", "Open…");
    assert_eq!(other.studio().last_failure(), None);
    assert_eq!(shown(&other), before);
}

#[test]
fn a_dropped_file_opens_and_one_that_is_broken_says_so_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("arm.obj");
    let mut user = User::new();
    user.studio_mut().answer_next_dialog(&good);
    user.menu("File", "Export Posed Mesh…");
    assert!(good.exists(), "{:?}", user.studio().last_failure());
    let broken = folder.path().join("broken.glb");
    sinew_io::write_atomically(&broken, |file| std::io::Write::write_all(file, b"glTF, but no"))
        .unwrap();
    let before = user.studio().document().clone();
    drop_file(&mut user, &broken);
    assert!(user.studio().last_failure().is_some_and(|words| words.contains("broken.glb")));
    assert_eq!(*user.studio().document(), before);
    drop_file(&mut user, &good);
    assert_eq!(user.studio().document().source().name(), "arm.obj");
}

#[test]
fn an_export_says_how_far_it_is_and_can_be_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posed.glb");
    let mut user = User::new();
    user.choose("Method", "Springs");
    user.studio_mut().answer_next_dialog(&path);
    user.click("File");
    user.control("Export Posed Mesh…").click();
    // Binding takes a second or more here: the button is there for long.
    let start = std::time::Instant::now();
    while !user.has("Cancel export") {
        assert!(start.elapsed().as_secs() < 60, "the export never said how far it was");
        user.harness.step();
    }
    user.control("Cancel export").click();
    user.settle();
    assert!(!user.has("Cancel export"));
    assert!(!path.exists());
    assert_eq!(user.studio().last_failure(), None);
}

#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

pub(crate) fn drop_file(user: &mut User<'_>, path: &std::path::Path) {
    let file: egui::DroppedFileHandle = Arc::new(Dropped(path.to_owned()));
    user.harness.input_mut().dropped_files.push(file);
    user.settle();
}

#[test]
fn unsaved_work_is_asked_about_before_it_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mut user = User::new();
    user.click("Joint upper_arm_l");
    user.press(Modifiers::NONE, Key::X);
    user.press(Modifiers::NONE, Key::Num9);
    user.press(Modifiers::NONE, Key::Enter);
    user.click("File");
    user.click("New from Sample");
    user.click("box");
    user.click("Go back");
    assert_eq!(user.studio().document().source().name(), "chibi");
    user.click("File");
    user.click("New from Sample");
    user.click("box");
    let path = folder.path().join("kept.sinew");
    user.studio_mut().answer_next_dialog(&path);
    user.click("Save changes");
    assert!(path.exists());
    assert_eq!(user.studio().document().source().name(), "box");
}

#[test]
fn a_crash_leaves_work_that_the_next_start_offers() {
    let home = tempfile::tempdir().unwrap();
    let mut user = User::at_home(home.path());
    user.click("Joint upper_arm_l");
    user.press(Modifiers::NONE, Key::X);
    user.press(Modifiers::NONE, Key::Num9);
    user.press(Modifiers::NONE, Key::Enter);
    let lost = user.studio().document().clone();
    // No goodbye: what `kill -9` does.
    drop(user);
    let mut next = User::at_home(home.path());
    next.click("Recover");
    assert_eq!(*next.studio().document().pose(), *lost.pose());
    assert!(next.studio().is_modified());
}

/// Frames until the playhead is past where it was.
#[test]
fn shapes_have_sliders_that_take_any_value_and_one_can_be_shown_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut user = User::of_size([1400.0, 1900.0], sinew_studio::StudioOptions::default());
    drop_file(&mut user, &shaped_file(folder.path()));
    let before = shown(&user);
    let mesh = user.studio().document().character().parts[0].mesh.name().to_owned();
    let puff = format!("Shape {mesh}: puff");
    // The number beside the slider: typed, past what the slider shows.
    user.click(&puff);
    user.control(&puff).type_text("2.5");
    user.press(Modifiers::NONE, Key::Enter);
    let weights = |user: &User<'_>| user.studio().document().shapes().weights()[0].clone();
    assert_eq!(weights(&user), [2.5, 0.0]);
    assert_ne!(shown(&user), before);
    user.click(&format!("Solo {mesh}: dent"));
    assert_eq!(weights(&user), [0.0, 1.0]);
    user.click(&format!("Reset {mesh}: dent"));
    assert_eq!(weights(&user), [0.0, 0.0]);
    assert_eq!(shown(&user), before);
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(weights(&user), [0.0, 1.0]);
    user.click("Reset all shapes");
    assert_eq!(weights(&user), [0.0, 0.0]);
    user.control("Search shapes").focus();
    user.settle();
    user.control("Search shapes").type_text("den");
    user.settle();
    assert!(!user.has(&puff));
}

#[test]
fn views_show_other_methods_on_the_same_pose_and_one_can_be_kept() {
    let mut user = User::new();
    turn(&mut user, "upper_arm_l");
    user.click("Toolbar: Two Views");
    let [first, second] = [0, 1].map(|view| bits(&user.studio().points_of_view(view).unwrap()));
    assert_ne!(first, second);
    user.menu("View", "Colour: Difference");
    user.click("Use method of view 2");
    assert!(user.studio().document().rig().springs.is_some());
    assert_eq!(shown(&user), second);
}

#[test]
fn poses_are_copied_pasted_mirrored_stored_and_recalled() {
    // As tall as stored poses need to be in sight.
    let mut user = User::of_size([1280.0, 1000.0], StudioOptions::default());
    turn(&mut user, "upper_arm_l");
    let posed = user.studio().document().pose().clone();
    user.menu("Pose", "Copy Pose");
    user.click("Store pose in library");
    user.menu("Pose", "Reset Whole Pose");
    assert_ne!(*user.studio().document().pose(), posed);
    user.menu("Pose", "Paste Pose");
    assert_eq!(*user.studio().document().pose(), posed);
    user.menu("Pose", "Mirror Pose");
    let (left, right) = (user.joint("upper_arm_l") as usize, user.joint("upper_arm_r") as usize);
    let mirrored = user.studio().document().pose().clone();
    assert!(mirrored.joints[left].swing.abs_diff_eq(sinew::glam::DQuat::IDENTITY, 1e-9));
    assert!(!mirrored.joints[right].swing.abs_diff_eq(sinew::glam::DQuat::IDENTITY, 1e-3));
    user.click("Take pose Pose 1");
    assert_eq!(*user.studio().document().pose(), posed);
    user.control("Pose name").focus();
    user.settle();
    user.control("Pose name").type_text("Wave");
    user.settle();
    user.click("More about pose Pose 1");
    user.click("Rename to 'Wave'");
    assert_eq!(user.studio().document().stored_poses()[0].name, "Wave");
    user.click("More about pose Wave");
    user.click("Delete");
    assert!(user.studio().document().stored_poses().is_empty());
}

#[test]
fn with_blender_keys_a_joint_is_grabbed_turned_about_an_axis_and_typed() {
    let mut user = User::new();
    user.studio_mut().queue(Command::KeysBlender);
    user.settle();
    assert_eq!(user.studio().keymap(), Keymap::Blender);
    let at = user.bone("forearm_l");
    user.click_at(at);
    user.press(Modifiers::NONE, Key::R);
    user.harness.hover_at(at + egui::vec2(40.0, 40.0));
    user.settle();
    assert_ne!(
        user.studio().document().pose().joints[user.joint("forearm_l") as usize],
        sinew::skeleton::JointPose::REST
    );
    for key in [Key::X, Key::Num3, Key::Num0, Key::Enter] {
        user.press(Modifiers::NONE, key);
    }
    let joint = user.joint("forearm_l");
    let character = user.studio().document().character().clone();
    let expected =
        sinew_editor::Axis::X.turn(sinew::skeleton::JointPose::REST, &character, joint, 30.0);
    assert_eq!(user.studio().document().pose().joints[joint as usize], expected);
    user.press(Modifiers::NONE, Key::G);
    user.harness.hover_at(at + egui::vec2(80.0, 0.0));
    user.settle();
    user.press(Modifiers::NONE, Key::Escape);
    assert_eq!(user.studio().document().pose().joints[joint as usize], expected);
}

#[test]
fn the_camera_moves_without_touching_the_document() {
    let mut user = User::new();
    let before = user.studio().document().clone();
    let view = user.studio().first_view_rect();
    let head = user.bone("head");
    let corner = view.min + egui::vec2(30.0, 30.0);
    user.drag(corner, corner + egui::vec2(120.0, 20.0));
    assert_ne!(user.bone("head"), head, "a drag beside the character turns the view");
    let turned = user.bone("head");
    user.press(Modifiers::NONE, Key::A);
    user.press(Modifiers::NONE, Key::Num5);
    user.press(Modifiers::NONE, Key::Num7);
    assert_ne!(user.bone("head"), turned);
    assert_eq!(*user.studio().document(), before);
    assert!(!user.studio().is_modified());
}

#[test]
fn branches_of_the_tree_fold_and_what_is_chosen_is_never_folded_away() {
    let mut user = User::of_size([1400.0, 1900.0], StudioOptions::default());
    assert!(user.has("Joint hand_l"));
    user.click("Fold forearm_l");
    assert!(!user.has("Joint hand_l") && user.has("Joint forearm_l"));
    user.click("Joint forearm_l");
    user.studio_mut().queue(Command::SelectChild);
    user.settle();
    assert!(user.has("Joint hand_l"), "the choice opens its branch");
}

#[test]
fn a_mesh_is_hidden_and_shown_again_and_nothing_of_it_is_work() {
    let mut user = User::of_size([1400.0, 1900.0], StudioOptions::default());
    user.click("Meshes (1)");
    user.click("Show mesh chibi");
    assert!(user.has("Meshes (0 of 1)"));
    assert!(!user.studio().is_modified());
    user.click("Show all meshes");
    assert!(user.has("Meshes (1)"));
    user.click("Only mesh chibi");
    assert!(user.has("Meshes (1)"), "it is the only one");
}

#[test]
fn the_character_is_whole_in_every_view_of_a_comparison() {
    let mut user = User::new();
    for layout in ["Toolbar: Four Views", "Toolbar: Three Views", "Toolbar: One View"] {
        user.click(layout);
        user.settle();
        let rect = user.studio().first_view_rect();
        let points: Vec<_> = user
            .studio()
            .shown_points()
            .unwrap()
            .into_iter()
            .flatten()
            .step_by(50)
            .copied()
            .collect();
        for point in points {
            let at = user.in_window(point);
            assert!(rect.contains(at), "{layout}: {at} is outside of {rect}");
        }
    }
}
