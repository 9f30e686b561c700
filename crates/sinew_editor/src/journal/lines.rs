//! What a journal's lines say, and how they are written.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Entry, Fingerprint};

/// The newest form of journal that is known.
pub(super) const VERSION: u32 = 1;

/// Digits of the checksum, before a space.
const CHECKSUM_DIGITS: usize = 8;

/// As many places are looked at for a whole line behind one that was cut off.
const MAX_TRIES: usize = 64;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Start {
        journal: u32,
        base: Fingerprint,
        /// Of which project, where the journal does not lie beside it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        project: Option<PathBuf>,
    },
    Saving {
        saving: Fingerprint,
    },
    Did(Entry),
}

/// A line as it was found.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// As it was written.
    Line(Line),
    /// The start of a journal of a newer Sinew.
    TooNew(u64),
    /// Not as it was written, or of a kind that is not known.
    Damaged,
}

pub(super) fn encode(line: &Line) -> io::Result<Vec<u8>> {
    let json = serde_json::to_string(line)?;
    Ok(format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes())
}

/// All lines, and whether the last was cut off.
pub(super) fn decode(bytes: &[u8]) -> (Vec<Found>, bool) {
    let mut lines = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        decode_line(&rest[..end], &mut lines);
        rest = &rest[end + 1..];
    }
    (lines, !rest.is_empty())
}

/// True if the bytes are a journal, or what is left of one.
pub(super) fn is_journal(bytes: &[u8]) -> bool {
    const START: &[u8] = b"{\"journal\":";
    let body = bytes.get(CHECKSUM_DIGITS + 1..).unwrap_or_default();
    // What is cut off sooner could be anybody's.
    let is_start = body.starts_with(START) || (!body.is_empty() && START.starts_with(body));
    let starts_as_one = bytes.iter().take(CHECKSUM_DIGITS).all(u8::is_ascii_hexdigit) && is_start;
    let has_whole_line = || bytes.split(|&byte| byte == b'\n').any(|line| checked(line).is_some());
    bytes.is_empty() || starts_as_one || has_whole_line()
}

fn decode_line(line: &[u8], lines: &mut Vec<Found>) {
    if let Some(json) = checked(line) {
        lines.push(understand(json));
        return;
    }
    lines.push(Found::Damaged);
    // A disk that was full cuts a line off, and an older Sinew wrote the next behind it.
    let is_start = |at: &usize| line[at + CHECKSUM_DIGITS..].starts_with(b" {");
    let starts = (1..line.len().saturating_sub(CHECKSUM_DIGITS)).filter(is_start);
    let whole = starts.take(MAX_TRIES).find_map(|at| checked(&line[at..]));
    lines.extend(whole.map(understand));
}

/// The JSON of a line that is as it was written.
fn checked(line: &[u8]) -> Option<&[u8]> {
    let (sum, json) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let json = json.strip_prefix(b" ")?;
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    (sum == crc32fast::hash(json)).then_some(json)
}

fn understand(json: &[u8]) -> Found {
    #[derive(Deserialize)]
    struct Version {
        journal: u64,
    }
    if crate::text::refuse_crowds(json).is_err() {
        return Found::Damaged;
    }
    match serde_json::from_slice::<Version>(json) {
        Ok(Version { journal }) if journal > u64::from(VERSION) => return Found::TooNew(journal),
        _ => {}
    }
    serde_json::from_slice(json).map_or(Found::Damaged, Found::Line)
}
