//! Weights of other meshes, of this character or of a file's, as an edit finds them and as a job
//! does.

use std::sync::Arc;

use sinew::Character;
use sinew::progress::{Progress, Silent};
use sinew::weights::PointRow;
use sinew::weights::transfer::{TransferSettings, Transferred, transfer};

use super::super::EditError;
use super::apply::{all_rows, check_points, joints, rules, within};
use super::rows::weights_of;
use super::{Keeping, WeightEdit};
use crate::document::Document;
use crate::name_ref::{JointRef, MeshRef};

/// What of the weights of others is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Taking {
    /// From nothing (as it is) to one (as the others have it).
    pub mix: f64,
    /// Joints that take part; all if none is named.
    pub joints: Vec<JointRef>,
    /// Budget, locks and layer.
    pub keep: Keeping,
}

fn fault(error: impl std::fmt::Display) -> EditError {
    EditError::value("transfer", error.to_string())
}

fn settings(character: &Character, taking: &Taking) -> Result<TransferSettings, EditError> {
    within("mix", taking.mix, 0.0, 1.0)?;
    Ok(TransferSettings {
        mix: taking.mix,
        joints: joints(character, &taking.joints)?,
        rules: rules(character, &taking.keep)?,
        ..TransferSettings::default()
    })
}

/// The rows of a mesh's points by what lies nearest of other meshes of the same character.
pub(super) fn between(
    edit: &WeightEdit,
    document: &Document,
    part: usize,
) -> Result<Vec<PointRow>, EditError> {
    let WeightEdit::TransferWeights {
        from, points, joints: of, mix, distance, degrees, keep, ..
    } = edit
    else {
        return Ok(Vec::new());
    };
    let character = document.character();
    check_points(character, part, points)?;
    within("distance", *distance, 0.0, f64::MAX)?;
    within("degrees", *degrees, 0.0, 180.0)?;
    let givers: Vec<usize> = match from.is_empty() {
        true => (0..character.parts.len()).filter(|&other| other != part).collect(),
        false => from
            .iter()
            .map(|mesh| mesh.resolve(character).map_err(EditError::Unknown))
            .collect::<Result<_, _>>()?,
    };
    for &giver in givers.iter().filter(|_| !from.is_empty()) {
        weights_of(character, giver)?;
    }
    let taking = Taking { mix: *mix, joints: of.clone(), keep: keep.clone() };
    // They lie on one another already.
    let settings = TransferSettings {
        max_distance: *distance,
        max_radians: degrees.to_radians(),
        fit: false,
        ..settings(character, &taking)?
    };
    let only = |parts: &[usize]| -> Character {
        let parts = parts.iter().map(|&part| character.parts[part].clone()).collect();
        Character { parts, ..Character::clone(character) }
    };
    let (giver, taker) = (only(&givers), only(&[part]));
    let found = transfer(&giver, &taker, &settings, &Silent).map_err(fault)?;
    let mut rows = all_rows(found.of_part.first());
    if !points.is_empty() {
        let mut is_wanted = vec![false; rows.len()];
        points.iter().for_each(|&point| is_wanted[point as usize] = true);
        rows.retain(|(point, _)| is_wanted[*point as usize]);
    }
    Ok(rows)
}

impl WeightEdit {
    /// The weights of another character, on all meshes of a document or on some, as edits that
    /// find nothing again: what a job enters. How well they fit is said, too.
    ///
    /// # Errors
    /// If there is nothing to take or to give, or someone asked to stop.
    pub fn transferred(
        document: &Document,
        from: &Character,
        meshes: &[MeshRef],
        taking: &Taking,
        progress: &dyn Progress,
    ) -> Result<(Vec<Self>, Transferred), EditError> {
        let character = document.character();
        let settings = settings(character, taking)?;
        let wanted: Vec<usize> = match meshes.is_empty() {
            true => (0..character.parts.len()).collect(),
            false => meshes
                .iter()
                .map(|mesh| mesh.resolve(character).map_err(EditError::Unknown))
                .collect::<Result<_, _>>()?,
        };
        let found = transfer(from, character, &settings, progress).map_err(fault)?;
        let of_part: Vec<(usize, Vec<PointRow>)> =
            wanted.iter().map(|&part| (part, all_rows(found.of_part.get(part)))).collect();
        Ok((Self::set_all(document, &of_part, taking.keep.layer.as_ref()), found))
    }

    /// Weights that a file has for a document's meshes, as edits.
    pub fn read_from(
        document: &Document,
        found: &sinew_io::ReadWeights,
        layer: Option<&String>,
    ) -> Vec<Self> {
        let of_part = found.of_part.iter().enumerate();
        let of_part: Vec<(usize, Vec<PointRow>)> =
            of_part.map(|(part, weights)| (part, all_rows(weights.as_ref()))).collect();
        Self::set_all(document, &of_part, layer)
    }

    /// One edit a mesh, with the rows that are others than its own.
    fn set_all(
        document: &Document,
        of_part: &[(usize, Vec<PointRow>)],
        layer: Option<&String>,
    ) -> Vec<Self> {
        let character: &Arc<Character> = document.character();
        let edit = |(part, rows): &(usize, Vec<PointRow>)| -> Option<Self> {
            let own = character.parts[*part].weights.as_ref();
            let is_other = |(point, row): &&PointRow| match own {
                Some(own) => own.row(*point as usize) != row.as_slice(),
                None => true,
            };
            let rows: Vec<PointRow> = rows.iter().filter(is_other).cloned().collect();
            (!rows.is_empty()).then(|| Self::set(document, *part, &rows, layer.cloned()))
        };
        of_part.iter().filter_map(edit).collect()
    }
}
