//! What the schedule of a step gains: neurons beside a few synapses that learn, and threads whose synapses read each other's neurons.
//! Each is a ratio, measured in turns.
//!
//! `cargo bench -p spikelet --bench schedule`
#![allow(missing_docs, reason = "criterion writes the entry point")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use spikelet::{Backend, Cpu, Epoch, Network, Plan, Trial, catalogue};

/// Times that each side is measured.
const ROUNDS: usize = 30;

/// A network on its way.
struct Runner {
    cpu: Cpu,
    step: u32,
    /// Steps that are timed together.
    batch: u32,
}

impl Runner {
    fn new(network: &Network, threads: usize, batch: u32) -> Runner {
        let plan = Arc::new(Plan::new(network).expect("the network of the benchmark can be planned"));
        let mut cpu = Cpu::new(threads);
        pollster::block_on(cpu.load(vec![Trial { number: 0, plan }])).expect("the CPU takes any plan");
        let mut runner = Runner { cpu, step: 0, batch };
        // Until it has settled.
        (0..3).for_each(|_| _ = runner.time());
        runner
    }

    fn time(&mut self) -> Duration {
        let start = Instant::now();
        let epoch = Epoch::new(self.step, self.batch);
        pollster::block_on(self.cpu.advance(epoch)).expect("the CPU can always go on");
        self.step += self.batch;
        start.elapsed()
    }
}

/// How many times as fast the second is as the first: of each the fastest tenth ends at the time that counts, since what else the machine does makes
/// the others slower.
fn ratio(mut first: Runner, mut second: Runner) -> [f64; 3] {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(first.time());
        times[1].push(second.time());
    }
    let [first, second] = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 10].as_secs_f64()
    });
    [first, second, first / second]
}

/// 100,000 cells, every tenth of a second's spikes heard by 50 others; if `learns`, 100 of them are joined by synapses that learn, too.
fn beside(learns: bool) -> Network {
    let mut projections = vec![json!({
        "name": "EE", "pre": "E", "post": "E", "connect": {"rule": "fixed_outdegree", "n": 50}, "on_pre": "v_post += 0.002", "delay_ms": 1.5
    })];
    if learns {
        projections.push(json!({
            "name": "plastic", "pre": "E[0:100]", "post": "E[0:100]", "connect": {"rule": "fixed_indegree", "n": 20},
            "equations": "w : 1\ndx/dt = -x/(20*ms) : 1 (event-driven)\ndy/dt = -y/(20*ms) : 1 (event-driven)",
            "on_pre": "v_post += w\nx += 0.01\nw = clip(w - y, 0, 0.1)", "on_post": "y += 0.01\nw = clip(w + x, 0, 0.1)",
            "initial": {"w": 0.01}, "delay_ms": 1.5
        }));
    }
    network(&json!({
        "name": "beside", "dt_ms": 0.1, "duration_ms": 1000,
        "populations": [{"name": "E", "size": 100_000, "equations": "dv/dt = (1.1 - v)/(20*ms) + 0.05*xi/sqrt(ms) : 1", "threshold": "v > 1",
                         "reset": "v = 0", "initial": {"v": {"expr": "rand()"}}}],
        "projections": projections
    }))
}

fn network(json: &Value) -> Network {
    Network::from_json(&json.to_string()).expect("the network of the benchmark is right")
}

fn schedule(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("schedule");
    group.sample_size(10).measurement_time(Duration::from_secs(1));
    let mut compared = |name: &str, batch: u32, first: &dyn Fn() -> (Network, usize), second: &dyn Fn() -> (Network, usize)| {
        let runner = |(network, threads): (Network, usize)| Runner::new(&network, threads, batch);
        let mut measured = None;
        group.bench_function(name, |bencher| {
            let second = measured.get_or_insert_with(|| runner(second()));
            bencher.iter_custom(|count| (0..count).map(|_| second.time()).sum());
        });
        if measured.is_some() {
            let [one, other, ratio] = ratio(runner(first()), runner(second()));
            println!("{name}: {:.3} and {:.3} ms for {batch} steps, ratio {ratio:.2}\n", one * 1e3, other * 1e3);
        }
    };
    compared("100 learning neurons beside 100,000 others, one thread", 30, &|| (beside(false), 1), &|| (beside(true), 1));
    compared("100 learning neurons beside 100,000 others, two threads", 30, &|| (beside(false), 2), &|| (beside(true), 2));
    for (name, steps) in [("waves", 50), ("lixirnet", 50), ("decision", 50), ("plastic_cuba", 200), ("cuba", 500)] {
        let network = |threads| (catalogue::network(name, 1.0).expect("it is in the catalogue"), threads);
        compared(&format!("{name}, one thread and two"), steps, &|| network(1), &|| network(2));
    }
    group.finish();
}

criterion_group!(benches, schedule);
criterion_main!(benches);
