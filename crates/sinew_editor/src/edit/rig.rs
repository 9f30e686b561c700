//! Edits of how the skin is made: method, springs, and what single meshes and joints have of their
//! own.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::frame::{Normals, Rig, RigError};
use sinew::skin::SkinMethod;
use sinew::springs::{DynamicsSettings, SpringSettings};

use super::{Edit, EditError};
use crate::document::Document;
use crate::name_ref::{JointRef, MeshRef};
use crate::rig_text::{move_painted, springs_over_defaults};

/// A change of how the skin is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RigEdit {
    /// Chooses what moves the skin.
    SetMethod {
        /// The skinning method from now on.
        method: SkinMethod,
    },
    /// Sets springs, or removes them. A painted list in them goes to the meshes that have as many
    /// points.
    SetSprings {
        /// Over the defaults of their model.
        #[serde(default, deserialize_with = "springs_over_defaults")]
        springs: Option<SpringSettings>,
    },
    /// Says whether springs relax a mesh.
    SetRelaxing {
        /// The mesh that changes.
        mesh: MeshRef,
        /// `null` leaves it to the rule: what has weights does.
        relaxes: Option<bool>,
    },
    /// Says whether the shells of a mesh keep their shapes.
    SetRigid {
        /// The mesh that changes.
        mesh: MeshRef,
        /// One of its shells, by number; all of them without.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        piece: Option<u32>,
        /// `null` leaves it to the rule: those do whose weights are the same everywhere.
        rigid: Option<bool>,
    },
    /// Paints how stiff the springs of a mesh are.
    PaintStiffness {
        /// The mesh that changes.
        mesh: MeshRef,
        /// One a point; none for 1 everywhere.
        #[serde(default)]
        stiffness: Vec<f32>,
    },
    /// Says how springs swing while time passes.
    SetDynamics {
        /// The settings; what is left out has its default.
        dynamics: DynamicsSettings,
    },
    /// Says where normals come from.
    SetNormals {
        /// `auto`, `transformed`, `off`, `{"recomputed": {}}` or
        /// `{"recomputed": {"crease_degrees": 40}}`.
        normals: Normals,
    },
    /// Names the joints that no point holds on to.
    ExcludeJoints {
        /// All of them; none if empty.
        joints: Vec<JointRef>,
    },
    /// Says how far a joint's bends reach along the bones.
    SetInfluence {
        /// The joint whose influence changes.
        joint: JointRef,
        /// Times that of all; `null` for as all others.
        influence: Option<f32>,
    },
}

impl RigEdit {
    pub(super) const TAGS: &[&str] = &[
        "set-method",
        "set-springs",
        "set-relaxing",
        "set-rigid",
        "paint-stiffness",
        "set-dynamics",
        "set-normals",
        "exclude-joints",
        "set-influence",
    ];

