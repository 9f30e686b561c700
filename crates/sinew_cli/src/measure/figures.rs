//! Figures as rows of a table: in the order of the contract, for CSV and JSON alike.

use serde_json::{Map, Value, json};
use sinew::Character;
use sinew::frame::Frame;
use sinew::measure::{CharacterMeasure, Measures, PartVolumes, ShellCounts, ShellMeasures};

use crate::text::rounded;

/// One row; keys in the order in which they are printed.
pub(crate) type Row = Map<String, Value>;

/// The figures of any two states of a surface.
pub(super) fn row_of(measures: &Measures) -> Row {
    // Taken apart by name, so that a new figure does not compile until it is printed.
    let Measures {
        volume_ratio,
        max_stretch,
        p999_stretch,
        min_compression,
        inverted_triangles,
        triangles,
        flipped_normals,
        finite,
        max_displacement,
    } = *measures;
    let figures = [
        ("volume_ratio", json!(volume_ratio)),
        ("max_stretch", json!(max_stretch)),
        ("p999_stretch", json!(p999_stretch)),
        ("min_compression", json!(min_compression)),
        ("inverted_triangles", json!(inverted_triangles)),
        ("triangles", json!(triangles)),
        ("flipped_normals", json!(flipped_normals)),
        ("finite", json!(finite)),
        ("max_displacement", json!(max_displacement)),
    ];
    figures.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The figures of what holds shells together; none of a single skin.
pub(super) fn shell_row(counts: ShellCounts, measures: &ShellMeasures) -> Row {
    if counts.shells < 2 {
        return Row::new();
    }
    let ShellMeasures {
        gap_mean,
        gap_p95,
        gap_max,
        tied_mean,
        tied_p95,
        tied_max,
        penetrations,
        crossings,
        rigid_deviation,
    } = *measures;
    let figures = [
        ("shells", json!(counts.shells)),
        ("gap_mean", json!(gap_mean)),
        ("gap_p95", json!(gap_p95)),
        ("gap_max", json!(gap_max)),
        ("tied_mean", json!(tied_mean)),
        ("tied_p95", json!(tied_p95)),
        ("tied_max", json!(tied_max)),
        ("penetrations", json!(penetrations)),
        ("crossings", json!(crossings)),
        ("rigid_deviation", json!(rigid_deviation)),
    ];
    figures.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A character ready to be measured in any pose.
pub(crate) struct RigMeasure(CharacterMeasure);

impl RigMeasure {
    /// Against the rest of a frame.
    pub(crate) fn bind(character: &Character, frame: &Frame) -> Self {
        Self(CharacterMeasure::bind_at(character, &frame.all_rest()))
    }

    /// The figures of a frame at that rest: those that need the skeleton after the surface's, and
    /// of several shells theirs last.
    pub(crate) fn row(&self, frame: &Frame) -> Row {
        let posed = frame.all_points();
        let figures = self.0.evaluate(&posed, frame.palette());
        let mut row = row_of(&figures.surface);
        row.insert("min_attachment_ratio".into(), json!(figures.rig.min_attachment_ratio));
        row.insert("p001_stretch".into(), json!(figures.rig.p001_stretch));
        row.extend(shell_row(self.0.shells().counts(), &figures.shells));
        row
    }
}

/// The volume of each mesh that holds one. Meshes of one name are told apart by their numbers.
pub(crate) fn part_row(character: &Character, frame: &Frame) -> Row {
    let volumes = PartVolumes::bind(character, &frame.all_rest());
    let ratios = volumes.ratios(&frame.all_points());
    let mut row = Row::new();
    for (index, (part, ratio)) in character.parts.iter().zip(ratios).enumerate() {
        let name = part.mesh.name();
        let is_one = character.parts.iter().filter(|p| p.mesh.name() == name).count() == 1;
        let key = match is_one && !name.is_empty() {
            true => format!("volume_ratio {name}"),
            false => format!("volume_ratio {name}#{index}"),
        };
        row.insert(key, json!(ratio));
    }
    row
}

/// What a sweep or a clip comes to for one method and springs: the worst of each figure, the step
/// of the largest jump, and of a clip the frame that stretches most.
pub(super) fn summary([method, springs]: [&str; 2], rows: &[Row], step: &str) -> Value {
    let numbers = |key: &'static str| rows.iter().filter_map(move |row| row.get(key)?.as_f64());
    let least = |key| numbers(key).min_by(f64::total_cmp);
    let most = |key| numbers(key).max_by(f64::total_cmp);
    let count = |key| most(key).map(|count| count as u64);
    let largest_jump = most("max_jump");
    let step_of = |key: &str, value: Option<f64>| {
        let row = rows
            .iter()
            .find(|row| value.is_some() && row.get(key).and_then(Value::as_f64) == value)?;
        row.get(step).cloned()
    };
    let mut summary = json!({
        "method": method,
        "springs": springs,
        "steps": rows.len(),
        "largest_jump": largest_jump,
        "min_volume_ratio": least("volume_ratio"),
        "max_stretch": most("max_stretch"),
        "min_compression": least("min_compression"),
        "max_inverted_triangles": count("inverted_triangles"),
        "max_flipped_normals": count("flipped_normals"),
        "min_attachment_ratio": least("min_attachment_ratio"),
        "finite": rows.iter().all(|row| row.get("finite") == Some(&Value::Bool(true))),
    });
    summary[format!("largest_jump_{step}")] = json!(step_of("max_jump", largest_jump));
    if step == "seconds" {
        summary["worst_seconds"] = json!(step_of("max_stretch", most("max_stretch")));
    }
    for (name, key) in SHELL_SUMMARY {
        if rows.iter().any(|row| row.contains_key(key)) {
            summary[name] = json!(most(key));
        }
    }
    summary
}

/// Of several shells: the summary's name and the figure whose worst it is.
const SHELL_SUMMARY: [(&str, &str); 6] = [
    ("max_gap_p95", "gap_p95"),
    ("max_gap", "gap_max"),
    ("max_tied_p95", "tied_p95"),
    ("max_penetrations", "penetrations"),
    ("max_crossings", "crossings"),
    ("max_rigid_deviation", "rigid_deviation"),
];

/// A header and a line a row, in full precision; `null` for what is no number.
pub(super) fn to_csv(rows: &[Row]) -> String {
    let mut csv = String::new();
    if let Some(first) = rows.first() {
        csv.push_str(&first.keys().cloned().collect::<Vec<_>>().join(","));
        csv.push('\n');
    }
    for row in rows {
        csv.push_str(&row.values().map(cell).collect::<Vec<_>>().join(","));
        csv.push('\n');
    }
    csv
}

/// A line a figure, aligned, rounded.
pub(super) fn to_text(row: &Row) -> String {
    let width = row.keys().map(String::len).max().unwrap_or(0);
    let words = |value: &Value| match value {
        Value::Number(number) if number.is_f64() => rounded(number.as_f64().unwrap_or(f64::NAN)),
        value => cell(value),
    };
    row.iter().map(|(key, value)| format!("{key:<width$}  {}\n", words(value))).collect()
}

fn cell(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(degrees: f64, jump: Option<f64>, volume: f64) -> Row {
        let value = json!({"method": "linear", "degrees": degrees, "volume_ratio": volume, "finite": true, "max_jump": jump});
        value.as_object().unwrap().clone()
    }

    #[test]
    fn csv_has_a_header_and_full_precision_and_null_for_no_number() {
        let csv = to_csv(&[row(0.0, None, 1.0 / 3.0), row(5.0, Some(f64::NAN), 1.0)]);
        assert_eq!(
            csv,
            "method,degrees,volume_ratio,finite,max_jump\n\
             linear,0.0,0.3333333333333333,true,null\n\
             linear,5.0,1.0,true,null\n"
        );
    }

    #[test]
    fn a_summary_tells_the_largest_jump_and_where_it_is() {
        let rows = [row(0.0, None, 1.0), row(5.0, Some(0.1), 0.5), row(10.0, Some(0.05), 0.9)];
        let summary = summary(["linear", "off"], &rows, "degrees");
        assert_eq!((&summary["method"], &summary["springs"]), (&json!("linear"), &json!("off")));
        assert_eq!(summary["largest_jump"], 0.1);
        assert_eq!(summary["largest_jump_degrees"], 5.0);
        assert_eq!(summary["min_volume_ratio"], 0.5);
    }
}
