//! Questions that must be answered: unsaved work, and work that a crash left behind.

use eframe::egui::{self, Id, Modal};

use super::named;
use crate::studio::{Next, Question, Studio};

pub(crate) fn show(studio: &mut Studio, ctx: &egui::Context) {
    let Some(question) = studio.questions.first() else { return };
    let answer = match question {
        Question::Unsaved(_) => unsaved(studio, ctx),
        Question::Recover(_) => recover(studio, ctx),
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
        Next::Open(_) | Next::Sample(_) => "opening another character",
    };
    let modal = Modal::new(Id::unique("unsaved")).show(ctx, |ui| {
        ui.set_width(380.0);
        ui.heading("Save your work?");
        ui.label(format!(
            "'{}' has changes that are not saved. Save them before {then}?",
            studio.title()
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

fn recover(studio: &Studio, ctx: &egui::Context) -> Option<Answer> {
    let Some(Question::Recover(lost)) = studio.questions.first() else { return None };
    let modal = Modal::new(Id::unique("recover")).show(ctx, |ui| {
        ui.set_width(400.0);
        ui.heading("Recover unsaved work?");
        let steps = lost.recovery.as_ref().map_or(0, |recovery| recovery.entries.len());
        let name = lost.workspace.path().map_or_else(
            || "A character that was never saved".to_owned(),
            |path| format!("'{}'", path.display()),
        );
        ui.label(format!(
            "{name} was not closed properly. {steps} later edits were kept. Recovering does not touch the file until you save."
        ));
        buttons(
            ui,
            &[
                ("Recover", "Go on where it ended", Answer::Yes),
                ("Discard", "Go on from what was saved; the later edits are lost", Answer::No),
            ],
        )
    });
    modal.inner
}
