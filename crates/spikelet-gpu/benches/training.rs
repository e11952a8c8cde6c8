//! How fast gradients by backpropagation through time are on the GPU: a batch of trials forward and back, for three shapes of networks.
//!
//! `cargo bench -p spikelet-gpu --bench training`, with `TRIALS=512` for other batches than of 128.
#![allow(missing_docs, reason = "criterion writes the entry point")]

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pollster::block_on;
use serde_json::{Value, json};
use spikelet::rng::philox;
use spikelet_gpu::{Device, GpuBptt};
use spikelet_train::{Batch, Differentiable, Event, Readings, Training, TrainingPlan};

/// A network: neurons of the input, of the hidden population and of the output; whether the hidden one is recurrent; steps of 0.5 ms.
type Shape = (&'static str, [u32; 3], bool, u32);

const SHAPES: [Shape; 3] = [
    ("4-200-3", [4, 200, 3], false, 600),
    ("128 recurrent", [128, 128, 10], true, 200),
    ("784-512-10", [784, 512, 10], false, 100),
];

/// Leaky cells with exponential currents.
fn plan((_, [channels, hidden, out], recurrent, steps): Shape) -> TrainingPlan {
    let population = |name: &str, size: u32, threshold: f64| {
        json!({"name": name, "size": size, "equations": "dv/dt = (I - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1",
               "threshold": format!("v > {threshold}"), "reset": "v = 0"})
    };
    let projection = |pre: &str, post: &str, weight: f64| {
        json!({"name": format!("{pre}_{post}"), "pre": pre, "post": post, "connect": {"rule": "all"}, "on_pre": "I_post += w",
               "parameters": {"w": format!("{weight}*(1 + randn())")}})
    };
    let mut projections = vec![projection("input", "hidden", 16.0 / f64::from(channels)), projection("hidden", "out", 0.05)];
    projections.extend(recurrent.then(|| projection("hidden", "hidden", 0.01)));
    let train: Vec<Value> = projections.iter().map(|of| json!({"path": of["name"]})).collect();
    let training = json!({
        "name": "bench", "input": "input", "method": "bptt",
        "network": {"name": "bench", "dt_ms": 0.5, "duration_ms": 0.5 * f64::from(steps), "projections": projections,
                    "populations": [population("hidden", hidden, 1.0), population("out", out, 1e9)],
                    "sources": [{"name": "input", "size": channels, "spike_times_ms": []}]},
        "train": train, "loss": [{"type": "cross_entropy", "population": "out", "reading": "max", "variable": "v"}],
        "optimiser": {"type": "sgd", "rate": 0.1}, "batch": 1, "epochs": 1
    });
    let training = Training::from_json(&training.to_string()).expect("the training of the benchmark is right");
    TrainingPlan::new(&training).expect("it can be planned")
}

/// Input spikes with a probability of 1 % in each step.
fn batch(plan: &TrainingPlan, trials: usize) -> Batch {
    let channels = plan.plan.populations[plan.input].size;
    let trial = |trial: usize| {
        let all = (0..plan.steps).flat_map(|step| (0..channels).map(move |channel| (step, channel)));
        let fires = |(step, channel): &(u32, u32)| philox(7, [*step, *channel, trial as u32, 0])[0] < u32::MAX / 100;
        all.filter(fires).map(|(step, channel)| Event { time_ms: 0.5 * f64::from(step), channel }).collect()
    };
    Batch { inputs: (0..trials).map(trial).collect(), first_trial: 0 }
}

fn training(criterion: &mut Criterion) {
    let trials = std::env::var("TRIALS").map_or(128, |trials| trials.parse().expect("TRIALS is a number"));
    let device = match block_on(Device::open()) {
        Ok(device) => device,
        Err(error) => return eprintln!("{error}"),
    };
    let mut group = criterion.benchmark_group("training");
    group.sample_size(10);
    for shape in SHAPES {
        let plan = Arc::new(plan(shape));
        let batch = batch(&plan, trials);
        let mut gpu = GpuBptt::new(device.clone());
        let values = Arc::new(plan.values(&plan.parameters.values).expect("the values fit"));
        let read = block_on(async {
            gpu.load(plan.clone(), trials).await?;
            gpu.set(values).await?;
            gpu.forward(&batch, true).await
        });
        let read = read.expect("the batch fits");
        eprintln!("{} on {}: {} bytes", shape.0, device.report().name, gpu.tape_bytes());
        let adjoints = Readings(read.0.iter().map(|all| all.iter().map(|of| 0.1 + 0.01 * of).collect()).collect());
        group.throughput(Throughput::Elements(trials as u64 * u64::from(plan.steps)));
        group.bench_function(format!("{}, {trials} trials, forward", shape.0), |bencher| {
            bencher.iter(|| block_on(gpu.forward(&batch, true)).expect("the batch fits"));
        });
        group.bench_function(format!("{}, {trials} trials, forward and back", shape.0), |bencher| {
            bencher.iter(|| {
                block_on(async {
                    gpu.forward(&batch, true).await?;
                    gpu.backward(&adjoints).await
                })
                .expect("the batch fits")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, training);
criterion_main!(benches);
