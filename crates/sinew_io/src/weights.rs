//! Weights alone, apart from meshes: as JSON, as a plain table for spreadsheets and scripts, and as
//! ngSkinTools has them (`ngskin`). `docs/formats.md` has the forms.
//!
//! The first two name meshes and joints, and points by their welded number, so that a file fits
//! every character with the same meshes, whatever the order of its joints.

mod ngskin;

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::weights::{SkinWeights, WeightReport};

use crate::ReadError;

/// Of the JSON.
const VERSION: u64 = 1;
/// The first line of a table.
const HEAD: &str = "mesh\tpoint\tjoint\tweight";
/// Weights of ten million points as text.
const MAX_BYTES: u64 = 1 << 30;

/// How weights are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsForm {
    /// `.json`: all of a mesh's rows, joints by their place in one list.
    Json,
    /// `.tsv`: a line a point and joint, parted by tabs.
    Table,
    /// `.ngskin.json`: ngSkinTools' second form, of one mesh. Read under any name in `.json`.
    NgSkin,
}

impl WeightsForm {
    /// By extension, whatever its case.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        if name.ends_with(".ngskin.json") {
            return Some(Self::NgSkin);
        }
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "tsv" => Some(Self::Table),
            _ => None,
        }
    }
}

/// Weights that were read for a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadWeights {
    /// One a mesh of the character; nothing where the file has none.
    pub of_part: Vec<Option<SkinWeights>>,
    /// What rows left to be desired.
    pub report: WeightReport,
    /// Meshes of the file that the character does not have.
    pub unknown_meshes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    sinew_weights: u64,
    joints: Vec<String>,
    meshes: Vec<MeshText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeshText {
    name: String,
    /// One a point: `[[place in joints, weight], …]`.
    rows: Vec<Vec<(u32, f32)>>,
}

/// The weights of a character as text.
///
/// # Errors
/// If a name has a tab or a new line, which a table cannot hold; if ngSkinTools' form is to hold
/// more than one mesh.
pub fn weights_to_text(character: &Character, form: WeightsForm) -> Result<String, String> {
    let joints = character.skeleton.joints().iter().map(|joint| joint.name.clone());
    let joints: Vec<String> = joints.collect();
    let parts = character.parts.iter().filter_map(|part| Some((part, part.weights.as_ref()?)));
    match form {
        WeightsForm::NgSkin => ngskin::write(character),
        WeightsForm::Json => {
            let mesh = |(part, weights): (&sinew::Part, &SkinWeights)| MeshText {
                name: part.mesh.name().to_owned(),
                rows: (weights.rows())
                    .map(|row| row.iter().map(|i| (i.joint, i.weight)).collect())
                    .collect(),
            };
            let meshes = parts.map(mesh).collect();
            let text = Text { sinew_weights: VERSION, joints, meshes };
            serde_json::to_string(&text).map_err(|error| error.to_string())
        }
        WeightsForm::Table => {
            let names = joints.iter().map(String::as_str);
            let names = names.chain(character.parts.iter().map(|part| part.mesh.name()));
            if let Some(name) = names.into_iter().find(|name| name.contains(['\t', '\n', '\r'])) {
                return Err(format!("'{name}' has a tab or a new line; write .json"));
            }
            let mut text = format!("{HEAD}\n");
            for (part, weights) in parts {
                for (point, row) in weights.rows().enumerate() {
                    for influence in row {
                        let joint = &joints[influence.joint as usize];
                        let mesh = part.mesh.name();
                        text.push_str(&format!("{mesh}\t{point}\t{joint}\t{}\n", influence.weight));
                    }
                }
            }
            Ok(text)
        }
    }
}

/// Reads weights for a character.
///
/// # Errors
/// If the file cannot be read, is not of that form, or fits neither its meshes nor its joints.
pub fn read_weights(path: &Path, character: &Character) -> Result<ReadWeights, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > MAX_BYTES {
        let what = format!("{size} bytes, where {MAX_BYTES} are allowed");
        return Err(ReadError::malformed("file", what));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| ReadError::malformed("file", "it is no text in UTF-8".to_owned()))?;
    match WeightsForm::of_path(path) {
        Some(form) => weights_of_text(&text, form, character),
        None => Err(ReadError::malformed("file", "weights are .json or .tsv".to_owned())),
    }
}

