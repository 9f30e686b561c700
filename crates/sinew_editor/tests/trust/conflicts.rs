//! Journals that do not go with their project, and files that others have open or have changed.

use std::path::Path;

use sinew_editor::journal::{Fit, journal_path};
use sinew_editor::project::ProjectError;
use sinew_editor::{Guard, Opened, PoseEdit, Workspace, project};

use crate::common::document;
use crate::{apply, asides, crashed, num_poses, open, put, saved, store, twist};

/// Opens, recovers, and says how many edits came back and how many did not.
fn recover(path: &Path) -> (Workspace, usize, usize) {
    let Opened { mut workspace, recovery, .. } = open(path);
    let outcome = workspace.recover(&recovery.expect("something to recover"));
    assert_eq!(outcome.aside.is_some(), outcome.num_left > 0, "{outcome:?}");
    (workspace, outcome.num_done, outcome.num_left)
}

#[test]
fn a_project_changed_outside_after_a_crash_keeps_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    crashed(&path, 3);
    let before = std::fs::read(journal_path(&path)).unwrap();
    // Somebody else twists and saves.
    let mut other = document();
    other.apply(&twist(30.0)).unwrap();
    let outside = project::to_bytes(&other).unwrap();
    put(&path, &outside);
    let opened = open(&path);
    let recovery = opened.recovery.expect("asked about");
    assert_eq!((recovery.fit, recovery.entries.len()), (Fit::OtherContent, 3));
    // Nothing happens to it before the user has said something.
    drop(opened.workspace);
    assert_eq!(std::fs::read(journal_path(&path)).unwrap(), before);

    let Opened { mut workspace, recovery, .. } = open(&path);
    let outcome = workspace.recover(&recovery.unwrap());
    assert_eq!((outcome.num_done, outcome.num_left), (3, 0));
    let aside = outcome.aside.expect("kept all the same: it was not made for this content");
    assert_eq!(std::fs::read(&aside).unwrap(), before);
    assert_eq!(asides(&path), [aside]);
    let document = workspace.editor().document();
    assert_eq!((num_poses(document), document.pose()), (3, other.pose()));
    assert_eq!(std::fs::read(&path).unwrap(), outside, "saved only by the user");
    // What was recovered survives the next crash.
    drop(workspace);
    assert_eq!(open(&path).recovery.unwrap().entries.len(), 3);
}

#[test]
fn declined_it_is_kept_under_a_name_with_the_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    crashed(&path, 3);
    let before = std::fs::read(journal_path(&path)).unwrap();
    let mut other = document();
    other.apply(&twist(30.0)).unwrap();
    put(&path, &project::to_bytes(&other).unwrap());
    let Opened { mut workspace, recovery, .. } = open(&path);
    let aside = workspace.decline_recovery(&recovery.unwrap()).expect("where it lies");
    assert_eq!(std::fs::read(aside).unwrap(), before);
    drop(workspace);
    assert!(open(&path).recovery.is_none());
}

#[test]
fn one_damaged_line_costs_one_edit_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    crashed(&path, 20);
    let whole = std::fs::read(journal_path(&path)).unwrap();
    for damaged_line in [1, 3, 20] {
        let mut lines: Vec<Vec<u8>> = whole.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        let middle = lines[damaged_line].len() / 2;
        lines[damaged_line][middle] ^= 0x10;
        put(&journal_path(&path), &lines.join(&b'\n'));
        let (workspace, num_done, num_left) = recover(&path);
        assert_eq!((num_done, num_left), (19, 1), "line {damaged_line}");
        assert_eq!(num_poses(workspace.editor().document()), 19);
        drop(workspace);
    }
    assert_eq!(asides(&path).len(), 3);
}

#[test]
fn an_undo_behind_a_damaged_line_undoes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    let mut workspace = open(&path).workspace;
    for name in ["a", "b", "c"] {
        apply(&mut workspace, store(name));
    }
    workspace.editor_mut().undo();
    apply(&mut workspace, store("d"));
    drop(workspace);
    let text = std::fs::read_to_string(journal_path(&path)).unwrap();
    // The step that was undone: without it the undo would take back another.
    put(&journal_path(&path), text.replace("Store pose c", "Store pose C").as_bytes());
    let (workspace, num_done, num_left) = recover(&path);
    assert_eq!((num_done, num_left), (3, 2));
    let names: Vec<&str> =
        workspace.editor().document().stored_poses().iter().map(|pose| &*pose.name).collect();
    assert_eq!(names, ["a", "b", "d"]);
}

#[test]
fn a_journal_of_a_newer_sinew_is_kept_and_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    let json = r#"{"journal":2,"base":"in another way"}"#;
    let text = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
    put(&journal_path(&path), text.as_bytes());
    let Opened { mut workspace, recovery, .. } = open(&path);
    let recovery = recovery.expect("asked about");
    assert_eq!((recovery.fit, recovery.entries.len()), (Fit::TooNew { found: 2 }, 0));
    let aside = workspace.decline_recovery(&recovery).unwrap();
    assert_eq!(std::fs::read_to_string(aside).unwrap(), text);
}

