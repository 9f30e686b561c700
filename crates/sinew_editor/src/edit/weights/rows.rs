//! Rows as edits write them, and in a document.

use std::sync::Arc;

use sinew::Character;
use sinew::weights::layers::WeightLayers;
use sinew::weights::{Influence, PointRow, RowRules, SkinWeights};

use super::super::EditError;
use super::WeightEdit;
use crate::document::Document;
use crate::name_ref::{JointRef, MeshRef};

/// A point, and joints with weights: `[point, [[joint, weight], …]]`.
pub type RowText = (u32, Vec<(u32, f32)>);

/// Sums of 32-bit weights are off by no more.
const SUM_TOLERANCE: f64 = 1e-5;

impl WeightEdit {
    /// Rows of a mesh as an edit, compactly: each joint is named once.
    ///
    /// # Panics
    /// If there is no such mesh or joint.
    pub fn set(document: &Document, part: usize, rows: &[PointRow], layer: Option<String>) -> Self {
        let character = document.character();
        let mut used: Vec<u32> =
            rows.iter().flat_map(|(_, row)| row.iter().map(|influence| influence.joint)).collect();
        used.sort_unstable();
        used.dedup();
        let place = |joint: u32| used.partition_point(|&other| other < joint) as u32;
        let text = |(point, row): &PointRow| -> RowText {
            (*point, row.iter().map(|i| (place(i.joint), i.weight)).collect())
        };
        Self::SetWeights {
            mesh: MeshRef::of(character, part),
            layer,
            own: false,
            joints: used.iter().map(|&joint| document.joint_ref(joint)).collect(),
            rows: rows.iter().map(text).collect(),
        }
    }
}

/// Rows of text as rows.
pub(super) fn read(
    character: &Character,
    part: usize,
    joints: &[JointRef],
    rows: &[RowText],
) -> Result<Vec<PointRow>, EditError> {
    let skeleton = &character.skeleton;
    let resolve = |joint: &JointRef| joint.resolve(skeleton).map_err(EditError::Unknown);
    let joints: Vec<u32> = joints.iter().map(resolve).collect::<Result<_, _>>()?;
    let num_points = character.parts[part].mesh.points().len();
    let mut out = Vec::with_capacity(rows.len());
    for (point, row) in rows {
        let fault = |words: String| EditError::value(format!("weights of point {point}"), words);
        if *point as usize >= num_points {
            return Err(fault(format!("the mesh has {num_points} points, from 0")));
        }
        let joint_of = |&(at, weight): &(u32, f32)| match joints.get(at as usize) {
            Some(&joint) => Ok((joint, weight)),
            None => Err(fault(format!("{at} is no place in the list of {} joints", joints.len()))),
        };
        let mut row: Vec<(u32, f32)> = row.iter().map(joint_of).collect::<Result<_, _>>()?;
        if let Some((_, weight)) = row.iter().find(|(_, weight)| !(0.0..=1e6).contains(weight)) {
            return Err(fault(format!("{weight} is no weight; they are from 0 to 1")));
        }
        if row.iter().all(|(_, weight)| *weight == 0.0) {
            return Err(fault("no joint has any; name at least one".into()));
        }
        row.sort_by_key(|(joint, _)| *joint);
        // To the bit where they are what rows must be, else made so.
        let sum: f64 = row.iter().map(|&(_, weight)| f64::from(weight)).sum();
        let rounding = row.len() as f64 * f64::from(f32::EPSILON);
        let is_exact = row.is_sorted_by(|a, b| a.0 < b.0)
            && row.iter().all(|(_, weight)| *weight > 0.0)
            && (sum - 1.0).abs() <= rounding;
        let made = match is_exact {
            true => row.iter().map(|&(joint, weight)| Influence { joint, weight }).collect(),
            false => SkinWeights::from_rows([row], skeleton.len()).0.row(0).to_vec(),
        };
        out.push((*point, made));
    }
    Ok(out)
}

/// Where rows go.
pub(super) struct Target {
    /// The place of a layer; the base if there is none.
    pub(super) layer: Option<usize>,
    /// They are the layer's own, not what is to be seen.
    pub(super) is_own: bool,
    pub(super) rules: RowRules,
}

/// Puts rows into a document. A mesh that has none takes them if they are all there.
pub(super) fn put(document: &mut Document, of_part: &[(usize, Vec<PointRow>)], target: &Target) {
    let mut layers = WeightLayers::clone(&document.weight_layers);
    let mut changed = Character::clone(&document.character);
    let (mut has_others, mut has_other_layers) = (false, false);
    for (index, rows) in of_part {
        let part = &mut changed.parts[*index];
        let num_points = part.mesh.points().len();
        let Some(weights) = &part.weights else {
            if rows.len() == num_points {
                let all = SkinWeights::rigid(&vec![0; num_points]).with_rows(rows);
                if let Some(base) = layers.base.get_mut(*index) {
                    *base = Some(all.clone());
                    has_other_layers = true;
                }
                part.weights = Some(all);
                has_others = true;
            }
            continue;
        };
        if layers.layers.is_empty() {
            if rows.iter().any(|(point, row)| weights.row(*point as usize) != row) {
                part.weights = Some(weights.with_rows(rows));
                has_others = true;
            }
            continue;
        }
        let own = match target.is_own {
            true => rows.clone(),
            false => layers.bring(*index, target.layer, rows, &target.rules),
        };
        if own.is_empty() {
            continue;
        }
        layers = layers.with_own(*index, target.layer, &own);
        let seen = |(point, _): &PointRow| Some((*point, layers.seen_row(*index, *point)?));
        let seen: Vec<PointRow> = own.iter().filter_map(seen).collect();
        part.weights = Some(weights.with_rows(&seen));
        (has_others, has_other_layers) = (true, true);
    }
    if has_other_layers {
        document.weight_layers = Arc::new(layers);
    }
    if has_others {
        document.character = Arc::new(changed);
    }
}

/// The weights of a mesh, or what to do where it has none.
pub(super) fn weights_of(character: &Character, part: usize) -> Result<&SkinWeights, EditError> {
    let part = &character.parts[part];
    part.weights.as_ref().ok_or_else(|| {
        let what = format!("mesh '{}'", part.mesh.name());
        EditError::value(what, "it has no weights; `bind-weights` gives it some")
    })
}

/// What is wrong with the weights of a document.
pub(in super::super) fn broken(document: &Document) -> Option<String> {
    let character = document.character();
    for part in &character.parts {
        let Some(weights) = &part.weights else { continue };
        let name = part.mesh.name();
        if weights.num_points() != part.mesh.points().len() {
            return Some(format!("{} rows of weights on mesh '{name}'", weights.num_points()));
        }
        if weights.num_joints_used() > character.skeleton.len() {
            return Some(format!("a weight of no joint on mesh '{name}'"));
        }
        let sum = |row: &[Influence]| -> f64 { row.iter().map(|i| f64::from(i.weight)).sum() };
        let is_off = |row: &[Influence]| {
            let is_near = (sum(row) - 1.0).abs() <= SUM_TOLERANCE;
            !is_near
        };
        if let Some(point) = weights.rows().position(is_off) {
            return Some(format!("weights of point {point} of mesh '{name}' do not sum to one"));
        }
    }
    None
}
