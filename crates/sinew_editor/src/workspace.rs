//! A project that is open: its place, its editor, its journal. Opening, saving and recovering go
//! through here.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::document::Document;
use crate::edit::EditError;
use crate::editor::Editor;
use crate::journal::{
    Fingerprint, Journal, JournalError, Recovery, is_in_use, journal_path, recoverable,
};
use crate::project::{self, ProjectError};

/// A document and the file that it is saved to.
#[derive(Debug)]
pub struct Workspace {
    editor: Editor,
    path: Option<PathBuf>,
    /// For a document without a file: the project in the recovery folder that its journal starts
    /// from.
    shadow: Option<PathBuf>,
    journal: Option<Journal>,
    /// Why the journal does not have the last entries.
    journal_trouble: Option<JournalError>,
}

/// A project as it is on the disk, and what a crash left beside it.
#[derive(Debug)]
pub struct Opened {
    /// As saved.
    pub workspace: Workspace,
    /// What happened after it was saved; the user decides ([`Workspace::recover`]).
    pub recovery: Option<Recovery>,
    /// What of an older project had no place any more.
    pub warnings: Vec<String>,
}

impl Workspace {
    /// A document that is in no file yet, and of which a crash leaves nothing.
    pub fn unguarded(document: Document) -> Self {
        let editor = Editor::new(document);
        Self { editor, path: None, shadow: None, journal: None, journal_trouble: None }
    }

    /// A document that is in no file yet. A copy of it as it is now, and a journal, lie in
    /// `recovery_folder` until it is saved or closed.
    pub fn untitled(document: Document, recovery_folder: &Path) -> Result<Self, ProjectError> {
        let bytes = project::to_bytes(&document)?;
        let failed = |source| ProjectError::Io { path: recovery_folder.to_owned(), source };
        std::fs::create_dir_all(recovery_folder).map_err(failed)?;
        let free = |n: &u32| !recovery_folder.join(untitled_name(*n)).exists();
        let number = (1..=u32::MAX).find(free).unwrap_or(u32::MAX);
        let shadow = recovery_folder.join(untitled_name(number));
        sinew_io::write_atomically(&shadow, |file| file.write_all(&bytes)).map_err(failed)?;
        let mut workspace = Self { shadow: Some(shadow), ..Self::unguarded(document) };
        workspace.start_journal(Fingerprint::of(&bytes));
        Ok(workspace)
    }

