//! Edits of the weights of shapes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::EditError;
use crate::document::Document;
use crate::name_ref::{MeshRef, ShapeRef};
use crate::shapes::Shapes;

/// A change of shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeEdit {
    /// Gives shapes weights; the others stay.
    SetShapes {
        /// By mesh, then by shape: any finite number.
        weights: BTreeMap<MeshRef, BTreeMap<ShapeRef, f32>>,
    },
    /// Gives shapes the weights of the file.
    ResetShapes {
        /// Of which meshes; of all if none is named.
        #[serde(default)]
        meshes: Vec<MeshRef>,
    },
}

impl ShapeEdit {
    pub(super) const TAGS: &[&str] = &["set-shapes", "reset-shapes"];

    /// One shape's weight.
    pub fn set(document: &Document, part: usize, shape: usize, weight: f32) -> Self {
        let character = document.character();
        let of_mesh = BTreeMap::from([(ShapeRef::of(&character.parts[part], shape), weight)]);
        Self::SetShapes { weights: BTreeMap::from([(MeshRef::of(character, part), of_mesh)]) }
    }

    /// Every weight that differs between two lists of them, as in the second.
    pub(crate) fn between(document: &Document, from: &Shapes, to: &Shapes) -> Option<Self> {
        let weights = to.differing_from(from, document.character());
        (!weights.is_empty()).then_some(Self::SetShapes { weights })
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::SetShapes { weights } => {
                let mut shapes = weights.values().flat_map(BTreeMap::keys);
                match (shapes.next(), shapes.count()) {
                    (Some(shape), 0) => format!("Shape {}", shape.0),
                    (Some(_), more) => format!("{} shapes", more + 1),
                    (None, _) => "No shapes".into(),
                }
            }
            Self::ResetShapes { meshes } if meshes.len() == 1 => {
                format!("Reset shapes of {}", meshes[0].0)
            }
            Self::ResetShapes { .. } => "Reset shapes".into(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::SetShapes { weights } => (weights.values().flat_map(BTreeMap::keys))
                .map(|shape| shape.0.len() + size_of::<(ShapeRef, f32)>())
                .sum(),
            Self::ResetShapes { .. } => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        let mut shapes = Shapes::clone(&document.shapes);
        let character = &document.character;
        match self {
            Self::SetShapes { weights } => {
                shapes.set(character, weights)?;
            }
            Self::ResetShapes { meshes } => {
                let rest = Shapes::rest(character);
                let mut named = Vec::with_capacity(meshes.len());
                for mesh in meshes {
                    named.push(mesh.resolve(character).map_err(EditError::Unknown)?);
                }
                for part in 0..character.parts.len() {
                    if meshes.is_empty() || named.contains(&part) {
                        shapes.weights[part].clone_from(&rest.weights[part]);
                    }
                }
            }
        }
        if shapes != *document.shapes {
            document.shapes = Arc::new(shapes);
        }
        Ok(())
    }
}

/// What is wrong with the shapes of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    let parts = &document.character.parts;
    if document.shapes.weights.len() != parts.len() {
        return Some(format!("{} lists of shape weights", document.shapes.weights.len()));
    }
    for (part, weights) in parts.iter().zip(&document.shapes.weights) {
        let name = part.mesh.name();
        if weights.len() != part.shapes.len() {
            return Some(format!("mesh '{name}': {} shape weights", weights.len()));
        }
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Some(format!("mesh '{name}': a shape weight that is not finite"));
        }
    }
    None
}
