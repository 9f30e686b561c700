//! A line's words and numbers.

/// The words of a line, up to a comment.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// What follows, without the spaces around it.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest.trim_ascii()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        // `# comment` may follow on any line.
        if word[0] == b'#' {
            self.rest = &[];
            return None;
        }
        Some(word)
    }
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A number; NaN for what C's printf makes of one that is not finite (`-nan(ind)`, `1.#QNAN`).
pub(super) fn number(word: &[u8]) -> Result<f32, String> {
    let parsed = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    parsed.map_or_else(
        || {
            let lower = word.to_ascii_lowercase();
            let is_broken = [&b"nan"[..], b"#ind", b"#qnan", b"#snan", b"#inf"]
                .iter()
                .any(|mark| lower.windows(mark.len()).any(|window| window == *mark));
            if is_broken { Ok(f32::NAN) } else { Err(format!("'{}' is not a number", text(word))) }
        },
        Ok,
    )
}

/// An index from zero: OBJ counts from one, or backwards from the latest with negative numbers.
pub(super) fn index(field: &[u8], count: usize, what: &str) -> Result<u32, String> {
    // By hand: most of a file is faces, and this is their inner loop.
    let (digits, is_negative) = match field {
        [b'-', digits @ ..] => (digits, true),
        [b'+', digits @ ..] => (digits, false),
        digits => (digits, false),
    };
    let is_number =
        !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit);
    if !is_number {
        return Err(format!("'{}' is not an index", text(field)));
    }
    let number = digits.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    let count = count as u64;
    let from_zero = if is_negative { count.checked_sub(number) } else { number.checked_sub(1) };
    from_zero
        .filter(|&k| number != 0 && k < count)
        .and_then(|k| u32::try_from(k).ok())
        .ok_or_else(|| format!("a face names {what} {}, but {count} are there so far", text(field)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_spaces_and_at_a_comment() {
        let words = |line: &'static str| Words::of(line.as_bytes()).collect::<Vec<_>>();
        assert_eq!(words("  f 1/2\t3 \r"), [&b"f"[..], b"1/2", b"3"]);
        assert_eq!(words("v 1 #2 3"), [&b"v"[..], b"1"]);
        assert!(words(" ").is_empty());
    }

    #[test]
    fn numbers_of_every_kind_are_read() {
        for (word, value) in [("1e-3", 1e-3), ("-.5", -0.5), ("+2.", 2.0), ("1E2", 100.0)] {
            assert_eq!(number(word.as_bytes()), Ok(value), "{word}");
        }
        for word in ["nan", "-nan(ind)", "1.#QNAN", "-1.#INF"] {
            assert!(number(word.as_bytes()).unwrap().is_nan(), "{word}");
        }
        assert!(number(b"1,5").is_err());
    }

    #[test]
    fn indices_count_from_one_or_backwards() {
        assert_eq!(index(b"3", 3, "vertex"), Ok(2));
        assert_eq!(index(b"-3", 3, "vertex"), Ok(0));
        for bad in ["0", "4", "-4", "-0", "", "-", "1.5", "99999999999999999999"] {
            assert!(index(bad.as_bytes(), 3, "vertex").is_err(), "{bad}");
        }
    }
}
