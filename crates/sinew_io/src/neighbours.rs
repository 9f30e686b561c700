//! The files that a document names: below its folder, each read once however often and by whatever
//! name it is named, as far as it is needed, and all of them within one budget.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use sinew::carried::Blob;

use crate::confined;

/// Exporters differ on the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// All files beside one document: as much as a GLB could hold of them.
const MAX_ALL_BYTES: u64 = 4 << 30;

/// The files beside one document.
#[derive(Debug)]
pub(crate) struct Neighbours<'a> {
    folder: Option<&'a Path>,
    /// By canonical path: the first bytes of each.
    read: RefCell<HashMap<PathBuf, Arc<Vec<u8>>>>,
    bytes_left: Cell<u64>,
}

impl<'a> Neighbours<'a> {
    /// Of a document in that folder; without one, only data URIs can be had.
    pub(crate) fn of(folder: Option<&'a Path>) -> Self {
        Self { folder, read: RefCell::default(), bytes_left: Cell::new(MAX_ALL_BYTES) }
    }

    /// Where a file lies and how long it is; `None` for a data URI.
    pub(crate) fn find(&self, uri: &str) -> Result<Option<(PathBuf, u64)>, String> {
        if uri.starts_with("data:") {
            return Ok(None);
        }
        let folder = self.folder.ok_or("lies in another file, which cannot be read from memory")?;
        let name = percent_decode_str(uri)
            .decode_utf8()
            .map_err(|_| format!("has a uri '{uri}' that is not UTF-8"))?;
        let path = confined(folder, &name)?;
        let found = fs::metadata(&path).map_err(|error| unreadable(uri, &error))?;
        Ok(Some((path, found.len())))
    }

    /// The first bytes of a data URI or a file, and no more than there are.
    pub(crate) fn load(&self, uri: &str, most: usize) -> Result<Blob, String> {
        match self.find(uri)? {
            None => decode(&uri["data:".len()..]).map(|bytes| cut(Arc::new(bytes), most)),
            Some((path, length)) => self.load_found(uri, &path, length, most),
        }
    }

    /// The same of a file that was found.
    pub(crate) fn load_found(
        &self,
        uri: &str,
        path: &Path,
        length: u64,
        most: usize,
    ) -> Result<Blob, String> {
        let wanted = length.min(most as u64);
        if let Some(known) = self.read.borrow().get(path)
            && known.len() as u64 >= wanted
        {
            return Ok(cut(Arc::clone(known), most));
        }
        let left = self.bytes_left.get().checked_sub(wanted).ok_or_else(|| {
            format!(
                "names '{uri}' of {length} bytes: more than {MAX_ALL_BYTES} in files beside one document"
            )
        })?;
        self.bytes_left.set(left);
        let bytes = read_prefix(path, wanted).map_err(|error| unreadable(uri, &error))?;
        let bytes = Arc::new(bytes);
        self.read.borrow_mut().insert(path.to_owned(), Arc::clone(&bytes));
        Ok(cut(bytes, most))
    }
}

fn unreadable(uri: &str, error: &std::io::Error) -> String {
    format!("names '{uri}', which cannot be read: {error}")
}

/// Room is made once, for what is there: a file that says so may not have it.
fn read_prefix(path: &Path, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(|_| {
        std::io::Error::new(std::io::ErrorKind::OutOfMemory, "there is not so much memory")
    })?;
    fs::File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn cut(bytes: Arc<Vec<u8>>, most: usize) -> Blob {
    let range: Range<usize> = 0..bytes.len().min(most);
    Blob::new(bytes, range)
}

/// What follows `data:`.
fn decode(data: &str) -> Result<Vec<u8>, String> {
    let (kind, text) = data.split_once(',').ok_or("has a data URI without a comma")?;
    if kind.ends_with(";base64") {
        BASE64.decode(text).map_err(|error| format!("has a broken data URI: {error}"))
    } else {
        Ok(percent_decode_str(text).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, bytes: &[u8]) {
        crate::write_atomically(path, |f| std::io::Write::write_all(f, bytes)).unwrap();
    }

    #[test]
    fn a_file_is_read_once_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("a b.bin"), b"abc");
        let neighbours = Neighbours::of(Some(folder.path()));
        let first = neighbours.load("a%20b.bin", 3).unwrap();
        let before = neighbours.bytes_left.get();
        let second = neighbours.load("./a b.bin", 2).unwrap();
        assert_eq!((first.bytes(), second.bytes()), (&b"abc"[..], &b"ab"[..]));
        assert_eq!(neighbours.bytes_left.get(), before);
        assert_eq!(neighbours.read.borrow().len(), 1);
    }

    #[test]
    fn more_than_all_may_have_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.bin");
        put(&path, b"");
        // Of holes: it takes no room on the disk, and none here.
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(MAX_ALL_BYTES + 1).unwrap();
        let neighbours = Neighbours::of(Some(folder.path()));
        let error = neighbours.load("huge.bin", usize::MAX).unwrap_err();
        assert!(error.contains("more than"), "{error}");
        assert_eq!(neighbours.load("huge.bin", 9).unwrap().bytes(), [0; 9]);
    }
}
