//! Devices: adapters that are open.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use spikelet::Error;

use crate::adapter::{AdapterReport, Selector, requested_features, requested_limits};
use crate::environment::GpuEnvironment;
use crate::no_gpu::NoGpuReason;
use crate::shape::Limits;
use crate::spec::EntryPoint;

/// How much of the memory that is free, as the driver tells it, buffers may take, in percent.
const MOST_OF_MEMORY_PERCENT: u8 = 95;

/// The programs of the last plan that a device was given.
pub(crate) type Kernels = Rc<RefCell<HashMap<EntryPoint, wgpu::ComputePipeline>>>;

/// An open GPU. Clones are the same one.
#[derive(Clone)]
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    report: AdapterReport,
    limits: Limits,
    /// The kernels of the last plan: the next one may have some of them.
    pub(crate) kernels: Kernels,
    /// What went wrong outside of any call: the next call reports it.
    failure: Arc<Mutex<Option<String>>>,
    /// Why it was lost, once it is: every call from then on reports it.
    lost: Arc<OnceLock<String>>,
}

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    // Where a driver tells what is free, a buffer beyond that is refused, rather than swapped out or paid for by another process.
    descriptor.memory_budget_thresholds.for_resource_creation = Some(MOST_OF_MEMORY_PERCENT);
    wgpu::Instance::new(descriptor)
}

/// All adapters of this machine; a browser gives one at most.
pub async fn adapters() -> Vec<AdapterReport> {
    instance().enumerate_adapters(wgpu::Backends::all()).await.iter().map(AdapterReport::of).collect()
}

/// No adapter, and why.
fn no_adapter(why: &dyn std::fmt::Display) -> Error {
    Error::Backend(NoGpuReason::NoAdapter { why: why.to_string(), place: GpuEnvironment::here() }.to_string())
}

/// What a browser lets a page know of an adapter: `google swiftshader`, `apple metal-3`. It knows no name.
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

/// The adapter that is meant.
async fn adapter(selector: &Selector) -> Result<wgpu::Adapter, Error> {
    // What has no `navigator` cannot even be asked.
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
    /// There is no adapter, or it refuses; with the way out.
    pub async fn open() -> Result<Device, Error> {
        Device::open_with(&Selector::Best).await
    }

    /// Opens the adapter that is meant.
    ///
    /// # Errors
    /// It is not there, or several are meant, with the list of all; or it refuses.
    pub async fn open_with(selector: &Selector) -> Result<Device, Error> {
        Device::of(&adapter(selector).await?, None).await
    }

    /// For tests of failures: opens the fastest adapter in such a way that it makes no buffer of more than `bytes`, while plans are
    /// laid out for what it really has.
    ///
    /// # Errors
    /// There is no adapter, or it refuses.
    pub async fn open_short_of_memory(bytes: u64) -> Result<Device, Error> {
        Device::of(&adapter(&Selector::Best).await?, Some(bytes)).await
    }

    async fn of(adapter: &wgpu::Adapter, most: Option<u64>) -> Result<Device, Error> {
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
            // Dropping a device reports it as destroyed; nobody is left to hear that.
            let why = match reason {
                wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_owned(),
                _ if message.is_empty() => "its driver gives no reason".to_owned(),
                _ => message,
            };
            _ = received.set(why);
        });
        let limits = Limits::of_binding(wanted.max_storage_buffer_binding_size.min(wanted.max_buffer_size));
        Ok(Device { device, queue, report, limits, kernels: Kernels::default(), failure, lost })
    }

    /// The adapter it was opened on.
    pub fn report(&self) -> &AdapterReport {
        &self.report
    }

    /// The same device with rows in pages of at most so many bytes, or of as many as it can bind if that is less.
    pub fn with_pages_of(self, bytes: u64) -> Device {
        Device { limits: Limits { page: bytes, ..self.limits }, ..self }
    }

    /// The same device, whose kernels are said to see at most `bytes` of a buffer: plans are laid out for that, or refused.
    pub fn with_limits_of(self, bytes: u64) -> Device {
        Device { limits: Limits::of_binding(bytes.min(self.limits.binding)), ..self }
    }

    /// How large its buffers may be.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Gives the device up: all that is on it is lost, and every call from now on is an [`Error::DeviceLost`]. For tests of what
    /// happens when a driver does so.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// What went wrong since the last call, if anything did.
    pub(crate) fn check(&self) -> Result<(), Error> {
        // A native device tells only who asks.
        _ = self.device.poll(wgpu::PollType::Poll);
        self.check_lost()?;
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(message) => {
                // A device that is being lost may refuse what is asked of it before it says that it is lost.
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
