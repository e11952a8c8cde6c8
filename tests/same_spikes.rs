use spikelet::{Cpu, catalogue};
use spikelet_tests::{gpu, run};
use spikelet_verify::ON_SOFTWARE_GPU;

/// Adapters that neither fuse nor reorder (lavapipe, SwiftShader) give the CPU's bits in every array; others may differ by
/// rounding inside a model step, which a chaotic network then amplifies.
#[test]
fn a_software_gpu_has_the_bits_of_the_cpu() {
    for name in ON_SOFTWARE_GPU {
        let Some(gpu) = gpu() else { return };
        let network = catalogue::network(name, 1.0).unwrap();
        let mut cpu = run(&network, Box::new(Cpu::new(1)), 100.0, 1000).unwrap();
        let mut gpu = run(&network, Box::new(gpu), 100.0, 1000).unwrap();
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
