//! Adapters: their list, the limits requested of each, and their selection.

use std::fmt;
use std::str::FromStr;

use spikelet::Error;

use crate::budget::{self, DeviceMemory};

/// The description of an adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterReport {
    /// Its name.
    pub name: String,
    /// The graphics API: `Vulkan`, `Metal`, `DX12`, `WebGPU`.
    pub api: String,
    /// `discrete GPU`, `integrated GPU`, `software` …
    pub kind: &'static str,
    /// Driver and version, if known.
    pub driver: String,
    /// The vendor number (usually that of PCI), if known.
    pub vendor_id: Option<u32>,
    /// The device number of the vendor, if known.
    pub device_id: Option<u32>,
    /// Whether it is a software adapter.
    pub software: bool,
    /// Its memory, if the driver reports it.
    pub memory: Option<DeviceMemory>,
    /// The limits relevant to networks.
    pub limits: Vec<LimitReport>,
    /// The relevant features.
    pub features: Vec<FeatureReport>,
}

/// A limit of an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReport {
    /// Its name in WebGPU.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The value of the adapter.
    pub available: u64,
    /// The value requested for a device.
    pub requested: u64,
}

/// A feature that an adapter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureReport {
    /// Its name in WebGPU.
    pub name: &'static str,
    /// Whether the adapter has it.
    pub available: bool,
    /// Whether it is requested for a device.
    pub requested: bool,
}

/// The relevant features. The first is requested if available, to measure kernels; no kernel needs one.
const FEATURES: [(&str, wgpu::Features); 3] = [
    ("timestamp-query", wgpu::Features::TIMESTAMP_QUERY),
    ("shader-f16", wgpu::Features::SHADER_F16),
    ("subgroups", wgpu::Features::SUBGROUP),
];

/// The WebGPU name of the largest binding.
pub(crate) const BINDING_LIMIT: &str = "maxStorageBufferBindingSize";

impl AdapterReport {
    pub(crate) fn of(adapter: &wgpu::Adapter) -> AdapterReport {
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
        // A browser hides the type of its adapters; SwiftShader is recognised by its name.
        let software = info.device_type == wgpu::DeviceType::Cpu || name.to_lowercase().contains("swiftshader");
        let api = match info.backend {
            wgpu::Backend::BrowserWebGpu => "WebGPU".into(),
            wgpu::Backend::Dx12 => "DX12".into(),
            other => format!("{other:?}"),
        };
        let known = |id: u32| (id != 0).then_some(id);
        let (vendor_id, device_id) = (known(info.vendor), known(info.device));
        let limits = limits(&adapter.limits());
        let (there, asked) = (adapter.features(), requested_features(adapter.features()));
        let feature =
            |(name, feature)| FeatureReport { name, available: there.contains(feature), requested: asked.contains(feature) };
        let features = FEATURES.into_iter().map(feature).collect();
        AdapterReport { name, api, kind, driver, vendor_id, device_id, software, memory: budget::of(adapter), limits, features }
    }

    /// The value of a limit requested for a device, by its WebGPU name. 0 if the name is not in [`AdapterReport::limits`].
    pub fn limit(&self, name: &str) -> u64 {
        self.limits.iter().find(|limit| limit.name == name).map_or(0, |limit| limit.requested)
    }

    /// Maximum bytes of a buffer in a kernel.
    pub fn max_binding_bytes(&self) -> u64 {
        self.limit(BINDING_LIMIT)
    }

    /// Whether a feature is requested for a device, by its WebGPU name.
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|of| of.name == feature && of.requested)
    }
}

/// The limits requested of an adapter with these limits: the portable defaults, with its largest buffers and workgroups.
pub(crate) fn requested_limits(there: &wgpu::Limits) -> wgpu::Limits {
    wgpu::Limits {
        max_storage_buffer_binding_size: there.max_storage_buffer_binding_size,
        max_buffer_size: there.max_buffer_size,
        max_compute_invocations_per_workgroup: there.max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x: there.max_compute_workgroup_size_x,
        ..wgpu::Limits::default()
    }
}

/// The features requested of an adapter with these features: to measure kernels, and to keep compiled ones between runs (natively).
pub(crate) fn requested_features(there: wgpu::Features) -> wgpu::Features {
    there & (wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::PIPELINE_CACHE)
}

/// The limits relevant to networks, the most restrictive first.
fn limits(there: &wgpu::Limits) -> Vec<LimitReport> {
    let asked = requested_limits(there);
    let limit =
        |name, unit, of: fn(&wgpu::Limits) -> u64| LimitReport { name, unit, available: of(there), requested: of(&asked) };
    vec![
        limit(BINDING_LIMIT, "bytes", |of| of.max_storage_buffer_binding_size),
        limit("maxBufferSize", "bytes", |of| of.max_buffer_size),
        limit("maxStorageBuffersPerShaderStage", "", |of| of.max_storage_buffers_per_shader_stage.into()),
        limit("maxComputeWorkgroupStorageSize", "bytes", |of| of.max_compute_workgroup_storage_size.into()),
        limit("maxComputeInvocationsPerWorkgroup", "", |of| of.max_compute_invocations_per_workgroup.into()),
        limit("maxComputeWorkgroupSizeX", "", |of| of.max_compute_workgroup_size_x.into()),
        limit("maxComputeWorkgroupsPerDimension", "", |of| of.max_compute_workgroups_per_dimension.into()),
        limit("minUniformBufferOffsetAlignment", "bytes", |of| of.min_uniform_buffer_offset_alignment.into()),
    ]
}

