//! Which backend runs, and why.

use std::fmt;
use std::str::FromStr;

use spikelet::{Backend, Cpu, Error};

use crate::{Device, Gpu};

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendRequest {
    /// A GPU where there is a real one, else the CPU.
    #[default]
    Auto,
    /// A GPU, a software one included; else an error.
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

/// The kind of device that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A GPU, or software that behaves like one.
    Gpu,
    /// CPU threads.
    Cpu,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Gpu => "gpu",
            Kind::Cpu => "cpu",
        })
    }
}

/// A backend, with the reason it was chosen.
pub struct Chosen {
    /// The backend, nothing loaded yet.
    pub backend: Box<dyn Backend>,
    /// The GPU that it runs on, if it does.
    pub device: Option<Device>,
    /// What kind it is.
    pub kind: Kind,
    /// The device's name.
    pub name: String,
    /// CPU threads it may use; 0 for a GPU.
    pub threads: usize,
    /// Why it, in a sentence.
    pub reason: String,
}

/// Chooses a backend. `threads` is for the CPU.
///
/// # Errors
/// A GPU was asked for and there is none.
pub async fn auto(request: BackendRequest, threads: usize) -> Result<Chosen, Error> {
    let cpu = |reason: String| {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads.max(1) };
        let name = format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" });
        Chosen { backend: Box::new(Cpu::new(threads)), device: None, kind: Kind::Cpu, name, threads, reason }
    };
    if request == BackendRequest::Cpu {
        return Ok(cpu("the CPU was asked for".into()));
    }
    let device = match Device::open().await {
        Ok(device) => device,
        Err(error) if request == BackendRequest::Gpu => return Err(error),
        Err(error) => return Ok(cpu(error.to_string())),
    };
    let report = device.report();
    if request == BackendRequest::Auto && report.software {
        return Ok(cpu(format!("the only GPU adapter is {}, a software one, which is slower than the CPU itself", report.name)));
    }
    let reason = match request {
        BackendRequest::Gpu => format!("a GPU was asked for; this one answers to {}", report.api),
        _ => format!("a GPU is there, and answers to {}", report.api),
    };
    let name = report.name.clone();
    let backend = Box::new(Gpu::new(device.clone()));
    Ok(Chosen { backend, device: Some(device), kind: Kind::Gpu, name, threads: 0, reason })
}
