//! Questions that must be answered: unsaved work, work that a crash left behind, files that others
//! have open or have changed.

use std::path::Path;

use eframe::egui::{self, Id, Modal};
use sinew_editor::Opened;
use sinew_editor::journal::{Fit, Recovery};

use super::{elided, named};
use crate::studio::{Next, Question, Studio};

pub(crate) fn show(studio: &mut Studio, ctx: &egui::Context) {
    let Some(question) = studio.questions.first() else { return };
    let answer = match question {
        Question::Unsaved(_) => unsaved(studio, ctx),
        Question::Recover(lost) => recover(lost, None, ctx),
        Question::Found(lost) => recover(lost, studio.chosen_title().as_deref(), ctx),
        Question::InUse(opened) => in_use(opened, ctx),
        Question::Changed(path, _) => changed(path, ctx),
    };
    if let Some(answer) = answer {
        studio.answer(answer);
    }
}

/// What the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Save, or recover.
    Yes,
    /// Do not save, or go on without.
    No,
    /// Stay where we are.
    Cancel,
}

fn buttons(ui: &mut egui::Ui, choices: &[(&str, &str, Answer)]) -> Option<Answer> {
    let mut answer = None;
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        for &(label, tip, meaning) in choices {
            let button = ui.button(label).on_hover_text(tip);
            named(&button, label);
            if button.clicked() {
                answer = Some(meaning);
            }
        }
    });
    answer
}

fn unsaved(studio: &Studio, ctx: &egui::Context) -> Option<Answer> {
    let Some(Question::Unsaved(next)) = studio.questions.first() else { return None };
    let then = match next {
        Next::Quit => "quitting",
        Next::Open(_) | Next::Sample(_) | Next::Arrived => "opening another character",
    };
    let modal = Modal::new(Id::unique("unsaved")).show(ctx, |ui| {
        ui.set_width(380.0);
        ui.heading("Save your work?");
        ui.label(format!(
            "'{}' has changes that are not saved. Save them before {then}?",
            elided(&studio.title())
        ));
        buttons(
            ui,
            &[
                ("Save changes", "Write the project, then go on", Answer::Yes),
                ("Discard changes", "Go on without saving; the changes are lost", Answer::No),
                ("Go back", "Stay here", Answer::Cancel),
            ],
        )
    });
    modal.inner.or_else(|| modal.should_close().then_some(Answer::Cancel))
}

/// `1 edit`, `2 edits`.
pub(crate) fn edits(count: usize) -> String {
    format!("{count} {}", if count == 1 { "edit" } else { "edits" })
}

/// `open` is what the user has chosen to open, which is not this.
fn recover(lost: &Opened, open: Option<&str>, ctx: &egui::Context) -> Option<Answer> {
    let recovery = lost.recovery.as_ref()?;
    let character = elided(&lost.workspace.editor().document().source().name());
    let name = lost.workspace.path().map_or_else(
        || format!("'{character}', which was never saved,"),
        |path| format!("'{}' ({character})", path.display()),
    );
    let modal = Modal::new(Id::unique("recover")).show(ctx, |ui| {
        ui.set_width(440.0);
        ui.heading("Recover unsaved work?");
        ui.label(format!("{name} was not closed properly. {}", words_of(recovery)));
        if let Some(open) = open {
            ui.add_space(4.0);
            ui.label(format!("'{open}' is open. It stays open unless you recover this one."));
        }
        if !recovery.is_whole() {
            ui.add_space(4.0);
            ui.weak(
                "Whatever you choose, the journal is kept beside it under a name with the date.",
            );
        }
        let yes = match open {
            None => ("Recover", "Go on where it ended; the file is not touched until you save"),
            Some(_) => ("Recover instead", "Close what you opened, and go on where this one ended"),
        };
        let no = match (recovery.is_whole(), open.is_some()) {
            (true, false) => ("Discard", "Go on from what was saved; the later edits are lost"),
            (true, true) => ("Discard", "The later edits are lost; what you opened stays open"),
            (false, false) => {
                ("Open without them", "Go on from what was saved; the later edits are kept")
            }
            (false, true) => {
                ("Put aside", "The later edits are kept in a file; what you opened stays open")
            }
        };
        let later = ("Not now", "Leave everything as it is, and ask again next time");
        let mut choices = vec![(yes.0, yes.1, Answer::Yes), (no.0, no.1, Answer::No)];
        choices.push((later.0, later.1, Answer::Cancel));
        if recovery.entries.is_empty() {
            choices.remove(0);
        }
        buttons(ui, &choices)
    });
    modal.inner
}

fn words_of(recovery: &Recovery) -> String {
    let kept = match recovery.entries.len() {
        0 => String::new(),
        1 => "1 later edit was kept.".to_owned(),
        n => format!("{n} later edits were kept."),
    };
    let damaged = match recovery.num_damaged {
        0 => "",
        1 => "1 more cannot be read.",
        n => &format!("{n} more cannot be read."),
    };
    let fit = match recovery.fit {
        Fit::Exact => "",
        Fit::OtherContent => {
            "The file was changed after they were made, by another program or another studio: what still fits is done on top of what it has now."
        }
        Fit::TooNew { .. } => {
            "A newer Sinew kept later edits, and this one cannot read them: open the project with that one."
        }
    };
    let sentences = [kept.as_str(), damaged, fit];
    sentences.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" ")
}

fn in_use(opened: &Opened, ctx: &egui::Context) -> Option<Answer> {
    let path = opened.workspace.copy_of()?;
    let modal = Modal::new(Id::unique("in use")).show(ctx, |ui| {
        ui.set_width(420.0);
        ui.heading("Open a copy?");
        ui.label(format!(
            "'{}' is open in another Sinew. You can work on a copy of what was saved last, and save it under another name.",
            path.display()
        ));
        let yes = ("Open a copy", "The other one is not disturbed", Answer::Yes);
        buttons(ui, &[yes, ("Go back", "Open nothing", Answer::Cancel)])
    });
    modal.inner.or_else(|| modal.should_close().then_some(Answer::Cancel))
}

fn changed(path: &Path, ctx: &egui::Context) -> Option<Answer> {
    let modal = Modal::new(Id::unique("changed")).show(ctx, |ui| {
        ui.set_width(420.0);
        ui.heading("Save over the changed file?");
        ui.label(format!(
            "'{}' was changed by another program or another studio since you opened it. Saving over it loses those changes.",
            path.display()
        ));
        buttons(
            ui,
            &[
                ("Save under another name", "Keep both", Answer::No),
                ("Save over it", "What the other wrote is lost", Answer::Yes),
                ("Go back", "Save nothing", Answer::Cancel),
            ],
        )
    });
    modal.inner.or_else(|| modal.should_close().then_some(Answer::Cancel))
}
