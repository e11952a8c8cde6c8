//! Circuits of SONATA: the bytes replace a file of a circuit, JSON, HDF5 or a table, in each place where such a file is.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::sonata::check(bytes));
