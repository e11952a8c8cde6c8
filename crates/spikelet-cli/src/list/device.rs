//! The list of devices.

use pollster::block_on;
use serde::Serialize;
use spikelet::human;
use spikelet_gpu::{AdapterReport, NoGpuReason};

use super::item::Item;
use crate::device::threads;

/// An available device.
#[derive(Serialize)]
pub(super) struct Device {
    /// Its name in the list.
    #[serde(skip)]
    label: String,
    kind: &'static str,
    name: String,
    /// CPU threads; 0 for a GPU.
    threads: usize,
    /// The value for `--adapter`.
    number: Option<usize>,
    /// The graphics API.
    api: Option<String>,
    /// The type of GPU.
    #[serde(rename = "type")]
    sort: Option<&'static str>,
    driver: Option<String>,
    vendor_id: Option<u32>,
    device_id: Option<u32>,
    /// Whether it is a software GPU.
    software: bool,
    /// The largest array in one binding.
    max_binding_bytes: Option<u64>,
    limits: Vec<Limit>,
    features: Vec<Feature>,
}

/// A limit of a GPU, and the requested value.
#[derive(Serialize)]
struct Limit {
    name: &'static str,
    unit: &'static str,
    available: u64,
    requested: u64,
}

/// A feature of a GPU, and whether it is requested.
#[derive(Serialize)]
struct Feature {
    name: &'static str,
    available: bool,
    requested: bool,
}

impl Limit {
    fn line(&self) -> String {
        let said = |value: u64| if self.unit == "bytes" { human(value) } else { value.to_string() };
        let there = if self.available == self.requested { String::new() } else { format!(" of {}", said(self.available)) };
        format!("  {:<34} {}{there}", self.name, said(self.requested))
    }
}

impl Feature {
    fn line(&self) -> String {
        let said = match self {
            Feature { requested: true, .. } => "available, requested",
            Feature { available: true, .. } => "available, not needed",
            _ => "not available",
        };
        format!("  {:<34} {said}", self.name)
    }
}

impl Item for Device {
    fn label(&self) -> &str {
        &self.label
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.name.clone()];
        if self.number.is_some() {
            let id = |name: &str, id: Option<u32>| id.map(|id| format!("{name} 0x{id:04x}"));
            let details = [
                self.api.clone(),
                self.sort.filter(|_| !self.software).map(str::to_owned),
                self.software.then(|| "software, for tests: slower than the CPU".to_owned()),
                self.driver.as_ref().filter(|driver| !driver.is_empty()).map(|driver| format!("driver {driver}")),
                id("vendor", self.vendor_id),
                id("device", self.device_id),
            ];
            lines.push(details.into_iter().flatten().collect::<Vec<_>>().join("; "));
            lines.push("limits as requested (of those there)".to_owned());
            lines.extend(self.limits.iter().map(Limit::line));
            lines.push("features".to_owned());
            lines.extend(self.features.iter().map(Feature::line));
        }
        lines
    }
}

impl Device {
    fn cpu() -> Device {
        let threads = threads(None);
        Device {
            label: "cpu".into(),
            kind: "cpu",
            name: format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" }),
            threads,
            number: None,
            api: None,
            sort: None,
            driver: None,
            vendor_id: None,
            device_id: None,
            software: false,
            max_binding_bytes: None,
            limits: Vec::new(),
            features: Vec::new(),
        }
    }

    fn gpu((number, adapter): (usize, AdapterReport)) -> Device {
        let limit = |of: &spikelet_gpu::LimitReport| Limit {
            name: of.name,
            unit: of.unit,
            available: of.available,
            requested: of.requested,
        };
        let feature =
            |of: &spikelet_gpu::FeatureReport| Feature { name: of.name, available: of.available, requested: of.requested };
        Device {
            label: format!("gpu {number}"),
            kind: "gpu",
            threads: 0,
            number: Some(number),
            sort: Some(adapter.kind),
            vendor_id: adapter.vendor_id,
            device_id: adapter.device_id,
            software: adapter.software,
            max_binding_bytes: Some(adapter.max_binding_bytes()),
            limits: adapter.limits.iter().map(limit).collect(),
            features: adapter.features.iter().map(feature).collect(),
            name: adapter.name,
            api: Some(adapter.api),
            driver: Some(adapter.driver),
        }
    }
}

/// The CPU and all adapters; then the reason if there is no real GPU.
pub(super) fn all() -> (Vec<Device>, Option<NoGpuReason>) {
    let adapters = block_on(spikelet_gpu::adapters());
    let no_gpu_reason = NoGpuReason::among(&adapters);
    let gpus = adapters.into_iter().enumerate().map(Device::gpu);
    (std::iter::once(Device::cpu()).chain(gpus).collect(), no_gpu_reason)
}
