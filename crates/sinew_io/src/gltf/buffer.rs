//! Buffers: the GLB's own chunk, data URIs, and files in the folder of the document (never outside
//! it).

use std::borrow::Cow;
use std::fs;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::json;
use crate::{ReadError, confined};

/// Exporters differ on the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of every buffer. One that cannot be had is an error only for what reads it: files with
/// a compressed buffer and an empty fallback are common.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    bytes: Vec<Result<Cow<'a, [u8]>, String>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn load(
        buffers: &[json::Buffer],
        binary_chunk: Option<&'a [u8]>,
        folder: Option<&Path>,
    ) -> Self {
        let load_one = |(index, buffer): (usize, &json::Buffer)| {
            let bytes = match (&buffer.uri, binary_chunk) {
                (Some(uri), _) => Cow::Owned(load_uri(uri, buffer.byte_length, folder)?),
                (None, Some(chunk)) if index == 0 => Cow::Borrowed(chunk),
                (None, _) => return Err("has neither a uri nor a binary chunk".to_owned()),
            };
            if bytes.len() < buffer.byte_length {
                return Err(format!(
                    "says {} bytes, but only {} are there; the file is cut off",
                    buffer.byte_length,
                    bytes.len()
                ));
            }
            Ok(match bytes {
                Cow::Borrowed(b) => Cow::Borrowed(&b[..buffer.byte_length]),
                Cow::Owned(mut b) => {
                    b.truncate(buffer.byte_length);
                    Cow::Owned(b)
                }
            })
        };
        Self { bytes: buffers.iter().enumerate().map(load_one).collect() }
    }

    /// Buffers whose bytes are at hand; empty ones could not be had.
    pub(super) fn of_bytes(
        buffers: &[json::Buffer],
        bytes: impl Iterator<Item = &'a [u8]>,
    ) -> Self {
        let of_one = |(buffer, bytes): (&json::Buffer, &'a [u8])| {
            let found = bytes.get(..buffer.byte_length);
            found.map(Cow::Borrowed).ok_or_else(|| "was not kept".to_owned())
        };
        Self { bytes: buffers.iter().zip(bytes).map(of_one).collect() }
    }

    /// The bytes of a buffer.
    pub(super) fn get(&self, index: usize) -> Result<&[u8], ReadError> {
        match self.bytes.get(index) {
            Some(Ok(bytes)) => Ok(bytes),
            Some(Err(what)) => Err(ReadError::malformed(format!("buffers[{index}]"), what.clone())),
            None => {
                Err(ReadError::malformed(format!("buffers[{index}]"), "there is no such buffer"))
            }
        }
    }

    /// Bytes over all buffers.
    pub(super) fn total_bytes(&self) -> usize {
        self.bytes.iter().flatten().map(|bytes| bytes.len()).sum()
    }
}

/// At most `byte_length` bytes of a data URI or a file in `folder`.
pub(crate) fn load_uri(
    uri: &str,
    byte_length: usize,
    folder: Option<&Path>,
) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, text) = data.split_once(',').ok_or("has a data URI without a comma")?;
        return if kind.ends_with(";base64") {
            BASE64.decode(text).map_err(|error| format!("has a broken data URI: {error}"))
        } else {
            Ok(percent_decode_str(text).collect())
        };
    }
    let folder = folder.ok_or("lies in another file, which cannot be read from memory")?;
    load_file(uri, byte_length, folder)
}

fn load_file(uri: &str, byte_length: usize, folder: &Path) -> Result<Vec<u8>, String> {
    let decoded = percent_decode_str(uri)
        .decode_utf8()
        .map_err(|_| format!("has a uri '{uri}' that is not UTF-8"))?;
    let path = confined(folder, &decoded)?;
    let failed = |error: std::io::Error| format!("names '{uri}', which cannot be read: {error}");
    let mut bytes = Vec::new();
    let file = fs::File::open(&path).map_err(failed)?;
    file.take(byte_length as u64).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(uri: &str, byte_length: usize, folder: Option<&Path>) -> Result<Vec<u8>, String> {
        let buffer = json::Buffer { uri: Some(uri.into()), byte_length };
        let buffers = Buffers::load(&[buffer], None, folder);
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
        let buffers = Buffers::load(&[json::Buffer { uri: None, byte_length: 9 }], None, None);
        assert_eq!(buffers.total_bytes(), 0);
        assert!(buffers.get(0).is_err());
        assert!(buffers.get(1).is_err());
    }
}
