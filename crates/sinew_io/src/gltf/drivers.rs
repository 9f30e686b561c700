//! Drivers in a document: `VRMC_node_constraint` on nodes, and all of them as Sinew has them in
//! `asset.extras.sinew_drivers`, which then count alone.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sinew::driver::{Control, Drive, Driver, DriverPlan, Drivers, ShapeIndex};
use sinew::glam::DVec3;
use sinew::motion::ControlTrack;
use sinew::{Character, Part};

use super::curve_text::CurveText;
use super::json::Root;
use super::skin::Rig;
use crate::Report;

/// As VRM has it.
pub(super) const EXTENSION: &str = "VRMC_node_constraint";
/// Where all drivers are: JSON as one string.
pub(super) const EXTRA: &str = "sinew_drivers";

/// A shape: the node of its mesh, and its place among the mesh's targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetRef {
    pub(super) node: usize,
    pub(super) target: u32,
}

/// All drivers, by nodes.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct DriversText {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) controls: Vec<Control>,
    pub(super) list: Vec<Driver<usize, TargetRef>>,
    /// How clips move controls, which glTF has no channel for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) control_tracks: Vec<ControlTrackText>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct ControlTrackText {
    pub(super) animation: String,
    pub(super) control: u32,
    #[serde(flatten)]
    pub(super) curve: CurveText<f64>,
}

impl ControlTrackText {
    pub(super) fn of(animation: &str, track: &ControlTrack) -> Self {
        let curve = CurveText::of(&track.values);
        Self { animation: animation.to_owned(), control: track.control, curve }
    }

    /// `None` for what is no curve.
    fn track(self) -> Option<ControlTrack> {
        let values = self.curve.curve(|value| value.is_finite())?;
        Some(ControlTrack { control: self.control, values })
    }
}

/// What a node's `extensions` say that is read; anything else, and anything broken, is nothing.
#[derive(Debug, Default)]
pub(super) struct NodeExtensions {
    pub(super) constraint: Option<Box<Constraint>>,
}

impl<'de> Deserialize<'de> for NodeExtensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let found = value.get(EXTENSION).and_then(|found| found.get("constraint"));
        let constraint = found.and_then(|found| Constraint::deserialize(found).ok());
        Ok(Self { constraint: constraint.map(Box::new) })
    }
}

/// One constraint of a node.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Constraint {
    #[serde(rename_all = "camelCase")]
    Roll {
        source: usize,
        roll_axis: String,
        #[serde(default = "one")]
        weight: f64,
    },
    #[serde(rename_all = "camelCase")]
    Aim {
        source: usize,
        aim_axis: String,
        #[serde(default = "one")]
        weight: f64,
    },
    Rotation {
        source: usize,
        #[serde(default = "one")]
        weight: f64,
    },
}

fn one() -> f64 {
    1.0
}

const AXES: [(&str, DVec3); 3] = [("X", DVec3::X), ("Y", DVec3::Y), ("Z", DVec3::Z)];

fn roll_axis(name: &str) -> Option<DVec3> {
    AXES.iter().find(|known| known.0 == name).map(|known| known.1)
}

fn aim_axis(name: &str) -> Option<DVec3> {
    let (sign, axis) = match name.strip_prefix("Positive") {
        Some(axis) => (1.0, axis),
        None => (-1.0, name.strip_prefix("Negative")?),
    };
    roll_axis(axis).map(|axis| sign * axis)
}

/// The name of an axis, and whether it points the other way; `None` for one that lies between.
pub(super) fn name_of_axis(axis: DVec3) -> Option<(&'static str, bool)> {
    AXES.iter().find_map(|&(name, known)| {
        let along = axis.normalize_or_zero().dot(known);
        (along.abs() > 1.0 - 1e-9).then_some((name, along < 0.0))
    })
}

