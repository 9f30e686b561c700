//! A character: meshes around one skeleton, with weights, shapes and clips.

use std::sync::Arc;

use glam::Vec3;

use crate::carried::Carried;
use crate::driver::Drivers;
use crate::material::{Material, MaterialRun};
use crate::mesh::{Aabb, Mesh};
use crate::motion::Clip;
use crate::shape::BlendShape;
use crate::skeleton::Skeleton;
use crate::weights::{Influence, SkinWeights};

/// A joint with at least this weight is who moves a point.
const MAIN_WEIGHT: f32 = 0.4;

/// Of every bone that much is shown.
const LEAST_SHARE: f32 = 0.15;

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
    /// Which joints and shapes follow others.
    pub drivers: Drivers,
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

    /// For each joint: true if it, or one below it, moves a point of a mesh. The others are
    /// helpers: controls, pole targets, ends of chains. Where no mesh has weights there are none.
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

    /// For each bone: how much of its length is worth showing. All of it where it ends at another
    /// joint; of an end, where a file says no length, as much as there is skin that it moves.
    pub fn bone_shares(&self) -> Vec<f32> {
        let skeleton = &self.skeleton;
        let is_end = |joint: &u32| skeleton.next_joint(*joint).is_none();
        let mut shares: Vec<f32> =
            (0..skeleton.len() as u32).map(|j| if is_end(&j) { 0.0 } else { 1.0 }).collect();
        for part in &self.parts {
            let Some(weights) = &part.weights else { continue };
            for (point, row) in part.mesh.points().iter().zip(weights.rows()) {
                let mainly =
                    |i: &&Influence| i.weight >= MAIN_WEIGHT && shares[i.joint as usize] < 1.0;
                let Some(influence) = row.iter().find(mainly) else { continue };
                let [head, tail] = skeleton.bind_bone(influence.joint);
                let along = tail - head;
                let share = (point.as_dvec3() - head).dot(along) / along.length_squared();
                let known = &mut shares[influence.joint as usize];
                *known = known.max(share.min(1.0) as f32);
            }
        }
        shares.iter_mut().for_each(|share| *share = share.max(LEAST_SHARE));
        shares
    }

    /// A name that no joint has: `wanted`, or with a number.
    pub fn free_joint_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.skeleton.find(name).is_some())
    }

    /// The clip of that name.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|clip| clip.name == name)
    }
}

/// `wanted`, or the first of `wanted_2`, `wanted_3`, … that is not taken.
pub(crate) fn free_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2u64..).map(|number| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}
