//! The cage in the window: made, checked, held and moved.

use eframe::egui::{self, Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use sinew::cage::CoordinateKind;
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

#[test]
fn rest_and_pose_stand_side_by_side_and_the_cage_is_held_in_both() {
    let mut user = User::new();
    let make = r#"{"edit": "generate-cage", "faces": 80, "offset": 0.06}"#;
    let bend = r#"{"edit": "rotate-joint", "joint": "upper_arm_l", "axis": "z", "degrees": 50}"#;
    for edit in [make, bend] {
        let edit: sinew_editor::Edit = serde_json::from_str(edit).expect("an edit");
        user.studio_mut().edit(edit);
        user.settle();
    }
    user.press(Modifiers::NONE, Key::C);
    user.click("Toolbar: Rest and Pose");
    let cage = user.studio().document().rig().cage.as_ref().expect("a cage").cage.clone();
    let shown = |user: &User<'_>, handle: u32, view: usize| {
        user.studio().cage_handle_in(handle, view).expect("on the screen")
    };
    let place = |user: &User<'_>, handle: u32, view: usize| {
        let at = shown(user, handle, view);
        user.studio().place_in_view(&user.harness.ctx, at, view).expect("in the window")
    };
    user.studio_mut().queue(Command::SelectThrough);
    user.settle();
    // Of those that stand alone in both views the one that the bent arm carries furthest.
    let carried = |&handle: &u32| (shown(&user, handle, 0) - shown(&user, handle, 1)).length();
    let num_handles = cage.points().len() as u32;
    let is_alone = |handle: &u32| {
        let is_far = |other: u32, view: usize| {
            place(&user, other, view).distance(place(&user, *handle, view)) > 16.0
        };
        let is_in_view = |view: usize| {
            let shown = user.studio().view_rect(view).shrink(20.0);
            shown.contains(place(&user, *handle, view))
        };
        let mut others = (0..num_handles).filter(|other| other != handle);
        is_in_view(0) && is_in_view(1) && others.all(|other| is_far(other, 0) && is_far(other, 1))
    };
    let handle = (0..num_handles)
        .filter(is_alone)
        .max_by(|a, b| carried(a).total_cmp(&carried(b)))
        .expect("a handle");
    assert!(carried(&handle) > 0.1);
    let bound = cage.points()[handle as usize].as_vec3();
    assert!(shown(&user, handle, 1).distance(bound) < 1e-5, "the second view is the rest");
    for view in [1, 0] {
        let before = user.studio().document().clone();
        let posed = [shown(&user, handle, 0), shown(&user, handle, 1)];
        let from = place(&user, handle, view);
        user.drag(from, from + egui::vec2(14.0, 9.0));
        let to = place(&user, handle, view);
        assert!(to.distance(from + egui::vec2(14.0, 9.0)) < 1.0, "{view}: {from:?} {to:?}");
        assert_eq!(user.studio().chosen_handles(), [handle]);
        for other in [0, 1] {
            assert!(shown(&user, handle, other) != posed[other], "both views go along");
        }
        assert_ne!(user.studio().document().rest_cage(), before.rest_cage());
        assert_eq!(user.studio().document().pose(), before.pose());
        user.press(Modifiers::COMMAND, Key::Z);
        assert_eq!(*user.studio().document(), before, "a drag is one step");
    }
    for word in ["Rest skin", "Rest bones", "Rest cage", "Pose cage", "Pose skin"] {
        user.click(&format!("Cage: show {word}"));
    }
    user.click("Toolbar: One View");
    assert_eq!(user.studio().last_failure(), None);
}

fn write(path: &std::path::Path, text: &str) {
    sinew_io::write_atomically(path, |file| std::io::Write::write_all(file, text.as_bytes()))
        .expect("written");
}

