//! Writing drivers: as `VRMC_node_constraint` where it can say them, and all of them in `extras`,
//! so that they are still driven when Sinew reads the file. (Their effect is in the clips as well,
//! for programs that know neither.)

use serde_json::{Value, json};
use sinew::Character;
use sinew::driver::{Drive, Driver, ShapeIndex, TurnLimits};
use sinew::skeleton::Skeleton;

use super::super::drivers::{
    Constraint, ControlTrackText, DriversText, EXTENSION, EXTRA, TargetRef, name_of_axis,
};
use super::Writer;

/// Frames this near are one: what f32 files lose.
const SAME_FRAME: f64 = 1e-5;

/// Adds the drivers of a character to its document, in place of those that are there.
pub(super) fn add_drivers(writer: &mut Writer, character: &Character) {
    remove_constraints(writer);
    let drivers = &character.drivers;
    let asset = writer.document.entry("asset").or_insert_with(|| json!({}));
    let extras = asset.as_object_mut().map(|a| a.entry("extras").or_insert_with(|| json!({})));
    if drivers.is_empty() {
        if let Some(extras) = extras.and_then(Value::as_object_mut) {
            extras.remove(EXTRA);
        }
        return;
    }
    let node_of_joint = &writer.node_of_joint;
    let node_of_part = &writer.node_of_part;
    let joint = |joint: &u32| node_of_joint.get(*joint as usize).copied().ok_or(());
    let shape = |of: &ShapeIndex| {
        let node = node_of_part.get(of.part as usize).copied().flatten().ok_or(())?;
        Ok(TargetRef { node, target: of.shape })
    };
    let list = drivers.list.iter().filter_map(|driver| driver.try_map(joint, shape).ok());
    let tracks = character.clips.iter().flat_map(|clip| {
        clip.control_tracks.iter().map(|track| ControlTrackText::of(&clip.name, track))
    });
    let text = DriversText {
        controls: drivers.controls.clone(),
        list: list.collect(),
        control_tracks: tracks.collect(),
    };
    // Maps of strings alone: this does not fail.
    let text = serde_json::to_string(&text).unwrap_or_default();
    if let Some(extras) = extras.and_then(Value::as_object_mut) {
        extras.insert(EXTRA.into(), json!(text));
    }
    let mut num_said = 0;
    for driver in drivers.list.iter().filter(|driver| !driver.muted) {
        let said = constraint_of(&character.skeleton, driver)
            .and_then(|(joint, constraint)| in_nodes(constraint, writer).map(|c| (joint, c)));
        let Some((joint, constraint)) = said else { continue };
        let Some(&node) = writer.node_of_joint.get(joint as usize) else { continue };
        let Some(node) = writer.object("nodes", node) else { continue };
        let extensions = node.entry("extensions").or_insert_with(|| json!({}));
        let Some(extensions) = extensions.as_object_mut() else { continue };
        let constraint = serde_json::to_value(constraint).unwrap_or(Value::Null);
        let value = json!({ "specVersion": "1.0", "constraint": constraint });
        extensions.insert(EXTENSION.into(), value);
        num_said += 1;
    }
    if num_said > 0 && !writer.array("extensionsUsed").iter().any(|known| known == EXTENSION) {
        writer.push("extensionsUsed", EXTENSION);
    }
    let num_acting = drivers.list.iter().filter(|driver| !driver.muted).count();
    if num_acting > num_said {
        let what = format!(
            "{} of {num_acting} drivers have no words in glTF: other programs see them in clips alone, into which they were baked",
            num_acting - num_said
        );
        let mend = "nothing, if the clips are what is wanted; Sinew reads the drivers again";
        writer.report.note("drivers-baked", "drivers", what, mend);
    }
}

fn remove_constraints(writer: &mut Writer) {
    let mut is_any = false;
    for node in writer.array("nodes") {
        let Some(node) = node.as_object_mut() else { continue };
        if let Some(extensions) = node.get_mut("extensions").and_then(Value::as_object_mut) {
            is_any |= extensions.remove(EXTENSION).is_some();
            if extensions.is_empty() {
                node.remove("extensions");
            }
        }
    }
    if is_any {
        writer.array("extensionsUsed").retain(|known| known != EXTENSION);
    }
}

/// The joint's constraint, its source a joint; `None` where the extension cannot say it.
fn constraint_of(skeleton: &Skeleton, driver: &Driver) -> Option<(u32, Constraint)> {
    let is_share = |weight: f64| weight > 0.0 && weight <= 1.0;
    match &driver.drive {
        Drive::Copy { joint, source, axis: None, weight } if is_share(*weight) => {
            let source = *source as usize;
            Some((*joint, Constraint::Rotation { source, weight: *weight }))
        }
        Drive::Copy { joint, source, axis: Some(axis), weight } if is_share(*weight) => {
            let (name, _) = name_of_axis(*axis)?;
            let (source, roll_axis) = (*source as usize, name.to_owned());
            Some((*joint, Constraint::Roll { source, roll_axis, weight: *weight }))
        }
        Drive::Aim { joint, target, axis, weight } if is_share(*weight) => {
            let (name, is_negative) = name_of_axis(*axis)?;
            let aim_axis = format!("{}{name}", if is_negative { "Negative" } else { "Positive" });
            let source = *target as usize;
            Some((*joint, Constraint::Aim { source, aim_axis, weight: *weight }))
        }
        Drive::Share { joint, of, limits } if *limits == TurnLimits::default() => {
            let [share] = &of[..] else { return None };
            let joints = skeleton.joints();
            let (own, from) = (&joints[*joint as usize], joints.get(share.joint as usize)?);
            let is_same_frame = own.parent == from.parent
                && own.rest.rotation.dot(from.rest.rotation).abs() > 1.0 - SAME_FRAME;
            let source = share.joint as usize;
            match (share.swing, share.twist) {
                // Half of a rotation is nearly half of its swing after half of its twist.
                (Some(swing), Some(twist)) if swing == twist && is_share(swing) => is_same_frame
                    .then_some((*joint, Constraint::Rotation { source, weight: swing })),
                (None, Some(twist)) if is_share(twist) && own.parent == from.parent => {
                    let (name, _) = name_of_axis(own.bone_axis())?;
                    let roll_axis = name.to_owned();
                    Some((*joint, Constraint::Roll { source, roll_axis, weight: twist }))
                }
                _ => None,
            }
        }
        Drive::Copy { .. }
        | Drive::Aim { .. }
        | Drive::Share { .. }
        | Drive::Formula { .. }
        | Drive::InBetween { .. }
        | Drive::Examples { .. } => None,
    }
}

/// The same with the source's node.
fn in_nodes(mut constraint: Constraint, writer: &Writer) -> Option<Constraint> {
    match &mut constraint {
        Constraint::Roll { source, .. }
        | Constraint::Aim { source, .. }
        | Constraint::Rotation { source, .. } => *source = *writer.node_of_joint.get(*source)?,
    }
    Some(constraint)
}
