//! What is wrong with weights, as a list with one undoable mend each.

use std::sync::Arc;

use eframe::egui;
use sinew::Character;
use sinew::progress::Silent;
use sinew::weights::repair::{Mend, repair};
use sinew_editor::WeightEdit;

use super::named;
use crate::studio::Studio;

/// What was found when it was last looked for.
#[derive(Default)]
pub(crate) struct Repairs {
    of: Option<Arc<Character>>,
    /// Points that each mend would change.
    found: Vec<(Mend, usize)>,
}

fn words(mend: Mend) -> &'static str {
    match mend {
        Mend::UnweightedMesh => "of meshes without weights",
        Mend::StrayPoints => "that follow another joint than all points around them",
        Mend::FarWeights => "with joints that are far away",
        Mend::SeamWeightsDiffer => "on one place with other weights: seams that open",
        Mend::TinyWeights => "with weights that move nothing",
        Mend::TooManyInfluences => "with more influences than the budget",
    }
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let character = Arc::clone(studio.document().character());
    let look = ui.button("Look for faults").on_hover_text("Say what is wrong with the weights");
    named(&look, "Weights: Look for faults");
    if look.clicked() {
        let rules = studio.session.weights.rules();
        let count = |mend: Mend| {
            let (_, done) = repair(&character, &[mend], &rules, &Silent);
            (mend, done.iter().map(|mended| mended.count).sum::<usize>())
        };
        let found = Mend::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect();
        studio.panels.repairs = Repairs { of: Some(Arc::clone(&character)), found };
    }
    let repairs = &studio.panels.repairs;
    // Of weights that were edited since, it says nothing.
    if repairs.of.as_ref().is_none_or(|of| !Arc::ptr_eq(of, &character)) {
        return;
    }
    if repairs.found.is_empty() {
        ui.weak("Nothing is wrong with these weights");
    }
    for (mend, count) in repairs.found.clone() {
        ui.horizontal(|ui| {
            let button = ui.small_button("Mend").on_hover_text(mend.code());
            named(&button, &format!("Mend {}", mend.code()));
            if button.clicked() {
                let keep = studio.keeping();
                studio.apply(WeightEdit::RepairWeights { mends: vec![mend], keep });
            }
            super::one_line(ui, format!("{count} points {}", words(mend)));
        });
    }
}
