//! The studio, used by its controls' names, without a window.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cage;
mod choosing;
mod common;
mod controls;
mod keys;
mod motion;
mod motions;
mod rigging;
mod shells;
mod sketch;
mod trust;
mod weights;
mod window;
mod work;
