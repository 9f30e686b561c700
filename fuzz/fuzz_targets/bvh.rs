//! Any bytes as bvh.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sinew_fuzz::exercise(sinew_io::Format::Bvh, bytes));
