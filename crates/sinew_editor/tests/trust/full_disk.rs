//! A disk that is full for a while, and a plug that is pulled at any byte.

use std::sync::Arc;

use sinew_editor::journal::{JournalError, journal_path};
use sinew_editor::project::ProjectError;
use sinew_editor::{Autosave, Guard, Workspace};

use crate::common::faulty::Faulty;
use crate::{apply, num_poses, open, saved, store};

fn on(disk: &Faulty) -> Guard {
    Guard { storage: Arc::new(disk.clone()), recovery_folder: None }
}

#[test]
fn a_full_disk_ruins_nothing_and_all_is_written_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    for room in 0..120 {
        let disk = Faulty::new();
        let mut workspace = Workspace::open(&path, &on(&disk)).unwrap().workspace;
        apply(&mut workspace, store("before"));
        assert_eq!(workspace.autosave(), Autosave::On);
        disk.set_room(room);
        for name in ["full 1", "full 2", "full 3"] {
            apply(&mut workspace, store(name));
        }
        let Autosave::Waiting { num_edits, why } = workspace.autosave() else { panic!("{room}") };
        assert!((2..=3).contains(&num_edits), "{num_edits}");
        assert!(matches!(why, JournalError::NoRoom { .. }), "{why}");
        assert!(workspace.take_journal_trouble().is_some());
        // What is on the disk is whole.
        let journal = std::fs::read(journal_path(&path)).unwrap();
        assert_eq!(journal.last(), Some(&b'\n'));
        workspace.sync();
        assert!(workspace.take_journal_trouble().is_none(), "said once");
        disk.empty();
        if room % 2 == 0 {
            workspace.sync();
            assert_eq!(workspace.autosave(), Autosave::On);
        }
        for name in ["after 1", "after 2", "after 3"] {
            apply(&mut workspace, store(name));
        }
        assert_eq!(workspace.autosave(), Autosave::On);
        drop(workspace);
        let mut opened = open(&path);
        let recovery = opened.recovery.take().unwrap();
        assert_eq!((recovery.entries.len(), recovery.num_damaged), (7, 0), "room for {room}");
        opened.workspace.decline_recovery(&recovery);
        opened.workspace.close();
    }
}

#[test]
fn a_project_that_does_not_fit_on_the_disk_leaves_the_old_one_and_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    let disk = Faulty::new();
    let mut workspace = Workspace::open(&path, &on(&disk)).unwrap().workspace;
    apply(&mut workspace, store("a"));
    disk.set_room(10);
    assert!(matches!(workspace.save(), Err(ProjectError::Io { .. })));
    apply(&mut workspace, store("b"));
    assert!(workspace.editor().is_modified());
    disk.empty();
    workspace.sync();
    drop(workspace);
    let mut opened = open(&path);
    assert_eq!(opened.workspace.recover(&opened.recovery.take().unwrap()).num_done, 2);
}

#[test]
fn a_save_that_failed_does_not_cut_an_undo_off_from_its_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    for room in [0, 40, 100, 200] {
        let disk = Faulty::new();
        let mut workspace = Workspace::open(&path, &on(&disk)).unwrap().workspace;
        apply(&mut workspace, store("a"));
        workspace.editor_mut().undo();
        workspace.tick();
        // As it is on the disk already, and still it is saved; or not.
        disk.set_room(room);
        assert!(workspace.save().is_err());
        disk.empty();
        workspace.editor_mut().redo();
        workspace.tick();
        drop(workspace);
        let mut opened = open(&path);
        let recovery = opened.recovery.take().unwrap();
        assert_eq!(opened.workspace.recover(&recovery).num_left, 0, "room for {room}");
        assert_eq!(num_poses(opened.workspace.editor().document()), 1, "room for {room}");
        opened.workspace.close();
    }
}

/// Edits, undoes and saves; how many steps must be there whatever happens.
fn work(workspace: &mut Workspace, disk: &Faulty) -> Vec<usize> {
    let mut seen = vec![num_poses(workspace.editor().document())];
    for round in 0..3 {
        for name in ["a", "b", "c"] {
            apply(workspace, store(&format!("{name} {round}")));
            if disk.is_dead() {
                return seen;
            }
            seen = vec![num_poses(workspace.editor().document())];
        }
        workspace.editor_mut().undo();
        workspace.tick();
        if disk.is_dead() {
            seen.push(num_poses(workspace.editor().document()));
            return seen;
        }
        seen = vec![num_poses(workspace.editor().document())];
        _ = workspace.save();
        if disk.is_dead() {
            return seen;
        }
    }
    seen
}

#[test]
fn a_plug_pulled_at_any_byte_loses_nothing_that_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    let start = std::fs::read(&path).unwrap();
    let mut fuse = 0;
    loop {
        crate::put(&path, &start);
        _ = std::fs::remove_file(journal_path(&path));
        let disk = Faulty::new();
        disk.light_fuse(fuse);
        let mut workspace = Workspace::open(&path, &on(&disk)).unwrap().workspace;
        let mut seen = vec![0];
        if !disk.is_dead() {
            seen = work(&mut workspace, &disk);
        }
        let is_over = !disk.is_dead();
        let last = num_poses(workspace.editor().document());
        drop(workspace);
        let mut opened = open(&path);
        if let Some(recovery) = opened.recovery.take() {
            opened.workspace.recover(&recovery);
        }
        let found = num_poses(opened.workspace.editor().document());
        // Or the one that was being written when the plug was pulled.
        seen.push(last);
        assert!(seen.contains(&found), "fuse {fuse}: {found}, not one of {seen:?}");
        opened.workspace.close();
        if is_over {
            break;
        }
        // Every byte of the lines; projects are written whole or not at all.
        fuse += if fuse < 2000 { 7 } else { 131 };
    }
    assert!(fuse > 2000, "{fuse}");
}
