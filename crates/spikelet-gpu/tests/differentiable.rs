//! What tests of training on a GPU begin with.

use pollster::block_on;
use spikelet_gpu::Device;

/// The machine's GPU, a software one included; `None` without one.
pub(crate) fn device() -> Option<Device> {
    match block_on(Device::open()) {
        Ok(device) => Some(device),
        Err(error) if std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_some() => panic!("{error}"),
        Err(_) => None,
    }
}

/// Numbers that look random.
pub(crate) fn scattered(k: u64) -> f64 {
    let mixed = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / f64::from(1 << 24)
}
