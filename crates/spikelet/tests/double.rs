//! The backend in f64 against closed forms, to the last digits of f64.

use std::sync::Arc;

use serde_json::{Value, json};
use spikelet::rng::noise_bits;
use spikelet::{Activity, Backend, Cpu, Double, Error, Network, Plan, Simulation, Snapshot};
use spikelet_kernel::double::normal;

fn network(mut network: Value) -> Network {
    let defaults = json!({"name": "test", "dt_ms": 0.1, "duration_ms": 100});
    for (key, value) in defaults.as_object().unwrap() {
        network.as_object_mut().unwrap().entry(key).or_insert(value.clone());
    }
    Network::from_json(&network.to_string()).unwrap()
}

/// The rows of samples in f64, and the activity.
fn run(of: Value, steps: u32) -> (Vec<Vec<f64>>, Activity) {
    let (double, network) = (Double::new(), network(of));
    let samples = double.samples();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(double)).await.unwrap();
        let activity = simulation.advance(steps).await.unwrap();
        let channels = simulation.plan().channels.len();
        (samples.rows(0..steps, channels).chunks(channels.max(1)).map(<[f64]>::to_vec).collect(), activity)
    })
}

fn close(found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() <= within, "{found:e}, expected {wanted:e}: {:e} apart", (found - wanted).abs());
}

#[test]
fn a_decay_is_exponential() {
    let (rows, _) = run(
        json!({"populations": [{"name": "n", "size": 1, "equations": "dv/dt = -v/tau : 1", "method": "exact",
                                "parameters": {"tau": "7.3 ms"}, "initial": {"v": 0.3}}],
               "recordings": [{"object": "n", "var": "v", "indices": [0]}]}),
        1001,
    );
    for (step, row) in rows.iter().enumerate() {
        close(row[0] / (0.3 * (-(step as f64) * 0.1 / 7.3).exp()), 1.0, 1e-12);
    }
}

#[test]
fn intervals_of_a_leaky_cell_are_those_of_its_equation() {
    let (drive, tau, threshold, refractory) = (1.3, 8.7, 1.0, 23);
    let (rows, activity) = run(
        json!({"populations": [{"name": "n", "size": 1, "equations": "dv/dt = (1.3 - v)/(8.7*ms) : 1 (unless refractory)",
                                "method": "exact", "threshold": "v > 1", "reset": "v = 0", "refractory": "2.3*ms"}],
               "recordings": [{"object": "n", "var": "v", "indices": [0]}]}),
        1000,
    );
    let rise = (1..).find(|steps| drive * (1.0 - (-f64::from(*steps) * 0.1 / tau).exp()) > threshold).unwrap();
    let spikes: Vec<u32> = activity.spikes.iter().map(|spike| spike.step).collect();
    assert_eq!(spikes[0], rise - 1);
    assert!(spikes.len() > 5, "{spikes:?}");
    let interval = spikes[1] - spikes[0];
    assert!(spikes.windows(2).all(|pair| pair[1] - pair[0] == interval), "{spikes:?}");
    assert!((rise + refractory - 1..=rise + refractory).contains(&interval), "{interval}, rise {rise}");
    // From the end of the last refractory period on it rises again.
    let (last, from) = (spikes[spikes.len() - 2], interval - rise);
    for steps in 0..rise {
        close(rows[(last + 1 + from + steps) as usize][0], drive * (1.0 - (-f64::from(steps) * 0.1 / tau).exp()), 1e-13);
    }
}

/// 0.1 is no multiple of the units of a delay buffer.
#[test]
fn an_alpha_synapse_has_the_shape_of_its_equation() {
    let (rows, _) = run(
        json!({"populations": [{"name": "n", "size": 1, "equations": "dg/dt = (h - g)/(5*ms) : 1\ndh/dt = -h/(5*ms) : 1", "method": "exact"}],
               "sources": [{"name": "s", "size": 1, "spike_times_ms": [[0, 2.0]]}],
               "projections": [{"name": "sn", "pre": "s", "post": "n", "connect": {"rule": "all"}, "on_pre": "h_post += 0.1",
                                "delay_ms": 1.5}],
               "recordings": [{"object": "n", "var": "g", "indices": [0]}]}),
        500,
    );
    // The spike of step 20 is added at the start of step 20 + 1 + 15.
    for (step, row) in rows.iter().enumerate() {
        let time = (step as f64 - 36.0) * 0.1;
        close(row[0], if time > 0.0 { 0.1 * time / 5.0 * (-time / 5.0).exp() } else { 0.0 }, 1e-15);
    }
}

