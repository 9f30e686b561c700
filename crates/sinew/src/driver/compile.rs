//! From plain data to what runs: what is missing is named, and what is read and driven is told.

use std::collections::BTreeMap;

use super::examples::{BoundExamples, TooNear};
use super::order::{Slot, Ties};
use super::plan::{Bound, Hat, MAX_NAMES, Source, Target};
use super::turn::{BoundAim, BoundCopy, BoundShares};
use super::{
    Drive, Driver, DriverError, Drivers, Example, ExampleJoint, Formula, Input, Property,
    ShapeIndex, Share, Value, formula,
};
use crate::Character;
use crate::skeleton::Skeleton;

/// A file with more is a trap: examples are solved in the cube of their number.
const MAX_DRIVERS: usize = 4096;
const MAX_EXAMPLES: usize = 128;

/// Names are there, unique, and controls can be read in formulas.
pub(super) fn check(drivers: &Drivers) -> Result<(), DriverError> {
    for (what, found, most) in [
        ("drivers", drivers.list.len(), MAX_DRIVERS),
        ("controls", drivers.controls.len(), MAX_DRIVERS),
    ] {
        if found > most {
            return Err(DriverError::TooMany { what, found, most });
        }
    }
    let fault = |what, name: &str, fault| DriverError::Name { what, name: name.to_owned(), fault };
    let mut known = std::collections::HashSet::new();
    for Driver { name, .. } in &drivers.list {
        if name.is_empty() {
            return Err(fault("driver", name, "has no name; give it one"));
        }
        if !known.insert(name.as_str()) {
            return Err(fault("driver", name, "there are two; give one another name"));
        }
    }
    known.clear();
    for control in &drivers.controls {
        let name = control.name.as_str();
        if !formula::is_name(name) {
            let words = "must be letters, digits and underscores, and no function's name";
            return Err(fault("control", name, words));
        }
        if !known.insert(name) {
            return Err(fault("control", name, "there are two; give one another name"));
        }
        let [least, most] = control.range;
        if !(least.is_finite() && most.is_finite() && least <= control.rest && control.rest <= most)
        {
            let words = "its rest must be a number within its range, the smaller end first";
            return Err(fault("control", name, words));
        }
    }
    Ok(())
}

/// Binds one driver.
pub(super) fn bind(character: &Character, driver: &Driver) -> Result<(Bound, Ties), DriverError> {
    let of = Of { character, driver };
    let skeleton = &character.skeleton;
    match &driver.drive {
        Drive::Share { joint, of: shares, limits } => {
            of.joint(*joint)?;
            for Share { joint: source, swing, twist } in shares {
                of.joint(*source)?;
                of.finite("a share", swing.iter().chain(twist))?;
            }
            of.finite("a limit", limits.twist_degrees.iter().flatten())?;
            of.finite("a limit", limits.swing_degrees.iter())?;
            let bound = BoundShares::new(skeleton, *joint, shares, *limits);
            let mut ties = Ties::default();
            for share in bound.sources() {
                let source = share.source as u32;
                ties.reads.extend(share.takes_swing().then_some(Slot::Swing(source)));
                ties.reads.extend(share.takes_twist().then_some(Slot::Twist(source)));
            }
            ties.drives.extend(bound.writes_swing.then_some(Slot::Swing(*joint)));
            ties.drives.extend(bound.writes_twist.then_some(Slot::Twist(*joint)));
            Ok((Bound::Shares(bound), ties))
        }
        Drive::Aim { joint, target, axis, weight } => {
            of.joint(*joint)?;
            of.joint(*target)?;
            of.axis(*axis)?;
            of.finite("the weight", [weight])?;
            let ties = Ties {
                drives: vec![Slot::Swing(*joint), Slot::Twist(*joint)],
                // It looks from where it is: its own turn does not count, unless the target hangs
                // on it.
                places: vec![*target, *joint],
                hangs_on_itself: is_above(skeleton, *joint, *target),
                ..Ties::default()
            };
            let bound = Bound::Aim(BoundAim::new(*joint, *target, *axis, *weight));
            Ok((bound, ties))
        }
        Drive::Copy { joint, source, axis, weight } => {
            of.joint(*joint)?;
            of.joint(*source)?;
            axis.map_or(Ok(()), |axis| of.axis(axis))?;
            of.finite("the weight", [weight])?;
            let ties = Ties {
                reads: vec![Slot::Swing(*source), Slot::Twist(*source)],
                drives: vec![Slot::Swing(*joint), Slot::Twist(*joint)],
                ..Ties::default()
            };
            let bound = BoundCopy::new(skeleton, (*joint, *source), *axis, *weight);
            Ok((Bound::Copy(bound), ties))
        }
        Drive::Formula { value, formula, inputs } => of.formula(value, formula, inputs),
        Drive::InBetween { shape, of: main, weight } => of.in_between(*shape, *main, *weight),
        Drive::Examples { joints, shapes, examples } => of.examples(joints, shapes, examples),
    }
}

