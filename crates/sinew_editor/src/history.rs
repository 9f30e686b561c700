//! What was done, to be undone: copies of the document before each step, and the edits that made
//! it.
//!
//! Copies share what did not change, so that a step costs what it changed. The oldest steps leave
//! once all of them hold more than the budget; the last one always stays.

use std::collections::VecDeque;

use crate::document::Document;
use crate::edit::Edit;

/// Bytes that steps may hold before the oldest leave.
pub const DEFAULT_BUDGET_BYTES: usize = 256 << 20;

#[derive(Clone, Debug)]
struct Step {
    label: String,
    edits: Vec<Edit>,
    /// The document before the step where it can be undone, after it where it can be redone.
    other: Document,
    bytes: usize,
    /// Tells the state after the step from every other.
    state_after: u64,
}

/// Steps to go back and forth.
#[derive(Clone, Debug)]
pub struct History {
    /// Oldest first.
    done: VecDeque<Step>,
    /// The next to be redone last.
    undone: Vec<Step>,
    budget_bytes: usize,
    bytes: usize,
    /// The state before the oldest step that is still known.
    base_state: u64,
    next_state: u64,
    /// `None` once nothing can bring that state back.
    saved_state: Option<u64>,
}

impl Default for History {
    fn default() -> Self {
        Self::with_budget(DEFAULT_BUDGET_BYTES)
    }
}

impl History {
    /// An empty one that lets go of the oldest steps past so many bytes.
    pub fn with_budget(budget_bytes: usize) -> Self {
        Self {
            done: VecDeque::new(),
            undone: Vec::new(),
            budget_bytes,
            bytes: 0,
            base_state: 0,
            next_state: 1,
            // A character that was only opened is where it came from.
            saved_state: Some(0),
        }
    }

    /// Takes in a step from `before` to `after`. What was undone cannot be redone any more.
    pub(crate) fn push(
        &mut self,
        label: String,
        edits: Vec<Edit>,
        before: Document,
        after: &Document,
    ) {
        self.bytes -= self.undone.drain(..).map(|step| step.bytes).sum::<usize>();
        let of_edits: usize = edits.iter().map(Edit::bytes).sum();
        let bytes = before.bytes_not_shared_with(after) + of_edits;
        self.bytes += bytes;
        let state_after = self.next_state;
        self.next_state += 1;
        self.done.push_back(Step { label, edits, other: before, bytes, state_after });
        while self.bytes > self.budget_bytes && self.done.len() > 1 {
            if let Some(oldest) = self.done.pop_front() {
                self.bytes -= oldest.bytes;
                self.base_state = oldest.state_after;
            }
        }
    }

    /// Puts the document back to before the last step; false if there is none.
    pub(crate) fn undo(&mut self, document: &mut Document) -> bool {
        let Some(mut step) = self.done.pop_back() else { return false };
        std::mem::swap(document, &mut step.other);
        self.undone.push(step);
        true
    }

    /// Does the last undone step again; false if there is none.
    pub(crate) fn redo(&mut self, document: &mut Document) -> bool {
        let Some(mut step) = self.undone.pop() else { return false };
        std::mem::swap(document, &mut step.other);
        self.done.push_back(step);
        true
    }

    /// Steps that can be undone, oldest first.
    pub fn done(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.done.iter().map(|step| step.label.as_str())
    }

    /// Steps that can be redone, the next first.
    pub fn undone(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.undone.iter().rev().map(|step| step.label.as_str())
    }

    /// The edits of all steps that are done and known, oldest first: a script that does the same.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.done.iter().flat_map(|step| &step.edits)
    }

    /// Tells the document as it is now from what it was after every other step.
    pub(crate) fn state(&self) -> u64 {
        self.done.back().map_or(self.base_state, |step| step.state_after)
    }

    /// Says that the document as it is now is on the disk.
    pub(crate) fn mark_saved(&mut self) {
        self.saved_state = Some(self.state());
    }

    /// True if the document is as it was when it was saved; undoing back to there makes it so
    /// again.
    pub fn is_saved(&self) -> bool {
        self.saved_state == Some(self.state())
    }

    /// Bytes that the steps hold.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
