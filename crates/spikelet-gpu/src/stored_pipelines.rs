//! Compiled kernels of earlier runs, as bytes that a program stores.
#![allow(unsafe_code, reason = "wgpu trusts that the bytes were its own; here a checksum has shown it")]

use std::hash::Hasher;

use fnv::FnvHasher;
use wgpu::AdapterInfo;

/// The beginning of the bytes, with their version.
const MAGIC: &[u8; 8] = b"SPKPIPE1";

/// Compiled kernels of a device: what its driver made of the text of each. A driver that finds the same text there does not compile it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPipelines(Vec<u8>);

impl StoredPipelines {
    /// Those that were written as these bytes; `None` if the bytes are incomplete or were changed.
    pub fn from_bytes(bytes: &[u8]) -> Option<StoredPipelines> {
        let (hash, data) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
        (u64::from_le_bytes(*hash) == checksum(data)).then(|| StoredPipelines(data.to_vec()))
    }

    /// The bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&MAGIC[..], &checksum(&self.0).to_le_bytes(), &self.0].concat()
    }

    pub(crate) fn of(data: Vec<u8>) -> StoredPipelines {
        StoredPipelines(data)
    }

    fn data(&self) -> &[u8] {
        &self.0
    }
}

/// A name for the pipelines of an adapter, which differs for each driver and each version of this program; `None` if its API stores none.
pub(crate) fn key(info: &AdapterInfo) -> Option<String> {
    let key = wgpu::util::pipeline_cache_key(info)?;
    let parts = [info.name.as_str(), &info.driver, &info.driver_info, env!("CARGO_PKG_VERSION")];
    Some(format!("{key}_{:016x}", checksum(parts.join("\n").as_bytes())))
}

/// What the driver keeps of kernels, at first those that were stored; it ignores those of another version of itself.
pub(crate) fn cache(device: &wgpu::Device, stored: Option<&StoredPipelines>) -> wgpu::PipelineCache {
    let data = stored.map(StoredPipelines::data);
    // SAFETY: the bytes are those of `PipelineCache::get_data`: they have the checksum that was written with them.
    unsafe { device.create_pipeline_cache(&wgpu::PipelineCacheDescriptor { label: Some("spikelet"), data, fallback: true }) }
}

/// FNV-1a with 64 bits (Fowler, Noll, Vo): it finds damage, and is no protection against intent.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_bytes_are_no_pipelines() {
        let stored = StoredPipelines::of(vec![7; 1000]);
        let bytes = stored.to_bytes();
        assert_eq!(StoredPipelines::from_bytes(&bytes), Some(stored));
        let mut changed = bytes.clone();
        changed[500] ^= 1;
        for damaged in [&changed, &bytes[..999], &bytes[1..], &bytes[..4], &[]] {
            assert_eq!(StoredPipelines::from_bytes(damaged), None);
        }
    }

    #[test]
    fn keys_differ_by_driver() {
        let info = |driver: &str| AdapterInfo {
            driver: driver.into(),
            ..AdapterInfo::new(wgpu::DeviceType::Cpu, wgpu::Backend::Vulkan)
        };
        assert_ne!(key(&info("1")), key(&info("2")));
        assert!(key(&AdapterInfo::new(wgpu::DeviceType::Cpu, wgpu::Backend::Metal)).is_none());
    }
}
