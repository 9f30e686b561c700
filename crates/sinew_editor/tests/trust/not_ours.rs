//! What lies where a journal would is written to only if it is one.

use sinew_editor::journal::{JournalError, journal_path};
use sinew_editor::{Autosave, Guard, Workspace};

use crate::{apply, num_poses, open, put, saved, store};

#[cfg(unix)]
#[test]
fn a_journal_that_is_a_link_is_never_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    let target = folder.path().join("letters.txt");
    // Even a link to what would be a journal.
    for content in ["my only letters", ""] {
        put(&target, content.as_bytes());
        std::os::unix::fs::symlink("letters.txt", journal_path(&path)).unwrap();
        let mut opened = open(&path);
        assert!(opened.recovery.is_none());
        let trouble = opened.workspace.take_journal_trouble().unwrap();
        assert!(trouble.to_string().contains("is a link"), "{trouble}");
        assert!(opened.workspace.take_journal_trouble().is_none(), "said once");
        apply(&mut opened.workspace, store("a"));
        opened.workspace.save().unwrap();
        opened.workspace.close();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), content);
        assert!(std::fs::symlink_metadata(journal_path(&path)).unwrap().is_symlink());
        std::fs::remove_file(journal_path(&path)).unwrap();
    }
}

#[test]
fn a_file_or_a_folder_that_is_no_journal_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    for text in ["dear diary\n", "0123abcd {\"not\": \"ours\"}\n", "\0\0\0\0", "deadbeef"] {
        put(&journal_path(&path), text.as_bytes());
        let mut opened = open(&path);
        let trouble = opened.workspace.take_journal_trouble();
        assert!(matches!(trouble, Some(JournalError::NotOurs { .. })), "{text:?}: {trouble:?}");
        apply(&mut opened.workspace, store("a"));
        opened.workspace.close();
        assert_eq!(std::fs::read(journal_path(&path)).unwrap(), text.as_bytes());
    }
    std::fs::remove_file(journal_path(&path)).unwrap();
    std::fs::create_dir(journal_path(&path)).unwrap();
    let mut opened = open(&path);
    assert!(matches!(opened.workspace.autosave(), Autosave::Off { why: Some(_) }));
    opened.workspace.close();
    assert!(journal_path(&path).is_dir());
}

#[test]
fn where_no_journal_can_lie_beside_a_project_one_lies_elsewhere_and_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let guard = Guard::in_folder(&folder.path().join("recovery"));
    let path = saved(folder.path());
    put(&journal_path(&path), b"dear diary");
    let mut opened = Workspace::open(&path, &guard).unwrap();
    assert_eq!(opened.workspace.autosave(), Autosave::On);
    apply(&mut opened.workspace, store("a"));
    drop(opened);
    // Whether what was in the way is still there or not.
    for is_in_the_way in [true, false] {
        if !is_in_the_way {
            std::fs::remove_file(journal_path(&path)).unwrap();
        }
        let mut opened = Workspace::open(&path, &guard).unwrap();
        let recovery = opened.recovery.take().expect("the other journal");
        assert_eq!(opened.workspace.recover(&recovery).num_done, 1);
        assert_eq!(num_poses(opened.workspace.editor().document()), 1);
        drop(opened);
    }
    let mut opened = Workspace::open(&path, &guard).unwrap();
    opened.workspace.close();
    assert_eq!(std::fs::read_dir(folder.path().join("recovery")).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn what_is_kept_of_a_private_file_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let guard = Guard::in_folder(&folder.path().join("recovery"));
    let own = open(&path);
    assert_eq!(mode(&journal_path(&path)), 0o600);
    // A copy, since the first is open.
    let copy = Workspace::open(&path, &guard).unwrap();
    let shadow = copy.workspace.home().unwrap();
    assert_eq!((mode(shadow), mode(&journal_path(shadow))), (0o600, 0o600));
    drop((own, copy));
}
