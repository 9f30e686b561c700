//! A `.gltf` and the buffer beside it, replaced together.
//!
//! Two files cannot be renamed at once. The buffer's name therefore holds a hash of its bytes: a
//! new one never takes the place of one that the old document needs. It is written first, the
//! document is renamed into its place second, and the buffer that the old document named is removed
//! last, and only if its name is one of ours. Whatever moment the machine stops at, the document
//! that is there finds its buffer; at worst a buffer that nobody names is left over.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use crate::gltf::Finished;
use crate::{WriteError, write_atomically};

/// What a URI may have as it is.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Hexadecimal digits of the hash in a buffer's name.
const HASH_DIGITS: usize = 16;

/// Larger documents are not looked into for the buffer that they name.
const MAX_OLD_DOCUMENT: u64 = 256 << 20;

/// Writes the document to `path` and its buffer beside it.
pub(crate) fn write(path: &Path, finished: Finished) -> Result<(), WriteError> {
    let failed = |path: &Path, source| WriteError::Io { path: path.to_owned(), source };
    let Finished { mut document, binary, .. } = finished;
    let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let old = old_buffer(path, &stem);
    let mut new = None;
    if !binary.is_empty() {
        let name = format!("{stem}-{:016x}.bin", hash(&binary));
        let buffer = document.get_mut("buffers").and_then(|buffers| buffers.get_mut(0));
        if let Some(buffer) = buffer.and_then(Value::as_object_mut) {
            let uri = utf8_percent_encode(&name, UNRESERVED).to_string();
            buffer.insert("uri".into(), json!(uri));
        }
        let beside = path.with_file_name(name);
        let is_there = fs::read(&beside).is_ok_and(|bytes| bytes == binary);
        if !is_there {
            write_atomically(&beside, |file| file.write_all(&binary))
                .map_err(|error| failed(&beside, error))?;
        }
        new = Some(beside);
    }
    write_atomically(path, |file| {
        serde_json::to_writer_pretty(&mut *file, &document).map_err(io::Error::from)?;
        file.write_all(b"\n")
    })
    .map_err(|error| failed(path, error))?;
    if let Some(old) = old.filter(|old| new.as_ref() != Some(old)) {
        // Left over at worst: the new document does not name it.
        let _ = fs::remove_file(old);
    }
    Ok(())
}

/// The buffer that the document now at `path` names, if we wrote it.
fn old_buffer(path: &Path, stem: &str) -> Option<PathBuf> {
    if fs::metadata(path).ok()?.len() > MAX_OLD_DOCUMENT {
        return None;
    }
    let document: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let uri = document.pointer("/buffers/0/uri")?.as_str()?;
    let name = percent_decode_str(uri).decode_utf8().ok()?;
    let hash = name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(".bin")?;
    let is_ours = hash.len() == HASH_DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit());
    is_ours.then(|| path.with_file_name(name.as_ref()))
}

/// FNV-1a over words of eight bytes: tells contents apart, and is not meant against anyone who
/// forges them.
fn hash(bytes: &[u8]) -> u64 {
    let step =
        |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let start = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    let hash = words.iter().fold(start, |hash, word| step(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, &byte| step(hash, u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;

    fn finished(bytes: &[u8]) -> Finished {
        let document =
            json!({ "asset": { "version": "2.0" }, "buffers": [{ "byteLength": bytes.len() }] });
        let Value::Object(document) = document else { panic!("an object") };
        Finished { document, binary: bytes.to_vec(), report: Report::default() }
    }

    fn buffers(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".bin")).collect()
    }

    #[test]
    fn a_second_write_leaves_one_buffer_and_the_document_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my hero.gltf");
        write(&path, finished(b"first")).unwrap();
        let first = buffers(folder.path());
        write(&path, finished(b"second")).unwrap();
        let second = buffers(folder.path());
        assert_eq!((first.len(), second.len()), (1, 1));
        assert_ne!(first, second);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&second[0].replace(' ', "%20")), "{text}");
        write(&path, finished(b"second")).unwrap();
        assert_eq!(buffers(folder.path()), second);
    }

    #[test]
    fn a_buffer_of_somebody_else_is_never_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gltf");
        for name in ["a.bin", "a-0123.bin", "b-0123456789abcdef.bin"] {
            let other = folder.path().join(name);
            write_atomically(&other, |file| file.write_all(b"theirs")).unwrap();
            let text = json!({ "buffers": [{ "uri": name }] }).to_string();
            write_atomically(&path, |file| file.write_all(text.as_bytes())).unwrap();
            write(&path, finished(b"ours")).unwrap();
            assert!(other.exists(), "{name}");
        }
    }

    #[test]
    fn until_the_document_is_replaced_the_old_one_finds_its_buffer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gltf");
        write(&path, finished(b"old")).unwrap();
        let old = buffers(folder.path());
        // As after a crash between the two: the new buffer is there, the document still the old
        // one.
        let beside = path.with_file_name(format!("a-{:016x}.bin", hash(b"new")));
        write_atomically(&beside, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(folder.path().join(&old[0])).unwrap(), b"old");
        write(&path, finished(b"new")).unwrap();
        assert_eq!(buffers(folder.path()).len(), 1);
    }
}
