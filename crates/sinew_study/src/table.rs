//! Tables as text, markdown and CSV.

use crate::goals;
use crate::study::{Cell, Figures};
use crate::sweep::Popping;
use crate::versus::{self, Tally};
use crate::worst::Place;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Columns aligned with spaces.
    Text,
    /// GitHub's pipes.
    Markdown,
}

/// A table of words: a head and rows of as many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// The method's columns over the subjects' and poses' rows; `show` gives a cell's words, `None`
    /// where it has none. Rows in which no cell has any are left out.
    pub fn of_cells(cells: &[Cell], title: &str, show: impl Fn(&Cell) -> Option<String>) -> Self {
        let mut methods: Vec<&str> = Vec::new();
        let mut places: Vec<(&str, &str)> = Vec::new();
        for cell in cells {
            if !methods.contains(&cell.method.as_str()) {
                methods.push(&cell.method);
            }
            if !places.contains(&(cell.subject.as_str(), cell.pose.as_str())) {
                places.push((&cell.subject, &cell.pose));
            }
        }
        let rows = places.into_iter().filter_map(|(subject, pose)| {
            let shown: Vec<Option<String>> = methods
                .iter()
                .map(|method| {
                    cells
                        .iter()
                        .find(|c| c.subject == subject && c.pose == pose && c.method == *method)
                        .and_then(&show)
                })
                .collect();
            shown.iter().any(Option::is_some).then(|| {
                let first = std::iter::once(format!("{subject}, {pose}"));
                first.chain(shown.into_iter().map(Option::unwrap_or_default)).collect()
            })
        });
        let rows = rows.collect();
        let head = std::iter::once(title).chain(methods).map(str::to_owned).collect();
        Self { head, rows }
    }

    /// `volume/min|s|/max stretch/99.9 % stretch/inverted`, as in springs.md.
    pub fn of_shapes(cells: &[Cell]) -> Self {
        Self::of_cells(cells, "volume / min |s| / max stretch / 99.9 % / inverted", |cell| {
            Some(shape(&cell.figures))
        })
    }

    /// Ring area, and the twist that is kept.
    pub fn of_rings(cells: &[Cell]) -> Self {
        Self::of_cells(cells, "ring area (twist kept, degrees)", |cell| {
            let figures = &cell.figures;
            let area = short(figures.min_ring_area, 3);
            figures.min_ring_area.map(|_| match figures.twist_kept_degrees {
                Some(degrees) => format!("{area} ({degrees:.0})"),
                None => area,
            })
        })
    }

    /// Shortest edge, shortest 0.1 %, flipped normals, folds: what the first table leaves out.
    pub fn of_compression(cells: &[Cell]) -> Self {
        Self::of_cells(cells, "shortest edge / shortest .1 % / flipped normals / folds", |cell| {
            let figures = &cell.figures;
            Some(format!(
                "{}/{}/{}/{}",
                short(figures.measures.min_compression, 2),
                short(figures.rig.p001_stretch, 2),
                figures.measures.flipped_normals,
                figures.folded_edges
            ))
        })
    }

    /// Where shapes are worst: the largest stretch, then the smallest `|s|`, each with its joint
    /// and its place at rest.
    pub fn of_worst(cells: &[Cell]) -> Self {
        let words = |place: &Option<Place>| place.as_ref().map_or("-".into(), Place::to_string);
        Self::of_cells(cells, "largest stretch; smallest |s|: joint (place at rest)", |cell| {
            Some(format!("{}; {}", words(&cell.worst.stretched), words(&cell.worst.fallen_in)))
        })
    }

    /// Largest second differences, with their ratio to those of the method called `linear`.
    pub fn of_poppings(poppings: &[Popping]) -> Self {
        let mut methods: Vec<&str> = Vec::new();
        let mut places: Vec<(&str, &str)> = Vec::new();
        for one in poppings {
            if !methods.contains(&one.method.as_str()) {
                methods.push(&one.method);
            }
            if !places.contains(&(one.subject.as_str(), one.pose.as_str())) {
                places.push((&one.subject, &one.pose));
            }
        }
        let rows = places.into_iter().map(|(subject, pose)| {
            let of = |method: &str| {
                poppings
                    .iter()
                    .find(|p| p.subject == subject && p.pose == pose && p.method == method)
            };
            let words = methods.iter().map(|method| {
                let Some(found) = of(method) else { return String::new() };
                let ratio = of("linear").map(|linear| found.largest / linear.largest);
                let ratio = ratio.map_or_else(String::new, |ratio| format!(" ×{ratio:.2}"));
                format!("{:.6}{ratio} at {}", found.largest, found.step)
            });
            std::iter::once(format!("{subject}, {pose}")).chain(words).collect()
        });
        let rows = rows.collect();
        let head =
            std::iter::once("largest second difference over the diagonal, × linear, at step")
                .chain(methods.iter().copied());
        Self { head: head.map(str::to_owned).collect(), rows }
    }

    /// One method against another.
    pub fn of_versus(cells: &[Cell], ours: &str, theirs: &str) -> Self {
        let per_subject = versus::compare(cells, ours, theirs);
        let row = |name: &str, tallies: &[Tally]| {
            let words = tallies.iter().map(Tally::to_string);
            std::iter::once(name.to_owned()).chain(words).collect()
        };
        let mut rows: Vec<Vec<String>> =
            per_subject.iter().map(|(name, tallies)| row(name, tallies)).collect();
        rows.push(row("total", &versus::total(&per_subject)));
        let title = format!("{ours} against {theirs}: win/tie/loss");
        let names = versus::measure_names().into_iter().map(str::to_owned);
        Self { head: std::iter::once(title).chain(names).collect(), rows }
    }

    /// The goals whose poses were studied, `!` before what misses, and last how many each method
    /// meets.
    pub fn of_goals(cells: &[Cell]) -> Self {
        let mut methods: Vec<&str> = Vec::new();
        for cell in cells {
            if !methods.contains(&cell.method.as_str()) {
                methods.push(&cell.method);
            }
        }
        let mut met = vec![0; methods.len()];
        let mut rows: Vec<Vec<String>> = Vec::new();
        for goal in goals::all() {
            let found: Vec<_> = methods.iter().map(|method| goal.check(cells, method)).collect();
            if found.iter().all(Option::is_none) {
                continue;
            }
            let mut row = vec![
                format!("{}, {}", goal.subject, goal.pose),
                goal.figure.name().to_owned(),
                goal.bound(),
            ];
            for (found, met) in found.into_iter().zip(&mut met) {
                row.push(found.map_or_else(String::new, |(value, is_met)| {
                    *met += usize::from(is_met);
                    format!("{}{}", if is_met { "" } else { "! " }, short(value, 3))
                }));
            }
            rows.push(row);
        }
        let num_goals = rows.len();
        if num_goals > 0 {
            let mut last = vec![format!("met of {num_goals}"), String::new(), String::new()];
            last.extend(met.iter().map(usize::to_string));
            rows.push(last);
        }
        let head = ["goal", "figure", "within"].into_iter().chain(methods);
        Self { head: head.map(str::to_owned).collect(), rows }
    }

    /// True for a table without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as lines.
    pub fn render(&self, style: Style) -> String {
        match style {
            Style::Text => self.text(),
            Style::Markdown => self.markdown(),
        }
    }

    fn text(&self) -> String {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| {
            lines().filter_map(|l| l.get(column)).map(|w| w.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        for line in lines() {
            let words: Vec<String> =
                line.iter().zip(&widths).map(|(word, &width)| format!("{word:<width$}")).collect();
            text.push_str(words.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    fn markdown(&self) -> String {
        let line = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| word.replace('|', "\\|")).collect();
            format!("| {} |\n", words.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.head) + &rule + &rows
    }
}

/// `.909/.58/1.46/1.36/6`; a shape that is not finite says so.
pub fn shape(figures: &Figures) -> String {
    let Figures { measures, rig, .. } = figures;
    let words = format!(
        "{}/{}/{}/{}/{}",
        short(measures.volume_ratio, 3),
        short(rig.min_attachment_ratio, 2),
        short(measures.max_stretch, 2),
        short(measures.p999_stretch, 2),
        measures.inverted_triangles
    );
    if measures.finite { words } else { format!("NaN {words}") }
}

/// A number without the zero before its point; `-` for none.
pub(crate) fn short(value: Option<f64>, digits: usize) -> String {
    let Some(value) = value else { return "-".into() };
    let words = format!("{value:.digits$}");
    match words.strip_prefix("0.") {
        Some(after) => format!(".{after}"),
        None => match words.strip_prefix("-0.") {
            Some(after) => format!("-.{after}"),
            None => words,
        },
    }
}

/// Every figure of every cell, one line each; empty fields where there is none.
pub fn csv(cells: &[Cell]) -> String {
    let mut text = String::from(
        "role,subject,pose,method,volume_ratio,min_attachment_ratio,max_stretch,p999_stretch,min_compression,p001_stretch,\
         inverted_triangles,triangles,flipped_normals,folded_edges,finite,twist_kept_degrees,min_ring_area,\
         gap_mean,gap_p95,gap_max,tied_mean,tied_p95,tied_max,penetrations,crossings,rigid_deviation\n",
    );
    for cell in cells {
        let Figures { measures: m, rig, shells, folded_edges, twist_kept_degrees, min_ring_area } =
            &cell.figures;
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.6}"));
        let words = [
            cell.role.name().to_owned(),
            quoted(&cell.subject),
            quoted(&cell.pose),
            cell.method.clone(),
            number(m.volume_ratio),
            number(rig.min_attachment_ratio),
            number(m.max_stretch),
            number(m.p999_stretch),
            number(m.min_compression),
            number(rig.p001_stretch),
            m.inverted_triangles.to_string(),
            m.triangles.to_string(),
            m.flipped_normals.to_string(),
            folded_edges.to_string(),
            m.finite.to_string(),
            number(*twist_kept_degrees),
            number(*min_ring_area),
            number(shells.gap_mean),
            number(shells.gap_p95),
            number(shells.gap_max),
            number(shells.tied_mean),
            number(shells.tied_p95),
            number(shells.tied_max),
            number(shells.penetrations),
            number(shells.crossings),
            number(shells.rigid_deviation),
        ];
        text.push_str(&words.join(","));
        text.push('\n');
    }
    text
}

/// In quotes where a comma or a quote would break the line.
fn quoted(word: &str) -> String {
    if word.contains([',', '"', '\n']) {
        format!("\"{}\"", word.replace('"', "\"\""))
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_one_have_no_zero_before_the_point() {
        assert_eq!(short(Some(0.909), 3), ".909");
        assert_eq!(short(Some(-0.25), 2), "-.25");
        assert_eq!(short(Some(1.4567), 2), "1.46");
        assert_eq!(short(Some(0.9999), 3), "1.000");
        assert_eq!(short(None, 3), "-");
    }

    #[test]
    fn columns_are_aligned_and_pipes_are_escaped() {
        let table = Table {
            head: vec!["min |s|".into(), "a".into()],
            rows: vec![vec!["x".into(), "12".into()]],
        };
        assert_eq!(table.render(Style::Text), "min |s|  a\nx        12\n");
        assert_eq!(table.render(Style::Markdown), "| min \\|s\\| | a |\n|---|---|\n| x | 12 |\n");
    }

    #[test]
    fn a_name_with_a_comma_stays_one_field() {
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
