//! The body: one value after the other, whatever the encoding, a block of the file at a time.

use std::io::{self, Read};

use super::header::{Encoding, Scalar};

/// As much of the file as is in memory at a time.
const BLOCK_BYTES: u64 = 256 << 10;

/// No number is written with more digits.
const LONGEST_WORD: usize = 4096;

/// Takes values from a body.
pub(super) struct Values<'a> {
    encoding: Encoding,
    source: &'a mut dyn Read,
    /// Bytes that the source still has.
    num_unread: u64,
    buffer: Vec<u8>,
    /// Where in the buffer the next value begins.
    at: usize,
    /// Why the source did not give what it should have.
    pub(super) failure: Option<io::Error>,
}

/// Fixed-size bytes in the right order.
macro_rules! take {
    ($self:ident, $type:ty) => {{
        let bytes = $self.bytes()?;
        f64::from(match $self.encoding {
            Encoding::BigEndian => <$type>::from_be_bytes(bytes),
            _ => <$type>::from_le_bytes(bytes),
        })
    }};
}

impl<'a> Values<'a> {
    /// Of a source that has so many bytes.
    pub(super) fn new(encoding: Encoding, source: &'a mut dyn Read, num_bytes: u64) -> Self {
        Self { encoding, source, num_unread: num_bytes, buffer: Vec::new(), at: 0, failure: None }
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    /// Bytes that are still there.
    pub(super) fn num_bytes_left(&self) -> usize {
        let num_unread = usize::try_from(self.num_unread).unwrap_or(usize::MAX);
        num_unread.saturating_add(self.rest().len())
    }

    /// Reads on; false at the end.
    fn refill(&mut self) -> bool {
        self.buffer.drain(..self.at);
        self.at = 0;
        let wanted = BLOCK_BYTES.min(self.num_unread);
        match (&mut *self.source).take(wanted).read_to_end(&mut self.buffer) {
            Ok(0) => self.num_unread = 0,
            Ok(num_read) => {
                self.num_unread -= num_read as u64;
                return true;
            }
            Err(error) => {
                self.failure = Some(error);
                self.num_unread = 0;
            }
        }
        false
    }

    /// The next value; f64 holds every type of PLY exactly.
    pub(super) fn next(&mut self, scalar: Scalar) -> Result<f64, String> {
        if self.encoding == Encoding::Ascii {
            return self.next_word(scalar);
        }
        Ok(match scalar {
            Scalar::I8 => take!(self, i8),
            Scalar::U8 => take!(self, u8),
            Scalar::I16 => take!(self, i16),
            Scalar::U16 => take!(self, u16),
            Scalar::I32 => take!(self, i32),
            Scalar::U32 => take!(self, u32),
            Scalar::F32 => take!(self, f32),
            Scalar::F64 => take!(self, f64),
        })
    }

    /// The length of a list, no longer than what is left can hold.
    pub(super) fn next_length(&mut self, length: Scalar, of: Scalar) -> Result<usize, String> {
        let value = self.next(length)?;
        let smallest = if self.encoding == Encoding::Ascii { 1 } else { of.size() };
        if value < 0.0 || value.fract() != 0.0 || value > (self.num_bytes_left() / smallest) as f64
        {
            return Err(format!("a list of {value} entries cannot be in what is left of the file"));
        }
        Ok(value as usize)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        while self.rest().len() < N && self.refill() {}
        let bytes = *self.rest().first_chunk().ok_or("the file ends in the middle")?;
        self.at += N;
        Ok(bytes)
    }

    /// Where the next word begins and ends in the buffer.
    fn find_word(&mut self) -> std::ops::Range<usize> {
        loop {
            let rest = self.rest();
            let begin = rest.iter().position(|byte| !byte.is_ascii_whitespace());
            let begin = begin.unwrap_or(rest.len());
            let end = rest[begin..].iter().position(u8::is_ascii_whitespace);
            if end.is_none() && rest.len() - begin <= LONGEST_WORD {
                // Space alone need not be kept.
                self.at += begin;
                if self.refill() {
                    continue;
                }
                return self.at..self.buffer.len();
            }
            let end = end.map_or(rest.len(), |end| begin + end);
            return self.at + begin..self.at + end;
        }
    }

    fn next_word(&mut self, scalar: Scalar) -> Result<f64, String> {
        let word = self.find_word();
        self.at = word.end;
        let word = &self.buffer[word];
        if word.is_empty() {
            return Err("the file ends in the middle".into());
        }
        let word = str::from_utf8(word).map_err(|_| "a word that is not a number".to_owned())?;
        // As f32 where it is one: rounding to f64 first can round twice.
        let value = match scalar {
            Scalar::F32 => word.parse::<f32>().map(f64::from).ok(),
            _ => word.parse::<f64>().ok(),
        };
        value.ok_or_else(|| format!("'{}' is not a number", shortened(word)))
    }
}

fn shortened(word: &str) -> &str {
    const SHOWN: usize = 40;
    word.char_indices().nth(SHOWN).map_or(word, |(end, _)| &word[..end])
}
