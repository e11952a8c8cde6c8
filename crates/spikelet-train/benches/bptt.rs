//! How fast gradients are: a batch of 32 trials forward and back through time, on one thread, for three shapes of networks.
//!
//! `cargo bench -p spikelet-train --bench bptt`
#![allow(missing_docs, reason = "criterion writes the entry point")]

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pollster::block_on;
use serde_json::{Value, json};
use spikelet_rows::rng::philox;
use spikelet_train::bptt::Cpu;
use spikelet_train::{Batch, Differentiable, Event, Readings, Training, TrainingPlan};

const TRIALS: usize = 32;

/// Leaky cells with exponential currents.
fn population(name: &str, size: u32, threshold: f64) -> Value {
    json!({"name": name, "size": size, "equations": "dv/dt = (I - v)/(20*ms) : 1\ndI/dt = -I/(5*ms) : 1",
           "threshold": format!("v > {threshold}"), "reset": "v = 0"})
}

fn projection(pre: &str, post: &str, weight: f64) -> Value {
    let weight = json!({"expr": format!("normal({weight}, {})", weight.abs() + 0.02)});
    json!({"name": format!("{pre}_{post}"), "pre": pre, "post": post, "connect": {"rule": "all"}, "on_pre": "I_post += w",
           "parameters": {"w": weight}})
}

struct Task {
    steps: u32,
    channels: u32,
    /// Probability of an input spike in a channel and step.
    activity: f64,
    populations: Vec<Value>,
    projections: Vec<Value>,
}

impl Task {
    fn plan(&self) -> Arc<TrainingPlan> {
        let train: Vec<Value> = self.projections.iter().map(|of| json!({"path": of["name"]})).collect();
        let last = &self.populations[self.populations.len() - 1]["name"];
        let training = json!({
            "name": "bench", "input": "input", "method": "bptt", "surrogate": {"shape": "superspike", "slope": 10.0},
            "network": {"name": "bench", "dt_ms": 0.5, "duration_ms": 0.5 * f64::from(self.steps), "populations": self.populations,
                        "sources": [{"name": "input", "size": self.channels, "spike_times_ms": []}], "projections": self.projections},
            "train": train, "loss": [{"type": "cross_entropy", "population": last, "reading": "max", "variable": "v"}],
            "optimiser": {"type": "sgd", "rate": 0.1}, "batch": TRIALS, "epochs": 1
        });
        let training = Training::from_json(&training.to_string()).expect("the training of the benchmark is right");
        Arc::new(TrainingPlan::new(&training).expect("it can be planned"))
    }

    fn batch(&self) -> Batch {
        let trial = |trial: usize| {
            let fires = |step: u32, channel: u32| {
                f64::from(philox(7, [step, channel, trial as u32, 0])[0]) < self.activity * 4_294_967_296.0
            };
            let all = (0..self.steps).flat_map(|step| (0..self.channels).map(move |channel| (step, channel)));
            let event = |(step, channel)| Event { time_ms: 0.5 * f64::from(step), channel };
            all.filter(|(step, channel)| fires(*step, *channel)).map(event).collect()
        };
        Batch { inputs: (0..TRIALS).map(trial).collect(), first_trial: 0 }
    }
}

fn bptt(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bptt");
    group.sample_size(10);
    let layered = |sizes: [u32; 3], weights: [f64; 2], steps, activity| Task {
        steps,
        channels: sizes[0],
        activity,
        populations: vec![population("hidden", sizes[1], 1.0), population("out", sizes[2], 1e9)],
        projections: vec![projection("input", "hidden", weights[0]), projection("hidden", "out", weights[1])],
    };
    let tasks = [
        ("4-200-3, 600 steps", layered([4, 200, 3], [1.0, 0.05], 600, 0.01)),
        (
            "128 recurrent, 200 steps",
            Task {
                steps: 200,
                channels: 128,
                activity: 0.02,
                populations: vec![population("hidden", 128, 1.0), population("out", 10, 1e9)],
                projections: vec![
                    projection("input", "hidden", 0.15),
                    projection("hidden", "hidden", 0.01),
                    projection("hidden", "out", 0.05),
                ],
            },
        ),
        ("784-512-10, 100 steps", layered([784, 512, 10], [0.02, 0.05], 100, 0.03)),
    ];
    for (name, task) in &tasks {
        let (plan, batch) = (task.plan(), task.batch());
        let mut cpu = Cpu::new(1);
        let values = Arc::new(plan.values(&plan.parameters.values).expect("the values fit"));
        block_on(async {
            cpu.load(plan.clone(), TRIALS).await?;
            cpu.set(values).await
        })
        .expect("the plan fits");
        let forward = |cpu: &mut Cpu| block_on(cpu.forward(&batch, true)).expect("the batch fits");
        let readings = forward(&mut cpu);
        let spikes: usize = (0..TRIALS).map(|trial| block_on(cpu.spikes(trial)).map_or(0, |spikes| spikes.len())).sum();
        eprintln!("{name}: {spikes} spikes, {} bytes", cpu.tape_bytes());
        let adjoints = Readings(readings.0.iter().map(|all| all.iter().map(|of| 0.1 + 0.01 * of).collect()).collect());
        group.throughput(Throughput::Elements(TRIALS as u64 * u64::from(plan.steps)));
        group.bench_function(format!("{name}, forward"), |bencher| bencher.iter(|| forward(&mut cpu)));
        group.bench_function(format!("{name}, forward and back"), |bencher| {
            bencher.iter(|| {
                forward(&mut cpu);
                block_on(cpu.backward(&adjoints)).expect("there is a tape")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bptt);
criterion_main!(benches);
