//! The JSON of ngSkinTools, a tool of weight layers for Maya: read in both of its forms, written in
//! the second. There is no description of either; what is known is from programs that write them.
//!
//! One file is of one mesh. Version 1 has layers from the highest to the lowest, each with a mask
//! and its influences by name. Version 2 has the mesh (places, triangles), a list of influences
//! with their paths in the scene, and layers whose weights are by an influence's number; which of
//! its layers is the higher one is not known, so that layers that cover one another are refused.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::mesh::Aabb;

use super::Rows;
use crate::ReadError;

/// Places of a file, over the diagonal, that are one with the character's.
const SAME_PLACE: f32 = 1e-3;
/// A file in metres, and one in Maya's centimetres.
const SCALES: [f32; 3] = [1.0, 0.01, 100.0];
/// Rows by one order of layers and by the other: 32-bit rows that were mixed.
const SAME_ROW: f64 = 1e-5;
/// Weights of less are none.
const LEAST: f64 = 1e-6;

#[derive(Deserialize)]
struct Text {
    #[serde(default)]
    mesh: Option<MeshText>,
    #[serde(default)]
    influences: Vec<InfluenceText>,
    layers: Vec<LayerText>,
}

#[derive(Serialize, Deserialize)]
struct MeshText {
    #[serde(rename = "vertPositions")]
    positions: Vec<f32>,
    #[serde(default)]
    triangles: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct InfluenceText {
    index: u32,
    #[serde(default, rename = "labelSide")]
    label_side: serde_json::Value,
    #[serde(default, rename = "labelText")]
    label_text: String,
    path: String,
    #[serde(default)]
    pivot: Vec<f64>,
}

#[derive(Deserialize)]
struct LayerText {
    #[serde(default)]
    name: String,
    #[serde(default = "on")]
    enabled: bool,
    #[serde(default = "whole")]
    opacity: f64,
    #[serde(default)]
    id: Option<i64>,
    #[serde(default, rename = "parentId")]
    parent: Option<i64>,
    #[serde(default)]
    mask: Option<Vec<f64>>,
    influences: Weights,
}

fn on() -> bool {
    true
}

fn whole() -> f64 {
    1.0
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Weights {
    /// Version 1.
    Named(Vec<Named>),
    /// Version 2, by number as text; `mask` and `dq` among them.
    Numbered(BTreeMap<String, Vec<f64>>),
}

#[derive(Deserialize)]
struct Named {
    name: String,
    weights: Vec<f64>,
}

/// A layer as it is mixed.
struct Layer {
    opacity: f64,
    mask: Vec<f64>,
    columns: Vec<(u32, Vec<f64>)>,
}

impl Layer {
    fn len(&self) -> usize {
        self.columns.iter().map(|(_, column)| column.len()).max().unwrap_or(0)
    }

    /// What it puts over a row: where its weights sum to less than one, it is seen through.
    fn over(&self, below: &mut Vec<(u32, f64)>, vertex: usize) {
        let mask = self.mask.get(vertex).copied().unwrap_or(1.0);
        let share = (self.opacity * mask).clamp(0.0, 1.0);
        let own = |column: &[f64]| column.get(vertex).copied().unwrap_or(0.0).max(0.0);
        let sum: f64 = self.columns.iter().map(|(_, column)| own(column)).sum();
        if share >= 1.0 && (sum - 1.0).abs() < LEAST {
            // To the bit.
            below.clear();
            below.extend(self.columns.iter().map(|(joint, column)| (*joint, own(column))));
            return;
        }
        let scale = share / sum.max(1.0);
        below.iter_mut().for_each(|entry| entry.1 *= 1.0 - scale * sum);
        for (joint, column) in &self.columns {
            let weight = scale * own(column);
            match below.iter_mut().find(|entry| entry.0 == *joint) {
                Some(entry) => entry.1 += weight,
                None if weight > 0.0 => below.push((*joint, weight)),
                None => {}
            }
        }
    }
}

/// True of JSON that has layers and is not ours.
pub(super) fn is_of(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Keys {
        sinew_weights: Option<serde::de::IgnoredAny>,
        layers: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_str::<Keys>(text)
        .is_ok_and(|keys| keys.layers.is_some() && keys.sinew_weights.is_none())
}

/// Rows by mesh: of each that lies where the file's does.
pub(super) fn read(text: &str, character: &Character) -> Result<HashMap<String, Rows>, ReadError> {
    let text: Text = serde_json::from_str(text)
        .map_err(|error| ReadError::malformed("JSON", error.to_string()))?;
    let is_named = text.layers.iter().any(|layer| matches!(layer.influences, Weights::Named(_)));
    let mut layers = layers(&text, character)?;
    if is_named {
        layers.reverse();
    }
    let num_vertices = layers.iter().map(Layer::len).max().unwrap_or(0);
    let mut rows = vec![Vec::new(); num_vertices];
    for (vertex, row) in rows.iter_mut().enumerate() {
        let mix = |layers: &mut dyn Iterator<Item = &Layer>| {
            let mut row = Vec::new();
            layers.for_each(|layer| layer.over(&mut row, vertex));
            row.retain(|entry: &(u32, f64)| entry.1 > LEAST);
            row.sort_by_key(|entry| entry.0);
            row
        };
        let up = mix(&mut layers.iter());
        if !is_named && !is_alike(&up, &mix(&mut layers.iter().rev())) {
            let what = "it has layers that cover one another, and its form does not say which is \
                the higher one; merge them before the export";
            return Err(ReadError::malformed("layers", what.to_owned()));
        }
        *row = up.into_iter().map(|(joint, weight)| (joint, weight as f32)).collect();
    }
    place(text.mesh.as_ref(), &rows, character)
}

fn is_alike(a: &[(u32, f64)], b: &[(u32, f64)]) -> bool {
    let of = |row: &[(u32, f64)], joint: u32| {
        row.iter().find(|entry| entry.0 == joint).map_or(0.0, |entry| entry.1)
    };
    let joints = a.iter().chain(b).map(|entry| entry.0);
    joints.into_iter().all(|joint| (of(a, joint) - of(b, joint)).abs() < SAME_ROW)
}

/// Those that count, in the file's order.
fn layers(text: &Text, character: &Character) -> Result<Vec<Layer>, ReadError> {
    let by_id = |id: i64| text.layers.iter().find(|layer| layer.id == Some(id));
    let mut found = Vec::new();
    for layer in text.layers.iter().filter(|layer| layer.enabled) {
        let place = format!("layer '{}'", layer.name);
        if let Some(group) = layer.parent.and_then(by_id) {
            if !group.enabled {
                continue;
            }
            if group.opacity < 1.0 || group.parent.is_some() {
                let what = "it is in a group that counts in part, or in a group of groups; merge \
                    them before the export";
                return Err(ReadError::malformed(place, what.to_owned()));
            }
        }
        let mut mask = layer.mask.clone().unwrap_or_default();
        let mut columns = Vec::new();
        match &layer.influences {
            Weights::Named(named) => {
                for Named { name, weights } in named {
                    columns.push((joint(character, name, &place)?, weights.clone()));
                }
            }
            Weights::Numbered(numbered) => {
                for (number, weights) in numbered {
                    if number == "mask" {
                        mask.clone_from(weights);
                    }
                    let Ok(number) = number.parse::<u32>() else { continue };
                    if weights.iter().all(|&weight| weight <= 0.0) {
                        continue;
                    }
                    let influence = text.influences.iter().find(|i| i.index == number);
                    let Some(influence) = influence else {
                        let what = format!("influence {number} is not in the list of influences");
                        return Err(ReadError::malformed(place, what));
                    };
                    columns.push((joint(character, &influence.path, &place)?, weights.clone()));
                }
            }
        }
        found.push(Layer { opacity: layer.opacity, mask, columns });
    }
    Ok(found)
}

/// The joint of a path in a scene: `|rig|spine|hero:chest`.
fn joint(character: &Character, path: &str, place: &str) -> Result<u32, ReadError> {
    let last = path.rsplit('|').next().unwrap_or(path);
    let bare = last.rsplit(':').next().unwrap_or(last);
    let found = [path, last, bare].into_iter().find_map(|name| character.skeleton.find(name));
    found
        .ok_or_else(|| ReadError::malformed(place, format!("this character has no joint '{last}'")))
}

/// Rows of the file's vertices as rows of meshes' points.
fn place(
    mesh: Option<&MeshText>,
    rows: &[Vec<(u32, f32)>],
    character: &Character,
) -> Result<HashMap<String, Rows>, ReadError> {
    let places: Vec<Vec3> = mesh.map_or_else(Vec::new, |mesh| {
        mesh.positions.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect()
    });
    let mut found = HashMap::new();
    if places.is_empty() {
        for part in character.parts.iter().filter(|part| part.mesh.points().len() == rows.len()) {
            found.insert(part.mesh.name().to_owned(), rows.to_vec());
        }
        if found.len() == 1 {
            return Ok(found);
        }
        let what = format!(
            "it has {} vertices and no places: {} of the character's meshes have as many points, \
             where it takes one",
            rows.len(),
            found.len()
        );
        return Err(ReadError::malformed("mesh", what));
    }
    for part in &character.parts {
        let points = part.mesh.points();
        let of_scale = |scale: f32| nearest(points, &places, scale);
        if let Some(vertices) = SCALES.into_iter().find_map(of_scale) {
            let row = |vertex: u32| rows.get(vertex as usize).cloned().unwrap_or_default();
            let rows = vertices.into_iter().map(row).collect();
            found.insert(part.mesh.name().to_owned(), rows);
        }
    }
    if found.is_empty() {
        let what = "none of the character's meshes lies where the file's does (in metres or in \
            centimetres)";
        return Err(ReadError::malformed("mesh", what.to_owned()));
    }
    Ok(found)
}

/// The vertex on each point; `None` if one has none.
fn nearest(points: &[Vec3], places: &[Vec3], scale: f32) -> Option<Vec<u32>> {
    let bounds = Aabb::around(points.iter().copied());
    let cell = (SAME_PLACE * bounds.diagonal()).max(f32::MIN_POSITIVE);
    let at = |place: Vec3| (place / cell).floor().as_ivec3();
    let mut cells: HashMap<glam::IVec3, Vec<u32>> = HashMap::new();
    for (vertex, &place) in (0u32..).zip(places) {
        cells.entry(at(scale * place)).or_default().push(vertex);
    }
    let distance = |vertex: u32, point: Vec3| (scale * places[vertex as usize]).distance(point);
    let of = |&point: &Vec3| {
        let around = (0..27).map(|i| glam::IVec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
        let near = around.filter_map(|step| cells.get(&(at(point) + step))).flatten().copied();
        let near = near.filter(|&vertex| distance(vertex, point) <= cell);
        near.min_by(|&a, &b| distance(a, point).total_cmp(&distance(b, point)))
    };
    points.iter().map(of).collect()
}

#[derive(Serialize)]
struct WrittenLayer {
    children: Vec<i64>,
    effects: serde_json::Value,
    enabled: bool,
    id: i64,
    index: i64,
    influences: BTreeMap<String, Vec<f32>>,
    name: &'static str,
    opacity: f64,
    #[serde(rename = "paintTarget")]
    paint_target: i64,
    #[serde(rename = "parentId")]
    parent: Option<i64>,
}

#[derive(Serialize)]
struct Written {
    influences: Vec<InfluenceText>,
    layers: [WrittenLayer; 1],
    mesh: MeshText,
}

/// The weights of a character of one mesh in the form of version 2, as one layer.
pub(super) fn write(character: &Character) -> Result<String, String> {
    let mut weighted = character.parts.iter().filter(|part| part.weights.is_some());
    let (Some(part), None) = (weighted.next(), weighted.next()) else {
        return Err("ngSkinTools' files are of one mesh with weights; this character has another \
            number of them; write .json or .tsv"
            .into());
    };
    let Some(weights) = &part.weights else { return Err("no weights".into()) };
    let joints = character.skeleton.joints();
    let path = |joint: u32| {
        let mut path = String::new();
        let mut next = Some(joint);
        while let Some(joint) = next {
            let own = &joints[joint as usize];
            path = format!("|{}{path}", own.name);
            next = own.parent;
        }
        path
    };
    let num_points = weights.num_points();
    let mut columns: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
    for (point, row) in weights.rows().enumerate() {
        for influence in row {
            let column = columns.entry(influence.joint).or_insert_with(|| vec![0.0; num_points]);
            column[point] = influence.weight;
        }
    }
    let rest = character.skeleton.rest_model_from_joint();
    let influences = columns.keys().map(|&joint| InfluenceText {
        index: joint,
        label_side: 0.into(),
        label_text: String::new(),
        path: path(joint),
        pivot: rest[joint as usize].translation.to_array().into(),
    });
    let influences = influences.collect();
    let layer = WrittenLayer {
        children: Vec::new(),
        effects: serde_json::json!({
            "mirrorMask": false, "mirrorWeights": false, "mirrorDq": false
        }),
        enabled: true,
        id: 1,
        index: 0,
        influences: columns.into_iter().map(|(joint, c)| (joint.to_string(), c)).collect(),
        name: "Base weights",
        opacity: 1.0,
        paint_target: 0,
        parent: None,
    };
    let mesh = MeshText {
        positions: part.mesh.points().iter().flat_map(|point| point.to_array()).collect(),
        triangles: part.mesh.point_triangles().iter().flatten().copied().collect(),
    };
    let written = Written { influences, layers: [layer], mesh };
    serde_json::to_string(&written).map_err(|error| error.to_string())
}
