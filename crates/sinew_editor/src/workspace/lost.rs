//! What a crash left behind: of documents without a file, and of projects that were open.

use std::path::{Path, PathBuf};

use super::{Guard, Opened, Workspace};
use crate::journal::journal_path;
use crate::seam::Lies;

impl Workspace {
    /// What a crash left behind, with its edits: documents without a file, in the recovery folder,
    /// and projects that were open. Those that nothing was done to are cleared away. Those that
    /// `is_known` are passed over unread.
    pub fn lost_and_found(guard: &Guard, is_known: impl Fn(&Path) -> bool) -> Vec<Opened> {
        let mut found = Vec::new();
        for shadow in shadows(guard) {
            if is_known(&shadow) || guard.is_in_use(&shadow) {
                continue;
            }
            // Somebody may be about to begin its journal.
            let looked = guard.storage.look(&journal_path(&shadow));
            let has_journal = !matches!(looked, Ok(Lies::Nothing));
            if !has_journal && is_new(guard, &shadow) {
                continue;
            }
            let opened = Self::open(&shadow, guard).map(|opened| {
                guard.mark_closed(&shadow);
                let workspace = Self { path: None, shadow: Some(shadow), ..opened.workspace };
                Opened { workspace, ..opened }
            });
            // Written by a newer Sinew, perhaps: it is not ours to throw away.
            found.extend(opened.ok().and_then(keep_if_lost));
        }
        for project in guard.marked() {
            if is_known(&project) || guard.is_in_use(&project) {
                continue;
            }
            match Self::open(&project, guard) {
                Ok(opened) => found.extend(keep_if_lost(opened)),
                // Gone, or no project any more: opening it will say what lies beside it.
                Err(_) => guard.mark_closed(&project),
            }
        }
        found
    }
}

fn keep_if_lost(mut opened: Opened) -> Option<Opened> {
    if opened.recovery.is_some() {
        return Some(opened);
    }
    opened.workspace.close();
    None
}

/// The copies of documents without a file.
fn shadows(guard: &Guard) -> Vec<PathBuf> {
    let folder = guard.recovery_folder.as_ref();
    let entries = folder.and_then(|folder| guard.storage.list(folder).ok()).unwrap_or_default();
    let is_project = |path: &PathBuf| path.extension().is_some_and(|end| end == "sinew");
    entries.into_iter().filter(is_project).collect()
}

/// True if a file was written within the last minute, or nobody knows.
fn is_new(guard: &Guard, path: &Path) -> bool {
    const NEW: std::time::Duration = std::time::Duration::from_secs(60);
    let age = |time| guard.storage.now().duration_since(time).ok();
    guard.storage.written_at(path).and_then(age).is_none_or(|age| age < NEW)
}
