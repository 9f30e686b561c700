//! Edits of what a character is made of beyond its file: joints, shapes and weights that are added
//! to it, and what drives them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::driver::{Control, DriverPlan, ShapeIndex};
use sinew::glam::Vec3;
use sinew::motion::Address;
use sinew::progress::Silent;
use sinew::rigging::{self, Combine, Corrective, NewShape, RiggingError};

use super::EditError;
use crate::document::Document;
use crate::driver_text::DriverText;
use crate::motions::Entry;
use crate::name_ref::{JointRef, MeshRef, ShapeRef};

/// A point and how far it moves: `[point, x, y, z]`.
pub type MovedPoint = (u32, f32, f32, f32);

/// A change of joints, shapes, weights and drivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RiggingEdit {
    /// Adds twist joints along a joint's limb, and splits its weights among them.
    AddTwistJoints {
        /// Whose limb.
        joint: JointRef,
        /// How many, 2 to 16.
        #[serde(default = "five")]
        count: usize,
    },
    /// Adds a helper that turns half as far as a joint, and moves weights to it.
    AddHalfWay {
        /// At which joint.
        joint: JointRef,
    },
    /// Adds a shape that comes with this pose.
    AddCorrective {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// What it is called.
        name: String,
        /// Whose turns say when it is there.
        joints: Vec<JointRef>,
        /// How far points move in the pose, from where linear blending has them. Left out, as
        /// springs move them: for scripts, which have the time; the studio finds it out beforehand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moved: Option<Vec<MovedPoint>>,
    },
    /// Moves points in this pose by changing a shape that is at work in it.
    SculptShape {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// Which of its shapes.
        shape: ShapeRef,
        /// How far points move in the pose.
        moved: Vec<MovedPoint>,
    },
    /// Adds a shape.
    AddShape {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// What it is called.
        name: String,
        /// How far points move at rest.
        moved: Vec<MovedPoint>,
    },
    /// Adds what a shape is at a weight between its ends.
    AddInBetween {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// Of which of its shapes.
        shape: ShapeRef,
        /// At which weight; neither 0 nor 1.
        weight: f64,
        /// What it is called.
        name: String,
        /// How far points have moved there, from rest.
        moved: Vec<MovedPoint>,
    },
    /// Adds a shape that is there as far as all of several others are.
    AddCombination {
        /// The mesh that this is about.
        mesh: MeshRef,
        /// What it is called.
        name: String,
        /// The shapes that it combines.
        of: Vec<ShapeRef>,
        /// Their product, or the smallest.
        by: Combine,
        /// How far points move at rest.
        moved: Vec<MovedPoint>,
    },
    /// Adds a driver, in place of one of its name.
    SetDriver {
        /// The whole driver.
        driver: Box<DriverText>,
    },
    /// Lets a driver act, or not.
    MuteDriver {
        /// Its name.
        name: String,
        /// Whether it does nothing.
        muted: bool,
    },
    /// Takes a driver away; what it drove is the pose's again.
    RemoveDriver {
        /// Its name.
        name: String,
    },
    /// Adds a named control, in place of one of its name.
    AddControl {
        /// Name, rest and range.
        control: Control,
    },
    /// Takes a control away.
    RemoveControl {
        /// Its name.
        name: String,
    },
    /// Sets controls.
    SetControls {
        /// By name.
        values: BTreeMap<String, f64>,
    },
}

/// Steps of 45° in half a turn: a limb stays nine tenths as thick.
fn five() -> usize {
    5
}

impl RiggingEdit {
    pub(super) const TAGS: &[&str] = &[
        "add-twist-joints",
        "add-half-way",
        "add-corrective",
        "sculpt-shape",
        "add-shape",
        "add-in-between",
        "add-combination",
        "set-driver",
        "mute-driver",
        "remove-driver",
        "add-control",
        "remove-control",
        "set-controls",
    ];

    /// One control's value.
    pub fn set_control(name: &str, value: f64) -> Self {
        Self::SetControls { values: BTreeMap::from([(name.to_owned(), value)]) }
    }

    /// True if it is about the pose that is shown.
    pub(crate) fn starts_from_pose(&self) -> bool {
        matches!(self, Self::AddCorrective { .. } | Self::SculptShape { .. })
    }

