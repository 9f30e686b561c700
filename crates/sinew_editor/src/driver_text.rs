//! Drivers as edits and projects write them: joints and shapes by name.

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::driver::{Driver, ShapeIndex};

use crate::edit::EditError;
use crate::name_ref::{JointRef, MeshRef, ShapeRef};

/// A shape, by the names of its mesh and itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapePath {
    /// Of which mesh.
    pub mesh: MeshRef,
    /// Which of its shapes.
    pub shape: ShapeRef,
}

/// A driver by names.
pub type DriverText = Driver<JointRef, ShapePath>;

/// How edits and projects write a driver.
///
/// # Panics
/// If it is not of this character.
pub fn text_of(driver: &Driver, character: &Character) -> DriverText {
    let joint = |joint: &u32| Ok(JointRef::of(&character.skeleton, *joint));
    let shape = |of: &ShapeIndex| {
        let part = of.part as usize;
        let shape = ShapeRef::of(&character.parts[part], of.shape as usize);
        Ok::<_, std::convert::Infallible>(ShapePath { mesh: MeshRef::of(character, part), shape })
    };
    match driver.try_map(joint, shape) {
        Ok(text) => text,
        Err(never) => match never {},
    }
}

/// The driver; else what it names that is not there.
pub(crate) fn resolve(text: &DriverText, character: &Character) -> Result<Driver, EditError> {
    let joint = |joint: &JointRef| joint.resolve(&character.skeleton).map_err(EditError::Unknown);
    let shape = |path: &ShapePath| {
        let part = path.mesh.resolve(character).map_err(EditError::Unknown)?;
        let shape = path.shape.resolve(&character.parts[part]).map_err(EditError::Unknown)?;
        Ok(ShapeIndex { part: part as u32, shape: shape as u32 })
    };
    text.try_map(joint, shape)
}
