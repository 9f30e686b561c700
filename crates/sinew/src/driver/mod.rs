//! Drivers: joints and shapes that follow others.
//!
//! A [`Driver`] is plain data of a [`Character`](crate::Character): a joint takes a share of
//! another's swing and twist, aims, copies a rotation; a number comes from a [`Formula`] over
//! angles, weights and named [`Control`]s; shapes come and go with example poses. A [`DriverPlan`]
//! is what can be found out beforehand (names, order, weights of the examples); it is run on the
//! [`Controls`](crate::frame::Controls) of a frame before anything else of it, by every surface,
//! without allocation.
//!
//! - **What is driven is replaced**, not added to: driving what was driven already changes nothing,
//!   so that a clip into which drivers were baked can be driven again.
//! - **At rest drivers of turns change nothing**: shares, copies and examples follow how far a
//!   joint has left its rest.
//! - **Angles in formulas are degrees.**
//! - **Order**: each after those that drive what it reads. A cycle is an error that names it.

mod bake;
mod compile;
mod data;
mod examples;
mod formula;
mod order;
mod plan;
mod property;
#[cfg(test)]
mod tests;
mod turn;

pub use bake::driven_addresses;
pub use data::{
    Control, Drive, Driver, Drivers, Example, ExampleJoint, ExampleTurn, Input, ShapeIndex, Share,
    TurnLimits, Value,
};
pub use examples::LEAST_APART_RADIANS;
pub use formula::{Formula, FormulaError};
pub use order::Slot;
pub use plan::{DriverError, DriverPlan};
pub use property::Property;
