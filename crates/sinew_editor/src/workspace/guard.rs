//! Where and how unsaved work is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::journal::{Fingerprint, Journal, JournalError, Recovery, journal_path};
use crate::seam::{Disk, Storage};

/// Where and how unsaved work is kept.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Where files are.
    pub storage: Arc<dyn Storage>,
    /// Where documents without a file keep their journals, and projects where none can lie beside
    /// them; `None` keeps none.
    pub recovery_folder: Option<PathBuf>,
}

impl Default for Guard {
    /// On the disk; documents without a file are not kept.
    fn default() -> Self {
        Self { storage: Arc::new(Disk), recovery_folder: None }
    }
}

/// What the journals of a project were found to be.
#[derive(Debug)]
pub(super) enum Found {
    /// Another studio writes it.
    InUse,
    /// To go on with; with what it has that the project has not.
    Journal(Box<Journal>, Option<Recovery>),
    /// There is no place for one.
    NoPlace(JournalError),
}

impl Guard {
    /// On the disk, with a folder for documents without a file.
    pub fn in_folder(recovery_folder: &Path) -> Self {
        Self { recovery_folder: Some(recovery_folder.to_owned()), ..Self::default() }
    }

    /// Opens the journal of a project, or makes one: beside it, or else in the recovery folder.
    pub(super) fn journal_of(&self, project: &Path, content: Fingerprint) -> Found {
        let project = self.storage.resolve(project);
        let beside = self.journal_at(&journal_path(&project), &project, content);
        let trouble = match beside {
            Err(JournalError::InUse { .. }) => return Found::InUse,
            // A journal elsewhere is there only if there was no place here at the time.
            Ok((journal, None)) => match self.elsewhere(&project, content) {
                Some(Found::Journal(other, recovery @ Some(_))) => {
                    // An empty one, just opened or made.
                    _ = journal.remove();
                    return Found::Journal(other, recovery);
                }
                Some(Found::InUse) => return Found::InUse,
                Some(Found::Journal(other, None)) => {
                    _ = other.remove();
                    return Found::Journal(Box::new(journal), None);
                }
                _ => return Found::Journal(Box::new(journal), None),
            },
            Ok((journal, recovery)) => return Found::Journal(Box::new(journal), recovery),
            Err(trouble) => trouble,
        };
        let Some(path) = self.path_elsewhere(&project) else { return Found::NoPlace(trouble) };
        if let Some(folder) = &self.recovery_folder {
            // A folder that cannot be made is a journal that cannot be.
            _ = self.storage.make_folder(folder);
        }
        match self.journal_at(&path, &project, content) {
            Ok((journal, recovery)) => {
                Found::Journal(Box::new(journal.of_project(&project)), recovery)
            }
            Err(JournalError::InUse { .. }) => Found::InUse,
            Err(_) => Found::NoPlace(trouble),
        }
    }

    /// The journal in the recovery folder, if there is one.
    fn elsewhere(&self, project: &Path, content: Fingerprint) -> Option<Found> {
        let path = self.path_elsewhere(project)?;
        match Journal::open(&self.storage, &path) {
            Ok(Some((journal, bytes))) => {
                let recovery = Recovery::of(&path, &bytes, content);
                Some(Found::Journal(Box::new(journal.of_project(project)), recovery))
            }
            Err(JournalError::InUse { .. }) => Some(Found::InUse),
            Ok(None) | Err(_) => None,
        }
    }

    fn journal_at(
        &self,
        path: &Path,
        project: &Path,
        content: Fingerprint,
    ) -> Result<(Journal, Option<Recovery>), JournalError> {
        match Journal::open(&self.storage, path)? {
            Some((journal, bytes)) => {
                let recovery = Recovery::of(path, &bytes, content);
                Ok((journal, recovery))
            }
            None => Ok((Journal::create(&self.storage, path, Some(project))?, None)),
        }
    }

    /// True while somebody writes a journal of that project.
    pub(super) fn is_in_use(&self, project: &Path) -> bool {
        let project = self.storage.resolve(project);
        let places = [Some(journal_path(&project)), self.path_elsewhere(&project)];
        places.into_iter().flatten().any(|path| {
            let opened = Journal::open(&self.storage, &path);
            matches!(opened, Err(JournalError::InUse { .. }))
        })
    }

    fn path_elsewhere(&self, project: &Path) -> Option<PathBuf> {
        Some(self.recovery_folder.as_ref()?.join(format!("{}.journal", tag(project))))
    }

    /// Remembers in the recovery folder that a project is open: the next start looks there.
    pub(super) fn mark_open(&self, project: &Path) {
        let Some((folder, path)) = self.recovery_folder.as_ref().zip(self.mark_of(project)) else {
            return;
        };
        let project = self.storage.resolve(project);
        let Some(text) = project.to_str() else { return };
        // Without it the next start does not ask; opening the project still does.
        _ = self.storage.make_folder(folder);
        _ = self.storage.write(&path, text.as_bytes(), Some(&project));
    }

    pub(super) fn mark_closed(&self, project: &Path) {
        if let Some(path) = self.mark_of(project) {
            _ = self.storage.remove(&path);
        }
    }

    /// The projects that were open.
    pub(super) fn marked(&self) -> Vec<PathBuf> {
        let folder = self.recovery_folder.as_ref();
        let entries = folder.and_then(|folder| self.storage.list(folder).ok()).unwrap_or_default();
        let is_mark = |path: &&PathBuf| path.extension().is_some_and(|end| end == MARK);
        let read = |path: &PathBuf| String::from_utf8(self.storage.read(path).ok()?).ok();
        entries.iter().filter(is_mark).filter_map(read).map(PathBuf::from).collect()
    }

    fn mark_of(&self, project: &Path) -> Option<PathBuf> {
        let project = self.storage.resolve(project);
        Some(self.recovery_folder.as_ref()?.join(format!("{}.{MARK}", tag(&project))))
    }
}

/// The ending of a file that names an open project.
const MARK: &str = "open";

/// A name for a project's path.
fn tag(project: &Path) -> String {
    let bytes = project.as_os_str().as_encoded_bytes();
    let stem = project.file_stem().unwrap_or_default().to_string_lossy();
    let short: String = stem.chars().filter(|c| c.is_alphanumeric()).take(24).collect();
    format!("project-{short}-{:08x}{:04x}", crc32fast::hash(bytes), bytes.len())
}
