//! Any bytes as an entry of a project's ZIP.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sinew_fuzz::editing::zip(bytes));
