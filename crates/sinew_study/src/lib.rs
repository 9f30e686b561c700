//! The shape study: every skinning method beside every other, on real and procedural characters in
//! hard poses.
//!
//! [`subjects`] lists the characters and which of them may be looked at while tuning; [`study`]
//! poses them with each [`method`] and measures; [`table`], [`versus`] and [`sweep`] print.
//! [`cages`] and [`weights`] have tables of their own.
//! [`layered`] has characters of many shells, their tables and contact sheets.
//! `docs/methods/springs-study.md` publishes the tables:
//!
//! ```text
//! cargo run --release -p sinew_study -- --help
//! ```

pub mod body;
pub mod cages;
pub mod files;
pub mod folds;
pub mod goals;
pub mod layered;
pub mod makehuman;
pub mod method;
pub mod poser;
pub mod procedural;
pub mod random;
pub mod rings;
pub mod study;
pub mod subject;
pub mod subjects;
pub mod sweep;
pub mod table;
pub mod versus;
pub mod weights;
pub mod worst;
