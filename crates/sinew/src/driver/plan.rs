//! Drivers, bound: names resolved, order found, examples solved.

use glam::DVec3;

use super::examples::BoundExamples;
use super::order::{Slot, Ties, order};
use super::turn::{BoundAim, BoundCopy, BoundShares};
use super::{Driver, Formula, FormulaError, Property, ShapeIndex};
use crate::Character;
use crate::frame::{Controls, PartControls};
use crate::skeleton::Skeleton;

/// Why drivers cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DriverError {
    /// They wait for each other.
    #[error(
        "drivers go round in a circle: {}; take one of them out",
        path.join(" → ")
    )]
    Cycle {
        /// What is driven, each by the one before; the last is the first again.
        path: Vec<String>,
    },
    /// A joint, shape or control that is not there.
    #[error("driver '{driver}': there is no {what}")]
    Missing {
        /// The driver's name.
        driver: String,
        /// The name that was not found.
        what: String,
    },
    /// A formula that cannot be read.
    #[error("driver '{driver}': {error}, in '{formula}'")]
    Formula {
        /// The driver's name.
        driver: String,
        /// The text.
        formula: String,
        /// What is wrong, and where.
        error: FormulaError,
    },
    /// A name that a formula uses, and nothing has.
    #[error("driver '{driver}': '{name}' stands for nothing; {known}")]
    UnknownName {
        /// The driver's name.
        driver: String,
        /// What the formula says.
        name: String,
        /// What there is.
        known: String,
    },
    /// Two that have the same name, or one without.
    #[error("{what} '{name}': {fault}")]
    Name {
        /// `driver` or `control`.
        what: &'static str,
        /// The name.
        name: String,
        /// What is wrong with it, and what would be right.
        fault: &'static str,
    },
    /// More than anyone can want, and than there is time for.
    #[error("{found} {what}; there may be {most}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A number that cannot be.
    #[error("driver '{driver}': {what}")]
    Value {
        /// The driver's name.
        driver: String,
        /// What is wrong, and what would be right.
        what: String,
    },
}

/// What reads a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Joint(usize, Property),
    Shape(ShapeIndex),
    Control(usize),
}

/// Where a number goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Joint { joint: usize, property: Property, bone_axis: DVec3 },
    Shape(ShapeIndex),
}

/// Names in one formula; more cannot be read at once.
pub(super) const MAX_NAMES: usize = 32;

/// A driver, bound.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    Shares(BoundShares),
    Aim(BoundAim),
    Copy(BoundCopy),
    Formula { target: Target, formula: Formula, sources: Vec<Source> },
    Examples(BoundExamples),
    InBetween { shape: ShapeIndex, of: ShapeIndex, hat: Hat },
}

/// 0 at `before` and `after`, 1 at `at`, straight between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hat {
    pub(super) before: f64,
    pub(super) at: f64,
    pub(super) after: f64,
}

impl Hat {
    fn height(self, weight: f64) -> f64 {
        let up = (weight - self.before) / (self.at - self.before);
        let down = (self.after - weight) / (self.after - self.at);
        up.min(down).max(0.0)
    }
}

/// The drivers of a character, ready to run.
#[derive(Clone, Debug)]
pub struct DriverPlan {
    /// In their order.
    bound: Vec<Bound>,
    driven: Vec<Slot>,
    /// Where controls rest, and what they may be.
    controls: Vec<(f64, [f64; 2])>,
    num_shapes: Vec<usize>,
}

