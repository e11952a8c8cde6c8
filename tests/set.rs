use spikelet::{Simulation, catalogue};
use spikelet_tests::{devices, run};

#[test]
fn values_set_while_running_act_the_same_on_every_device() {
    let network = catalogue::network("cuba", 1.0).unwrap();
    let mut reference = None;
    for (name, device) in devices() {
        let mut done = run(&network, device, 30.0, 100).unwrap();
        pollster::block_on(async {
            done.simulation.set("E.taum", "15 ms").await.unwrap();
            done.simulation.set("EE.we", "0.5 mV").await.unwrap();
            done.go_on(20.0, 100).await.unwrap();
            // Ten times the input: the ring's scale must give way while events are under way.
            done.simulation.set("EE.we", "16 mV").await.unwrap();
            done.simulation.set("I.El", "-48 mV").await.unwrap();
            done.go_on(20.0, 100).await.unwrap();
        });
        assert!(done.simulation.plan().populations[0].ports[0].shift < 24, "the scale gave way");
        let hash = done.recorder.spikes_hash();
        assert_eq!(&hash, reference.get_or_insert(hash.clone()), "{name}");
        let plain = run(&network, Box::new(spikelet::Cpu::new(1)), 70.0, 100).unwrap();
        assert_ne!(hash, plain.recorder.spikes_hash(), "{name}: what was set has no effect");
    }
}

/// Also of a variable that has no value in the file, and is zero for that reason.
#[test]
fn a_set_variable_changes_no_other() {
    let text = r#"{"name": "small", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "A", "size": 2,
        "equations": "dv/dt = 0/ms : 1\ndx/dt = 0/ms : 1", "run_regularly": [{"statements": "v += 1; x += 1", "every_ms": 0.5}],
        "initial": {"x": {"expr": "v + i"}}}]}"#;
    for (name, device) in devices() {
        let values = pollster::block_on(async {
            let network = spikelet::Network::from_json(text).unwrap();
            let mut simulation = Simulation::new(&network, device).await.unwrap();
            simulation.advance(3).await.unwrap();
            simulation.set("A.v", "7").await.unwrap();
            simulation.advance(4).await.unwrap();
            [simulation.values(0, "A.v").await.unwrap(), simulation.values(0, "A.x").await.unwrap()]
        });
        assert_eq!(values, [[8.0, 8.0], [2.0, 3.0]], "{name}");
    }
}

/// Rule 7.9: alone, the first value would be invalid, and the second one would be computed from the old value of `T`.
#[test]
fn the_values_of_a_change_are_set_together() {
    for set in [
        r#"{"A.tau": {"expr": "2*T"}, "A.x": {"expr": "y + T/ms"}, "A.y": 3, "A.T": "5 ms"}"#,
        r#"{"A.T": "5 ms", "A.y": 3, "A.x": {"expr": "y + T/ms"}, "A.tau": {"expr": "2*T"}}"#,
    ] {
        let text = r#"{"name": "small", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "A", "size": 2,
            "equations": "dv/dt = (1 - v)/tau : 1\ndx/dt = 0/ms : 1\ny : 1\nT : second\ntau : second",
            "parameters": {"T": "0 ms", "tau": "20 ms", "y": 1}, "initial": {"x": 0.5}}], "changes": [{"at_ms": 0.5, "set": SET}]}"#;
        let network = spikelet::Network::from_json(&text.replace("SET", set)).unwrap();
        let decayed = 1.0 - (-0.5_f64 / 20.0).exp() * (-0.5_f64 / 10.0).exp();
        for (name, device) in devices() {
            pollster::block_on(async {
                let mut simulation = Simulation::new(&network, device).await.unwrap();
                simulation.advance(10).await.unwrap();
                assert_eq!(simulation.values(0, "A.x").await.unwrap(), [8.0, 8.0], "{name}");
                let v = simulation.values(0, "A.v").await.unwrap();
                assert!(v.iter().all(|v| (v - decayed).abs() < 1e-6), "{name}: {v:?} is not {decayed}");
            });
        }
    }
}

#[test]
fn a_new_time_constant_is_that_of_a_new_network() {
    let mut network = catalogue::network("izhikevich", 1.0).unwrap();
    for (_, device) in devices() {
        let hash = pollster::block_on(async {
            let mut simulation = Simulation::new(&network, device).await.unwrap();
            // Set before the first step, it is as if the network had been built with it.
            simulation.set("E.noise", "7").await.unwrap();
            simulation.set("ei.w", "{\"expr\": \"0.25*rand()\"}").await.err();
            let mut recorder = spikelet::Recorder::new(simulation.plan());
            recorder.add(&simulation.advance(100).await.unwrap().spikes);
            recorder.spikes_hash()
        });
        network.set("E.noise", "7").unwrap();
        let built = run(&network, Box::new(spikelet::Cpu::new(1)), 100.0, 100).unwrap();
        assert_eq!(hash, built.recorder.spikes_hash());
        network = catalogue::network("izhikevich", 1.0).unwrap();
    }
}

#[test]
fn a_reset_starts_the_same_trial_again_and_another_trial_differs() {
    let network = catalogue::network("izhikevich", 1.0).unwrap();
    for (name, device) in devices() {
        let mut done = run(&network, device, 50.0, 50).unwrap();
        let first = done.spikes.clone();
        pollster::block_on(async {
            for (trial, same) in [(0, true), (1, false), (0, true)] {
                done.simulation.reset(trial).await.unwrap();
                done.spikes.clear();
                done.recorder = spikelet::Recorder::new(done.simulation.plan());
                done.go_on(50.0, 50).await.unwrap();
                assert_eq!(done.spikes == first, same, "{name}, trial {trial}");
            }
        });
    }
}

#[test]
fn what_cannot_be_set_changes_nothing() {
    let network = catalogue::network("cuba", 1.0).unwrap();
    for (name, device) in devices() {
        let mut done = run(&network, device, 10.0, 100).unwrap();
        pollster::block_on(async {
            for (path, value, part) in [
                ("E.taum", "15 mV", "must be a time, such as 5 ms"),
                ("E.tuam", "15 ms", "did you mean `taum`"),
                ("F.taum", "15 ms", "there is no population, source or projection `F`"),
                ("E.taum", "fast", "`fast` is not defined."),
                ("E.taum", "0 ms", "the time constant `taum` must be above 0"),
                ("E.Vr", "-40 mV", "it is still true after the reset ("),
                ("dt_ms", "0.2", "dt_ms cannot change during a run"),
                ("E.size", "10", "sizes and the code of steps cannot change during a run"),
                ("EE.delay_ms", "3", "delays cannot change during a run"),
                ("EE.p", "2", "p"),
            ] {
                let error = done.simulation.set(path, value).await.expect_err(path).to_string();
                assert!(error.contains(part), "{name}: {path} = {value}: {error}");
            }
            done.go_on(10.0, 100).await.unwrap();
        });
        let untouched = run(&network, Box::new(spikelet::Cpu::new(1)), 20.0, 100).unwrap();
        assert_eq!(done.recorder.spikes_hash(), untouched.recorder.spikes_hash(), "{name}");
    }
}
