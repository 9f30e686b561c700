//! The body: one value after the other, whatever the encoding.

use super::header::{Encoding, Scalar};

/// Takes values from a body.
#[derive(Debug)]
pub(super) struct Values<'a> {
    encoding: Encoding,
    rest: &'a [u8],
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
    pub(super) fn new(encoding: Encoding, rest: &'a [u8]) -> Self {
        Self { encoding, rest }
    }

    /// Bytes that are still there.
    pub(super) fn num_bytes_left(&self) -> usize {
        self.rest.len()
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
        if value < 0.0 || value.fract() != 0.0 || value > (self.rest.len() / smallest) as f64 {
            return Err(format!("a list of {value} entries cannot be in what is left of the file"));
        }
        Ok(value as usize)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or("the file ends in the middle")?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn next_word(&mut self, scalar: Scalar) -> Result<f64, String> {
        let text = self.rest.trim_ascii_start();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        if word.is_empty() {
            return Err("the file ends in the middle".into());
        }
        let word = str::from_utf8(word).map_err(|_| "a word that is not a number".to_owned())?;
        // As f32 where it is one: rounding to f64 first can round twice.
        let value = match scalar {
            Scalar::F32 => word.parse::<f32>().map(f64::from).ok(),
            _ => word.parse::<f64>().ok(),
        };
        value.ok_or_else(|| format!("'{word}' is not a number"))
    }
}
