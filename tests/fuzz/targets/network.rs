//! Networks as JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::network::check(bytes));
