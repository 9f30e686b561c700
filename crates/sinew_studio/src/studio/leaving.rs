//! Unsaved and lost work: asked about before anything replaces it.

use std::path::PathBuf;

use eframe::egui;
use sinew::sample::SampleKind;
use sinew_editor::Opened;

use crate::panels::questions::Answer;
use crate::studio::Studio;

/// What to go on with once unsaved work is dealt with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    Quit,
    Open(PathBuf),
    Sample(SampleKind),
    /// What was opened meanwhile.
    Arrived,
}

/// Something that the user must decide.
#[derive(Debug)]
pub(crate) enum Question {
    Unsaved(Next),
    /// Of what the user opened.
    Recover(Box<Opened>),
    /// Of something else, that a crash left behind.
    Found(Box<Opened>),
    /// Another studio has it open.
    InUse(Box<Opened>),
    /// Somebody else has changed the file that would be saved over.
    Changed(PathBuf, Option<Next>),
}

impl Studio {
    pub(super) fn close_requested(&mut self, ctx: &egui::Context) {
        if self.window.is_closing || !ctx.input(|i| i.viewport().close_requested()) {
            return;
        }
        if self.workspace.editor().is_modified() && self.tour.player.is_none() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.ask_then(Next::Quit, ctx);
        }
    }

    /// Goes on, after asking about unsaved work.
    pub(crate) fn ask_then(&mut self, next: Next, ctx: &egui::Context) {
        if self.workspace.editor().is_modified() {
            self.questions.retain(|question| !matches!(question, Question::Unsaved(_)));
            self.questions.push(Question::Unsaved(next));
        } else {
            self.go_on(next, ctx);
        }
    }

    pub(crate) fn go_on(&mut self, next: Next, ctx: &egui::Context) {
        match next {
            Next::Quit => {
                self.window.is_closing = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Next::Open(path) => self.start_opening(path, ctx),
            Next::Sample(kind) => self.open_sample(kind),
            Next::Arrived => self.take_arrived(),
        }
    }

    /// What the user said to the first question.
    pub(crate) fn answer(&mut self, answer: Answer) {
        if self.questions.is_empty() {
            return;
        }
        match (self.questions.remove(0), answer) {
            // It was only opened: it can be opened again, and what a crash left is where it was.
            (Question::Unsaved(Next::Arrived), Answer::Cancel) => self.files.forget_arrived(),
            (Question::Unsaved(_), Answer::Cancel) => {}
            (Question::Unsaved(next), Answer::Yes) => self.files.after_saving(next),
            (Question::Unsaved(next), Answer::No) => {
                self.files.agree(self.workspace.editor().state_id());
                self.files.go_on(next);
            }
            (Question::Recover(lost) | Question::Found(lost), Answer::Yes) => {
                self.ask_or_recover(lost);
            }
            (Question::Recover(lost), Answer::No) => self.discard(*lost, true),
            (Question::Found(lost), Answer::No) => {
                let is_wanted = self.chosen_title().is_none();
                self.discard(*lost, is_wanted);
            }
            // Not opened after all: it will be asked again.
            (Question::Recover(_) | Question::Found(_) | Question::InUse(_), Answer::Cancel) => {}
            (Question::InUse(opened), Answer::Yes | Answer::No) => self.open_copy(*opened),
            (Question::Changed(path, next), Answer::Yes) => {
                self.files.after_change(path, next, true);
            }
            (Question::Changed(path, next), Answer::No) => {
                self.files.after_change(path, next, false);
            }
            (Question::Changed(..), Answer::Cancel) => {}
        }
    }
}