    pub(super) fn label(&self) -> String {
        match self {
            Self::SetMethod { method } => format!("Skin with {}", method.name()),
            Self::SetSprings { springs: Some(springs) } => {
                format!("Springs: {}", springs.model.name())
            }
            Self::SetSprings { springs: None } => "Springs off".into(),
            Self::SetRelaxing { mesh, relaxes: Some(true) } => format!("Springs on {}", mesh.0),
            Self::SetRelaxing { mesh, relaxes: Some(false) } => format!("No springs on {}", mesh.0),
            Self::SetRelaxing { mesh, relaxes: None } => {
                format!("Springs by the rule on {}", mesh.0)
            }
            Self::SetRigid { mesh, piece, rigid } => {
                let what = piece.map_or(String::new(), |piece| format!(" #{piece}"));
                match rigid {
                    Some(true) => format!("Rigid: {}{what}", mesh.0),
                    Some(false) => format!("Soft: {}{what}", mesh.0),
                    None => format!("Rigid by the rule: {}{what}", mesh.0),
                }
            }
            Self::PaintStiffness { mesh, .. } => format!("Paint {}", mesh.0),
            Self::SetDynamics { .. } => "How springs swing".into(),
            Self::SetNormals { .. } => "Normals".into(),
            Self::ExcludeJoints { joints } => match joints.len() {
                0 => "Exclude no joints".into(),
                1 => format!("Exclude {}", joints[0].0),
                n => format!("Exclude {n} joints"),
            },
            Self::SetInfluence { joint, .. } => format!("Influence of {}", joint.0),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::SetSprings { springs: Some(springs) } => bytes_of_springs(springs),
            Self::PaintStiffness { stiffness, .. } => size_of_val(&**stiffness),
            _ => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        let character = &document.character;
        let mut rig = Rig::clone(&document.rig);
        match self {
            Self::SetMethod { method } => rig.method = *method,
            Self::SetSprings { springs } => {
                rig.springs.clone_from(springs);
                if let Some(dropped) = move_painted(&mut rig, character).into_iter().next() {
                    return Err(EditError::value("springs", dropped));
                }
            }
            Self::SetRelaxing { mesh, relaxes } => {
                rig.part_mut(resolve(mesh, character)?).relaxes = *relaxes;
            }
            Self::SetRigid { mesh, piece, rigid } => {
                let own = rig.part_mut(resolve(mesh, character)?);
                match *piece {
                    None => own.rigid = *rigid,
                    Some(piece) => own.choose_piece(piece, *rigid),
                }
            }
            Self::PaintStiffness { mesh, stiffness } => {
                let part = resolve(mesh, character)?;
                rig.part_mut(part).stiffness.clone_from(stiffness);
            }
            Self::SetDynamics { dynamics } => rig.dynamics = *dynamics,
            Self::SetNormals { normals } => rig.normals = *normals,
            Self::ExcludeJoints { joints } => {
                let mut excluded = Vec::with_capacity(joints.len());
                for joint in joints {
                    excluded.push(self::joint(joint, character)?);
                }
                excluded.sort_unstable();
                excluded.dedup();
                springs_of(&mut rig)?.attach.excluded_joints = excluded;
            }
            Self::SetInfluence { joint, influence } => {
                let joint = self::joint(joint, character)?;
                let of_joint = &mut springs_of(&mut rig)?.attach.influence_of_joint;
                of_joint.retain(|(known, _)| *known != joint);
                of_joint.extend(influence.map(|influence| (joint, influence)));
                of_joint.sort_unstable_by_key(|(joint, _)| *joint);
            }
        }
        trim(&mut rig);
        if let Some(fault) = fault(&rig, character) {
            return Err(EditError::value(self.what(), fault));
        }
        if rig != *document.rig {
            document.rig = Arc::new(rig);
        }
        Ok(())
    }

    /// Of what a fault is said.
    fn what(&self) -> &'static str {
        match self {
            Self::SetMethod { .. } => "method",
            Self::SetSprings { .. } | Self::ExcludeJoints { .. } | Self::SetInfluence { .. } => {
                "springs"
            }
            Self::SetRelaxing { .. } => "relaxes",
            Self::SetRigid { .. } => "rigid",
            Self::PaintStiffness { .. } => "stiffness",
            Self::SetDynamics { .. } => "dynamics",
            Self::SetNormals { .. } => "normals",
        }
    }
}

fn resolve(mesh: &MeshRef, character: &Character) -> Result<usize, EditError> {
    mesh.resolve(character).map_err(EditError::Unknown)
}

fn joint(joint: &JointRef, character: &Character) -> Result<u32, EditError> {
    joint.resolve(&character.skeleton).map_err(EditError::Unknown)
}

fn springs_of(rig: &mut Rig) -> Result<&mut SpringSettings, EditError> {
    let none = || EditError::value("springs", "this rig has no springs; use `set-springs` first");
    rig.springs.as_mut().ok_or_else(none)
}

/// Meshes at the end that have nothing of their own are left out: the same rig is the same text.
fn trim(rig: &mut Rig) {
    while rig.parts.last().is_some_and(|part| *part == sinew::frame::PartRig::default()) {
        rig.parts.pop();
    }
}

/// What does not fit the character.
fn fault(rig: &Rig, character: &Character) -> Option<String> {
    rig.check(character).err().as_ref().map(RigError::to_string)
}

/// What is wrong with the rig of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    fault(&document.rig, &document.character)
}

/// What a rig holds.
pub(crate) fn bytes_of_rig(rig: &Rig) -> usize {
    let painted: usize = rig.parts.iter().map(|part| size_of_val(&*part.stiffness)).sum();
    let parts = size_of_val(&*rig.parts);
    let cage = rig.cage.as_ref().map_or(0, |rig| super::cage::bytes_of_cage(&rig.cage));
    size_of::<Rig>() + cage + parts + painted + rig.springs.as_ref().map_or(0, bytes_of_springs)
}

fn bytes_of_springs(springs: &SpringSettings) -> usize {
    let (c, attach) = (&springs.coefficients, &springs.attach);
    size_of_val(&*c.of_point)
        + size_of_val(&*c.of_pair)
        + size_of_val(&*attach.influence_of_joint)
        + size_of_val(&*attach.excluded_joints)
}

/// An edit of an older Sinew, which took painted lists of any length: without those that fit no
/// mesh of this document.
pub(crate) fn without_lists_that_fit_nothing(edit: &Edit, document: &Document) -> Edit {
    let Edit::Rig(RigEdit::SetSprings { springs: Some(springs) }) = edit else {
        return edit.clone();
    };
    let mut rig = Rig::relaxed(springs.clone());
    if move_painted(&mut rig, document.character()).is_empty() {
        return edit.clone();
    }
    Edit::Rig(RigEdit::SetSprings { springs: rig.springs })
}
