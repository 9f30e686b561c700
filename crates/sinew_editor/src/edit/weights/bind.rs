//! Automatic weights of all meshes, as an edit finds them and as a job does.

use sinew::progress::Progress;
use sinew::weights::PointRow;
use sinew::weights::auto::{AutoMethod, AutoSettings, auto_weights};

use super::super::EditError;
use super::WeightEdit;
use super::apply::{all_rows, joints, rules};
use crate::document::Document;
use crate::names;

/// The rows of all points of all meshes by a method. Locked joints keep what they have.
pub(super) fn found(
    document: &Document,
    edit: &WeightEdit,
    progress: &dyn Progress,
) -> Result<Vec<Vec<PointRow>>, EditError> {
    let WeightEdit::BindWeights { method, deform, left_out, keep } = edit else {
        return Ok(Vec::new());
    };
    let character = document.character();
    let mut decided: Vec<(u32, bool)> = Vec::new();
    for (list, deforms) in [(deform, true), (left_out, false)] {
        decided.extend(joints(character, list)?.into_iter().map(|joint| (joint, deforms)));
    }
    let rules = rules(character, keep)?;
    let Some(method) = AutoMethod::from_name(method) else {
        let all = AutoMethod::ALL.map(AutoMethod::name);
        return Err(EditError::Unknown(names::unknown("method", method, all)));
    };
    let settings = AutoSettings { method, max_influences: rules.max_influences, decided };
    let found = auto_weights(character, &settings, progress)
        .map_err(|error| EditError::value("bind", error.to_string()))?;
    let rows_of = |(part, weights): (&sinew::Part, &_)| -> Vec<PointRow> {
        let mut rows = all_rows(Some(weights));
        if let (Some(before), false) = (&part.weights, keep.locked.is_empty()) {
            for (point, row) in &mut rows {
                let wanted: Vec<(u32, f64)> =
                    row.iter().map(|i| (i.joint, f64::from(i.weight))).collect();
                *row = rules.finish(before.row(*point as usize), &wanted, None);
            }
        }
        rows
    };
    Ok(character.parts.iter().zip(&found.of_part).map(rows_of).collect())
}

impl WeightEdit {
    /// New weights of all meshes, found as a [`WeightEdit::BindWeights`] says, as edits that find
    /// nothing again: what a job enters. None of another edit.
    ///
    /// # Errors
    /// If there is nothing to bind, or someone asked to stop.
    pub fn bound(
        document: &Document,
        bind: &Self,
        progress: &dyn Progress,
    ) -> Result<Vec<Self>, EditError> {
        let Self::BindWeights { keep, .. } = bind else { return Ok(Vec::new()) };
        let edit = |(part, rows): (usize, Vec<PointRow>)| {
            let mut edit = Self::set(document, part, &rows, keep.layer.clone());
            if let Self::SetWeights { own, .. } = &mut edit {
                *own = true;
            }
            edit
        };
        let found = found(document, bind, progress)?;
        Ok(found.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()).map(edit).collect())
    }
}
