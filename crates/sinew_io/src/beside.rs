//! A `.gltf` and the buffer beside it, replaced together.
//!
//! Two files cannot be renamed at once. The buffer's name therefore holds a hash of its bytes: a
//! new one never takes the place of one that another document needs. It is written first, the
//! document is renamed into its place second, and the buffer that the old document named is removed
//! last: only if its name is one of ours, and no other document there names it. Whatever moment the
//! machine stops at, the document that is there finds its buffer; at worst a buffer that nobody
//! names is left over. All of it happens under a lock of the folder, so that of two writers none
//! removes what the other has just found to be there.

mod folder;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::atomic::{ReadOnly, resolve_links, write_atomically_over};
use crate::gltf::Finished;
use crate::{WriteError, write_atomically};
use folder::{FolderLock, is_named_by_another};

/// What a URI may have as it is.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Hexadecimal digits of the hash in a buffer's name.
const HASH_DIGITS: usize = 16;

/// Larger documents are not looked into for the buffer that they name.
const MAX_OLD_DOCUMENT: u64 = 256 << 20;

/// Writes the document to `path` and its buffer beside it.
pub(crate) fn write(
    path: &Path,
    finished: Finished,
    read_only: ReadOnly,
) -> Result<(), WriteError> {
    let failed = |path: &Path, source| WriteError::Io { path: path.to_owned(), source };
    let Finished { mut document, binary, .. } = finished;
    // The buffer belongs beside the document itself, wherever a link to it lies.
    let path = &resolve_links(path).map_err(|error| failed(path, error))?;
    let lock = FolderLock::of(path);
    let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let old = old_buffer(path, &stem);
    let mut new = None;
    if !binary.is_empty() {
        let (name, is_new) =
            put_buffer(path, &stem, &binary).map_err(|error| failed(path, error))?;
        let buffer = document.get_mut("buffers").and_then(|buffers| buffers.get_mut(0));
        if let Some(buffer) = buffer.and_then(Value::as_object_mut) {
            let uri = utf8_percent_encode(&name, UNRESERVED).to_string();
            buffer.insert("uri".into(), json!(uri));
        }
        new = Some((name, is_new));
    }
    let written = write_atomically_over(path, read_only, |file| {
        serde_json::to_writer_pretty(&mut *file, &document).map_err(io::Error::from)?;
        file.write_all(b"\n")
    });
    if let Err(error) = written {
        if let Some((name, true)) = new {
            let _ = fs::remove_file(path.with_file_name(name));
        }
        return Err(failed(path, error));
    }
    let is_replaced = |old: &String| new.as_ref().is_none_or(|(name, _)| name != old);
    // Where there is no lock nothing is removed: left over at worst.
    if let (Some(old), Some(_lock)) = (old.filter(is_replaced), &lock)
        && !is_named_by_another(path, told_apart_by(&old).as_bytes())
    {
        let _ = fs::remove_file(path.with_file_name(old));
    }
    Ok(())
}

/// What of a buffer's name stands in every document that names it: the whole of it, or the hash
/// where the rest can be written in several ways.
fn told_apart_by(name: &str) -> &str {
    let is_plain = utf8_percent_encode(name, UNRESERVED).to_string() == name;
    if is_plain { name } else { &name[name.len() - HASH_DIGITS - ".bin".len()..] }
}

/// Puts a buffer beside the document, unless it is there already, and returns its name and whether
/// it is new. A file of that name with another content is somebody's, and stays.
fn put_buffer(path: &Path, stem: &str, binary: &[u8]) -> io::Result<(String, bool)> {
    for attempt in 0_u64.. {
        let name = format!("{stem}-{:016x}.bin", hash(binary).wrapping_add(attempt));
        let beside = path.with_file_name(&name);
        match has_content(&beside, binary) {
            Some(true) => return Ok((name, false)),
            Some(false) => {}
            None => {
                write_atomically(&beside, |file| file.write_all(binary))?;
                return Ok((name, true));
            }
        }
    }
    unreachable!("there are fewer files than hashes")
}

/// True if the file holds just these bytes; `None` if there is none.
fn has_content(path: &Path, bytes: &[u8]) -> Option<bool> {
    let found = fs::symlink_metadata(path).ok()?;
    let is_like = found.is_file() && found.len() == bytes.len() as u64;
    Some(is_like && fs::read(path).is_ok_and(|found| found == bytes))
}

/// What of a document names its buffers.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    buffers: Vec<NamedBuffer>,
}

#[derive(Deserialize)]
struct NamedBuffer {
    #[serde(default)]
    uri: Option<String>,
}

