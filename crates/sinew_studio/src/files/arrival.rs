//! What comes in the place of the document: opened, or found after a crash. What is open is closed
//! for it only if nothing of it is lost.

use sinew_editor::{Opened, Recovered, Workspace};
use sinew_view::camera::front_yaw_radians;

use crate::panels::questions::edits;
use crate::studio::{Next, Question, Studio};

impl Studio {
    /// Takes what was opened while the document was in `state`. What was done to it since then was
    /// never asked about.
    pub(super) fn arrive(&mut self, opened: Box<Opened>, state: u64) {
        let editor = self.workspace.editor();
        if editor.is_modified() && editor.state_id() != state {
            self.ask_first(opened, false);
            return;
        }
        self.files.agreed_state = Some(editor.state_id());
        if opened.workspace.copy_of().is_some() {
            self.questions.insert(0, Question::InUse(opened));
        } else if opened.recovery.is_some() {
            self.questions.insert(0, Question::Recover(opened));
        } else {
            self.switch_to(opened.workspace);
        }
    }

    /// Asks about the document before something takes its place that came meanwhile.
    fn ask_first(&mut self, opened: Box<Opened>, is_to_recover: bool) {
        self.files.arrived = Some((opened, is_to_recover));
        self.questions.insert(0, Question::Unsaved(Next::Arrived));
    }

    /// Goes on with what came while something else was asked.
    pub(crate) fn take_arrived(&mut self) {
        let state = self.workspace.editor().state_id();
        match self.files.arrived.take() {
            Some((lost, true)) => self.recover(*lost),
            Some((opened, false)) => self.arrive(opened, state),
            None => {}
        }
    }

    /// Recovers, unless that would lose what nobody was asked about.
    pub(crate) fn ask_or_recover(&mut self, lost: Box<Opened>) {
        let editor = self.workspace.editor();
        if editor.is_modified() && self.files.agreed_state != Some(editor.state_id()) {
            self.ask_first(lost, true);
        } else {
            self.recover(*lost);
        }
    }

    /// Puts another document in place of this one, which is closed.
    pub(super) fn switch_to(&mut self, workspace: Workspace) {
        self.workspace.close();
        self.workspace = workspace;
        self.files.agreed_state = None;
        self.care.is_first = false;
        self.session.selection = sinew_editor::Selection::default();
        self.session.frame = None;
        self.session.hovered = None;
        self.session.playback = sinew_editor::Playback::default();
        let bounds = self.document().character().bounds();
        let aspect = self.session.view.size.aspect();
        let front_yaw = front_yaw_radians(self.document().character());
        self.views.navigator.meet(&bounds, front_yaw, aspect);
        self.views.state.is_new = true;
    }

    /// Works on a copy of what another studio has open.
    pub(crate) fn open_copy(&mut self, opened: Opened) {
        self.switch_to(opened.workspace);
    }

    fn recover(&mut self, lost: Opened) {
        let Opened { mut workspace, recovery, warnings } = lost;
        self.warn(warnings);
        let outcome = recovery.map(|recovery| workspace.recover(&recovery)).unwrap_or_default();
        self.switch_to(workspace);
        let Recovered { num_done, num_left, fault, aside } = outcome;
        if num_left == 0 && aside.is_none() {
            self.toasts.done(format!("Recovered {}. Save to keep them", edits(num_done)));
            return;
        }
        let mut words = format!("Recovered {}", edits(num_done));
        if num_left > 0 {
            words.push_str(&format!(", but not {num_left} more"));
        }
        if let Some(fault) = fault {
            words.push_str(&format!(" (the first: {fault})"));
        }
        if let Some(aside) = aside {
            words.push_str(&format!(". The journal is kept as {}", aside.display()));
        }
        self.toasts.failed(words);
    }

    /// Goes on without what a crash left: from what was saved if that is wanted, else with what is
    /// open.
    pub(crate) fn discard(&mut self, lost: Opened, is_wanted: bool) {
        let Opened { mut workspace, recovery, .. } = lost;
        if workspace.path().is_none() && recovery.as_ref().is_none_or(|found| found.is_whole()) {
            workspace.close();
            return;
        }
        let aside = recovery.and_then(|recovery| workspace.decline_recovery(&recovery));
        if let Some(aside) = aside {
            self.toasts.failed(format!("The later edits are kept as {}", aside.display()));
        }
        if is_wanted && workspace.path().is_some() {
            self.switch_to(workspace);
        } else {
            workspace.close();
        }
    }

    /// What of an older project was left out.
    pub(super) fn warn(&mut self, warnings: Vec<String>) {
        for words in warnings {
            self.toasts.failed(words);
        }
    }
}
