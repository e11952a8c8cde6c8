//! Trainings as JSON, and checkpoints: the bytes are the content of one, in JSON, whose head and checksum are made here.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spikelet_fuzz::training::check(bytes));
