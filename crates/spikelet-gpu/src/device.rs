//! Adapters and devices: what there is, what is asked of it, and why there is none.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use spikelet::Error;

use crate::layout::Limits;

/// What a user wants to know of an adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterReport {
    /// Its name.
    pub name: String,
    /// How it is spoken to: `Vulkan`, `Metal`, `DX12`, `WebGPU`.
    pub api: String,
    /// `discrete GPU`, `integrated GPU`, `software` …
    pub kind: &'static str,
    /// Driver and version, where they are known.
    pub driver: String,
    /// Whether a CPU does its work.
    pub software: bool,
    /// Largest buffer a kernel can see, in bytes.
    pub max_binding_bytes: u64,
}

/// An open GPU. Clones are the same one.
#[derive(Clone)]
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    report: AdapterReport,
    limits: Limits,
    /// What went wrong outside of any call: the next call reports it.
    failure: Arc<Mutex<Option<String>>>,
    /// Why it was lost, once it is: every call from then on reports it.
    lost: Arc<OnceLock<String>>,
}

const WAY_OUT: &str = if cfg!(target_family = "wasm") {
    "open the page in a browser with WebGPU (Chrome 113, Safari 26, Firefox 141 or newer) over https or localhost"
} else {
    "install a Vulkan driver (or use Metal, DX12)"
};

fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env())
}

/// All adapters of this machine.
pub async fn adapters() -> Vec<AdapterReport> {
    instance().enumerate_adapters(wgpu::Backends::all()).await.iter().map(report).collect()
}

fn report(adapter: &wgpu::Adapter) -> AdapterReport {
    let info = adapter.get_info();
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "GPU",
    };
    let driver = format!("{} {}", info.driver, info.driver_info).trim().to_owned();
    let named = [info.name, driver.clone()].into_iter().find(|name| !name.is_empty());
    let name = named.unwrap_or_else(|| "a GPU without a name".into());
    // A browser hides the type of its adapters; SwiftShader is known by name.
    let software = info.device_type == wgpu::DeviceType::Cpu || name.to_lowercase().contains("swiftshader");
    let max_binding_bytes = adapter.limits().max_storage_buffer_binding_size;
    let api = match info.backend {
        wgpu::Backend::BrowserWebGpu => "WebGPU".into(),
        wgpu::Backend::Dx12 => "DX12".into(),
        other => format!("{other:?}"),
    };
    AdapterReport { name, api, kind, driver, software, max_binding_bytes }
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

impl Device {
    /// Opens the fastest adapter.
    ///
    /// # Errors
    /// There is no adapter, or it refuses; with the way out.
    pub async fn open() -> Result<Device, Error> {
        let options =
            wgpu::RequestAdapterOptions { power_preference: wgpu::PowerPreference::HighPerformance, ..Default::default() };
        let adapter = instance().request_adapter(&options).await.map_err(|error| {
            // A browser does not say why.
            let why = if cfg!(target_family = "wasm") { String::new() } else { format!(" ({error})") };
            Error::Backend(format!("there is no GPU adapter{why}; {WAY_OUT}"))
        })?;
        Device::of(&adapter).await
    }

    async fn of(adapter: &wgpu::Adapter) -> Result<Device, Error> {
        let there = adapter.limits();
        // The portable defaults, with the largest buffers the adapter has.
        let required_limits = wgpu::Limits {
            max_storage_buffer_binding_size: there.max_storage_buffer_binding_size,
            max_buffer_size: there.max_buffer_size,
            ..wgpu::Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor { label: Some("spikelet"), required_limits, ..Default::default() };
        let report = report(adapter);
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|error| Error::Backend(format!("{} refuses to open ({error}); {WAY_OUT}", report.name)))?;
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
        let heard = lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            // Dropping a device reports it as destroyed; nobody is left to hear that.
            let why = match reason {
                wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_owned(),
                _ if message.is_empty() => "its driver gives no reason".to_owned(),
                _ => message,
            };
            _ = heard.set(why);
        });
        let granted = device.limits();
        let limits = Limits::of_binding(granted.max_storage_buffer_binding_size.min(granted.max_buffer_size));
        Ok(Device { device, queue, report, limits, failure, lost })
    }

    /// The adapter it was opened on.
    pub fn report(&self) -> &AdapterReport {
        &self.report
    }

    /// The same device with rows in pages of at most so many bytes, or of as many as it can bind if that is less.
    pub fn with_pages_of(self, bytes: u64) -> Device {
        Device { limits: Limits { page: bytes, ..self.limits }, ..self }
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
        if let Some(why) = self.lost.get() {
            return Err(Error::DeviceLost { device: self.report.name.clone(), why: why.clone() });
        }
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(message) => Err(Error::Backend(message)),
            None => Ok(()),
        }
    }
}
