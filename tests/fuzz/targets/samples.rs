//! Samples to train on. Before them is a line: the name of the file, whose ending is its format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikelet_fuzz::accepted;
use spikelet_train::Data;

fuzz_target!(|bytes: &[u8]| {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let Some(name) = spikelet_fuzz::text(&bytes[..end]) else { return };
    let data = Data { file: Some(name.to_owned()), duration_ms: Some(10.0), ..Data::default() };
    accepted(data.read(name, &bytes[end + 1..]));
});
