//! The folder of a document: one writer in it at a time, and who in it names a buffer.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes that are looked through at a time.
const BLOCK: usize = 1 << 16;

/// A file that is larger is taken to name everything.
const MAX_DOCUMENT: u64 = 256 << 20;

/// Parts of names that documents have, and copies of documents: `hero.gltf`, `hero.gltf.bak`.
const DOCUMENTS: [&str; 3] = [".gltf", ".glb", ".vrm"];

/// Holds other writers of `.gltf` in the folder until it is dropped, or its process ends.
#[derive(Debug)]
pub(super) struct FolderLock {
    // Closing it gives the lock back.
    _held: File,
}

impl FolderLock {
    /// Waits for the folder of a document; `None` where the file system has no locks.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let held = open(crate::folder_of(path)).ok()?;
        held.lock().ok()?;
        Some(Self { _held: held })
    }
}

/// The folder itself: no file is left over.
#[cfg(unix)]
fn open(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Folders cannot be opened here.
#[cfg(not(unix))]
fn open(folder: &Path) -> io::Result<File> {
    let path = folder.join(".sinew-lock");
    fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

/// True if a document other than `path`, in its folder or the one above, has these bytes in its
/// text. What cannot be looked into is taken to have them.
pub(super) fn is_named_by_another(path: &Path, name: &[u8]) -> bool {
    let folder = crate::folder_of(path);
    let is_in = |folder: &Path| is_named_in(folder, path, name).unwrap_or(true);
    // A folder that is the root has none above it, or itself.
    is_in(folder) || folder.canonicalize().is_ok_and(|f| f.parent().is_some_and(is_in))
}

fn is_named_in(folder: &Path, but: &Path, name: &[u8]) -> io::Result<bool> {
    let but = but.canonicalize()?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let file_name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if !DOCUMENTS.iter().any(|part| file_name.contains(part)) || !path.is_file() {
            continue;
        }
        if path.canonicalize()? != but && names(&path, name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if the text of a document has these bytes.
fn names(path: &Path, name: &[u8]) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut length = file.metadata()?.len();
    let mut block = vec![0; BLOCK.max(name.len() * 2)];
    let mut filled = 0;
    // Of a GLB only its JSON, which comes first, and not its megabytes.
    let mut header = [0; 20];
    let num_read = read_up_to(&mut file, &mut header)?;
    if header.starts_with(b"glTF") && num_read == header.len() {
        let [.., a, b, c, d, _, _, _, _] = header;
        length = u64::from(u32::from_le_bytes([a, b, c, d]));
    } else {
        block[..num_read].copy_from_slice(&header[..num_read]);
        filled = num_read;
        length = length.saturating_sub(num_read as u64);
    }
    if length > MAX_DOCUMENT {
        return Ok(true);
    }
    let mut text = file.take(length);
    loop {
        let num_read = read_up_to(&mut text, &mut block[filled..])?;
        let found = &block[..filled + num_read];
        if found.windows(name.len()).any(|window| window == name) {
            return Ok(true);
        }
        if num_read == 0 {
            return Ok(false);
        }
        // The end of this block may be the beginning of the name.
        let kept = found.len().min(name.len() - 1);
        let start = found.len() - kept;
        block.copy_within(start..start + kept, 0);
        filled = kept;
    }
}

/// Fills as much of a block as there is.
fn read_up_to(from: &mut impl Read, block: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match from.read(&mut block[filled..])? {
            0 => break,
            num_read => filled += num_read,
        }
    }
    Ok(filled)
}
