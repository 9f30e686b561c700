//! New shapes: plain ones, in-betweens of another, combinations of several.

use glam::Vec3;

use super::RiggingError;
use crate::Character;
use crate::driver::{Drive, Driver, DriverPlan, Input, ShapeIndex, Value};
use crate::shape::{BlendShape, Deltas};

/// A shape to add.
#[derive(Clone, Copy, Debug)]
pub struct NewShape<'a> {
    /// Of which part.
    pub part: usize,
    /// Taken as it is where no shape of the part has it, else with a number.
    pub name: &'a str,
    /// Points, and how far they move.
    pub moved: &'a [(u32, Vec3)],
}

/// How the weights of several shapes become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Combine {
    /// All multiplied.
    Product,
    /// The smallest.
    Min,
}

/// Adds a shape that nothing drives.
///
/// # Errors
/// If there is no such part or point, or a displacement is no number.
pub fn add_shape(
    character: &Character,
    new: &NewShape<'_>,
) -> Result<(Character, ShapeIndex), RiggingError> {
    let num_parts = character.parts.len();
    let part =
        character.parts.get(new.part).ok_or(RiggingError::NoPart { part: new.part, num_parts })?;
    let num_points = part.mesh.points().len();
    if let Some(&(point, _)) = new.moved.iter().find(|(point, _)| *point as usize >= num_points) {
        let mesh = part.mesh.name().to_owned();
        return Err(RiggingError::NoPoint { mesh, point, num_points });
    }
    let fault =
        |fault: &str| RiggingError::Shape { shape: new.name.to_owned(), fault: fault.to_owned() };
    if new.moved.iter().any(|(_, delta)| !delta.is_finite()) {
        return Err(fault("a displacement that is no number"));
    }
    if new.name.is_empty() {
        return Err(fault("it has no name; give it one"));
    }
    let is_taken = |name: &str| part.shapes.iter().any(|shape| shape.name == name);
    let name = crate::character::free_name(new.name, is_taken);
    let mut out = character.clone();
    let part = &mut out.parts[new.part];
    let index = ShapeIndex { part: new.part as u32, shape: part.shapes.len() as u32 };
    let deltas = Deltas::of_moved(num_points, new.moved.iter().copied());
    part.shapes.push(BlendShape { name, deltas, rest_weight: 0.0 });
    // A shape track has one weight a shape.
    for track in out.clips.iter_mut().flat_map(|clip| &mut clip.shape_tracks) {
        if track.part as usize == new.part {
            widen(track);
        }
    }
    Ok((out, index))
}

/// One more weight a key, at rest.
fn widen(track: &mut crate::motion::ShapeTrack) {
    use crate::motion::{Interpolation, Tangents};
    let old = track.num_shapes;
    track.num_shapes += 1;
    let keys = track.weights.values.chunks(old.max(1));
    track.weights.values = keys.flat_map(|key| key.iter().copied().chain([0.0])).collect();
    if let Interpolation::Cubic(tangents) = &mut track.weights.interpolation {
        let still = Tangents { incoming: 0.0, outgoing: 0.0 };
        let keys = tangents.chunks(old.max(1));
        *tangents = keys.flat_map(|key| key.iter().copied().chain([still])).collect();
    }
}

/// Adds an in-between: at `weight` of another shape the points are moved by `moved`, and straight
/// from there to its ends and to other in-betweens. It is a shape of its own, with what is missing
/// there, whose weight the other's drives.
///
/// # Errors
/// As [`add_shape`]; if there is no such shape, the weight is 0 or 1, or taken.
pub fn add_in_between(
    character: &Character,
    of: ShapeIndex,
    weight: f64,
    new: &NewShape<'_>,
) -> Result<Character, RiggingError> {
    let fault =
        |fault: &str| RiggingError::Shape { shape: new.name.to_owned(), fault: fault.to_owned() };
    let part = character.parts.get(new.part);
    let main = part.and_then(|part| part.shapes.get(of.shape as usize));
    let main = main.filter(|_| of.part as usize == new.part);
    let Some(main) = main else {
        return Err(fault("an in-between is of a shape of the same mesh"));
    };
    let num_points = main.deltas.num_points();
    let wanted = Deltas::of_moved(num_points, new.moved.iter().copied()).dense();
    // Straight through the ends: an in-between is what is missing to the shape itself.
    let missing: Vec<(u32, Vec3)> = (0..num_points as u32)
        .map(|point| {
            let there = weight as f32 * main.deltas.of(point as usize);
            (point, wanted[point as usize] - there)
        })
        .filter(|(_, delta)| *delta != Vec3::ZERO)
        .collect();
    let own = NewShape { moved: &missing, ..*new };
    let (mut out, shape) = add_shape(character, &own)?;
    let drive = Drive::InBetween { shape, of, weight };
    push_driver(&mut out, shape, drive)?;
    Ok(out)
}

/// Drives a new shape, under its name.
fn push_driver(
    character: &mut Character,
    shape: ShapeIndex,
    drive: Drive,
) -> Result<(), RiggingError> {
    let own = &character.parts[shape.part as usize].shapes[shape.shape as usize].name;
    let name = character.drivers.free_name(own);
    character.drivers.list.push(Driver::new(name, drive));
    DriverPlan::new(character)?;
    Ok(())
}

/// Adds a combination: a shape that is there as far as all of several others are.
///
/// # Errors
/// As [`add_shape`]; if there are fewer than two others.
pub fn add_combination(
    character: &Character,
    of: &[ShapeIndex],
    how: Combine,
    new: &NewShape<'_>,
) -> Result<Character, RiggingError> {
    if of.len() < 2 {
        let fault = "a combination is of two shapes or more".to_owned();
        return Err(RiggingError::Shape { shape: new.name.to_owned(), fault });
    }
    let (mut out, shape) = add_shape(character, new)?;
    let names: Vec<String> = (1..=of.len()).map(|number| format!("w{number}")).collect();
    let inputs = names.iter().cloned().zip(of.iter().map(|&shape| Input::Shape { shape }));
    let formula = match how {
        Combine::Product => names.join(" * "),
        Combine::Min => {
            let rest = names[1..].iter();
            rest.fold(names[0].clone(), |all, name| format!("min({all}, {name})"))
        }
    };
    let drive = Drive::Formula { value: Value::Shape { shape }, formula, inputs: inputs.collect() };
    push_driver(&mut out, shape, drive)?;
    Ok(out)
}
