//! Buffers: the GLB's own chunk, data URIs, and files in the folder of the document (never outside
//! it). Of a file only what views name is read, and once, however many buffers it is.

use std::collections::HashMap;
use std::path::PathBuf;

use sinew::carried::Blob;

use super::json::{self, Root};
use crate::ReadError;
use crate::neighbours::Neighbours;

/// The bytes of every buffer. One that cannot be had is an error only for what reads it: files with
/// a compressed buffer and an empty fallback are common.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    bytes: Vec<Result<Stored<'a>, String>>,
    /// Of all of them, each once.
    num_distinct_bytes: usize,
}

#[derive(Debug)]
enum Stored<'a> {
    Borrowed(&'a [u8]),
    Shared(Blob),
}

impl Stored<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Shared(blob) => blob.bytes(),
        }
    }
}

impl<'a> Buffers<'a> {
    pub(super) fn load(
        root: &Root,
        binary_chunk: Option<&'a [u8]>,
        neighbours: &Neighbours<'_>,
    ) -> Self {
        let needed = needed_bytes(root);
        let found: Vec<_> = root
            .buffers
            .iter()
            .map(|buffer| buffer.uri.as_deref().map(|uri| neighbours.find(uri)))
            .collect();
        // The most that any buffer needs of each file.
        let mut needed_of_file: HashMap<&PathBuf, usize> = HashMap::new();
        for (found, &needed) in found.iter().zip(&needed) {
            if let Some(Ok(Some((path, _)))) = found {
                let most = needed_of_file.entry(path).or_default();
                *most = needed.max(*most);
            }
        }
        let load_one = |(index, buffer): (usize, &json::Buffer)| {
            let stated = buffer.byte_length;
            let cut_off = |there: u64| {
                format!("says {stated} bytes, but only {there} are there; the file is cut off")
            };
            let (Some(uri), Some(found)) = (&buffer.uri, &found[index]) else {
                let chunk = binary_chunk.filter(|_| index == 0);
                let chunk = chunk.ok_or("has neither a uri nor a binary chunk")?;
                let bytes = chunk.get(..stated).ok_or_else(|| cut_off(chunk.len() as u64))?;
                return Ok(Stored::Borrowed(bytes));
            };
            if let Some((path, length)) = found.as_ref().map_err(Clone::clone)? {
                if *length < stated as u64 {
                    return Err(cut_off(*length));
                }
                // As much as any buffer needs, so that it is read once; then this one's share.
                neighbours.load_found(uri, path, *length, needed_of_file[path])?;
                let blob = neighbours.load_found(uri, path, *length, needed[index])?;
                return Ok(Stored::Shared(blob));
            }
            let blob = neighbours.load(uri, stated)?;
            if blob.bytes().len() < stated {
                return Err(cut_off(blob.bytes().len() as u64));
            }
            Ok(Stored::Shared(blob))
        };
        let bytes: Vec<_> = root.buffers.iter().enumerate().map(load_one).collect();
        let num_distinct_bytes = num_distinct_bytes(&bytes);
        Self { bytes, num_distinct_bytes }
    }

    /// Buffers whose bytes are at hand, as far as they were needed.
    pub(super) fn of_bytes(root: &Root, bytes: impl Iterator<Item = &'a [u8]>) -> Self {
        let needed = needed_bytes(root);
        let of_one = |(needed, bytes): (&usize, &'a [u8])| {
            let found = bytes.get(..*needed);
            found.map(Stored::Borrowed).ok_or_else(|| "was not kept".to_owned())
        };
        let bytes: Vec<_> = needed.iter().zip(bytes).map(of_one).collect();
        let num_distinct_bytes = num_distinct_bytes(&bytes);
        Self { bytes, num_distinct_bytes }
    }

    /// A buffer to keep; `None` for one that could not be had, or lies in the file itself.
    pub(super) fn shared(&self, index: usize) -> Option<Blob> {
        match self.bytes.get(index)? {
            Ok(Stored::Shared(blob)) => Some(blob.clone()),
            _ => None,
        }
    }

    /// The bytes of a buffer.
    pub(super) fn get(&self, index: usize) -> Result<&[u8], ReadError> {
        match self.bytes.get(index) {
            Some(Ok(stored)) => Ok(stored.bytes()),
            Some(Err(what)) => Err(ReadError::malformed(format!("buffers[{index}]"), what.clone())),
            None => {
                Err(ReadError::malformed(format!("buffers[{index}]"), "there is no such buffer"))
            }
        }
    }

