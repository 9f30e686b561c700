//! Autosave: a journal of edits beside the project, written as they happen.
//!
//! A line is the CRC-32 of the rest in eight hexadecimal digits, a space, and JSON. The first line
//! names the project's content that the journal starts from. Every line is handed to the system at
//! once, so that only a power cut can lose some, and to the disk with [`Journal::sync`]. What the
//! system does not take stays in memory, the file is cut back to its last whole line, and all of it
//! is tried again.
//!
//! Who writes a journal has it locked for as long as the project is open. Saving is in three steps:
//! a line that names the content about to be saved goes to the disk; the project is replaced
//! atomically; the journal begins anew, in the same file. Wherever a crash comes, the project's
//! content says which lines it already has.
//!
//! A file that is no journal, or a link, is never written to.

mod lines;
mod recovery;

pub use recovery::{Fit, Recovery};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::date;
use crate::edit::Edit;
use crate::seam::{Lies, Log, Storage};
use crate::state::State;
use lines::{Line, VERSION, encode, is_journal};

/// One thing that happened to a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "kebab-case")]
pub enum Entry {
    /// A step was done.
    Step {
        /// What the history calls it.
        label: String,
        /// In their order.
        edits: Vec<Edit>,
    },
    /// The last step was undone.
    Undo,
    /// The last undone step was done again.
    Redo,
    /// Undo or redo led to what was before the journal began.
    State {
        /// The whole document.
        state: Box<State>,
    },
}

/// Tells one content of a project file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    length: u64,
    crc32: u32,
}

impl Fingerprint {
    /// Of a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, crc32: crc32fast::hash(bytes) }
    }
}

/// Why a journal is not written, or not now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Another studio has the project open.
    #[error("'{}' is in use by another Sinew", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// What lies in its place is not ours to write.
    #[error("'{}' {what}; move it away and open the project again", path.display())]
    NotOurs {
        /// The place.
        path: PathBuf,
        /// What lies there.
        what: &'static str,
    },
    /// The disk is full.
    #[error("there is no room on the disk for '{}'", path.display())]
    NoRoom {
        /// The journal.
        path: PathBuf,
    },
    /// The system would not.
    #[error("cannot write '{}': {why}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// Why it cannot be read.
        why: String,
    },
}

impl JournalError {
    fn of(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::WouldBlock => Self::InUse { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoRoom { path },
            _ => Self::Io { path, why: error.to_string() },
        }
    }
}

