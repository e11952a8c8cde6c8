//! The indices of the largest of n values, from 10^3 to 10^7, on one thread, beside `select_nth_unstable` of the indices, which needs
//! them anew each time, and of the bare values, which loses the indices.
//!
//! `cargo bench -p spikelet --bench select [-- FILTER]`
#![allow(missing_docs, reason = "criterion writes the entry point")]

use std::cmp::Reverse;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use spikelet::Select;
use spikelet::rng::philox;

/// As sums of many inputs are: of about a bell's shape, with ties.
fn values(n: u32) -> Vec<f32> {
    (0..n).map(|k| philox(1, [k, 0, 0, 0]).iter().map(|word| (word >> 20) as f32).sum()).collect()
}

fn by_indices(values: &[f32], k: usize) -> Vec<u32> {
    let mut indices: Vec<u32> = (0..values.len() as u32).collect();
    // All values are positive, so that their bits are in their order.
    indices.select_nth_unstable_by_key(k - 1, |index| (Reverse(values[*index as usize].to_bits()), *index));
    indices.truncate(k);
    indices.sort_unstable();
    indices
}

fn select(criterion: &mut Criterion) {
    for n in [1_000, 10_000, 100_000, 1_000_000, 10_000_000_u32] {
        let values = values(n);
        let mut group = criterion.benchmark_group(format!("select/{n}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements(n.into()));
        for k in [n / 1000, n / 100] {
            let k = k as usize;
            let mut select = Select::default();
            assert_eq!(select.largest(&values, k), Ok(&by_indices(&values, k)[..]), "both find the same ones");
            group.bench_function(format!("largest, k = {k}"), |bencher| {
                bencher.iter(|| select.largest(&values, k).map_or(0, <[u32]>::len));
            });
            group.bench_function(format!("select_nth_unstable of indices, k = {k}"), |bencher| {
                bencher.iter(|| by_indices(&values, k).len());
            });
            group.bench_function(format!("select_nth_unstable of values, k = {k}"), |bencher| {
                bencher.iter_batched_ref(
                    || values.clone(),
                    |values| *values.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a)).1,
                    BatchSize::LargeInput,
                );
            });
        }
        group.finish();
    }
}

criterion_group!(benches, select);
criterion_main!(benches);
