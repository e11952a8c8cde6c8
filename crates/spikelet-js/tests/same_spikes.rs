//! The spikes of wasm in a browser, on the CPU and on WebGPU, are those of every other machine.

use std::sync::Arc;

use spikelet::{Cpu, Network, Owner, Plan, Simulation, catalogue};
use spikelet_gpu::{Device, Gpu};
use spikelet_verify::{
    ON_RANKS, ON_SOFTWARE_GPU, RandomRun, THREADS, first_spikes, library_cells, library_synapses, random_runs, run_first_spikes,
    run_first_spikes_on_ranks, run_hash,
};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// Numbers of threads that this engine can have, among those that must give the same spikes.
fn numbers_of_threads() -> impl Iterator<Item = usize> {
    THREADS.into_iter().filter(|threads| *threads == 1 || cfg!(target_feature = "atomics"))
}

fn expected() -> Vec<(&'static str, String)> {
    let hashes = first_spikes().unwrap();
    assert_eq!(hashes.len(), catalogue::entries().len(), "{hashes:?}");
    catalogue::entries().iter().map(|entry| (entry.name, hashes[entry.name].clone())).collect()
}

#[wasm_bindgen_test]
async fn the_cpu_in_wasm_has_the_spikes_of_every_cpu() {
    for (name, expected) in expected() {
        for threads in numbers_of_threads() {
            let cpu = Cpu::on(crate::page::threads::available().pool(threads).await.unwrap());
            assert_eq!(run_first_spikes(name, Box::new(cpu)).await.unwrap(), expected, "{name}, {threads} threads");
        }
    }
}

/// Random networks over combinations of features: spikes, samples, and in the end every value.
#[wasm_bindgen_test]
async fn random_networks_in_wasm_have_the_bits_of_every_cpu() {
    let runs = random_runs(include_str!("../../../tests/random.json")).unwrap();
    for (index, RandomRun { hash, network }) in runs.iter().enumerate() {
        for threads in numbers_of_threads() {
            let cpu = Cpu::on(crate::page::threads::available().pool(threads).await.unwrap());
            assert_eq!(run_hash(network, Box::new(cpu)).await.unwrap(), *hash, "network {index}, {threads} threads");
        }
    }
}

#[wasm_bindgen_test]
async fn ranks_in_a_tab_have_the_spikes_of_every_machine() {
    let hashes = first_spikes().unwrap();
    for (name, ranks) in ON_RANKS {
        let found = run_first_spikes_on_ranks(name, ranks, || Box::new(Cpu::new(1))).await.unwrap();
        assert_eq!(found, hashes[name], "{name}, {ranks} ranks");
    }
}

/// A WebGPU that is held to the bits. Without an adapter the test says so and passes, unless `SPIKELET_REQUIRE_ADAPTER` was set
/// when it was compiled.
async fn software_device() -> Option<Device> {
    let device = match Device::open().await {
        Ok(device) => device,
        Err(error) => {
            assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
            console_log!("skipped: no adapter ({error})");
            return None;
        }
    };
    if !device.report().software {
        // Hardware may fuse multiply-adds, and a chaotic network then takes another way.
        console_log!("skipped: {} is no software adapter", device.report().name);
        return None;
    }
    Some(device)
}

/// Three networks for as long as every other machine runs them.
#[wasm_bindgen_test]
async fn a_software_webgpu_has_the_spikes_of_every_machine() {
    let Some(device) = software_device().await else { return };
    for (name, expected) in expected().into_iter().filter(|(name, _)| ON_SOFTWARE_GPU.contains(name)) {
        assert_eq!(run_first_spikes(name, Box::new(Gpu::new(device.clone()))).await.unwrap(), expected, "{name}");
    }
}

/// Runs a network on the CPU and on the GPU, and compares spikes, samples, and in the end every variable to the bit.
async fn compare(network: &Network, device: &Device, steps: u32) {
    let name = &network.name;
    let plan = Arc::new(Plan::new(network).unwrap());
    let mut cpu = Simulation::with_plan(network, plan.clone(), Box::new(Cpu::new(1))).await.unwrap();
    let mut gpu = Simulation::with_plan(network, plan.clone(), Box::new(Gpu::new(device.clone()))).await.unwrap();
    let mut spikes = 0;
    while cpu.step() < steps {
        let batch = 50.min(steps - cpu.step());
        let (on_cpu, on_gpu) = (cpu.advance(batch).await.unwrap(), gpu.advance(batch).await.unwrap());
        assert!(on_cpu.spikes == on_gpu.spikes, "{name}, up to step {}: spikes", cpu.step());
        let bits = |samples: &[f32]| samples.iter().map(|sample| sample.to_bits()).collect::<Vec<_>>();
        assert!(bits(&on_cpu.samples) == bits(&on_gpu.samples), "{name}, up to step {}: samples", cpu.step());
        spikes += on_cpu.spikes.len();
    }
    for (array, entry) in plan.arrays().iter().filter(|(_, entry)| matches!(entry.owner, Owner::Neurons { .. })) {
        let (on_cpu, on_gpu) = (cpu.read(array).await.unwrap(), gpu.read(array).await.unwrap());
        let differ = on_cpu.iter().zip(&on_gpu).position(|(cpu, gpu)| cpu != gpu);
        if let Some(neuron) = differ {
            let [cpu, gpu] = [on_cpu[neuron], on_gpu[neuron]];
            panic!("{name}: {}[{neuron}] is {cpu:#x} on the CPU, {gpu:#x} on the GPU", entry.path);
        }
    }
    console_log!("{name}: {spikes} spikes in {steps} steps, the same");
}

#[wasm_bindgen_test]
async fn a_software_webgpu_has_the_spikes_of_the_cpu() {
    let Some(device) = software_device().await else { return };
    for entry in catalogue::entries() {
        let network = entry.network(entry.small).unwrap();
        compare(&network, &device, (20.0 / network.dt_ms).round() as u32).await;
    }
}

#[wasm_bindgen_test]
async fn cells_of_the_library_are_the_same_on_a_software_webgpu() {
    let Some(device) = software_device().await else { return };
    compare(&library_cells().unwrap(), &device, 120).await;
}

#[wasm_bindgen_test]
async fn synapses_of_the_library_are_the_same_on_a_software_webgpu() {
    let Some(device) = software_device().await else { return };
    compare(&library_synapses().unwrap(), &device, 120).await;
}
