//! What is typed: a line each, tried as a value of a path, a change, a condition, a sweep, and the name of an endpoint.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::settings::check(bytes));
