//! Writing that leaves the old file or the new one, never half of either.
//!
//! The new content goes to a temporary file in the same folder (renaming across file systems is not
//! atomic), is flushed to the disk, and renamed over the old name. A symbolic link stays one: its
//! target is replaced. A device or pipe (`/dev/stdout`) cannot be replaced and is written to
//! directly. A file with several names (hard links) keeps them: see `replace_linked`.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// As many links as Linux follows before it says ELOOP.
const MAX_LINKS: usize = 40;

/// What becomes of an old file that may not be written to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOnly {
    /// It stays, and writing is an error: somebody protected it.
    #[default]
    Keep,
    /// It is replaced, and the new one is as protected.
    Replace,
}

/// Why a read-only file was not replaced: what an [`io::Error`] of these functions then has inside.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("it is read-only; make it writable")]
pub struct IsReadOnly;

impl IsReadOnly {
    /// True if that is why a file could not be written.
    pub fn is_cause_of(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Self>())
    }
}

/// Writes a file as a whole or not at all; on any error the old file is untouched and no temporary
/// one stays. A file that is read-only stays: see [`write_atomically_over`].
///
/// A new file has the permissions that an ordinarily created one has (the umask's), an existing one
/// keeps its own, its owner and its hard links where the system allows it.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
) -> io::Result<()> {
    write_atomically_over(path, ReadOnly::Keep, write)
}

/// [`write_atomically`] with a say in what becomes of a read-only file.
pub fn write_atomically_over(
    path: &Path,
    read_only: ReadOnly,
    write: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
) -> io::Result<()> {
    match Prepared::new(path, read_only, write)? {
        Some(prepared) => prepared.put_in_place(),
        None => Ok(()),
    }
}

