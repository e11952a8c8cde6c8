//! The product beside a kernel that goes through all synapses in every step, on a graph with the numbers of a fly's brain at a mean
//! rate of 2 to 3 Hz: steps a second of both, and their ratio.
//!
//! `cargo bench -p spikelet-gpu --bench gather [-- SECONDS]`, the time of each of five rounds. The gather runs in the fastest of the ways
//! of gather.wgsl, and must give the same spikes.
#![allow(missing_docs, clippy::unwrap_used, reason = "a program of its own")]

mod compare;
mod gather;
mod graph;

use std::sync::Arc;
use std::time::Instant;

use spikelet::{BuildOptions, Builder, catalogue};

fn main() {
    // `cargo bench` passes `--bench`.
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(4.0);
    let case = catalogue::cases().into_iter().find(|case| case.name() == "fly/2hz").unwrap();
    let network = case.network().unwrap();
    let threads = std::thread::available_parallelism().unwrap();
    let plan = Builder::new(&network, BuildOptions { threads, ..BuildOptions::default() }).unwrap().finish().unwrap();
    println!("{}: {} neurons, {} synapses", case.name(), plan.neurons(), plan.synapses());
    let started = Instant::now();
    let now = || started.elapsed().as_secs_f64();
    let found = pollster::block_on(compare::compare(&Arc::new(plan), 1000, 5, seconds, &now, &|line| println!("{line}")));
    let Some(found) = found else { return println!("skipped: no adapter") };
    println!("{}", found.summary());
}
