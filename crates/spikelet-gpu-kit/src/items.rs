//! A step in a process of its own, item by item.

use pollster::block_on;
use serde_json::{Value, json};
use spikelet_gpu::AdapterReport;

use crate::Problem;
use crate::item::{begin, emit, open};
use crate::options::Options;
use crate::step::Step;
use crate::{gathering, networks, select, tune};

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
