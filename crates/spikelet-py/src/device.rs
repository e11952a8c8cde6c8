//! The device of a simulation.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use pollster::block_on;
use pyo3::prelude::*;
use spikelet::lang::wgsl::Arithmetic;
use spikelet::{Backend, BuildOptions, Double, Error, ExactSamples};
use spikelet_gpu::{BackendRequest, DeviceKind, GpuOptions, Request, Selector};
use spikelet_native::memory;

use crate::failure::Failure;

/// The device that is requested, as texts of the caller.
#[derive(Debug, Clone, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DeviceRequest {
    /// `auto`, `cpu` or `gpu`.
    backend: String,
    /// The number of a GPU, or a part of its name.
    adapter: Option<String>,
    /// Of the CPU.
    threads: Option<usize>,
    /// `f32` or `f64`.
    precision: String,
    fast_math: bool,
}

/// A device with its description.
pub(crate) struct OpenDevice {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) kind: DeviceKind,
    pub(crate) name: String,
    pub(crate) reason: String,
    /// The samples of a run in f64.
    pub(crate) exact: Option<ExactSamples>,
}

impl DeviceRequest {
    /// Checks all values, and opens the device.
    pub(crate) fn open(&self) -> Result<OpenDevice, Failure> {
        let request = self.request()?;
        if self.is_double()? {
            let backend = Double::new();
            let (name, exact) = (backend.name(), Some(backend.samples()));
            let reason = "precision f64 was requested".to_owned();
            return Ok(OpenDevice { backend: Box::new(backend), kind: DeviceKind::Cpu, name, reason, exact });
        }
        let chosen = block_on(spikelet_gpu::auto(&request))?;
        Ok(OpenDevice { backend: chosen.backend, kind: chosen.kind, name: chosen.name, reason: chosen.reason, exact: None })
    }

    /// The options of the build for this device.
    pub(crate) fn build_options(&self) -> Result<BuildOptions, Failure> {
        let threads = NonZeroUsize::new(self.threads()?).unwrap_or(NonZeroUsize::MIN);
        Ok(BuildOptions { threads, memory: memory::free(), exact: self.is_double()?, ..BuildOptions::default() })
    }

    /// Threads of the CPU.
    pub(crate) fn threads(&self) -> Result<usize, Failure> {
        match self.threads {
            Some(threads @ 1..=1024) => Ok(threads),
            Some(threads) => {
                let way_out = "leave it out to use all cores";
                Err(Error::invalid("threads", threads, "1 to 1024 are possible", way_out).into())
            }
            None => Ok(available_parallelism().map_or(1, NonZeroUsize::get)),
        }
    }

    /// The GPU that a training asks for, if it does: `auto` is the CPU there.
    pub(crate) fn gpu(&self) -> Result<Option<Selector>, Failure> {
        let request = self.request()?;
        if self.is_double()? {
            let way_out = "leave out `precision`";
            return Err(Error::invalid("precision", "f64", "trainings compute in f32", way_out).into());
        }
        let is_gpu = request.backend == BackendRequest::Gpu || self.adapter.is_some();
        Ok(is_gpu.then_some(request.adapter))
    }

    fn is_double(&self) -> Result<bool, Failure> {
        let is_gpu = self.backend == "gpu" || self.adapter.is_some();
        match self.precision.as_str() {
            "f32" => Ok(false),
            "f64" if is_gpu => {
                let expected = "a GPU was requested, which computes in f32";
                Err(Error::invalid("precision", "f64", expected, "leave out the GPU, or use f32").into())
            }
            "f64" => Ok(true),
            other => {
                let way_out = "write precision=\"f64\" for the reference on the CPU";
                Err(Error::invalid("precision", format!("{other:?}"), "there are \"f32\" and \"f64\"", way_out).into())
            }
        }
    }

    /// The request for a device in f32.
    fn request(&self) -> Result<Request, Failure> {
        let backend = self.backend.parse::<BackendRequest>().map_err(Failure)?;
        let adapter: Selector = match &self.adapter {
            Some(words) => words.parse().map_err(Failure)?,
            None => Selector::Best,
        };
        let arithmetic = if self.fast_math { Arithmetic::Fast } else { Arithmetic::Exact };
        let options = GpuOptions { arithmetic, ..GpuOptions::default() };
        Ok(Request { backend, threads: self.threads()?, adapter, options, cpu_profile: None, ..Request::default() })
    }
}

/// The GPUs of this machine, in the order of their numbers: name, interface, and whether it is software.
#[pyfunction]
pub(crate) fn adapters(py: Python<'_>) -> Vec<(String, String, bool)> {
    let found = py.detach(|| block_on(spikelet_gpu::adapters()));
    found.into_iter().map(|report| (report.name, report.api, report.software)).collect()
}
