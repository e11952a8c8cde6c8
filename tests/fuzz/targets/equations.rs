//! Equations. Paragraphs are those of a population: its equations, threshold, reset; then those of a synapse: its equations, what a
//! presynaptic and a postsynaptic spike does.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::equations::check(bytes));
