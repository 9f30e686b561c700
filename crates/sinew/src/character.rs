//! A character: meshes around one skeleton, with weights, shapes and clips.

use std::sync::Arc;

use glam::Vec3;

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
    /// Which way it faces, of unit length along the ground, where its file says so (VRM does);
    /// [`crate::facing::facing`] finds it out for every character.
    pub forward: Option<Vec3>,
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

    /// For each joint: true if it, or one below it, moves a point of a mesh. The others are helpers:
    /// controls, pole targets, ends of chains. Where no mesh has weights there are none.
    pub fn joints_that_move_skin(&self) -> Vec<bool> {
        let joints = self.skeleton.joints();
        let mut moves = vec![false; joints.len()];
        let mut has_weights = false;
        for weights in self.parts.iter().filter_map(|part| part.weights.as_ref()) {
            has_weights = true;
            for influence in weights.rows().flatten() {
                moves[influence.joint as usize] = true;
            }
        }
        if !has_weights {
            return vec![true; joints.len()];
        }
        // Parents come before their children.
        for (index, joint) in joints.iter().enumerate().rev() {
            if let (true, Some(parent)) = (moves[index], joint.parent) {
                moves[parent as usize] = true;
            }
        }
        moves
    }

    /// The clip of that name.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|clip| clip.name == name)
    }
}
