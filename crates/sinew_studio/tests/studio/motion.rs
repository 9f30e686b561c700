//! Clips: played, stepped through, posed upon.

use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{Key, Modifiers};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_editor::seam::Clock;
use sinew_io::{WriteOptions, write_character};
use sinew_studio::{StudioClock, StudioOptions};

use crate::common::User;
use crate::work::{drop_file, shown};

fn play_a_while(user: &mut User<'_>) {
    let before = user.studio().playhead_seconds();
    let start = std::time::Instant::now();
    while user.studio().playhead_seconds() <= before {
        user.harness.step();
        assert!(start.elapsed().as_secs() < 60, "the clip does not go on");
    }
}

#[test]
fn a_clip_plays_and_steps_and_the_document_stays() {
    let mut user = User::new();
    let (before, document) = (shown(&user), user.studio().document().clone());
    user.choose("Clip", "dance");
    user.click("Timeline: Play or Pause");
    play_a_while(&mut user);
    user.click("Timeline: Play or Pause");
    assert!(!user.studio().is_playing());
    assert_ne!(shown(&user), before);
    user.click("Timeline: Step Forward");
    user.click("Timeline: To End");
    assert!(user.studio().shows_clip());
    assert_eq!(*user.studio().document(), document);
    assert!(!user.studio().is_modified());
    user.choose("Clip", "Pose");
    assert_eq!(shown(&user), before);
}

/// Time that passes when a test says so.
#[derive(Default)]
struct StepClock(std::sync::atomic::AtomicU64);

impl Clock for StepClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(std::sync::atomic::Ordering::Relaxed))
    }
}

#[test]
fn a_clip_plays_by_the_studios_clock() {
    let clock = Arc::new(StepClock::default());
    let of_studio = StudioClock::new(Arc::clone(&clock));
    let mut user = User::with(StudioOptions { clock: of_studio, ..StudioOptions::default() });
    user.choose("Clip", "dance");
    user.click("Timeline: Play or Pause");
    let start = user.studio().playhead_seconds();
    for _ in 0..9 {
        clock.0.fetch_add(40, std::sync::atomic::Ordering::Relaxed);
        user.harness.step();
    }
    assert!((user.studio().playhead_seconds() - start - 0.36).abs() < 1e-9);
    user.settle();
    assert!((user.studio().playhead_seconds() - start - 0.36).abs() < 1e-9, "no time, no motion");
}

#[test]
fn escape_while_a_clip_plays_puts_playhead_and_picture_back() {
    let mut user = User::new();
    user.choose("Clip", "dance");
    user.click("Timeline: Step Forward");
    let (seconds, before) = (user.studio().playhead_seconds(), shown(&user));
    user.click("Timeline: Play or Pause");
    play_a_while(&mut user);
    user.press(Modifiers::NONE, Key::Escape);
    assert!(!user.studio().is_playing());
    assert_eq!((user.studio().playhead_seconds(), shown(&user)), (seconds, before));
}

#[test]
fn posing_on_a_clip_goes_on_from_its_pose_and_undo_shows_the_clip_again() {
    let mut user = User::new();
    user.choose("Clip", "dance");
    user.click("Timeline: To End");
    let of_clip = shown(&user);
    user.click("Joint upper_arm_l");
    for key in [Key::X, Key::Num4, Key::Num0, Key::Enter] {
        user.press(Modifiers::NONE, key);
    }
    assert!(!user.studio().shows_clip());
    assert_ne!(shown(&user), of_clip);
    user.press(Modifiers::COMMAND, Key::Z);
    assert!(user.studio().shows_clip() && !user.studio().is_modified());
    assert_eq!(shown(&user), of_clip);
}

#[test]
fn a_dropped_motion_moves_the_character_that_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let options =
        WriteOptions { clip: Some(human.clips[0].name.clone()), ..WriteOptions::default() };
    let bvh = folder.path().join("stroll.bvh");
    write_character(&bvh, &human, &options).unwrap();
    let glb = folder.path().join("without skin.glb");
    let mut bare = human;
    bare.parts.clear();
    write_character(&glb, &bare, &WriteOptions::default()).unwrap();

    let mut user = User::new();
    let name = user.studio().document().source().name();
    let (before, num) = (shown(&user), user.studio().document().motions().len());
    drop_file(&mut user, &bvh);
    assert_eq!(user.studio().last_failure(), None);
    assert_eq!(user.studio().document().source().name(), name);
    assert_eq!(user.studio().document().motions().len(), num + 1);
    assert!(user.studio().shows_clip());
    user.click("Timeline: To End");
    assert_ne!(shown(&user), before);
    drop_file(&mut user, &glb);
    assert_eq!(user.studio().document().source().name(), name);
    assert_eq!(user.studio().document().motions().len(), num + 1 + bare.clips.len());
    user.press(Modifiers::COMMAND, Key::Z);
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(user.studio().document().motions().len(), num);

    // What is no motion says so and loses nothing.
    let broken = folder.path().join("broken.bvh");
    sinew_io::write_atomically(&broken, |file| std::io::Write::write_all(file, b"HIERARCHY"))
        .unwrap();
    drop_file(&mut user, &broken);
    assert!(user.studio().last_failure().is_some_and(|words| words.contains("broken.bvh")));
    assert_eq!(user.studio().document().motions().len(), num);
}
