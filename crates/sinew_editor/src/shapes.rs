//! The weights of a document's shapes: what its rest looks like.

use std::collections::BTreeMap;

use sinew::Character;

use crate::edit::EditError;
use crate::name_ref::{MeshRef, ShapeRef};

/// Weights by mesh and shape, as files and edits have them.
pub(crate) type ShapeRecord = BTreeMap<MeshRef, BTreeMap<ShapeRef, f32>>;

/// One list a mesh, one number a shape. Any finite one: shapes are mixed past their ends, and
/// against their way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shapes {
    pub(crate) weights: Vec<Vec<f32>>,
}

impl Shapes {
    /// As the file has them.
    pub fn rest(character: &Character) -> Self {
        Self { weights: character.parts.iter().map(sinew::Part::rest_shape_weights).collect() }
    }

    /// One list a mesh.
    pub fn weights(&self) -> &[Vec<f32>] {
        &self.weights
    }

    /// Sets what a record names; on a fault some may be set already.
    pub(crate) fn set(
        &mut self,
        character: &Character,
        record: &ShapeRecord,
    ) -> Result<(), EditError> {
        for (mesh, of_mesh) in record {
            let part = mesh.resolve(character).map_err(EditError::Unknown)?;
            for (shape, &weight) in of_mesh {
                let index = shape.resolve(&character.parts[part]).map_err(EditError::Unknown)?;
                if !weight.is_finite() {
                    let what = format!("shape '{}' of mesh '{}'", shape.0, mesh.0);
                    let fault = format!("a weight of {weight}; it must be a finite number");
                    return Err(EditError::value(what, fault));
                }
                self.weights[part][index] = weight;
            }
        }
        Ok(())
    }

    /// What is not as in `other`.
    pub(crate) fn differing_from(&self, other: &Self, character: &Character) -> ShapeRecord {
        let mut record = ShapeRecord::new();
        for (index, part) in character.parts.iter().enumerate() {
            let (own, others) = (&self.weights[index], &other.weights[index]);
            let differs = |shape: &usize| own[*shape].to_bits() != others[*shape].to_bits();
            let of_mesh: BTreeMap<ShapeRef, f32> = (0..own.len())
                .filter(differs)
                .map(|shape| (ShapeRef::of(part, shape), own[shape]))
                .collect();
            if !of_mesh.is_empty() {
                record.insert(MeshRef::of(character, index), of_mesh);
            }
        }
        record
    }

    pub(crate) fn bytes(&self) -> usize {
        self.weights.iter().map(|list| size_of_val(&**list) + size_of::<Vec<f32>>()).sum()
    }
}
