//! EventProp on a GPU: the readings, spikes and gradients of the CPU, bit by bit.

use std::sync::Arc;

use crate::differentiable::{device, scattered};
use pollster::block_on;
use serde_json::{Value, json};
use spikelet_gpu::{GpuEventProp, kernels, validate_kernel};
use spikelet_train::{Batch, Differentiable, Event, EventPropCpu, Readings, Training, TrainingPlan};

fn cell(name: &str, size: u32, threshold: Option<&str>, reset: &str, refractory: Option<&str>) -> Value {
    let held = if refractory.is_some() { " (unless refractory)" } else { "" };
    let equations = format!("dv/dt = (0.2 - v + 1.5*I)/(12*ms) : 1{held}\ndI/dt = -I/(5*ms) : 1");
    let mut cell = json!({"name": name, "size": size, "equations": equations});
    if let Some(threshold) = threshold {
        cell["threshold"] = json!(threshold);
        cell["reset"] = json!(reset);
    }
    if let Some(refractory) = refractory {
        cell["refractory"] = json!(refractory);
    }
    cell
}

fn projection(pre: &str, post: &str, weights: &str, delay: &Value) -> Value {
    json!({"pre": pre, "post": post, "connect": {"rule": "all"}, "on_pre": "I_post += w", "delay_ms": delay, "parameters": {"w": weights}})
}

