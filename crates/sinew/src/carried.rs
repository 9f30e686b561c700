//! What a file says beyond what Sinew understands, kept from reading for writing.
//!
//! A reader keeps the document as it found it; the writer of the same format starts from that, so
//! that lights, cameras, materials and extensions that nothing here knows come out as they came in.
//! Nothing of the library looks inside.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A document as its format wrote it.
#[derive(Clone, PartialEq)]
pub struct Carried {
    /// Whose it is: `"gltf"`.
    pub format: &'static str,
    /// The document's own text.
    pub text: String,
    /// Bytes that the text points to, in an order that reader and writer agree on. Empty ones could
    /// not be had.
    pub blobs: Vec<Blob>,
}

/// A range of shared bytes: a reader that has the whole file keeps it instead of copying parts of
/// it.
#[derive(Clone)]
pub struct Blob {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Blob {
    /// A part of `bytes`; nothing where the range reaches past their end.
    pub fn new(bytes: Arc<Vec<u8>>, range: Range<usize>) -> Self {
        let range = if range.start <= range.end && range.end <= bytes.len() { range } else { 0..0 };
        Self { bytes, range }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self { bytes: Arc::new(bytes), range }
    }
}

impl PartialEq for Blob {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.range.len())
    }
}

impl fmt::Debug for Carried {
    // Megabytes of text in a failed assertion help nobody.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (format, length) = (self.format, self.text.len());
        write!(f, "Carried({format}, {length} bytes of text, {} blobs)", self.blobs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_is_its_range_and_one_that_reaches_past_the_end_is_empty() {
        let bytes = Arc::new(vec![1, 2, 3]);
        assert_eq!(Blob::new(Arc::clone(&bytes), 1..3).bytes(), [2, 3]);
        assert_eq!(Blob::new(Arc::clone(&bytes), 1..3), Blob::from(vec![2, 3]));
        for (start, end) in [(1, 4), (3, 2)] {
            assert!(Blob::new(Arc::clone(&bytes), start..end).bytes().is_empty());
        }
    }
}
