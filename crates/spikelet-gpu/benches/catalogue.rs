//! The speed of the networks of the catalogue: the cases of `spikelet bench` except large ones, on the CPU and on a GPU, if there is one;
//! on a software GPU only if `SPIKELET_SOFTWARE_GPU` is set.
//!
//! `cargo bench -p spikelet-gpu --bench catalogue [-- FILTER]`
#![allow(missing_docs, reason = "criterion writes the entry point")]

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pollster::block_on;
use spikelet::{Backend, Cpu, Epoch, Plan, Trial, catalogue};
use spikelet_gpu::{Device, Gpu};

fn steps(criterion: &mut Criterion) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let is_wanted = |device: &Device| !device.report().software || std::env::var_os("SPIKELET_SOFTWARE_GPU").is_some();
    let gpu = block_on(Device::open()).ok().filter(is_wanted);
    for case in catalogue::cases().into_iter().filter(catalogue::Case::is_usual) {
        let network = case.network().expect("the catalogue is right");
        let mut group = criterion.benchmark_group(case.name());
        group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
        // Built only if the filter selects the case.
        let mut plan = None;
        let mut run = |device: &str, make: &dyn Fn() -> Box<dyn Backend>| {
            let mut running: Option<(Box<dyn Backend>, u32, u32)> = None;
            group.throughput(Throughput::Elements(1)).bench_function(device, |bencher| {
                let plan = plan.get_or_insert_with(|| Arc::new(Plan::new(&network).expect("the catalogue is right")));
                let (backend, step, epoch) = running.get_or_insert_with(|| {
                    let mut backend = make();
                    block_on(backend.load(vec![Trial { number: 0, plan: plan.clone() }])).expect("it fits");
                    (backend, 0, plan.epoch_steps)
                });
                // The time per step; steps run in batches.
                bencher.iter_custom(|wanted| {
                    let steps = u32::try_from(wanted).unwrap_or(u32::MAX / 4).div_ceil(*epoch) * *epoch;
                    let started = std::time::Instant::now();
                    block_on(backend.advance(Epoch::new(*step, steps))).expect("it runs");
                    *step += steps;
                    started.elapsed().mul_f64(wanted as f64 / f64::from(steps))
                });
            });
        };
        run("cpu", &|| Box::new(Cpu::new(threads)));
        if let Some(device) = &gpu {
            run("gpu", &|| Box::new(Gpu::new(device.clone())));
        }
        group.finish();
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