    /// Bytes over all buffers, those that several have but once.
    pub(super) fn total_bytes(&self) -> usize {
        self.num_distinct_bytes
    }
}

/// How far into each buffer its views reach, and never past its stated end.
fn needed_bytes(root: &Root) -> Vec<usize> {
    let mut needed = vec![0_usize; root.buffers.len()];
    let mut reach = |buffer: usize, offset: usize, length: usize| {
        if let Some(most) = needed.get_mut(buffer) {
            *most = (*most).max(offset.saturating_add(length));
        }
    };
    for view in &root.buffer_views {
        reach(view.buffer, view.byte_offset, view.byte_length);
        if let Some((_, stream)) = view.compressed() {
            reach(stream.buffer, stream.byte_offset, stream.byte_length);
        }
    }
    for (needed, buffer) in needed.iter_mut().zip(&root.buffers) {
        *needed = (*needed).min(buffer.byte_length);
    }
    needed
}

fn num_distinct_bytes(buffers: &[Result<Stored<'_>, String>]) -> usize {
    let bytes = buffers.iter().flatten().map(Stored::bytes);
    // Several views of one file begin at one place.
    let mut most_at: HashMap<*const u8, usize> = HashMap::new();
    for bytes in bytes {
        let most = most_at.entry(bytes.as_ptr()).or_default();
        *most = bytes.len().max(*most);
    }
    most_at.values().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn one(uri: &str, byte_length: usize, folder: Option<&Path>) -> Result<Vec<u8>, String> {
        let buffer = json::Buffer { uri: Some(uri.into()), byte_length };
        let view = json::BufferView { byte_length, ..json::BufferView::default() };
        let root = Root { buffers: vec![buffer], buffer_views: vec![view], ..Root::default() };
        let buffers = Buffers::load(&root, None, &Neighbours::of(folder));
        buffers.get(0).map(<[u8]>::to_vec).map_err(|error| error.to_string())
    }

    #[test]
    fn data_uris_are_decoded_with_and_without_padding() {
        assert_eq!(one("data:application/octet-stream;base64,AQID", 3, None).unwrap(), [1, 2, 3]);
        assert_eq!(one("data:;base64,AQ", 1, None).unwrap(), [1]);
        assert_eq!(one("data:;base64,AQ==", 1, None).unwrap(), [1]);
        assert_eq!(one("data:,%01b", 2, None).unwrap(), [1, b'b']);
        assert!(one("data:;base64,A*", 1, None).is_err());
        assert!(one("data:;base64,AQID", 4, None).unwrap_err().contains("cut off"));
    }

    #[test]
    fn files_are_read_from_the_folder_and_nowhere_else() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("inner");
        fs::create_dir(&folder).unwrap();
        for path in [outer.path().join("secret.bin"), folder.join("a b.bin")] {
            crate::write_atomically(&path, |f| std::io::Write::write_all(f, b"abc")).unwrap();
        }
        assert_eq!(one("a%20b.bin", 2, Some(&folder)).unwrap(), b"ab");
        assert_eq!(one("./a b.bin", 3, Some(&folder)).unwrap(), b"abc");
        let absolute = outer.path().join("secret.bin");
        for bad in [
            "../secret.bin",
            "%2e%2e/secret.bin",
            "..\\secret.bin",
            absolute.to_str().unwrap(),
            "file:///etc/passwd",
            "http://example.com/a.bin",
            ".",
        ] {
            assert!(one(bad, 1, Some(&folder)).is_err(), "{bad}");
        }
        assert!(one("a%20b.bin", 1, None).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("inner");
        fs::create_dir(&folder).unwrap();
        let secret = outer.path().join("secret.bin");
        crate::write_atomically(&secret, |f| std::io::Write::write_all(f, b"abc")).unwrap();
        std::os::unix::fs::symlink(&secret, folder.join("link.bin")).unwrap();
        assert!(one("link.bin", 1, Some(&folder)).unwrap_err().contains("out of"));
    }

    #[test]
    fn a_buffer_without_bytes_is_an_error_only_for_who_reads_it() {
        let buffer = json::Buffer { uri: None, byte_length: 9 };
        let root = Root { buffers: vec![buffer], ..Root::default() };
        let buffers = Buffers::load(&root, None, &Neighbours::of(None));
        assert_eq!(buffers.total_bytes(), 0);
        assert!(buffers.get(0).is_err());
        assert!(buffers.get(1).is_err());
    }
}
