//! The dispatches of a profile in Chrome's trace-event format.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use spikelet_gpu::DispatchSpan;

use crate::failure::Failure;
use crate::files;
use crate::output::unwritable;

/// Writes the dispatches of a device to a file.
pub(super) fn write(path: &Path, device: &str, spans: &[DispatchSpan]) -> Result<(), Failure> {
    let trace = trace(device, spans);
    files::write(path, |file| write!(file, "{trace}")).map_err(|error| unwritable(path, "--trace", &error))
}

/// Times in µs, one row for the device.
fn trace(device: &str, spans: &[DispatchSpan]) -> Value {
    let row = json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": device}});
    let event = |span: &DispatchSpan| json!({"name": span.name, "cat": "kernel", "ph": "X", "pid": 1, "tid": 1, "ts": span.begin * 1e6, "dur": span.seconds * 1e6});
    let events: Vec<Value> = std::iter::once(row).chain(spans.iter().map(event)).collect();
    json!({"displayTimeUnit": "ns", "traceEvents": events})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_an_event_for_each_dispatch_in_microseconds() {
        let spans = [
            DispatchSpan { name: "neurons", begin: 0.5e-3, seconds: 2e-6 },
            DispatchSpan { name: "propagate", begin: 1e-3, seconds: 1e-6 },
        ];
        let trace = trace("a GPU", &spans);
        let events = trace["traceEvents"].as_array().expect("events");
        assert_eq!((events.len(), &events[0]["args"]["name"]), (3, &"a GPU".into()));
        assert_eq!((&events[1]["name"], &events[1]["ph"]), (&"neurons".into(), &"X".into()));
        let microseconds = |key: &str| events[1][key].as_f64().map(|value| value.round());
        assert_eq!((microseconds("ts"), microseconds("dur")), (Some(500.0), Some(2.0)));
    }
}
