//! How long a source file may be.

/// A file past this is asking to be split by topic.
pub(super) const WARN_PAST: usize = 500;

/// A file past this is not let in.
pub(super) const FAIL_PAST: usize = 800;

/// What to say of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    Long,
    TooLong,
}

/// The verdict on a file of so many lines.
pub(super) fn verdict(num_lines: usize) -> Verdict {
    match num_lines {
        n if n > FAIL_PAST => Verdict::TooLong,
        n if n > WARN_PAST => Verdict::Long,
        _ => Verdict::Fine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_themselves_are_still_allowed() {
        assert_eq!(verdict(WARN_PAST), Verdict::Fine);
        assert_eq!(verdict(WARN_PAST + 1), Verdict::Long);
        assert_eq!(verdict(FAIL_PAST), Verdict::Long);
        assert_eq!(verdict(FAIL_PAST + 1), Verdict::TooLong);
    }
}
