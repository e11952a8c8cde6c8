//! HDF5: all groups, datasets and attributes of a file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::hdf5::check(bytes));
