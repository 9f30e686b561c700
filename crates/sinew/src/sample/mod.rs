//! Procedural characters.

pub mod body;