    pub(super) fn label(&self) -> String {
        match self {
            Self::AddTwistJoints { joint, count } => format!("{count} twist joints on {}", joint.0),
            Self::AddHalfWay { joint } => format!("Half-way helper at {}", joint.0),
            Self::AddCorrective { name, .. } => format!("Corrective {name}"),
            Self::SculptShape { shape, .. } => format!("Sculpt {}", shape.0),
            Self::AddShape { name, .. } => format!("Add shape {name}"),
            Self::AddInBetween { shape, weight, .. } => {
                format!("In-between of {} at {weight}", shape.0)
            }
            Self::AddCombination { name, .. } => format!("Combination {name}"),
            Self::SetDriver { driver } => format!("Driver {}", driver.name),
            Self::MuteDriver { name, muted: true } => format!("Mute driver {name}"),
            Self::MuteDriver { name, muted: false } => format!("Let driver {name} act"),
            Self::RemoveDriver { name } => format!("Remove driver {name}"),
            Self::AddControl { control } => format!("Control {}", control.name),
            Self::RemoveControl { name } => format!("Remove control {name}"),
            Self::SetControls { values } => match (values.keys().next(), values.len()) {
                (Some(name), 1) => format!("Set {name}"),
                (_, number) => format!("Set {number} controls"),
            },
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::AddCorrective { moved, .. } => {
                moved.as_ref().map_or(0, |moved| size_of_val(&moved[..]))
            }
            Self::AddShape { moved, .. }
            | Self::SculptShape { moved, .. }
            | Self::AddInBetween { moved, .. }
            | Self::AddCombination { moved, .. } => size_of_val(&moved[..]),
            Self::SetControls { values } => {
                values.keys().map(|name| name.len() + size_of::<(String, f64)>()).sum()
            }
            Self::SetDriver { driver } => size_of_val(&**driver),
            Self::AddTwistJoints { .. }
            | Self::AddHalfWay { .. }
            | Self::MuteDriver { .. }
            | Self::RemoveDriver { .. }
            | Self::AddControl { .. }
            | Self::RemoveControl { .. } => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        let character = &document.character;
        let fault = |error: RiggingError| EditError::value("rigging", error.to_string());
        let joint =
            |joint: &JointRef| joint.resolve(&character.skeleton).map_err(EditError::Unknown);
        let mesh = |mesh: &MeshRef| mesh.resolve(character).map_err(EditError::Unknown);
        let changed = match self {
            Self::AddTwistJoints { joint: of, count } => {
                rigging::add_twist_joints(character, joint(of)?, *count).map_err(fault)?
            }
            Self::AddHalfWay { joint: at } => {
                rigging::add_half_way(character, joint(at)?).map_err(fault)?
            }
            Self::AddCorrective { mesh: of, name, joints, moved } => {
                if joints.is_empty() {
                    let words = "no joint says when it is there; name one";
                    return Err(EditError::value(format!("corrective '{name}'"), words));
                }
                let joints = joints.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
                let (part, controls) = (mesh(of)?, document.controls());
                let moved = match moved {
                    Some(moved) => displacements(moved),
                    None => by_springs(document, part)?,
                };
                let shape = NewShape { part, name, moved: &moved };
                let new = Corrective { shape, joints: &joints };
                rigging::add_corrective(character, &controls, &new).map_err(fault)?
            }
            Self::SculptShape { mesh: of, shape, moved } => {
                let part = mesh(of)?;
                let shape = shape_of(character, part, shape)?;
                let (controls, moved) = (document.controls(), displacements(moved));
                rigging::sculpt_shape(character, &controls, shape, &moved).map_err(fault)?
            }
            Self::AddShape { mesh: of, name, moved } => {
                let moved = displacements(moved);
                let new = NewShape { part: mesh(of)?, name, moved: &moved };
                rigging::add_shape(character, &new).map_err(fault)?.0
            }
            Self::AddInBetween { mesh: of, shape, weight, name, moved } => {
                let (part, moved) = (mesh(of)?, displacements(moved));
                let of = shape_of(character, part, shape)?;
                let new = NewShape { part, name, moved: &moved };
                rigging::add_in_between(character, of, *weight, &new).map_err(fault)?
            }
            Self::AddCombination { mesh: of_mesh, name, of, by, moved } => {
                let (part, moved) = (mesh(of_mesh)?, displacements(moved));
                let of = of.iter().map(|shape| shape_of(character, part, shape));
                let of = of.collect::<Result<Vec<_>, _>>()?;
                let new = NewShape { part, name, moved: &moved };
                rigging::add_combination(character, &of, *by, &new).map_err(fault)?
            }
            Self::SetDriver { driver } => {
                let driver = crate::driver_text::resolve(driver, character)?;
                let mut changed = Character::clone(character);
                match character.drivers.driver(&driver.name) {
                    Some(at) => changed.drivers.list[at] = driver,
                    None => changed.drivers.list.push(driver),
                }
                changed
            }
            Self::MuteDriver { name, muted } => {
                let at = known_driver(character, name)?;
                let mut changed = Character::clone(character);
                changed.drivers.list[at].muted = *muted;
                changed
            }
            Self::RemoveDriver { name } => {
                let at = known_driver(character, name)?;
                let mut changed = Character::clone(character);
                changed.drivers.list.remove(at);
                changed
            }
            Self::AddControl { control } => {
                let mut changed = Character::clone(character);
                match character.drivers.control(&control.name) {
                    Some(at) => changed.drivers.controls[at] = control.clone(),
                    None => changed.drivers.controls.push(control.clone()),
                }
                changed
            }
            Self::RemoveControl { name } => {
                let at = known_control(character, name)?;
                if moves_controls(document) {
                    let words = "a motion moves controls; delete those channels first";
                    return Err(EditError::value(format!("control '{name}'"), words));
                }
                let mut changed = Character::clone(character);
                changed.drivers.controls.remove(at);
                let mut values = Vec::clone(&document.values);
                values.remove(at);
                check_drivers(&changed)?;
                document.values = values.into();
                document.put_character(changed);
                return Ok(());
            }
            Self::SetControls { values: wanted } => {
                let mut values = Vec::clone(&document.values);
                for (name, &value) in wanted {
                    let at = known_control(character, name)?;
                    let [least, most] = character.drivers.controls[at].range;
                    if !(least..=most).contains(&value) {
                        let words = format!("{value}; it must be from {least} to {most}");
                        return Err(EditError::value(format!("control '{name}'"), words));
                    }
                    values[at] = value;
                }
                if values != **document.values() {
                    document.values = values.into();
                }
                return Ok(());
            }
        };
        check_drivers(&changed)?;
        super::layers::check_unlayered(document, &changed)?;
        if changed != **character {
            document.put_character(changed);
        }
        Ok(())
    }
}

fn check_drivers(character: &Character) -> Result<(), EditError> {
    let plan = DriverPlan::new(character);
    plan.map(|_| ()).map_err(|error| EditError::value("drivers", error.to_string()))
}

fn by_springs(document: &Document, part: usize) -> Result<Vec<(u32, Vec3)>, EditError> {
    let (character, controls) = (document.character(), document.controls());
    let found = rigging::moved_by_springs(character, document.rig(), &controls, &Silent);
    let mut found = found.map_err(|error| EditError::value("springs", error.to_string()))?;
    Ok(std::mem::take(&mut found[part]))
}

fn displacements(moved: &[MovedPoint]) -> Vec<(u32, Vec3)> {
    moved.iter().map(|&(point, x, y, z)| (point, Vec3::new(x, y, z))).collect()
}

fn shape_of(character: &Character, part: usize, shape: &ShapeRef) -> Result<ShapeIndex, EditError> {
    let found = shape.resolve(&character.parts[part]).map_err(EditError::Unknown)?;
    Ok(ShapeIndex { part: part as u32, shape: found as u32 })
}

fn known_driver(character: &Character, name: &str) -> Result<usize, EditError> {
    let all = character.drivers.list.iter().map(|driver| driver.name.as_str());
    let unknown = || EditError::Unknown(crate::names::unknown("driver", name, all));
    character.drivers.driver(name).ok_or_else(unknown)
}

fn known_control(character: &Character, name: &str) -> Result<usize, EditError> {
    let all = character.drivers.controls.iter().map(|control| control.name.as_str());
    let unknown = || EditError::Unknown(crate::names::unknown("control", name, all));
    character.drivers.control(name).ok_or_else(unknown)
}

fn moves_controls(document: &Document) -> bool {
    let of_file = document.character.clips.iter().any(|clip| !clip.control_tracks.is_empty());
    let of_own = document.motions.entries.iter().any(|entry| match entry {
        Entry::Own(motion) => (motion.layers.iter().flat_map(|layer| layer.channels()))
            .any(|channel| matches!(channel.address(), Address::Control(_))),
        Entry::OfFile(_) => false,
    });
    of_file || of_own
}

/// What is wrong with the drivers of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    let drivers = &document.character.drivers;
    if document.values.len() != drivers.controls.len() {
        return Some(format!("{} values of controls", document.values.len()));
    }
    if document.values.iter().any(|value| !value.is_finite()) {
        return Some("a control that is not finite".into());
    }
    DriverPlan::new(&document.character).err().map(|error| error.to_string())
}
