use spikelet::{Cpu, CpuProfile, Network, Simulation, Sleep, catalogue};
use spikelet_tests::run;

/// A network at its small scale, run for a while with and without sleep: the same spikes, and the same values of all arrays.
#[test]
fn no_network_of_the_catalogue_notices_that_neurons_sleep() {
    for entry in catalogue::entries() {
        let network = catalogue::network(entry.name, entry.small).unwrap();
        let all = |sleep: Sleep, threads: usize, batch: u32| {
            let mut run = run(&network, Box::new(Cpu::new(threads).with_sleep(sleep)), 20.0, batch).unwrap();
            (run.spikes.clone(), run.arrays().unwrap())
        };
        let stepped = all(Sleep::Never, 1, u32::MAX);
        for (threads, batch) in [(1, u32::MAX), (2, 7)] {
            let slept = all(Sleep::Eager, threads, batch);
            assert!(slept.0 == stepped.0, "{}: spikes with {threads} threads", entry.name);
            for (array, (one, other)) in stepped.1.iter().zip(&slept.1).enumerate() {
                assert!(one == other, "{}: array {array} with {threads} threads", entry.name);
            }
        }
    }
}

/// Neurons that a few spikes reach, with delays that differ, parameters that differ, refractory times and recorded neurons.
fn sparse() -> Network {
    Network::from_json(
        r#"{"name": "sparse", "dt_ms": 0.1, "duration_ms": 1000,
        "sources": [{"name": "S", "size": 3, "spike_times_ms": [[0, 5], [0, 5.1], [0, 400], [1, 405], [2, 700], [2, 702], [2, 704], [2, 706]]}],
        "populations": [{"name": "A", "size": 3000, "equations": "dv/dt = (El + g - v)/tau : volt (unless refractory)\ndg/dt = -g/(2*ms) : volt\nEl : volt",
            "threshold": "v > -50*mV", "reset": "v = -60*mV", "refractory": "3 ms", "parameters": {"tau": "5 ms", "El": {"expr": "(-60 - 0.001*i)*mV"}},
            "initial": {"v": "-60 mV"}}],
        "projections": [
            {"name": "SA", "pre": "S", "post": "A", "connect": {"rule": "fixed_outdegree", "n": 40}, "on_pre": "g_post += 45*mV"},
            {"name": "AA", "pre": "A", "post": "A", "connect": {"rule": "fixed_outdegree", "n": 5}, "equations": "w : volt (constant)",
             "initial": {"w": "uniform(5 mV, 20 mV)"}, "on_pre": "g_post += w", "delay_ms": "uniform(0.5 ms, 4 ms)"}],
        "recordings": [{"object": "A", "var": "v", "indices": [0, 17, 2999]}]}"#,
    )
    .unwrap()
}

/// What a user sees of a run in which values are set, and how many steps of neurons were not computed.
fn seen(sleep: Sleep, threads: usize) -> ([Vec<u32>; 3], u64) {
    let profile = CpuProfile::new(|| 0.0);
    profile.measure(true);
    let device = Cpu::new(threads).with_sleep(sleep).with_profile(profile.clone());
    let words = pollster::block_on(async {
        let mut simulation = Simulation::new(&sparse(), Box::new(device)).await.unwrap();
        let (mut spikes, mut samples) = (Vec::new(), Vec::new());
        for (to, path, value) in
            [(300.0, "A.tau", "6 ms"), (650.0, "A.v", "-51 mV"), (800.0, "A.tau", "4 ms"), (1000.0, "A.g", "0 mV")]
        {
            let steps = (to / 0.1_f64).round() as u32 - simulation.step();
            let activity = simulation.advance(steps).await.unwrap();
            spikes.extend(activity.spikes.iter().flat_map(|spike| [spike.step, spike.neuron]));
            samples.extend(activity.samples.iter().map(|sample| sample.to_bits()));
            simulation.set(path, value).await.unwrap();
        }
        let values = simulation.values(0, "A.v").await.unwrap();
        [spikes, samples, values.iter().map(|value| value.to_bits() as u32).collect()]
    });
    (words, profile.slept().iter().sum())
}

#[test]
fn what_reaches_a_neuron_or_is_set_wakes_it() {
    let (stepped, none) = seen(Sleep::Never, 1);
    assert!(stepped[0].len() > 200 && none == 0, "{} spikes", stepped[0].len() / 2);
    for threads in [1, 2] {
        for sleep in [Sleep::Usual, Sleep::Eager] {
            let (found, slept) = seen(sleep, threads);
            assert!(found == stepped, "{sleep:?}, {threads} threads");
            // Of 30 million.
            assert!(slept > 15_000_000, "{sleep:?}: {slept} steps of neurons slept");
        }
    }
}
