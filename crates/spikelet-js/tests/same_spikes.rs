//! The spikes of wasm in a browser, on the CPU and on WebGPU, are those of every other machine.
#![cfg(target_family = "wasm")]

use spikelet::{Recorder, Simulation, catalogue};
use spikelet_gpu::{BackendRequest, auto};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Hashes of the first 100 ms, the same file that the native tests read.
const HASHES: &str = include_str!("../../../tests/hashes.json");

async fn hash(name: &str, request: BackendRequest) -> Result<(String, String), spikelet::Error> {
    let network = catalogue::network(name, 1.0)?;
    let chosen = auto(request, 1).await?;
    let mut simulation = Simulation::new(&network, chosen.backend).await?;
    let mut recorder = Recorder::new(simulation.plan());
    let steps = (100.0 / network.dt_ms).round() as u32;
    while simulation.step() < steps {
        let activity = simulation.advance(100.min(steps - simulation.step())).await?;
        recorder.add(&activity.spikes);
    }
    Ok((recorder.spikes_hash(), chosen.name))
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
        let (found, _) = hash(&name, BackendRequest::Cpu).await.unwrap();
        assert_eq!(found, expected, "{name}");
    }
}

#[wasm_bindgen_test]
async fn a_software_webgpu_has_the_spikes_of_the_cpu() {
    for (name, expected) in expected() {
        match hash(&name, BackendRequest::Gpu).await {
            Ok((found, device)) => {
                console_log!("{name} on {device}");
                // Hardware may fuse multiply-adds; then a chaotic network takes another way.
                if device.to_lowercase().contains("swiftshader") {
                    assert_eq!(found, expected, "{name} on {device}");
                }
            }
            Err(error) => {
                assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
                console_log!("skipped: no adapter ({error})");
                return;
            }
        }
    }
}