impl DriverPlan {
    /// Binds the drivers of a character.
    ///
    /// # Errors
    /// Names the driver, and what it lacks; or the cycle.
    pub fn new(character: &Character) -> Result<Self, DriverError> {
        let drivers = &character.drivers;
        super::compile::check(drivers)?;
        let acting: Vec<&Driver> = drivers.list.iter().filter(|driver| !driver.muted).collect();
        let mut bound = Vec::with_capacity(acting.len());
        let mut ties: Vec<Ties> = Vec::with_capacity(acting.len());
        for driver in &acting {
            let (one, tie) = super::compile::bind(character, driver)?;
            bound.push(Some(one));
            ties.push(tie);
        }
        let in_order = order(&character.skeleton, &ties).map_err(|cycle| {
            let name = |driver: &usize| super::compile::driven_name(character, acting[*driver]);
            let mut path: Vec<String> = cycle.iter().map(name).collect();
            path.extend(path.first().cloned());
            DriverError::Cycle { path }
        })?;
        let mut driven: Vec<Slot> = ties.iter().flat_map(|tie| tie.drives.clone()).collect();
        driven.sort_unstable();
        driven.dedup();
        Ok(Self {
            bound: in_order.into_iter().filter_map(|driver| bound[driver].take()).collect(),
            driven,
            controls: drivers.controls.iter().map(|c| (c.rest, c.range)).collect(),
            num_shapes: character.parts.iter().map(|part| part.shapes.len()).collect(),
        })
    }

    /// True if nothing is driven.
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Everything that is driven, each once, in order.
    pub fn driven(&self) -> &[Slot] {
        &self.driven
    }

    /// Drives pose and shape weights. Allocates nothing where `controls` has room for the weights
    /// of every shape that is driven; a joint that the pose lacks is passed over.
    pub fn run(&self, skeleton: &Skeleton, controls: &mut Controls) {
        if self.bound.is_empty() || controls.pose.joints.len() != skeleton.len() {
            return;
        }
        for &slot in &self.driven {
            if let Slot::Shape(shape) = slot {
                self.make_room(controls, shape);
            }
        }
        let Controls { pose, parts, values, .. } = controls;
        let joints = &mut pose.joints[..];
        for bound in &self.bound {
            match bound {
                Bound::Shares(shares) => shares.run(joints),
                Bound::Aim(aim) => aim.run(skeleton, joints),
                Bound::Copy(copy) => copy.run(joints),
                Bound::Examples(examples) => {
                    examples.run(joints, |shape, weight| set_weight(parts, shape, weight));
                }
                Bound::InBetween { shape, of, hat } => {
                    let height = hat.height(weight_of(parts, *of));
                    set_weight(parts, *shape, height as f32);
                }
                Bound::Formula { target, formula, sources } => {
                    let mut of_names = [0.0; MAX_NAMES];
                    for (value, source) in of_names.iter_mut().zip(sources) {
                        *value = match *source {
                            Source::Joint(joint, property) => property.of(&joints[joint]),
                            Source::Shape(shape) => weight_of(parts, shape),
                            Source::Control(control) => self.control(values, control),
                        };
                    }
                    let value = formula.value(&of_names);
                    match *target {
                        Target::Joint { joint, property, bone_axis } => {
                            property.set(&mut joints[joint], value, bone_axis);
                        }
                        Target::Shape(shape) if value.is_finite() => {
                            set_weight(parts, shape, value as f32);
                        }
                        Target::Shape(_) => {}
                    }
                }
            }
        }
    }

    fn control(&self, values: &[f64], control: usize) -> f64 {
        let (rest, [least, most]) = self.controls[control];
        let value = values.get(control).copied().filter(|value| value.is_finite());
        value.unwrap_or(rest).max(least).min(most)
    }

    fn make_room(&self, controls: &mut Controls, ShapeIndex { part, .. }: ShapeIndex) {
        let part = part as usize;
        if controls.parts.len() <= part {
            controls.parts.resize(part + 1, PartControls::default());
        }
        let (weights, num) = (&mut controls.parts[part].shape_weights, self.num_shapes[part]);
        if weights.len() < num {
            weights.resize(num, 0.0);
        }
    }
}

fn weight_of(parts: &[PartControls], ShapeIndex { part, shape }: ShapeIndex) -> f64 {
    let weights = parts.get(part as usize).map(|part| &part.shape_weights);
    weights.and_then(|weights| weights.get(shape as usize)).copied().map_or(0.0, f64::from)
}

fn set_weight(parts: &mut [PartControls], ShapeIndex { part, shape }: ShapeIndex, weight: f32) {
    let weights = parts.get_mut(part as usize).map(|part| &mut part.shape_weights);
    if let Some(slot) = weights.and_then(|weights| weights.get_mut(shape as usize)) {
        *slot = weight;
    }
}
