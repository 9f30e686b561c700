//! What posing by hand needs to know of a body: which way each joint bends.

mod hinge;

pub use hinge::{Hinge, Hinges};
