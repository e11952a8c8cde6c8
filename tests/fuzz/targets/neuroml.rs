//! NeuroML and LEMS.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::neuroml::check(bytes));
