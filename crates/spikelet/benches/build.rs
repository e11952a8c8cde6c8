//! How fast synapses are built: every rule, in synapses a second, beside a list of as many random words.
//!
//! `cargo bench -p spikelet --bench build`
#![allow(missing_docs, reason = "criterion writes the entry point")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use spikelet::rng::philox;
use spikelet::{BuildOptions, Builder, Network};

/// Synapses of every network here.
const SYNAPSES: u64 = 4_000_000;

/// 4,000 neurons onto 10,000, about a tenth of all pairs joined.
fn network(connect: &Value, weight: &str, delay: &str, storage: &str) -> Network {
    let network = json!({
        "name": "build", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "pre", "size": 4000, "model": "lif_exp"}, {"name": "post", "size": 10_000, "model": "lif_exp"}],
        "projections": [{
            "pre": "pre", "post": "post", "connect": connect, "on_pre": "ge_post += w", "parameters": {"w": weight}, "delay_ms": delay,
            "storage": storage
        }]
    });
    Network::from_json(&network.to_string()).expect("the network of the benchmark is right")
}

fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    group.sample_size(10).throughput(Throughput::Elements(SYNAPSES));
    group.bench_function("baseline: random words", |bencher| {
        let words = || (0..SYNAPSES as u32 / 4).flat_map(|k| philox(1, [k, 0, 0, 0])).collect::<Vec<u32>>();
        bencher.iter_batched(|| (), |()| words(), BatchSize::PerIteration);
    });
    let (shared, normal) = (("0.1 mV", "1.5 ms"), ("normal(0.1 mV, 0.01 mV)", "normal(1.5 ms, 0.75 ms, 0.1 ms, 10 ms)"));
    let bernoulli = json!({"rule": "bernoulli", "p": 0.1});
    for (name, connect, (weight, delay), storage) in [
        ("bernoulli", &bernoulli, shared, "stored"),
        ("fixed_outdegree", &json!({"rule": "fixed_outdegree", "n": 1000}), shared, "stored"),
        ("fixed_indegree", &json!({"rule": "fixed_indegree", "n": 400}), shared, "stored"),
        ("fixed_total", &json!({"rule": "fixed_total", "n": SYNAPSES}), shared, "stored"),
        ("bernoulli, random weights and delays", &bernoulli, normal, "stored"),
        ("fixed_outdegree, procedural", &json!({"rule": "fixed_outdegree", "n": 1000}), shared, "procedural"),
    ] {
        let network = network(connect, weight, delay, storage);
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || Builder::new(&network, BuildOptions::default()).expect("the network of the benchmark can be built"),
                |builder| builder.finish().expect("it can be finished"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, build);
criterion_main!(benches);
