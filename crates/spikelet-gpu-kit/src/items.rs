//! A step in a process of its own, item by item. Each result is a line of standard output, and so is the beginning of each item, so that
//! the process that waits knows what hangs.

use std::io::Write;

use pollster::block_on;
use serde_json::{Value, json};
use spikelet_gpu::{AdapterReport, Device, Selector};

use crate::Problem;
use crate::options::Options;
use crate::step::Step;
use crate::{gathering, networks, select, tune};

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

/// Does a step from its item `from` on.
///
/// # Errors
/// There is no such GPU, or no item can be done.
pub(crate) fn run(step: Step, options: &Options) -> Result<(), Problem> {
    match step {
        Step::Adapter => adapter(options),
        Step::Operations => {
            begin(0, "operations");
            for report in block_on(spikelet_gpu::probe(&open(options)?))? {
                let mut line = json!({"kind": "operation"});
                if let (Some(line), Ok(Value::Object(report))) = (line.as_object_mut(), serde_json::to_value(&report)) {
                    line.extend(report);
                }
                emit(&line);
            }
            Ok(())
        }
        Step::Networks => networks::run(options),
        Step::Figures => match options.from {
            0 => select::run(options),
            _ => gathering::run(),
        },
        // All of it is done by the program `spikelet`.
        Step::Profile => Ok(()),
        Step::Tune => tune::run(options),
    }
}

/// Opens the GPU.
///
/// # Errors
/// There is none, or it cannot be opened.
pub(crate) fn open(options: &Options) -> Result<Device, Problem> {
    let selector = options.adapter.as_deref().map_or(Ok(Selector::Best), str::parse).map_err(Problem::Adapter)?;
    Ok(block_on(Device::open_with(&selector))?)
}

fn adapter(options: &Options) -> Result<(), Problem> {
    begin(0, "adapter");
    emit(&described(open(options)?.report()));
    Ok(())
}

/// The line of an adapter.
fn described(report: &AdapterReport) -> Value {
    let features = report.features.iter().filter(|feature| feature.available).map(|feature| feature.name);
    let limits = report.limits.iter().map(|limit| (limit.name.to_owned(), Value::from(limit.available)));
    let mut line = json!({"kind": "adapter", "name": report.name, "backend": report.api.to_lowercase()});
    let known = |text: &str| (!text.is_empty()).then(|| Value::from(text));
    let parts = [
        ("vendor", report.vendor_id.map(|id| format!("0x{id:04x}").into())),
        ("device", report.device_id.map(|id| format!("0x{id:04x}").into())),
        ("driver", known(&report.driver)),
        ("type", known(report.kind.trim_end_matches(" GPU"))),
        ("memory_bytes", report.memory.map(|memory| memory.bytes.into())),
        ("features", Some(features.collect())),
        ("limits", Some(Value::Object(limits.collect()))),
    ];
    for (key, value) in parts {
        if let Some(value) = value {
            line[key] = value;
        }
    }
    line
}
