//! A motion as a whole, by the panel: name, length, frames, layers, other times; and what of it is
//! in sight.

use std::sync::Arc;

use eframe::egui::{self, Event, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::kittest::Queryable as _;
use sinew::motion::{Motion, Outside};
use sinew_editor::{Axis, PoseEdit};
use sinew_studio::StudioOptions;

use crate::common::{User, shaped_file};
use crate::work::drop_file;

fn motion(user: &User<'_>) -> Arc<Motion> {
    let document = user.studio().document();
    document.motions().motion(document.character(), document.motions().len() - 1)
}

fn names(user: &User<'_>) -> Vec<String> {
    let document = user.studio().document();
    let name = |at| document.motions().name(document.character(), at).to_owned();
    (0..document.motions().len()).map(name).collect()
}

fn type_into(user: &mut User<'_>, field: &str, text: &str) {
    user.click(field);
    user.press(Modifiers::COMMAND, Key::A);
    user.control(field).type_text(text);
    user.press(Modifiers::NONE, Key::Enter);
}

/// A new motion with twists of a forearm at 0, 1 and 2 s.
fn keyed() -> User<'static> {
    let mut user = User::of_size([1280.0, 1500.0], StudioOptions::default());
    user.menu("Play", "New Motion");
    user.click("Joint forearm_l");
    user.menu("Play", "Auto-Key");
    let joint = user.studio().document().joint_ref(user.joint("forearm_l"));
    for (to, degrees) in [("To Start", 10.0), ("To End", 40.0)] {
        user.click(&format!("Timeline: {to}"));
        let joint = joint.clone();
        user.studio_mut().edit(PoseEdit::RotateJoint { joint, axis: Axis::Twist, degrees });
        user.settle();
    }
    user
}

