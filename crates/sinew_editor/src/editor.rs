//! A document under work: edits in transactions, undo, and a record of both for the journal.

use crate::document::Document;
use crate::edit::{Edit, EditError};
use crate::history::History;
use crate::journal::Entry;
use crate::state::State;

/// Edits that will be one step.
#[derive(Clone, Debug)]
struct Transaction {
    label: Option<String>,
    before: Document,
    /// What the edits start from where that is not the document: the pose of a clip that is shown.
    from: Vec<Edit>,
    edits: Vec<Edit>,
}

/// A document, its history, and the transaction that is open.
#[derive(Clone, Debug)]
pub struct Editor {
    document: Document,
    history: History,
    open: Option<Transaction>,
    /// What happened since [`Editor::take_entries`].
    entries: Vec<Entry>,
    /// Steps of the journal that can be undone and redone by its own words; a state before its
    /// start is written out whole.
    depth_in_journal: usize,
    undone_in_journal: usize,
}

impl Editor {
    /// Starts on a document that is on no disk yet.
    pub fn new(document: Document) -> Self {
        Self {
            document,
            history: History::default(),
            open: None,
            entries: Vec::new(),
            depth_in_journal: 0,
            undone_in_journal: 0,
        }
    }

    /// The same with a budget for undo.
    pub fn with_history(document: Document, history: History) -> Self {
        Self { history, ..Self::new(document) }
    }

    /// As it is now, in the middle of a drag too.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What can be undone and redone.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// True while a drag is under way.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Does an edit: a step of its own, or part of the open transaction.
    pub fn apply(&mut self, edit: impl Into<Edit>) -> Result<(), EditError> {
        let edit = edit.into();
        let alone = self.open.is_none();
        if alone {
            self.begin(None);
        }
        let outcome = self.document.apply(&edit);
        self.check();
        match (&outcome, &mut self.open) {
            (Ok(()), Some(open)) => open.edits.push(edit),
            _ if alone => self.open = None,
            _ => {}
        }
        if alone && outcome.is_ok() {
            self.commit();
        }
        outcome
    }

    /// Opens a transaction, the open one being committed first. Without a label the first edit
    /// gives it.
    pub fn begin(&mut self, label: Option<&str>) {
        self.begin_from(label, Vec::new());
    }

    /// The same, its edits starting from what these give: they are part of the step once there is
    /// any other edit in it.
    pub fn begin_from(&mut self, label: Option<&str>, from: Vec<Edit>) {
        self.commit();
        let (label, before) = (label.map(str::to_owned), self.document.clone());
        self.open = Some(Transaction { label, before, from, edits: Vec::new() });
    }

    /// Makes these the only edits of the open transaction: what a drag does at each move of the
    /// mouse. Done from where the transaction began, so that a drag does not add up its own
    /// roundings. On an error the document stays as it was last.
    pub fn replace(&mut self, edits: Vec<Edit>) -> Result<(), EditError> {
        if self.open.is_none() {
            self.begin(None);
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let mut document = open.before.clone();
        let from = if edits.is_empty() { &[] } else { &*open.from };
        let edits: Vec<Edit> = from.iter().cloned().chain(edits).collect();
        for edit in &edits {
            document.apply(edit)?;
        }
        open.edits = edits;
        self.document = document;
        self.check();
        Ok(())
    }

    /// The document before the open transaction.
    pub(crate) fn before(&self) -> Option<&Document> {
        self.open.as_ref().map(|open| &open.before)
    }

    /// The same as [`Self::replace`], without what the transaction's edits started from.
    pub(crate) fn replace_all(&mut self, edits: Vec<Edit>) -> Result<(), EditError> {
        if let Some(open) = &mut self.open {
            open.from.clear();
        }
        self.replace(edits)
    }

    /// Ends the transaction; it is one step of the history, or none if nothing has changed.
    pub fn commit(&mut self) {
        let Some(open) = self.open.take() else { return };
        if open.before == self.document {
            // The very same values: no step, and no other copy of what did not change.
            self.document = open.before;
            return;
        }
        let label = open.label.or_else(|| open.edits.first().map(Edit::label)).unwrap_or_default();
        let (label_of_entry, edits_of_entry) = (label.clone(), open.edits.clone());
        self.history.push(label, open.edits, open.before, &self.document);
        if edits_of_entry.is_empty() {
            // A state that was brought back whole.
            self.record_state();
            return;
        }
        self.entries.push(Entry::Step { label: label_of_entry, edits: edits_of_entry });
        self.depth_in_journal += 1;
        self.undone_in_journal = 0;
    }

    /// Ends the transaction and takes it back.
    pub fn cancel(&mut self) {
        if let Some(open) = self.open.take() {
            self.document = open.before;
        }
    }

    /// Takes the last step back, an open transaction being cancelled first. False if there was
    /// nothing to undo.
    pub fn undo(&mut self) -> bool {
        if self.open.is_some() {
            self.cancel();
            return true;
        }
        let undone = self.history.undo(&mut self.document);
        if undone && self.depth_in_journal > 0 {
            self.depth_in_journal -= 1;
            self.undone_in_journal += 1;
            self.entries.push(Entry::Undo);
        } else if undone {
            self.record_state();
        }
        undone
    }

    /// Does the last undone step again. False if there was none.
    pub fn redo(&mut self) -> bool {
        self.commit();
        let redone = self.history.redo(&mut self.document);
        if redone && self.undone_in_journal > 0 {
            self.undone_in_journal -= 1;
            self.depth_in_journal += 1;
            self.entries.push(Entry::Redo);
        } else if redone {
            self.record_state();
        }
        redone
    }

    /// Nothing in the journal leads here: the state itself does, and what came before it no longer
    /// matters to it.
    fn record_state(&mut self) {
        self.entries.push(Entry::State { state: Box::new(State::of(&self.document)) });
        self.depth_in_journal = 0;
        self.undone_in_journal = 0;
    }

    /// Brings back a state that a journal has, within the open transaction, and ends it.
    pub(crate) fn restore(&mut self, state: &State) -> Result<bool, EditError> {
        if let Err(error) = state.restore(&mut self.document) {
            self.cancel();
            return Err(error);
        }
        self.check();
        self.commit();
        Ok(true)
    }

    /// Says that the document as it is now is on the disk, and that the journal starts from there.
    pub fn mark_saved(&mut self) {
        self.history.mark_saved();
        self.entries.clear();
        self.depth_in_journal = 0;
        self.undone_in_journal = 0;
    }

    /// True if closing now would lose something.
    pub fn is_modified(&self) -> bool {
        self.open.is_some() || !self.history.is_saved()
    }

    /// Tells the document as it is now from what it was before and after every other step.
    pub fn state_id(&self) -> u64 {
        self.history.state()
    }

    /// What happened since this was last asked, for the journal.
    pub fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    fn check(&self) {
        debug_assert_eq!(self.document.broken_invariant(), None, "after an edit");
    }
}
