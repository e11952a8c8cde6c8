//! The profile of a GPU.

use serde::Serialize;
use spikelet::Error;

use super::advice::{self, Advice};
use super::{KernelShare, KernelTime, Measurement, Profile, Workload, min_bytes};
use crate::{Device, Monitor};

/// The kernels of a GPU.
#[derive(Debug, Clone, Serialize)]
pub struct GpuReport {
    /// The slowest first; empty if the device has no timestamps.
    pub kernels: Vec<KernelProfile>,
    /// The fraction of the time in which the device worked, if known.
    pub busy: Option<f64>,
    /// Submissions.
    pub submissions: u64,
    /// Dispatches in them.
    pub dispatches: u64,
    /// Dispatches per step.
    pub dispatches_per_step: f64,
    /// Synaptic events per second of wall time.
    pub events_per_second: f64,
    /// Wall time of the host to record and submit commands.
    pub encode_seconds: f64,
    /// Bandwidth of a copy between buffers of the same device, with bytes read and written.
    pub copy_bytes_per_second: f64,
    /// What limits the speed, as a sentence.
    pub bottleneck: String,
    /// What to change.
    pub advice: Vec<Advice>,
}

/// The time of a kernel.
#[derive(Debug, Clone, Serialize)]
pub struct KernelProfile {
    /// Its entry point.
    pub name: String,
    /// Number of its dispatches.
    pub dispatches: u64,
    /// Total time of its dispatches.
    pub seconds: f64,
    /// Fraction of the time of all kernels, from 0 to 1.
    pub share: f64,
    /// Minimum number of bytes moved, divided by its time, if known.
    pub bytes_per_second: Option<f64>,
}

impl GpuReport {
    pub(super) async fn new(run: &Workload<'_>, device: &Device, monitor: &Monitor) -> Result<GpuReport, Error> {
        let (times, counters) = (monitor.times(), monitor.counters());
        let copy = device.copy_bytes_per_second().await?;
        let kernel = |(name, (dispatches, seconds)): (&&'static str, &(u64, f64))| KernelTime {
            name: (*name).to_owned(),
            dispatches: *dispatches,
            seconds: *seconds,
            min_bytes: min_bytes(run.plan, name, times.steps, times.events),
        };
        let measured = Measurement {
            seconds: run.seconds,
            encode_seconds: counters.encode_seconds,
            kernels: times.kernels.iter().map(kernel).collect(),
            submissions: counters.submissions,
            dispatches: counters.dispatches,
            steps: times.steps,
            events: times.events.iter().sum(),
            copy_bytes_per_second: Some(copy),
        };
        let profile = Profile::of(&measured);
        let advice = advice::of_gpu(run, &measured, &profile, device.report().software);
        let kernel = |KernelShare { time, share, bytes_per_second }| KernelProfile {
            name: time.name,
            dispatches: time.dispatches,
            seconds: time.seconds,
            share,
            bytes_per_second,
        };
        Ok(GpuReport {
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
}
