//! How many tests a runner says it ran, read from the summary lines of `cargo test` and of
//! `cargo nextest`.

use std::fmt;
use std::ops::AddAssign;

/// Tests by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Ended well.
    pub(super) passed: usize,
    /// Did not, or took too long.
    pub(super) failed: usize,
    /// Were not run.
    pub(super) ignored: usize,
}

impl Counts {
    /// What one line of output says: zeros unless it is a summary.
    pub(super) fn in_line(line: &str) -> Self {
        let plain = without_colour(line);
        let line = plain.trim_start();
        // cargo test: `test result: ok. 5 passed; 0 failed; 1 ignored; …` nextest: `Summary [ 0.5s]
        // 6 tests run: 5 passed (1 slow), 1 failed, 2 timed out, 1 skipped`
        let summary = if let Some(rest) = line.strip_prefix("test result:") {
            rest.split_once(". ").map_or(rest, |(_, counts)| counts)
        } else if line.starts_with("Summary [") {
            line.split_once(" run: ").map_or("", |(_, counts)| counts)
        } else {
            ""
        };
        let mut counts = Self::default();
        for part in summary.split([';', ',']) {
            let mut words = part.split_whitespace();
            let (Some(number), Some(word)) = (words.next(), words.next()) else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match word {
                "passed" => counts.passed += number,
                "failed" | "timed" => counts.failed += number,
                "ignored" | "skipped" => counts.ignored += number,
                _ => {}
            }
        }
        counts
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

impl fmt::Display for Counts {
    /// As `cargo test` has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed; {} failed; {} ignored", self.passed, self.failed, self.ignored)
    }
}

/// Without terminal escapes.
fn without_colour(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            // `ESC [ … letter`
            let _ = characters.by_ref().skip(1).find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_runners_are_understood() {
        for (line, passed, failed, ignored) in [
            ("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out", 5, 0, 1),
            ("test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured", 4, 2, 0),
            ("     Summary [   0.5s] 6 tests run: 5 passed (1 slow), 1 failed, 2 skipped", 5, 1, 2),
            ("     Summary [   9s] 3 tests run: 1 passed, 2 timed out, 0 skipped", 1, 2, 0),
            ("     Summary [   9s] 3/7 tests run: 2 passed, 1 failed, 0 skipped", 2, 1, 0),
        ] {
            assert_eq!(Counts::in_line(line), Counts { passed, failed, ignored }, "{line}");
        }
    }

    #[test]
    fn colours_do_not_hide_a_summary() {
        let line = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] \u{1b}[1m2\u{1b}[0m tests run: \
                    \u{1b}[1m2\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m skipped";
        assert_eq!(Counts::in_line(line), Counts { passed: 2, failed: 0, ignored: 0 });
    }

    #[test]
    fn other_lines_count_nothing() {
        for line in ["test a ... ok", "running 5 tests", "", "12 passed", "Summary of it: 3 passed"]
        {
            assert_eq!(Counts::in_line(line), Counts::default(), "{line}");
        }
    }
}