#[test]
fn weights_are_not_rounded_however_they_are_given() {
    let projection = |name: &str, more: Value| {
        let mut of = json!({"name": name, "pre": "s", "post": "n", "on_pre": "v_post += w", "delay_ms": 0});
        of.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        of
    };
    let (rows, _) = run(
        json!({"populations": [{"name": "n", "size": 2, "equations": "v : 1", "initial": {"v": 0.7}}],
               "sources": [{"name": "s", "size": 2, "spike_times_ms": [[0, 0.0], [1, 1.0]]}],
               "projections": [
                    projection("list", json!({"pairs": [[0, 0], [1, 1]], "parameters": {"w": {"values": [0.1, 0.2], "unit": "1"}}})),
                    projection("formula", json!({"connect": {"rule": "one_to_one"}, "parameters": {"w": {"expr": "1e-7*(i + 1)/3"}}})),
                    projection("procedural", json!({"connect": {"rule": "all"}, "storage": "procedural",
                                                    "parameters": {"w": {"expr": "(i - j)/7"}}})),
                    projection("state", json!({"connect": {"rule": "one_to_one"}, "equations": "x : 1", "on_pre": "x += w\nv_post += x",
                                               "parameters": {"w": {"expr": "1/(3 + i)"}}}))],
               "recordings": [{"object": "n", "var": "v", "indices": [0, 1]}]}),
        20,
    );
    close(rows[19][0], 0.7 + 0.1 + 1e-7 / 3.0 + 1.0 / 7.0 + 1.0 / 3.0, 1e-15);
    close(rows[19][1], 0.7 + 0.2 + 2e-7 / 3.0 - 1.0 / 7.0 + 1.0 / 4.0, 1e-15);
}

/// The recursion that Euler and Maruyama give, with the same random words.
#[test]
fn noise_is_that_of_the_random_words() {
    let (tau, sigma, dt) = (10.0, 0.5, 0.1);
    let network = json!({"seed": 42, "populations": [{"name": "n", "size": 50, "equations": "dx/dt = -x/(10*ms) + 0.5*sqrt(2/(10*ms))*xi : 1",
                                                      "method": "euler"}],
                         "recordings": [{"object": "n", "var": "x", "indices": "all"}]});
    let (rows, _) = run(network, 2001);
    let (mut x, mut moments) = (vec![0.0; 50], [0.0; 2]);
    for (step, row) in rows.iter().enumerate() {
        for (neuron, (x, found)) in x.iter_mut().zip(row).enumerate() {
            close(*found, *x, 1e-12);
            let bits = noise_bits(42, 0, [step as u32, neuron as u32, 0]);
            *x += dt * (-*x / tau) + sigma * (2.0 * dt / tau).sqrt() * normal(bits);
            (moments[0], moments[1]) = (moments[0] + *found, moments[1] + found * found);
        }
    }
    let samples = (rows.len() * 50) as f64;
    close(moments[0] / samples, 0.0, 0.05);
    close(moments[1] / samples, sigma * sigma, 0.03);
}

/// Each halving of dt divides the error by two to the order, also far below the rounding error of f32.
#[test]
fn methods_converge_with_their_order() {
    let error = |method: &str, steps: u32| {
        let (rows, _) = run(
            json!({"dt_ms": 10.0 / f64::from(steps),
                   "populations": [{"name": "n", "size": 1, "equations": "dv/dt = -v**2/(10*ms) : 1", "method": method,
                                    "initial": {"v": 1}}],
                   "recordings": [{"object": "n", "var": "v", "indices": [0]}]}),
            steps + 1,
        );
        (rows[steps as usize][0] - 0.5).abs()
    };
    for (method, order, steps) in [("euler", 1, 4096), ("rk2", 2, 8192), ("rk4", 4, 256)] {
        let (coarse, fine) = (error(method, steps), error(method, 2 * steps));
        let ratio = coarse / fine;
        close(ratio.log2(), f64::from(order), 0.05);
        assert!(order == 1 || fine < 1e-9, "{method}: {fine:e}");
    }
}

