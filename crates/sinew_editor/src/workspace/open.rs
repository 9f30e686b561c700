//! Opening a project, and what a crash left beside it.

use std::path::{Path, PathBuf};

use super::{Found, Guard, Workspace, folder_of};
use crate::edit::EditError;
use crate::journal::{Fingerprint, JournalError, Recovery};
use crate::project::{self, ProjectError};

/// A project as it is on the disk, and what a crash left beside it.
#[derive(Debug)]
pub struct Opened {
    /// As saved; a copy ([`Workspace::copy_of`]) if another studio has the project open.
    pub workspace: Workspace,
    /// What happened after it was saved; the user decides ([`Workspace::recover`]).
    pub recovery: Option<Recovery>,
    /// What of an older project had no place any more.
    pub warnings: Vec<String>,
}

/// What came of a recovery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recovered {
    /// Edits that were done again.
    pub num_done: usize,
    /// Edits that were not: they cannot be read, or do not fit.
    pub num_left: usize,
    /// Why the first that could be read did not fit.
    pub fault: Option<EditError>,
    /// Where the journal lies now, if something is left in it.
    pub aside: Option<PathBuf>,
}

impl Workspace {
    /// Opens a project. Its file is only read; a journal that has something is left, and locked,
    /// until the user has decided.
    ///
    /// # Errors
    /// If it is no project, or its character cannot be had.
    pub fn open(path: &Path, guard: &Guard) -> Result<Opened, ProjectError> {
        let read = guard.storage.read(path);
        let bytes = read.map_err(|source| ProjectError::Io { path: path.to_owned(), source })?;
        let project::Opened { document, warnings } = project::open(&bytes, folder_of(path))?;
        let content = Fingerprint::of(&bytes);
        let mut workspace = Self { content: Some(content), ..Self::new(document, guard.clone()) };
        let mut found = guard.journal_of(path, content);
        if matches!(found, Found::InUse) {
            workspace.copy_of = Some(path.to_owned());
            if let Err(error) = workspace.keep_shadow(Some(path)) {
                let (path, why) = (path.to_owned(), error.to_string());
                workspace.no_journal = Some(JournalError::Io { path, why });
            }
            return Ok(Opened { workspace, recovery: None, warnings });
        }
        workspace.path = Some(path.to_owned());
        let recovery = match &mut found {
            Found::Journal(_, recovery) => recovery.clone(),
            Found::InUse | Found::NoPlace(_) => None,
        };
        workspace.take_journal(found, content);
        Ok(Opened { workspace, recovery, warnings })
    }

    /// Does again what a crash left behind, as far as it fits. The project's file is not touched:
    /// the document is modified, and the user saves it. A journal of which something is left is put
    /// aside under a name with the date.
    pub fn recover(&mut self, recovery: &Recovery) -> Recovered {
        let replayed = self.editor.replay(&recovery.entries, &recovery.gaps);
        let num_left = replayed.num_skipped + recovery.num_damaged;
        let mut outcome =
            Recovered { num_done: replayed.num_done, num_left, fault: replayed.fault, aside: None };
        if recovery.is_whole() && num_left == 0 {
            // The journal has these entries already, and goes on behind them.
            _ = self.editor.take_entries();
        } else {
            outcome.aside = self.put_journal_aside();
        }
        outcome
    }

    /// Goes on from the file, without what a crash left behind. A journal that did not fit it is
    /// put aside all the same: says where.
    pub fn decline_recovery(&mut self, recovery: &Recovery) -> Option<PathBuf> {
        if !recovery.is_whole() {
            return self.put_journal_aside();
        }
        if let Some((journal, content)) = self.journal.as_mut().zip(self.content) {
            journal.begin(content);
        }
        None
    }

    /// Keeps the old journal under another name, and begins a new one with everything that was done
    /// since the file: what was recovered cannot be lost again.
    fn put_journal_aside(&mut self) -> Option<PathBuf> {
        match self.journal.take()?.put_aside() {
            Ok(aside) => {
                self.start_journal();
                Some(aside)
            }
            // It stays as it is, and nothing is written over it.
            Err(error) => {
                self.no_journal = Some(error);
                None
            }
        }
    }

    /// Begins a journal from the file as it is. Others that lie in its place with something in them
    /// are put aside: says where.
    pub(super) fn start_journal(&mut self) -> Vec<PathBuf> {
        let mut asides = Vec::new();
        self.journal = None;
        let Some((home, content)) = self.home().map(Path::to_owned).zip(self.content) else {
            return asides;
        };
        loop {
            match self.guard.journal_of(&home, content) {
                Found::Journal(journal, Some(_)) => match journal.put_aside() {
                    Ok(aside) => asides.push(aside),
                    Err(error) => {
                        self.no_journal = Some(error);
                        return asides;
                    }
                },
                found => {
                    self.take_journal(found, content);
                    self.tick();
                    return asides;
                }
            }
        }
    }
}
