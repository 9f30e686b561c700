//! Weight layers as projects write them: rows by the joints' numbers, the base where it is not
//! what is seen.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::weights::layers::{LayerRows, WeightLayer, WeightLayers};
use sinew::weights::{Influence, PointRow, SkinWeights};

use crate::edit::EditError;
use crate::name_ref::MeshRef;

/// A point and its weights.
type Row = (u32, Vec<(u32, f32)>);
/// The same with how much of it counts.
type MaskedRow = (u32, f32, Vec<(u32, f32)>);

/// All layers of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LayersText {
    influences: usize,
    /// Rows that are others than what is seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    base: BTreeMap<MeshRef, Vec<Row>>,
    layers: Vec<LayerText>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerText {
    name: String,
    opacity: f32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    muted: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rows: BTreeMap<MeshRef, Vec<MaskedRow>>,
}

fn pairs(row: &[Influence]) -> Vec<(u32, f32)> {
    row.iter().map(|i| (i.joint, i.weight)).collect()
}

impl LayersText {
    /// Of layers; `None` if there are none.
    pub(crate) fn of(layers: &WeightLayers, character: &Character) -> Option<Self> {
        if layers.layers.is_empty() {
            return None;
        }
        let mesh = |part: usize| MeshRef::of(character, part);
        let mut base = BTreeMap::new();
        for (part, (below, seen)) in layers.base.iter().zip(&character.parts).enumerate() {
            let (Some(below), Some(seen)) = (below, &seen.weights) else { continue };
            let all = (0u32..).zip(below.rows().zip(seen.rows()));
            let others = all.filter(|(_, (below, seen))| below != seen);
            let rows: Vec<Row> = others.map(|(point, (row, _))| (point, pairs(row))).collect();
            if !rows.is_empty() {
                base.insert(mesh(part), rows);
            }
        }
        let layer = |layer: &WeightLayer| {
            let rows = layer.of_part.iter().enumerate().map(|(part, rows)| {
                let row = |(point, row, mask): (u32, &[Influence], f32)| (point, mask, pairs(row));
                (mesh(part), rows.entries().map(row).collect::<Vec<_>>())
            });
            LayerText {
                name: layer.name.clone(),
                opacity: layer.opacity,
                muted: layer.is_muted,
                rows: rows.filter(|(_, rows)| !rows.is_empty()).collect(),
            }
        };
        let all = layers.layers.iter().map(layer).collect();
        Some(Self { influences: layers.max_influences, base, layers: all })
    }

    /// The layers over the weights that a character shows.
    pub(crate) fn layers(&self, character: &Character) -> Result<WeightLayers, EditError> {
        let base = character.parts.iter().map(|part| part.weights.clone()).collect();
        let mut out = WeightLayers::over(base, self.influences.max(1));
        for (mesh, rows) in &self.base {
            let part = mesh.resolve(character).map_err(EditError::Unknown)?;
            let rows = rows.iter().map(|(point, row)| (*point, row));
            out = out.with_own(part, None, &exact(character, part, rows)?);
        }
        for text in &self.layers {
            if !(0.0..=1.0).contains(&text.opacity) {
                let words = format!("{}; it must be from 0 to 1", text.opacity);
                return Err(EditError::value(format!("opacity of layer '{}'", text.name), words));
            }
            let mut layer = WeightLayer::new(&text.name, character.parts.len());
            (layer.opacity, layer.is_muted) = (text.opacity, text.muted);
            for (mesh, rows) in &text.rows {
                let part = mesh.resolve(character).map_err(EditError::Unknown)?;
                let masks: Vec<(u32, f32)> = rows.iter().map(|row| (row.0, row.1)).collect();
                let rows = rows.iter().map(|(point, _, row)| (*point, row));
                let rows = exact(character, part, rows)?;
                layer.of_part[part] = LayerRows::default().with_rows(&rows).with_mask(&masks);
            }
            out.layers.push(layer);
        }
        Ok(out)
    }
}

/// Rows of text as rows, to the bit.
fn exact<'a>(
    character: &Character,
    part: usize,
    rows: impl Iterator<Item = (u32, &'a Vec<(u32, f32)>)>,
) -> Result<Vec<PointRow>, EditError> {
    let num_points = character.parts[part].mesh.points().len();
    let num_joints = character.skeleton.len();
    let (points, rows): (Vec<u32>, Vec<_>) = rows.unzip();
    let fault = |words: String| EditError::value("weight layers", words);
    if let Some(point) = points.iter().find(|&&point| point as usize >= num_points) {
        return Err(fault(format!("there is no point {point}; the mesh has {num_points}")));
    }
    let of = rows.into_iter().map(|row| row.iter().copied());
    let weights = SkinWeights::from_exact_rows(of, num_joints)
        .ok_or_else(|| fault("a row is none: joints ascend, weights sum to one".into()))?;
    Ok(points.into_iter().zip(weights.rows().map(<[Influence]>::to_vec)).collect())
}
