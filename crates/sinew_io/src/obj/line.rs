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

/// Powers of ten that an f64 holds exactly.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// A plain decimal, to the last bit as the standard library reads it, in a third of the time;
/// `None` for what only it can tell.
fn plain_decimal(word: &[u8]) -> Option<f32> {
    const MOST_DIGITS: usize = 18;
    const DROPPED_BITS: u32 = f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS;
    let (digits, is_negative) = match word {
        [b'-', digits @ ..] => (digits, true),
        digits => (digits, false),
    };
    // With the point.
    if digits.len() > MOST_DIGITS {
        return None;
    }
    let (mut mantissa, mut point) = (0_u64, None);
    for (at, &byte) in digits.iter().enumerate() {
        match byte.wrapping_sub(b'0') {
            digit @ 0..=9 => mantissa = mantissa * 10 + u64::from(digit),
            _ if byte == b'.' && point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let num_decimals = point.map_or(0, |at| digits.len() - at - 1);
    let num_digits = digits.len() - usize::from(point.is_some());
    if num_digits == 0 || mantissa >= 1 << f64::MANTISSA_DIGITS {
        return None;
    }
    // Both are exact, so that the quotient is the nearest f64. Rounded again it is the nearest f32,
    // unless it lies in the middle of two.
    let value = mantissa as f64 / POWERS_OF_TEN[num_decimals];
    let dropped = value.to_bits() & ((1 << DROPPED_BITS) - 1);
    let is_in_the_middle = dropped == 1 << (DROPPED_BITS - 1);
    if is_in_the_middle || (mantissa > 0 && value < f64::from(f32::MIN_POSITIVE)) {
        return None;
    }
    Some(if is_negative { -value as f32 } else { value as f32 })
}

/// A number; NaN for what C's printf makes of one that is not finite (`-nan(ind)`, `1.#QNAN`).
pub(super) fn number(word: &[u8]) -> Result<f32, String> {
    if let Some(value) = plain_decimal(word) {
        return Ok(value);
    }
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
    let mut number = 0_u64;
    let mut is_number = !digits.is_empty() && digits.len() <= 18;
    for digit in digits.iter().take(18) {
        let value = digit.wrapping_sub(b'0');
        is_number &= value <= 9;
        // What is no digit must not count: eighteen of 255 are more than 64 bits.
        number = number * 10 + u64::from(value.min(9));
    }
    if !is_number {
        return Err(format!("'{}' is not an index", text(field)));
    }
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
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decimals_are_read_as_the_standard_library_reads_them(
            word in "-?[0-9]{0,9}(\\.[0-9]{0,12})?",
            value in any::<f32>(),
            digits in 0..9_usize,
        ) {
            let expected = word.parse::<f32>().ok().map(f32::to_bits);
            prop_assert_eq!(number(word.as_bytes()).ok().map(f32::to_bits), expected);
            for word in [format!("{value}"), format!("{value:e}"), format!("{value:.digits$}")] {
                let expected = word.parse::<f32>().unwrap();
                let found = number(word.as_bytes()).unwrap();
                prop_assert!(found.to_bits() == expected.to_bits() || expected.is_nan(), "{}", word);
            }
        }
    }

    #[test]
    fn decimals_in_the_middle_of_two_floats_go_to_the_even_one() {
        // 2^24 + 1 and its neighbours lie between two floats, or as near as a decimal can say.
        for word in ["16777217", "16777217.0000001", "16777216.9999999", "33554434.0", "8388608.5"]
        {
            assert_eq!(number(word.as_bytes()), Ok(word.parse().unwrap()), "{word}");
        }
    }

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
        for bad in
            ["0", "4", "-4", "-0", "", "-", "1.5", "99999999999999999999", "//////////////////"]
        {
            assert!(index(bad.as_bytes(), 3, "vertex").is_err(), "{bad}");
        }
    }
}
