//! A round of an area with a stimulus in each mode, after its assembly has formed, and a whole projection from nothing.
//!
//! `cargo bench -p spikelet-assemblies --bench rounds`
#![allow(missing_docs, reason = "criterion writes the entry point")]

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use spikelet_assemblies::{AreaId, AreaOptions, Brain, BrainOptions, Mode, Source};

const MODES: [Mode; 3] = [Mode::Explicit, Mode::Procedural, Mode::Lazy];
/// n, k and p. All synapses of the last one would need 8 GB, so it is not explicit.
const SIZES: [(u32, u32, f64); 3] = [(10_000, 100, 0.01), (100_000, 317, 0.01), (1_000_000, 1000, 0.001)];
/// Rounds until the assembly has formed.
const ROUNDS: u32 = 25;

/// A brain with an area, and the fibres that are projected.
struct Projection {
    brain: Brain,
    fibres: [(Source, AreaId); 2],
}

impl Projection {
    fn new(mode: Mode, (n, k, p): (u32, u32, f64)) -> Projection {
        let options = BrainOptions { p, mode, memory: 4 << 30, ..BrainOptions::default() };
        let mut brain = Brain::new(options).expect("the options are valid");
        let stimulus = brain.add_stimulus("S", k).expect("it is the only one");
        let area = brain.add_area("A", AreaOptions::new(n, k, 0.05)).expect("it fits");
        Projection { brain, fibres: [(stimulus.into(), area), (area.into(), area)] }
    }

    fn run(&mut self, rounds: u32) {
        self.brain.project(&self.fibres, rounds).expect("weights do not grow too far");
    }
}

fn rounds(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("round");
    for size in SIZES {
        for mode in MODES.into_iter().filter(|mode| *mode != Mode::Explicit || size.0 < 1_000_000) {
            let mut projection = Projection::new(mode, size);
            projection.run(ROUNDS);
            projection.brain.set_plasticity(false);
            group.bench_function(BenchmarkId::new(format!("{mode:?}"), size.0), |bencher| bencher.iter(|| projection.run(1)));
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("projection");
    group.sample_size(10);
    for mode in [Mode::Procedural, Mode::Lazy] {
        for size in SIZES {
            let id = BenchmarkId::new(format!("{mode:?}"), size.0);
            let new = || Projection::new(mode, size);
            group.bench_function(id, |bencher| {
                bencher.iter_batched(new, |mut projection| projection.run(ROUNDS), BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, rounds);
criterion_main!(benches);
