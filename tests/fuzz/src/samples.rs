//! Samples to train on. Before them is a line: the name of the file, whose ending is its format.

use super::accepted;
use spikelet_train::Data;

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let Some(name) = super::text(&bytes[..end]) else { return };
    let data = Data { file: Some(name.to_owned()), duration_ms: Some(10.0), ..Data::default() };
    accepted(data.read(name, &bytes[end + 1..]));
}
