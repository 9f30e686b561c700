//! The system's own files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use super::storage::{Lies, Log, Storage};

/// The system's own files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Storage for Disk {
    fn look(&self, path: &Path) -> io::Result<Lies> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => Ok(Lies::Link),
            Ok(found) if found.is_file() => Ok(Lies::File),
            Ok(_) => Ok(Lies::Other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Lies::Nothing),
            Err(error) => Err(error),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn write(&self, path: &Path, bytes: &[u8], like: Option<&Path>) -> io::Result<()> {
        let is_new = self.look(path)? == Lies::Nothing;
        let Some(like) = like.filter(|_| is_new) else {
            return sinew_io::write_atomically(path, |file| file.write_all(bytes));
        };
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".sinew-{}-{number}", std::process::id());
        let temporary = folder_of(path).join(name);
        let mut file = create(&temporary, Some(like))?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        let done = written.and_then(|()| fs::rename(&temporary, path));
        if done.is_err() {
            // The first error is the one to tell.
            _ = fs::remove_file(&temporary);
        }
        done
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.look(to)? != Lies::Nothing {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut found: Vec<PathBuf> =
            fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        found.sort();
        Ok(found)
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        if let Ok(found) = path.canonicalize() {
            return found;
        }
        match (folder_of(path).canonicalize(), path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_owned(),
        }
    }

    fn create_log(&self, path: &Path, like: Option<&Path>) -> io::Result<Box<dyn Log>> {
        let file = create(path, like)?;
        lock(&file)?;
        Ok(Box::new(DiskLog(file)))
    }

    fn open_log(&self, path: &Path) -> io::Result<Box<dyn Log>> {
        let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is no ordinary file");
        let seen = fs::symlink_metadata(path)?;
        // A pipe would be waited for, and a link leads anywhere.
        if !seen.is_file() {
            return Err(no_file());
        }
        let file = OpenOptions::new().read(true).append(true).open(path)?;
        if !is_same(&seen, &file.metadata()?) {
            return Err(no_file());
        }
        lock(&file)?;
        Ok(Box::new(DiskLog(file)))
    }

    fn written_at(&self, path: &Path) -> Option<SystemTime> {
        fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A new file where nothing lies. Private from its first byte if `like` is.
fn create(path: &Path, like: Option<&Path>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(true);
    #[cfg(unix)]
    if let Some(metadata) = like.and_then(|like| fs::metadata(like).ok()) {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        // Whoever may not write the source must still be able to write the copy.
        options.mode((metadata.permissions().mode() & 0o666) | 0o600);
    }
    let file = options.open(path)?;
    #[cfg(not(unix))]
    let _ = like;
    Ok(file)
}

/// Until the file is closed, however its process ends.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        // A file system without locks: two studios on one file are then seen only when one saves.
        Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// False if something else was put there between the look and the opening.
#[cfg(unix)]
fn is_same(seen: &fs::Metadata, opened: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (seen.dev(), seen.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn is_same(_seen: &fs::Metadata, opened: &fs::Metadata) -> bool {
    opened.is_file()
}

#[derive(Debug)]
struct DiskLog(File);

impl Log for DiskLog {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.seek(SeekFrom::Start(0))?;
        self.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        // One call, so that a kill leaves whole lines but for the last.
        self.0.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}
