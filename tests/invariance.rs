use spikelet::{Cpu, catalogue};
use spikelet_tests::run;

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
