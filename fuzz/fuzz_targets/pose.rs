//! Any bytes as a pose file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sinew_fuzz::editing::pose(bytes));