/// The same of text.
///
/// # Errors
/// As [`read_weights`].
pub fn weights_of_text(
    text: &str,
    form: WeightsForm,
    character: &Character,
) -> Result<ReadWeights, ReadError> {
    let of_mesh = match form {
        WeightsForm::NgSkin => ngskin::read(text, character)?,
        WeightsForm::Json if ngskin::is_of(text) => ngskin::read(text, character)?,
        WeightsForm::Json => of_json(text, character)?,
        WeightsForm::Table => of_table(text, character)?,
    };
    let num_joints = character.skeleton.len();
    let mut found = ReadWeights::default();
    let mut taken = 0;
    for part in &character.parts {
        let name = part.mesh.name();
        let Some(rows) = of_mesh.get(name) else {
            found.of_part.push(None);
            continue;
        };
        taken += 1;
        let num_points = part.mesh.points().len();
        if rows.len() > num_points {
            let what = format!("rows of {} points, and the mesh has {num_points}", rows.len());
            return Err(ReadError::malformed(format!("mesh '{name}'"), what));
        }
        // To the bit where they are what rows must be.
        let row = |point: usize| rows.get(point).cloned().unwrap_or_default();
        let exact = SkinWeights::from_exact_rows((0..num_points).map(row), num_joints);
        let weights = exact.unwrap_or_else(|| {
            let (weights, report) = SkinWeights::from_rows_at(num_points, row, num_joints);
            found.report.rescaled += report.rescaled;
            found.report.unweighted.extend(report.unweighted);
            weights
        });
        found.of_part.push(Some(weights));
    }
    let is_known = |name: &&String| character.parts.iter().any(|part| part.mesh.name() == **name);
    found.unknown_meshes = of_mesh.keys().filter(|name| !is_known(name)).cloned().collect();
    found.unknown_meshes.sort();
    if taken == 0 {
        let names = found.unknown_meshes.join("', '");
        let what = format!("it is of meshes '{names}', none of which this character has");
        return Err(ReadError::malformed("meshes", what));
    }
    Ok(found)
}

type Rows = Vec<Vec<(u32, f32)>>;

fn joint_of(character: &Character, name: &str, place: &str) -> Result<u32, ReadError> {
    character
        .skeleton
        .find(name)
        .ok_or_else(|| ReadError::malformed(place, format!("this character has no joint '{name}'")))
}

fn of_json(text: &str, character: &Character) -> Result<HashMap<String, Rows>, ReadError> {
    let text: Text = serde_json::from_str(text)
        .map_err(|error| ReadError::malformed("JSON", error.to_string()))?;
    if text.sinew_weights > VERSION {
        let what = format!("version {}; this Sinew knows up to {VERSION}", text.sinew_weights);
        return Err(ReadError::malformed("sinew_weights", what));
    }
    // A joint that no row names need not be there.
    let known: Vec<Option<u32>> =
        text.joints.iter().map(|name| character.skeleton.find(name)).collect();
    let mut of_mesh = HashMap::new();
    for MeshText { name, mut rows } in text.meshes {
        for (point, row) in rows.iter_mut().enumerate() {
            for (joint, _) in row {
                let place = format!("mesh '{name}', point {point}");
                *joint = match (known.get(*joint as usize), text.joints.get(*joint as usize)) {
                    (Some(Some(found)), _) => *found,
                    (_, Some(joint)) => joint_of(character, joint, &place)?,
                    _ => {
                        let what = format!("{joint} is no place among {} joints", known.len());
                        return Err(ReadError::malformed(place, what));
                    }
                };
            }
        }
        rows.iter_mut().for_each(|row| row.sort_by_key(|(joint, _)| *joint));
        of_mesh.insert(name, rows);
    }
    Ok(of_mesh)
}

