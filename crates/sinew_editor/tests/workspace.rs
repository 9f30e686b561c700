//! Projects on the disk: saving, opening, recovering, and files that are none.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;

use common::document;
use sinew_editor::journal::{Recovery, journal_path};
use sinew_editor::{
    Axis, Document, Edit, Guard, JointRef, Opened, PoseEdit, Source, Workspace, project,
};

fn twist(degrees: f64) -> Edit {
    PoseEdit::RotateJoint { joint: JointRef::from("#1"), axis: Axis::Twist, degrees }.into()
}

fn open(path: &Path) -> Opened {
    Workspace::open(path, &Guard::default()).unwrap()
}

fn apply(workspace: &mut Workspace, edit: Edit) {
    workspace.editor_mut().apply(edit).unwrap();
    workspace.tick();
    assert!(workspace.take_journal_trouble().is_none());
}

#[test]
fn what_is_saved_opens_as_it_was_and_offers_nothing_to_recover() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    let mut workspace = Workspace::unguarded(document());
    apply(&mut workspace, twist(30.0));
    apply(&mut workspace, PoseEdit::StorePose { name: "thirty".into() }.into());
    workspace.save_as(&path).unwrap();
    assert!(!workspace.editor().is_modified());
    let saved = workspace.editor().document().clone();
    workspace.close();
    let mut opened = open(&path);
    assert!(opened.recovery.is_none());
    assert_eq!(*opened.workspace.editor().document(), saved);
    opened.workspace.close();
    assert!(!journal_path(&path).exists());
}

#[test]
fn a_declined_recovery_is_gone_and_the_file_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    let mut workspace = Workspace::unguarded(document());
    workspace.save_as(&path).unwrap();
    apply(&mut workspace, twist(30.0));
    // As a crash does: the journal stays.
    drop(workspace);
    let mut opened = open(&path);
    assert_eq!(opened.recovery.as_ref().map(|r| r.entries.len()), Some(1));
    let recovery = opened.recovery.take().unwrap();
    assert_eq!(opened.workspace.decline_recovery(&recovery), None);
    assert_eq!(opened.workspace.editor().document().pose().joints[1].twist_radians, 0.0);
    drop(opened);
    assert!(open(&path).recovery.is_none());
}

#[test]
fn what_was_recovered_survives_a_second_crash_and_an_undo_past_the_save() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    let mut workspace = Workspace::unguarded(document());
    apply(&mut workspace, twist(10.0));
    workspace.save_as(&path).unwrap();
    workspace.editor_mut().undo();
    workspace.tick();
    drop(workspace);
    for _ in 0..2 {
        let mut opened = open(&path);
        let recovery = opened.recovery.take().unwrap();
        assert_eq!(opened.workspace.recover(&recovery).num_left, 0);
        assert_eq!(opened.workspace.editor().document().pose().joints[1].twist_radians, 0.0);
        assert!(opened.workspace.editor().is_modified());
        drop(opened);
    }
}

#[test]
fn a_journal_cut_off_in_the_middle_of_a_line_gives_all_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sinew");
    let mut workspace = Workspace::unguarded(document());
    workspace.save_as(&path).unwrap();
    for _ in 0..5 {
        apply(&mut workspace, twist(1.0));
    }
    drop(workspace);
    let whole = std::fs::read(journal_path(&path)).unwrap();
    let mut seen = Vec::new();
    for length in 0..whole.len() {
        sinew_io::write_atomically(&journal_path(&path), |file| {
            std::io::Write::write_all(file, &whole[..length])
        })
        .unwrap();
        let content = sinew_editor::journal::Fingerprint::of(&std::fs::read(&path).unwrap());
        let journal = std::fs::read(journal_path(&path)).unwrap();
        let found = Recovery::of(&journal_path(&path), &journal, content);
        seen.push(found.map_or(0, |recovery| recovery.entries.len()));
    }
    assert!(seen.is_sorted());
    assert_eq!((seen[0], *seen.last().unwrap()), (0, 4));
}

#[test]
fn a_document_without_a_file_is_found_again_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let guard = Guard::in_folder(folder.path());
    let lost = || Workspace::lost_and_found(&guard, |_| false);
    let mut workspace = Workspace::untitled(document(), &guard, None).unwrap();
    apply(&mut workspace, twist(30.0));
    let untouched = Workspace::untitled(document(), &guard, None).unwrap();
    assert!(lost().is_empty(), "both are at work");
    let expected = workspace.editor().document().clone();
    drop((workspace, untouched));
    let mut found = lost();
    assert_eq!(found.len(), 1);
    let mut opened = found.remove(0);
    let recovery = opened.recovery.take().unwrap();
    assert_eq!(opened.workspace.recover(&recovery).num_left, 0);
    assert_eq!(*opened.workspace.editor().document(), expected);
    assert_eq!(opened.workspace.path(), None);
    let path = folder.path().join("kept/hero.sinew");
    std::fs::create_dir(path.parent().unwrap()).unwrap();
    opened.workspace.save_as(&path).unwrap();
    drop(opened);
    assert!(lost().is_empty());
    assert_eq!(*open(&path).workspace.editor().document(), expected);
}

#[test]
fn a_file_is_kept_inside_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tube.glb");
    let character = document().character().clone();
    sinew_io::write_character(&file, &character, &sinew_io::WriteOptions::default()).unwrap();
    let source = Source::embed(&file).unwrap();
    let document = Document::open(source, None).unwrap();
    let bytes = project::to_bytes(&document).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(project::from_bytes(&bytes, None).unwrap(), document);
}

#[test]
fn what_is_no_project_is_refused_and_nothing_panics() {
    let whole = project::to_bytes(&document()).unwrap();
    for length in 0..whole.len() {
        assert!(project::from_bytes(&whole[..length], None).is_err(), "{length} bytes");
    }
    for place in 0..whole.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[place] ^= mask;
            // Read or refused; some bytes of a ZIP say nothing.
            _ = project::from_bytes(&bytes, None);
        }
    }
    let error = project::from_bytes(b"hello", None).unwrap_err().to_string();
    assert!(error.contains("not a Sinew project"), "{error}");
}