/// Several files, all or none where the disk is full: all are written beside their places before
/// the first takes its own. They are put in place in their order.
pub fn write_all_atomically<'a>(
    files: impl IntoIterator<Item = (PathBuf, &'a [u8])>,
    read_only: ReadOnly,
) -> Result<(), (PathBuf, io::Error)> {
    let mut prepared = Vec::new();
    for (path, bytes) in files {
        let made = Prepared::new(&path, read_only, |file| file.write_all(bytes));
        prepared.extend(made.map_err(|error| (path, error))?);
    }
    for file in prepared {
        let path = file.path.clone();
        file.put_in_place().map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Temporary files that are there now.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes what is half written, on any thread: for a process that is about to end, whatever its
/// threads are doing.
pub fn remove_unfinished() {
    let unfinished = std::mem::take(&mut *unfinished());
    for path in unfinished {
        let _ = fs::remove_file(path);
    }
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file's place among those that are there, until it is dropped.
struct Mark(PathBuf);

impl Mark {
    fn of(temporary: &NamedTempFile) -> Self {
        let path = temporary.path().to_owned();
        unfinished().insert(path.clone());
        Self(path)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// New content beside the place that it is for. Dropped, it is gone.
struct Prepared {
    path: PathBuf,
    temporary: NamedTempFile,
    existing: Option<fs::Metadata>,
    _mark: Mark,
}

impl Prepared {
    /// `None` for a device, which has been written to.
    fn new(
        path: &Path,
        read_only: ReadOnly,
        write: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
    ) -> io::Result<Option<Self>> {
        let path = resolve_links(path)?;
        let existing = match fs::metadata(&path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if existing.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
            let mut device = fs::OpenOptions::new().write(true).open(&path)?;
            return write_through(&mut device, write).map(|()| None);
        }
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        if let (Some(existing), ReadOnly::Keep) = (&existing, read_only)
            && is_read_only(&path, existing)
        {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, IsReadOnly));
        }
        let folder = folder_of(&path);
        // Dropped on every early return, which removes the file.
        let made = builder(existing.as_ref()).tempfile_in(folder);
        let mut temporary = made.map_err(|error| folder_error(folder, &error))?;
        let mark = Mark::of(&temporary);
        if let Some(existing) = &existing {
            keep_owner(&temporary, existing);
            temporary.as_file().set_permissions(existing.permissions())?;
        }
        write_through(temporary.as_file_mut(), write)?;
        temporary.as_file().sync_all()?;
        Ok(Some(Self { path, temporary, existing, _mark: mark }))
    }

    fn put_in_place(mut self) -> io::Result<()> {
        if self.existing.as_ref().is_some_and(has_hard_links)
            && let Ok(mut target) = fs::OpenOptions::new().read(true).write(true).open(&self.path)
        {
            return replace_linked(&mut target, &mut self.temporary, folder_of(&self.path));
        }
        self.temporary.persist(&self.path).map_err(|error| error.error)?;
        sync_folder(folder_of(&self.path));
        Ok(())
    }
}

/// Where files that belong to a file are. An empty parent means "here".
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// True if nobody may write to the file, or we may not. (The system's administrator always may: so
/// the file's own mark counts too.)
fn is_read_only(path: &Path, found: &fs::Metadata) -> bool {
    let denied = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    found.permissions().readonly()
        || fs::OpenOptions::new().write(true).open(path).err().is_some_and(denied)
}

/// Renaming would leave the other names of the file on the old content, so that the content is put
/// into the file itself. Both contents lie beside it, whole and flushed, until that is done: where
/// it fails the old one is put back, and where the machine stops both are there.
fn replace_linked(target: &mut fs::File, new: &mut NamedTempFile, folder: &Path) -> io::Result<()> {
    let made = tempfile::Builder::new().prefix(".sinew-").tempfile_in(folder);
    let mut old = made.map_err(|error| folder_error(folder, &error))?;
    io::copy(target, old.as_file_mut())?;
    old.as_file().sync_all()?;
    let done = overwrite(target, new.as_file_mut());
    if done.is_err() {
        overwrite(target, old.as_file_mut())?;
    }
    done
}

/// Makes a file what another is. No block is given back before the end: what was there fits again.
fn overwrite(target: &mut fs::File, from: &mut fs::File) -> io::Result<()> {
    target.seek(SeekFrom::Start(0))?;
    from.seek(SeekFrom::Start(0))?;
    let length = io::copy(from, target)?;
    target.set_len(length)?;
    target.sync_all()
}

#[cfg(unix)]
fn has_hard_links(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(found) > 1
}

#[cfg(not(unix))]
fn has_hard_links(_found: &fs::Metadata) -> bool {
    false
}

/// Gives the new file the old one's owner and group, or its group alone, where we may.
#[cfg(unix)]
fn keep_owner(new: &NamedTempFile, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let (owner, group) = (old.uid(), old.gid());
    let is_same = |made: fs::Metadata| made.uid() == owner && made.gid() == group;
    if !new.as_file().metadata().is_ok_and(is_same)
        && fchown(new.as_file(), Some(owner), Some(group)).is_err()
    {
        // Not ours to give away: the file is the writer's then, as with any other program.
        let _ = fchown(new.as_file(), None, Some(group));
    }
}

#[cfg(not(unix))]
fn keep_owner(_new: &NamedTempFile, _old: &fs::Metadata) {}

/// The temporary file's own name would tell the user nothing: it is the folder that is wrong.
fn folder_error(folder: &Path, error: &io::Error) -> io::Error {
    let folder = folder.display();
    let words = match error.kind() {
        io::ErrorKind::NotFound => format!("there is no folder '{folder}'; make it first"),
        io::ErrorKind::PermissionDenied => {
            format!("no permission to write into the folder '{folder}'")
        }
        io::ErrorKind::NotADirectory => format!("'{folder}' is not a folder"),
        _ => format!("cannot make a file in the folder '{folder}': {error}"),
    };
    io::Error::new(error.kind(), words)
}

fn write_through(
    file: &mut fs::File,
    write: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffered = BufWriter::with_capacity(1 << 16, file);
    write(&mut buffered)?;
    buffered.flush()
}

/// The temporary file's maker. It would make private files (0600) by itself; a result is not a
/// secret.
#[cfg(unix)]
fn builder(existing: Option<&fs::Metadata>) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sinew-");
    // The system takes the umask off this. What replaces a private file is private from its first
    // byte.
    let mode = existing.map_or(0o666, |m| m.permissions().mode() & 0o666);
    builder.permissions(fs::Permissions::from_mode(mode));
    builder
}

#[cfg(not(unix))]
fn builder(_existing: Option<&fs::Metadata>) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sinew-");
    builder
}

/// Makes the rename itself durable. Some file systems cannot; the content is safe either way.
fn sync_folder(folder: &Path) {
    if cfg!(unix)
        && let Ok(folder) = fs::File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

/// Where a chain of links leads, also where nothing is there yet.
pub(crate) fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                let target = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(target);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, text: &str) {
        write_atomically(path, |file| file.write_all(text.as_bytes())).unwrap();
    }

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        put(&path, "old");
        let result = write_atomically(&path, |file| {
            file.write_all(&[b'x'; 1 << 17])?;
            Err(io::Error::other("disk on fire"))
        });
        assert_eq!(result.unwrap_err().to_string(), "disk on fire");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn a_second_write_replaces_the_first_wholly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        put(&path, "a long first text");
        put(&path, "short");
        assert_eq!(fs::read_to_string(&path).unwrap(), "short");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_and_a_target_that_is_one_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(&folder.path().join("no/a.obj"), |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let words = error.to_string();
        assert!(words.contains("there is no folder") && !words.contains(".sinew-"), "{words}");
        assert!(write_atomically(folder.path(), |_| Ok(())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_permissions_of_an_ordinary_one_and_an_old_one_keeps_its_own() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = tempfile::tempdir().unwrap();
        let ordinary = folder.path().join("ordinary");
        fs::OpenOptions::new().create_new(true).write(true).open(&ordinary).unwrap();
        let path = folder.path().join("a.obj");
        put(&path, "new");
        assert_eq!(mode(&path), mode(&ordinary));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        put(&path, "again");
        assert_eq!(mode(&path), 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_its_target_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("real.obj"), folder.path().join("link.obj"));
        std::os::unix::fs::symlink("real.obj", &link).unwrap();
        put(&link, "through a dangling link");
        put(&link, "through a link");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "through a link");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_ring_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("a.obj");
        std::os::unix::fs::symlink("a.obj", &link).unwrap();
        assert!(write_atomically(&link, |_| Ok(())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        write_atomically(Path::new("/dev/null"), |file| file.write_all(b"gone")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_read_only_file_stays_unless_it_is_to_be_replaced() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        put(&path, "protected");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let error = write_atomically(&path, |file| file.write_all(b"new")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert!(IsReadOnly::is_cause_of(&error), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "protected");
        write_atomically_over(&path, ReadOnly::Replace, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
        assert_eq!(entries(folder.path()), 1);
    }

    #[cfg(unix)]
    #[test]
    fn every_name_of_a_file_has_the_new_content_and_a_failure_leaves_the_old_one() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a.obj"), folder.path().join("b.obj"));
        put(&path, "a long old text");
        fs::hard_link(&path, &other).unwrap();
        let failed = write_atomically(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("disk on fire"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&other).unwrap(), "a long old text");
        put(&path, "short");
        assert_eq!(fs::read_to_string(&other).unwrap(), "short");
        assert_eq!(fs::metadata(&path).unwrap().nlink(), 2);
        assert_eq!(entries(folder.path()), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_stays_its_owners() {
        use std::os::unix::fs::{MetadataExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.obj");
        put(&path, "old");
        // Only the administrator can give a file away; for others it is theirs before and after.
        let _ = chown(&path, Some(12_345), Some(12_346));
        let before = fs::metadata(&path).unwrap();
        write_atomically_over(&path, ReadOnly::Replace, |file| file.write_all(b"new")).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
    }

    #[test]
    fn what_is_half_written_can_be_removed_from_another_thread() {
        let folder = tempfile::tempdir().unwrap();
        let result = write_atomically(&folder.path().join("a.obj"), |file| {
            file.write_all(b"half")?;
            file.flush()?;
            assert_eq!(entries(folder.path()), 1);
            // Only this one's: others of this process may be at work.
            let ours: Vec<PathBuf> = unfinished().iter().cloned().collect();
            let ours = ours.into_iter().filter(|path| path.starts_with(folder.path()));
            assert_eq!(ours.inspect(|path| fs::remove_file(path).unwrap()).count(), 1);
            assert_eq!(entries(folder.path()), 0);
            Ok(())
        });
        assert!(result.is_err());
        assert!(!unfinished().iter().any(|path| path.starts_with(folder.path())));
    }

    #[test]
    fn of_several_files_none_is_written_where_one_cannot_be() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        put(&at("a.html"), "old");
        let files = [(at("a.html"), &b"new"[..]), (at("b.html"), b"new"), (at("no/c"), b"new")];
        let (path, _) = write_all_atomically(files, ReadOnly::Keep).unwrap_err();
        assert_eq!(path, at("no/c"));
        assert_eq!(fs::read_to_string(at("a.html")).unwrap(), "old");
        assert_eq!(entries(folder.path()), 1);
        write_all_atomically([(at("a.html"), &b"new"[..])], ReadOnly::Keep).unwrap();
        assert_eq!(fs::read_to_string(at("a.html")).unwrap(), "new");
    }
}
