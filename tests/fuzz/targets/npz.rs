//! NumPy archives: as edges, as arrays, and as learned weights. Bytes that are no archive are entries of one, so that arrays change, too:
//! each is its name up to a line break, and its content up to the next line `---`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::npz::check(bytes));
