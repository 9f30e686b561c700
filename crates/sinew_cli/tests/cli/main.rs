//! The built command, run as a user runs it. One binary: linking several takes longer than running them.

mod bench;
mod command;
mod common;
mod deform;
mod files;
