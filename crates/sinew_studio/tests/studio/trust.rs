//! No work is lost without a word: what the studio asks, and what it says.

use std::path::{Path, PathBuf};

use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use sinew_editor::journal::journal_path;
use sinew_editor::{Document, Edit, Guard, PoseEdit, Source, Workspace, project};
use sinew_studio::StudioOptions;

use crate::common::User;

fn store(name: &str) -> Edit {
    PoseEdit::StorePose { name: name.into() }.into()
}

/// A project of the box, with a pose of that name.
fn bytes_with(pose: &str) -> Vec<u8> {
    let sample = Source::sample(sinew::sample::SampleKind::Box);
    let mut document = Document::open(sample, None).unwrap();
    document.apply(&store(pose)).unwrap();
    project::to_bytes(&document).unwrap()
}

fn put(path: &Path, bytes: &[u8]) {
    sinew_io::write_atomically(path, |file| std::io::Write::write_all(file, bytes)).unwrap();
}

fn project(folder: &Path) -> PathBuf {
    let path = folder.join("hero.sinew");
    put(&path, &bytes_with("saved"));
    path
}

/// Edits that only the journal has.
fn crash(path: &Path, guard: &Guard) {
    let mut workspace = Workspace::open(path, guard).unwrap().workspace;
    for name in ["a", "b"] {
        workspace.editor_mut().apply(store(name)).unwrap();
        workspace.tick();
    }
}

fn with_file(path: &Path, home: Option<&Path>) -> User<'static> {
    let (file, home) = (Some(path.to_owned()), home.map(Path::to_owned));
    User::with(StudioOptions { file, home, ..StudioOptions::default() })
}

fn poses(user: &User<'_>) -> Vec<String> {
    user.studio().document().stored_poses().iter().map(|pose| pose.name.clone()).collect()
}

fn says(user: &User<'_>, words: &str) -> bool {
    user.harness.query_all_by_label_contains(words).next().is_some()
}

fn twist(user: &mut User<'_>) {
    user.click("Joint bone_0");
    for key in [Key::T, Key::Num9, Key::Enter] {
        user.press(Modifiers::NONE, key);
    }
    assert!(user.studio().is_modified());
}

#[test]
fn a_project_that_another_studio_has_open_is_opened_as_a_copy_after_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = project(folder.path());
    let first = with_file(&path, None);
    let before = std::fs::read(journal_path(&path)).unwrap();
    let mut second = with_file(&path, None);
    assert!(says(&second, "is open in another Sinew"));
    second.click("Open a copy");
    assert_eq!(poses(&second), ["saved"]);
    let other = folder.path().join("mine.sinew");
    second.studio_mut().answer_next_dialog(&other);
    second.menu("File", "Save");
    assert!(other.exists(), "{:?}", second.studio().last_failure());
    assert_eq!(std::fs::read(journal_path(&path)).unwrap(), before);
    drop(first);
}

#[test]
fn saving_over_a_file_that_somebody_changed_asks_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = project(folder.path());
    let mut user = with_file(&path, None);
    twist(&mut user);
    put(&path, &bytes_with("theirs"));
    user.menu("File", "Save");
    assert!(says(&user, "was changed by another program"));
    user.click("Go back");
    assert_eq!(std::fs::read(&path).unwrap(), bytes_with("theirs"));
    user.menu("File", "Save");
    let other = folder.path().join("mine.sinew");
    user.studio_mut().answer_next_dialog(&other);
    user.click("Save under another name");
    assert!(other.exists() && !user.studio().is_modified());
    assert_eq!(std::fs::read(&path).unwrap(), bytes_with("theirs"));
}

#[test]
fn the_next_start_offers_a_saved_project_and_names_its_character() {
    let folder = tempfile::tempdir().unwrap();
    let path = project(folder.path());
    let home = folder.path().join("home");
    crash(&path, &Guard::in_folder(&home.join("recovery")));
    let mut user = User::at_home(&home);
    assert!(says(&user, "hero.sinew' (box) was not closed properly. 2 later edits"));
    user.click("Recover");
    assert_eq!(poses(&user), ["saved", "a", "b"]);
    // Asked for by name, it is asked about once.
    drop(user);
    let mut user = with_file(&path, Some(&home));
    user.click("Not now");
    assert!(!user.has("Recover"));
    drop(user);
    let mut user = with_file(&path, Some(&home));
    user.click("Discard");
    assert_eq!(poses(&user), ["saved"]);
}

