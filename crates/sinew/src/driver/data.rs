//! Drivers as plain data.
//!
//! The types are generic over how a joint and a shape are named: by index in a character, by name
//! in edits and projects, by node in a file. [`Driver::try_map`] goes between.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::Property;

/// A shape of a character: which part, which of its shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeIndex {
    /// Index into the character's parts.
    pub part: u32,
    /// Index into the part's shapes.
    pub shape: u32,
}

/// Everything that drives a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drivers {
    /// Numbers that the user, or a motion, sets.
    pub controls: Vec<Control>,
    /// What follows; names are unique.
    pub list: Vec<Driver>,
}

impl Drivers {
    /// True if there is neither a driver nor a control.
    pub fn is_empty(&self) -> bool {
        self.controls.is_empty() && self.list.is_empty()
    }

    /// The control of that name.
    pub fn control(&self, name: &str) -> Option<usize> {
        self.controls.iter().position(|control| control.name == name)
    }

    /// The driver of that name.
    pub fn driver(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|driver| driver.name == name)
    }

    /// A name that no driver has: `wanted`, or with a number.
    pub fn free_name(&self, wanted: &str) -> String {
        crate::character::free_name(wanted, |name| self.driver(name).is_some())
    }
}

/// A named number that formulas read.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Control {
    /// Letters, digits and underscores, as formulas have it; unique.
    pub name: String,
    /// Where nothing sets it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rest: f64,
    /// What it may be.
    #[cfg_attr(feature = "serde", serde(default = "unit_range"))]
    pub range: [f64; 2],
}

#[cfg(feature = "serde")]
fn unit_range() -> [f64; 2] {
    [0.0, 1.0]
}

/// One thing that follows others.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Driver<J = u32, S = ShapeIndex> {
    /// Unique among the character's drivers, never empty.
    pub name: String,
    /// Leaves what it drives alone.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    pub muted: bool,
    /// What it does.
    pub drive: Drive<J, S>,
}

/// How something follows.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Drive<J = u32, S = ShapeIndex> {
    /// A joint takes shares of the turns of others, one after the other: a knee cap, an elbow's
    /// half-way helper, a chain of twist joints.
    Share {
        /// The joint that takes the shares.
        joint: J,
        /// From whom, and how much.
        of: Vec<Share<J>>,
        /// How far it may turn.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
        limits: TurnLimits,
    },
    /// A joint turns an axis of its own towards another joint (`VRMC_node_constraint`, aim).
    Aim {
        /// The joint that turns.
        joint: J,
        /// The joint that it points at.
        target: J,
        /// Unit vector in the joint's rest frame.
        axis: DVec3,
        /// From 0, not at all, to 1.
        #[cfg_attr(feature = "serde", serde(default = "one"))]
        weight: f64,
    },
    /// A joint copies another's rotation, frame for frame (`VRMC_node_constraint`, rotation); or
    /// of it what turns about one axis (roll).
    Copy {
        /// The joint that copies.
        joint: J,
        /// The joint that is copied.
        source: J,
        /// Unit vector in the joint's rest frame: only what turns about it. `None` copies all.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        axis: Option<DVec3>,
        /// From 0, not at all, to 1.
        #[cfg_attr(feature = "serde", serde(default = "one"))]
        weight: f64,
    },
    /// A number is what a formula says.
    Formula {
        /// The number that is driven.
        value: Value<J, S>,
        /// As [`super::Formula`] reads it; controls are known by their names.
        formula: String,
        /// What its other names stand for.
        #[cfg_attr(feature = "serde", serde(default = "BTreeMap::new"))]
        inputs: BTreeMap<String, Input<J, S>>,
    },
    /// A shape is there around a weight of another, as a hat: all of it at its own weight, nothing
    /// at that of the next in-betweens, at 0 and at 1.
    InBetween {
        /// The shape that is driven.
        shape: S,
        /// Whose weight decides.
        of: S,
        /// Where it is all there; neither 0 nor 1.
        weight: f64,
    },
    /// Shapes come and go with example poses (radial basis interpolation): at an example its shapes
    /// have its weights, at rest they have none.
    Examples {
        /// Whose turns decide.
        joints: Vec<ExampleJoint<J>>,
        /// The shapes that are driven.
        shapes: Vec<S>,
        /// Where they are known.
        examples: Vec<Example>,
    },
}

/// A joint's share of another's turn.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Share<J = u32> {
    /// The joint whose turns are shared.
    pub joint: J,
    /// Of its swing; `None` leaves the own one alone.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub swing: Option<f64>,
    /// Of its unwrapped twist; `None` leaves the own one alone.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub twist: Option<f64>,
}

/// How far a joint may turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct TurnLimits {
    /// The largest swing.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub swing_degrees: Option<f64>,
    /// The least and the largest twist.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub twist_degrees: Option<[f64; 2]>,
}

/// A number that can be driven.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(untagged, deny_unknown_fields)
)]
pub enum Value<J = u32, S = ShapeIndex> {
    /// A number of a joint's pose.
    Joint {
        /// Which joint.
        joint: J,
        /// Which number.
        property: Property,
    },
    /// The weight of a shape.
    Shape {
        /// Which shape.
        shape: S,
    },
}

