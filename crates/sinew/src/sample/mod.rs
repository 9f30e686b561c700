//! Procedural characters.
