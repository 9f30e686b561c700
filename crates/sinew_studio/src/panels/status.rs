//! The line at the bottom: what the tool can do now, and how fast everything is.

use eframe::egui::{self, Align, Layout};
use sinew_editor::Autosave;
use sinew_editor::solver::Status;

use super::named;
use super::questions::edits;
use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            speed(studio, ui);
            ui.separator();
            autosave(studio, ui);
            progress(studio, ui);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                if let Some(name) = studio.hovered_name() {
                    ui.strong(super::elided(&name));
                }
                if let Some(words) = studio.cage_warning() {
                    let color = ui.visuals().warn_fg_color;
                    ui.add(egui::Label::new(egui::RichText::new(words).color(color)).truncate());
                }
                let hint = studio.session.tool().hint();
                ui.add(egui::Label::new(hint).truncate());
            });
        });
    });
}

/// Says that a crash would lose something, for as long as it would.
fn autosave(studio: &Studio, ui: &mut egui::Ui) {
    let (words, tip) = match studio.workspace.autosave() {
        Autosave::On | Autosave::Off { why: None } => return,
        Autosave::Waiting { num_edits, why } => {
            let words = match num_edits {
                0 => "Autosave waits".to_owned(),
                n => format!("Autosave waits: {} in memory only", edits(n)),
            };
            (words, format!("{why}. It is tried again every second; saving elsewhere works too"))
        }
        Autosave::Off { why: Some(why) } => {
            ("Autosave is off".to_owned(), format!("{why}. Save often: a crash loses the rest"))
        }
    };
    let color = ui.visuals().error_fg_color;
    ui.colored_label(color, words).on_hover_text(tip);
    ui.separator();
}

fn speed(studio: &Studio, ui: &mut egui::Ui) {
    let Some(answer) = studio.views.panes.first().answer() else {
        ui.weak("…");
        return;
    };
    let mut words = Vec::new();
    let first = studio.views.panes.first();
    let points = first.points().filter(|_| first.has_points());
    if let Some(springs) = points.and_then(|frame| frame.springs()) {
        words.push(format!("{} iterations, residual {:.1e}", springs.iterations, springs.residual));
    }
    words.push(match answer.on_card {
        None => format!("skin {:.1} ms", answer.deform_ms),
        Some(_) => format!("skin {:.1} ms + card", answer.deform_ms),
    });
    words.push(format!("draw {:.1} ms", studio.views.panes.draw_ms()));
    if studio.session.playback.is_playing() {
        words.push(format!("{:.0} fps", studio.views.panes.frames_per_second()));
    }
    let tip = format!(
        "Skin: time that a frame of the method and springs takes{}. Draw: time that the picture takes, by {}. Bound in {:.0} ms",
        if answer.on_card.is_some() { ", of the processor, before the card makes it" } else { "" },
        studio.canvas_name(),
        answer.bind_ms
    );
    ui.label(words.join("   ")).on_hover_text(tip);
}

fn progress(studio: &mut Studio, ui: &mut egui::Ui) {
    if let Some((what, fraction)) = studio.job_progress() {
        let cancel = ui.small_button("Cancel").on_hover_text("Stop; the character stays as it is");
        named(&cancel, "Cancel work");
        if cancel.clicked() {
            studio.cancel_job();
        }
        bar(ui, what, fraction).on_hover_text("It enters as one step when it is done");
    }
    if let Some((words, watch)) = studio.files.work() {
        match watch.done() {
            Some((what, fraction)) => {
                let cancel = ui.small_button("Cancel").on_hover_text("Stop; nothing is written");
                named(&cancel, "Cancel export");
                if cancel.clicked() {
                    watch.cancel();
                }
                bar(ui, what, fraction).on_hover_text("The window goes on meanwhile");
            }
            None => {
                ui.spinner().on_hover_text("The window goes on meanwhile");
            }
        }
        ui.label(format!("{words}…"));
    }
    let statuses: Vec<(usize, Status)> = studio.views.panes.statuses();
    for (pane, status) in statuses {
        match status {
            Status::Binding { what, fraction } => {
                let cancel =
                    ui.small_button("Cancel").on_hover_text("Stop binding; the last shape stays");
                named(&cancel, "Cancel binding");
                if cancel.clicked() {
                    studio.views.panes.cancel(pane);
                }
                bar(ui, what, fraction).on_hover_text("Binding: done once, before the first frame");
            }
            Status::Failed(words) => {
                let again = ui.small_button("Rebind").on_hover_text("Try once more");
                named(&again, "Rebind");
                if again.clicked() {
                    studio.views.panes.retry(pane);
                }
                let color = ui.visuals().error_fg_color;
                ui.colored_label(color, words);
            }
            Status::Refining { .. } => {
                ui.spinner().on_hover_text("Binding at the shapes that are shown; you can go on");
            }
            Status::Idle | Status::Deforming => {}
        }
    }
}

/// Wide enough for the longest that binding says.
fn bar(ui: &mut egui::Ui, what: String, fraction: f32) -> egui::Response {
    ui.add(egui::ProgressBar::new(fraction).desired_width(180.0).text(what))
}
