use spikelet::{Cpu, catalogue};
use spikelet_tests::{gpu, run};

/// Spikes of the first 100 ms of each network at its small scale, seed 1: the constants that every CPU, thread count and wasm build must give.
/// The wasm tests of crates/spikelet-js read the same file.
const HASHES: &str = include_str!("hashes.json");

#[test]
fn spikes_are_those_of_every_other_machine() {
    let hashes: serde_json::Map<String, serde_json::Value> = serde_json::from_str(HASHES).unwrap();
    for threads in [1, 2, 3, 8] {
        let hash = |entry: &catalogue::CatalogueEntry| {
            let network = entry.network(entry.small).unwrap();
            let done = run(&network, Box::new(Cpu::new(threads)), 100.0, 100).unwrap();
            (entry.name.to_owned(), done.recorder.spikes_hash().into())
        };
        let found: serde_json::Map<String, serde_json::Value> = catalogue::entries().iter().map(hash).collect();
        assert_eq!(found, hashes, "{threads} threads: tests/hashes.json holds other spikes; if that is meant, put these there");
    }
}

/// Adapters that neither fuse nor reorder (lavapipe, SwiftShader) give the CPU's bits in every array; others may differ by
/// rounding inside a model step, which a chaotic network then amplifies.
#[test]
fn a_software_gpu_has_the_bits_of_the_cpu() {
    for (name, time_ms) in [("cuba", 100.0), ("coba", 100.0), ("izhikevich", 100.0)] {
        let Some(gpu) = gpu() else { return };
        let network = catalogue::network(name, 1.0).unwrap();
        let mut cpu = run(&network, Box::new(Cpu::new(1)), time_ms, 1000).unwrap();
        let mut gpu = run(&network, Box::new(gpu), time_ms, 1000).unwrap();
        if !gpu.simulation.backend().name().contains("llvmpipe") {
            println!("skipped: {} is no software adapter", gpu.simulation.backend().name());
            return;
        }
        assert!(cpu.spikes.len() > 100, "{name}: {} spikes", cpu.spikes.len());
        assert_eq!(gpu.recorder.spikes_hash(), cpu.recorder.spikes_hash(), "{name}");
        assert_eq!(gpu.samples, cpu.samples, "{name}: samples");
        for ((array, gpu), (_, cpu)) in gpu.arrays().unwrap().iter().zip(cpu.arrays().unwrap()) {
            let differ = gpu.iter().zip(&cpu).position(|(gpu, cpu)| gpu != cpu);
            assert_eq!(differ, None, "{name}: {array} differs first in this place");
            assert_eq!(gpu.len(), cpu.len(), "{name}: {array}");
        }
    }
}

#[test]
fn a_gpu_repeats_itself_in_batches_of_any_length() {
    let network = catalogue::network("coba", 0.1).unwrap();
    let mut hashes = Vec::new();
    for batch in [1, 3, 64, 5000] {
        let Some(gpu) = gpu() else { return };
        let done = run(&network, Box::new(gpu), 50.0, batch).unwrap();
        assert!(done.spikes.len() > 10, "{} spikes", done.spikes.len());
        hashes.push(done.recorder.spikes_hash());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}
