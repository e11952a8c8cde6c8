//! Networks that are being edited: all their errors at once, for an editor. A network may have any error here.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::judge::check(bytes));
