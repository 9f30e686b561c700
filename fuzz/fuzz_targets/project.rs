//! Any bytes as a project.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sinew_fuzz::editing::project(bytes));
