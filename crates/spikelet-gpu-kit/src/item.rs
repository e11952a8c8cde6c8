//! What items of a step share. Each result is a line of standard output, and so is the beginning of each item, so that the process that
//! waits knows what hangs.

use std::io::Write;

use pollster::block_on;
use serde_json::{Value, json};
use spikelet_gpu::{Device, Selector};

use crate::Problem;
use crate::options::Options;

/// Prints a result.
pub(crate) fn emit(line: &Value) {
    let mut output = std::io::stdout().lock();
    // The process that waits may have ended; then this one will, too.
    _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// Prints the beginning of an item.
pub(crate) fn begin(item: usize, name: &str) {
    emit(&json!({"kind": "begin", "item": item, "name": name}));
}

/// Opens the GPU.
///
/// # Errors
/// There is none, or it cannot be opened.
pub(crate) fn open(options: &Options) -> Result<Device, Problem> {
    let selector = options.adapter.as_deref().map_or(Ok(Selector::Best), str::parse).map_err(Problem::Adapter)?;
    Ok(block_on(Device::open_with(&selector))?)
}
