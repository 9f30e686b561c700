//! Doing again what a journal says was done.

use crate::edit::{EditError, without_lists_that_fit_nothing};
use crate::editor::Editor;
use crate::journal::Entry;

/// What came of a journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Entries that were done.
    pub num_done: usize,
    /// Entries that could not be.
    pub num_skipped: usize,
    /// Why the first of those could not be, where that is more than a gap before it.
    pub fault: Option<EditError>,
}

impl Editor {
    /// Does what a journal says was done. `gaps` are places between the entries where some are
    /// missing, in their order. What cannot be done is passed over, and so is an undo or redo of
    /// what is missing.
    pub fn replay(&mut self, entries: &[Entry], gaps: &[usize]) -> Replayed {
        let mut outcome = Replayed::default();
        let mut gaps = gaps.iter().copied().peekable();
        // Steps since the last gap: those alone are surely the ones that an undo means.
        let (mut done, mut undone) = (0_usize, 0_usize);
        let is_whole = gaps.peek().is_none();
        for (index, entry) in entries.iter().enumerate() {
            while gaps.next_if(|&gap| gap <= index).is_some() {
                (done, undone) = (0, 0);
            }
            let is_certain = is_whole && outcome.num_skipped == 0;
            let result = match entry {
                Entry::Step { label, edits } => self.replay_step(label, edits).map(|()| {
                    (done, undone) = (done + 1, 0);
                    true
                }),
                Entry::Undo if done > 0 || is_certain => {
                    (done, undone) = (done.saturating_sub(1), undone + 1);
                    Ok(self.undo())
                }
                Entry::Redo if undone > 0 || is_certain => {
                    (done, undone) = (done + 1, undone.saturating_sub(1));
                    Ok(self.redo())
                }
                Entry::Undo | Entry::Redo => Ok(false),
                Entry::State { state } => {
                    (done, undone) = (0, 0);
                    self.begin(Some("Earlier state"));
                    self.restore(state)
                }
            };
            match result {
                Ok(true) => outcome.num_done += 1,
                Ok(false) => outcome.num_skipped += 1,
                Err(fault) => {
                    outcome.num_skipped += 1;
                    outcome.fault.get_or_insert(fault);
                    (done, undone) = (0, 0);
                }
            }
        }
        outcome
    }

    fn replay_step(&mut self, label: &str, edits: &[crate::Edit]) -> Result<(), EditError> {
        self.begin(Some(label));
        for edit in edits {
            let edit = without_lists_that_fit_nothing(edit, self.document());
            if let Err(error) = self.apply(edit) {
                self.cancel();
                return Err(error);
            }
        }
        self.commit();
        Ok(())
    }
}
