//! The GLB container: a 12-byte header, a JSON chunk, and at most one binary chunk (glTF 2.0,
//! section 4.4).

use crate::ReadError;

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

/// The chunks of a GLB.
#[derive(Debug)]
pub(crate) struct Glb<'a> {
    pub(crate) json: &'a [u8],
    pub(crate) binary: Option<&'a [u8]>,
    /// Where the binary chunk's data begin in the file.
    pub(crate) binary_start: usize,
}

/// Takes a GLB apart.
pub(crate) fn split(bytes: &[u8]) -> Result<Glb<'_>, ReadError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ReadError::malformed("byte 0", "the file does not start with 'glTF'"));
    }
    let version = word(bytes, 4)?;
    if version != VERSION {
        let what = format!("GLB version {version}; only version 2 is read, export as glTF 2.0");
        return Err(ReadError::malformed("byte 4", what));
    }
    let length = word(bytes, 8)? as usize;
    let Some(bytes) = bytes.get(..length) else {
        let what = format!("says {length} bytes, but the file has {}; it is cut off", bytes.len());
        return Err(ReadError::malformed("byte 8", what));
    };
    let (kind, json, mut at) = chunk(bytes, 12)?;
    if kind != JSON {
        return Err(ReadError::malformed("byte 16", "the first chunk is not JSON"));
    }
    // Chunks of other kinds are to be passed over.
    while at < bytes.len() {
        let (kind, data, next) = chunk(bytes, at)?;
        if kind == BIN {
            return Ok(Glb { json, binary: Some(data), binary_start: next - data.len() });
        }
        at = next;
    }
    Ok(Glb { json, binary: None, binary_start: bytes.len() })
}

/// Kind, data and end of the chunk at a byte.
fn chunk(bytes: &[u8], at: usize) -> Result<(u32, &[u8], usize), ReadError> {
    let length = word(bytes, at)? as usize;
    let kind = word(bytes, at + 4)?;
    let start = at + 8;
    let end = start.checked_add(length).filter(|&end| end <= bytes.len()).ok_or_else(|| {
        let what = format!("a chunk of {length} bytes reaches past the end; the file is cut off");
        ReadError::malformed(format!("byte {at}"), what)
    })?;
    Ok((kind, &bytes[start..end], end))
}

fn word(bytes: &[u8], at: usize) -> Result<u32, ReadError> {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .map(|four| u32::from_le_bytes(*four))
        .ok_or_else(|| ReadError::malformed(format!("byte {at}"), "the file ends here"))
}

/// Puts a GLB together; `None` if it is larger than its own 32-bit length can say.
pub(crate) fn join(mut json: Vec<u8>, mut binary: Vec<u8>) -> Option<Vec<u8>> {
    // Chunks end on four bytes: JSON padded with spaces, binary with zeros.
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let binary_chunk = if binary.is_empty() { 0 } else { 8 + binary.len() };
    let length = 20 + json.len() + binary_chunk;
    let total = u32::try_from(length).ok()?;

    let mut glb = Vec::with_capacity(length);
    glb.extend_from_slice(MAGIC);
    for word in [VERSION, total, json.len() as u32, JSON] {
        glb.extend_from_slice(&word.to_le_bytes());
    }
    glb.append(&mut json);
    if !binary.is_empty() {
        glb.extend_from_slice(&(binary.len() as u32).to_le_bytes());
        glb.extend_from_slice(&BIN.to_le_bytes());
        glb.append(&mut binary);
    }
    Some(glb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_splits_again() {
        let glb = join(b"{}".to_vec(), vec![1, 2, 3]).unwrap();
        let parts = split(&glb).unwrap();
        assert_eq!(parts.json, b"{}  ");
        assert_eq!(parts.binary, Some(&[1, 2, 3, 0][..]));
    }

    #[test]
    fn a_glb_without_binary_chunk_is_one() {
        let glb = join(b"{}".to_vec(), vec![]).unwrap();
        assert!(split(&glb).unwrap().binary.is_none());
    }

    #[test]
    fn every_prefix_of_a_glb_is_refused() {
        let glb = join(b"{}".to_vec(), vec![1, 2, 3]).unwrap();
        for length in 0..glb.len() {
            assert!(split(&glb[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_chunk_of_unknown_kind_is_passed_over() {
        let mut glb = join(b"{}".to_vec(), vec![]).unwrap();
        for word in [4, u32::from_le_bytes(*b"ABCD"), 7, 4, BIN, 9] {
            glb.extend_from_slice(&word.to_le_bytes());
        }
        let length = glb.len() as u32;
        glb[8..12].copy_from_slice(&length.to_le_bytes());
        assert_eq!(split(&glb).unwrap().binary, Some(&[9, 0, 0, 0][..]));
    }
}
