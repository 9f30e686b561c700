//! A whole character, measured in any pose.

use glam::Vec3;

use super::{Attachments, Measure, Measures, RigMeasures};
use crate::Character;
use crate::skeleton::Palette;
use crate::weights::{Influence, SkinWeights};

/// All meshes of a character as one surface, and where it holds on to the bones.
#[derive(Clone, Debug)]
pub struct CharacterMeasure {
    measure: Measure,
    attachments: Attachments,
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
        let mut first = 0;
        let mut triangles = Vec::new();
        // A mesh that no joint moves has no bone to keep its distance from. Attachments pass over
        // points that are not finite, so it is given as such to them, and only to them.
        let mut skinned_points = Vec::new();
        let mut rows: Vec<Vec<(u32, f32)>> = Vec::new();
        for part in &character.parts {
            let points = &rest[first..first + part.mesh.points().len()];
            let offset = first as u32;
            triangles.extend(part.mesh.point_triangles().iter().map(|t| t.map(|p| offset + p)));
            if let Some(weights) = &part.weights {
                skinned_points.extend_from_slice(points);
                let pairs = |row: &[Influence]| row.iter().map(|i| (i.joint, i.weight)).collect();
                rows.extend(weights.rows().map(pairs));
            } else {
                skinned_points.extend(points.iter().map(|_| Vec3::NAN));
                rows.extend(points.iter().map(|_| Vec::new()));
            }
            first += points.len();
        }
        let skeleton = &character.skeleton;
        let weights =
            (!skeleton.is_empty()).then(|| SkinWeights::from_rows(rows, skeleton.len()).0);
        Self {
            measure: Measure::bind(rest, &triangles),
            attachments: Attachments::bind(&skinned_points, &triangles, skeleton, weights.as_ref()),
        }
    }

    /// The figures of a pose: of the surface, and those that need the skeleton.
    ///
    /// # Panics
    /// If `posed` has not the points of all meshes, one after the other.
    pub fn evaluate(&self, posed: &[Vec3], palette: &Palette) -> (Measures, RigMeasures) {
        let rig = self.measure.evaluate_rig(posed, &self.attachments, palette);
        (self.measure.evaluate(posed), rig)
    }
}
