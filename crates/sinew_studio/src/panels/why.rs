//! Why a dragged point is not at its goal, and what would bring it there: each way with its cost
//! and with what is left after it, one click to take it.

use std::sync::Arc;

use eframe::egui;
use sinew::Character;
use sinew_editor::tool::{WaysOut, WhyShown};

use super::{elided, named};
use crate::studio::Studio;

/// Joints that are offered for a point out of reach.
const MOST_OFFERED: usize = 4;

/// What was found out for the point that was dragged last.
#[derive(Default)]
pub(crate) struct WhyPanel {
    /// Ways beyond the joints that are there, of that character.
    ways: Option<(WhyShown, Arc<Character>, WaysOut)>,
    /// What was taken up, and the character that came of it.
    accepted: Option<(WhyShown, Arc<Character>)>,
}

/// Why a point is not at its goal, and what would bring it there.
pub(super) fn readout(studio: &mut Studio, ui: &mut egui::Ui, shown: &WhyShown) {
    let budget = studio.session.weights.influences;
    let why = &shown.why;
    let millimetres = 1e3 * why.distance;
    let now = studio.document().character();
    if let Some((of, after)) = &studio.panels.why.accepted
        && of == shown
        && Arc::ptr_eq(after, now)
    {
        ui.label("Done; drag the point again to see what is left");
        return;
    }
    ui.label(format!(
        "Point {}: reaches a {}, {} of {budget} influences",
        shown.point,
        why.hull.kind(),
        shown.num_influences
    ));
    if millimetres <= 0.1 {
        ui.label("The goal is reached");
        return;
    }
    ui.colored_label(ui.visuals().warn_fg_color, format!("{millimetres:.1} mm outside of reach"));
    for further in why.further.iter().take(MOST_OFFERED) {
        let name = studio.document().joint_ref(further.joint).0;
        let left = 1e3 * further.distance;
        let words = format!("With {}: {left:.1} mm left", elided(&name));
        let mut cost = format!("{} of {budget} influences", further.num_influences);
        if let Some(leaves) = further.leaves {
            let leaves = studio.document().joint_ref(leaves).0;
            cost.push_str(&format!(", {} leaves", elided(&leaves)));
        }
        if let Some(over) = further.over_budget {
            let over = 1e3 * over;
            cost.push_str(&format!("; with {} influences {over:.1} mm left", budget + 1));
        }
        let button = ui.button(words).on_hover_text(format!(
            "Let the point have this joint, within the budget, and bring it to its goal: {cost}"
        ));
        named(&button, &format!("Accept {name}"));
        if button.clicked() {
            let joint = further.joint;
            studio.accept_further(joint);
            accepted(studio, shown);
        }
    }
    if why.further.is_empty() {
        ui.weak("No joint that is there would bring it nearer");
    }
    ways_out(studio, ui, shown);
}

/// What beyond the joints that are there would bring the point to its goal.
fn ways_out(studio: &mut Studio, ui: &mut egui::Ui, shown: &WhyShown) {
    // Looked for once the hand has let go: a helper takes a look at all points.
    if studio.workspace.editor().is_open() {
        return;
    }
    let now = Arc::clone(studio.document().character());
    let ways = match &studio.panels.why.ways {
        Some((of, at, ways)) if of == shown && Arc::ptr_eq(at, &now) => ways.clone(),
        _ => {
            let ways = studio.session.ways_out(studio.workspace.editor());
            studio.panels.why.ways = Some((shown.clone(), now, ways.clone()));
            ways
        }
    };
    if let Some(way) = ways.helper {
        let name = studio.document().joint_ref(way.joint).0;
        let left = 1e3 * way.distance;
        let words = format!("Half-way helper at {}: {left:.1} mm left", elided(&name));
        let button = ui.button(words).on_hover_text(format!(
            "One more joint, which {} points follow; this one then has {} influences",
            way.num_points, way.num_influences
        ));
        named(&button, "Accept half-way helper");
        if button.clicked() {
            studio.apply_all(&format!("Half-way helper at {name}"), way.edits);
            accepted(studio, shown);
        }
    }
    if let Some(way) = ways.corrective {
        let name = studio.document().joint_ref(way.joint).0;
        let words = format!("Corrective of {}: 0.0 mm left", elided(&name));
        let button = ui.button(words).on_hover_text(format!(
            "One more shape of {} points, which comes with this pose; weights stay",
            way.num_points
        ));
        named(&button, "Accept corrective");
        if button.clicked() {
            studio.apply_all(&format!("Corrective of {name}"), vec![way.edit]);
            accepted(studio, shown);
        }
    }
}

/// The readout is of before.
fn accepted(studio: &mut Studio, shown: &WhyShown) {
    let after = Arc::clone(studio.document().character());
    studio.panels.why.accepted = Some((shown.clone(), after));
}
