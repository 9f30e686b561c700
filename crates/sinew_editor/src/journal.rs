//! Autosave: a journal of edits beside the project, written as they happen.
//!
//! A line is the CRC-32 of the rest in eight hexadecimal digits, a space, and JSON. The first line
//! names the project's content that the journal starts from. What was written before a crash or
//! `kill -9` is read up to the first line that is not whole. Every line is handed to the system at
//! once, so that only a power cut can lose some, and to the disk with [`Journal::sync`].
//!
//! Saving is in three steps: a line that names the content about to be saved goes to the disk; the
//! project is replaced atomically; a new journal is started. Wherever a crash comes, the project's
//! content says which lines it already has.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::edit::Edit;
use crate::state::State;

/// The newest form of journal that is known.
const VERSION: u32 = 1;

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
        /// All of it.
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Start { journal: u32, base: Fingerprint },
    Saving { saving: Fingerprint },
    Did(Entry),
}

/// A journal that is being written. Who writes it has it locked.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// Why a journal cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another studio has the project open.
    #[error("'{}' is in use by another Sinew: its edits are not saved automatically here", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// The system would not.
    #[error("cannot write '{}': {source}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The journal's place: `hero.sinew` has `hero.sinew.journal`.
pub fn journal_path(project: &Path) -> PathBuf {
    let mut name = project.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

impl Journal {
    /// Starts a journal for a project of this content, in place of an old one, with what happened
    /// since then. Whole or not at all: a crash leaves the old one.
    pub fn start(
        project: &Path,
        base: Fingerprint,
        entries: &[Entry],
    ) -> Result<Self, JournalError> {
        let path = journal_path(project);
        let failed = |source| JournalError::Io { path: path.clone(), source };
        if is_in_use(&path) {
            return Err(JournalError::InUse { path });
        }
        let mut bytes = encode(&Line::Start { journal: VERSION, base }).map_err(failed)?;
        for entry in entries {
            bytes.extend(encode(&Line::Did(entry.clone())).map_err(failed)?);
        }
        sinew_io::write_atomically(&path, |file| file.write_all(&bytes)).map_err(failed)?;
        let file = OpenOptions::new().append(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path, file }),
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse { path }),
            // A file system without locks: two studios on one file are then the user's own care.
            Err(TryLockError::Error(_)) => Ok(Self { path, file }),
        }
    }

    /// Adds what happened.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        self.write(entries.iter().cloned().map(Line::Did))
    }

    /// Says which content the project is about to have, and waits until the disk has it.
    pub fn announce(&mut self, saving: Fingerprint) -> Result<(), JournalError> {
        self.write([Line::Saving { saving }])?;
        self.sync()
    }

    /// Waits until the disk has it.
    pub fn sync(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| JournalError::Io { path: self.path.clone(), source })
    }

    /// Ends it: the document was closed on purpose.
    pub fn remove(self) -> Result<(), JournalError> {
        std::fs::remove_file(&self.path)
            .map_err(|source| JournalError::Io { path: self.path, source })
    }

    fn write(&mut self, lines: impl IntoIterator<Item = Line>) -> Result<(), JournalError> {
        let failed = |source| JournalError::Io { path: self.path.clone(), source };
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend(encode(&line).map_err(failed)?);
        }
        // One call, so that a kill leaves whole lines but for the last.
        self.file.write_all(&bytes).map_err(failed)
    }
}

/// What a crash left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// What happened since the project's content as it is on the disk.
    pub entries: Vec<Entry>,
    /// True if the last line was cut off.
    pub is_cut_off: bool,
}

/// What a journal beside a project has that the project has not; `None` if there is nothing, or the
/// journal is of other content, or somebody is writing it.
pub fn recoverable(project: &Path, content: Fingerprint) -> Option<Recovery> {
    let path = journal_path(project);
    if is_in_use(&path) {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let (lines, is_cut_off) = decode(&bytes);
    let mut entries = None;
    for line in lines {
        match line {
            Line::Start { journal, base } => {
                if journal != VERSION {
                    return None;
                }
                entries = (base == content).then(Vec::new);
            }
            // The content that is there now has all that came before.
            Line::Saving { saving } if saving == content => entries = Some(Vec::new()),
            Line::Saving { .. } => {}
            Line::Did(entry) => entries.iter_mut().for_each(|list| list.push(entry.clone())),
        }
    }
    let entries = entries.filter(|entries| !entries.is_empty())?;
    Some(Recovery { entries, is_cut_off })
}

/// True while somebody writes that journal.
pub(crate) fn is_in_use(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

fn encode(line: &Line) -> io::Result<Vec<u8>> {
    let json = serde_json::to_string(line)?;
    Ok(format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes())
}

/// All whole lines up to the first that is not, and whether there was such.
fn decode(bytes: &[u8]) -> (Vec<Line>, bool) {
    let mut lines = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let Some(line) = decode_line(&rest[..end]) else { return (lines, true) };
        lines.push(line);
        rest = &rest[end + 1..];
    }
    (lines, !rest.is_empty())
}

fn decode_line(line: &[u8]) -> Option<Line> {
    let (crc, json) = line.split_at_checked(8)?;
    let json = json.strip_prefix(b" ")?;
    let crc = u32::from_str_radix(std::str::from_utf8(crc).ok()?, 16).ok()?;
    (crc == crc32fast::hash(json)).then(|| serde_json::from_slice(json).ok()).flatten()
}