/// The journal's place: `hero.sinew` has `hero.sinew.journal`.
pub fn journal_path(project: &Path) -> PathBuf {
    let mut name = project.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

/// A journal that is being written. Who writes it has it locked.
#[derive(Debug)]
pub struct Journal {
    storage: Arc<dyn Storage>,
    path: PathBuf,
    /// Of which project, where the journal does not lie beside it.
    project: Option<PathBuf>,
    log: Box<dyn Log>,
    /// Bytes of whole lines that the system has.
    whole_bytes: u64,
    /// Something may lie behind them.
    is_ragged: bool,
    /// The last line, if it says that the project is about to be saved.
    announced_bytes: usize,
    /// Whole lines that the system did not take yet.
    waiting: Vec<u8>,
    num_waiting: usize,
    trouble: Option<JournalError>,
}

impl Journal {
    /// Makes a journal where nothing lies. It has the permissions of `like`.
    ///
    /// # Errors
    /// If something lies there, or the system does not do it.
    pub fn create(
        storage: &Arc<dyn Storage>,
        path: &Path,
        like: Option<&Path>,
    ) -> Result<Self, JournalError> {
        let log = storage.create_log(path, like);
        let log = log.map_err(|error| JournalError::of(path, &error))?;
        Ok(Self::over(storage, path, log, 0))
    }

    /// Opens a journal that lies there, and what is in it; `None` if nothing lies there.
    ///
    /// # Errors
    /// If it is in use, or not ours.
    pub fn open(
        storage: &Arc<dyn Storage>,
        path: &Path,
    ) -> Result<Option<(Self, Vec<u8>)>, JournalError> {
        let failed = |error: io::Error| JournalError::of(path, &error);
        let not_ours = |what| JournalError::NotOurs { path: path.to_owned(), what };
        match storage.look(path).map_err(failed)? {
            Lies::Nothing => return Ok(None),
            Lies::Link => return Err(not_ours("is a link, and autosave writes through none")),
            Lies::Other => return Err(not_ours("is no ordinary file")),
            Lies::File => {}
        }
        let mut log = storage.open_log(path).map_err(failed)?;
        let bytes = log.read().map_err(failed)?;
        if !is_journal(&bytes) {
            return Err(not_ours("is no journal of Sinew's"));
        }
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        Ok(Some((Self::over(storage, path, log, whole as u64), bytes)))
    }

    pub(crate) fn over(
        storage: &Arc<dyn Storage>,
        path: &Path,
        log: Box<dyn Log>,
        whole_bytes: u64,
    ) -> Self {
        Self {
            storage: Arc::clone(storage),
            path: path.to_owned(),
            project: None,
            log,
            whole_bytes,
            is_ragged: true,
            announced_bytes: 0,
            waiting: Vec::new(),
            num_waiting: 0,
            trouble: None,
        }
    }

    /// The same for a project elsewhere.
    #[must_use]
    pub fn of_project(mut self, project: &Path) -> Self {
        self.project = Some(project.to_owned());
        self
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins anew from a project of this content: what came before is in it.
    pub fn begin(&mut self, base: Fingerprint) {
        self.waiting.clear();
        self.num_waiting = 0;
        match self.log.cut(0) {
            Ok(()) => {
                self.whole_bytes = 0;
                self.is_ragged = false;
            }
            // The line says as much, behind the old ones.
            Err(_) => self.is_ragged = true,
        }
        let project = self.project.clone();
        self.write(&[Line::Start { journal: VERSION, base, project }], 0);
    }

    /// Adds what happened.
    pub fn append(&mut self, entries: &[Entry]) {
        let lines: Vec<Line> = entries.iter().cloned().map(Line::Did).collect();
        self.write(&lines, entries.len());
    }

    /// Says which content the project is about to have, and waits until the disk has it.
    pub fn announce(&mut self, saving: Fingerprint) {
        let line = Line::Saving { saving };
        self.announced_bytes = encode(&line).map_or(0, |bytes| bytes.len());
        self.write(&[line], 0);
        self.sync();
    }

    /// Takes that back: the project was not saved. What follows goes on from what came before: an
    /// undo may mean a step on the other side of the line.
    pub fn retract(&mut self) {
        let bytes = std::mem::take(&mut self.announced_bytes);
        if self.waiting.is_empty() {
            self.whole_bytes -= bytes as u64;
            self.is_ragged = self.log.cut(self.whole_bytes).is_err();
        } else {
            self.waiting.truncate(self.waiting.len() - bytes);
        }
    }

    /// Tries again what the system did not take, and waits until the disk has all of it.
    pub fn sync(&mut self) {
        self.flush();
        if self.waiting.is_empty() {
            let synced = self.log.sync();
            self.trouble = synced.err().map(|error| JournalError::of(&self.path, &error));
        }
    }

    /// Why the system does not have the last entries.
    pub fn trouble(&self) -> Option<&JournalError> {
        self.trouble.as_ref()
    }

    /// How many entries only memory has.
    pub fn num_waiting(&self) -> usize {
        self.num_waiting
    }

    /// Ends it: the document was closed on purpose.
    ///
    /// # Errors
    /// If the system does not remove it.
    pub fn remove(self) -> Result<(), JournalError> {
        let removed = self.storage.remove(&self.path);
        removed.map_err(|error| JournalError::of(&self.path, &error))
    }

    /// Gives it a name with the date: what is in it is kept, and its place is free.
    ///
    /// # Errors
    /// If the system does not rename it; it stays where it was.
    pub fn put_aside(self) -> Result<PathBuf, JournalError> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!("-{}", date::stamp(self.storage.now())));
        let numbered = |n: u32| {
            let mut name = name.clone();
            if n > 1 {
                name.push(format!("-{n}"));
            }
            PathBuf::from(name)
        };
        let is_free = |path: &PathBuf| self.storage.look(path).is_ok_and(|l| l == Lies::Nothing);
        let aside = (1..1000).map(numbered).find(is_free).unwrap_or_else(|| numbered(1000));
        let renamed = self.storage.rename(&self.path, &aside);
        renamed.map_err(|error| JournalError::of(&self.path, &error))?;
        Ok(aside)
    }

    fn write(&mut self, lines: &[Line], num_entries: usize) {
        for line in lines {
            match encode(line) {
                Ok(bytes) => self.waiting.extend(bytes),
                Err(error) => self.trouble = Some(JournalError::of(&self.path, &error)),
            }
        }
        self.num_waiting += num_entries;
        self.flush();
    }

    fn flush(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        if let Err(error) = self.try_flush() {
            self.is_ragged = self.log.cut(self.whole_bytes).is_err();
            self.trouble = Some(JournalError::of(&self.path, &error));
            return;
        }
        self.whole_bytes += self.waiting.len() as u64;
        self.waiting.clear();
        self.num_waiting = 0;
        self.trouble = None;
    }

    fn try_flush(&mut self) -> io::Result<()> {
        if self.is_ragged {
            self.log.cut(self.whole_bytes)?;
            self.is_ragged = false;
        }
        self.log.append(&self.waiting)
    }
}
