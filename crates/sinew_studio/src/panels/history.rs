//! What was done, and a way back to any of it.

use eframe::egui;

use super::{list_row, named};
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let history = studio.workspace.editor().history();
    let done: Vec<String> = history.done().map(str::to_owned).collect();
    let undone: Vec<String> = history.undone().map(str::to_owned).collect();
    let mut steps_back = None;
    let mut steps_forward = None;
    let now = done.len();
    let start = ui.selectable_label(now == 0, "Start").on_hover_text("Back to where it began");
    named(&start, "History: start");
    if start.clicked() {
        steps_back = Some(now);
    }
    for (index, label) in done.iter().enumerate() {
        let row = list_row(ui, index + 1 == now, label);
        let row = row.on_hover_text(format!("Go back to after this step: {label}"));
        named(&row, &format!("History {}: {label}", index + 1));
        if row.clicked() {
            steps_back = Some(now - index - 1);
        }
    }
    for (index, label) in undone.iter().enumerate() {
        let row = list_row(ui, false, egui::RichText::new(label).weak().italics());
        let row = row.on_hover_text(format!("Undone; go forward to after this step: {label}"));
        named(&row, &format!("History {}: {label}", now + index + 1));
        if row.clicked() {
            steps_forward = Some(index + 1);
        }
    }
    for _ in 0..steps_back.unwrap_or(0) {
        studio.undo();
    }
    for _ in 0..steps_forward.unwrap_or(0) {
        studio.redo();
    }
}
