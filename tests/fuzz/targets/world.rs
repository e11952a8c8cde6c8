//! Configurations of 4D-Neural-Cognition.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::world::check(bytes));
