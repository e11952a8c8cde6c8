use std::path::Path;

use spikelet::{Cpu, Network};
use spikelet_tests::{gpu, run};

fn network(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("networks").join(name).with_extension("json");
    Network::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a network on the CPU and on the GPU, and compares every array after each step. Before some steps a value is set.
fn lockstep(name: &str, steps: u32, sets: &[(u32, &str, &str)]) {
    let Some(gpu) = gpu() else { return };
    let network = network(name);
    let mut cpu = run(&network, Box::new(Cpu::new(1)), 0.0, 1).unwrap();
    let mut gpu = run(&network, Box::new(gpu), 0.0, 1).unwrap();
    if !gpu.simulation.backend().name().contains("llvmpipe") {
        println!("skipped: {} is no software adapter", gpu.simulation.backend().name());
        return;
    }
    for step in 0..steps {
        for (_, path, value) in sets.iter().filter(|(at, ..)| *at == step) {
            for run in [&mut cpu, &mut gpu] {
                pollster::block_on(run.simulation.set(path, value)).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        pollster::block_on(cpu.go_on(network.dt_ms, 1)).unwrap();
        pollster::block_on(gpu.go_on(network.dt_ms, 1)).unwrap();
        let fired = |run: &spikelet_tests::Run| run.spikes.iter().filter(|spike| spike.step == step).count();
        assert_eq!(fired(&gpu), fired(&cpu), "{name}, step {step}: spikes");
        for ((array, gpu), (_, cpu)) in gpu.arrays().unwrap().iter().zip(cpu.arrays().unwrap()) {
            let differ = gpu.iter().zip(&cpu).position(|(gpu, cpu)| gpu != cpu);
            if let Some(place) = differ {
                let [on_gpu, on_cpu] = [gpu[place], cpu[place]].map(|word| (f32::from_bits(word), word as i32));
                panic!(
                    "{name}, step {step}: {array} differs first, in place {place}: {on_gpu:?} on the GPU, {on_cpu:?} on the CPU"
                );
            }
            assert_eq!(gpu.len(), cpu.len(), "{name}: {array}");
        }
        let row = |samples: &[f32]| samples[samples.len() - samples.len() / (step as usize + 1)..].to_vec();
        assert_eq!(row(&gpu.samples), row(&cpu.samples), "{name}, step {step}: samples");
    }
    assert_eq!(gpu.spikes, cpu.spikes, "{name}");
    assert!(cpu.spikes.len() > 20, "{name}: {} spikes", cpu.spikes.len());
    // In batches it is the same.
    let mut whole = run(&network, Box::new(spikelet_tests::gpu().unwrap()), 0.0, 1).unwrap();
    for (end, set) in sets.iter().map(|(at, path, value)| (*at, Some((path, value)))).chain([(steps, None)]) {
        let time = f64::from(end - whole.simulation.step()) * network.dt_ms;
        pollster::block_on(whole.go_on(time, u32::MAX)).unwrap();
        if let Some((path, value)) = set {
            pollster::block_on(whole.simulation.set(path, value)).unwrap();
        }
    }
    assert_eq!((whole.spikes, whole.samples), (gpu.spikes, gpu.samples), "{name}: in batches");
}

#[test]
fn summed() {
    lockstep("summed", 150, &[(40, "a.C", "150 pF"), (80, "gap.g", "{\"expr\": \"0.2*rand()*nS\"}")]);
}

#[test]
fn driven() {
    lockstep("driven", 200, &[(50, "ab.tau_s", "5 ms"), (101, "ab.w", "{\"expr\": \"0.5*rand()*nS\"}")]);
}

#[test]
fn short_term() {
    lockstep(
        "short_term",
        200,
        &[(50, "shared.U", "0.5"), (90, "plain.w", "{\"expr\": \"2*rand()*nS\"}"), (91, "a.sigma", "8 mV")],
    );
}

#[test]
fn in_turn() {
    lockstep("in_turn", 200, &[(77, "clipped.w", "{\"expr\": \"8*rand() - 1\"}")]);
}

#[test]
fn clocks() {
    lockstep("clocks", 150, &[(30, "a.A", "6 mV")]);
}

#[test]
fn pathways() {
    lockstep("pathways", 200, &[(60, "release.w", "1 mV"), (61, "split.w", "{\"expr\": \"2*rand()*mV\"}")]);
}