/// What a driver drives, for people.
pub(super) fn driven_name(character: &Character, driver: &Driver) -> String {
    let joint = |joint: &u32| {
        let name = character.skeleton.joints().get(*joint as usize).map(|joint| &joint.name);
        name.map_or_else(|| format!("#{joint}"), Clone::clone)
    };
    let shape = |of: &ShapeIndex| {
        let part = character.parts.get(of.part as usize);
        let shape = part.and_then(|part| part.shapes.get(of.shape as usize));
        shape.map_or_else(|| format!("#{}", of.shape), |shape| shape.name.clone())
    };
    match &driver.drive {
        Drive::Share { joint: to, .. }
        | Drive::Aim { joint: to, .. }
        | Drive::Copy { joint: to, .. }
        | Drive::Formula { value: Value::Joint { joint: to, .. }, .. } => joint(to),
        Drive::Formula { value: Value::Shape { shape: to }, .. }
        | Drive::InBetween { shape: to, .. } => shape(to),
        Drive::Examples { shapes, .. } => shapes.first().map_or_else(String::new, shape),
    }
}

/// True if a joint is another, or above it.
fn is_above(skeleton: &Skeleton, joint: u32, below: u32) -> bool {
    let mut at = Some(below);
    while let Some(below) = at {
        if below == joint {
            return true;
        }
        at = skeleton.joints()[below as usize].parent;
    }
    false
}

fn slot_of(joint: u32, property: Property) -> Slot {
    match property {
        Property::Swing | Property::SwingX | Property::SwingY | Property::SwingZ => {
            Slot::Swing(joint)
        }
        Property::Twist => Slot::Twist(joint),
        Property::TranslationX | Property::TranslationY | Property::TranslationZ => {
            Slot::Translation(joint)
        }
        Property::Scale | Property::ScaleX | Property::ScaleY | Property::ScaleZ => {
            Slot::Scale(joint)
        }
        Property::Stretch => Slot::Stretch(joint),
    }
}

struct Of<'a> {
    character: &'a Character,
    driver: &'a Driver,
}

