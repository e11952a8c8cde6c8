//! Samples to train on. Before them is a line: the name of the file, whose ending is its format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::samples::check(bytes));