/// A number that a formula reads.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(untagged, deny_unknown_fields)
)]
pub enum Input<J = u32, S = ShapeIndex> {
    /// A number of a joint's pose.
    Joint {
        /// Which joint.
        joint: J,
        /// Which number.
        property: Property,
    },
    /// The weight of a shape.
    Shape {
        /// Which shape.
        shape: S,
    },
    /// A named control, under another name.
    Control {
        /// Its name.
        control: String,
    },
}

/// A joint whose turn decides, and what of it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct ExampleJoint<J = u32> {
    /// Which joint.
    pub joint: J,
    /// Whether its swing counts.
    #[cfg_attr(feature = "serde", serde(default = "yes"))]
    pub swing: bool,
    /// Whether its twist counts, unwrapped.
    #[cfg_attr(feature = "serde", serde(default = "yes"))]
    pub twist: bool,
}

/// A pose at which the weights are known.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Example {
    /// One a joint of the driver.
    pub turns: Vec<ExampleTurn>,
    /// One a shape of the driver; those past the end are zero.
    pub weights: Vec<f64>,
}

/// How a joint has turned in an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct ExampleTurn {
    /// As in [`JointPose`](crate::skeleton::JointPose).
    pub swing: DQuat,
    /// The twist about the bone, unwrapped: two turns are 4π.
    pub twist_radians: f64,
}

impl ExampleTurn {
    /// No turn: the joint as it is at rest.
    pub const REST: Self = Self { swing: DQuat::IDENTITY, twist_radians: 0.0 };
}

#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

#[cfg(feature = "serde")]
fn yes() -> bool {
    true
}

#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl<J, S> Drive<J, S> {
    /// As edits call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Share { .. } => "share",
            Self::Aim { .. } => "aim",
            Self::Copy { .. } => "copy",
            Self::Formula { .. } => "formula",
            Self::InBetween { .. } => "in-between",
            Self::Examples { .. } => "examples",
        }
    }
}

impl<J, S: PartialEq> Driver<J, S> {
    /// True if it drives this shape.
    pub fn drives_shape(&self, shape: &S) -> bool {
        match &self.drive {
            Drive::Share { .. } | Drive::Aim { .. } | Drive::Copy { .. } => false,
            Drive::Formula { value, .. } => match value {
                Value::Joint { .. } => false,
                Value::Shape { shape: driven } => driven == shape,
            },
            Drive::InBetween { shape: driven, .. } => driven == shape,
            Drive::Examples { shapes, .. } => shapes.contains(shape),
        }
    }
}

impl<J, S> Driver<J, S> {
    /// A driver that is not muted.
    pub fn new(name: impl Into<String>, drive: Drive<J, S>) -> Self {
        Self { name: name.into(), muted: false, drive }
    }

    /// The same with joints and shapes named in another way.
    ///
    /// # Errors
    /// The first that `joint` or `shape` gives.
    pub fn try_map<J2, S2, E>(
        &self,
        joint: impl Fn(&J) -> Result<J2, E>,
        shape: impl Fn(&S) -> Result<S2, E>,
    ) -> Result<Driver<J2, S2>, E> {
        let drive = match &self.drive {
            Drive::Share { joint: to, of, limits } => {
                let of = of.iter().map(|share| {
                    let Share { swing, twist, .. } = *share;
                    Ok(Share { joint: joint(&share.joint)?, swing, twist })
                });
                let of = of.collect::<Result<_, E>>()?;
                Drive::Share { joint: joint(to)?, of, limits: *limits }
            }
            Drive::Aim { joint: to, target, axis, weight } => {
                let (to, target) = (joint(to)?, joint(target)?);
                Drive::Aim { joint: to, target, axis: *axis, weight: *weight }
            }
            Drive::Copy { joint: to, source, axis, weight } => {
                let (to, source) = (joint(to)?, joint(source)?);
                Drive::Copy { joint: to, source, axis: *axis, weight: *weight }
            }
            Drive::Formula { value, formula, inputs } => {
                let value = match value {
                    Value::Joint { joint: of, property } => {
                        Value::Joint { joint: joint(of)?, property: *property }
                    }
                    Value::Shape { shape: of } => Value::Shape { shape: shape(of)? },
                };
                let input = |input: &Input<J, S>| {
                    Ok(match input {
                        Input::Joint { joint: of, property } => {
                            Input::Joint { joint: joint(of)?, property: *property }
                        }
                        Input::Shape { shape: of } => Input::Shape { shape: shape(of)? },
                        Input::Control { control } => Input::Control { control: control.clone() },
                    })
                };
                let inputs = inputs.iter().map(|(name, of)| Ok((name.clone(), input(of)?)));
                let inputs = inputs.collect::<Result<_, E>>()?;
                Drive::Formula { value, formula: formula.clone(), inputs }
            }
            Drive::InBetween { shape: to, of, weight } => {
                Drive::InBetween { shape: shape(to)?, of: shape(of)?, weight: *weight }
            }
            Drive::Examples { joints, shapes, examples } => {
                let of_joint = |of: &ExampleJoint<J>| {
                    let ExampleJoint { swing, twist, .. } = *of;
                    Ok(ExampleJoint { joint: joint(&of.joint)?, swing, twist })
                };
                Drive::Examples {
                    joints: joints.iter().map(of_joint).collect::<Result<_, E>>()?,
                    shapes: shapes.iter().map(&shape).collect::<Result<_, E>>()?,
                    examples: examples.clone(),
                }
            }
        };
        Ok(Driver { name: self.name.clone(), muted: self.muted, drive })
    }
}
