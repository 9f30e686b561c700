//! What a journal has that the project has not.

use std::path::{Path, PathBuf};

use super::lines::{Found, Line, decode};
use super::{Entry, Fingerprint};

/// How a journal goes with the project that it lies beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It goes on from the project as it is.
    Exact,
    /// It goes on from other content: the project was changed since, by another program or another
    /// studio. What still fits can be done.
    OtherContent,
    /// A newer Sinew wrote it, and this one cannot read it.
    TooNew {
        /// Its version.
        found: u64,
    },
}

/// What a crash left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// What happened since the project's content as it is on the disk, as far as it can be read.
    pub entries: Vec<Entry>,
    /// Places between the entries where some are missing.
    pub gaps: Vec<usize>,
    /// Lines that cannot be read. The last may have been cut off.
    pub num_damaged: usize,
    /// How it goes with the project.
    pub fit: Fit,
    /// Where it lies.
    pub journal: PathBuf,
}

impl Recovery {
    /// True if doing its entries gives what was there before the crash, and nothing else is lost
    /// with the journal.
    pub fn is_whole(&self) -> bool {
        self.fit == Fit::Exact && self.num_damaged == 0
    }

    /// Of a journal's bytes beside a project of that content; `None` if it has nothing.
    pub fn of(journal: &Path, bytes: &[u8], content: Fingerprint) -> Option<Self> {
        let (lines, is_cut_off) = decode(bytes);
        let mut found = Self {
            entries: Vec::new(),
            gaps: Vec::new(),
            num_damaged: 0,
            fit: Fit::OtherContent,
            journal: journal.to_owned(),
        };
        let is_begun = !lines.is_empty();
        for line in lines {
            match line {
                Found::TooNew(version) => found.fit = Fit::TooNew { found: version },
                Found::Damaged => found.miss(),
                Found::Line(Line::Start { base, .. }) if base == content => found.begin(Fit::Exact),
                // The content that is there now has all that came before.
                Found::Line(Line::Saving { saving }) if saving == content => {
                    found.begin(Fit::Exact);
                }
                Found::Line(Line::Start { .. }) if found.fit == Fit::OtherContent => {
                    found.begin(Fit::OtherContent);
                }
                Found::Line(Line::Start { .. } | Line::Saving { .. }) => {}
                Found::Line(Line::Did(entry)) => found.entries.push(entry),
            }
        }
        // What was cut off in its first line has nothing yet.
        if is_cut_off && is_begun {
            found.miss();
        }
        let is_too_new = matches!(found.fit, Fit::TooNew { .. });
        if is_too_new {
            // Nobody here knows what its words mean.
            found.entries.clear();
            found.gaps.clear();
        }
        (is_too_new || found.num_damaged > 0 || !found.entries.is_empty()).then_some(found)
    }

    fn begin(&mut self, fit: Fit) {
        self.entries.clear();
        self.gaps.clear();
        self.num_damaged = 0;
        self.fit = fit;
    }

    fn miss(&mut self) {
        self.num_damaged += 1;
        self.gaps.push(self.entries.len());
    }
}