#[test]
fn edits_that_do_not_fit_are_passed_over_counted_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    let mut workspace = open(&path).workspace;
    apply(&mut workspace, store("a"));
    apply(&mut workspace, PoseEdit::RenamePose { from: "a".into(), to: "b".into() }.into());
    apply(&mut workspace, store("c"));
    drop(workspace);
    // Outside, a pose of that name came.
    let mut other = document();
    other.apply(&store("b")).unwrap();
    put(&path, &project::to_bytes(&other).unwrap());
    let Opened { mut workspace, recovery, .. } = open(&path);
    let outcome = workspace.recover(&recovery.unwrap());
    assert_eq!((outcome.num_done, outcome.num_left), (2, 1));
    assert!(outcome.fault.unwrap().to_string().contains("'b' already"));
    assert!(outcome.aside.is_some());
    assert_eq!(num_poses(workspace.editor().document()), 3);
}

#[test]
fn saving_over_a_file_that_changed_asks_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    let mut workspace = open(&path).workspace;
    apply(&mut workspace, store("a"));
    let mut other = document();
    other.apply(&twist(30.0)).unwrap();
    let outside = project::to_bytes(&other).unwrap();
    put(&path, &outside);
    let error = workspace.save().unwrap_err();
    assert!(matches!(error, ProjectError::Changed { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), outside);
    assert!(workspace.editor().is_modified());
    workspace.save_over(&path).unwrap();
    apply(&mut workspace, store("b"));
    workspace.save().unwrap();
    drop(workspace);
    assert_eq!(num_poses(open(&path).workspace.editor().document()), 2);
}

#[test]
fn a_second_studio_works_on_a_copy_and_disturbs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let guard = Guard::in_folder(&folder.path().join("recovery"));
    let path = saved(folder.path());
    let mut first = Workspace::open(&path, &guard).unwrap().workspace;
    apply(&mut first, store("a"));
    let mut second = Workspace::open(&path, &guard).unwrap().workspace;
    assert_eq!((second.copy_of(), second.path()), (Some(&*path), None));
    apply(&mut second, store("b"));
    assert!(!second.save().unwrap(), "it has no file yet");
    let error = second.save_as(&path).unwrap_err();
    assert!(matches!(error, ProjectError::InUse { .. }), "{error}");
    second.save_as(&folder.path().join("other.sinew")).unwrap();
    assert_eq!(second.copy_of(), None);
    // By any name of it.
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let winding = folder.path().join("sub/../hero.sinew");
    assert!(Workspace::open(&winding, &guard).unwrap().workspace.copy_of().is_some());
    first.save().unwrap();
    assert!(Workspace::open(&path, &guard).unwrap().workspace.copy_of().is_some(), "and after");
    drop((first, second));
    assert_eq!(num_poses(open(&path).workspace.editor().document()), 1);
}

#[test]
fn saving_over_another_project_keeps_the_unsaved_work_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    crashed(&path, 2);
    let mut workspace = Workspace::unguarded(document());
    let kept = workspace.save_as(&path).unwrap();
    assert_eq!(kept, asides(&path));
    assert_eq!(kept.len(), 1);
}

#[test]
fn the_next_start_finds_what_was_lost_of_saved_projects_too() {
    let folder = tempfile::tempdir().unwrap();
    let guard = Guard::in_folder(&folder.path().join("recovery"));
    let path = saved(folder.path());
    let mut workspace = Workspace::open(&path, &guard).unwrap().workspace;
    apply(&mut workspace, store("a"));
    assert!(Workspace::lost_and_found(&guard, |_| false).is_empty(), "still at work");
    drop(workspace);
    assert!(Workspace::lost_and_found(&guard, |path| path.ends_with("hero.sinew")).is_empty());
    let mut lost = Workspace::lost_and_found(&guard, |_| false);
    assert_eq!(lost.len(), 1);
    let mut found = lost.remove(0);
    assert!(found.workspace.path().unwrap().ends_with("hero.sinew"));
    assert_eq!(found.workspace.recover(&found.recovery.unwrap()).num_done, 1);
    found.workspace.save().unwrap();
    found.workspace.close();
    assert!(Workspace::lost_and_found(&guard, |_| false).is_empty());
    assert_eq!(std::fs::read_dir(folder.path().join("recovery")).unwrap().count(), 0);
}

#[test]
fn a_line_behind_one_that_a_full_disk_cut_off_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    crashed(&path, 5);
    let whole = std::fs::read(journal_path(&path)).unwrap();
    let mut lines: Vec<Vec<u8>> = whole.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    // As an older Sinew left it: half a line, and the next one behind it.
    let next = lines.remove(3);
    let half = lines[2].len() / 2;
    lines[2].truncate(half);
    lines[2].extend(next);
    put(&journal_path(&path), &lines.join(&b'\n'));
    let (_, num_done, num_left) = recover(&path);
    assert_eq!((num_done, num_left), (4, 1));
}
