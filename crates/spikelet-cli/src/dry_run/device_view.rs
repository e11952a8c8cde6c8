//! A network on GPUs: on any with a limit of bindings, and on a named one.

use pollster::block_on;
use serde_json::{Value, json};
use spikelet::Error;
use spikelet_gpu::{DeviceMemory, DryRun, Fusion, adapters};

use crate::args::{Backend, RunArguments};
use crate::failure::Failure;

/// Binding limits of GPUs: the WebGPU default, that of most GPUs, and that of large ones.
const LIMITS: [u64; 3] = [128 << 20, 1 << 30, (4 << 30) - 4];

/// The buffers of a network on a GPU.
pub(super) struct GpuMemory {
    pub(super) buffers: Vec<(String, u64)>,
    pub(super) pages: u64,
    pub(super) epoch_steps: u32,
    /// Dispatches per epoch, unless one runs all epochs; `None` if the network was not drawn.
    pub(super) dispatches: Option<(usize, bool)>,
}

impl GpuMemory {
    pub(super) fn of_plan(dry: DryRun) -> GpuMemory {
        let dispatches = Some((dry.dispatches_per_epoch, dry.fusion == Fusion::All));
        GpuMemory { pages: dry.pages as u64, epoch_steps: dry.epoch_steps, dispatches, buffers: dry.buffers }
    }

    pub(super) fn of_estimate(buffers: Vec<(String, u64)>, epoch_steps: u32, binding: u64) -> GpuMemory {
        let rows = buffers.iter().find(|(name, _)| name == "rows").map_or(0, |(_, bytes)| *bytes);
        GpuMemory { buffers, pages: rows.div_ceil(binding.max(1)).max(1), epoch_steps, dispatches: None }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.buffers.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// A network on a GPU, or why it does not fit.
pub(super) struct DeviceView {
    /// The GPU, if it is one of this machine.
    pub(super) name: Option<String>,
    pub(super) binding: u64,
    /// Its memory, as reported by its driver.
    pub(super) memory: Option<DeviceMemory>,
    pub(super) found: Result<GpuMemory, String>,
}

/// The views of the limits, and of the GPU of `--backend gpu` or `--adapter`.
pub(super) fn all(args: &RunArguments, view: impl Fn(u64) -> Result<GpuMemory, Error>) -> Result<Vec<DeviceView>, Failure> {
    let of = |name, binding, memory| {
        let found = view(binding).map_err(|error| error.to_string());
        DeviceView { name, binding, memory, found }
    };
    let mut views: Vec<DeviceView> = LIMITS.into_iter().map(|limit| of(None, limit, None)).collect();
    if args.backend == Backend::Gpu || args.adapter.is_some() {
        let mut found = block_on(adapters());
        let adapter = found.swap_remove(args.adapter.clone().unwrap_or_default().pick(&found)?);
        views.push(of(Some(adapter.name.clone()), adapter.max_binding_bytes(), adapter.memory));
    }
    Ok(views)
}

impl DeviceView {
    /// Whether it fits into the memory that the driver reports as free, if it does.
    pub(super) fn fits(&self) -> Option<bool> {
        let (memory, found) = (self.memory?, self.found.as_ref().ok()?);
        Some(found.bytes() <= memory.free)
    }

    pub(super) fn to_json(&self) -> Value {
        let mut view = match &self.found {
            Ok(gpu) => json!({"binding_bytes": self.binding, "bytes": gpu.bytes(), "pages": gpu.pages,
                              "dispatches_per_epoch": gpu.dispatches.map(|(dispatches, _)| dispatches),
                              "single_dispatch": gpu.dispatches.map(|(_, single)| single),
                              "epoch_steps": gpu.epoch_steps, "buffers": buffers(&gpu.buffers), "refusal": null}),
            Err(refusal) => json!({"binding_bytes": self.binding, "refusal": refusal}),
        };
        if let Some(name) = &self.name {
            view["name"] = json!(name);
            view["free_bytes"] = json!(self.memory.map(|memory| memory.free));
            view["fits"] = json!(self.fits());
        }
        view
    }
}

/// Those that are not empty.
pub(super) fn buffers(buffers: &[(String, u64)]) -> Vec<Value> {
    buffers.iter().filter(|(_, bytes)| *bytes > 0).map(|(name, bytes)| json!({"name": name, "bytes": bytes})).collect()
}
