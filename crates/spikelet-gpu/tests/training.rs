//! Backpropagation through time on a GPU: the readings, spikes and gradients of the CPU, bit by bit.

use std::sync::Arc;

use crate::differentiable::{device, scattered};
use pollster::block_on;
use serde_json::{Value, json};
use spikelet_gpu::{Device, GpuBptt, kernels, validate_kernel};
use spikelet_train::bptt::Cpu;
use spikelet_train::{Batch, Differentiable, Event, Method, RawGradient, Readings, Training, TrainingPlan};

const CURRENTS: &str = "dv/dt = (I - v)/tau : 1 (unless refractory)\ndI/dt = -I/tau_s : 1\ntau : second (constant)";

/// 30 inputs, 37 recurrent neurons with refractoriness, 5 outputs that do not fire.
fn layered(tape: &Value, train: &Value) -> Training {
    let network = json!({
        "name": "layered", "dt_ms": 1, "duration_ms": 50, "seed": 5,
        "sources": [{"name": "input", "size": 30, "spike_times_ms": []}],
        "populations": [
            {"name": "hidden", "size": 37, "equations": CURRENTS, "threshold": "v > 1", "reset": "v = 0", "refractory": "3*ms",
             "parameters": {"tau": "12 ms", "tau_s": "5 ms"}},
            {"name": "out", "size": 5, "equations": "dv/dt = (I - v)/tau : 1\ndI/dt = -I/tau_s : 1",
             "parameters": {"tau": "15 ms", "tau_s": "4 ms"}}
        ],
        "projections": [
            {"pre": "input", "post": "hidden", "connect": {"rule": "all"}, "on_pre": "I_post += w", "delay_ms": 0,
             "parameters": {"w": "0.4 + 0.8*randn()"}},
            {"pre": "hidden", "post": "hidden", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "I_post += w",
             "delay_ms": "(1 + (i + 3*j) % 7)*ms", "parameters": {"w": "0.1 + 0.6*randn()"}},
            {"pre": "hidden", "post": "out", "connect": {"rule": "all"}, "on_pre": "I_post += w", "delay_ms": 2,
             "parameters": {"w": "0.0 + 0.5*randn()"}}
        ]
    });
    training(&network, tape, train, &json!([["out", "max", "v"], ["hidden", "count", null]]))
}

