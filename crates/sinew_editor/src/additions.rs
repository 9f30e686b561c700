//! What was added to a character since it was read, as projects write it: joints and shapes after
//! those of the file, rows of weights that are others, and all drivers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::driver::{Control, DriverPlan, Drivers};
use sinew::glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::shape::{BlendShape, Deltas};
use sinew::skeleton::{Joint, JointTransform};
use sinew::weights::SkinWeights;

use crate::driver_text::{DriverText, resolve, text_of};
use crate::edit::{EditError, MovedPoint};
use crate::name_ref::MeshRef;

/// A point and its weights, by the joints' numbers.
type Row = (u32, Vec<(u32, f32)>);

/// What a character has beyond its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
pub(crate) struct Additions {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<AddedJoint>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    weights: BTreeMap<MeshRef, Vec<Row>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    shapes: BTreeMap<MeshRef, Vec<AddedShape>>,
    /// Left out where they are the file's.
    #[serde(skip_serializing_if = "Option::is_none")]
    drivers: Option<DriversText>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddedJoint {
    name: String,
    /// By number: it may be one of the added ones.
    parent: Option<u32>,
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
    tail: DVec3,
    joint_from_model: DAffine3,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddedShape {
    name: String,
    #[serde(default)]
    rest_weight: f32,
    moved: Vec<MovedPoint>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct DriversText {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    controls: Vec<Control>,
    list: Vec<DriverText>,
}

impl Additions {
    /// What `character` has and `base` has not; `None` if that is nothing.
    pub(crate) fn between(base: &Character, character: &Character) -> Option<Self> {
        let mut found = Self::default();
        let skeleton = &character.skeleton;
        let added = skeleton.joints().iter().zip(skeleton.joint_from_model());
        found.joints = added.skip(base.skeleton.len()).map(AddedJoint::of).collect();
        for (part, (before, after)) in base.parts.iter().zip(&character.parts).enumerate() {
            let mesh = || MeshRef::of(character, part);
            let row_of = |(point, row): (u32, &[sinew::weights::Influence])| -> Row {
                (point, row.iter().map(|i| (i.joint, i.weight)).collect())
            };
            if let (None, Some(after)) = (&before.weights, &after.weights) {
                found.weights.insert(mesh(), (0u32..).zip(after.rows()).map(row_of).collect());
            }
            if let (Some(before), Some(after)) = (&before.weights, &after.weights)
                && before != after
            {
                let pairs = (0u32..).zip(before.rows().zip(after.rows()));
                let changed = pairs.filter(|(_, (before, after))| before != after);
                let rows = changed.map(|(point, (_, row))| row_of((point, row)));
                found.weights.insert(mesh(), rows.collect());
            }
            let shapes: Vec<AddedShape> =
                after.shapes.iter().skip(before.shapes.len()).map(AddedShape::of).collect();
            if !shapes.is_empty() {
                found.shapes.insert(mesh(), shapes);
            }
        }
        if base.drivers != character.drivers {
            let list = character.drivers.list.iter().map(|driver| text_of(driver, character));
            let controls = character.drivers.controls.clone();
            found.drivers = Some(DriversText { controls, list: list.collect() });
        }
        (found != Self::default()).then_some(found)
    }

    /// Adds it to a character as its file has it.
    pub(crate) fn add_to(&self, base: &Character) -> Result<Character, EditError> {
        let fault = |what: &str, fault: String| EditError::value(format!("added {what}"), fault);
        let mut out = base.clone();
        let joints = self.joints.iter().map(AddedJoint::joint);
        if !self.joints.is_empty() {
            out.skeleton = base
                .skeleton
                .with_more(joints)
                .map_err(|error| fault("joints", error.to_string()))?;
        }
        let num_joints = out.skeleton.len();
        for (mesh, rows) in &self.weights {
            let part = mesh.resolve(&out).map_err(EditError::Unknown)?;
            let rows: BTreeMap<u32, &Vec<(u32, f32)>> =
                rows.iter().map(|(point, row)| (*point, row)).collect();
            let num_points = out.parts[part].mesh.points().len();
            // A mesh that had none was bound: all of its points are there.
            let bound = SkinWeights::rigid(&vec![0; num_points]);
            let weights = match &out.parts[part].weights {
                Some(weights) => weights,
                None if rows.len() == num_points => &bound,
                None => {
                    let words = format!("mesh '{}' has none, and some points get none", mesh.0);
                    return Err(fault("weights", words));
                }
            };
            let past = rows.keys().next_back().filter(|last| **last as usize >= num_points);
            if let Some(point) = past {
                return Err(fault("weights", format!("mesh '{}' has no point {point}", mesh.0)));
            }
            let row_at = |point: usize| match rows.get(&(point as u32)) {
                Some(row) => row.to_vec(),
                None => weights.row(point).iter().map(|i| (i.joint, i.weight)).collect(),
            };
            let exact = SkinWeights::from_exact_rows((0..num_points).map(row_at), num_joints);
            if let Some(exact) = exact {
                out.parts[part].weights = Some(exact);
                continue;
            }
            let (changed, report) = SkinWeights::from_rows_at(num_points, row_at, num_joints);
            if report.joint_out_of_range > 0 || report.not_finite > 0 {
                return Err(fault("weights", format!("mesh '{}': no such joints", mesh.0)));
            }
            out.parts[part].weights = Some(changed);
        }
        for (mesh, shapes) in &self.shapes {
            let part = mesh.resolve(&out).map_err(EditError::Unknown)?;
            for shape in shapes {
                let moved: Vec<(u32, Vec3)> = (shape.moved.iter())
                    .map(|&(point, x, y, z)| (point, Vec3::new(x, y, z)))
                    .collect();
                let new = sinew::rigging::NewShape { part, name: &shape.name, moved: &moved };
                let (with, index) = sinew::rigging::add_shape(&out, &new)
                    .map_err(|error| fault("shapes", error.to_string()))?;
                out = with;
                out.parts[part].shapes[index.shape as usize].rest_weight = shape.rest_weight;
            }
        }
        if let Some(text) = &self.drivers {
            let list = text.list.iter().map(|driver| resolve(driver, &out));
            let list = list.collect::<Result<_, _>>()?;
            out.drivers = Drivers { controls: text.controls.clone(), list };
        }
        DriverPlan::new(&out).map_err(|error| fault("drivers", error.to_string()))?;
        Ok(out)
    }
}

impl AddedJoint {
    fn of((joint, joint_from_model): (&Joint, &DAffine3)) -> Self {
        let JointTransform { translation, rotation, scale } = joint.rest;
        Self {
            name: joint.name.clone(),
            parent: joint.parent,
            translation,
            rotation,
            scale,
            tail: joint.tail_in_joint,
            joint_from_model: *joint_from_model,
        }
    }

    fn joint(&self) -> (Joint, DAffine3) {
        let Self { translation, rotation, scale, .. } = *self;
        let joint = Joint {
            name: self.name.clone(),
            parent: self.parent,
            rest: JointTransform { translation, rotation, scale },
            tail_in_joint: self.tail,
        };
        (joint, self.joint_from_model)
    }
}

impl AddedShape {
    fn of(shape: &BlendShape) -> Self {
        let deltas: &Deltas = &shape.deltas;
        let moved = deltas.moved().filter(|(_, delta)| *delta != Vec3::ZERO);
        Self {
            name: shape.name.clone(),
            rest_weight: shape.rest_weight,
            moved: moved.map(|(point, delta)| (point, delta.x, delta.y, delta.z)).collect(),
        }
    }
}
