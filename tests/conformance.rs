use std::time::Instant;

use spikelet::{Backend, Cpu, Double, Task};
use spikelet_gpu::Gpu;
use spikelet_tests::{device, full};
use spikelet_verify::{Case, MakeBackend, Options, Outcome, corpus, verify};

/// All cases of the corpus, or with `SPIKELET_CASE=lif_,stdp` those that have one of these in their names.
fn cases() -> Vec<Case> {
    let mut cases = corpus().unwrap_or_else(|malformed| panic!("{malformed}"));
    assert!(cases.len() >= 80, "{} cases", cases.len());
    let wanted = std::env::var("SPIKELET_CASE").unwrap_or_default();
    cases.retain(|case| wanted.split(',').any(|part| case.name.contains(part.trim())));
    assert!(!cases.is_empty(), "no case has {wanted} in its name");
    cases
}

/// Judges every case, a line each, and fails with the list of those that fail.
fn judge(device: &str, make_backend: &mut MakeBackend<'_>, options: &Options, skip: impl Fn(&Case) -> Option<&'static str>) {
    let mut failures = Vec::new();
    for case in cases() {
        let started = Instant::now();
        let verdict = match skip(&case) {
            Some(reason) => case.skipped(reason),
            None => pollster::block_on(verify(&case, make_backend, options)),
        };
        println!("{device}: {verdict} ({:.1} s)", started.elapsed().as_secs_f64());
        if verdict.outcome == Outcome::Failed {
            failures.push(verdict.to_string());
        }
    }
    assert!(failures.is_empty(), "{} cases fail on {device}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn cases_pass_on_the_cpu() {
    let mut cpu = || -> Task<'static, Box<dyn Backend>> { Box::pin(async { Ok(Box::new(Cpu::new(2)) as _) }) };
    judge("CPU", &mut cpu, &Options::default(), |_| None);
}

/// Cases with spikes and values: f64 has no statistics of its own.
#[test]
fn cases_pass_in_f64() {
    let mut double = || -> Task<'static, Box<dyn Backend>> { Box::pin(async { Ok(Box::new(Double::new()) as _) }) };
    judge("f64", &mut double, &Options::default(), |case| case.is_statistical().then_some("statistical"));
}

/// Statistical cases with one seed; on a software adapter the long ones only with `--full`.
#[test]
fn cases_pass_on_the_gpu() {
    let Some(device) = device() else { return };
    let options = Options { seeds: 1 };
    let hurry = device.report().software && !full();
    let skip = |case: &Case| (hurry && options.is_long(case)).then_some("long; only in --full");
    let name = device.report().name.clone();
    let mut gpu = || -> Task<'static, Box<dyn Backend>> {
        let gpu: Box<dyn Backend> = Box::new(Gpu::new(device.clone()));
        Box::pin(async { Ok(gpu) })
    };
    judge(&name, &mut gpu, &options, skip);
}
