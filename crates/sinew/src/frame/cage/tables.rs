//! What a cage has bound as plain arrays, for a device that finds the rest by itself.

use glam::Vec3;

use super::super::rest::points_at;
use super::blocks::LANES;
use super::{BoundCage, CageScratch, Controls, add};
use crate::Part;
use crate::cage::SampleShift;
use crate::frame::PartPlan;
use crate::mesh::{Mesh, SurfaceNormals};

/// A mesh's coordinates.
#[derive(Clone, Copy, Debug)]
pub struct CageTables<'a> {
    /// How many points there are.
    pub num_points: usize,
    /// How many handles there are.
    pub num_handles: usize,
    /// Of blocks of [`CAGE_LANES`](super::CAGE_LANES) points, the last one padded: a handle's
    /// coordinates after the other's.
    pub points: &'a [[f32; LANES]],
    /// The same of the centres of rotation; empty where the method has none.
    pub centers: &'a [[f32; LANES]],
}

impl BoundCage {
    /// A mesh's coordinates.
    ///
    /// # Panics
    /// If there is no such mesh.
    pub fn part_tables(&self, part: usize) -> CageTables<'_> {
        let (points, num_points) = self.places.of_part(part);
        CageTables {
            num_points,
            num_handles: self.coupling.num_handles(),
            points: points.values(),
            centers: self.parts[part].centers.values(),
        }
    }

    /// How far each handle that controls have moved is from where it was bound.
    pub(in crate::frame) fn moves_of(&self, controls: &Controls) -> Vec<(u32, Vec3)> {
        let mut moves = Vec::new();
        self.moves(self.rest_cage(controls), &mut moves);
        moves
    }

    /// True if controls have moved any handle.
    pub(in crate::frame) fn has_moved(&self, controls: &Controls) -> bool {
        self.rest_cage(controls) != self.coupling.cage().points()
    }

    /// How far a point goes with the handles.
    ///
    /// # Panics
    /// If there is no such mesh, point or handle.
    pub fn offset_of(&self, part: usize, point: usize, moves: &[(u32, Vec3)]) -> Vec3 {
        self.places.of_part(part).0.offset(moves, self.coupling.num_handles(), point)
    }

    /// Of each handle the point of a mesh that it moves most.
    ///
    /// # Panics
    /// If there is no such mesh.
    pub fn most_moved(&self, part: usize) -> Vec<u32> {
        let (points, num_points) = self.places.of_part(part);
        points.most_moved(self.coupling.num_handles(), num_points)
    }

    /// A mesh's points at the rest of controls that have not been expanded.
    pub(in crate::frame) fn rest_of(
        &self,
        index: usize,
        part: &Part,
        controls: &Controls,
        out: &mut [Vec3],
    ) {
        let (points, num_points) = self.places.of_part(index);
        let moves = self.moves_of(controls);
        let num_handles = self.coupling.num_handles();
        let mut own = controls.part(index).clone();
        let given = std::mem::take(&mut own.rest_offsets);
        points.offsets(&moves, num_handles, num_points, &mut own.rest_offsets);
        add(&mut own.rest_offsets, &given);
        points_at(part, &own, out);
    }
}

impl CageScratch {
    pub(in crate::frame) fn shifts(&self) -> &[SampleShift] {
        &self.shifts
    }
}

impl PartPlan {
    /// Where the file's normals turn with a rest that moves: one normal a point, and what they are
    /// at the file's rest. `None` where nobody needs normals at rest.
    pub fn turning_normals(&self, mesh: &Mesh) -> Option<(SurfaceNormals, Vec<Vec3>)> {
        self.normals().are_files().then(|| {
            let surface = self.file_surface(mesh);
            (surface.points.clone(), surface.before.clone())
        })
    }
}
