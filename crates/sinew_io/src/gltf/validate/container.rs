//! The GLB container: what its header and chunks say against what is there (glTF 2.0, section 4.4).

use crate::Report;

const MEND: &str = "export the file again; other programs may refuse it";
const JSON: &[u8; 4] = b"JSON";
const BIN: &[u8; 4] = b"BIN\0";

/// Adds a warning for each rule of the container that is broken and that reading passes over.
pub(crate) fn validate_container(bytes: &[u8], report: &mut Report) {
    let word = |at: usize| {
        let four = bytes.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*four) as usize)
    };
    let Some(length) = word(8) else { return };
    if length < bytes.len() {
        let what = format!(
            "says {length} bytes, but the file has {}; the rest was passed over",
            bytes.len()
        );
        report.warn("glb-container", "byte 8", what, MEND);
    }
    let end = length.min(bytes.len());
    let (mut at, mut index, mut num_binary) = (12, 0_usize, 0_usize);
    while let (Some(chunk), true) = (word(at), at + 8 <= end) {
        let kind = &bytes[at + 4..at + 8];
        let mut warn =
            |what: String| report.warn("glb-container", format!("byte {at}"), what, MEND);
        if chunk % 4 != 0 {
            warn(format!("a chunk of {chunk} bytes; chunks must end on four bytes"));
        }
        if kind == JSON && index > 0 {
            warn("a second JSON chunk; it was passed over".into());
        }
        if kind == BIN {
            num_binary += 1;
            if num_binary > 1 {
                warn("a second binary chunk; it was passed over".into());
                // A file may have a million of them, and one line says it.
                return;
            }
            if index != 1 {
                warn("the binary chunk must be the second".into());
            }
        }
        let Some(next) = at.checked_add(8).and_then(|start| start.checked_add(chunk)) else {
            return;
        };
        at = next;
        index += 1;
    }
    if at < end {
        let what = format!("{} bytes after the last chunk are no chunk", end - at);
        report.warn("glb-container", format!("byte {at}"), what, MEND);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(chunks: &[(&[u8; 4], &[u8])], extra: &[u8]) -> Vec<String> {
        let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
        for (kind, data) in chunks {
            bytes.extend_from_slice(&(data.len() as u32).to_le_bytes());
            bytes.extend_from_slice(*kind);
            bytes.extend_from_slice(data);
        }
        let length = bytes.len() as u32;
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(extra);
        let mut report = Report::default();
        validate_container(&bytes, &mut report);
        report.warnings.into_iter().map(|w| format!("{}: {}", w.place, w.what)).collect()
    }

    #[test]
    fn a_good_container_has_no_fault() {
        assert!(faults(&[(JSON, b"{}  "), (BIN, &[0; 4])], &[]).is_empty());
        assert!(faults(&[(JSON, b"{}  "), (BIN, &[0; 4]), (b"ABCD", &[])], &[]).is_empty());
    }

    #[test]
    fn faults_name_the_byte() {
        for (chunks, extra, words) in [
            (&[(JSON, &b"{}"[..])][..], &[][..], "byte 12: a chunk of 2 bytes"),
            (&[(JSON, b"{}  ")], &[1], "byte 8: says 24 bytes, but the file has 25"),
            (&[(JSON, b"{}  "), (BIN, &[]), (BIN, &[])], &[], "byte 32: a second binary"),
            (&[(JSON, b"{}  "), (JSON, b"{}  ")], &[], "byte 24: a second JSON"),
            (&[(JSON, b"{}  "), (b"ABCD", &[]), (BIN, &[])], &[], "must be the second"),
        ] {
            let found = faults(chunks, extra);
            assert!(found.iter().any(|fault| fault.contains(words)), "{found:?}");
        }
    }
}