fn training(network: &Value, tape: &Value, train: &Value, loss: &Value) -> Training {
    let terms: Vec<Value> = loss
        .as_array()
        .unwrap()
        .iter()
        .map(|term| {
            let mut read = json!({"type": "mean_square", "population": term[0], "reading": term[1]});
            if !term[2].is_null() {
                read["variable"] = term[2].clone();
            }
            read
        })
        .collect();
    let training = json!({
        "name": "test", "network": network, "input": "input", "method": "bptt", "train": train, "loss": terms,
        "optimiser": {"type": "adam", "rate": 0.001}, "batch": 8, "epochs": 1, "tape": tape
    });
    Training::from_json(&training.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn batch(plan: &TrainingPlan, trials: u64, events: u64) -> Batch {
    let (size, duration) = (f64::from(plan.plan.populations[plan.input].size), plan.network.duration_ms);
    let trial = |trial: u64| {
        let event = |k: u64| Event {
            time_ms: 0.8 * duration * scattered(1000 * trial + 2 * k),
            channel: (size * scattered(1000 * trial + 2 * k + 1)) as u32,
        };
        (0..events).map(event).collect()
    };
    Batch { inputs: (0..trials).map(trial).collect(), first_trial: 17 }
}

/// Equal but for the sign of zero.
fn assert_same(cpu: &[f64], gpu: &[f64], what: &str) {
    assert_eq!(cpu.len(), gpu.len(), "{what}");
    for (k, (cpu, gpu)) in cpu.iter().zip(gpu).enumerate() {
        assert!(cpu == gpu || (cpu.is_nan() && gpu.is_nan()), "{what}, {k}: {cpu:e} on the CPU, {gpu:e} on the GPU");
    }
}

fn wide(readings: &Readings) -> Vec<Vec<f64>> {
    readings.0.iter().map(|numbers| numbers.iter().map(|number| f64::from(*number)).collect()).collect()
}

/// Compares both devices for batches of these sizes, the first of which is loaded for. Returns the gradient of the last one.
fn check(training: &Training, trials: &[u64], events: u64) -> Option<RawGradient> {
    check_on(device()?, training, trials, events)
}

/// Also that neurons fire, and that the gradient is that of what is trained.
fn check_on(device: Device, training: &Training, trials: &[u64], events: u64) -> Option<RawGradient> {
    let (plan, spikes, gradient) = compare(device, training, trials, events);
    let count: u64 = trials.iter().sum();
    assert!(spikes > 20 * count, "{spikes} spikes in {count} trials");
    for (projection, gradient) in plan.projections.iter().zip(&gradient.weights) {
        assert_eq!(projection.group.is_some(), gradient.iter().any(|number| *number != 0.0));
    }
    Some(gradient)
}

/// Compares both devices. Returns the plan, the number of spikes that are not input, and the gradient of the last batch.
fn compare(device: Device, training: &Training, trials: &[u64], events: u64) -> (Arc<TrainingPlan>, u64, RawGradient) {
    let plan = Arc::new(TrainingPlan::new(training).unwrap_or_else(|error| panic!("{error}")));
    let mut gpu = GpuBptt::new(device);
    let mut cpu = Cpu::new(2);
    let (mut spiked, mut last) = (0, RawGradient::default());
    block_on(async {
        let values = Arc::new(plan.values(&plan.parameters.values).unwrap());
        cpu.load(plan.clone(), trials[0] as usize).await.unwrap();
        gpu.load(plan.clone(), trials[0] as usize).await.unwrap();
        cpu.set(values.clone()).await.unwrap();
        gpu.set(values).await.unwrap();
        for trials in trials {
            let batch = batch(&plan, *trials, events);
            let read = [cpu.forward(&batch, true).await.unwrap(), gpu.forward(&batch, true).await.unwrap()];
            for trial in 0..*trials as usize {
                let mut spikes = [cpu.spikes(trial).await.unwrap(), gpu.spikes(trial).await.unwrap()];
                spikes.iter_mut().for_each(|spikes| spikes.sort_unstable());
                let [cpu, gpu] = &spikes;
                assert_eq!(cpu, gpu, "spikes of trial {trial}");
                let input = &plan.plan.populations[plan.input];
                let is_input = |neuron: u32| (input.first..input.first + input.size).contains(&neuron);
                spiked += cpu.iter().filter(|spike| !is_input(spike.neuron)).count() as u64;
            }
            let [of_cpu, of_gpu] = &read;
            for (k, (cpu, gpu)) in wide(of_cpu).iter().zip(&wide(of_gpu)).enumerate() {
                assert_same(cpu, gpu, &format!("reading {k}"));
            }
            let adjoint = |(k, _): (usize, &f32)| (scattered(k as u64 + 77) - 0.5) as f32;
            let adjoints = Readings(of_cpu.0.iter().map(|numbers| numbers.iter().enumerate().map(adjoint).collect()).collect());
            let gradients = [cpu.backward(&adjoints).await.unwrap(), gpu.backward(&adjoints).await.unwrap()];
            let [of_cpu, of_gpu] = &gradients;
            assert_eq!(of_cpu.weights.len(), of_gpu.weights.len());
            for (k, (cpu, gpu)) in of_cpu.weights.iter().zip(&of_gpu.weights).enumerate() {
                assert_same(cpu, gpu, &format!("gradient of projection {k}"));
            }
            for (k, (cpu, gpu)) in of_cpu.constants.iter().zip(&of_gpu.constants).enumerate() {
                assert_same(cpu, gpu, &format!("gradient of the constants of population {k}"));
            }
            for (k, (cpu, gpu)) in of_cpu.initial.iter().zip(&of_gpu.initial).enumerate() {
                assert_same(&cpu.concat(), &gpu.concat(), &format!("gradient of the initial values of population {k}"));
            }
            [_, last] = gradients;
        }
    });
    (plan, spiked, last)
}

fn all_weights() -> Value {
    json!([{"path": "input_hidden"}, {"path": "hidden_hidden"}, {"path": "hidden_out"}])
}

#[test]
fn recurrent_networks_have_the_gradients_of_the_cpu() {
    // Chunks of 8 trials: several, an odd number, a part of one.
    check(&layered(&json!({}), &all_weights()), &[19, 3, 16], 60);
}

#[test]
fn segments_and_windows_have_the_gradients_of_the_cpu() {
    let whole = check(&layered(&json!({}), &all_weights()), &[10], 60);
    let segments = check(&layered(&json!({"segment": 7}), &all_weights()), &[10, 4, 10], 60);
    assert_eq!(whole, segments);
    let window = check(&layered(&json!({"segment": 8, "window": 12}), &all_weights()), &[10], 60);
    assert!(whole.is_none() || whole != window);
    check(&layered(&json!({"detached_reset": true}), &json!([{"path": "input_hidden"}])), &[5], 60);
}

#[test]
fn e_prop_has_the_gradients_of_the_cpu() {
    let of = |training: Training| Training { method: Method::Eprop, ..training };
    let factors = check(&of(layered(&json!({"segment": 9}), &all_weights())), &[10, 3], 60);
    let whole = check(&layered(&json!({}), &all_weights()), &[10, 3], 60);
    assert!(whole.is_none() || whole != factors);
    // Recurrent neurons with an adaptation.
    check(&of(conductances(&json!([["E", "count", null], ["I", "mean", "v"]]), &json!({}))), &[9], 150);
}

#[test]
fn a_tape_of_several_buffers_has_the_gradients_of_the_cpu() {
    let training = layered(&json!({}), &all_weights());
    let Some(device) = device() else { return };
    let parts = check_on(device.clone().with_limits_of(80_000), &training, &[10], 60);
    assert_eq!(check_on(device, &training, &[10], 60), parts);
}

/// Conductances, noise, adaptation, a Poisson source, input that changes with time; excitatory and inhibitory neurons in two populations,
/// neurons with parameters of their own.
fn conductances(loss: &Value, tape: &Value) -> Training {
    let equations = "dv/dt = (El - v + ge*(Ee - v) + gi*(Ei - v) + drive(t) - a)/tau + noise*sqrt(2/tau)*xi : 1
        dge/dt = -ge/te : 1\ndgi/dt = -gi/ti : 1\nda/dt = -a/ta : 1\ntau : second (constant)";
    let cells = |name: &str, size: u32, tau: &str| {
        json!({"name": name, "size": size, "equations": equations, "threshold": "v > 1", "reset": "v = 0.1\na += 0.2",
               "refractory": "1.5*ms", "initial": {"v": "0.9*rand()"},
               "parameters": {"El": 0.2, "Ee": 4, "Ei": -1, "te": "4 ms", "ti": "7 ms", "ta": "60 ms", "noise": 0.1, "tau": tau,
                              "drive": {"timed": [0.5, 0.9, 0.3], "dt": "9 ms"}}})
    };
    let network = json!({
        "name": "conductances", "dt_ms": 0.5, "duration_ms": 30, "seed": 9,
        "sources": [
            {"name": "input", "size": 40, "spike_times_ms": []},
            {"name": "background", "size": 20, "type": "poisson", "rate": "60 Hz"}
        ],
        "populations": [cells("E", 45, "(10 + 5*rand())*ms"), cells("I", 20, "8 ms")],
        "projections": [
            {"pre": "input", "post": "E", "connect": {"rule": "bernoulli", "p": 0.5}, "on_pre": "ge_post += w", "delay_ms": 1,
             "parameters": {"w": "0.15*rand()"}},
            {"pre": "background", "post": "E", "connect": {"rule": "fixed_indegree", "n": 4}, "on_pre": "ge_post += w",
             "parameters": {"w": 0.1}},
            {"pre": "E", "post": "I", "connect": {"rule": "all"}, "on_pre": "ge_post += w", "delay_ms": 0.5,
             "parameters": {"w": "0.1*rand()"}},
            {"pre": "I", "post": "E", "connect": {"rule": "fixed_total", "n": 300}, "on_pre": "gi_post += w", "delay_ms": "(0.5 + 2*rand())*ms",
             "parameters": {"w": "0.2*rand()"}},
            {"pre": "I", "post": "I", "connect": {"rule": "all", "autapses": false}, "on_pre": "gi_post += w", "parameters": {"w": 0.05}}
        ]
    });
    let train = json!([{"path": "input_E"}, {"path": "E_I", "tied": true}, {"path": "I_E"}]);
    training(&network, tape, &train, loss)
}

#[test]
fn conductances_and_noise_have_the_gradients_of_the_cpu() {
    check(&conductances(&json!([["E", "count", null], ["I", "mean", "v"]]), &json!({})), &[9, 2], 150);
    check(&conductances(&json!([["I", "first_spike", null], ["E", "last", "v"]]), &json!({"segment": 11})), &[9], 150);
}

fn every_reading() -> Value {
    json!([
        ["E", "max", "v"],
        ["E", "spikes", null],
        ["I", "trace", "ge"],
        ["E", "mean", "v"],
        ["I", "max", "a"],
        ["E", "first_spike", null],
        ["E", "last", "gi"],
        ["I", "count", null]
    ])
}

#[test]
fn every_reading_has_the_gradients_of_the_cpu() {
    check(&conductances(&every_reading(), &json!({})), &[9], 150);
}

#[test]
fn values_of_neurons_have_the_gradients_of_the_cpu() {
    let loss = json!([["E", "count", null], ["I", "trace", "v"]]);
    let weights = conductances(&loss, &json!({"segment": 20, "window": 25}));
    let values = json!([{"path": "E.tau"}, {"path": "I.tau"}, {"path": "E.v"}, {"path": "E_I"}]);
    let training = Training { train: serde_json::from_value(values).unwrap(), ..weights };
    let Some(gradient) = check(&training, &[13, 5, 9], 150) else { return };
    // The input and the background have none.
    let counts: Vec<usize> = gradient.initial.iter().map(Vec::len).collect();
    assert!(counts[0] > 0 && counts[1] > 0 && counts[2..] == [0, 0], "{counts:?}");
    let plan = TrainingPlan::new(&training).unwrap();
    let flat = plan.gradient(&gradient, &plan.parameters.values);
    for group in &plan.parameters.groups {
        assert!(flat[group.range.clone()].iter().any(|number| *number != 0.0), "{}", group.path);
    }
}

/// Without a device.
#[test]
fn kernels_are_those_of_the_portable_core() {
    let trainings = [layered(&json!({}), &all_weights()), conductances(&every_reading(), &json!({}))];
    let mut names = std::collections::BTreeSet::new();
    for training in trainings {
        for text in kernels::training(&TrainingPlan::new(&training).unwrap()) {
            let report = validate_kernel(text.entry_point, &text.wgsl, None);
            assert!(report.valid, "{report:?}");
            names.insert(text.entry_point);
        }
    }
    let all = [
        "begin_batch",
        "propagate_spikes",
        "read_block",
        "set_inputs",
        "step_back",
        "step_neurons",
        "sum_chunks",
        "sum_neurons",
        "sum_trials",
        "sum_weights",
    ];
    assert!(names.into_iter().eq(all));
}

fn message(result: Result<(), spikelet::Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_tape_that_does_not_fit_is_refused_with_the_segment_that_would() {
    let Some(device) = device() else { return };
    let load = |device: &Device, tape: &Value, trials: usize| {
        let plan = Arc::new(TrainingPlan::new(&layered(tape, &all_weights())).unwrap());
        let mut gpu = GpuBptt::new(device.clone());
        block_on(gpu.load(plan, trials)).map(|()| gpu.tape_bytes())
    };
    let whole = load(&device, &json!({}), 10).unwrap();
    let least = load(&device, &json!({"segment": 7}), 10).unwrap();
    assert!(least < whole, "{least} bytes in segments, {whole} in one");
    // Segments are chosen where the memory allows only these.
    let chosen = load(&device, &json!({"memory": whole - 1}), 10).unwrap();
    assert!(chosen < whole, "{chosen} of {whole} bytes");
    let refused = message(load(&device, &json!({"memory": whole - 1, "segment": 50}), 10).map(drop));
    assert!(refused.contains("write \"segment\":") && refused.contains("bytes for 10 trials of 50 steps"), "{refused}");
    let refused = message(load(&device, &json!({"memory": 1000}), 10).map(drop));
    assert!(refused.contains("at most 1000 bytes") && refused.contains("use smaller batches"), "{refused}");
    let refused = message(load(&device.with_limits_of(2000), &json!({}), 10).map(drop));
    assert!(refused.contains("2000 bytes") && refused.contains("smaller batches"), "{refused}");
}

#[test]
fn what_is_missing_is_said() {
    let Some(device) = device() else { return };
    let plan = Arc::new(TrainingPlan::new(&layered(&json!({}), &all_weights())).unwrap());
    let mut gpu = GpuBptt::new(device);
    let batch = batch(&plan, 3, 10);
    block_on(async {
        let early = message(gpu.forward(&batch, false).await.map(drop));
        assert!(early.contains("call `load`, `set` and `forward` first"), "{early}");
        gpu.load(plan.clone(), 2).await.unwrap();
        gpu.set(Arc::new(plan.values(&plan.parameters.values).unwrap())).await.unwrap();
        let large = message(gpu.forward(&batch, false).await.map(drop));
        assert!(large.contains("3 trials") && large.contains("1 to 2 trials"), "{large}");
        let event = |time_ms: f64, channel: u32| Batch { inputs: vec![vec![Event { time_ms, channel }].into()], first_trial: 0 };
        let outside = message(gpu.forward(&event(1.0, 30), false).await.map(drop));
        assert!(outside.contains("channel 30") && outside.contains("channels below 30"), "{outside}");
        let before = message(gpu.forward(&event(-1.0, 3), false).await.map(drop));
        assert!(before.contains("-1 ms"), "{before}");
        // The end of the sample is not part of it.
        let read = gpu.forward(&event(50.0, 3), false).await.unwrap();
        assert!(read.0[1].iter().all(|count| *count == 0.0));
        let no_tape = message(gpu.backward(&read).await.map(drop));
        assert!(no_tape.contains("no tape"), "{no_tape}");
        let read = gpu.forward(&event(3.0, 3), true).await.unwrap();
        let fewer = message(gpu.backward(&Readings(vec![read.0[0].clone()])).await.map(drop));
        assert!(fewer.contains("one adjoint for each number"), "{fewer}");
        assert!(gpu.spikes(1).await.is_err());
        assert_eq!(gpu.spikes(0).await.unwrap().len() as f32, 1.0 + read.0[1].iter().sum::<f32>());
    });
}
