//! Edge lists as CSV.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::csv::check(bytes));