    /// Documents without a file that a crash left in the folder, with their edits. Those that
    /// nothing was done to are cleared away. Those that `is_known` are passed over unread.
    pub fn lost_and_found(recovery_folder: &Path, is_known: impl Fn(&Path) -> bool) -> Vec<Opened> {
        let Ok(entries) = std::fs::read_dir(recovery_folder) else { return Vec::new() };
        let mut shadows: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "sinew"))
            .filter(|path| !is_known(path) && !is_in_use(&journal_path(path)))
            .collect();
        shadows.sort();
        let mut found = Vec::new();
        for shadow in shadows {
            // Somebody may be about to begin its journal.
            if is_new(&shadow) && !journal_path(&shadow).exists() {
                continue;
            }
            let opened = Self::open(&shadow).map(|opened| Opened {
                workspace: Self { path: None, shadow: Some(shadow), ..opened.workspace },
                ..opened
            });
            match opened {
                Ok(opened) if opened.recovery.is_some() => found.push(opened),
                Ok(mut opened) => opened.workspace.close(),
                // Written by a newer Sinew, perhaps: it is not ours to throw away.
                Err(_) => {}
            }
        }
        found
    }

    /// Opens a project. Its file is only read; a journal that can be recovered is left until the
    /// user has decided.
    pub fn open(path: &Path) -> Result<Opened, ProjectError> {
        let bytes = std::fs::read(path)
            .map_err(|source| ProjectError::Io { path: path.to_owned(), source })?;
        let project::Opened { document, warnings } = project::open(&bytes, folder_of(path))?;
        let mut workspace = Self { path: Some(path.to_owned()), ..Self::unguarded(document) };
        let content = Fingerprint::of(&bytes);
        let recovery = recoverable(path, content);
        if recovery.is_none() {
            workspace.start_journal(content);
        }
        Ok(Opened { workspace, recovery, warnings })
    }

    /// Does again what a crash left behind. The project's file is not touched: the document is
    /// modified, and the user saves it.
    pub fn recover(&mut self, recovery: &Recovery) -> Result<(), EditError> {
        let outcome = self.editor.replay(&recovery.entries);
        self.restart_journal();
        outcome
    }

    /// Goes on from the file, without what a crash left behind.
    pub fn decline_recovery(&mut self) {
        self.restart_journal();
    }

    fn restart_journal(&mut self) {
        let Some(Ok(bytes)) = self.home().map(std::fs::read) else { return };
        self.start_journal(Fingerprint::of(&bytes));
    }

    /// A journal from the file as it is, with everything done since: what was recovered cannot be
    /// lost again.
    fn start_journal(&mut self, content: Fingerprint) {
        let entries = self.editor.take_entries();
        // Its own lock must not stand in the way of the new one.
        self.journal = None;
        let Some(home) = self.home() else { return };
        match Journal::start(home, content, &entries) {
            Ok(journal) => self.journal = Some(journal),
            Err(error) => self.journal_trouble = Some(error),
        }
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

    /// Hands what happened to the journal. Called after every event; cheap where nothing did.
    pub fn tick(&mut self) {
        let Some(journal) = &mut self.journal else { return };
        let entries = self.editor.take_entries();
        if entries.is_empty() {
            return;
        }
        if let Err(error) = journal.append(&entries) {
            self.journal_trouble = Some(error);
        }
    }

    /// Waits until the disk has the journal: against power cuts, every second or so.
    pub fn sync(&mut self) {
        if let Some(Err(error)) = self.journal.as_ref().map(Journal::sync) {
            self.journal_trouble = Some(error);
        }
    }

    /// Why edits are not saved automatically, said once.
    pub fn take_journal_trouble(&mut self) -> Option<JournalError> {
        self.journal_trouble.take()
    }

    /// Saves to the project's own file; false if it has none.
    pub fn save(&mut self) -> Result<bool, ProjectError> {
        match self.path.clone() {
            Some(path) => self.save_as(&path).map(|()| true),
            None => Ok(false),
        }
    }

    /// Saves to a file, which is the project's own from then on. The old content is there until the
    /// new one is whole.
    pub fn save_as(&mut self, path: &Path) -> Result<(), ProjectError> {
        self.editor.commit();
        let bytes = project::to_bytes(self.editor.document())?;
        let content = Fingerprint::of(&bytes);
        let is_same_file = self.path.as_deref() == Some(path);
        if is_same_file {
            self.tick();
            if let Some(Err(error)) = self.journal.as_mut().map(|j| j.announce(content)) {
                self.journal_trouble = Some(error);
            }
        }
        sinew_io::write_atomically(path, |file| file.write_all(&bytes))
            .map_err(|source| ProjectError::Io { path: path.to_owned(), source })?;
        self.editor.mark_saved();
        if !is_same_file {
            self.remove_journal();
            self.path = Some(path.to_owned());
        }
        self.start_journal(content);
        Ok(())
    }

    /// Closes it on purpose, saved or not: nothing is left to recover.
    pub fn close(&mut self) {
        self.remove_journal();
    }

    fn remove_journal(&mut self) {
        if let Some(Err(error)) = self.journal.take().map(Journal::remove) {
            self.journal_trouble = Some(error);
        }
        if let Some(shadow) = self.shadow.take() {
            // Left behind, it is found again and cleared away at the next start.
            _ = std::fs::remove_file(shadow);
        }
    }
}

/// True if a file was written within the last minute, or nobody knows.
fn is_new(path: &Path) -> bool {
    const NEW: std::time::Duration = std::time::Duration::from_secs(60);
    let written = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    written.ok().and_then(|time| time.elapsed().ok()).is_none_or(|age| age < NEW)
}

fn untitled_name(number: u32) -> String {
    format!("untitled-{number}.sinew")
}

fn folder_of(path: &Path) -> Option<&Path> {
    path.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p })
}
