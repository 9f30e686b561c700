//! The figures of the shape on the screen: what `sinew measure` prints.

use eframe::egui;
use sinew::measure::CharacterMeasures;

use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    studio.panels.wants_figures = true;
    let measures = studio.views.panes.first().measures();
    match measures {
        Some(measures) => _ = ui.scope(|ui| table(ui, "figures", &[Some(measures)])),
        None => _ = ui.weak("Measuring…"),
    }
}

/// A line of the table: its name, what is good in a few words, and its value.
struct Row {
    name: &'static str,
    tip: &'static str,
    value: fn(&CharacterMeasures) -> String,
}

const ROWS: [Row; 6] = [
    Row {
        name: "Volume",
        tip: "Posed over rest; 1 is kept",
        value: |m| ratio(m.surface.volume_ratio),
    },
    Row {
        name: "Stretch",
        tip: "The largest of all but one edge in a thousand; 1 is kept",
        value: |m| ratio(m.surface.p999_stretch),
    },
    Row {
        name: "Squeeze",
        tip: "The smallest of all but one edge in a thousand; 1 is kept",
        value: |m| ratio(m.rig.p001_stretch),
    },
    Row {
        name: "Off the bone",
        tip: "The smallest share of its distance to the bone that a point has kept; 1 is kept",
        value: |m| ratio(m.rig.min_attachment_ratio),
    },
    Row {
        name: "Inverted",
        tip: "Triangles that show their inside; 0 is best",
        value: |m| m.surface.inverted_triangles.to_string(),
    },
    Row {
        name: "Moved",
        tip: "The furthest that a point is from its rest",
        value: |m| format!("{:.3} m", m.surface.max_displacement),
    },
];

/// Of characters of several shells: what holds them together.
const SHELL_ROWS: [Row; 5] = [
    Row {
        name: "Gap",
        tip: "How far pieces that lie on one another move apart, of all but one point in twenty, over the size of the character; 0 is kept",
        value: |m| percent(m.shells.gap_p95),
    },
    Row {
        name: "Tied gap",
        tip: "The same of pieces that the weights tie together; 0 is kept",
        value: |m| percent(m.shells.tied_p95),
    },
    Row {
        name: "Sunk in",
        tip: "Points of tied pieces that sink into the other; 0 is best",
        value: |m| percent(m.shells.penetrations),
    },
    Row {
        name: "Come through",
        tip: "Of the area with another piece beside it, what comes through that; 0 is best",
        value: |m| percent(m.shells.crossings),
    },
    Row {
        name: "Bent pieces",
        tip: "How far a piece that its weights make rigid is from rigid, the worst, over the size of the character; 0 is best",
        value: |m| percent(m.shells.rigid_deviation),
    },
];

fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |v| format!("{v:.3}"))
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |v| format!("{:.2} %", 100.0 * v))
}

fn has_shells(measures: &CharacterMeasures) -> bool {
    // A single skin on one joint is rigid, and no news.
    measures.shells.gap_p95.is_some()
}

/// One column an entry.
pub(crate) fn table(ui: &mut egui::Ui, id: &str, of: &[Option<CharacterMeasures>]) {
    let shell_rows = if of.iter().flatten().any(has_shells) { &SHELL_ROWS[..] } else { &[] };
    egui::Grid::new(id).num_columns(1 + of.len()).striped(true).spacing([14.0, 3.0]).show(
        ui,
        |ui| {
            for row in ROWS.iter().chain(shell_rows) {
                ui.label(row.name).on_hover_text(row.tip);
                for measures in of {
                    match measures {
                        Some(measures) => ui.monospace((row.value)(measures)),
                        None => ui.weak("…"),
                    };
                }
                ui.end_row();
            }
        },
    );
}

/// In a line, for under a view.
pub(crate) fn line(measures: Option<&CharacterMeasures>) -> String {
    let Some(measures) = measures else { return "measuring…".into() };
    let shells = if has_shells(measures) {
        format!("   tied gap {}", percent(measures.shells.tied_p95))
    } else {
        String::new()
    };
    format!(
        "volume {}   stretch {}   off bone {}   inverted {}{shells}",
        ratio(measures.surface.volume_ratio),
        ratio(measures.surface.p999_stretch),
        ratio(measures.rig.min_attachment_ratio),
        measures.surface.inverted_triangles
    )
}
