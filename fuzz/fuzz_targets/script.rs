//! Any bytes as a script of edits.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sinew_fuzz::editing::script(bytes));