fn training(populations: &Value, inputs: u32, projections: &Value, loss: &[(&str, &str)]) -> Training {
    let pairs = projections.as_array().unwrap().iter();
    let name = |end: &Value| end.as_str().unwrap().to_owned();
    let train: Vec<Value> = pairs.map(|of| json!({"path": format!("{}_{}", name(&of["pre"]), name(&of["post"]))})).collect();
    let terms: Vec<Value> = loss
        .iter()
        .map(|(population, reading)| {
            let mut term = json!({"type": "mean_square", "population": population, "reading": reading});
            if *reading != "first_spike" {
                term["variable"] = json!("v");
            }
            term
        })
        .collect();
    let training = json!({
        "name": "test", "network": {"name": "test", "dt_ms": 0.1, "duration_ms": 40, "seed": 3, "populations": populations,
            "sources": [{"name": "input", "size": inputs, "spike_times_ms": []}], "projections": projections},
        "input": "input", "method": "eventprop", "train": train, "loss": terms, "optimiser": {"type": "sgd", "rate": 0.1},
        "batch": 8, "epochs": 1
    });
    Training::from_json(&training.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// Layers with both resets, a refractory time, recurrence, delays that are shared and of each synapse, and integrators.
fn layered(weights: &str) -> Training {
    let populations = json!([
        cell("one", 71, Some("v > 1"), "v = 0", Some("2*ms")),
        cell("two", 23, Some("v > 1"), "v -= 1", None),
        cell("out", 3, None, "", None),
    ]);
    let each = json!("(0.3 + 0.1*((i + 3*j) % 7))*ms");
    let mut recurrent = projection("one", "one", "-0.2 + 0.3*randn()", &each);
    recurrent["connect"] = json!({"rule": "bernoulli", "p": 0.4});
    let projections = json!([
        projection("input", "one", weights, &json!(0)),
        recurrent,
        projection("one", "two", "0.2 + 0.3*randn()", &json!(1.2)),
        projection("input", "two", "0.2*randn()", &each),
        projection("two", "out", "0.5*randn()", &json!(0.5)),
    ]);
    let loss = [("one", "first_spike"), ("two", "first_spike"), ("out", "max"), ("out", "mean"), ("out", "last")];
    training(&populations, 9, &projections, &loss)
}

fn batch(plan: &TrainingPlan, trials: u64, events: u64) -> Batch {
    let size = f64::from(plan.plan.populations[plan.input].size);
    let trial = |trial: u64| {
        let event = |k: u64| Event {
            time_ms: 30.0 * scattered(1000 * trial + 2 * k),
            channel: (size * scattered(1000 * trial + 2 * k + 1)) as u32,
        };
        let mut events: Vec<Event> = (0..events).map(event).collect();
        events.sort_by(|a, b| a.time_ms.total_cmp(&b.time_ms));
        events.into()
    };
    Batch { inputs: (0..trials).map(trial).collect(), first_trial: 0 }
}

fn plan(training: &Training) -> Arc<TrainingPlan> {
    Arc::new(TrainingPlan::new(training).unwrap_or_else(|error| panic!("{error}")))
}

/// Equal but for the sign of zero.
fn assert_same<T: PartialEq + std::fmt::Debug>(cpu: &[T], gpu: &[T], what: &str) {
    assert_eq!(cpu.len(), gpu.len(), "{what}");
    let differ = cpu.iter().zip(gpu).filter(|(cpu, gpu)| cpu != gpu).count();
    if let Some(k) = (0..cpu.len()).find(|k| cpu[*k] != gpu[*k]) {
        panic!("{what}, {k}: {:?} on the CPU, {:?} on the GPU; {differ} of {} differ", cpu[k], gpu[k], cpu.len());
    }
}

/// Compares both devices for batches of these sizes, the first of which is loaded for. Returns the number of spikes that are not input.
fn check(training: &Training, trials: &[u64], events: u64) -> Option<usize> {
    let plan = plan(training);
    let mut gpu = GpuEventProp::new(device()?);
    let mut cpu = EventPropCpu::new(2);
    let mut spiked = 0;
    block_on(async {
        let values = Arc::new(plan.values(&plan.parameters.values).unwrap());
        cpu.load(plan.clone(), trials[0] as usize).await.unwrap();
        gpu.load(plan.clone(), trials[0] as usize).await.unwrap();
        cpu.set(values.clone()).await.unwrap();
        gpu.set(values).await.unwrap();
        for trials in trials {
            let batch = batch(&plan, *trials, events);
            let [of_cpu, of_gpu] = [cpu.forward(&batch, true).await.unwrap(), gpu.forward(&batch, true).await.unwrap()];
            for trial in 0..*trials as usize {
                let [cpu, gpu] = [cpu.spikes(trial).await.unwrap(), gpu.spikes(trial).await.unwrap()];
                assert_same(&cpu, &gpu, &format!("spikes of trial {trial}"));
                spiked += cpu.len() - events as usize;
            }
            for (k, (cpu, gpu)) in of_cpu.0.iter().zip(&of_gpu.0).enumerate() {
                assert_same(cpu, gpu, &format!("reading {k}"));
            }
            let adjoint = |(k, _): (usize, &f32)| (scattered(k as u64 + 77) - 0.5) as f32;
            let adjoints = Readings(of_cpu.0.iter().map(|numbers| numbers.iter().enumerate().map(adjoint).collect()).collect());
            let [of_cpu, of_gpu] = [cpu.backward(&adjoints).await.unwrap(), gpu.backward(&adjoints).await.unwrap()];
            for (k, (cpu, gpu)) in of_cpu.weights.iter().zip(&of_gpu.weights).enumerate() {
                assert!(cpu.iter().any(|number| *number != 0.0), "projection {k} has no gradient");
                assert_same(cpu, gpu, &format!("gradient of projection {k}"));
            }
            assert_eq!((of_cpu.constants, of_cpu.initial), (of_gpu.constants, of_gpu.initial));
            assert_eq!(cpu.notices(), gpu.notices());
        }
    });
    Some(spiked)
}

#[test]
fn layers_and_delays_have_the_gradients_of_the_cpu() {
    // Chunks of 8 trials: several, a part of one.
    let Some(spikes) = check(&layered("0.6 + 0.6*randn()"), &[19, 3], 25) else { return };
    assert!(spikes > 22 * 40, "{spikes}");
}

#[test]
fn a_tape_grows_with_the_spikes() {
    let Some(spikes) = check(&layered("2.5 + 1.5*randn()"), &[3], 60) else { return };
    assert!(spikes > 3 * 4 * 106, "{spikes}");
}

#[test]
fn a_batch_like_that_of_yin_yang_has_the_gradients_of_the_cpu() {
    let populations = json!([cell("hidden", 200, Some("v > 1"), "v = 0", None), cell("out", 3, Some("v > 1"), "v = 0", None)]);
    let projections = json!([
        projection("input", "hidden", "1.2 + 0.8*randn()", &json!(0)),
        projection("hidden", "out", "0.1 + 0.1*randn()", &json!(0)),
    ]);
    let training = training(&populations, 5, &projections, &[("out", "first_spike")]);
    let Some(spikes) = check(&training, &[40], 5) else { return };
    assert!(spikes > 40 * 60, "{spikes}");
}

#[test]
fn a_neuron_that_a_row_reaches_twice_has_the_gradients_of_the_cpu() {
    let populations = json!([cell("one", 12, Some("v > 1"), "v = 0", None), cell("out", 4, None, "", None)]);
    let mut twice = projection("input", "one", "0.5 + 0.5*randn()", &json!(0));
    twice["connect"] = json!({"rule": "fixed_total", "n": 150});
    let mut out = projection("one", "out", "0.5*randn()", &json!(0.4));
    out["connect"] = json!({"rule": "fixed_total", "n": 1100});
    let training = training(&populations, 6, &json!([twice, out]), &[("out", "max"), ("one", "first_spike")]);
    let Some(spikes) = check(&training, &[9], 12) else { return };
    assert!(spikes > 90, "{spikes}");
}

#[test]
fn what_is_missing_or_too_much_is_said() {
    let Some(device) = device() else { return };
    let message = |result: Result<(), spikelet::Error>| result.unwrap_err().to_string();
    let of = plan(&layered("0.6 + 0.6*randn()"));
    let mut gpu = GpuEventProp::new(device.clone());
    let given = batch(&of, 3, 10);
    block_on(async {
        let early = message(gpu.forward(&given, true).await.map(drop));
        assert!(early.contains("call `load`, `set` and `forward` first"), "{early}");
        gpu.load(of.clone(), 2).await.unwrap();
        gpu.set(Arc::new(of.values(&of.parameters.values).unwrap())).await.unwrap();
        let large = message(gpu.forward(&given, true).await.map(drop));
        assert!(large.contains("3 trials") && large.contains("1 to 2 trials"), "{large}");
        let before = Batch { inputs: vec![vec![Event { time_ms: -1.0, channel: 0 }].into()], first_trial: 0 };
        let before = message(gpu.forward(&before, true).await.map(drop));
        assert!(before.contains("-1 ms"), "{before}");
        let early = message(gpu.backward(&Readings(Vec::new())).await.map(drop));
        assert!(early.contains("forward"), "{early}");
        gpu.forward(&batch(&of, 2, 10), true).await.unwrap();
        let fewer = message(gpu.backward(&Readings(Vec::new())).await.map(drop));
        assert!(fewer.contains("one adjoint for each number"), "{fewer}");
        assert!(gpu.spikes(2).await.is_err());
        let mut small = GpuEventProp::new(device.with_limits_of(200_000));
        let memory = message(small.load(of, 64).await);
        assert!(memory.contains("200000 bytes") && memory.contains("smaller batches"), "{memory}");
    });
}

/// Without a device.
#[test]
fn kernels_are_those_of_the_portable_core() {
    let mut names = Vec::new();
    for text in kernels::eventprop() {
        let report = validate_kernel(text.entry_point, &text.wgsl, None);
        assert!(report.valid, "{report:?}");
        names.push(text.entry_point);
    }
    assert_eq!(names, ["forward_events", "begin_backward", "backward_events", "sum_gradients"]);
}