/// The selection of an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Selector {
    /// The fastest, if known.
    #[default]
    Best,
    /// By its index in [`adapters`](crate::adapters), from 0.
    Number(usize),
    /// By words that occur in its name, driver or API, in any case.
    Words(String),
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Selector, String> {
        match (text.trim(), text.trim().parse()) {
            ("", _) => {
                Err("an adapter is selected by its number or a part of its name; `spikelet list devices` shows both".into())
            }
            (_, Ok(number)) => Ok(Selector::Number(number)),
            (words, Err(_)) => Ok(Selector::Words(words.to_owned())),
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Best => f.write_str("the best"),
            Selector::Number(number) => write!(f, "{number}"),
            Selector::Words(words) => f.write_str(words),
        }
    }
}

impl Selector {
    /// The index of the selected adapter.
    ///
    /// # Errors
    /// No adapter or several adapters match: the list of all.
    pub fn pick(&self, adapters: &[AdapterReport]) -> Result<usize, Error> {
        let meant: Vec<usize> = match self {
            Selector::Best => (0..adapters.len()).take(1).collect(),
            Selector::Number(number) => (0..adapters.len()).filter(|index| index == number).collect(),
            Selector::Words(words) => {
                let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
                let meant = |of: &AdapterReport| {
                    let text = format!("{} {} {}", of.name, of.driver, of.api).to_lowercase();
                    words.iter().all(|word| text.contains(word))
                };
                (0..adapters.len()).filter(|index| meant(&adapters[*index])).collect()
            }
        };
        match meant[..] {
            [only] => Ok(only),
            _ => Err(self.refused(&meant, adapters)),
        }
    }

    fn refused(&self, meant: &[usize], adapters: &[AdapterReport]) -> Error {
        let listed = |index: usize| format!("gpu {index} ({}, {})", adapters[index].name, adapters[index].api);
        let list = |indices: &mut dyn Iterator<Item = usize>| indices.map(listed).collect::<Vec<_>>().join(", ");
        let (expected, way_out) = if adapters.is_empty() {
            ("there is no GPU".to_owned(), "remove it to use the CPU".to_owned())
        } else if meant.is_empty() {
            (
                format!("this machine has {}", list(&mut (0..adapters.len()))),
                "use the number of one of them, or a part of its name".into(),
            )
        } else {
            (format!("this matches {}", list(&mut meant.iter().copied())), "use the number of one of them".into())
        };
        Error::Invalid { path: "the adapter".into(), value: format!("`{self}`"), expected, way_out, kind: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(name: &str, api: &str) -> AdapterReport {
        AdapterReport {
            name: name.into(),
            api: api.into(),
            kind: "GPU",
            driver: String::new(),
            vendor_id: None,
            device_id: None,
            software: false,
            memory: None,
            limits: limits(&wgpu::Limits::default()),
            features: Vec::new(),
        }
    }

    #[test]
    fn an_adapter_is_meant_by_number_or_words() {
        let adapters =
            [adapter("NVIDIA H200", "Vulkan"), adapter("NVIDIA H200", "DX12"), adapter("llvmpipe (LLVM 15)", "Vulkan")];
        let pick = |text: &str| text.parse::<Selector>().unwrap_or_else(|error| panic!("{error}")).pick(&adapters);
        for (text, index) in [("0", 0), ("1", 1), ("LLVMpipe", 2), ("h200 dx12", 1), ("vulkan nvidia", 0)] {
            assert_eq!(pick(text), Ok(index), "{text}");
        }
        assert_eq!(Selector::Best.pick(&adapters), Ok(0));
        let refused = |text: &str| pick(text).err().unwrap_or_else(|| panic!("{text}")).to_string();
        assert_eq!(
            refused("H200"),
            "the adapter is `H200`, but this matches gpu 0 (NVIDIA H200, Vulkan), gpu 1 (NVIDIA H200, DX12); use the number of one of them"
        );
        for text in ["3", "radeon", "h200 metal"] {
            let sentence = refused(text);
            assert!(
                sentence.contains("this machine has gpu 0 (NVIDIA H200, Vulkan)") && sentence.contains(&format!("`{text}`")),
                "{sentence}"
            );
        }
        let none = Selector::Number(0).pick(&[]).err().map(|error| error.to_string());
        assert_eq!(none.as_deref(), Some("the adapter is `0`, but there is no GPU; remove it to use the CPU"));
        assert!(" ".parse::<Selector>().is_err());
    }

    #[test]
    fn larger_buffers_are_asked_for_and_nothing_else_beyond_the_defaults() {
        let plain = wgpu::Limits::default();
        let large = wgpu::Limits {
            max_storage_buffer_binding_size: 4 << 30,
            max_buffer_size: 8 << 30,
            max_compute_invocations_per_workgroup: 1024,
            max_compute_workgroup_size_x: 1024,
            max_storage_buffers_per_shader_stage: 64,
            max_compute_workgroup_storage_size: 65536,
            ..plain.clone()
        };
        let of = limits(&large);
        let asked: Vec<u64> = of.iter().map(|limit| limit.requested).collect();
        assert_eq!(asked, [4 << 30, 8 << 30, 8, 16384, 1024, 1024, 65535, 256]);
        assert_eq!((of[2].available, of[3].available), (64, 65536));
        assert_eq!(requested_features(wgpu::Features::SHADER_F16 | wgpu::Features::SUBGROUP), wgpu::Features::empty());
        let asked = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::PIPELINE_CACHE;
        assert_eq!(requested_features(wgpu::Features::all()), asked);
    }
}
