//! The profile of a GPU: the time of each kernel.

use std::fmt;
use std::io::Write;
use std::path::Path;

use pollster::block_on;
use serde::Serialize;
use serde_json::{Value, json};
use spikelet::Plan;
use spikelet_gpu::{Device, DispatchSpan, Fusion, KernelTime, Measurement, Monitor, Profile, gpu_plan_of_trials, min_bytes};

use super::RunFigures;
use super::advice::{self, Advice, Workload};
use crate::args::RunArguments;
use crate::failure::Failure;
use crate::files;
use crate::output::unwritable;
use crate::terminal;
use crate::text::short;

/// The keys of its JSON are part of the command line interface.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// The slowest first; empty if the device has no timestamps.
    kernels: Vec<Kernel>,
    /// The fraction of the time in which the device worked, if known.
    busy: Option<f64>,
    submissions: u64,
    dispatches: u64,
    dispatches_per_step: f64,
    events_per_second: f64,
    encode_seconds: f64,
    /// Bandwidth of a copy between buffers of the same device, with bytes read and written.
    copy_bytes_per_second: f64,
    bottleneck: String,
    pub(super) advice: Vec<Advice>,
}

#[derive(Debug, Clone, Serialize)]
struct Kernel {
    name: String,
    dispatches: u64,
    seconds: f64,
    /// Fraction of the time of all kernels, from 0 to 1.
    share: f64,
    /// Minimum number of bytes moved, divided by its time, if known.
    bytes_per_second: Option<f64>,
}

/// The measurements of a run.
pub(super) fn of_run(
    args: &RunArguments,
    (device, monitor): &(Device, Monitor),
    plan: &Plan,
    run: &RunFigures,
) -> Result<Report, Failure> {
    let is_fused = |of: spikelet_gpu::DryRun| of.fusion != Fusion::None;
    if gpu_plan_of_trials(plan, device.report().max_binding_bytes(), run.trials).is_ok_and(is_fused) && !args.quiet {
        terminal::notice(
            &"--profile dispatches each kernel by itself, to measure it; without it, one dispatch does the work of many",
        );
    }
    let seconds = run.simulate_seconds;
    let (times, counters) = (monitor.times(), monitor.counters());
    let copy = block_on(device.copy_bytes_per_second())?;
    let kernel = |(name, (dispatches, seconds)): (&&'static str, &(u64, f64))| KernelTime {
        name: (*name).to_owned(),
        dispatches: *dispatches,
        seconds: *seconds,
        min_bytes: min_bytes(plan, name, times.steps, times.events),
    };
    let measured = Measurement {
        seconds,
        encode_seconds: counters.encode_seconds,
        kernels: times.kernels.iter().map(kernel).collect(),
        submissions: counters.submissions,
        dispatches: counters.dispatches,
        steps: times.steps,
        events: times.events.iter().sum(),
        copy_bytes_per_second: Some(copy),
    };
    if let Some(file) = &args.trace {
        write(file, &trace(&device.report().name, &times.spans))?;
    }
    let profile = Profile::of(&measured);
    let kernel = |of: spikelet_gpu::KernelShare| Kernel {
        name: of.time.name,
        dispatches: of.time.dispatches,
        seconds: of.time.seconds,
        share: of.share,
        bytes_per_second: of.bytes_per_second,
    };
    let workload = Workload::new(args, plan, run);
    let advice = advice::of_gpu(&workload, &measured, &profile, device.report().software);
    Ok(Report {
        kernels: profile.kernels.into_iter().map(kernel).collect(),
        busy: profile.busy,
        submissions: measured.submissions,
        dispatches: measured.dispatches,
        dispatches_per_step: profile.dispatches_per_step,
        events_per_second: profile.events_per_second,
        encode_seconds: measured.encode_seconds,
        copy_bytes_per_second: copy,
        bottleneck: profile.bottleneck,
        advice,
    })
}

/// Chrome's trace-event format: times in µs, one row for the device.
fn trace(device: &str, spans: &[DispatchSpan]) -> Value {
    let row = json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": device}});
    let event = |span: &DispatchSpan| json!({"name": span.name, "cat": "kernel", "ph": "X", "pid": 1, "tid": 1, "ts": span.begin * 1e6, "dur": span.seconds * 1e6});
    let events: Vec<Value> = std::iter::once(row).chain(spans.iter().map(event)).collect();
    json!({"displayTimeUnit": "ns", "traceEvents": events})
}

fn write(path: &Path, trace: &Value) -> Result<(), Failure> {
    files::write(path, |file| write!(file, "{trace}")).map_err(|error| unwritable(path, "--trace", &error))
}

/// The table.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gigabytes = |bytes: f64| short(bytes / 1e9);
        writeln!(f, "\n{:<16} {:>12} {:>10} {:>7} {:>10}", "kernel", "dispatches", "seconds", "share", "GB/s")?;
        for Kernel { name, dispatches, seconds, share, bytes_per_second } in &self.kernels {
            let rate = bytes_per_second.map_or("-".to_owned(), gigabytes);
            writeln!(f, "{name:<16} {dispatches:>12} {:>10} {:>5.1} % {rate:>10}", short(*seconds), 100.0 * share)?;
        }
        let busy = self.busy.map_or(String::new(), |busy| format!("; the device works {:.0} % of the time", 100.0 * busy));
        writeln!(
            f,
            "{} dispatches in {} submissions, {} a step, recorded in {} s{busy}; {} events/s; a copy moves {} GB/s",
            self.dispatches,
            self.submissions,
            short(self.dispatches_per_step),
            short(self.encode_seconds),
            short(self.events_per_second),
            gigabytes(self.copy_bytes_per_second)
        )?;
        f.write_str(&self.bottleneck)
    }
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