#[test]
fn a_motion_is_renamed_lengthened_duplicated_and_deleted() {
    let mut user = keyed();
    let before = names(&user);
    type_into(&mut user, "Motion name", "wave");
    assert_eq!(names(&user).last().unwrap(), "wave");
    type_into(&mut user, "Motion length", "3.5");
    assert_eq!(motion(&user).length_seconds, 3.5);
    // The range goes on to the new end.
    user.click("Timeline: To End");
    assert!((user.studio().playhead_seconds() - 3.5).abs() < 1e-9);
    user.click("Duplicate motion");
    assert_eq!(names(&user).last().unwrap(), "wave 2");
    assert_eq!(motion(&user).layers, {
        let document = user.studio().document();
        let of = document.motions().len() - 2;
        document.motions().motion(document.character(), of).layers.clone()
    });
    user.click("Length to last key");
    assert_eq!(motion(&user).length_seconds, 2.0);
    user.click("Delete motion");
    assert_eq!(names(&user).last().unwrap(), "wave");
    assert!(!user.studio().shows_clip());
    for _ in 0..5 {
        user.press(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(names(&user), before);
}

#[test]
fn a_motion_is_cut_retimed_resampled_reduced_and_made_to_cycle() {
    let mut user = keyed();
    let num_keys = |user: &User<'_>| motion(user).num_keys();
    let few = num_keys(&user);
    user.choose("After the last key", "Cycle on");
    let outside = |user: &User<'_>| {
        let motion = motion(user);
        let channels = motion.layers[0].channels();
        channels.iter().map(|channel| channel.keys().outside()).collect::<Vec<_>>()
    };
    assert!(outside(&user).iter().all(|of| *of == (Outside::Hold, Outside::CycleWithOffset)));
    user.choose("After the last key", "Hold");
    user.click("Resample motion");
    assert_eq!(num_keys(&user), motion(&user).layers[0].channels().len() * 61);
    user.click("Reduce motion");
    assert_eq!(user.studio().last_failure(), None);
    assert!(num_keys(&user) < 61, "{}", num_keys(&user));
    type_into(&mut user, "Range takes", "1");
    user.click("Retime range");
    assert!((motion(&user).length_seconds - 1.0).abs() < 1e-9);
    type_into(&mut user, "Range end", "0.5");
    user.click("Trim to range");
    assert!((motion(&user).length_seconds - 0.5).abs() < 1e-9);
    user.click("Blend loop");
    let skeleton = &user.studio().document().character().skeleton;
    let [start, end] = [0.0, 0.5].map(|seconds| motion(&user).pose_at(skeleton, seconds));
    let joint = user.joint("forearm_l") as usize;
    let apart = start.joints[joint].twist_radians - end.joints[joint].twist_radians;
    assert!(apart.abs() < 1e-6, "it ends as it begins: {apart}");
    for _ in 0..7 {
        user.press(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(num_keys(&user), few);
    assert_eq!(motion(&user).length_seconds, 2.0);
}

#[test]
fn layers_are_named_put_in_order_and_masked() {
    let mut user = keyed();
    user.click("New layer");
    type_into(&mut user, "Layer name", "touch");
    let of = |user: &User<'_>| -> Vec<String> {
        motion(user).layers.iter().map(|layer| layer.name.clone()).collect()
    };
    assert_eq!(of(&user), ["Base", "touch"]);
    user.click("Layer mask: chosen joints");
    let joint = user.joint("forearm_l");
    assert_eq!(motion(&user).layers[1].mask, Some([joint].into()));
    user.click("Layer down");
    assert_eq!(of(&user), ["touch", "Base"]);
    // It is still the one in hand.
    user.click("Layer mask: all joints");
    assert_eq!(motion(&user).layers[0].mask, None);
    user.click("Motion layer Base");
    user.click("Layer down");
    assert_eq!(of(&user), ["Base", "touch"]);
}

#[test]
fn frames_are_the_motions_own_and_keys_snap_to_them() {
    let mut user = keyed();
    type_into(&mut user, "Frames a second", "24");
    assert_eq!(motion(&user).frames_per_second, Some(24.0));
    user.click("Timeline: To Start");
    user.click("Timeline: Step Forward");
    assert!((user.studio().playhead_seconds() - 1.0 / 24.0).abs() < 1e-9);
    user.click("Frames a second of keys");
    user.click("Timeline: To Start");
    user.click("Timeline: Step Forward");
    assert!((user.studio().playhead_seconds() - 1.0 / 30.0).abs() < 1e-9);
}

fn wheel(user: &mut User<'_>, at: Pos2, delta: egui::Vec2, modifiers: Modifiers) {
    user.harness.hover_at(at);
    user.harness.step();
    let unit = egui::MouseWheelUnit::Point;
    let phase = egui::TouchPhase::Move;
    let source = egui::MouseWheelSource::Wheel;
    user.harness.event(Event::MouseWheel { unit, source, delta, phase, modifiers });
    user.settle();
}

#[test]
fn the_wheel_zooms_at_the_pointer_the_middle_button_pans_and_all_shows_all() {
    let mut user = keyed();
    let sheet = user.harness.get_by_label("Dope sheet").rect();
    // As in the panel: names at the left, some room on both sides.
    let (left, width) = (sheet.left() + 158.0, sheet.width() - 166.0);
    let at = |share: f32| Pos2::new(left + share * width, sheet.top() + 8.0);
    // The last key is at the right end. Zoomed there it stays, and what was in the middle is past
    // the left end.
    wheel(&mut user, at(1.0), egui::vec2(0.0, 150.0), Modifiers::NONE);
    user.click_at(at(1.0));
    assert!(!user.disabled().contains("Keys: All in sight"));
    user.drag(at(1.0), at(0.5));
    let times: Vec<f64> = {
        let motion = motion(&user);
        motion.layers[0].channels()[0].keys().times_seconds().collect()
    };
    let moved = times[1];
    assert!(moved > 1.05 && moved < 1.95, "less than half the motion is in sight: {times:?}");
    user.press(Modifiers::COMMAND, Key::Z);
    // The middle button takes the sheet along: the key goes out of sight.
    let event = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Middle,
        pressed,
        modifiers: Modifiers::NONE,
    };
    user.harness.hover_at(at(0.2));
    user.harness.step();
    user.harness.event(event(at(0.2), true));
    user.harness.step();
    for step in 1..=8 {
        user.harness.hover_at(at(0.2 + 0.05 * step as f32));
        user.harness.step();
    }
    user.harness.event(event(at(0.6), false));
    user.settle();
    user.drag(at(1.0), at(0.5));
    assert!(
        motion(&user).layers[0].channels()[0].keys().seconds_of(1).unwrap() > 1.99,
        "there was no key to drag"
    );
    user.click("Keys: All in sight");
    assert!(user.disabled().contains("Keys: All in sight"));
    user.drag(at(1.0), at(0.5));
    let now = motion(&user).layers[0].channels()[0].keys().seconds_of(1).unwrap();
    assert!((now - 1.0).abs() < 1e-9, "{now}");
}

#[test]
fn a_slider_and_k_set_keys_of_shapes_and_controls() {
    let folder = tempfile::tempdir().unwrap();
    let mut user = User::of_size([1280.0, 1500.0], StudioOptions::default());
    drop_file(&mut user, &shaped_file(folder.path()));
    let mesh = user.studio().document().character().parts[0].mesh.name().to_owned();
    user.menu("Play", "New Motion");
    let (puff, dent) = (format!("Shape {mesh}: puff"), format!("Shape {mesh}: dent"));
    user.click(&puff);
    user.control(&puff).type_text("0.75");
    user.press(Modifiers::NONE, Key::Enter);
    user.click(&format!("Key {mesh}: puff"));
    user.click("Timeline: To End");
    user.click(&dent);
    user.control(&dent).type_text("0.5");
    user.press(Modifiers::NONE, Key::Enter);
    user.press(Modifiers::NONE, Key::K);
    let weights = |user: &User<'_>, seconds: f64| {
        let (motion, character) = (motion(user), user.studio().document().character().clone());
        motion.to_clip(&character).shape_weights_at(0, &character.parts[0], seconds)
    };
    // K took the changed one, and the one that had a key.
    assert_eq!(weights(&user, 0.0), [0.75, 0.5]);
    assert_eq!(motion(&user).layers[0].channels().len(), 2);
    assert_eq!(motion(&user).num_keys(), 3);
    assert_eq!(weights(&user, 2.0), [0.75, 0.5]);
}