#[test]
fn what_a_crash_left_does_not_take_the_place_of_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let lost = project(folder.path());
    let asked = folder.path().join("asked.sinew");
    put(&asked, &bytes_with("asked for"));
    let home = folder.path().join("home");
    let guard = Guard::in_folder(&home.join("recovery"));
    for (answer, expected) in [
        ("Not now", vec!["asked for"]),
        ("Recover instead", vec!["saved", "a", "b"]),
        ("Discard", vec!["asked for"]),
    ] {
        if answer == "Not now" {
            crash(&lost, &guard);
        }
        let mut user = with_file(&asked, Some(&home));
        assert!(says(&user, "hero.sinew' (box) was not closed properly. 2 later edits"));
        assert!(says(&user, "'asked.sinew' is open. It stays open unless you recover"));
        user.click(answer);
        assert_eq!(poses(&user), expected, "{answer}");
    }
    // That was the last of it.
    assert!(!journal_path(&lost).exists());
    assert_eq!(std::fs::read(&lost).unwrap(), bytes_with("saved"));
}

#[test]
fn names_of_thousands_of_letters_leave_the_view_its_room() {
    let folder = tempfile::tempdir().unwrap();
    let long = "a very long name ".repeat(147) + &"x".repeat(2500);
    let options = sinew::sample::SampleOptions::new(sinew::sample::SampleKind::Cylinder);
    let width = |name: &str| {
        let mut character = sinew::sample::build(&options).unwrap();
        let mut joints = character.skeleton.joints().to_vec();
        joints[0].name = name.into();
        character.skeleton = sinew::skeleton::Skeleton::new(joints).unwrap();
        let path = folder.path().join("named.glb");
        sinew_io::write_character(&path, &character, &sinew_io::WriteOptions::default()).unwrap();
        let mut document = Document::open(Source::embed(&path).unwrap(), None).unwrap();
        document.apply(&store(name)).unwrap();
        let path = folder.path().join("named.sinew");
        put(&path, &project::to_bytes(&document).unwrap());
        let mut user = with_file(&path, None);
        user.click(&format!("Joint {name}"));
        user.click("History");
        user.click(&format!("Take pose {name}"));
        user.settle();
        // All of it can be reached.
        for (_, label, rect) in user.controls() {
            let label = label.unwrap_or_default();
            let window = user.harness.ctx.content_rect();
            let is_seen = rect.right() <= window.right() && rect.left() >= window.left();
            assert!(is_seen, "{label:.40} lies at {rect:?}");
        }
        assert!(user.has(&format!("More about pose {name}")));
        user.studio().first_view_rect().width()
    };
    let (short, long) = (width("a"), width(&long));
    assert!((short - long).abs() < 80.0, "the view is {short} wide, then {long}");
}

#[test]
fn what_does_not_fit_a_changed_project_is_kept_and_said_where() {
    let folder = tempfile::tempdir().unwrap();
    let path = project(folder.path());
    crash(&path, &Guard::default());
    put(&path, &bytes_with("theirs"));
    let mut user = with_file(&path, None);
    assert!(says(&user, "The file was changed after they were made"));
    user.click("Open without them");
    assert_eq!(poses(&user), ["theirs"]);
    let words = user.studio().last_failure().unwrap();
    assert!(words.contains("hero.sinew.journal-20"), "{words}");
}

#[cfg(unix)]
#[test]
fn the_bottom_line_says_that_autosave_is_off_for_as_long_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = project(folder.path());
    std::os::unix::fs::symlink("elsewhere", journal_path(&path)).unwrap();
    let user = with_file(&path, None);
    assert!(says(&user, "Autosave is off"));
    assert!(user.studio().last_failure().is_some_and(|words| words.contains("is a link")));
    // With a place of its own it is on.
    let user = with_file(&path, Some(&folder.path().join("home")));
    assert!(!says(&user, "Autosave"));
    assert!(std::fs::symlink_metadata(folder.path().join("elsewhere")).is_err());
}

#[test]
fn what_was_edited_while_another_file_was_opening_is_asked_about() {
    let home = tempfile::tempdir().unwrap();
    let path = project(home.path());
    crash(&path, &Guard::in_folder(&home.path().join("recovery")));
    // The question waits while something is edited; recovering does not throw that away.
    let mut user = with_file(&home.path().join("none.sinew"), None);
    user.click("Joint upper_arm_l");
    for key in [Key::T, Key::Num9, Key::Enter] {
        user.press(Modifiers::NONE, key);
    }
    user.studio_mut().answer_next_dialog(&path);
    user.menu("File", "Open…");
    user.click("Discard changes");
    user.click("Recover");
    assert_eq!(poses(&user), ["saved", "a", "b"]);
}
