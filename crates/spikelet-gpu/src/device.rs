//! Devices: adapters that are open.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use spikelet::Error;

use crate::adapter::{AdapterReport, Selector, requested_features, requested_limits};
use crate::environment::GpuEnvironment;
use crate::kernels::Dialect;
use crate::no_gpu::NoGpuReason;
use crate::shape::Limits;
use crate::spec::EntryPoint;
use crate::stored_pipelines::{self, StoredPipelines};

/// Percentage of the free memory, as reported by the driver, available for buffers.
const MAX_MEMORY_PERCENT: u8 = 95;

/// The programs of the last plan of a device.
pub(crate) type Kernels = Rc<RefCell<HashMap<(EntryPoint, Dialect), wgpu::ComputePipeline>>>;

/// An open GPU. Clones are the same one.
#[derive(Clone)]
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    report: AdapterReport,
    limits: Limits,
    /// The kernels of the last plan: the next one may reuse some of them.
    pub(crate) kernels: Kernels,
    /// What the driver keeps of compiled kernels, with the name under which it can be stored; `None` if its API stores none.
    pub(crate) cache: Option<(String, wgpu::PipelineCache)>,
    /// Errors outside of calls: the next call returns them.
    failure: Arc<Mutex<Option<String>>>,
    /// Why it was lost, if it was: every later call returns this.
    lost: Arc<OnceLock<String>>,
}

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    // If the driver reports free memory, a buffer beyond it is rejected, rather than swapped out or taken from other processes.
    descriptor.memory_budget_thresholds.for_resource_creation = Some(MAX_MEMORY_PERCENT);
    wgpu::Instance::new(descriptor)
}

/// All adapters of this machine; a browser has one at most.
pub async fn adapters() -> Vec<AdapterReport> {
    instance().enumerate_adapters(wgpu::Backends::all()).await.iter().map(AdapterReport::of).collect()
}

/// No adapter, with the reason.
fn no_adapter(why: &dyn std::fmt::Display) -> Error {
    Error::Backend(NoGpuReason::NoAdapter { why: why.to_string(), place: GpuEnvironment::here() }.to_string())
}