/// The name of the buffer that the document now at `path` names, if we wrote it.
fn old_buffer(path: &Path, stem: &str) -> Option<String> {
    if fs::metadata(path).ok()?.len() > MAX_OLD_DOCUMENT {
        return None;
    }
    let document: Named = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let uri = document.buffers.into_iter().next()?.uri?;
    let name = percent_decode_str(&uri).decode_utf8().ok()?;
    let hash = name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(".bin")?;
    let is_ours = hash.len() == HASH_DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit());
    is_ours.then(|| name.into_owned())
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

    fn put(path: &Path, bytes: &[u8]) {
        write(path, finished(bytes), ReadOnly::Keep).unwrap();
    }

    /// The buffer that a document names, if it is there.
    fn content(path: &Path) -> io::Result<Vec<u8>> {
        let document: Named = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let uri = document.buffers[0].uri.clone().unwrap();
        fs::read(path.with_file_name(percent_decode_str(&uri).decode_utf8().unwrap().as_ref()))
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
        put(&path, b"first");
        let first = buffers(folder.path());
        put(&path, b"second");
        let second = buffers(folder.path());
        assert_eq!((first.len(), second.len()), (1, 1));
        assert_ne!(first, second);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&second[0].replace(' ', "%20")), "{text}");
        put(&path, b"second");
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
            put(&path, b"ours");
            assert!(other.exists(), "{name}");
        }
    }

    #[test]
    fn until_the_document_is_replaced_the_old_one_finds_its_buffer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gltf");
        put(&path, b"old");
        let old = buffers(folder.path());
        // As after a crash between the two: the new buffer is there, the document still the old
        // one.
        let beside = path.with_file_name(format!("a-{:016x}.bin", hash(b"new")));
        write_atomically(&beside, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(folder.path().join(&old[0])).unwrap(), b"old");
        put(&path, b"new");
        assert_eq!(buffers(folder.path()).len(), 1);
    }

    #[test]
    fn a_copy_of_a_document_keeps_its_buffer() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("models");
        fs::create_dir(&folder).unwrap();
        let hero = folder.join("hero.gltf");
        // Beside it, under a name that only looks like a document's, and one folder up.
        for copy in ["backup.gltf", "hero.gltf~", "../scene.glb"] {
            put(&hero, b"old");
            let old = content(&hero).unwrap();
            let text = fs::read_to_string(&hero).unwrap();
            let text = if copy.ends_with("glb") {
                let json = text.replace("hero-", "models/hero-").into_bytes();
                crate::glb::join(json, b"hero".repeat(99)).unwrap()
            } else {
                text.into_bytes()
            };
            write_atomically(&folder.join(copy), |file| file.write_all(&text)).unwrap();
            put(&hero, b"new");
            assert_eq!(buffers(&folder).len(), 2, "{copy}");
            fs::remove_file(folder.join(copy)).unwrap();
            put(&hero, b"old");
            assert_eq!(content(&hero).unwrap(), old);
            put(&hero, b"newest");
            assert_eq!(buffers(&folder).len(), 1, "without {copy} nobody names the old one");
        }
    }

    #[test]
    fn of_writers_at_once_each_leaves_a_document_with_its_buffer() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: usize| folder.path().join(format!("hero{}.gltf", name % 2));
        std::thread::scope(|scope| {
            for writer in 0..4_usize {
                scope.spawn(move || {
                    for round in 0..12_usize {
                        // Few contents: what one writer finds to be there another removes.
                        put(&path(writer), &[b'x', (round % 3) as u8]);
                    }
                });
            }
        });
        for name in 0..2 {
            assert!(content(&path(name)).is_ok(), "a document lost its buffer");
        }
        assert_eq!(buffers(folder.path()).len(), 2);
    }

    #[test]
    fn a_document_that_cannot_be_written_leaves_no_buffer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gltf");
        fs::create_dir(&path).unwrap();
        assert!(write(&path, finished(b"new"), ReadOnly::Keep).is_err());
        assert!(buffers(folder.path()).is_empty());
    }

    #[test]
    fn a_file_of_the_buffers_name_with_another_content_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gltf");
        let taken = path.with_file_name(format!("a-{:016x}.bin", hash(b"new")));
        write_atomically(&taken, |file| file.write_all(b"theirs")).unwrap();
        put(&path, b"new");
        assert_eq!(fs::read(&taken).unwrap(), b"theirs");
        assert_eq!(content(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn the_buffer_lies_beside_the_document_that_a_link_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link.gltf"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink("real/hero.gltf", &link).unwrap();
        put(&link, b"new");
        assert_eq!(content(&real.join("hero.gltf")).unwrap(), b"new");
    }
}
