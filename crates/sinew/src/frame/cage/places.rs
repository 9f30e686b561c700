//! The points of a character in its cage: coordinates, and which points stand for all. Nothing here
//! depends on weights, joints or the method, so that none of them finds it again.

use std::sync::Arc;

use glam::DVec3;

use super::super::Note;
use super::CageRig;
use super::blocks::Blocks;
use crate::cage::{Cage, CageError, CagedPoints};
use crate::progress::Progress;
use crate::{Character, Part};

/// Of a mesh, this many points and no more than twice as many say whether it is in the cage.
const MAX_LOOKED_AT: usize = 200;

/// Where the points of all meshes are in the cage.
#[derive(Debug)]
pub(super) struct Places {
    rig: CageRig,
    pub(super) caged: CagedPoints,
    /// Of each mesh its coordinates as frames read them, and how many points it has.
    parts: Vec<(Blocks, usize)>,
    /// What is odd about it.
    pub(super) notes: Vec<Note>,
}

impl Places {
    pub(super) fn bind(
        character: &Character,
        rig: &CageRig,
        progress: &dyn Progress,
    ) -> Result<Self, CageError> {
        let cage = &rig.cage;
        let all: Vec<DVec3> = character.parts.iter().flat_map(points_of).collect();
        let coordinates = rig.coordinates_of(&all)?;
        let caged = CagedPoints::bind(cage, &*coordinates, &all, progress)?;
        let mut first = 0;
        let of_part = |part: &Part| {
            let num_points = part.mesh.points().len();
            let at = |point: usize, handle: usize| caged.rows().row(first + point)[handle] as f32;
            let blocks = Blocks::new(num_points, cage.points().len(), at);
            first += num_points;
            (blocks, num_points)
        };
        let parts = character.parts.iter().map(of_part).collect();
        let notes = character.parts.iter().enumerate();
        let notes = match coordinates.parts() {
            None => notes.filter_map(|(part, of_part)| elsewhere(cage, part, of_part)).collect(),
            // Around a part of the character only.
            Some(_) => Vec::new(),
        };
        Ok(Self { rig: rig.clone(), caged, parts, notes })
    }

    /// True if these, found for a character, are those of another one in that cage.
    pub(super) fn are_of(
        &self,
        rig: &CageRig,
        found_for: &Arc<Character>,
        character: &Arc<Character>,
    ) -> bool {
        let (a, b) = (&found_for.parts, &character.parts);
        let has_same_meshes =
            || a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.mesh == b.mesh);
        self.rig == *rig && (Arc::ptr_eq(found_for, character) || has_same_meshes())
    }

    /// A mesh's coordinates, and how many points it has.
    pub(super) fn of_part(&self, part: usize) -> (&Blocks, usize) {
        let (blocks, num_points) = &self.parts[part];
        (blocks, *num_points)
    }
}

/// A mesh's points.
pub(super) fn points_of(part: &Part) -> Vec<DVec3> {
    part.mesh.points().iter().map(|p| p.as_dvec3()).collect()
}

/// Says if a mesh is not in the cage: by some of its points, since each is held against every face.
fn elsewhere(cage: &Cage, part: usize, of_part: &Part) -> Option<Note> {
    let points = of_part.mesh.points();
    let looked_at = points.iter().step_by((points.len() / MAX_LOOKED_AT).max(1));
    let num = looked_at.len();
    let num_outside = looked_at.filter(|point| !cage.encloses(point.as_dvec3())).count();
    (2 * num_outside > num).then(|| {
        let name = of_part.mesh.name();
        let words = format!(
            "mesh '{name}': most points are outside of the cage, and follow it only by \
             extrapolation; this looks like the cage of another character"
        );
        Note { part, words }
    })
}
