//! The figures of the shape on the screen: what `sinew measure` prints.

use eframe::egui;
use sinew::measure::{Measures, RigMeasures};

use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    studio.panels.wants_figures = true;
    let measures = studio.views.panes.first().measures();
    match measures {
        Some(measures) => _ = ui.scope(|ui| table(ui, "figures", &[Some(measures)])),
        None => _ = ui.weak("Measuring…"),
    }
}

/// What is good, in a few words.
const ROWS: [(&str, &str); 6] = [
    ("Volume", "Posed over rest; 1 is kept"),
    ("Stretch", "The largest of all but one edge in a thousand; 1 is kept"),
    ("Squeeze", "The smallest of all but one edge in a thousand; 1 is kept"),
    (
        "Off the bone",
        "The smallest share of its distance to the bone that a point has kept; 1 is kept",
    ),
    ("Inverted", "Triangles that show their inside; 0 is best"),
    ("Moved", "The furthest that a point is from its rest"),
];

fn value(row: usize, measures: &Measures, rig: &RigMeasures) -> String {
    let ratio = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| format!("{v:.3}"));
    match row {
        0 => ratio(measures.volume_ratio),
        1 => ratio(measures.p999_stretch),
        2 => ratio(rig.p001_stretch),
        3 => ratio(rig.min_attachment_ratio),
        4 => format!("{}", measures.inverted_triangles),
        _ => format!("{:.3} m", measures.max_displacement),
    }
}

/// One column an entry.
pub(crate) fn table(ui: &mut egui::Ui, id: &str, of: &[Option<(Measures, RigMeasures)>]) {
    egui::Grid::new(id).num_columns(1 + of.len()).striped(true).spacing([14.0, 3.0]).show(
        ui,
        |ui| {
            for (row, (name, tip)) in ROWS.into_iter().enumerate() {
                ui.label(name).on_hover_text(tip);
                for measures in of {
                    match measures {
                        Some((measures, rig)) => ui.monospace(value(row, measures, rig)),
                        None => ui.weak("…"),
                    };
                }
                ui.end_row();
            }
        },
    );
}

/// In a line, for under a view.
pub(crate) fn line(measures: Option<&(Measures, RigMeasures)>) -> String {
    let Some((measures, rig)) = measures else { return "measuring…".into() };
    format!(
        "volume {}   stretch {}   off bone {}   inverted {}",
        value(0, measures, rig),
        value(1, measures, rig),
        value(3, measures, rig),
        value(4, measures, rig)
    )
}
