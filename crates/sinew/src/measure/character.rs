//! A whole character, measured in any pose.

use glam::Vec3;

use super::{Attachments, Measure, Measures, RigMeasures, ShellMeasure, ShellMeasures};
use crate::Character;
use crate::skeleton::Palette;
use crate::weights::{Influence, SkinWeights};

/// All meshes of a character as one surface, where it holds on to the bones, and its shells.
#[derive(Clone, Debug)]
pub struct CharacterMeasure {
    measure: Measure,
    attachments: Attachments,
    shells: ShellMeasure,
}

/// All figures of one pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterMeasures {
    /// Of the surface.
    pub surface: Measures,
    /// Against the skeleton.
    pub rig: RigMeasures,
    /// Between the shells.
    pub shells: ShellMeasures,
}

impl CharacterMeasure {
    /// Of the meshes as they rest in the file.
    pub fn bind(character: &Character) -> Self {
        let rest: Vec<Vec3> =
            character.parts.iter().flat_map(|part| part.mesh.points().iter().copied()).collect();
        Self::bind_at(character, &rest)
    }

    /// Of the meshes at another rest: the points of all meshes, one after the other.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn bind_at(character: &Character, rest: &[Vec3]) -> Self {
        assert_eq!(rest.len(), character.num_points(), "the points of all meshes");
        let (triangles, rows) = flattened(character);
        let shells = ShellMeasure::bind(rest, &triangles, &rows);
        // A mesh that no joint moves has no bone to keep its distance from. Attachments pass over
        // points that are not finite, so it is given as such to them, and only to them.
        let skinned = |(p, row): (&Vec3, &Vec<_>)| if row.is_empty() { Vec3::NAN } else { *p };
        let skinned_points: Vec<Vec3> = rest.iter().zip(&rows).map(skinned).collect();
        let skeleton = &character.skeleton;
        let weights =
            (!skeleton.is_empty()).then(|| SkinWeights::from_rows(rows, skeleton.len()).0);
        Self {
            measure: Measure::bind(rest, &triangles),
            attachments: Attachments::bind(&skinned_points, &triangles, skeleton, weights.as_ref()),
            shells,
        }
    }

    /// The shells, for more than their figures.
    pub fn shells(&self) -> &ShellMeasure {
        &self.shells
    }

    /// The figures of a pose.
    ///
    /// # Panics
    /// If `posed` has not the points of all meshes, one after the other.
    pub fn evaluate(&self, posed: &[Vec3], palette: &Palette) -> CharacterMeasures {
        CharacterMeasures {
            surface: self.measure.evaluate(posed),
            rig: self.measure.evaluate_rig(posed, &self.attachments, palette),
            shells: self.shells.evaluate(posed),
        }
    }
}

/// Weights of a point as joint and weight; empty for a point that no joint moves.
pub(super) type Row = Vec<(u32, f32)>;

/// All meshes as one: triangles over all points, and each point's joints and weights; no weights
/// for the points of a mesh that no joint moves.
pub(super) fn flattened(character: &Character) -> (Vec<[u32; 3]>, Vec<Row>) {
    let mut triangles = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for part in &character.parts {
        let first = rows.len() as u32;
        triangles.extend(part.mesh.point_triangles().iter().map(|t| t.map(|p| first + p)));
        match &part.weights {
            Some(weights) => {
                let pairs = |row: &[Influence]| row.iter().map(|i| (i.joint, i.weight)).collect();
                rows.extend(weights.rows().map(pairs));
            }
            None => rows.extend(part.mesh.points().iter().map(|_| Vec::new())),
        }
    }
    (triangles, rows)
}
