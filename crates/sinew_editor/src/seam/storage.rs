//! Where projects and journals are kept. Everything that the editor writes goes through here, so
//! that tests can fill the disk and pull the plug at any byte.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What lies at a path. A link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lies {
    /// There is nothing of that name.
    Nothing,
    /// An ordinary file.
    File,
    /// A symbolic link, wherever it leads.
    Link,
    /// A folder, a device, a pipe.
    Other,
}

/// Files, by their paths.
pub trait Storage: fmt::Debug + Send + Sync {
    /// What lies there.
    ///
    /// # Errors
    /// If the system does not say.
    fn look(&self, path: &Path) -> io::Result<Lies>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// If there is none, or the system does not give it.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Writes a file whole or not at all. One that is new has the permissions of `like`, where that
    /// is given; one that is there keeps its own.
    ///
    /// # Errors
    /// If the system does not take it; what was there is there still.
    fn write(&self, path: &Path, bytes: &[u8], like: Option<&Path>) -> io::Result<()>;

    /// Gives a file another name in its folder; nothing has that name.
    ///
    /// # Errors
    /// If the system does not do it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// If there is none, or the system does not do it.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// What is in a folder, sorted.
    ///
    /// # Errors
    /// If there is none.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// Makes a folder, with those above it, where there is none.
    ///
    /// # Errors
    /// If the system does not do it.
    fn make_folder(&self, folder: &Path) -> io::Result<()>;

    /// One way to write a path, whatever links lead to it.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// A new log, empty and locked, where nothing lies. It has the permissions of `like`.
    ///
    /// # Errors
    /// `AlreadyExists` if something lies there, a link too.
    fn create_log(&self, path: &Path, like: Option<&Path>) -> io::Result<Box<dyn Log>>;

    /// Opens and locks a log that lies there. Links are not followed.
    ///
    /// # Errors
    /// `WouldBlock` if another has it open; `InvalidInput` if it is no ordinary file.
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn Log>>;

    /// When a file was last written, if that is known.
    fn written_at(&self, path: &Path) -> Option<SystemTime>;

    /// The date.
    fn now(&self) -> SystemTime;
}

/// A file that grows at its end. Who has it open has it alone, until it is dropped.
pub trait Log: fmt::Debug + Send {
    /// All of it.
    ///
    /// # Errors
    /// If the system does not give it.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Adds bytes at the end. On an error some of them may be there.
    ///
    /// # Errors
    /// If the system does not take all of them.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Forgets everything past a length.
    ///
    /// # Errors
    /// If the system does not do it.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Waits until the disk has it.
    ///
    /// # Errors
    /// If the disk does not take it.
    fn sync(&self) -> io::Result<()>;
}
