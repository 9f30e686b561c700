//! The figures of the shape on the screen: what `sinew measure` prints.

use eframe::egui;
use sinew::measure::CharacterMeasures;

use crate::studio::Studio;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    studio.panels.wants_figures = true;
    let measures = studio.views.panes.first().measures();
    match measures {
        Some(measures) => _ = ui.scope(|ui| explained(ui, &measures)),
        None => _ = ui.weak("Measuring…"),
    }
}

/// A line of the table: its name, what is good in a few words, and its value.
struct Row {
    name: &'static str,
    tip: &'static str,
    value: fn(&CharacterMeasures) -> String,
    /// The number to judge, with where it is good and where it is bad; none is only a fact.
    light: Option<Judged>,
}

/// A number with two bounds: at the first and nearer to what is kept it is good, past the second
/// bad.
struct Judged {
    number: fn(&CharacterMeasures) -> Option<f64>,
    /// What is kept.
    kept: f64,
    good: f64,
    bad: f64,
}

/// How good a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Light {
    Good,
    Watch,
    Bad,
}

impl Light {
    /// For people who cannot tell the colours apart.
    fn words(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Watch => "look at it",
            Self::Bad => "bad",
        }
    }

    fn color(self) -> egui::Color32 {
        match self {
            Self::Good => egui::Color32::from_rgb(60, 160, 80),
            Self::Watch => egui::Color32::from_rgb(225, 160, 30),
            Self::Bad => egui::Color32::from_rgb(215, 60, 50),
        }
    }

    /// A disc, a triangle or a square, painted: the fonts have no such signs.
    fn show(self, ui: &mut egui::Ui, name: &str) {
        let side = ui.text_style_height(&egui::TextStyle::Small);
        let (rect, sign) = ui.allocate_exact_size(egui::Vec2::splat(side), egui::Sense::hover());
        let shape = rect.shrink(0.15 * side);
        match self {
            Self::Good => {
                ui.painter().circle_filled(rect.center(), shape.width() / 2.0, self.color())
            }
            Self::Watch => {
                let corners = vec![shape.center_top(), shape.right_bottom(), shape.left_bottom()];
                let stroke = egui::Stroke::NONE;
                ui.painter().add(egui::Shape::convex_polygon(corners, self.color(), stroke))
            }
            Self::Bad => ui.painter().rect_filled(shape, 1.0, self.color()),
        };
        let words = format!("{name}: {}", self.words());
        sign.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        sign.on_hover_text(self.words());
    }
}

impl Judged {
    fn light(&self, number: f64) -> Light {
        let off = (number - self.kept).abs();
        let (good, bad) = ((self.good - self.kept).abs(), (self.bad - self.kept).abs());
        match off {
            off if off <= good => Light::Good,
            off if off <= bad => Light::Watch,
            _ => Light::Bad,
        }
    }
}

/// Each figure with its light and, below it, what it says.
fn explained(ui: &mut egui::Ui, measures: &CharacterMeasures) {
    let shell_rows = if has_shells(measures) { &SHELL_ROWS[..] } else { &[] };
    for row in ROWS.iter().chain(shell_rows) {
        ui.horizontal(|ui| {
            let judge = |judged: &Judged| Some(judged.light((judged.number)(measures)?));
            if let Some(light) = row.light.as_ref().and_then(judge) {
                light.show(ui, row.name);
            }
            ui.label(row.name).on_hover_text(row.tip);
            ui.monospace((row.value)(measures));
        });
        ui.add(egui::Label::new(egui::RichText::new(row.tip).weak().small()).wrap());
    }
}

const ROWS: [Row; 6] = [
    Row {
        name: "Volume",
        tip: "Posed over rest; 1 is kept",
        value: |m| ratio(m.surface.volume_ratio),
        light: Some(Judged { number: |m| m.surface.volume_ratio, kept: 1.0, good: 0.97, bad: 0.9 }),
    },
    Row {
        name: "Stretch",
        tip: "The largest of all but one edge in a thousand; 1 is kept",
        value: |m| ratio(m.surface.p999_stretch),
        light: Some(Judged { number: |m| m.surface.p999_stretch, kept: 1.0, good: 1.5, bad: 2.5 }),
    },
    Row {
        name: "Squeeze",
        tip: "The smallest of all but one edge in a thousand; 1 is kept",
        value: |m| ratio(m.rig.p001_stretch),
        light: Some(Judged { number: |m| m.rig.p001_stretch, kept: 1.0, good: 0.5, bad: 0.2 }),
    },
    Row {
        name: "Off the bone",
        tip: "The smallest share of its distance to the bone that a point has kept; 1 is kept",
        value: |m| ratio(m.rig.min_attachment_ratio),
        light: Some(Judged {
            number: |m| m.rig.min_attachment_ratio,
            kept: 1.0,
            good: 0.7,
            bad: 0.4,
        }),
    },
    Row {
        name: "Inverted",
        tip: "Triangles that show their inside; 0 is best",
        value: |m| m.surface.inverted_triangles.to_string(),
        light: Some(Judged {
            number: |m| Some(m.surface.inverted_triangles as f64),
            kept: 0.0,
            good: 0.0,
            bad: 20.0,
        }),
    },
    Row {
        name: "Moved",
        tip: "The longest way of a point from its rest",
        value: |m| format!("{:.3} m", m.surface.max_displacement),
        light: None,
    },
];

/// Of characters of several shells: what holds them together.
const SHELL_ROWS: [Row; 5] = [
    Row {
        name: "Gap",
        tip: "How far pieces that lie on one another move apart, of all but one point in twenty, over the size of the character; 0 is kept",
        value: |m| percent(m.shells.gap_p95),
        light: Some(Judged { number: |m| m.shells.gap_p95, kept: 0.0, good: 0.005, bad: 0.02 }),
    },
    Row {
        name: "Tied gap",
        tip: "The same of pieces that the weights tie together; 0 is kept",
        value: |m| percent(m.shells.tied_p95),
        light: Some(Judged { number: |m| m.shells.tied_p95, kept: 0.0, good: 0.003, bad: 0.01 }),
    },
    Row {
        name: "Sunk in",
        tip: "Points of tied pieces that sink into the other; 0 is best",
        value: |m| percent(m.shells.penetrations),
        light: Some(Judged {
            number: |m| m.shells.penetrations,
            kept: 0.0,
            good: 0.002,
            bad: 0.02,
        }),
    },
    Row {
        name: "Come through",
        tip: "Of the area that lies beside another piece, the share that comes through it; 0 is best",
        value: |m| percent(m.shells.crossings),
        light: Some(Judged { number: |m| m.shells.crossings, kept: 0.0, good: 0.01, bad: 0.03 }),
    },
    Row {
        name: "Bent pieces",
        tip: "How far the worst rigid piece (one with the same weights everywhere) loses its shape, over the size of the character; 0 is best",
        value: |m| percent(m.shells.rigid_deviation),
        light: Some(Judged {
            number: |m| m.shells.rigid_deviation,
            kept: 0.0,
            good: 0.0005,
            bad: 0.005,
        }),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_light_is_by_how_far_a_figure_is_from_what_is_kept() {
        let judged = Judged { number: |_| None, kept: 1.0, good: 0.97, bad: 0.9 };
        let lights = [1.02, 0.95, 1.2, f64::NAN].map(|number| judged.light(number));
        assert_eq!(lights, [Light::Good, Light::Watch, Light::Bad, Light::Bad]);
    }
}