/// Gives a character the drivers of its document; says what of them is left out, and why.
pub(super) fn read(
    root: &Root,
    rig: &Rig,
    part_of_node: &[Option<u32>],
    character: &mut Character,
    report: &mut Report,
) {
    let own = root.asset.extras.get(EXTRA).and_then(Value::as_str);
    let place = format!("asset.extras.{EXTRA}");
    let mend = "write the file again from its project";
    match own.map(serde_json::from_str::<DriversText>) {
        Some(Ok(text)) => {
            read_own(text, rig, part_of_node, character, report);
        }
        Some(Err(error)) => {
            let what = format!("drivers that cannot be read were left out: {error}");
            report.warn("drivers-left-out", place.as_str(), what, mend);
            read_constraints(root, rig, character, report);
        }
        None => read_constraints(root, rig, character, report),
    }
    if let Err(error) = DriverPlan::new(character) {
        let what = format!("the drivers were left out: {error}");
        report.warn(
            "drivers-left-out",
            place.as_str(),
            what,
            "mend them in the program of the file",
        );
        character.drivers = Drivers::default();
        character.clips.iter_mut().for_each(|clip| clip.control_tracks.clear());
    }
}

fn read_own(
    text: DriversText,
    rig: &Rig,
    part_of_node: &[Option<u32>],
    character: &mut Character,
    report: &mut Report,
) {
    let joint = |node: &usize| rig.joint_of_node.get(*node).copied().flatten().ok_or(());
    let parts: &[Part] = &character.parts;
    let shape = |of: &TargetRef| {
        let part = part_of_node.get(of.node).copied().flatten().ok_or(())?;
        let has = parts.get(part as usize).is_some_and(|p| (of.target as usize) < p.shapes.len());
        has.then_some(ShapeIndex { part, shape: of.target }).ok_or(())
    };
    let mut list = Vec::with_capacity(text.list.len());
    for driver in &text.list {
        match driver.try_map(joint, shape) {
            Ok(driver) => list.push(driver),
            Err(()) => {
                let what = format!("driver '{}' of what is not there was left out", driver.name);
                let place = format!("asset.extras.{EXTRA}");
                report.warn("drivers-left-out", place, what, "write the file again");
            }
        }
    }
    character.drivers = Drivers { controls: text.controls, list };
    for track in text.control_tracks {
        let is_there = (track.control as usize) < character.drivers.controls.len();
        let clip = character.clips.iter_mut().find(|clip| clip.name == track.animation);
        if let (true, Some(clip)) = (is_there, clip) {
            clip.control_tracks.extend(track.track());
        }
    }
}

fn read_constraints(root: &Root, rig: &Rig, character: &mut Character, report: &mut Report) {
    let joint_of = |node: usize| rig.joint_of_node.get(node).copied().flatten();
    for (node, of_node) in root.nodes.iter().enumerate() {
        let Some(constraint) = &of_node.extensions.constraint else { continue };
        let place = format!("nodes[{node}].extensions.{EXTENSION}");
        let Some(drive) = drive_of(constraint, node, &joint_of) else {
            let what = "a constraint between nodes that are no joints was left out";
            report.note("constraint-left-out", place, what, "nothing, if only the skin is wanted");
            continue;
        };
        let name = of_node.name.clone().filter(|name| !name.is_empty());
        let wanted = name.unwrap_or_else(|| format!("constraint {node}"));
        let name = character.drivers.free_name(&wanted);
        character.drivers.list.push(Driver::new(name, drive));
    }
}

fn drive_of(
    constraint: &Constraint,
    node: usize,
    joint_of: &impl Fn(usize) -> Option<u32>,
) -> Option<Drive> {
    let joint = joint_of(node)?;
    Some(match constraint {
        Constraint::Roll { source, roll_axis: axis, weight } => {
            let (source, axis) = (joint_of(*source)?, Some(roll_axis(axis)?));
            Drive::Copy { joint, source, axis, weight: weight.clamp(0.0, 1.0) }
        }
        Constraint::Aim { source, aim_axis: axis, weight } => {
            let (target, axis) = (joint_of(*source)?, aim_axis(axis)?);
            Drive::Aim { joint, target, axis, weight: weight.clamp(0.0, 1.0) }
        }
        Constraint::Rotation { source, weight } => {
            let source = joint_of(*source)?;
            Drive::Copy { joint, source, axis: None, weight: weight.clamp(0.0, 1.0) }
        }
    })
}
