//! How edits and files name joints, meshes and shapes: by name, or by `#12` where two have the same
//! one.

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::skeleton::Skeleton;

use crate::document::Document;
use crate::names;

/// A joint's name, or `#` and its place in the skeleton.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JointRef(pub String);

/// A mesh's name, or `#` and its place in the character.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MeshRef(pub String);

/// A shape's name, or `#` and its place in its mesh.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShapeRef(pub String);

/// A motion's name, or `#` and its place in the document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MotionRef(pub String);

impl JointRef {
    /// The name where only this joint has it, else its number.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn of(skeleton: &Skeleton, joint: u32) -> Self {
        Self(name_of(&joint_names(skeleton), joint as usize))
    }

    /// The joint; else what is wrong, with the nearest names.
    pub fn resolve(&self, skeleton: &Skeleton) -> Result<u32, String> {
        resolve("joint", "joints", &self.0, &joint_names(skeleton)).map(|joint| joint as u32)
    }
}

impl MeshRef {
    /// The name where only this mesh has it, else its number.
    ///
    /// # Panics
    /// If there is no such mesh.
    pub fn of(character: &Character, part: usize) -> Self {
        Self(name_of(&mesh_names(character), part))
    }

    /// The mesh; else what is wrong, with the nearest names.
    pub fn resolve(&self, character: &Character) -> Result<usize, String> {
        resolve("mesh", "meshes", &self.0, &mesh_names(character))
    }
}

impl MotionRef {
    /// The name where only this motion has it, else its number.
    ///
    /// # Panics
    /// If there is no such motion.
    pub fn of(document: &Document, motion: usize) -> Self {
        Self(name_of(&motion_names(document), motion))
    }

    /// The motion; else what is wrong, with the nearest names.
    pub fn resolve(&self, document: &Document) -> Result<usize, String> {
        resolve("motion", "motions", &self.0, &motion_names(document))
    }
}

impl ShapeRef {
    /// The name where only this shape of the mesh has it, else its number.
    ///
    /// # Panics
    /// If there is no such shape.
    pub fn of(part: &sinew::Part, shape: usize) -> Self {
        Self(name_of(&shape_names(part), shape))
    }

    /// The shape; else what is wrong, with the nearest names.
    pub fn resolve(&self, part: &sinew::Part) -> Result<usize, String> {
        resolve("shape", "shapes", &self.0, &shape_names(part))
            .map_err(|fault| format!("mesh '{}': {fault}", part.mesh.name()))
    }
}

fn joint_names(skeleton: &Skeleton) -> Vec<&str> {
    skeleton.joints().iter().map(|joint| joint.name.as_str()).collect()
}

fn mesh_names(character: &Character) -> Vec<&str> {
    character.parts.iter().map(|part| part.mesh.name()).collect()
}

fn motion_names(document: &Document) -> Vec<&str> {
    let motions = document.motions();
    (0..motions.len()).map(|at| motions.name(document.character(), at)).collect()
}

fn shape_names(part: &sinew::Part) -> Vec<&str> {
    part.shapes.iter().map(|shape| shape.name.as_str()).collect()
}

fn name_of(names: &[&str], index: usize) -> String {
    let name = names[index];
    let is_unique = names.iter().filter(|other| **other == name).count() == 1;
    if is_unique && !name.is_empty() && !name.starts_with('#') {
        return name.to_owned();
    }
    format!("#{index}")
}

fn resolve(kind: &str, plural: &str, wanted: &str, names: &[&str]) -> Result<usize, String> {
    if let Some(number) = wanted.strip_prefix('#') {
        let found = number.parse::<usize>().ok().filter(|&index| index < names.len());
        return found.ok_or_else(|| match names.len() {
            0 => format!("there is no {kind} '{wanted}': there are no {plural} at all"),
            n => format!("there is no {kind} '{wanted}'; numbers go from #0 to #{}", n - 1),
        });
    }
    let mut found = (0..names.len()).filter(|&index| names[index] == wanted);
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(index),
        (Some(first), Some(second)) => Err(format!(
            "several {plural} are called '{wanted}'; say which by number, as in '#{first}' or '#{second}'"
        )),
        (None, _) => Err(names::unknown(kind, wanted, names.iter().copied())),
    }
}

impl From<&str> for JointRef {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<&str> for MeshRef {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<&str> for MotionRef {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<&str> for ShapeRef {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}