fn of_table(text: &str, character: &Character) -> Result<HashMap<String, Rows>, ReadError> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line.trim_end() != HEAD) {
        let what = format!("the first line must be '{HEAD}', parted by tabs");
        return Err(ReadError::malformed("line 1", what));
    }
    let sizes: HashMap<&str, usize> =
        (character.parts.iter()).map(|part| (part.mesh.name(), part.mesh.points().len())).collect();
    let mut of_mesh: HashMap<String, Rows> = HashMap::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("line {}", number + 1);
        let fault = |what: &str| ReadError::malformed(place.clone(), what.to_owned());
        let cells: Vec<&str> = line.trim_end_matches('\r').split('\t').collect();
        let [mesh, point, joint, weight] = cells[..] else {
            return Err(fault("it takes four cells: mesh, point, joint, weight"));
        };
        let point: usize = point.parse().map_err(|_| fault("the point is no number"))?;
        let weight: f32 = weight.parse().map_err(|_| fault("the weight is no number"))?;
        // Of a mesh that is not there nothing is kept but its name.
        let size = sizes.get(mesh).copied();
        if size.is_some_and(|size| point >= size) {
            return Err(fault("the mesh has no such point"));
        }
        let rows = of_mesh.entry(mesh.to_owned()).or_default();
        if size.is_none() {
            continue;
        }
        if rows.len() <= point {
            rows.resize(point + 1, Vec::new());
        }
        rows[point].push((joint_of(character, joint, &place)?, weight));
    }
    of_mesh.values_mut().flatten().for_each(|row| row.sort_by_key(|(joint, _)| *joint));
    Ok(of_mesh)
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};

    use super::*;

    #[test]
    fn both_forms_come_back_to_the_bit() {
        let character = build(&SampleOptions::new(SampleKind::Soldier)).unwrap();
        for form in [WeightsForm::Json, WeightsForm::Table] {
            let text = weights_to_text(&character, form).unwrap();
            let found = weights_of_text(&text, form, &character).unwrap();
            for (part, found) in character.parts.iter().zip(&found.of_part) {
                assert_eq!(&part.weights, found, "{form:?}, {}", part.mesh.name());
            }
            assert!(found.unknown_meshes.is_empty() && found.report.is_clean());
        }
    }

    #[test]
    fn what_does_not_fit_says_where_and_what() {
        let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
        let mesh = character.parts[0].mesh.name().to_owned();
        let table = |line: &str| format!("{HEAD}\n{line}\n");
        let joint = character.skeleton.joints()[0].name.clone();
        for (text, form, words) in [
            (table(&format!("{mesh}\t0\tnobody\t1")), WeightsForm::Table, "nobody"),
            (table(&format!("{mesh}\t99999999\t{joint}\t1")), WeightsForm::Table, "line 2"),
            (table(&format!("{mesh}\t0\t{joint}")), WeightsForm::Table, "four cells"),
            (table("other\t0\ta\t1"), WeightsForm::Table, "'other'"),
            ("point,joint".to_owned(), WeightsForm::Table, "line 1"),
            ("{}".to_owned(), WeightsForm::Json, "sinew_weights"),
            (
                format!(
                    r#"{{"sinew_weights": 1, "joints": ["a"], "meshes": [{{"name": "{mesh}", "rows": [[[0, 1]]]}}]}}"#
                ),
                WeightsForm::Json,
                "'a'",
            ),
        ] {
            let error = weights_of_text(&text, form, &character).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn rows_that_do_not_sum_to_one_are_scaled_and_counted() {
        let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
        let part = &character.parts[0];
        let joint = &character.skeleton.joints()[1].name;
        let lines = (0..part.mesh.points().len())
            .map(|point| format!("{}\t{point}\t{joint}\t0.5\n", part.mesh.name()));
        let text = format!("{HEAD}\n{}", lines.collect::<String>());
        let found = weights_of_text(&text, WeightsForm::Table, &character).unwrap();
        assert_eq!(found.report.rescaled, part.mesh.points().len());
        assert_eq!(found.of_part[0].as_ref().unwrap().row(0)[0].weight, 1.0);
    }
}
