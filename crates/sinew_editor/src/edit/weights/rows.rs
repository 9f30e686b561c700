//! Rows as edits write them, and in a document.

use std::sync::Arc;

use sinew::Character;
use sinew::weights::{Influence, PointRow, SkinWeights};

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
    pub fn set(document: &Document, part: usize, rows: &[PointRow]) -> Self {
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

/// Puts rows into a document.
pub(super) fn put(document: &mut Document, of_part: &[(usize, Vec<PointRow>)]) {
    let character = &document.character;
    let is_other = |(part, rows): &(usize, Vec<PointRow>)| {
        let weights = character.parts[*part].weights.as_ref();
        weights.is_some_and(|weights| {
            rows.iter().any(|(point, row)| weights.row(*point as usize) != row)
        })
    };
    if !of_part.iter().any(is_other) {
        return;
    }
    let mut changed = Character::clone(character);
    for (part, rows) in of_part {
        let part = &mut changed.parts[*part];
        part.weights = part.weights.as_ref().map(|weights| weights.with_rows(rows));
    }
    document.character = Arc::new(changed);
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
