//! The words of a text, with their lines.

use crate::ReadError;

/// Goes through a text word by word. Braces are words of their own.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Self { bytes, at: 0, line: 1 }
    }

    /// The line of what comes next.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Bytes that were not looked at yet.
    pub(super) fn num_bytes_left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn step(&mut self) {
        let byte = self.bytes[self.at];
        self.at += 1;
        // Lines end with \n, \r\n or, on an old Mac, \r.
        if byte == b'\n' || (byte == b'\r' && self.bytes.get(self.at) != Some(&b'\n')) {
            self.line += 1;
        }
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).copied().is_some_and(is_blank) {
            self.step();
        }
    }

    /// The next word; `None` at the end.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        let start = self.at;
        if matches!(self.bytes.get(start)?, b'{' | b'}') {
            self.at += 1;
            return Some(&self.bytes[start..self.at]);
        }
        let is_end = |byte: &u8| is_blank(*byte) || matches!(byte, b'{' | b'}');
        let rest = &self.bytes[start..];
        self.at += rest.iter().position(is_end).unwrap_or(rest.len());
        Some(&self.bytes[start..self.at])
    }

    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        self.clone().next()
    }

    /// What is left of the line, up to an opening brace, without blanks around it.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'{');
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim_ascii()
    }

    /// True, and gone past, if a label comes next: whatever its case and blanks, with or without a
    /// colon, which may have no blank behind it.
    pub(super) fn take_label(&mut self, label: &str) -> bool {
        let mut ahead = self.clone();
        ahead.skip_blanks();
        for wanted in label.bytes() {
            if wanted == b' ' {
                ahead.skip_blanks();
                continue;
            }
            match ahead.bytes.get(ahead.at) {
                Some(byte) if byte.eq_ignore_ascii_case(&wanted) => ahead.at += 1,
                _ => return false,
            }
        }
        ahead.skip_blanks();
        if ahead.bytes.get(ahead.at) == Some(&b':') {
            ahead.at += 1;
        }
        *self = ahead;
        true
    }

    /// A number that is there and finite. `of` says whose, for the error.
    pub(super) fn number(&mut self, of: impl Fn() -> String) -> Result<f64, ReadError> {
        self.skip_blanks();
        let line = self.line;
        let Some(word) = self.next() else {
            let what = format!("the file ends before {}; it is truncated", of());
            return Err(ReadError::malformed(place(line), what));
        };
        let value = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
        value.filter(|value| value.is_finite()).ok_or_else(|| {
            let what = format!("'{}' is no number; {} is needed here", shown(word), of());
            ReadError::malformed(place(line), what)
        })
    }
}

fn is_blank(byte: u8) -> bool {
    // A zero byte: files that were padded to blocks.
    byte.is_ascii_whitespace() || byte == 0x0b || byte == 0
}

/// A place for an error.
pub(super) fn place(line: usize) -> String {
    format!("line {line}")
}

/// A word for an error: binary data may be one of megabytes.
pub(super) fn shown(word: &[u8]) -> String {
    const MOST_BYTES: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(MOST_BYTES)]);
    text.chars().filter(|c| !c.is_control()).collect()
}
