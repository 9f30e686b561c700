//! Writing that leaves the old file or the new one, never half of either.
//!
//! The new content goes to a temporary file in the same folder (renaming across file systems is not
//! atomic), is flushed to the disk, and renamed over the old name. A symbolic link stays one: its
//! target is replaced. A device or pipe (`/dev/stdout`) cannot be replaced and is written to
//! directly.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// As many links as Linux follows before it says ELOOP.
const MAX_LINKS: usize = 40;

/// Writes a file as a whole or not at all; on any error the old file is untouched and no temporary
/// one stays.
///
/// A new file has the permissions that an ordinarily created one has (the umask's), an existing one
/// keeps its own.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
) -> io::Result<()> {
    let path = resolve_links(path)?;
    let existing = match fs::metadata(&path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if existing.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
        let mut device = fs::OpenOptions::new().write(true).open(&path)?;
        return write_through(&mut device, write);
    }
    if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Dropped on every early return, which removes the file.
    let made = builder(existing.as_ref()).tempfile_in(folder);
    let mut temporary = made.map_err(|error| folder_error(folder, &error))?;
    if let Some(existing) = &existing {
        temporary.as_file().set_permissions(existing.permissions())?;
    }
    write_through(temporary.as_file_mut(), write)?;
    temporary.as_file().sync_all()?;
    temporary.persist(&path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

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
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
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
}