#[test]
fn a_cage_of_a_file_is_taken_and_what_is_wrong_with_another_is_shown() {
    let mut user = User::new();
    let folder = tempfile::tempdir().expect("a folder");
    let bounds = user.studio().document().character().bounds();
    let margin = 0.05 * bounds.diagonal();
    let [low, high] = [bounds.min - margin, bounds.max + margin].map(|corner| corner.as_dvec3());
    let cage = sinew::cage::Cage::lattice(low, high, sinew::glam::UVec3::new(2, 4, 1));
    let cage = cage.expect("a lattice");
    let text = sinew_io::cage_to_obj(&cage);
    let good = folder.path().join("good.obj");
    write(&good, &text);
    let open = folder.path().join("open.obj");
    let without = text.trim_end().rsplit_once('\n').expect("lines").0;
    write(&open, without);
    let start = user.studio().document().clone();

    user.studio_mut().answer_next_dialog(&open);
    user.menu("Rig", "Import Cage…");
    assert_eq!(*user.studio().document(), start);
    assert!(user.studio().last_failure().is_some_and(|words| words.contains("close the holes")));
    user.click("Cage: Never mind");

    crate::work::drop_file(&mut user, &good);
    let taken = user.studio().document().rig().cage.as_ref().expect("a cage").cage.clone();
    assert_eq!(taken, cage, "its quads are kept");
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(*user.studio().document(), start);
}

#[test]
fn a_box_lattice_is_made_and_hung_on_in_another_way_and_both_are_undone() {
    let mut user = User::new();
    let start = user.studio().document().clone();
    user.press(Modifiers::NONE, Key::C);
    user.choose("Coordinates of a new cage", "Mean value");
    user.click("Cage: Box Lattice");
    let made = user.studio().document().clone();
    let rig = made.rig().cage.clone().expect("a cage");
    assert_eq!(rig.coordinates, CoordinateKind::MeanValue);
    assert_eq!(rig.cage.faces().len(), 2 * (3 * 6 + 6 * 3 + 3 * 3), "3 × 6 × 3 quads");
    assert!(rig.cage.check().is_clean());
    let bounds = made.character().bounds();
    for corner in [bounds.min, bounds.max, bounds.center()] {
        assert!(rig.cage.encloses(corner.as_dvec3()));
    }
    let edit = r#"{"edit": "move-cage", "handles": {"0": [-3, 0, -3]}}"#;
    user.studio_mut().edit(serde_json::from_str::<sinew_editor::Edit>(edit).expect("an edit"));
    user.settle();
    let moved = user.studio().document().clone();
    user.choose("Coordinates of the cage", "Harmonic");
    let hung = user.studio().document().rig().cage.clone().expect("a cage");
    assert_eq!(hung.coordinates, CoordinateKind::Harmonic);
    assert_eq!(hung.cage, rig.cage);
    assert_eq!(user.studio().document().rest_cage(), moved.rest_cage());
    for before in [&moved, &made, &start] {
        user.press(Modifiers::COMMAND, Key::Z);
        assert_eq!(user.studio().document(), before);
    }
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn a_drag_that_the_pose_hardly_allows_is_told_in_the_panel_and_the_status() {
    let mut user = User::new();
    let edits = [
        r#"{"edit": "generate-cage", "faces": 80, "offset": 0.06}"#,
        r#"{"edit": "set-method", "method": "linear"}"#,
        r#"{"edit": "rotate-joint", "joint": "forearm_l", "axis": "twist", "degrees": 179}"#,
    ];
    for edit in edits {
        user.studio_mut().edit(serde_json::from_str::<sinew_editor::Edit>(edit).expect("an edit"));
        user.settle();
    }
    user.press(Modifiers::NONE, Key::C);
    assert_eq!(user.studio().cage_warning(), None);
    // The handle that is nearest to the elbow's half-turned skin.
    let num_handles =
        user.studio().document().rig().cage.as_ref().expect("one").cage.points().len();
    let strained = (0..num_handles as u32).find(|&handle| {
        let place = user.studio().cage_handle(handle).expect("shown") + 0.02;
        let [x, y, z] = place.to_array();
        let edit =
            format!(r#"{{"edit": "move-posed-cage", "handles": {{"{handle}": [{x}, {y}, {z}]}}}}"#);
        user.studio_mut().edit(serde_json::from_str::<sinew_editor::Edit>(&edit).expect("an edit"));
        user.settle();
        let is_told = user.studio().cage_warning().is_some();
        if !is_told {
            user.press(Modifiers::COMMAND, Key::Z);
        }
        is_told
    });
    assert!(strained.is_some(), "some handle of the twisted arm");
    let words = user.studio().cage_warning().expect("a warning");
    let num_shown = |user: &User<'_>| user.harness.query_all_by_label(&words).count();
    assert_eq!(num_shown(&user), 2, "{words}");
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(user.studio().cage_warning(), None);
    assert_eq!(num_shown(&user), 0);
}