impl Of<'_> {
    fn name(&self) -> String {
        self.driver.name.clone()
    }

    fn value_fault(&self, what: impl Into<String>) -> DriverError {
        DriverError::Value { driver: self.name(), what: what.into() }
    }

    fn joint(&self, joint: u32) -> Result<(), DriverError> {
        if (joint as usize) < self.character.skeleton.len() {
            return Ok(());
        }
        Err(DriverError::Missing { driver: self.name(), what: format!("joint {joint}") })
    }

    fn shape(&self, of: ShapeIndex) -> Result<(), DriverError> {
        let part = self.character.parts.get(of.part as usize);
        if part.is_some_and(|part| (of.shape as usize) < part.shapes.len()) {
            return Ok(());
        }
        let what = format!("shape {} of mesh {}", of.shape, of.part);
        Err(DriverError::Missing { driver: self.name(), what })
    }

    fn finite<'n>(
        &self,
        what: &str,
        numbers: impl IntoIterator<Item = &'n f64>,
    ) -> Result<(), DriverError> {
        match numbers.into_iter().find(|number| !number.is_finite()) {
            Some(number) => Err(self.value_fault(format!("{what} is {number}; give a number"))),
            None => Ok(()),
        }
    }

    fn axis(&self, axis: glam::DVec3) -> Result<(), DriverError> {
        if axis.try_normalize().is_some() {
            return Ok(());
        }
        Err(self.value_fault("its axis has no direction; give one, as in [0, 1, 0]"))
    }

    fn formula(
        &self,
        value: &Value,
        text: &str,
        inputs: &BTreeMap<String, Input>,
    ) -> Result<(Bound, Ties), DriverError> {
        let formula = Formula::parse(text).map_err(|error| DriverError::Formula {
            driver: self.name(),
            formula: text.to_owned(),
            error,
        })?;
        if formula.names().len() > MAX_NAMES {
            return Err(self.value_fault(format!("a formula of more than {MAX_NAMES} names")));
        }
        let controls = &self.character.drivers;
        let mut ties = Ties::default();
        let mut sources = Vec::with_capacity(formula.names().len());
        for name in formula.names() {
            let source = match inputs.get(name) {
                Some(Input::Joint { joint, property }) => {
                    self.joint(*joint)?;
                    ties.reads.push(slot_of(*joint, *property));
                    Source::Joint(*joint as usize, *property)
                }
                Some(Input::Shape { shape }) => {
                    self.shape(*shape)?;
                    ties.reads.push(Slot::Shape(*shape));
                    Source::Shape(*shape)
                }
                Some(Input::Control { control }) => {
                    let missing = || DriverError::Missing {
                        driver: self.name(),
                        what: format!("control '{control}'"),
                    };
                    Source::Control(controls.control(control).ok_or_else(missing)?)
                }
                None => Source::Control(
                    controls.control(name).ok_or_else(|| self.unknown(name, inputs))?,
                ),
            };
            sources.push(source);
        }
        let target = match *value {
            Value::Joint { joint, property } => {
                self.joint(joint)?;
                ties.drives.push(slot_of(joint, property));
                let bone_axis = self.character.skeleton.joints()[joint as usize].bone_axis();
                Target::Joint { joint: joint as usize, property, bone_axis }
            }
            Value::Shape { shape } => {
                self.shape(shape)?;
                ties.drives.push(Slot::Shape(shape));
                Target::Shape(shape)
            }
        };
        Ok((Bound::Formula { target, formula, sources }, ties))
    }

    fn unknown(&self, name: &str, inputs: &BTreeMap<String, Input>) -> DriverError {
        let controls = self.character.drivers.controls.iter().map(|control| control.name.as_str());
        let all: Vec<&str> = inputs.keys().map(String::as_str).chain(controls).collect();
        let known = match all.is_empty() {
            true => "it has no inputs, and there are no controls".to_owned(),
            false => format!("there are: {}", all.join(", ")),
        };
        DriverError::UnknownName { driver: self.name(), name: name.to_owned(), known }
    }

    fn in_between(
        &self,
        shape: ShapeIndex,
        main: ShapeIndex,
        weight: f64,
    ) -> Result<(Bound, Ties), DriverError> {
        self.shape(shape)?;
        self.shape(main)?;
        self.finite("the weight", [&weight])?;
        let drivers = self.character.drivers.list.iter();
        let others = drivers.filter_map(|driver| match &driver.drive {
            Drive::InBetween { of, weight, .. } if *of == main => Some(*weight),
            _ => None,
        });
        let mut knots: Vec<f64> = others.chain([0.0, 1.0]).collect();
        knots.sort_by(f64::total_cmp);
        if knots.iter().filter(|knot| (**knot - weight).abs() < 1e-6).count() != 1 {
            let what = format!("an in-between at {weight}, where 0, 1 or another one is already");
            return Err(self.value_fault(what));
        }
        let before = knots.iter().copied().rfind(|knot| *knot < weight);
        let after = knots.iter().copied().find(|knot| *knot > weight);
        // Past the ends of all weights a hat is as wide as on its other side.
        let hat = Hat {
            before: before.unwrap_or(2.0 * weight - after.unwrap_or(0.0)),
            at: weight,
            after: after.unwrap_or(2.0 * weight - before.unwrap_or(1.0)),
        };
        let (reads, drives) = (vec![Slot::Shape(main)], vec![Slot::Shape(shape)]);
        let ties = Ties { reads, drives, ..Ties::default() };
        Ok((Bound::InBetween { shape, of: main, hat }, ties))
    }

    fn examples(
        &self,
        joints: &[ExampleJoint],
        shapes: &[ShapeIndex],
        examples: &[Example],
    ) -> Result<(Bound, Ties), DriverError> {
        let found = examples.len().max(shapes.len()).max(joints.len());
        if found > MAX_EXAMPLES {
            let what = "examples, shapes or joints of a driver";
            return Err(DriverError::TooMany { what, found, most: MAX_EXAMPLES });
        }
        let mut ties = Ties::default();
        for of in joints {
            self.joint(of.joint)?;
            ties.reads.extend(of.swing.then_some(Slot::Swing(of.joint)));
            ties.reads.extend(of.twist.then_some(Slot::Twist(of.joint)));
        }
        for &shape in shapes {
            self.shape(shape)?;
            ties.drives.push(Slot::Shape(shape));
        }
        for (index, example) in examples.iter().enumerate() {
            if example.turns.len() != joints.len() || example.weights.len() > shapes.len() {
                let (turns, weights) = (example.turns.len(), example.weights.len());
                return Err(self.value_fault(format!(
                    "example {index} has {turns} turns and {weights} weights for {} joints and {} shapes",
                    joints.len(),
                    shapes.len()
                )));
            }
            self.finite("a weight of an example", &example.weights)?;
            self.finite("a twist of an example", example.turns.iter().map(|t| &t.twist_radians))?;
            if !example.turns.iter().all(|turn| turn.swing.is_normalized()) {
                return Err(self.value_fault(format!("example {index} has a swing of no length 1")));
            }
        }
        let bound = BoundExamples::new(joints, shapes, examples).map_err(|TooNear(a, b)| {
            self.value_fault(format!(
                "examples {a} and {b} are the same pose; keep one of them, or let another joint decide"
            ))
        })?;
        Ok((Bound::Examples(bound), ties))
    }
}
