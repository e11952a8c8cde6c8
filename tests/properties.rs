use spikelet::{Cpu, Network, catalogue};
use spikelet_tests::{devices, run};

/// Neuron i of `source` fires at step 10 + i, once; `sink` adds up what arrives, without a leak.
fn relay(sources: u32, sinks: u32, pairs: &[[u32; 2]], weights: &[f64], delays_ms: &[f64]) -> Network {
    let json = serde_json::json!({
        "name": "relay", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [
            {"name": "source", "size": sources, "equations": "x : 1", "update": "x += 1", "threshold": "x == 11 + i"},
            {"name": "sink", "size": sinks, "equations": "v : volt\nu : 1", "update": "u = 0*u"}
        ],
        "projections": [{
            "pre": "source", "post": "sink", "pairs": pairs, "equations": "w : volt (constant)", "on_pre": "v_post += w",
            "parameters": {"w": {"values": weights, "unit": "mV"}}, "delay_ms": delays_ms
        }],
        "recordings": [{"object": "sink", "var": "v", "indices": (0..sinks).collect::<Vec<_>>()}]
    });
    Network::from_json(&json.to_string()).unwrap()
}

#[test]
fn every_event_arrives_at_its_step_and_none_is_lost() {
    // Sizes around the edges of blocks and workgroups.
    for (sources, sinks) in [(1, 1), (5, 63), (64, 65), (70, 257)] {
        let pairs: Vec<[u32; 2]> = (0..sources * 3).map(|k| [k % sources, (k * 7 + k / sources) % sinks]).collect();
        let weights: Vec<f64> = (0..pairs.len()).map(|k| (k % 5) as f64 - 1.75).collect();
        let delays: Vec<f64> = (0..pairs.len()).map(|k| 0.1 * ((k * 3) % 40) as f64).collect();
        let network = relay(sources, sinks, &pairs, &weights, &delays);
        let steps = 150;
        // v[j] at step k: all weights whose event landed at or before k. A spike of step s lands in slot s + 1 + delay.
        let mut expected = vec![vec![0.0; sinks as usize]; steps];
        for (([i, j], weight), delay) in pairs.iter().zip(&weights).zip(&delays) {
            let lands = 10 + *i as usize + 1 + (delay / 0.1).round() as usize;
            expected[lands..].iter_mut().for_each(|row| row[*j as usize] += weight);
        }
        for (name, device) in devices() {
            let done = run(&network, device, 15.0, 13).unwrap();
            let fired: Vec<(u32, u32)> = done.spikes.iter().map(|spike| (spike.step, spike.neuron)).collect();
            assert_eq!(fired, (0..sources).map(|i| (10 + i, i)).collect::<Vec<_>>(), "{name}");
            assert_eq!(done.recorder.synaptic_events(), pairs.len() as u64, "{name}");
            for (step, (row, expected)) in done.samples.chunks_exact(sinks as usize).zip(&expected).enumerate() {
                let row: Vec<f64> = row.iter().map(|value| f64::from(*value)).collect();
                // Quarters are exact in fixed point and in f32.
                assert_eq!(&row, expected, "{name}, {sources} sources, {sinks} sinks, step {step}");
            }
        }
    }
}

#[test]
fn no_neuron_fires_while_it_is_refractory() {
    for name in ["cuba", "coba"] {
        let network = catalogue::network(name, 1.0).unwrap();
        let done = run(&network, Box::new(Cpu::new(2)), 300.0, 500).unwrap();
        let mut last = vec![None; network.neurons() as usize];
        let mut shortest = u32::MAX;
        for spike in &done.spikes {
            if let Some(before) = last[spike.neuron as usize].replace(spike.step) {
                shortest = shortest.min(spike.step - before);
            }
        }
        // 5 ms are 50 steps; the neuron is free in the 50th, and fires there where it is driven hard.
        assert!(shortest >= 50 && (name != "coba" || shortest < 60), "{name}: {shortest} steps between two spikes");
    }
}

/// Euler against the closed form: v = I R (1 - exp(-t/tau)), f–I curve of Lapicque.
#[test]
fn a_leaky_cell_fires_at_the_rate_of_its_formula() {
    let currents: Vec<f64> = (0..40).map(|k| 10.0 + f64::from(k)).collect();
    let json = serde_json::json!({
        "name": "lapicque", "dt_ms": 0.01, "duration_ms": 500,
        "populations": [{
            "name": "n", "size": currents.len(), "equations": "dv/dt = (R*I - v)/tau : volt (unless refractory)\nI : amp (constant)",
            "threshold": "v > 15*mV", "reset": "v = 0*mV", "refractory": "2*ms",
            "parameters": {"tau": "10 ms", "R": "1 Gohm", "I": {"values": currents, "unit": "pA"}}
        }]
    });
    let network = Network::from_json(&json.to_string()).unwrap();
    for (name, device) in devices() {
        let done = run(&network, device, 500.0, 4000).unwrap();
        for (neuron, current) in currents.iter().enumerate() {
            let count = done.spikes.iter().filter(|spike| spike.neuron as usize == neuron).count();
            let expected = if *current <= 15.0 { 0.0 } else { 500.0 / (2.0 - 10.0 * (1.0 - 15.0 / current).ln()) };
            assert!(
                (count as f64 - expected).abs() <= 1.0 + 0.003 * expected,
                "{name}: {count} spikes at {current} pA, expected {expected:.2}"
            );
        }
    }
}

/// Every method on dx/dt = x(1 - x)/tau or dx/dt = (a - x)/tau, against the closed form, with errors of its order.
#[test]
fn methods_have_their_order() {
    let (tau, time): (f64, f64) = (10.0, 20.0);
    let logistic = |x: f64| 1.0 / (1.0 + (1.0 / x - 1.0) * (-time / tau).exp());
    let leak = |x: f64| 3.0 + (x - 3.0) * (-time / tau).exp();
    let (curved, straight) = (("x*(1 - x)/tau", logistic(0.1)), ("(3 - x)/tau", leak(0.1)));
    let cases = [
        ("euler", curved, 1e-3, 3e-2),
        ("rk2", curved, 1e-5, 2e-3),
        ("rk4", curved, 0.0, 2e-6),
        ("exponential_euler", straight, 0.0, 2e-6),
        ("exact", straight, 0.0, 2e-6),
    ];
    for (method, (rate, exact), least, most) in cases {
        let json = serde_json::json!({
            "name": method, "dt_ms": 1, "duration_ms": time,
            "populations": [{"name": "n", "size": 1, "equations": format!("dx/dt = {rate} : 1"), "method": method,
                             "parameters": {"tau": "10 ms"}, "initial": {"x": 0.1}}]
        });
        let network = Network::from_json(&json.to_string()).unwrap();
        for (name, device) in devices() {
            let mut done = run(&network, device, time, 7).unwrap();
            let found = f64::from(f32::from_bits(done.arrays().unwrap()[0].1[0]));
            let error = (found - exact).abs();
            assert!((least..=most).contains(&error), "{method} on {name}: {found}, expected {exact}");
        }
    }
}
