//! A character: meshes around one skeleton, with weights, shapes and clips.

use std::sync::Arc;

use crate::carried::Carried;
use crate::material::{Material, MaterialRun};
use crate::mesh::{Aabb, Mesh};
use crate::motion::Clip;
use crate::shape::BlendShape;
use crate::skeleton::Skeleton;
use crate::weights::SkinWeights;

/// One mesh of a character with what is bound to its points.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The surface, in model space at rest.
    pub mesh: Mesh,
    /// Who moves it; `None` for a mesh that no joint moves.
    pub weights: Option<SkinWeights>,
    /// Its blend shapes.
    pub shapes: Vec<BlendShape>,
    /// What its triangles look like, in their order; those of no run have no material.
    pub materials: Vec<MaterialRun>,
}

/// Meshes around a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Character {
    /// What the file or the sample calls it.
    pub name: String,
    /// In the file's order.
    pub parts: Vec<Part>,
    /// Empty for a mesh without one.
    pub skeleton: Skeleton,
    /// In the file's order.
    pub clips: Vec<Clip>,
    /// What the parts' runs name.
    pub materials: Vec<Material>,
    /// What its file says beyond all this; a writer of that format keeps it.
    pub carried: Option<Arc<Carried>>,
}

impl Character {
    /// Welded points over all meshes.
    pub fn num_points(&self) -> usize {
        self.parts.iter().map(|part| part.mesh.points().len()).sum()
    }

    /// Triangles over all meshes.
    pub fn num_triangles(&self) -> usize {
        self.parts.iter().map(|part| part.mesh.triangles().len()).sum()
    }

    /// The box around all meshes at rest; empty where there is no point.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.parts.iter().flat_map(|part| part.mesh.points().iter().copied()))
    }

    /// The clip of that name.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|clip| clip.name == name)
    }
}
