//! A rest that moves: what is bound follows it, as near as a bind would have it, and settings that
//! only scale are live.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accuracy;
mod adjust;
mod body;
mod same;
mod timing;
