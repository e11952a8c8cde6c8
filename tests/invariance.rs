use spikelet::{Cpu, catalogue};
use spikelet_tests::run;

use crate::lockstep::file;

#[test]
fn threads_and_batches_do_not_change_a_spike() {
    for (name, time_ms) in [("cuba", 100.0), ("coba", 100.0), ("izhikevich", 200.0)] {
        let network = catalogue::network(name, 1.0).unwrap();
        let reference = run(&network, Box::new(Cpu::new(1)), time_ms, u32::MAX).unwrap();
        assert!(reference.spikes.len() > 100, "{name}: {} spikes", reference.spikes.len());
        println!("{name}: {} spikes, {}", reference.spikes.len(), reference.recorder.spikes_hash());
        for (threads, batch) in [(1, 1), (1, 7), (2, 100), (3, 33), (8, 1000)] {
            let other = run(&network, Box::new(Cpu::new(threads)), time_ms, batch).unwrap();
            assert_eq!(other.spikes, reference.spikes, "{name}: {threads} threads, batches of {batch}");
        }
    }
}

#[test]
fn threads_draw_the_same_rows_at_every_spike() {
    let network = file("procedural");
    let reference = run(&network, Box::new(Cpu::new(1)), 30.0, u32::MAX).unwrap();
    assert!(reference.spikes.len() > 1000, "{} spikes", reference.spikes.len());
    // Seven threads are more than there are blocks in some populations.
    for (threads, batch) in [(2, 17), (3, 1000), (7, 50)] {
        let other = run(&network, Box::new(Cpu::new(threads)), 30.0, batch).unwrap();
        assert!(other.spikes == reference.spikes, "{threads} threads, batches of {batch}");
    }
}

/// Synapses that learn belong to one thread each; what threads share out changes no weight.
#[test]
fn threads_learn_the_same() {
    for name in ["plastic", "plastic_clock", "regular"] {
        let mut network = file(name);
        // Synapses that read their presynaptic neuron keep all in one shard.
        network.projections.retain(|projection| !["spread", "within"].contains(&projection.name.as_str()) || name != "plastic");
        network.projections.retain(|projection| projection.name != "spread");
        network.populations.iter_mut().for_each(|population| population.size *= 6);
        let mut reference = run(&network, Box::new(Cpu::new(1)), 30.0, u32::MAX).unwrap();
        assert!(reference.spikes.len() > 500, "{name}: {} spikes", reference.spikes.len());
        for (threads, batch) in [(2, 17), (3, 1000)] {
            let mut other = run(&network, Box::new(Cpu::new(threads)), 30.0, batch).unwrap();
            assert!(other.simulation.backend().name().contains(&threads.to_string()), "{}", other.simulation.backend().name());
            assert!(other.spikes == reference.spikes, "{name}: {threads} threads, batches of {batch}");
            assert!(other.arrays().unwrap() == reference.arrays().unwrap(), "{name}: {threads} threads");
        }
    }
}
