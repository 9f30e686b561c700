//! What crosses between the processor and the card, and what comes back when somebody wants it.

use eframe::egui::{self, Key, Modifiers};
use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::RigEdit;
use sinew_studio::{Command, StudioOptions};

use crate::Test;
use crate::common::User;
use crate::pair::{WINDOW, on_card};

pub(crate) const TESTS: &[Test] = &[
    ("a_frame_uploads_controls_and_reads_nothing_back", frames),
    ("figures_and_colours_come_from_reads_that_nobody_waits_for", figures),
    ("points_are_picked_on_the_card", picking),
    ("springs_that_swing_are_made_here_and_that_is_said", swinging),
];

/// Of a frame: the palette (three rows a joint), the camera, the light. A mesh alone is more.
const CONTROLS_BYTES: u64 = 16 * 1024;

fn with_springs(size: [f32; 2]) -> User<'static> {
    let mut user = on_card(size, StudioOptions::default());
    let springs = Some(SpringSettings::new(SpringModel::Anchored));
    user.studio_mut().edit(RigEdit::SetSprings { springs });
    user.settle();
    user
}

fn frames() {
    let mut user = with_springs(WINDOW);
    user.studio_mut().queue(Command::ShowBones);
    user.choose("Clip", "dance");
    assert_eq!(user.studio().is_on_card(0), Some(true));
    let points_bytes = 16 * user.studio().document().character().num_points() as u64;
    assert!(points_bytes > 8 * CONTROLS_BYTES, "points would be seen");
    for frame in 0..6 {
        let before = user.studio().traffic().unwrap();
        user.studio_mut().queue(Command::StepForward);
        user.settle();
        let crossed = user.studio().traffic().unwrap().since(before);
        assert_eq!(crossed.read_back, 0, "frame {frame}");
        assert!(crossed.uploaded > 0, "frame {frame} is another one");
        assert!(crossed.uploaded <= CONTROLS_BYTES, "frame {frame}: {crossed:?}");
    }
    // Nothing happens, nothing crosses.
    let before = user.studio().traffic().unwrap();
    user.settle();
    let idle = user.studio().traffic().unwrap().since(before);
    assert_eq!((idle.uploaded, idle.read_back), (0, 0), "nobody wanted them");
}

fn figures() {
    let mut user = with_springs(WINDOW);
    let before = user.studio().traffic().unwrap();
    user.studio_mut().queue(Command::ShowStretch);
    user.settle();
    let points_bytes = 16 * user.studio().document().character().num_points() as u64;
    let crossed = user.studio().traffic().unwrap().since(before);
    assert!(crossed.read_back >= points_bytes, "{crossed:?}");
    assert_eq!(user.studio().is_on_card(0), Some(true));
    let points = user.studio().shown_points().expect("read for the colours").concat();
    assert_eq!(points.len(), user.studio().document().character().num_points());
    // All is framed by the points, too.
    user.studio_mut().queue(Command::ShowMaterial);
    user.settle();
    let head = user.bone("head");
    let corner = user.studio().first_view_rect().min + egui::vec2(20.0, 20.0);
    user.drag(corner, corner + egui::vec2(90.0, 10.0));
    user.studio_mut().queue(Command::FrameAll);
    user.settle();
    assert_ne!(user.bone("head"), head);
}

fn picking() {
    let mut user = with_springs(WINDOW);
    user.press(Modifiers::NONE, Key::F9);
    let at = user.bone("spine");
    user.click_at(at);
    assert_eq!(user.studio().num_chosen_points(), 1);
    let view = user.studio().first_view_rect();
    let (from, to) = (view.min + egui::vec2(5.0, 5.0), view.max - egui::vec2(5.0, 5.0));
    user.drag(from, to);
    let in_sight = user.studio().num_chosen_points();
    let all = user.studio().document().character().num_points();
    // The rasteriser's answer, to a part in a hundred: pixels on edges may show one or the other.
    let mut other = User::of_size(WINDOW, StudioOptions::default());
    let springs = Some(SpringSettings::new(SpringModel::Anchored));
    other.studio_mut().edit(RigEdit::SetSprings { springs });
    other.settle();
    other.press(Modifiers::NONE, Key::F9);
    other.drag(from, to);
    let expected = other.studio().num_chosen_points();
    assert!(
        in_sight < all && in_sight.abs_diff(expected) < expected / 100,
        "{in_sight}, {expected}"
    );
}

fn swinging() {
    // Tall enough for the panel's last lines.
    let mut user = with_springs([900.0, 1300.0]);
    user.click("In time");
    user.click("Swing while playing");
    user.choose("Clip", "dance");
    assert_eq!(user.studio().is_on_card(0), Some(true));
    user.studio_mut().queue(Command::PlayPause);
    // The first frames of the clip may be of before it was played.
    let is_here = (0..2000).any(|_| {
        user.harness.step();
        std::thread::yield_now();
        user.studio().is_on_card(0) == Some(false)
    });
    assert!(is_here, "springs that swing are the processor's");
    assert!(user.studio().why_not_on_card().is_some_and(|words| words.contains("swing")));
    user.studio_mut().queue(Command::PlayPause);
    user.settle();
    assert_eq!(user.studio().is_on_card(0), Some(true), "what stands still is the card's again");
    assert_eq!(user.studio().why_not_on_card(), None);
}