#[test]
fn a_value_that_is_set_is_not_rounded_either() {
    let changed = json!({"populations": [{"name": "n", "size": 1, "equations": "dv/dt = I/ms : 1", "method": "euler", "parameters": {"I": 0.3}}],
                         "recordings": [{"object": "n", "var": "v", "indices": [0]}],
                         "changes": [{"at_ms": 1, "set": {"n.I": 0.1}}, {"at_ms": 2, "set": {"n.v": 0.7}}]});
    let (rows, _) = run(changed, 31);
    close(rows[10][0], 0.3, 1e-15);
    close(rows[19][0], 0.3 + 0.09, 1e-15);
    close(rows[20][0], 0.7, 1e-16);
    close(rows[30][0], 0.8, 1e-15);
    let weight = network(json!({"populations": [{"name": "n", "size": 1, "equations": "v : 1"}],
               "sources": [{"name": "s", "size": 1, "spike_times_ms": [[0, 0.0], [0, 1.0]]}],
               "projections": [{"name": "sn", "pre": "s", "post": "n", "connect": {"rule": "all"}, "on_pre": "v_post += w",
                                "parameters": {"w": 0.1}, "delay_ms": 0.3}],
               "recordings": [{"object": "n", "var": "v", "indices": [0]}]}));
    let double = Double::new();
    let samples = double.samples();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&weight, Box::new(double)).await.unwrap();
        // Spikes on their way have the weight that is set last, though the scale changes.
        simulation.advance(2).await.unwrap();
        simulation.set("sn.w", "1e5").await.unwrap();
        simulation.advance(8).await.unwrap();
        simulation.set("sn.w", "0.2").await.unwrap();
        simulation.advance(20).await.unwrap();
    });
    let rows = samples.rows(0..30, 1);
    close(rows[9], 1e5, 0.0);
    close(rows[29], 1e5 + 0.2, 0.0);
}

#[test]
fn what_would_be_rounded_is_rejected() {
    let of = network(json!({"populations": [{"name": "n", "size": 1, "equations": "v : 1"}]}));
    pollster::block_on(async {
        let plan = Arc::new(Plan::new(&of).unwrap());
        let error = Simulation::with_plan(&of, plan, Box::new(Double::new())).await.err().unwrap();
        assert!(error.to_string().contains("BuildOptions::exact"), "{error}");
        let snapshot: Snapshot = {
            let mut single = Simulation::new(&of, Box::new(Cpu::new(1))).await.unwrap();
            single.snapshot().await.unwrap()
        };
        let mut simulation = Simulation::new(&of, Box::new(Double::new())).await.unwrap();
        let error = simulation.restore(&snapshot).await.err().unwrap();
        assert!(error.to_string().contains("of a run in f32, but this run is in f64"), "{error}");
        let mut single = Simulation::new(&of, Box::new(Cpu::new(1))).await.unwrap();
        let error = single.restore(&simulation.snapshot().await.unwrap()).await.err().unwrap();
        assert!(error.to_string().contains("of a run in f64, but this run is in f32"), "{error}");
    });
}

