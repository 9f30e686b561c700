//! A disk that fills up, and a machine whose plug is pulled, at any byte.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

use sinew_editor::seam::{Disk, Lies, Log, Storage};

/// The switches of a faulty disk.
#[derive(Debug)]
pub(crate) struct Switches {
    /// Bytes that it still has room for.
    room: AtomicU64,
    /// Bytes until the plug is pulled; every change counts as one more.
    fuse: AtomicU64,
    is_dead: AtomicBool,
}

/// The system's files with faults.
#[derive(Clone, Debug)]
pub(crate) struct Faulty(pub(crate) Arc<Switches>);

impl Faulty {
    pub(crate) fn new() -> Self {
        let endless = || AtomicU64::new(u64::MAX);
        Self(Arc::new(Switches {
            room: endless(),
            fuse: endless(),
            is_dead: AtomicBool::new(false),
        }))
    }

    /// So much can still be written.
    pub(crate) fn set_room(&self, bytes: u64) {
        self.0.room.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn empty(&self) {
        self.set_room(u64::MAX);
    }

    /// Pulls the plug after so much more.
    pub(crate) fn light_fuse(&self, bytes: u64) {
        self.0.fuse.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.0.is_dead.load(Ordering::Relaxed)
    }

    /// How many of these bytes get through, and what is said.
    fn pass(&self, length: u64) -> (u64, io::Result<()>) {
        if self.is_dead() {
            return (0, Err(io::Error::other("no power")));
        }
        let fuse = self.0.fuse.load(Ordering::Relaxed);
        // The change itself counts, so that the plug is pulled between two of them too.
        if fuse < length.saturating_add(1) {
            self.0.is_dead.store(true, Ordering::Relaxed);
            return (fuse.min(length), Err(io::Error::other("no power")));
        }
        let room = self.0.room.load(Ordering::Relaxed);
        let passed = room.min(length);
        if fuse != u64::MAX {
            self.0.fuse.store(fuse - passed - 1, Ordering::Relaxed);
        }
        if room != u64::MAX {
            self.0.room.store(room - passed, Ordering::Relaxed);
        }
        let outcome = if passed < length { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) };
        (passed, outcome)
    }

    /// For what happens wholly or not at all.
    fn allow(&self, length: u64) -> io::Result<()> {
        self.pass(length).1
    }
}

impl Storage for Faulty {
    fn look(&self, path: &Path) -> io::Result<Lies> {
        Disk.look(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Disk.read(path)
    }

    fn write(&self, path: &Path, bytes: &[u8], like: Option<&Path>) -> io::Result<()> {
        // The temporary file that did not fit is gone again, and so is what it took.
        let room = self.0.room.load(Ordering::Relaxed);
        if room < bytes.len() as u64 && !self.is_dead() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.allow(bytes.len() as u64)?;
        Disk.write(path, bytes, like)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.allow(0)?;
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.allow(0)?;
        Disk.remove(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        Disk.list(folder)
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.allow(0)?;
        Disk.make_folder(folder)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        Disk.resolve(path)
    }

    fn create_log(&self, path: &Path, like: Option<&Path>) -> io::Result<Box<dyn Log>> {
        self.allow(0)?;
        Ok(Box::new(FaultyLog { log: Disk.create_log(path, like)?, disk: self.clone() }))
    }

    fn open_log(&self, path: &Path) -> io::Result<Box<dyn Log>> {
        Ok(Box::new(FaultyLog { log: Disk.open_log(path)?, disk: self.clone() }))
    }

    fn written_at(&self, path: &Path) -> Option<SystemTime> {
        Disk.written_at(path)
    }

    fn now(&self) -> SystemTime {
        Disk.now()
    }
}

#[derive(Debug)]
struct FaultyLog {
    log: Box<dyn Log>,
    disk: Faulty,
}

impl Log for FaultyLog {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.log.read()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (passed, outcome) = self.disk.pass(bytes.len() as u64);
        self.log.append(&bytes[..passed as usize])?;
        outcome
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.disk.allow(0)?;
        self.log.cut(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.allow(0)
    }
}
