//! The line over and under a view: which method it shows, and its figures.

use eframe::egui;

use super::named;
use super::skin::{METHODS_HEIGHT, choices, rig_name};
use crate::studio::Studio;

/// Room for *Use* beside the list, in a narrow view too.
const BUTTON_WIDTH: f32 = 64.0;

/// The method of a view; the first one's is the document's.
pub(crate) fn header(studio: &mut Studio, ui: &mut egui::Ui, pane: usize) {
    let document = studio.document().clone();
    let chosen = studio.views.panes.rig(pane).unwrap_or_else(|| document.rig().clone());
    ui.horizontal(|ui| {
        if let Some(at_rest) = studio.views.panes.at_rest(pane) {
            let (words, tip) = match at_rest {
                true => ("At rest", "The cage tool moves handles at rest here"),
                false => ("In the pose", "The cage tool moves handles in the pose here"),
            };
            ui.strong(words).on_hover_text(tip);
            return;
        }
        if pane == 0 {
            ui.strong(rig_name(&chosen)).on_hover_text("The document's own, set at the right");
            return;
        }
        let list = egui::ComboBox::from_id_salt(("compare", pane))
            .height(METHODS_HEIGHT)
            .selected_text(rig_name(&chosen))
            .truncate()
            .width((ui.available_width() - BUTTON_WIDTH).clamp(60.0, 170.0));
        let shown = list.show_ui(ui, |ui| choices(ui, &chosen));
        if let Some(Some(next)) = shown.inner {
            studio.views.panes.set_rig(pane, next);
        }
        named(&shown.response, &format!("Method of view {}", pane + 1));
        shown.response.on_hover_text("The method of this view alone; the document keeps its own");
        let keep = ui.small_button("Use").on_hover_text("Make this the document's method");
        named(&keep, &format!("Use method of view {}", pane + 1));
        if keep.clicked() {
            studio.use_method(&chosen);
        }
    });
}

/// The figures of a view.
pub(crate) fn footer(studio: &Studio, ui: &mut egui::Ui, pane: usize) {
    let pane = studio.views.panes.pane(pane);
    let words = super::figures::line(pane.measures().as_ref());
    let time = pane.answer().map_or_else(String::new, |answer| match answer.on_card {
        None => format!("   {:.1} ms", answer.deform_ms),
        Some(_) => format!("   {:.1} ms + card", answer.deform_ms),
    });
    ui.add(egui::Label::new(egui::RichText::new(words + &time).small()).truncate())
        .on_hover_text("Posed over rest: volume, 99.9 % of stretch, smallest distance to the bone kept; inverted triangles; of several shells the gap of 95 % of tied points; time of a frame");
}