/// What continues from the bytes of a snapshot at any step is the same by bits: learned, delayed, set and written values have digits that f32 has not.
#[test]
fn a_run_continues_from_a_snapshot_with_all_digits() {
    let of = network(json!({"seed": 3, "duration_ms": 60,
        "populations": [{"name": "n", "size": 40, "equations": "dv/dt = (I - v)/(10*ms) + 0.3*xi/sqrt(10*ms) : 1\nI : 1 (constant)", "method": "euler",
                         "threshold": "v > 1", "reset": "v = 0", "refractory": "1*ms", "parameters": {"I": {"expr": "1.1 + 0.001*i"}}}],
        "projections": [
            {"name": "plain", "pre": "n", "post": "n", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "v_post += w",
             "parameters": {"w": {"expr": "0.01*rand()"}}, "delay_ms": 2.3, "storage": "stored"},
            {"name": "learns", "pre": "n", "post": "n", "connect": {"rule": "bernoulli", "p": 0.2}, "delay_ms": 1.1,
             "equations": "dx/dt = -x/(20*ms) : 1 (event-driven)\ndy/dt = -y/(20*ms) : 1 (event-driven)\nw : 1", "initial": {"w": {"expr": "0.02*rand()"}},
             "on_pre": "v_post += w\nx += 0.01\nw = clip(w - y, 0, 0.1)", "on_post": "y += 0.01\nw = clip(w + x, 0, 0.1)"}],
        "changes": [{"at_ms": 25, "set": {"n.I": {"expr": "1.2 + 0.001*i"}, "plain.w": {"expr": "0.013*rand()"}}}]}));
    let bits = |simulation: &mut Simulation| {
        let values = ["n.v", "learns.w", "n.I"].map(|path| pollster::block_on(simulation.values(0, path)).unwrap());
        values.map(|values| values.into_iter().map(f64::to_bits).collect::<Vec<_>>())
    };
    pollster::block_on(async {
        let begun = async || {
            let mut simulation = Simulation::new(&of, Box::new(Double::new())).await.unwrap();
            let mut spikes = simulation.advance(50).await.unwrap().spikes;
            simulation.set_values("n.I", &[1.1 + 1e-12; 40]).await.unwrap();
            simulation.set("plain.w", "{\"expr\": \"0.0151*rand()\"}").await.unwrap();
            spikes.extend(simulation.advance(37).await.unwrap().spikes);
            (simulation, spikes)
        };
        let (mut whole, mut expected) = begun().await;
        expected.extend(whole.advance(513).await.unwrap().spikes);
        let expected = (expected, bits(&mut whole));
        assert!(expected.0.len() > 100 && expected.1[1].iter().any(|bits| bits << 36 != 0));
        for more in [0, 1, 40, 163, 400] {
            let (mut first, mut spikes) = begun().await;
            spikes.extend(first.advance(more).await.unwrap().spikes);
            let bytes = first.snapshot().await.unwrap().to_bytes();
            // What is taken back does not matter.
            first.advance(30).await.unwrap();
            let snapshot = Snapshot::from_bytes(&bytes).unwrap();
            let second = Simulation::from_snapshot(&snapshot, Box::new(Double::new())).await.unwrap();
            first.restore(&snapshot).await.unwrap();
            for mut simulation in [first, second] {
                assert_eq!(simulation.snapshot().await.unwrap().to_bytes(), bytes);
                let mut spikes = spikes.clone();
                spikes.extend(simulation.advance(513 - more).await.unwrap().spikes);
                assert!((spikes, bits(&mut simulation)) == expected, "{more} steps later");
            }
        }
    });
}

/// The first variable, neuron and step are found; a rewind gives the same samples.
#[test]
fn an_infinite_state_is_found() {
    let growing = network(json!({"dt_ms": 1,
        "populations": [{"name": "n", "size": 300, "equations": "dv/dt = v/ms : 1", "method": "euler",
                         "initial": {"v": {"expr": "1e-30 + 1e-23*int(i == 257)"}}}],
        "recordings": [{"object": "n", "var": "v", "indices": [257]}], "changes": [{"at_ms": 150, "set": {"n.v": 1e-10}}]}));
    let double = Double::new();
    let samples = double.samples();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&growing, Box::new(double)).await.unwrap();
        let mut rows = 0;
        while !simulation.is_over() {
            rows += simulation.advance(128).await.unwrap().samples.len();
        }
        let Some(Error::Diverged { variable, step, .. }) = simulation.failure() else { panic!("{:?}", simulation.failure()) };
        // 1e-10 · 2¹⁶² exceeds the largest f32.
        assert_eq!((variable.as_str(), *step, rows), ("v", 311, 311));
        assert_eq!(samples.rows(149..150, 1), [1e-23 * 2.0_f64.powi(149) + 1e-30 * 2.0_f64.powi(149)]);
    });
}

/// Rule 8.2: f64 has all integers; f32 rejects those that it would round, before the run and when they are set.
#[test]
fn integers_that_f32_would_round_are_errors_there() {
    let counter = |start: f64| {
        network(json!({
            "populations": [{"name": "A", "size": 1, "equations": "n : integer", "initial": {"n": start}}],
            "projections": [{"name": "s", "pre": "A", "post": "A", "connect": {"rule": "all"}, "equations": "n : integer", "initial": {"n": 1},
                             "on_pre": "n += 1"}]
        }))
    };
    let simulation = |network: &Network, f64: bool| {
        let backend: Box<dyn Backend> = if f64 { Box::new(Double::new()) } else { Box::new(Cpu::new(1)) };
        pollster::block_on(Simulation::new(network, backend))
    };
    let error = simulation(&counter(16_777_217.0), false).err().unwrap().to_string();
    assert!(
        error.starts_with("populations[0], `n` is 16777217, but in f32 integers are whole numbers up to 16777216"),
        "{error}"
    );
    simulation(&counter(16_777_217.0), true).unwrap();
    let mut started = simulation(&counter(16_777_216.0), false).unwrap();
    for path in ["A.n", "s.n"] {
        let error = pollster::block_on(started.set(path, "16777217")).unwrap_err().to_string();
        assert!(error.contains("up to 16777216"), "{error}");
    }
}
