//! A selection of the largest of n values on a GPU beside a full sort of them, from 10^3 to 10^7; both give the same winners.
//!
//! `cargo bench -p spikelet-gpu --bench select [-- FILTER]`. On a software GPU the times say nothing about a real one.
#![allow(missing_docs, reason = "criterion writes the entry point")]

mod sort;

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pollster::block_on;
use spikelet::WinnerRule;
use spikelet_gpu::{Device, GpuSelect};

/// Selections or sorts of a submission: so that reading the winners, once each, hardly counts.
const TIMES: u32 = 10;

fn select(criterion: &mut Criterion) {
    let Ok(device) = block_on(Device::open()) else { return println!("skipped: no adapter") };
    println!("{}", device.report().name);
    for n in [1_000, 10_000, 100_000, 1_000_000, 10_000_000_u32] {
        let mut group = criterion.benchmark_group(format!("select/{n}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(3));
        group.throughput(Throughput::Elements(n.into()));
        // As sums of many inputs are: of about a bell's shape, with ties.
        let word = |index: u32| (index ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b).rotate_left(13).wrapping_mul(0xc2b2_ae35) >> 16;
        let values: Vec<f32> = (0..n).map(|k| (0..8).map(|part| word(8 * k + part) as f32).sum::<f32>() / 16.0).collect();
        for k in [n / 1000, n / 100] {
            let name = |of: &str| format!("{of}, k = {k}");
            let selection = block_on(GpuSelect::new(&device, n)).expect("it fits");
            selection.write(&values);
            let once = |times: u32| {
                selection.begin(WinnerRule::Largest(k), times as usize);
                block_on(selection.winners()).expect("all values are numbers")
            };
            let winners = once(1);
            let measure = |wanted: u64, run: &dyn Fn(u32)| {
                let started = Instant::now();
                let rounds = wanted.div_ceil(TIMES.into());
                (0..rounds).for_each(|_| run(TIMES));
                started.elapsed().mul_f64(wanted as f64 / (rounds * u64::from(TIMES)) as f64)
            };
            group.bench_function(name("select"), |bencher| {
                bencher.iter_custom(|wanted| measure(wanted, &|times| drop(once(times))));
            });
            let sort = block_on(sort::Sort::new(n)).expect("there is an adapter");
            sort.write(&values);
            let mut first = block_on(sort.largest(k, 1));
            first.sort_unstable();
            assert!(first == winners, "the sort gives the same winners");
            group.bench_function(name("sort"), |bencher| {
                bencher.iter_custom(|wanted| measure(wanted, &|times| drop(block_on(sort.largest(k, times as usize)))));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, select);
criterion_main!(benches);
