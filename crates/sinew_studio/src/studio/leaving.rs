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
}

/// Something that the user must decide.
#[derive(Debug)]
pub(crate) enum Question {
    Unsaved(Next),
    Recover(Box<Opened>),
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
        }
    }

    /// What the user said to the first question.
    pub(crate) fn answer(&mut self, answer: Answer) {
        if self.questions.is_empty() {
            return;
        }
        match (self.questions.remove(0), answer) {
            (Question::Unsaved(_), Answer::Cancel) => {}
            (Question::Unsaved(next), Answer::Yes) => self.files.after_saving(next),
            (Question::Unsaved(next), Answer::No) => self.files.go_on(next),
            (Question::Recover(lost), Answer::Yes) => self.recover(*lost),
            (Question::Recover(lost), Answer::No | Answer::Cancel) => self.discard(*lost),
        }
    }
}
