//! Keys: set, chosen, dragged, copied, bent, by the panel and by posing.

use std::sync::Arc;

use eframe::egui::{Key, Modifiers, Pos2, Rect};
use egui_kittest::kittest::Queryable as _;
use sinew::motion::{Address, JointProperty, Keys, Motion, Span, TangentMode};
use sinew_editor::{Axis, PoseEdit};
use sinew_studio::StudioOptions;

use crate::common::User;

/// As in the panel: joints' names, then times with some room on both sides.
const LABELS: f32 = 150.0;
const ROOM: f32 = 8.0;

fn motion(user: &User<'_>) -> Arc<Motion> {
    let document = user.studio().document();
    document.motions().motion(document.character(), document.motions().len() - 1)
}

fn key_times(user: &User<'_>, joint: &str, property: JointProperty) -> Vec<f64> {
    let address = Address::joint(user.joint(joint), property);
    let motion = motion(user);
    let channel = motion.layers[0].channel(address);
    channel.map_or_else(Vec::new, |channel| channel.keys().times_seconds().collect())
}

fn rect_of(user: &User<'_>, label: &str) -> Rect {
    user.harness.get_by_label(label).rect()
}

/// Where a key of the first row is.
fn in_sheet(user: &User<'_>, seconds: f64) -> Pos2 {
    let rect = rect_of(user, "Dope sheet");
    let (left, width) = (rect.left() + LABELS + ROOM, rect.width() - LABELS - 2.0 * ROOM);
    let share = (seconds / motion(user).length_seconds) as f32;
    Pos2::new(left + share * width, rect.top() + 8.0)
}

/// A new motion with keys of a joint's twist at its start and its end.
fn keyed() -> User<'static> {
    // With the key sheet open the list of joints must still show an arm.
    let mut user = User::of_size([1280.0, 1000.0], StudioOptions::default());
    user.menu("Play", "New Motion");
    user.click("Joint forearm_l");
    user.press(Modifiers::NONE, Key::K);
    user.menu("Play", "Auto-Key");
    user.click("Timeline: To End");
    let joint = user.studio().document().joint_ref(user.joint("forearm_l"));
    user.studio_mut().edit(PoseEdit::RotateJoint { joint, axis: Axis::Twist, degrees: 600.0 });
    user.settle();
    user
}

#[test]
fn keys_are_set_by_hand_and_by_posing_and_the_document_keeps_its_pose() {
    let user = keyed();
    assert_eq!(key_times(&user, "forearm_l", JointProperty::Twist), [0.0, 2.0]);
    assert!(user.studio().shows_clip());
    let rest = sinew::skeleton::Pose::rest(&user.studio().document().character().skeleton);
    assert_eq!(**user.studio().document().pose(), rest);
    let skeleton = &user.studio().document().character().skeleton;
    let pose = motion(&user).pose_at(skeleton, 2.0);
    let twist = pose.joints[user.joint("forearm_l") as usize].twist_radians;
    assert!((twist.to_degrees() - 600.0).abs() < 1e-9);
}

#[test]
fn a_key_is_dragged_copied_pasted_and_deleted_in_the_sheet() {
    let mut user = keyed();
    let (from, to) = (in_sheet(&user, 2.0), in_sheet(&user, 1.0));
    user.drag(from, to);
    let times = key_times(&user, "forearm_l", JointProperty::Twist);
    assert!((times[1] - 1.0).abs() < 1e-9, "snapped to a frame: {times:?}");
    let at = in_sheet(&user, 1.0);
    user.click_at(at);
    user.click("Keys: Copy Keys");
    user.click("Timeline: To Start");
    user.click("Timeline: Step Forward");
    user.click("Keys: Paste Keys");
    let times = key_times(&user, "forearm_l", JointProperty::Twist);
    assert_eq!(times.len(), 3);
    assert!((times[1] - 1.0 / 30.0).abs() < 1e-9, "{times:?}");
    let rect = rect_of(&user, "Dope sheet");
    let (from, to) = (in_sheet(&user, 0.8), in_sheet(&user, 1.9));
    user.drag(Pos2::new(from.x, rect.top() + 1.0), Pos2::new(to.x, rect.top() + 15.0));
    user.press(Modifiers::NONE, Key::Delete);
    assert_eq!(key_times(&user, "forearm_l", JointProperty::Twist).len(), 2);
    for _ in 0..3 {
        user.press(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(key_times(&user, "forearm_l", JointProperty::Twist), [0.0, 2.0]);
}

#[test]
fn tangents_and_spans_of_chosen_keys_change_and_a_handle_is_dragged() {
    let mut user = keyed();
    user.click("Keys: Curves");
    user.choose("Channel", "forearm_l twist");
    let key = |user: &User<'_>| {
        let address = Address::joint(user.joint("forearm_l"), JointProperty::Twist);
        let motion = motion(user);
        let Keys::Scalar(curve) = motion.layers[0].channel(address).unwrap().keys() else {
            panic!("a twist is a number")
        };
        curve.keys()[0]
    };
    // The first key is at the lower left: the values in sight have a seventh of room.
    let rect = rect_of(&user, "Curve editor");
    let share = 0.15 / 1.3;
    let at = Pos2::new(rect.left() + ROOM, rect.bottom() - share * rect.height());
    user.click_at(at);
    user.click("Span: Bézier");
    assert_eq!(key(&user).span, Span::Bezier);
    // Its handle, level, a third of the way.
    let handle = Pos2::new(at.x + (rect.width() - 2.0 * ROOM) / 3.0, at.y);
    user.drag(handle, Pos2::new(handle.x + 30.0, handle.y - 60.0));
    let bent = key(&user);
    assert_eq!(bent.tangents, TangentMode::Free);
    assert!(bent.outgoing.slope > 0.5 && bent.outgoing.reach > 1.0 / 3.0, "{bent:?}");
    user.click("Tangents: Flat");
    assert_eq!(key(&user).outgoing.slope, 0.0);
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(key(&user), bent);
}
