//! What an event costs: networks of the catalogue whose time is spent on the events of their spikes, on one thread.
//!
//! `cargo bench -p spikelet --bench events` prints the time for a biological second, the events in it, and the spikes hash. The environment
//! variable `SPIKELET_LEVEL` limits the vectors.
#![allow(missing_docs, reason = "criterion writes the entry point")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use spikelet::{Backend, Cpu, Epoch, Network, Plan, Recorder, Trial, catalogue};
use spikelet_kernel::simd::Level;

/// Times that each network is run; the fastest counts, since what else the machine does makes the others slower.
const ROUNDS: usize = 5;

/// The networks, with their scales: equal weights and delays, different weights, different weights and delays.
const NETWORKS: [(&str, f64); 3] = [("brunel_ai", 1.0), ("izhikevich", 10.0), ("pd14", 0.1)];

/// The time of a biological second, and what happened in it.
fn run(network: &Network, plan: &Arc<Plan>) -> (Duration, Recorder) {
    let mut cpu = Cpu::new(1);
    pollster::block_on(cpu.load(vec![Trial { number: 0, plan: plan.clone() }])).expect("the CPU takes any plan");
    let (steps, mut recorder) = ((1000.0 / network.dt_ms) as u32, Recorder::new(plan));
    let start = Instant::now();
    for first in (0..steps).step_by(1000) {
        let activity =
            pollster::block_on(cpu.advance(Epoch::new(first, 1000.min(steps - first)))).expect("the CPU can always go on");
        activity.iter().for_each(|activity| recorder.add(&activity.spikes));
    }
    (start.elapsed(), recorder)
}

fn events(_: &mut Criterion) {
    if let Ok(name) = std::env::var("SPIKELET_LEVEL") {
        Level::limit(&name).expect("SPIKELET_LEVEL names vectors that this processor has");
    }
    for (name, scale) in NETWORKS {
        let network = catalogue::network(name, scale).expect("the network is in the catalogue");
        let plan = Arc::new(Plan::new(&network).expect("it can be planned"));
        let rounds = (0..ROUNDS).map(|_| run(&network, &plan));
        let (time, recorder) = rounds.min_by_key(|(time, _)| *time).expect("there are rounds");
        let (events, bytes) =
            (recorder.synaptic_events(), plan.projections.iter().map(|of| of.rows().words.bytes()).sum::<u64>());
        let per_event = time.as_secs_f64() / events as f64 * 1e9;
        println!(
            "{name} × {scale}: {:.3} s, {events} events, {per_event:.2} ns of each, {} MiB of words, {}",
            time.as_secs_f64(),
            bytes >> 20,
            recorder.spikes_hash()
        );
    }
}

criterion_group!(benches, events);
criterion_main!(benches);
