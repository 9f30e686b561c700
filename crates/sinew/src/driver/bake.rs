//! What is driven, as a motion would address it.

use super::{DriverPlan, Slot};
use crate::motion::{Address, JointProperty};

/// The addresses of everything that a plan drives: what a channel there says has no effect.
pub fn driven_addresses(plan: &DriverPlan) -> Vec<Address> {
    let mut all = Vec::new();
    for &slot in plan.driven() {
        match slot {
            Slot::Swing(joint) => all.push(Address::joint(joint, JointProperty::Swing)),
            Slot::Twist(joint) => all.push(Address::joint(joint, JointProperty::Twist)),
            Slot::Translation(joint) => all.push(Address::joint(joint, JointProperty::Translation)),
            Slot::Scale(joint) => all.push(Address::joint(joint, JointProperty::Scale)),
            Slot::Stretch(joint) => all.push(Address::joint(joint, JointProperty::Stretch)),
            Slot::Shape(shape) => {
                all.push(Address::Shape { part: shape.part, shape: shape.shape });
            }
        }
    }
    all
}
