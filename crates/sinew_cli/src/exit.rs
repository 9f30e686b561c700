//! How the command ends: every failure has one line of words and one exit code.
//!
//! | code | means |
//! |---|---|
//! | 0 | done |
//! | 1 | a check or a comparison failed |
//! | 2 | bad usage |
//! | 3 | bad input |
//! | 4 | this machine lacks something |
//! | 5 | could not write |
//! | 130 | stopped by Ctrl-C, as shells expect it (128 + SIGINT) |

/// Why the command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A check or a comparison came out badly; the figures are already on stdout.
    #[error("{0}")]
    CheckFailed(String),
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A file that was read is not there, broken, or not what the verb needs.
    #[error("{0}")]
    Input(String),
    /// This machine lacks something.
    #[error("{0}")]
    Machine(String),
    /// A file or stdout could not be written.
    #[error("{0}")]
    Write(String),
    /// Stopped by Ctrl-C.
    #[error("stopped; nothing was written")]
    Interrupted,
    /// Whoever reads stdout went away (`sinew info … | head`): no error, and nobody to tell.
    #[error("stdout was closed")]
    StdoutClosed,
}

impl Failure {
    /// The code of the table above.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::StdoutClosed => 0,
            Self::CheckFailed(_) => 1,
            Self::Usage(_) => 2,
            Self::Input(_) => 3,
            Self::Machine(_) => 4,
            Self::Write(_) => 5,
            Self::Interrupted => 130,
        }
    }
}

/// Clap's message as one line: what is wrong, its tips, and where the help is.
pub(crate) fn one_line(clap_message: &str) -> String {
    let mut line = String::new();
    for part in clap_message.lines().map(str::trim).filter(|part| !part.is_empty()) {
        if part.starts_with("Usage:") {
            break;
        }
        if part.starts_with("For more information") {
            continue;
        }
        if !line.is_empty() {
            // A list that continues the sentence needs no full stop before it.
            line.push_str(if line.ends_with(':') || part.starts_with('[') { " " } else { "; " });
        }
        line.push_str(part);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_the_code_of_the_contract() {
        let words = String::new;
        let codes = [
            (Failure::StdoutClosed, 0),
            (Failure::CheckFailed(words()), 1),
            (Failure::Usage(words()), 2),
            (Failure::Input(words()), 3),
            (Failure::Machine(words()), 4),
            (Failure::Write(words()), 5),
            (Failure::Interrupted, 130),
        ];
        for (failure, code) in codes {
            assert_eq!(failure.code(), code, "{failure:?}");
        }
    }

    #[test]
    fn a_clap_error_becomes_one_line_without_the_usage_block() {
        let message = "error: unexpected argument '--jsn' found\n\n  tip: a similar argument exists: '--json'\n\nUsage: sinew info --json <FILE>\n\nFor more information, try '--help'.\n";
        assert_eq!(
            one_line(message),
            "error: unexpected argument '--jsn' found; tip: a similar argument exists: '--json'"
        );
    }

    #[test]
    fn possible_values_and_missing_arguments_continue_the_sentence() {
        assert_eq!(
            one_line("error: invalid value 'x'\n  [possible values: a, b]\n"),
            "error: invalid value 'x' [possible values: a, b]"
        );
        assert_eq!(one_line("error: not provided:\n  <FILE>\n"), "error: not provided: <FILE>");
    }
}
