//! Selection of a backend.

use std::fmt;
use std::str::FromStr;

use spikelet::lang::wgsl::Arithmetic;
use spikelet::{Backend, Cpu, CpuProfile, Error, Sleep};

use crate::environment::GpuEnvironment;
use crate::no_gpu::NoGpuReason;
use crate::{Device, Gpu, GpuOptions, Monitor, Selector};

/// The backend requested by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendRequest {
    /// A real GPU if there is one, else the CPU.
    #[default]
    Auto,
    /// A GPU, including a software GPU; else an error.
    Gpu,
    /// The CPU.
    Cpu,
}

impl FromStr for BackendRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<BackendRequest, String> {
        match text {
            "auto" => Ok(BackendRequest::Auto),
            "gpu" => Ok(BackendRequest::Gpu),
            "cpu" => Ok(BackendRequest::Cpu),
            other => Err(format!("there is no backend `{other}`; there are `auto`, `gpu` and `cpu`")),
        }
    }
}

/// The kind of the selected device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// A GPU, or a software GPU.
    Gpu,
    /// CPU threads.
    Cpu,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Cpu => "cpu",
        })
    }
}

/// A backend with the reason for its selection.
pub struct SelectedBackend {
    /// The backend, with nothing loaded.
    pub backend: Box<dyn Backend>,
    /// Its kind.
    pub kind: DeviceKind,
    /// The device's name.
    pub name: String,
    /// Its maximum number of CPU threads; 0 for a GPU.
    pub threads: usize,
    /// The reason, as a sentence.
    pub reason: String,
    /// The GPU, if it is one: its device, and its state during a run.
    pub gpu: Option<(Device, Monitor)>,
}

impl SelectedBackend {
    /// A CPU.
    pub fn of_cpu(cpu: Cpu, reason: String) -> SelectedBackend {
        let threads = cpu.threads();
        let name = format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" });
        SelectedBackend { backend: Box::new(cpu), kind: DeviceKind::Cpu, name, threads, reason, gpu: None }
    }

    /// An open GPU with options.
    ///
    /// # Errors
    /// The options are not possible.
    pub fn of_gpu(device: Device, options: GpuOptions, reason: String) -> Result<SelectedBackend, Error> {
        let gpu = Gpu::with_options(device.clone(), options)?;
        let (name, monitor) = (device.report().name.clone(), gpu.monitor());
        Ok(SelectedBackend {
            backend: Box::new(gpu),
            kind: DeviceKind::Gpu,
            name,
            threads: 0,
            reason,
            gpu: Some((device, monitor)),
        })
    }
}

/// A request for a backend.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// CPU or GPU.
    pub backend: BackendRequest,
    /// CPU threads; at least 1.
    pub threads: usize,
    /// The GPU. A named one is used even if it is a software GPU.
    pub adapter: Selector,
    /// Options of a GPU.
    pub options: GpuOptions,
    /// The profile of a CPU.
    pub cpu_profile: Option<CpuProfile>,
    /// When neurons sleep on a CPU.
    pub sleep: Sleep,
}

/// Selects a backend.
///
/// # Errors
/// A GPU or a named GPU was requested, and there is none; or a GPU was named for the CPU.
pub async fn auto(request: &Request) -> Result<SelectedBackend, Error> {
    auto_on(request, async || Device::open_with(&request.adapter).await).await
}

/// As [`auto`], with a GPU from `open`, which is called only if needed: use it to share a device between networks.
///
/// # Errors
/// As [`auto`].
pub async fn auto_on(request: &Request, open: impl AsyncFnOnce() -> Result<Device, Error>) -> Result<SelectedBackend, Error> {
    let Request { backend, threads, adapter, options, cpu_profile, sleep } = request;
    let is_named = *adapter != Selector::Best;
    let cpu = |reason: String| {
        let cpu = Cpu::new(*threads).sparing().with_sleep(*sleep);
        let cpu = match cpu_profile {
            Some(profile) => cpu.with_profile(profile.clone()),
            None => cpu,
        };
        SelectedBackend::of_cpu(cpu, reason)
    };
    if *backend == BackendRequest::Cpu {
        if is_named {
            return Err(Error::Invalid {
                path: "the adapter".into(),
                value: format!("`{adapter}`"),
                expected: "the CPU was requested as well".into(),
                way_out: "remove one of the two".into(),
                kind: None,
            });
        }
        return Ok(cpu("the CPU was requested".into()));
    }
    let device = match open().await {
        Ok(device) => device,
        Err(error) if *backend == BackendRequest::Gpu || is_named => return Err(error),
        Err(error) => return Ok(cpu(error.to_string())),
    };
    let report = device.report();
    if *backend == BackendRequest::Auto && report.software && !is_named {
        return Ok(cpu(NoGpuReason::OnlySoftware { name: report.name.clone(), place: GpuEnvironment::here() }.to_string()));
    }
    let reason = match backend {
        _ if is_named => format!("the adapter `{adapter}` was requested; it matches {}", report.api),
        BackendRequest::Gpu => format!("a GPU was requested; this one is {}", report.api),
        _ => format!("a GPU is available: {}", report.api),
    };
    let reason = match options.arithmetic {
        Arithmetic::Exact => reason,
        Arithmetic::Fast => format!("{reason}; its arithmetic is fast, so that spikes are those of this device alone"),
    };
    SelectedBackend::of_gpu(device, *options, reason)
}
