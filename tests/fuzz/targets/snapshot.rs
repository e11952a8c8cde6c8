//! Snapshots. Checksums and the length are corrected first, or no change would reach the content.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::snapshot::check(bytes));
