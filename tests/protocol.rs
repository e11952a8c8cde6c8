use std::sync::Arc;

use spikelet::{Cpu, Plan, Simulation, Spike, Variant, catalogue};
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

/// Runs that end where a condition holds go on from there: together they are the run in one piece, on every device.
#[test]
fn a_run_goes_on_from_where_a_condition_held() {
    let mut network = catalogue::network("cuba", 0.5).unwrap();
    network.add_change("20 ms: E.taum = 15 ms".parse().unwrap()).unwrap();
    let whole = run(&network, Box::new(Cpu::new(1)), 60.0, 600).unwrap();
    let mut ends = Vec::new();
    for (name, device) in devices() {
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, device).await.unwrap();
            let (mut spikes, mut samples, mut own_ends): (Vec<Spike>, Vec<f32>, Vec<u32>) = Default::default();
            for condition in ["spikes(E) > 100", "rate(I, 5 ms) >= 10 Hz", "spikes >= 1"] {
                let (first, mut held) = (simulation.step(), false);
                let mut until = simulation.until(condition).unwrap();
                while !held {
                    let (mut activities, holds) = simulation.advance_until(77, &mut until).await.unwrap();
                    let activity = activities.remove(0);
                    spikes.extend(activity.spikes);
                    samples.extend(activity.samples);
                    held = holds;
                }
                assert!(simulation.step() > first && simulation.device_step() >= simulation.step(), "{name}: {condition}");
                // A spike of the last step made it hold.
                assert!(spikes.last().is_some_and(|spike| spike.step == simulation.step() - 1), "{name}: {condition}");
                own_ends.push(simulation.step());
            }
            // Taken back to where the last one held, and as far as the run in one piece.
            simulation.rewind().await.unwrap();
            assert_eq!(simulation.device_step(), simulation.step(), "{name}");
            let activity = simulation.advance(600 - simulation.step()).await.unwrap();
            spikes.extend(activity.spikes);
            samples.extend(activity.samples);
            assert!(spikes == whole.spikes, "{name}: spikes");
            assert!(samples == whole.samples, "{name}: samples");
            assert_eq!(simulation.changed(), whole.simulation.changed(), "{name}");
            ends.push(own_ends);
        });
    }
    assert!(ends.iter().all(|of| *of == ends[0]), "{ends:?}");
}

/// Where a condition holds within a batch, the device can be taken back to that step: its state is then that of a run of so many steps.
#[test]
fn a_device_that_is_ahead_is_taken_back() {
    let mut network = catalogue::network("stdp_window", 1.0).unwrap();
    network.stop.clear();
    for (name, device) in devices() {
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, device).await.unwrap();
            simulation.advance(100).await.unwrap();
            simulation.checkpoint().await.unwrap();
            let mut until = simulation.until("spikes > 3").unwrap();
            while !simulation.advance_until(500, &mut until).await.unwrap().1 {}
            let (step, ahead) = (simulation.step(), simulation.device_step());
            assert!(step < ahead, "{name}: the condition held at the end of a batch, {step}");
            simulation.rewind().await.unwrap();
            let mut there = run(&network, Box::new(Cpu::new(1)), f64::from(step) * network.dt_ms, step).unwrap();
            for (array, words) in there.arrays().unwrap() {
                let id = simulation.plan().array(&array).unwrap();
                assert_eq!(simulation.read(id).await.unwrap(), words, "{name}: {array}");
            }
            // What is set where the device is ahead cannot be taken back.
            let mut until = simulation.until("spikes > 3").unwrap();
            while !simulation.advance_until(500, &mut until).await.unwrap().1 {}
            if simulation.device_step() > simulation.step() {
                simulation.checkpoint().await.unwrap();
                let refused = simulation.rewind().await.unwrap_err().to_string();
                assert!(refused.contains("the device is ahead and cannot return to"), "{name}: {refused}");
            }
        });
    }
}

/// A condition of one's own counts from where it was made, in every trial.
#[test]
fn a_condition_holds_as_soon_as_it_does_in_one_trial() {
    let network = Arc::new(catalogue::network("brunel_ai", 0.02).unwrap());
    let plan = Arc::new(Plan::new(&network).unwrap());
    let variant = |trial| Variant { network: network.clone(), plan: plan.clone(), trial };
    pollster::block_on(async {
        let mut first = Vec::new();
        for trial in 0..3 {
            let mut alone = Simulation::of_trials(vec![variant(trial)], Box::new(Cpu::new(1))).await.unwrap();
            let mut until = alone.until("spikes > 200").unwrap();
            while !alone.advance_until(1000, &mut until).await.unwrap().1 {}
            first.push(alone.step());
        }
        let mut all = Simulation::of_trials((0..3).map(variant).collect(), Box::new(Cpu::new(1))).await.unwrap();
        let mut until = all.until("spikes > 200").unwrap();
        while !all.advance_until(1000, &mut until).await.unwrap().1 {}
        assert_eq!(Some(all.step()), first.iter().copied().min(), "{first:?}");
        assert!(all.runs().iter().all(|run| run.step() == all.step()));
        let refused = all.until("spikes(X) > 1").err().unwrap().to_string();
        assert!(refused.starts_with("until: condition, line 1, column 8: there is no population or source `X`"), "{refused}");
    });
}
