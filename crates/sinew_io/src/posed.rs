//! A part as it is to be written: the mesh it has, and where its points are.

use glam::Vec3;
use sinew::frame::{Frame, PartFrame};
use sinew::mesh::Mesh;
use sinew::{Character, Part};

use crate::{PartMaterials, WriteError};

/// A mesh with deformed points.
#[derive(Clone, Copy, Debug)]
pub struct PosedPart<'a> {
    /// Its topology, UVs and groups.
    pub mesh: &'a Mesh,
    /// One a welded point, in the mesh's order.
    pub points: &'a [Vec3],
    /// One a render vertex, unit length; or empty.
    pub vertex_normals: &'a [Vec3],
    /// What its triangles look like; only GLB keeps it.
    pub materials: PartMaterials<'a>,
}

impl<'a> PosedPart<'a> {
    /// A part as it rests, without materials.
    pub fn at_rest(part: &'a Part) -> Self {
        Self {
            mesh: &part.mesh,
            points: part.mesh.points(),
            vertex_normals: part.mesh.vertex_normals(),
            materials: PartMaterials::default(),
        }
    }

    /// The parts of a character with where their points are, and their normals or empty lists of
    /// them.
    pub fn of_character(
        character: &'a Character,
        points: &'a [Vec<Vec3>],
        vertex_normals: &'a [Vec<Vec3>],
    ) -> Vec<Self> {
        let posed = points.iter().zip(vertex_normals);
        let of_part =
            |(part, (points, vertex_normals)): (&'a Part, (&'a Vec<Vec3>, &'a Vec<Vec3>))| Self {
                mesh: &part.mesh,
                points,
                vertex_normals,
                materials: PartMaterials { runs: &part.materials, materials: &character.materials },
            };
        character.parts.iter().zip(posed).map(of_part).collect()
    }

    /// The parts of a character as a frame has them, with their materials.
    pub fn of_frame(character: &'a Character, frame: &'a Frame) -> Vec<Self> {
        let of_part = |(part, posed): (&'a Part, &'a PartFrame)| Self {
            mesh: &part.mesh,
            points: posed.points(),
            vertex_normals: posed.normals(),
            materials: PartMaterials { runs: &part.materials, materials: &character.materials },
        };
        character.parts.iter().zip(frame.parts()).map(of_part).collect()
    }

    /// The positions of the render vertices.
    pub(crate) fn vertex_positions(&self) -> Vec<Vec3> {
        let mut positions = vec![Vec3::ZERO; self.mesh.num_vertices()];
        self.mesh.spread_to_vertices(self.points, &mut positions);
        positions
    }
}

/// Lengths fit and everything is finite: a NaN in a file crashes other people's readers.
pub(crate) fn validate(parts: &[PosedPart<'_>]) -> Result<(), WriteError> {
    for part in parts {
        let place = || format!("mesh '{}'", part.mesh.name());
        let expected = part.mesh.points().len();
        if part.points.len() != expected {
            let what = format!("{} points for a mesh with {expected}", part.points.len());
            return Err(WriteError::unwritable(place(), what));
        }
        let num_normals = part.vertex_normals.len();
        if num_normals != 0 && num_normals != part.mesh.num_vertices() {
            let what =
                format!("{num_normals} normals for {} render vertices", part.mesh.num_vertices());
            return Err(WriteError::unwritable(place(), what));
        }
        if let Some(point) = part.points.iter().position(|p| !p.is_finite()) {
            return Err(WriteError::NotFinite { place: place(), point });
        }
    }
    Ok(())
}
