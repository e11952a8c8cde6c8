use spikelet::{Cpu, catalogue};
use spikelet_tests::{devices, run};

/// Values that change by themselves, and the step at which a run ends, are the same on every device and in batches of any length.
#[test]
fn a_protocol_is_the_same_on_every_device() {
    let mut network = catalogue::network("cuba", 1.0).unwrap();
    for (at_ms, path, value) in [(30.0, "EE.we", "16 mV"), (12.3, "E.taum", "15 ms"), (0.0, "I.El", "-48 mV")] {
        network.add_change(format!("{at_ms} ms: {path} = {value}").parse().unwrap()).unwrap();
    }
    network.add_stop("rate(E, 5 ms) > 120 Hz").unwrap();
    let plain = run(&network, Box::new(Cpu::new(1)), 50.0, 1).unwrap();
    let stopped = plain.simulation.stopped().expect("strong synapses drive it up");
    assert!(stopped.step > 300, "{stopped:?}");
    for (name, device) in devices() {
        let done = run(&network, device, 50.0, 77).unwrap();
        assert_eq!(done.simulation.stopped(), Some(stopped), "{name}");
        assert_eq!(done.simulation.changed(), plain.simulation.changed(), "{name}");
        assert_eq!(done.recorder.spikes_hash(), plain.recorder.spikes_hash(), "{name}");
    }
}
