//! What it takes to set a value of ten million synapses that learn, and of their neurons, beside writing the arrays that follow from it.
//!
//! `cargo bench -p spikelet --bench set` prints the times, and the ratio of the two, measured in turns.
#![allow(missing_docs, reason = "criterion writes the entry point")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use spikelet::{ArrayId, Backend, Cpu, Network, Plan, Simulation, Trial};

/// Neurons, each joined to a tenth of them.
const NEURONS: u32 = 10_000;
/// Turns in which the ratio is measured.
const ROUNDS: usize = 15;
/// What is set, and its values by turns: a parameter of the population, a constant of the rule, a weight that synapses without a state
/// share, and that of all synapses that learn.
const PATHS: [(&str, [&str; 2]); 4] =
    [("E.taum", ["11 ms", "10 ms"]), ("EE.up", ["0.02", "0.01"]), ("input.w", ["0.04", "0.05"]), ("EE.w", ["0.4", "0.5"])];

fn network() -> Network {
    let network = json!({
        "name": "set", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "E", "size": NEURONS, "equations": "dv/dt = (I - v)/taum : 1\nI : 1 (constant)", "threshold": "v > 1",
                         "reset": "v = 0", "parameters": {"taum": "10 ms", "I": 1.1}, "initial": {"v": {"expr": "rand()"}}}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.1},
                         "equations": "w : 1 (plastic)\ndpre/dt = -pre/taupre : 1 (event-driven)\ndpost/dt = -post/taupost : 1 (event-driven)",
                         "on_pre": "v_post += g*w\npre += up\nw = clip(w + post, 0, 1)",
                         "on_post": "post -= down\nw = clip(w + pre, 0, 1)",
                         "parameters": {"taupre": "20 ms", "taupost": "20 ms", "g": 0.001, "up": 0.01, "down": 0.012},
                         "initial": {"w": {"expr": "rand()"}}, "delay_ms": 1},
                        {"name": "input", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.01}, "on_pre": "v_post += w",
                         "parameters": {"w": 0.05}, "delay_ms": 1, "storage": "stored"}]
    });
    Network::from_json(&network.to_string()).expect("the network of the benchmark is right")
}

/// A simulation whose values are set, and a device whose arrays are written.
struct Pair {
    simulation: Simulation,
    cpu: Cpu,
    plan: Arc<Plan>,
}

impl Pair {
    fn new() -> Pair {
        let network = network();
        let plan = Arc::new(Plan::new(&network).expect("the network of the benchmark can be planned"));
        let simulation = pollster::block_on(Simulation::with_plan(&network, plan.clone(), Box::new(Cpu::new(1))));
        let mut cpu = Cpu::new(1);
        pollster::block_on(cpu.load(vec![Trial { number: 0, plan: plan.clone() }])).expect("the CPU takes any plan");
        Pair { simulation: simulation.expect("the CPU takes any plan"), cpu, plan }
    }

    fn time_set(&mut self, path: &str, value: &str) -> Duration {
        let start = Instant::now();
        pollster::block_on(self.simulation.set(path, value)).expect("a running network follows it");
        start.elapsed()
    }

    /// The arrays that are bound to a path: their words are made and written.
    fn time_write(&mut self, path: &str) -> Duration {
        let arrays: Vec<ArrayId> = self.plan.binding(path).expect("it is bound").arrays.clone();
        let start = Instant::now();
        for array in arrays {
            let words = vec![0.5_f32.to_bits(); self.plan.arrays()[array].length];
            pollster::block_on(self.cpu.write(0, array, &words)).expect("the array has this length");
        }
        start.elapsed()
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn set(criterion: &mut Criterion) {
    // Made once it is known that it is wanted.
    let mut pair = None;
    let mut group = criterion.benchmark_group("set");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    for (path, values) in PATHS {
        let mut turn = 0;
        group.bench_function(path, |bencher| {
            let pair = pair.get_or_insert_with(Pair::new);
            bencher.iter_custom(|count| {
                let mut set = || {
                    turn += 1;
                    pair.time_set(path, values[turn % 2])
                };
                (0..count).map(|_| set()).sum()
            });
        });
        group.bench_function(format!("{path}, written"), |bencher| {
            let pair = pair.get_or_insert_with(Pair::new);
            bencher.iter_custom(|count| (0..count).map(|_| pair.time_write(path)).sum());
        });
    }
    group.finish();
    let Some(mut pair) = pair else { return };
    for (path, values) in PATHS {
        let (mut sets, mut writes) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            sets.push(pair.time_set(path, values[round % 2]));
            writes.push(pair.time_write(path));
        }
        let (set, written) = (median(sets), median(writes));
        let ratio = set.as_secs_f64() / written.as_secs_f64();
        println!("{path}: set in {set:?}, what follows from it written in {written:?}, ratio {ratio:.2}");
    }
}

criterion_group!(benches, set);
criterion_main!(benches);
