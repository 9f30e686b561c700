//! A project that is open: its place, its editor, its journal. Opening, saving and recovering go
//! through here.

mod guard;
mod lost;
mod open;
mod save;

pub use guard::Guard;
pub use open::{Opened, Recovered};

use std::path::{Path, PathBuf};

use crate::document::Document;
use crate::editor::Editor;
use crate::journal::{Fingerprint, Journal, JournalError, journal_path};
use crate::project::{self, ProjectError};
use crate::seam::Lies;
use guard::Found;

/// A document and the file that it is saved to.
#[derive(Debug)]
pub struct Workspace {
    editor: Editor,
    path: Option<PathBuf>,
    /// For a document without a file: the project in the recovery folder that its journal starts
    /// from.
    shadow: Option<PathBuf>,
    /// The project that this is a copy of: another studio had it open.
    copy_of: Option<PathBuf>,
    /// What the project's file was when it was last read or written.
    content: Option<Fingerprint>,
    guard: Guard,
    journal: Option<Journal>,
    /// Why there is no journal.
    no_journal: Option<JournalError>,
    /// What was told last of that, or of what the journal has trouble with.
    told: Option<JournalError>,
}

/// What becomes of edits until they are saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Autosave {
    /// The journal has all of them.
    On,
    /// Only memory has the last of them. It is tried again until it works.
    Waiting {
        /// Number of edits.
        num_edits: usize,
        /// Why it cannot be read.
        why: JournalError,
    },
    /// A crash would lose all of them.
    Off {
        /// Why, if somebody tried.
        why: Option<JournalError>,
    },
}

impl Workspace {
    /// A document that is in no file yet, and of which a crash leaves nothing.
    pub fn unguarded(document: Document) -> Self {
        Self::new(document, Guard::default())
    }

    fn new(document: Document, guard: Guard) -> Self {
        Self {
            editor: Editor::new(document),
            path: None,
            shadow: None,
            copy_of: None,
            content: None,
            guard,
            journal: None,
            no_journal: None,
            told: None,
        }
    }

    /// A document that is in no file yet. A copy of it as it is now, and a journal, lie in the
    /// recovery folder until it is saved or closed; with the permissions of `like`, the file that
    /// it came from. Without such a folder, a crash leaves nothing.
    ///
    /// # Errors
    /// If the copy cannot be written.
    pub fn untitled(
        document: Document,
        guard: &Guard,
        like: Option<&Path>,
    ) -> Result<Self, ProjectError> {
        let mut workspace = Self::new(document, guard.clone());
        workspace.keep_shadow(like)?;
        Ok(workspace)
    }

    /// Writes the copy that a journal starts from.
    fn keep_shadow(&mut self, like: Option<&Path>) -> Result<(), ProjectError> {
        let Guard { storage, recovery_folder: Some(folder) } = self.guard.clone() else {
            return Ok(());
        };
        let failed = |source| ProjectError::Io { path: folder.clone(), source };
        let bytes = project::to_bytes(self.editor.document())?;
        storage.make_folder(&folder).map_err(failed)?;
        // The journal is first: making it is what takes the name.
        let mut journal = None;
        for number in 1..=u32::MAX {
            let shadow = folder.join(untitled_name(number));
            if storage.look(&shadow).is_ok_and(|lies| lies != Lies::Nothing) {
                continue;
            }
            match storage.create_log(&journal_path(&shadow), like) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
                Ok(log) => {
                    journal = Some((shadow, log));
                    break;
                }
            }
        }
        let Some((shadow, log)) = journal else { return Ok(()) };
        let path = journal_path(&shadow);
        let mut journal = Journal::over(&storage, &path, log, 0);
        if let Err(error) = storage.write(&shadow, &bytes, like) {
            _ = journal.remove();
            return Err(failed(error));
        }
        let content = Fingerprint::of(&bytes);
        journal.begin(content);
        self.content = Some(content);
        self.shadow = Some(shadow);
        self.journal = Some(journal);
        Ok(())
    }

    /// The file that the journal lies beside: the project's own, or the copy of one that is in no
    /// file yet.
    pub fn home(&self) -> Option<&Path> {
        self.path.as_deref().or(self.shadow.as_deref())
    }

    /// The document and its history.
    pub fn editor(&self) -> &Editor {
        &self.editor
    }

    /// To change it. [`Workspace::tick`] afterwards hands what happened to the journal.
    pub fn editor_mut(&mut self) -> &mut Editor {
        &mut self.editor
    }

    /// The project's file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The project that this is a copy of, since another studio had it open.
    pub fn copy_of(&self) -> Option<&Path> {
        self.copy_of.as_deref()
    }

    /// Hands what happened to the journal. Called after every event; cheap where nothing did.
    pub fn tick(&mut self) {
        let Some(journal) = &mut self.journal else { return };
        let entries = self.editor.take_entries();
        if !entries.is_empty() {
            journal.append(&entries);
        }
    }

    /// Tries again what the journal could not take, and waits until the disk has it: against power
    /// cuts, every second or so.
    pub fn sync(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.sync();
        }
    }

    /// What becomes of edits until they are saved.
    pub fn autosave(&self) -> Autosave {
        match &self.journal {
            None => Autosave::Off { why: self.no_journal.clone() },
            Some(journal) => journal.trouble().map_or(Autosave::On, |why| Autosave::Waiting {
                num_edits: journal.num_waiting(),
                why: why.clone(),
            }),
        }
    }

    /// Why edits are not saved automatically, said once for each reason.
    pub fn take_journal_trouble(&mut self) -> Option<JournalError> {
        let of_journal = self.journal.as_ref().and_then(Journal::trouble);
        let trouble = of_journal.or(self.no_journal.as_ref()).cloned();
        let is_new = trouble != self.told;
        self.told.clone_from(&trouble);
        trouble.filter(|_| is_new)
    }

    /// Takes what was found for a journal; one that has nothing begins from this content.
    fn take_journal(&mut self, found: Found, content: Fingerprint) {
        self.journal = None;
        self.no_journal = None;
        match found {
            Found::Journal(mut journal, recovery) => {
                if recovery.is_none() {
                    journal.begin(content);
                }
                self.journal = Some(*journal);
            }
            Found::NoPlace(why) => self.no_journal = Some(why),
            Found::InUse => {
                let path = self.home().map(journal_path).unwrap_or_default();
                self.no_journal = Some(JournalError::InUse { path });
            }
        }
        if let Some(path) = self.path.as_ref().filter(|_| self.journal.is_some()) {
            self.guard.mark_open(path);
        }
    }

    /// Closes it on purpose, saved or not: nothing is left to recover.
    pub fn close(&mut self) {
        self.forget(self.path.clone().as_deref());
    }

    /// Removes the journal, the copy of a document without a file, and the mark of a project.
    fn forget(&mut self, path: Option<&Path>) {
        if let Some(Err(error)) = self.journal.take().map(Journal::remove) {
            self.no_journal = Some(error);
        }
        if let Some(shadow) = self.shadow.take() {
            // Left behind, it is found again and cleared away at the next start.
            _ = self.guard.storage.remove(&shadow);
        }
        if let Some(path) = path {
            self.guard.mark_closed(path);
        }
    }
}

fn untitled_name(number: u32) -> String {
    format!("untitled-{number}.sinew")
}

fn folder_of(path: &Path) -> Option<&Path> {
    path.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p })
}
