//! The spikes of wasm in a browser, on the CPU and on WebGPU, are those of every other machine.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use spikelet::{Backend, Cpu, Recorder, Simulation, catalogue};
use spikelet_gpu::{Device, Gpu};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Hashes of the first 100 ms, the same file that the native tests read.
const HASHES: &str = include_str!("../../../tests/hashes.json");

async fn hash(name: &str, backend: Box<dyn Backend>) -> String {
    let network = catalogue::network(name, 1.0).unwrap();
    let mut simulation = Simulation::new(&network, backend).await.unwrap();
    let mut recorder = Recorder::new(simulation.plan());
    let steps = (100.0 / network.dt_ms).round() as u32;
    while simulation.step() < steps {
        let activity = simulation.advance(100.min(steps - simulation.step())).await.unwrap();
        recorder.add(&activity.spikes);
    }
    recorder.spikes_hash()
}

fn expected() -> Vec<(String, String)> {
    let hashes = js_sys::JSON::parse(HASHES).unwrap();
    let field = |name: &JsValue| js_sys::Reflect::get(&hashes, name).unwrap().as_string().unwrap();
    let names = js_sys::Reflect::own_keys(&hashes).unwrap();
    names.iter().map(|name| (name.as_string().unwrap(), field(&name))).collect()
}

#[wasm_bindgen_test]
async fn the_cpu_in_wasm_has_the_spikes_of_every_cpu() {
    for (name, expected) in expected() {
        assert_eq!(hash(&name, Box::new(Cpu::new(1))).await, expected, "{name}");
    }
}

/// Hardware may fuse multiply-adds, and a chaotic network then takes another way: only software is held to the bits.
#[wasm_bindgen_test]
async fn a_software_webgpu_has_the_spikes_of_the_cpu() {
    for (name, expected) in expected() {
        let device = match Device::open().await {
            Ok(device) => device,
            Err(error) => {
                assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
                console_log!("skipped: no adapter ({error})");
                return;
            }
        };
        if !device.report().software {
            console_log!("skipped: {} is no software adapter", device.report().name);
            return;
        }
        assert_eq!(hash(&name, Box::new(Gpu::new(device))).await, expected, "{name}");
    }
}
