//! What a network runs on.

use std::thread::available_parallelism;

use pollster::block_on;
use serde::Serialize;
use spikelet_gpu::{AdapterReport, BackendRequest, Chosen};

use crate::args;
use crate::failure::Failure;
use crate::list::Item;
use crate::report::bytes;

/// As many threads as asked for, or as the machine has.
pub(crate) fn threads(asked: Option<std::num::NonZeroUsize>) -> usize {
    asked.or_else(|| available_parallelism().ok()).map_or(1, std::num::NonZeroUsize::get)
}

/// The device asked for, or the best there is.
pub(crate) fn choose(args: &args::Run) -> Result<Chosen, Failure> {
    let request = match args.backend {
        args::Backend::Auto => BackendRequest::Auto,
        args::Backend::Gpu => BackendRequest::Gpu,
        args::Backend::Cpu => BackendRequest::Cpu,
    };
    Ok(block_on(spikelet_gpu::auto(request, threads(args.threads)))?)
}

/// A device that a network could run on.
#[derive(Serialize)]
pub(crate) struct Device {
    kind: &'static str,
    name: String,
    /// CPU threads; 0 for a GPU.
    threads: usize,
    /// How a GPU is spoken to.
    api: Option<String>,
    driver: Option<String>,
    /// Whether it is a GPU that a CPU plays.
    software: bool,
    /// The largest array a GPU can hold in one piece.
    max_binding_bytes: Option<u64>,
}

impl Item for Device {
    fn name(&self) -> &str {
        self.kind
    }

    fn lines(&self) -> Vec<String> {
        let details = [
            self.api.clone(),
            self.software.then(|| "software, for tests: slower than the CPU itself".to_owned()),
            self.driver.clone(),
            self.max_binding_bytes.map(|size| format!("arrays up to {}", bytes(size))),
        ];
        let details: Vec<String> = details.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        if details.is_empty() { vec![self.name.clone()] } else { vec![format!("{} ({})", self.name, details.join("; "))] }
    }
}

/// The CPU, and every adapter found.
pub(crate) fn all() -> Vec<Device> {
    let threads = threads(None);
    let name = format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" });
    let cpu = Device { kind: "cpu", name, threads, api: None, driver: None, software: false, max_binding_bytes: None };
    let gpu = |adapter: AdapterReport| Device {
        kind: "gpu",
        name: adapter.name,
        threads: 0,
        api: Some(adapter.api),
        driver: Some(adapter.driver),
        software: adapter.software,
        max_binding_bytes: Some(adapter.max_binding_bytes),
    };
    std::iter::once(cpu).chain(block_on(spikelet_gpu::adapters()).into_iter().map(gpu)).collect()
}
