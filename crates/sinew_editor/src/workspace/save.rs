//! Saving.

use std::path::{Path, PathBuf};

use super::Workspace;
use crate::journal::Fingerprint;
use crate::project::{self, ProjectError};

impl Workspace {
    /// Saves to the project's own file; false if it has none.
    ///
    /// # Errors
    /// As [`Workspace::save_as`].
    pub fn save(&mut self) -> Result<bool, ProjectError> {
        match self.path.clone() {
            Some(path) => self.save_as(&path).map(|_| true),
            None => Ok(false),
        }
    }

    /// Saves to a file, which is the project's own from then on. The old content is there until the
    /// new one is whole. Says where unsaved work of another project lies that this one replaces.
    ///
    /// # Errors
    /// If it cannot be written; if another studio has that project open; or if the project's own
    /// file has changed since it was opened or saved ([`ProjectError::Changed`]).
    pub fn save_as(&mut self, path: &Path) -> Result<Vec<PathBuf>, ProjectError> {
        if self.is_own(path) && self.has_changed(path) {
            return Err(ProjectError::Changed { path: path.to_owned() });
        }
        self.save_over(path)
    }

    /// The same over a file that has changed since.
    ///
    /// # Errors
    /// If it cannot be written, or another studio has that project open.
    pub fn save_over(&mut self, path: &Path) -> Result<Vec<PathBuf>, ProjectError> {
        self.editor.commit();
        let is_own = self.is_own(path);
        if !is_own && self.guard.is_in_use(path) {
            return Err(ProjectError::InUse { path: path.to_owned() });
        }
        let bytes = project::to_bytes(self.editor.document())?;
        let content = Fingerprint::of(&bytes);
        self.tick();
        if is_own && let Some(journal) = &mut self.journal {
            journal.announce(content);
        }
        if let Err(source) = self.guard.storage.write(path, &bytes, None) {
            if is_own && let Some(journal) = &mut self.journal {
                journal.retract();
            }
            return Err(ProjectError::Io { path: path.to_owned(), source });
        }
        self.editor.mark_saved();
        self.content = Some(content);
        if is_own && let Some(journal) = &mut self.journal {
            journal.begin(content);
            return Ok(Vec::new());
        }
        if !is_own {
            self.forget(self.path.clone().as_deref());
            self.path = Some(path.to_owned());
            self.copy_of = None;
        }
        Ok(self.start_journal())
    }

    fn is_own(&self, path: &Path) -> bool {
        let storage = &self.guard.storage;
        self.path.as_ref().is_some_and(|own| storage.resolve(own) == storage.resolve(path))
    }

    /// True if the file is no longer what was read or written last. One that is gone is none that
    /// could be lost.
    fn has_changed(&self, path: &Path) -> bool {
        let found = self.guard.storage.read(path).ok();
        let found = found.map(|bytes| Fingerprint::of(&bytes));
        found.is_some_and(|found| self.content != Some(found))
    }
}