/// What a browser reveals about an adapter: `google swiftshader`, `apple metal-3`. It reports no name.
#[cfg(target_family = "wasm")]
fn browser_name(device: &wgpu::Device) -> Option<String> {
    let get = |of: &wasm_bindgen::JsValue, key: &str| js_sys::Reflect::get(of, &key.into()).ok();
    let info = get(device.as_webgpu()?.as_ref(), "adapterInfo")?;
    let parts: Vec<String> = ["vendor", "architecture"]
        .into_iter()
        .filter_map(|key| get(&info, key)?.as_string())
        .filter(|part| !part.is_empty())
        .collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The selected adapter.
async fn adapter(selector: &Selector) -> Result<wgpu::Adapter, Error> {
    // Without a `navigator` there is no WebGPU.
    if GpuEnvironment::here() == GpuEnvironment::Script {
        return Err(no_adapter(&""));
    }
    let instance = instance();
    if *selector == Selector::Best {
        let power_preference = wgpu::PowerPreference::HighPerformance;
        let options = wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
        return instance.request_adapter(&options).await.map_err(|error| no_adapter(&error));
    }
    let mut adapters = instance.enumerate_adapters(wgpu::Backends::all()).await;
    let reports: Vec<_> = adapters.iter().map(AdapterReport::of).collect();
    Ok(adapters.swap_remove(selector.pick(&reports)?))
}

impl Device {
    /// Opens the fastest adapter.
    ///
    /// # Errors
    /// There is no adapter, or it cannot be opened; with suggestions.
    pub async fn open() -> Result<Device, Error> {
        Device::open_with(&Selector::Best).await
    }

    /// Opens the selected adapter.
    ///
    /// # Errors
    /// None or several match, with the list of all; or it cannot be opened.
    pub async fn open_with(selector: &Selector) -> Result<Device, Error> {
        Device::open_with_pipelines(selector, |_| None).await
    }

    /// The same, with the compiled kernels of an earlier run: `stored` returns those of a [name](Device::pipelines), if there are any.
    ///
    /// # Errors
    /// As [`Device::open_with`].
    pub async fn open_with_pipelines(
        selector: &Selector,
        stored: impl FnOnce(&str) -> Option<StoredPipelines>,
    ) -> Result<Device, Error> {
        Device::of(&adapter(selector).await?, None, stored).await
    }

    /// The kernels that were compiled on this device, and the name of its adapter, driver and version of this program, to store them for the
    /// next run. `None` if the API stores none: only Vulkan does.
    pub fn pipelines(&self) -> Option<(&str, StoredPipelines)> {
        let (key, cache) = self.cache.as_ref()?;
        Some((key, StoredPipelines::of(cache.get_data()?)))
    }

    /// For tests of failures: opens the fastest adapter such that it allocates no buffer of more than `bytes`, while plans are laid out for
    /// its real limits.
    ///
    /// # Errors
    /// There is no adapter, or it cannot be opened.
    pub async fn open_short_of_memory(bytes: u64) -> Result<Device, Error> {
        Device::of(&adapter(&Selector::Best).await?, Some(bytes), |_| None).await
    }

    async fn of(
        adapter: &wgpu::Adapter,
        most: Option<u64>,
        stored: impl FnOnce(&str) -> Option<StoredPipelines>,
    ) -> Result<Device, Error> {
        let wanted = requested_limits(&adapter.limits());
        let most = most.unwrap_or(u64::MAX);
        let required_limits = wgpu::Limits {
            max_buffer_size: wanted.max_buffer_size.min(most),
            max_storage_buffer_binding_size: wanted.max_storage_buffer_binding_size.min(most),
            ..wanted.clone()
        };
        let required_features = requested_features(adapter.features());
        let label = Some("spikelet");
        let descriptor = wgpu::DeviceDescriptor { label, required_limits, required_features, ..Default::default() };
        let report = AdapterReport::of(adapter);
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|error| {
            let (name, why) = (report.name.clone(), error.to_string());
            Error::Backend(NoGpuReason::Refused { name, why, place: GpuEnvironment::here() }.to_string())
        })?;
        #[cfg(target_family = "wasm")]
        let report = match browser_name(&device) {
            Some(name) => AdapterReport { software: report.software || name.contains("swiftshader"), name, ..report },
            None => report,
        };
        let failure = Arc::new(Mutex::new(None));
        let note = |failure: &Arc<Mutex<Option<String>>>, message: String| {
            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
        };
        let uncaptured = failure.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&uncaptured, format!("the GPU reports: {error}"))));
        let lost = Arc::new(OnceLock::new());
        let received = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            // Dropping a device reports it as destroyed; this is ignored.
            let why = match reason {
                wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_owned(),
                _ if message.is_empty() => "its driver gives no reason".to_owned(),
                _ => message,
            };
            _ = received.set(why);
        });
        let limits = Limits::of_binding(wanted.max_storage_buffer_binding_size.min(wanted.max_buffer_size));
        let key =
            stored_pipelines::key(&adapter.get_info()).filter(|_| device.features().contains(wgpu::Features::PIPELINE_CACHE));
        let cache = key.map(|key| {
            let cache = stored_pipelines::cache(&device, stored(&key).as_ref());
            (key, cache)
        });
        Ok(Device { device, queue, report, limits, kernels: Kernels::default(), cache, failure, lost })
    }

    /// The adapter of the device.
    pub fn report(&self) -> &AdapterReport {
        &self.report
    }

    /// The same device with rows in pages of at most this many bytes, within its limits.
    pub fn with_pages_of(self, bytes: u64) -> Device {
        Device { limits: Limits { page: bytes, ..self.limits }, ..self }
    }

    /// The same device, with a limit of `bytes` for buffers in kernels: plans are laid out for it, or rejected.
    pub fn with_limits_of(self, bytes: u64) -> Device {
        Device { limits: Limits::of_binding(bytes.min(self.limits.binding)), ..self }
    }

    /// The limits of its buffers.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Destroys the GPU: everything on it is lost, and every later call is an [`Error::DeviceLost`]. For tests of such failures of a
    /// driver.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Errors since the last call, if any.
    pub(crate) fn check(&self) -> Result<(), Error> {
        // A native device reports errors only when polled.
        _ = self.device.poll(wgpu::PollType::Poll);
        self.check_lost()?;
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(message) => {
                // A device that is being lost may reject calls before it reports the loss.
                _ = self.device.poll(wgpu::PollType::wait_indefinitely());
                self.check_lost()?;
                Err(Error::Backend(message))
            }
            None => Ok(()),
        }
    }

    fn check_lost(&self) -> Result<(), Error> {
        self.lost.get().map_or(Ok(()), |why| Err(Error::DeviceLost { device: self.report.name.clone(), why: why.clone() }))
    }
}
