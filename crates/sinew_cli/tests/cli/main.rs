//! The built command, run as a user runs it. One binary: linking several takes longer than running
//! them.

#![allow(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

mod bench;
mod cages;
mod command;
mod common;
mod deform;
mod drivers;
mod dynamic_springs;
mod edit;
mod files;
mod frames;
mod hostile;
mod motion;
mod new_user;
mod one_frame;
mod pictures;
mod safe_files;
mod shapes;
mod spring_edits;
mod springs;
mod stretch;
mod weights;
