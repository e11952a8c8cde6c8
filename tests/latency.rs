use std::path::Path;
use std::time::{Duration, Instant};

use spikelet::{Backend, Network, Plan};
use spikelet_tests::{gpu, run};

#[test]
fn measure() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("networks");
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let Some(mut gpu) = gpu() else { return };
        let t0 = Instant::now();
        let network = Network::from_json(&text).unwrap();
        let plan = std::sync::Arc::new(Plan::new(&network).unwrap());
        let t1 = Instant::now();
        pollster::block_on(gpu.load(plan.clone(), 0)).unwrap();
        let t2 = Instant::now();
        pollster::block_on(gpu.advance(spikelet::Epoch { first: 0, steps: 256 }, &[])).unwrap();
        let t3 = Instant::now();
        pollster::block_on(gpu.load(plan.clone(), 1)).unwrap();
        let t4 = Instant::now();
        pollster::block_on(gpu.advance(spikelet::Epoch { first: 0, steps: 256 }, &[])).unwrap();
        let t5 = Instant::now();
        println!(
            "{}: plan {:?}, load {:?}, 256 steps {:?}, again load {:?}, 256 steps {:?}; {} dispatches {} kernels",
            network.name,
            t1 - t0,
            t2 - t1,
            t3 - t2,
            t4 - t3,
            t5 - t4,
            gpu.dispatches_per_epoch(),
            gpu.kernels()
        );
    }
}
