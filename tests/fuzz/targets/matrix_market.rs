//! Edge lists as Matrix Market.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::matrix_market::check(bytes));
